"""Shared Bottleneck Detection by summary statistics of one-way delay (RFC 8382). Evidence: T; p_l is K.

Time is cut into intervals. At the end of each, four statistics of every flow are renewed: skewness, variability,
oscillation frequency and packet loss. Flows deemed at a bottleneck are then grouped by similar statistics.
"""

from __future__ import annotations

import itertools
from abc import abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from smartsbd.detectors.detector import Delay, Detector, DetectorKind, Handler
from smartsbd.detectors.event import Kind
from smartsbd.detectors.partition import Partition, numbered

_NS_PER_MS = 1_000_000
#: Payload of a full packet with timestamps on Ethernet: the unit in which packets are counted.
_PACKET_BYTES = 1448


@dataclass(frozen=True)
class Thresholds:
    """Parameters of RFC 8382, section 2.2; the defaults are the RFC's.

    Attributes
    ----------
    delay : str
        The delay that the statistics are of; an RTT serves as a one-way delay where the way back is idle.
    interval_ms : int
        Base interval T.
    n, m : int
        Intervals that frequency and loss, and that skewness and variability, look back.
    f : int or None
        Newest intervals of full weight in the weighted form (section 4.1); None is the unweighted one.
    c_s, c_h : float
        Skewness below which a flow is at a bottleneck, and below which it stays there.
    p_f, p_mad, p_s, p_d : float
        Differences of frequency, variability (relative), skewness and loss within a group.
    p_v : float
        Variabilities by which an interval's mean must leave the long-term mean to be on one side of it.
    p_l : float
        Loss above which it counts; the RFC gives no value, this one is the public code's (K).
    loss_difference : str
        Whether `p_d` is ``relative`` to the larger loss or ``absolute``.
    loss_step : str
        Loss divides groups ``after`` skewness (RFC) or ``instead`` of it where a flow loses enough (K).
    loss_from : str
        Loss counts only ``above`` p_l (RFC) or from ``p_l`` on (K).
    bottleneck_test : bool
        Without it every flow is deemed at a bottleneck.
    noise : str
        Intervals of a flow that is not at a bottleneck are ``kept``, ``removed`` from the variability, or removed from
        its numerator alone (``rfc_literal``); unless kept, such a flow has no mean crossings either (section 4.2).
    frequency_over : str
        Crossings are counted per interval of the ``ring`` of n, full or not, or per ``nonempty`` interval in it (K).
    """

    delay: Delay = "rtt"
    interval_ms: int = 350
    n: int = 50
    m: int = 30
    f: int | None = 20
    c_s: float = 0.1
    c_h: float = 0.3
    p_f: float = 0.1
    p_mad: float = 0.1
    p_s: float = 0.15
    p_d: float = 0.1
    p_v: float = 0.7
    p_l: float = 0.1
    loss_difference: Literal["relative", "absolute"] = "relative"
    loss_step: Literal["after", "instead"] = "after"
    loss_from: Literal["above", "p_l"] = "above"
    bottleneck_test: bool = True
    noise: Literal["kept", "removed", "rfc_literal"] = "removed"
    frequency_over: Literal["ring", "nonempty"] = "ring"

    def __post_init__(self) -> None:
        if not (self.interval_ms >= 1 and self.n >= self.m >= (self.m if self.f is None else self.f) >= 1):
            raise ValueError(
                f"interval_ms, n, m, f are {self.interval_ms}, {self.n}, {self.m}, {self.f}:"
                " must be at least 1, and n >= m >= f"
            )

    def loses(self, pkt_loss: float) -> bool:
        """Tell whether a flow loses enough for its loss to count."""
        return pkt_loss > self.p_l or (self.loss_from == "p_l" and pkt_loss == self.p_l)


@dataclass(frozen=True)
class Summary:
    """A flow's statistics at the end of an interval, and whether it is deemed at a bottleneck."""

    skew_est: float
    var_est: float
    freq_est: float
    pkt_loss: float
    at_bottleneck: bool


