"""How a process decodes a columnar file of others: what the file claims makes Arrow allocate, so memory has a bound."""

from __future__ import annotations

import resource
from pathlib import Path

#: Beyond what is mapped once Arrow is imported.
MORE_BYTES = 1 << 30
#: Of a Parquet file's description of itself, for pyarrow.
BOUNDED_METADATA = {"thrift_string_size_limit": 1 << 24, "thrift_container_size_limit": 1 << 20}
#: So that all that is mapped is used: no arenas for threads, and none of an allocator's own.
ENVIRONMENT = {
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "ARROW_IO_THREADS": "1",
    "MALLOC_ARENA_MAX": "1",
    "OMP_NUM_THREADS": "1",
}


def limit(kind: int, most: int) -> None:
    """Bound what this process takes; a limit that is lower already stays.

    Parameters
    ----------
    kind : int
        Of :mod:`resource`.
    most : int
    """
    _, hard = resource.getrlimit(kind)
    least = min((limit for limit in (most, hard) if limit != resource.RLIM_INFINITY), default=hard)
    resource.setrlimit(kind, (least, hard))


def limit_memory() -> int:
    """Bound what this process maps from here on.

    Returns
    -------
    int, bytes
        How much more that may be.
    """
    pages = int(Path("/proc/self/statm").read_text().split()[0]) if Path("/proc/self/statm").exists() else 0
    if pages:
        limit(resource.RLIMIT_AS, pages * resource.getpagesize() + MORE_BYTES)
    return MORE_BYTES
