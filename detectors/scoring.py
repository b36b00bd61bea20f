"""The accuracy of a detector's opinions on a pair: at a moment, and over time. The two are never mixed."""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from smartsbd.contracts.tables import RECOVERY
from smartsbd.detectors.detector import Opinion
from smartsbd.detectors.event import Int64Array
from smartsbd.detectors.partition import Pair, shares

#: Initial slow start is taken to be over this long after the first record of a subflow that never lost a packet.
_SLOW_START_NS = 2_000_000_000


@dataclass(frozen=True)
class OnPair:
    """The opinions on two subflows over time: from each time on, whether they share; None is no opinion.

    The times ascend; before the first there is no opinion.
    """

    from_ns: tuple[int, ...]
    verdicts: tuple[bool | None, ...]

    @classmethod
    def of(cls, opinions: Sequence[Opinion], first: int, second: int) -> OnPair:
        """Take the opinions on two subflows, given by their places in the partitions.

        Parameters
        ----------
        opinions : sequence of Opinion
            Of a detector on one connection, in time order.
        first, second : int
            Places of two subflows in the partitions.

        Returns
        -------
        OnPair
            With an entry for each opinion, those that do not change the pair among them.
        """
        return cls(
            tuple(opinion.time_ns for opinion in opinions),
            tuple(shares(opinion.partition, first, second) for opinion in opinions),
        )

    def at(self, time_ns: int) -> bool | None:
        """Return the opinion at a time.

        Returns
        -------
        bool or None
            Whether the two share; None is no opinion.

        Examples
        --------
        >>> on_pair = OnPair((10, 20), (True, False))
        >>> on_pair.at(9), on_pair.at(10), on_pair.at(25)
        (None, True, False)
        """
        place = bisect_right(self.from_ns, time_ns)
        return self.verdicts[place - 1] if place else None

    def at_each(self, times_ns: Int64Array) -> npt.NDArray[np.int8]:
        """Return the opinion at some times: 1 that they share, 0 that they do not, -1 none.

        Returns
        -------
        (times,) int8
            An opinion for each time.

        Examples
        --------
        >>> OnPair((10, 20), (True, False)).at_each(np.array([9, 10, 25])).tolist()
        [-1, 1, 0]
        """
        verdicts = np.array([-1, *(-1 if shared is None else shared for shared in self.verdicts)], dtype=np.int8)
        return verdicts[np.searchsorted(np.array(self.from_ns, dtype=np.int64), times_ns, side="right")]

    def within(self, start_ns: int, end_ns: int) -> list[tuple[int, bool | None]]:
        """Return the opinion at the start, and each entry up to the end, as (time, opinion)."""
        first, last = bisect_right(self.from_ns, start_ns), bisect_right(self.from_ns, end_ns)
        later = zip(self.from_ns[first:last], self.verdicts[first:last], strict=True)
        return [(start_ns, self.at(start_ns)), *later]

    def changes(self, start_ns: int, end_ns: int) -> list[tuple[int, bool | None]]:
        """Return the opinion at the start, and each change of it up to the end, as (time, opinion).

        Returns
        -------
        list of (int, bool or None)
            Times in nanoseconds, ascending.

        Examples
        --------
        >>> OnPair((10, 20, 30), (True, True, False)).changes(12, 40)
        [(12, True), (30, False)]
        """
        opinions = self.within(start_ns, end_ns)
        return [opinions[0], *(new for old, new in itertools.pairwise(opinions) if new[1] != old[1])]

    def lasting_ns(self, start_ns: int, end_ns: int) -> dict[bool | None, int]:
        """Return how long each opinion held between two times, nanoseconds.

        Returns
        -------
        dict of bool or None to int, nanoseconds
            All three opinions are keys; the sum is the time between.

        Examples
        --------
        >>> OnPair((10, 20), (True, False)).lasting_ns(5, 40)
        {True: 10, False: 20, None: 5}
        """
        held_ns: dict[bool | None, int] = {True: 0, False: 0, None: 0}
        changes = self.within(start_ns, end_ns)
        ends_ns = [*(time_ns for time_ns, _ in changes[1:]), end_ns]
        for (time_ns, shared), until_ns in zip(changes, ends_ns, strict=True):
            held_ns[shared] += until_ns - time_ns
        return held_ns

    def right_after_ns(self, shared: bool, start_ns: int, end_ns: int, held_ns: int = 0) -> int | None:
        """Return how long after the start the opinion becomes right: 0 if at once, None if never up to the end.

        Parameters
        ----------
        shared : bool
            Label.
        start_ns, end_ns : int
        held_ns : int
            How long it must stay right, up to the end, to count.

        Returns
        -------
        int or None, nanoseconds
            From the start to the first opinion that is right for long enough.

        Examples
        --------
        >>> on_pair = OnPair((10, 20, 24), (True, False, True))
        >>> [on_pair.right_after_ns(*labelled) for labelled in ((False, 12, 40), (True, 12, 40), (False, 25, 40))]
        [8, 0, None]
        >>> on_pair.right_after_ns(True, 12, 40, held_ns=9)
        12
        """
        changes = self.changes(start_ns, end_ns)
        until_ns = [*(time_ns for time_ns, _ in changes[1:]), end_ns]
        for (time_ns, verdict), left_ns in zip(changes, until_ns, strict=True):
            if verdict is shared and left_ns - time_ns >= held_ns:
                return time_ns - start_ns
        return None


def scored_from_ns(states: pa.Table, start_ns: int, subflow_id: int) -> int:
    """Return when a subflow has left its initial slow start: its first entry into Recovery or Loss, or 2 s.

    Parameters
    ----------
    states : rows of the ``state`` table of its connection
    start_ns : int
        Its first record.
    subflow_id : int

    Returns
    -------
    int, nanoseconds
        A time on the clock of the connection.

    Notes
    -----
    Ours (R): SmartSBD does not say which time it scores, and a detector's initial state decides much of it otherwise.
    """
    entered = pc.and_(
        pc.equal(states.column("subflow_id"), subflow_id), pc.greater_equal(states.column("ca_state"), RECOVERY)
    )
    first_ns: int | None = pc.min(states.filter(entered).column("time_ns")).as_py()
    return start_ns + _SLOW_START_NS if first_ns is None else first_ns


def exact_ns(on_pairs: Mapping[Pair, OnPair], shared: Mapping[Pair, bool], start_ns: int, end_ns: int) -> int:
    """Return how long the opinions on all pairs are right at once between two times, nanoseconds.

    Parameters
    ----------
    on_pairs : mapping of Pair to OnPair
    shared : mapping of Pair to bool
        The labels of all pairs.
    start_ns, end_ns : int

    Returns
    -------
    int, nanoseconds
        From 0 to the time between the two.

    Examples
    --------
    >>> on_pairs = {(0, 1): OnPair((10, 30), (True, False)), (0, 2): OnPair((20,), (False,))}
    >>> exact_ns(on_pairs, {(0, 1): True, (0, 2): False}, 0, 100)
    10
    """
    changes = {start_ns, end_ns, *(at for on in on_pairs.values() for at in on.from_ns if start_ns < at < end_ns)}
    return sum(
        until_ns - at_ns
        for at_ns, until_ns in itertools.pairwise(sorted(changes))
        if all(on_pairs[pair].at(at_ns) == label for pair, label in shared.items())
    )
