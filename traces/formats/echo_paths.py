"""Answers to echoes, path by path: what ping and fping print becomes one connection, whose subflows are the paths.

Within a path no number is answered twice: where many are, the answers of two pings are mixed, and nothing tells them
apart. Echoes without an answer are those whose number is missing between the first and the last that was answered.
"""

from __future__ import annotations

from collections.abc import Hashable
from pathlib import Path

from smartsbd.contracts.fault import printable
from smartsbd.traces import bounds
from smartsbd.traces.assembly import Assembly, Refused
from smartsbd.traces.bounds import Bounds
from smartsbd.traces.connection import Subflow
from smartsbd.traces.formats.line_dates import LineDate
from smartsbd.traces.quarantine import UnreadableInputError
from smartsbd.traces.trace import Trace

#: Among the signals.
NO_ANSWER = "echo without an answer"

REPEATED = "a number that was answered before"

# Numbers have 16 bits, and begin anew.
_WRAP = 1 << 16
_HALF = _WRAP // 2
# A line may be in a file twice by accident, more are a mixture.
_MOST_REPEATED = 2
# Packets overtake each other by less than that; where more answers than this share go back so far, two pings are mixed.
_FAR_BACK, _MOST_BACK_SHARE = 32, 0.1


class _EchoNumbers:
    """The numbers of one path's echoes that were answered, within half of what 16 bits count."""

    def __init__(self) -> None:
        self._seen = bytearray(_WRAP)
        self._first: int | None = None
        self._last = 0
        self._before: int | None = None
        self.answered = 0
        #: Answers with a number far below that of the answer before.
        self.back = 0

    def _unwrapped(self, number: int) -> int:
        if self._first is not None and number < self._last - _HALF:
            number += (self._last - number + _HALF) // _WRAP * _WRAP
        return number

    def __contains__(self, number: int) -> bool:
        number = self._unwrapped(number)
        # What is far ahead of all others is in a place of an older number that is forgotten.
        return self._first is not None and number <= self._last + _HALF and bool(self._seen[number % _WRAP])

    def add(self, number: int) -> None:
        """Take a number that is not in it."""
        number = self._unwrapped(number)
        if self._first is None:
            self._first = self._last = number
        self._forget_until(number)
        self._seen[number % _WRAP] = 1
        self._first, self._last = min(self._first, number), max(self._last, number)
        self.answered += 1
        self.back += self._before is not None and number < self._before - _FAR_BACK
        self._before = number

    def _forget_until(self, number: int) -> None:
        """Forget what is half a round behind a number that is higher than all before."""
        ahead = number - self._last
        if ahead >= _HALF:
            self._seen = bytearray(_WRAP)
        elif ahead > 0:
            start = (self._last + _HALF + 1) % _WRAP
            to_the_end = min(ahead, _WRAP - start)
            for begin, count in ((start, to_the_end), (0, ahead - to_the_end)):
                self._seen[begin : begin + count] = bytes(count)

    def missing(self) -> int:
        """Return how many numbers between the first and the last were not answered."""
        return 0 if self._first is None else max(0, self._last - self._first + 1 - self.answered)


class _EchoPath:
    """One path."""

    def __init__(self, name: str | None, alone_name: str | None) -> None:
        self.name, self.alone_name = name, alone_name
        self.numbers = _EchoNumbers()
        self.missing = 0
        self.repeated = 0
        self.answers = 0
        self.back = 0
        self.last_ns = -1
        self.resolution_ns = 0

    def begin_again(self) -> None:
        """Count numbers anew: the same ping was begun a second time."""
        self.missing += self.numbers.missing()
        self.answers += self.numbers.answered
        self.back += self.numbers.back
        self.numbers = _EchoNumbers()

    def is_mixed(self) -> bool:
        """Tell whether its answers are of two pings: many are there twice, or numbers go to and fro."""
        back, answers = self.back + self.numbers.back, self.answers + self.numbers.answered
        return max(self.repeated, back if back > _MOST_BACK_SHARE * answers else 0) > _MOST_REPEATED


class EchoPaths:
    """Takes answers in.

    Parameters
    ----------
    path : Path
        Of the input.
    most : Bounds
    """

    def __init__(self, path: Path, most: Bounds = bounds.DEFAULT) -> None:
        self._path = path
        self._assembly = Assembly(most)
        # By key, in order of appearance: as many as a connection may have subflows.
        self._paths: dict[Hashable, _EchoPath] = {}
        self._numbers: dict[Hashable, int] = {}

    def __contains__(self, key: Hashable) -> bool:
        return key in self._paths

    def last_ns(self, key: Hashable) -> int:
        """Return when the last answer on a path came, -1 without any."""
        return self._paths[key].last_ns if key in self._paths else -1

    def begin_again(self, key: Hashable) -> None:
        """Count the numbers of a path anew."""
        self._paths[key].begin_again()

    def was_answered(self, key: Hashable, number: int) -> bool:
        """Tell whether an echo was answered before."""
        return key in self._paths and number in self._paths[key].numbers

    def answered(
        self, key: Hashable, names: tuple[str | None, str | None], number: int | None, dated: LineDate, rtt_us: int
    ) -> Refused | None:
        """Take in an answer.

        Parameters
        ----------
        key : hashable
            What distinguishes its path from the others of the input.
        names : (str or None, str or None)
            Name of the path, and what it is called beside others if it has none.
        number : int or None
            Of the echo; None if the tool prints none.
        dated : LineDate
            When the answer came.
        rtt_us : int

        Returns
        -------
        (str, str) or None
            Reason and detail if it is refused.

        Raises
        ------
        UnreadableInputError
            If more numbers of a path are answered twice than are by accident.
        """
        path = self._paths.get(key) or _EchoPath(*names)
        if number is not None and number in path.numbers:
            path.repeated += 1
            if path.is_mixed():
                self._raise_mixed(path)
            return REPEATED, f"{number}"
        subflow = self._numbers.get(key, len(self._numbers))
        refused = self._assembly.accept(dated.time_ns, None, subflow, [(b"RTT", rtt_us)])
        if refused is not None:
            return refused
        self._paths[key], self._numbers[key] = path, subflow
        if number is not None:
            path.numbers.add(number)
        path.last_ns, path.resolution_ns = dated.time_ns, max(path.resolution_ns, dated.resolution_ns)
        return None

    def _raise_mixed(self, path: _EchoPath) -> None:
        where = f" over {path.name}" if path.name else f" to {path.alone_name}" if path.alone_name else ""
        raise UnreadableInputError(
            self._path,
            0,
            f"echoes{where} have numbers that come twice or go to and fro: two pings to one address are"
            " mixed in this file, and nothing tells their answers apart; write each into a file of its own",
        )

    def finish(self, trace: Trace) -> None:
        """Set the connection of a trace, and its signals.

        Raises
        ------
        UnreadableInputError
            If the numbers of a path go to and fro.
        """
        paths = list(self._paths.values())
        for path in paths:
            if path.is_mixed():
                self._raise_mixed(path)

        def described(number: int, subflow: Subflow) -> None:
            path = paths[number]
            subflow.name = path.name or (path.alone_name if len(paths) > 1 else None)
            subflow.at_intervals, subflow.resolution_ns = True, path.resolution_ns

        trace.signals[NO_ANSWER] = sum(path.missing + path.numbers.missing() for path in paths)
        trace.signals = +trace.signals
        trace.connections = self._assembly.finish(described)


def shown(text: bytes) -> str:
    """Return the name of a path as it may be shown.

    Examples
    --------
    >>> shown(b"wlan0")
    'wlan0'
    """
    return printable(text.decode(errors="replace"))
