from array import array
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

#: Name, kind or None, least and largest value, and what counts in place of the value or None.
NamedKind: TypeAlias = tuple[str, str | None, int, int, int | None]
_Int64s: TypeAlias = npt.NDArray[np.int64]

KINDS: list[str]
MOST_KINDS: int
MAX_TIME_NS: int
MOST_SRTT_US: int

class LineReader:
    records: int
    other_lines: int
    def take(
        self,
        content: bytes,
        start: int,
        end: int,
        end_ns: array[int],
        time_ns: array[int],
        value: array[int],
        of: array[int],
    ) -> int: ...

class EventLines(LineReader):
    unused: dict[str, int]
    def __init__(self, kinds: list[NamedKind]) -> None: ...
    def learn(self, token: int, subflow_id: int, number: int) -> None: ...

class KernelLines(EventLines):
    sequence: int | None
    def __init__(self, kinds: list[NamedKind], longest_bytes: int) -> None: ...

class StateLines(LineReader):
    unused: dict[str, int]
    def __init__(self, kinds: list[NamedKind]) -> None: ...
    def learn(self, subflow_id: int, number: int) -> None: ...

class ProbeLines(LineReader):
    def __init__(self, is_traced: bool, srtt_unit_us: int, longest_bytes: int) -> None: ...
    def learn(self, ends: bytes, number: int) -> None: ...

def rows(
    own: _Int64s, time_ns: _Int64s, value: _Int64s, of: _Int64s
) -> tuple[tuple[bytes, ...], tuple[bytes, bytes], tuple[bytes, bytes, list[str]], int | None]: ...
