"""Detectors that judge subflows, all at once or every two, by their delays in a window that moves along."""

from __future__ import annotations

from abc import abstractmethod
from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from smartsbd.detectors.detector import Delay, Detector, Handler
from smartsbd.detectors.event import Int64Array, Kind
from smartsbd.detectors.partition import Pair, pairs_of, partition_of

_NS_PER_MS = 1_000_000
_NS_PER_US = 1000
Float64Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class DelayPair:
    """Delays of a subflow in a window.

    Attributes
    ----------
    time_ns : (n,) int64
    delay_us : (n,) int64
    min_us : int
        Smallest so far of the whole connection.
    """

    time_ns: Int64Array
    delay_us: Int64Array
    min_us: int

    def at(self, grid_ns: Int64Array) -> Float64Array:
        """Return the delays at some times: linear between samples, constant before the first and after the last.

        Parameters
        ----------
        grid_ns : (points,) int64

        Returns
        -------
        (points,) float64, microseconds
            One delay for each time.
        """
        delay_us: Float64Array = np.interp(grid_ns, self.time_ns, self.delay_us)
        return delay_us


class _DelaySamples:
    """Delays of a subflow as they come; what is older than the window goes."""

    def __init__(self) -> None:
        self.time_ns = array("q")
        self.delay_us = array("q")
        self.min_us = 0

    def within(self, start_ns: int, end_ns: int) -> DelayPair:
        """Return the delays from one time to another, both included; forget the earlier ones."""
        time_ns = np.array(self.time_ns, dtype=np.int64)
        first, last = np.searchsorted(time_ns, [start_ns, end_ns + 1])
        delays = DelayPair(time_ns[first:last], np.array(self.delay_us, dtype=np.int64)[first:last], self.min_us)
        del self.time_ns[:first], self.delay_us[:first]
        return delays


@dataclass(frozen=True)
class Moving:
    """The window that moves along; parameter sets of detectors that have one extend it.

    Attributes
    ----------
    delay : str
        RTT samples or one-way delays.
    window_rtts : int
        Length in units of the largest of the subflows' smallest delays so far, unless `window_ms` is given.
    window_ms : int or None
        Length of the window.
    step_ms : int
        From one decision to the next.
    """

    delay: Delay = "rtt"
    window_rtts: int = 50
    window_ms: int | None = None
    step_ms: int = 500

    def __post_init__(self) -> None:
        if self.delay == "owd" and self.window_ms is None:
            raise ValueError("delay is 'owd', so window_ms must be given: the zero of one-way delays is not known")