def weighted(newest_first: Sequence[float], m: int, f: int) -> float:
    """Return the weighted sum W of up to m values: the f newest count m - f + 1 each, older ones one less each.

    Parameters
    ----------
    newest_first : sequence of float
        One value for each interval; those beyond the m newest are not counted.
    m : int
        Intervals that are counted.
    f : int
        Of those, the newest that weigh most; from 1 to m.

    Returns
    -------
    float
        In the unit of the values.

    Examples
    --------
    >>> weighted([1.0, 1.0, 1.0, 1.0], m=4, f=2)
    9.0

    References
    ----------
    RFC 8382, section 4.1.
    """
    return float(sum(value * min(m - f + 1, m - place) for place, value in enumerate(newest_first[:m])))


class FlowStatistics:
    """The running statistics of one flow.

    Within an interval events are counted in place; :meth:`close` ends it. An interval without a delay is skipped in the
    sums of delays (K), and counts for losses.
    """

    def __init__(self, thresholds: Thresholds) -> None:
        self._thresholds = thresholds
        self.sum_us = 0
        self.count = 0
        self.skew = 0
        self.deviation_us = 0.0
        self.lost = 0
        self.delivered_bytes = 0
        #: Mean delay valid at the start of the interval, and the mean of the last one; None before there is one.
        self.mean_us: float | None = None
        self.last_mean_us: float | None = None
        self.acked_bytes = 0
        self._means: deque[float] = deque(maxlen=thresholds.m)
        self._skews: deque[tuple[float, float]] = deque(maxlen=thresholds.m)
        self._deviations: deque[tuple[float, float]] = deque(maxlen=thresholds.m)
        self._crossings: deque[bool | None] = deque(maxlen=thresholds.n)
        self._losses: deque[tuple[float, float]] = deque(maxlen=thresholds.n)
        self._at_bottleneck = False
        self._side = 0

    def delay(self, value_us: int) -> None:
        """Take a delay."""
        self.sum_us += value_us
        self.count += 1
        if self.mean_us is None or self.last_mean_us is None:
            return
        if value_us < self.mean_us:
            self.skew += 1
        elif value_us > self.mean_us:
            self.skew -= 1
        self.deviation_us += abs(value_us - self.last_mean_us)

    def _quotient(self, pairs: deque[tuple[float, float]]) -> float | None:
        """Return the sum of first members over the sum of second ones, weighted or not; None without any."""
        newest_first = [*reversed(pairs)]
        upper, lower = [summand for summand, _ in newest_first], [count for _, count in newest_first]
        m, f = self._thresholds.m, self._thresholds.f
        above, below = (sum(part) if f is None else weighted(part, m, f) for part in (upper, lower))
        return above / below if below else None

    def _loss(self) -> float:
        lost, total = (sum(part) for part in zip(*self._losses, strict=True))
        return lost / total if total else 0.0

    def _crossed(self, mean_us: float, var_us: float | None) -> bool:
        """Tell whether an interval's mean leaves the long-term mean on the other side than the last that left it."""
        if var_us is None or self.mean_us is None:
            return False
        reach_us = self._thresholds.p_v * var_us
        side = (mean_us > self.mean_us + reach_us) - (mean_us < self.mean_us - reach_us)
        if side in (0, self._side):
            return False
        self._side = side
        return True

    def _frequency(self) -> float:
        crossings = sum(crossing is True for crossing in self._crossings)
        if self._thresholds.frequency_over == "ring":
            return crossings / self._thresholds.n
        nonempty = sum(crossing is not None for crossing in self._crossings)
        return crossings / nonempty if nonempty else 0.0

    def _deemed(self, skew_est: float, pkt_loss: float) -> bool:
        limits = self._thresholds
        return (
            not limits.bottleneck_test
            or skew_est < limits.c_s
            or (skew_est < limits.c_h and self._at_bottleneck)
            or limits.loses(pkt_loss)
        )

    def _take_delays(self) -> None:
        """Add the delays of the interval, of which there is at least one, to the statistics."""
        noise = self._thresholds.noise
        interval_us = self.sum_us / self.count
        compared = self.mean_us is not None
        self._means.append(interval_us)
        self.mean_us = sum(self._means) / len(self._means)
        self.last_mean_us = interval_us
        if compared:
            self._skews.append((self.skew, self.count))
            skew_est = self._quotient(self._skews)
            if skew_est is not None:
                self._at_bottleneck = self._deemed(skew_est, self._loss())
        counted = self._at_bottleneck or noise == "kept"
        if compared and counted:
            self._deviations.append((self.deviation_us, self.count))
        elif compared:
            self._deviations.append((0.0, self.count if noise == "rfc_literal" else 0))
        self._crossings.append(self._crossed(interval_us, self._quotient(self._deviations)) and counted)

    def close(self) -> Summary | None:
        """End the interval; return the statistics, None before there was a second one with a delay."""
        self._losses.append((self.lost, self.lost + self.delivered_bytes / _PACKET_BYTES))
        if self.count:
            self._take_delays()
        else:
            self._crossings.append(None)
        self.sum_us = self.count = self.skew = self.lost = self.delivered_bytes = 0
        self.deviation_us = 0.0
        skew_est = self._quotient(self._skews)
        if skew_est is None:
            return None
        var_est = self._quotient(self._deviations) or 0.0
        return Summary(skew_est, var_est, self._frequency(), self._loss(), self._at_bottleneck)


