"""What of one direction's data sequence numbers was mapped, on which subflow, and what was mapped a second time."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from typing import NamedTuple

#: Pieces that are kept of a direction; of more, the lowest are forgotten.
MOST_PIECES = 1 << 12
# Mappings of one piece that are kept apart; of more, the last ones count.
_MOST_OWNERS = 3
_OFFSET_BITS = 32

Gap = tuple[int, int]


class NewlyMapped(NamedTuple):
    """The bytes of one mapping, by what was known of them.

    Attributes
    ----------
    new : int, bytes
        Mapped for the first time.
    reinjected : int, bytes
        Mapped before on another subflow, or at another place of this one.
    repeated : int, bytes
        The same mapping was seen before: a mapping goes over several segments, or a segment was sent again.
    unknown : int, bytes
        Below all that is kept.
    first_subflow : int or None
        Where the lowest of what is reinjected was mapped first.
    """

    new: int
    reinjected: int
    repeated: int
    unknown: int
    first_subflow: int | None


class DataRanges:
    """Ranges of data sequence numbers, and the mappings of each: a subflow, and its distance to the subflow's numbers.

    Parameters
    ----------
    start : int or None
        Number of the first byte; what is below the first mapping is a gap. None if it is not known.
    most : int
        Pieces that are kept.

    Attributes
    ----------
    forgotten : int
        Pieces that were dropped because there were too many.

    Examples
    --------
    >>> ranges = DataRanges(0)
    >>> ranges.add(0, 100, subflow=0, offset=1).new, ranges.add(150, 200, subflow=1, offset=7).new
    (100, 50)
    >>> ranges.add(50, 170, subflow=1, offset=9)
    NewlyMapped(new=50, reinjected=70, repeated=0, unknown=0, first_subflow=0)
    >>> ranges.gaps()
    []
    """

    def __init__(self, start: int | None, most: int = MOST_PIECES) -> None:
        self._start = start
        self._most = most
        self._starts = array("q")
        self._ends = array("q")
        # Of each piece, its mappings: subflow and offset in one number, the first mapping first.
        self._owners: list[tuple[int, ...]] = []
        self._floor: int | None = None
        self._gaps_below = 0
        self._gap_bytes_below = 0
        self.forgotten = 0

    @property
    def end(self) -> int | None:
        """Number after the highest that is mapped, None if nothing is."""
        return self._ends[-1] if self._ends else None

    def add(self, start: int, end: int, subflow: int, offset: int) -> NewlyMapped:
        """Take a mapping.

        Parameters
        ----------
        start, end : int
            Its first number, and the one after its last.
        subflow : int
        offset : int
            Data sequence number less the subflow's: a mapping that is seen again has the same.

        Returns
        -------
        NewlyMapped
            Its bytes, by what was known of them.
        """
        owner = subflow << _OFFSET_BITS | offset % (1 << _OFFSET_BITS)
        unknown = 0
        if self._floor is not None and start < self._floor:
            unknown = min(end, self._floor) - start
            start += unknown
        if start >= end:
            return NewlyMapped(0, 0, 0, unknown, None)
        if not self._ends or start >= self._ends[-1]:
            self._append(start, end, (owner,))
            mapped = NewlyMapped(end - start, 0, 0, unknown, None)
        else:
            mapped = self._merge(start, end, owner, unknown)
        while len(self._starts) > self._most:
            self._forget()
        return mapped

    def _append(self, start: int, end: int, owners: tuple[int, ...]) -> None:
        if self._ends and self._ends[-1] == start and self._owners[-1] == owners:
            self._ends[-1] = end
            return
        self._starts.append(start)
        self._ends.append(end)
        self._owners.append(owners)

    def _merge(self, start: int, end: int, owner: int, unknown: int) -> NewlyMapped:
        """Take a mapping that may overlap others."""
        first = bisect_right(self._ends, start)
        last = bisect_left(self._starts, end)
        new = reinjected = repeated = 0
        first_subflow: int | None = None
        pieces: list[tuple[int, int, tuple[int, ...]]] = []
        at = start
        for place in range(first, last):
            low, high, owners = self._starts[place], self._ends[place], self._owners[place]
            if low < start:
                pieces.append((low, start, owners))
            if at < low:
                pieces.append((at, low, (owner,)))
                new += low - at
            inner_low, inner_high = max(low, start), min(high, end)
            if owner in owners:
                repeated += inner_high - inner_low
                pieces.append((inner_low, inner_high, owners))
            else:
                reinjected += inner_high - inner_low
                first_subflow = owners[0] >> _OFFSET_BITS if first_subflow is None else first_subflow
                pieces.append((inner_low, inner_high, (*owners[: _MOST_OWNERS - 1], owner)))
            if high > end:
                pieces.append((end, high, owners))
            at = inner_high
        if at < end:
            pieces.append((at, end, (owner,)))
            new += end - at
        self._replace(first, last, pieces)
        return NewlyMapped(new, reinjected, repeated, unknown, first_subflow)

    def _replace(self, first: int, last: int, pieces: list[tuple[int, int, tuple[int, ...]]]) -> None:
        """Put pieces in the place of some, those that go on from one another as one."""
        joined: list[tuple[int, int, tuple[int, ...]]] = []
        for low, high, owners in pieces:
            if joined and joined[-1][1] == low and joined[-1][2] == owners:
                joined[-1] = (joined[-1][0], high, owners)
            else:
                joined.append((low, high, owners))
        self._starts[first:last] = array("q", [low for low, _, _ in joined])
        self._ends[first:last] = array("q", [high for _, high, _ in joined])
        self._owners[first:last] = [owners for _, _, owners in joined]

    def _forget(self) -> None:
        """Drop the lowest piece; the gap above it stays a gap, whatever comes."""
        if self._floor is None and self._start is not None and self._starts[0] > self._start:
            self._count_below(self._starts[0] - self._start)
        gap = self._starts[1] - self._ends[0]
        if gap:
            self._count_below(gap)
        self._floor = self._starts[1]
        self._starts.pop(0)
        self._ends.pop(0)
        self._owners.pop(0)
        self.forgotten += 1

    def _count_below(self, gap_bytes: int) -> None:
        self._gaps_below += 1
        self._gap_bytes_below += gap_bytes

    def gaps(self) -> list[Gap]:
        """Return what no mapping covers, of what is kept: the first number of each, and the one after its last."""
        start = self._start if self._floor is None else self._floor
        gaps: list[Gap] = []
        if self._starts and start is not None and self._starts[0] > start:
            gaps.append((start, self._starts[0]))
        gaps += [
            (end, following)
            for end, following in zip(self._ends[:-1], self._starts[1:], strict=True)
            if following > end
        ]
        return gaps

    def all_gaps(self) -> tuple[int, int]:
        """Return how many gaps there are, and their bytes, with those of pieces that were forgotten."""
        kept = self.gaps()
        return (
            self._gaps_below + len(kept),
            self._gap_bytes_below + sum(end - start for start, end in kept),
        )