class Windowed(Detector):
    """Judges the subflows at every step, by their delays in the window.

    A subflow is judged from when the window is full, counted from its first delay or from the first after a silence as
    long; steps are counted from the first delay of the connection. A verdict of None leaves the one before in force,
    and so does a step in which no delay came.
    """

    def __init__(self, moving: Moving) -> None:
        self._moving = moving
        self._samples: dict[int, _DelaySamples] = {}
        self._verdicts: dict[Pair, bool | None] = {}
        #: From when on a subflow's delays are all there, without a silence as long as the window.
        self._covered_from_ns: dict[int, int] = {}
        self._last_window_ns = 0
        self._due_ns: int | None = None
        self._fresh = False

    @abstractmethod
    def judged(self, delays: Mapping[int, DelayPair], start_ns: int, end_ns: int) -> Mapping[Pair, bool | None]:
        """Tell which pairs of subflows share a bottleneck by their delays from `start_ns` to `end_ns`.

        None is no verdict on a pair. Each subflow of `delays` has at least two in the window.

        Parameters
        ----------
        delays : mapping of int to DelayPair
            By subflow, those that have been seen for the whole window.
        start_ns, end_ns : int, nanoseconds
            The window; a delay at its end belongs to it.

        Returns
        -------
        mapping of Pair to bool or None
            A pair that is left out has no verdict either.
        """

    def handlers(self) -> Mapping[int, Handler]:
        """Delays."""
        return {Kind.RTT if self._moving.delay == "rtt" else Kind.OWD: self._on_delay}

    def reset(self, subflow_ids: Iterable[int]) -> None:
        """Begin with a new connection."""
        super().reset(subflow_ids)
        self._samples = {subflow_id: _DelaySamples() for subflow_id in self.subflow_ids}
        self._verdicts = {}
        self._covered_from_ns = {}
        self._last_window_ns = 0
        self._due_ns = None
        self._fresh = False

    def _on_delay(self, time_ns: int, subflow_id: int, value: int) -> None:
        if self._due_ns is None:
            self._due_ns = time_ns + self._moving.step_ms * _NS_PER_MS
        elif time_ns > self._due_ns:
            self.advance(time_ns - 1)
        self._fresh = True
        samples = self._samples[subflow_id]
        if subflow_id not in self._covered_from_ns:
            self._covered_from_ns[subflow_id] = time_ns
            samples.min_us = value
        elif not samples.time_ns or 0 < self._last_window_ns < time_ns - samples.time_ns[-1]:
            self._covered_from_ns[subflow_id] = time_ns
        samples.min_us = min(samples.min_us, value)
        samples.time_ns.append(time_ns)
        samples.delay_us.append(value)

    def _window_ns(self) -> int:
        if self._moving.window_ms is not None:
            return self._moving.window_ms * _NS_PER_MS
        return self._moving.window_rtts * max(samples.min_us for samples in self._samples.values()) * _NS_PER_US

    def advance(self, time_ns: int) -> None:
        """Decide at every step that is over and has brought a delay."""
        if self._due_ns is None or time_ns < self._due_ns:
            return
        step_ns = self._moving.step_ms * _NS_PER_MS
        if self._fresh:
            self._fresh = False
            self._step(self._due_ns)
        self._due_ns += ((time_ns - self._due_ns) // step_ns + 1) * step_ns

    def _step(self, end_ns: int) -> None:
        self._last_window_ns = self._window_ns()
        start_ns = end_ns - self._last_window_ns
        delays = {subflow_id: samples.within(start_ns, end_ns) for subflow_id, samples in self._samples.items()}
        full = {
            subflow_id: delays[subflow_id]
            for subflow_id, covered_ns in sorted(self._covered_from_ns.items())
            if covered_ns <= start_ns and len(delays[subflow_id].time_ns) > 1
        }
        # Delays older than the window are gone: a window that has grown is full again only after that time.
        for subflow_id, covered_ns in self._covered_from_ns.items():
            self._covered_from_ns[subflow_id] = max(covered_ns, start_ns)
        for pair, verdict in self.judged(full, start_ns, end_ns).items():
            if verdict is not None:
                self._verdicts[pair] = verdict
        if self._verdicts:
            self._decide(end_ns, partition_of(self.subflow_ids, self._verdicts))


class Pairwise(Windowed):
    """Judges each pair of subflows by itself."""

    @abstractmethod
    def judge(self, first: DelayPair, second: DelayPair, start_ns: int, end_ns: int) -> bool | None:
        """Tell whether two subflows share a bottleneck by their delays from `start_ns` to `end_ns`; None is no verdict.

        Both have at least two delays in the window.

        Parameters
        ----------
        first, second : DelayPair
            Delays in the window, lower subflow number first.
        start_ns, end_ns : int, nanoseconds
            The window; a delay at its end belongs to it.

        Returns
        -------
        bool or None
            Whether they share; None leaves the last verdict in force.
        """

    def judged(self, delays: Mapping[int, DelayPair], start_ns: int, end_ns: int) -> Mapping[Pair, bool | None]:
        """Judge pair by pair.

        Parameters
        ----------
        delays, start_ns, end_ns
            As :meth:`Windowed.judged` takes them.

        Returns
        -------
        mapping of Pair to bool or None
            An entry for every pair of `delays`.
        """
        return {(a, b): self.judge(delays[a], delays[b], start_ns, end_ns) for a, b in pairs_of(delays)}