def _divided(
    flows: Sequence[int], key: Callable[[int], float], together: Callable[[float, float], bool]
) -> list[list[int]]:
    """Sort flows by a statistic, largest first, and cut between neighbours that do not stay together."""
    ordered = sorted(flows, key=key, reverse=True)
    groups = [[ordered[0]]]
    for before, flow in itertools.pairwise(ordered):
        if together(key(before), key(flow)):
            groups[-1].append(flow)
        else:
            groups.append([flow])
    return groups


def _within(width: float) -> Callable[[float, float], bool]:
    return lambda high, low: high == low or high - low < width


def _within_share(width: float) -> Callable[[float, float], bool]:
    return lambda high, low: high == low or high - low < width * high


def grouped(flows: Sequence[Summary], thresholds: Thresholds) -> Partition:
    """Group flows by their statistics; those not at a bottleneck are each by themselves.

    Returns
    -------
    Partition
        Group of each flow, in the order of `flows`.

    Examples
    --------
    >>> first = Summary(skew_est=-0.20, var_est=5000.0, freq_est=0.20, pkt_loss=0.0, at_bottleneck=True)
    >>> second = Summary(skew_est=-0.30, var_est=4600.0, freq_est=0.25, pkt_loss=0.0, at_bottleneck=True)
    >>> third = Summary(skew_est=-0.30, var_est=3000.0, freq_est=0.25, pkt_loss=0.0, at_bottleneck=True)
    >>> grouped([first, second, third], Thresholds())
    (0, 0, 1)

    References
    ----------
    RFC 8382, section 3.3.1: by frequency, variability, skewness, then loss where it is above p_l.
    """
    groups = [[place for place, flow in enumerate(flows) if flow.at_bottleneck]]
    groups = [group for group in groups if group]
    by_loss = _within_share(thresholds.p_d) if thresholds.loss_difference == "relative" else _within(thresholds.p_d)

    def divide(
        groups: list[list[int]], key: Callable[[int], float], together: Callable[[float, float], bool]
    ) -> list[list[int]]:
        return [part for group in groups for part in _divided(group, key, together)]

    groups = divide(groups, lambda flow: flows[flow].freq_est, _within(thresholds.p_f))
    groups = divide(groups, lambda flow: flows[flow].var_est, _within_share(thresholds.p_mad))
    lossy = [any(thresholds.loses(flows[flow].pkt_loss) for flow in group) for group in groups]
    skewed: list[list[int]] = []
    for group, loses in zip(groups, lossy, strict=True):
        parts = [group]
        if not (loses and thresholds.loss_step == "instead"):
            parts = divide(parts, lambda flow: flows[flow].skew_est, _within(thresholds.p_s))
        for part in parts:
            if any(thresholds.loses(flows[flow].pkt_loss) for flow in part):
                skewed += _divided(part, lambda flow: flows[flow].pkt_loss, by_loss)
            else:
                skewed.append(part)
    group_of = {flow: number for number, group in enumerate(skewed) for flow in group}
    alone = len(skewed)
    return numbered([group_of.get(place, alone + place) for place in range(len(flows))])


