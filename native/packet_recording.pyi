from typing import ClassVar

import numpy as np
import numpy.typing as npt
from typing_extensions import Buffer

_Int64s = npt.NDArray[np.int64]
_AckColumns = tuple[_Int64s, _Int64s, _Int64s, _Int64s, _Int64s, _Int64s, _Int64s, _Int64s]
_Rows = npt.NDArray[np.void]
_Grouped = tuple[_Rows, _Rows, _Rows, _Rows, _Rows]

NOT_OBSERVED: int
VERDICTS: int
SIGNALS: int
PART_ROWS: int
GATHERED_SEGMENTS: int
BULK_BYTES: int
ACK_SOURCE: np.dtype[np.void]
CHAIN_SOURCE: np.dtype[np.void]
FLOW_TOKENS: np.dtype[np.void]

class Vantage:
    UNKNOWN: ClassVar[Vantage]
    SENDER: ClassVar[Vantage]
    RECEIVER: ClassVar[Vantage]
    def __int__(self) -> int: ...

class WayBack: ...

class Recording:
    def __init__(
        self,
        fd: int,
        *,
        flows: int = ...,
        subflows: int = ...,
        over_ns: int = ...,
        idle_ns: int = ...,
        part_rows: int = ...,
        listing: bool = ...,
        gathered: int = ...,
        plain: bool = ...,
    ) -> None: ...
    def feed(self, block: Buffer) -> bool: ...
    def finish(self) -> None: ...
    @property
    def unreadable(self) -> int: ...
    @property
    def records(self) -> int: ...
    @property
    def verdicts(self) -> list[int]: ...
    @property
    def plain_segments(self) -> int: ...
    @property
    def not_answered_segments(self) -> int: ...
    @property
    def cut_segments(self) -> int: ...
    @property
    def beyond_segments(self) -> int: ...
    @property
    def silent(self) -> int: ...
    @property
    def displaced(self) -> int: ...
    @property
    def refusals(self) -> int: ...
    def flows(self) -> npt.NDArray[np.void]: ...
    def take_listed(self) -> npt.NDArray[np.void]: ...

def read_parts(fd: int, base: int, last: int, records: int) -> list[tuple[int, int, int]]: ...
def read_acks(fd: int, sources: npt.NDArray[np.void]) -> tuple[_AckColumns, _Int64s, _Int64s]: ...
def survey_acks(fd: int, base: int, last: int, records: int, vantage: Vantage) -> tuple[int, WayBack]: ...
def read_ack_part(
    fd: int,
    base: int,
    last: int,
    size: int,
    rows: int,
    vantage: Vantage,
    acked_before: int,
    way_back: WayBack,
    matched_us: int,
) -> tuple[_AckColumns, int]: ...
def read_states(fd: int, sources: npt.NDArray[np.void]) -> tuple[_Int64s, _Int64s]: ...
def read_losses(fd: int, sources: npt.NDArray[np.void]) -> tuple[_Int64s, _Int64s, _Int64s]: ...
def group(captures: list[tuple[npt.NDArray[np.void], npt.NDArray[np.void]]], most_subflows: int) -> _Grouped: ...
def chunks(fd: int, base: int, last: int) -> list[tuple[int, int]]: ...
def read_refusals(fd: int, base: int, place: int, records: int) -> list[tuple[int, int, int, int, bytes]]: ...
