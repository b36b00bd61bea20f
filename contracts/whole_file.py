"""A file that is there whole or not at all: it is written beside its place, and put there when nothing is missing."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """Give a place beside a file's to write it to; in the end it takes the file's place, or goes if there was an error.

    Where no regular file can be put in place of what is there (a device, a pipe), that itself is written to.

    Parameters
    ----------
    path : Path
        The file, in a folder that is there. What a symbolic link points to is written.

    Yields
    ------
    Path
        Where to write the file.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with written_whole(Path(folder) / "table.csv") as part:
    ...         _ = part.write_text("a,b")
    ...         print(part.name, [path.name for path in Path(folder).iterdir()])
    ...     print([path.name for path in Path(folder).iterdir()])
    .table.csv.part ['.table.csv.part']
    ['table.csv']
    """
    place = path.resolve()
    if place.exists() and not place.is_file():
        yield place
        return
    # Always the same name: what a killed run left is overwritten by the next run.
    part = place.with_name(f".{place.name}.part")
    try:
        yield part
        os.replace(part, place)  # noqa: PTH105 - as the standard library calls it
    except BaseException as error:
        part.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename in (None, str(part)):
            # Not every error of a system call names the file.
            error.filename = str(path)
        raise


def write_whole(content: bytes, path: Path) -> None:
    """Write a file as :func:`written_whole` does.

    Parameters
    ----------
    content : bytes
    path : Path
    """
    with written_whole(path) as part:
        part.write_bytes(content)