class SummaryStatistics(Detector):
    """Renews every flow's statistics at the end of each interval; subclasses say what is made of them.

    Intervals begin at the latest of the subflows' first delays, so that all have the same. As long as a subflow has no
    delay, the detector has no opinion.
    """

    def __init__(self, thresholds: Thresholds) -> None:
        self._thresholds = thresholds
        self._interval_ns = thresholds.interval_ms * _NS_PER_MS
        self._flows: dict[int, FlowStatistics] = {}
        self._end_ns = 0
        self._missing: set[int] = set()

    @abstractmethod
    def _observe(self, end_ns: int, flows: Sequence[Summary]) -> None:
        """Take the statistics of all flows at the end of an interval."""

    def handlers(self) -> Mapping[int, Handler]:
        """Delays, ACKs and losses."""
        delay = Kind.RTT if self._thresholds.delay == "rtt" else Kind.OWD
        return {delay: self._on_delay, Kind.ACK: self._on_ack, Kind.LOSS: self._on_loss}

    def reset(self, subflow_ids: Iterable[int]) -> None:
        """Begin with a new connection."""
        super().reset(subflow_ids)
        self._flows = {subflow_id: FlowStatistics(self._thresholds) for subflow_id in self.subflow_ids}
        self._missing = set(self.subflow_ids)

    def _on_delay(self, time_ns: int, subflow_id: int, value: int) -> None:
        if self._missing:
            self._missing.discard(subflow_id)
            if self._missing:
                return
            self._end_ns = time_ns + self._interval_ns
        elif time_ns >= self._end_ns:
            self.advance(time_ns)
        self._flows[subflow_id].delay(value)

    def _on_ack(self, time_ns: int, subflow_id: int, value: int) -> None:
        flow = self._flows[subflow_id]
        if not self._missing:
            if time_ns >= self._end_ns:
                self.advance(time_ns)
            if value > flow.acked_bytes:
                flow.delivered_bytes += value - flow.acked_bytes
        flow.acked_bytes = max(flow.acked_bytes, value)

    def _on_loss(self, time_ns: int, subflow_id: int, value: int) -> None:
        if not self._missing:
            if time_ns >= self._end_ns:
                self.advance(time_ns)
            self._flows[subflow_id].lost += value

    def advance(self, time_ns: int) -> None:
        """End the intervals that are over."""
        ended = 0
        while not self._missing and time_ns >= self._end_ns:
            summaries = [self._flows[subflow_id].close() for subflow_id in self.subflow_ids]
            known = [summary for summary in summaries if summary is not None]
            if len(known) == len(summaries):
                self._observe(self._end_ns, known)
            self._end_ns += self._interval_ns
            ended += 1
            if ended > self._thresholds.n and time_ns >= self._end_ns:
                # Nothing looks further back than n intervals: one more without an event changes nothing.
                self._end_ns += (time_ns - self._end_ns) // self._interval_ns * self._interval_ns


class Rfc8382(SummaryStatistics):
    """Decides anew at the end of each interval."""

    def _observe(self, end_ns: int, flows: Sequence[Summary]) -> None:
        self._decide(end_ns, grouped(flows, self._thresholds))


RFC8382 = DetectorKind(
    name="rfc8382",
    evidence="T; p_l K",
    source="RFC 8382",
    build=Rfc8382,
    presets={
        "default": Thresholds(),
        "unweighted": Thresholds(m=50, f=None, noise="kept"),
        "owd": Thresholds(delay="owd"),
    },
)
