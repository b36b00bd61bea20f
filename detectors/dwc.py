"""DWC-R, after Dynamic Window Coupling (Hassayoun, Iyengar, Ros, ICNP 2011): subflows that lose together share.

Evidence: R. The paper's text was not at hand; only this is certain. From its abstract (A): loss and delay signals
detect shared bottlenecks, subflows are grouped explicitly, and anew as bottlenecks shift. From SmartSBD (T): loss is
the only trigger of the grouping; RTT and loss are measured at the sender; it was right for 0.268 of the time where a
bottleneck was shared, and for 0.855 where none was. Every rule below is our reconstruction.

Each loss event of a subflow i at a time t asks, of every other subflow j, whether the two lose together: whether j had
a loss event within W before t (recent) or has one within W after it (coming), W being `kappa` times the larger smoothed
RTT at t. The delay of j is high at t if its smoothed RTT lies above its smallest RTT by more than `theta` of the range
of its RTTs. As soon as the answer is known (at t, at the loss of j, or at t + W at the latest) it is acted on: yes
merges the sets of i and j; no, while they are in one set, makes i a set by itself.

What the specification leaves open, and how it is taken here:

- A coming loss counts under every delay rule; otherwise all answers except the default rule's would be known at t,
  nothing would be pending, and no rule says what leaves then.
- An answer that no coming loss can change is acted on at t, not kept until t + W.
- Of one moment, subflows leave before others merge; pending answers that end together see the sets as they were.
- Failures count per ordered pair while both are in one set; they are forgotten when either is found to lose together
  with the other, or leaves.
- Two subflows are not compared while either has no RTT sample: there is no W.
- With `age_s`, a subflow in a set with others becomes a set by itself once it had, for so long, neither a loss event
  nor an answer yes.
- The sets are an opinion from the first event on.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from smartsbd.contracts.tables import LOSS_STATE, RECOVERY
from smartsbd.detectors.detector import Detector, DetectorKind, Handler
from smartsbd.detectors.event import Kind
from smartsbd.detectors.loss_episode import LossEpisodes
from smartsbd.detectors.partition import Pair, numbered
from smartsbd.detectors.smoothed_rtt import NS_PER_EIGHTH_US, smoothed

_NS_PER_S = 1_000_000_000
#: Later than any time.
_NEVER = 2**63 - 1

DelayRule = Literal["and_recent", "and", "or", "loss_only"]


@dataclass(frozen=True)
class Coupling:
    """Parameters of DWC-R.

    Attributes
    ----------
    theta : float
        Share of the range of a subflow's RTTs above which its delay is high.
    kappa : float
        Coincidence window W, in units of the larger smoothed RTT.
    delay_rule : str
        When two subflows lose together: ``and_recent`` if a loss of the other is recent, or is coming while its delay
        is high; ``and`` if one is recent or coming while its delay is high; ``or`` if one is recent or coming, or its
        delay is high; ``loss_only`` if one is recent or coming.
    n_leave : int
        Failures in a row after which a subflow leaves.
    init : str
        Whether the subflows begin as ``separate`` sets or ``together`` in one.
    age_s : float or None
        Time after which a set without news loses a subflow; None is never.
    triggers : str
        Whether an episode that begins with Loss, a retransmission timeout, is a loss event as well as one that begins
        with Recovery.
    extremes_s : float or None
        How far the smallest and largest RTT look back from the newest sample; None is to the beginning.
    """

    theta: float = 0.5
    kappa: float = 1.0
    delay_rule: DelayRule = "and_recent"
    n_leave: int = 1
    init: Literal["separate", "together"] = "separate"
    age_s: float | None = None
    triggers: Literal["recovery", "recovery_and_loss"] = "recovery_and_loss"
    extremes_s: float | None = None

    def __post_init__(self) -> None:
        if not (0 <= self.theta <= 1 and self.kappa > 0 and self.n_leave >= 1):
            raise ValueError(
                f"theta, kappa, n_leave are {self.theta}, {self.kappa}, {self.n_leave}:"
                " must be from 0 to 1, above 0, and at least 1"
            )
        if any(span is not None and span <= 0 for span in (self.age_s, self.extremes_s)):
            raise ValueError(f"age_s, extremes_s are {self.age_s}, {self.extremes_s}: must be above 0, or None")


def together(delay_rule: DelayRule, recent: bool, high: bool) -> bool | None:
    """Tell, at a loss event of one of two subflows, whether they lose together; None if a coming loss decides.

    Parameters
    ----------
    delay_rule : str
    recent : bool
        The other had a loss event within the window before.
    high : bool
        Its delay is high.

    Returns
    -------
    bool or None
        Whether they lose together, as far as it is known at the event.

    Examples
    --------
    >>> together("and_recent", recent=False, high=True) is None
    True
    >>> together("and_recent", recent=False, high=False)
    False
    """
    if delay_rule == "loss_only":
        return recent or None
    if delay_rule == "or":
        return recent or high or None
    if delay_rule == "and":
        return (recent or None) if high else False
    return recent or (None if high else False)


class _Path:
    """What is known of a subflow: its RTTs, in eighths of a microsecond (smoothed) and microseconds, and its losses."""

    __slots__ = ("highest", "loss_ns", "lowest", "max_us", "min_us", "news_ns", "srtt_eighth_us")

    def __init__(self) -> None:
        self.srtt_eighth_us = 0
        self.min_us = _NEVER
        self.max_us = 0
        #: Samples that are, or may yet become, the smallest and the largest within the time that is looked back on.
        self.lowest: deque[tuple[int, int]] = deque()
        self.highest: deque[tuple[int, int]] = deque()
        self.loss_ns: int | None = None
        #: The last loss event or answer yes.
        self.news_ns = 0

    def high(self, theta: float) -> bool:
        """Tell whether the delay is high."""
        return self.srtt_eighth_us - 8 * self.min_us > theta * (8 * (self.max_us - self.min_us))


class Dwc(Detector):
    """Merges the sets of subflows that lose together, and takes out of its set a subflow that loses alone."""

    def __init__(self, coupling: Coupling) -> None:
        self._coupling = coupling
        self._triggers = (RECOVERY, LOSS_STATE) if coupling.triggers == "recovery_and_loss" else (RECOVERY,)
        self._age_ns = None if coupling.age_s is None else round(coupling.age_s * _NS_PER_S)
        self._extremes_ns = 0 if coupling.extremes_s is None else round(coupling.extremes_s * _NS_PER_S)
        self._paths: dict[int, _Path] = {}
        self._set_of: dict[int, int] = {}
        self._sets = 0
        self._episodes = LossEpisodes(())
        #: Answers that wait for a loss: until when, of which subflow's loss event, on which other's.
        self._pending: list[tuple[int, int, int]] = []
        self._failures: dict[Pair, int] = {}
        self._begun = False
        self._due_ns = -1

    def handlers(self) -> Mapping[int, Handler]:
        """RTT samples and changes of state."""
        on_rtt = self._on_rtt if self._coupling.extremes_s is None else self._on_rtt_looking_back
        return {Kind.RTT: on_rtt, Kind.CA: self._on_state}

    def reset(self, subflow_ids: Iterable[int]) -> None:
        """Begin with a new connection."""
        super().reset(subflow_ids)
        self._paths = {subflow_id: _Path() for subflow_id in self.subflow_ids}
        separate = self._coupling.init == "separate"
        self._set_of = {subflow_id: place if separate else 0 for place, subflow_id in enumerate(self.subflow_ids)}
        self._sets = len(self.subflow_ids)
        self._episodes = LossEpisodes(self.subflow_ids)
        self._pending = []
        self._failures = {}
        self._begun = False
        self._due_ns = -1

    def _on_rtt(self, time_ns: int, subflow_id: int, value: int) -> None:
        if time_ns > self._due_ns:
            self._catch_up(time_ns)
        path = self._paths[subflow_id]
        path.srtt_eighth_us = smoothed(path.srtt_eighth_us, value)
        if not path.min_us <= value <= path.max_us:
            path.min_us, path.max_us = min(path.min_us, value), max(path.max_us, value)

    def _on_rtt_looking_back(self, time_ns: int, subflow_id: int, value: int) -> None:
        if time_ns > self._due_ns:
            self._catch_up(time_ns)
        path = self._paths[subflow_id]
        path.srtt_eighth_us = smoothed(path.srtt_eighth_us, value)
        while path.lowest and path.lowest[-1][1] >= value:
            path.lowest.pop()
        while path.highest and path.highest[-1][1] <= value:
            path.highest.pop()
        for kept in (path.lowest, path.highest):
            kept.append((time_ns, value))
            while kept[0][0] < time_ns - self._extremes_ns:
                kept.popleft()
        path.min_us, path.max_us = path.lowest[0][1], path.highest[0][1]

    def _on_state(self, time_ns: int, subflow_id: int, value: int) -> None:
        if time_ns > self._due_ns:
            self._catch_up(time_ns)
        if self._episodes.begins(subflow_id, value) and value in self._triggers:
            self._lose(time_ns, subflow_id)

    def _catch_up(self, time_ns: int) -> None:
        """Do what was due before an event: with the first one, begin."""
        if not self._begun:
            self._begun = True
            for path in self._paths.values():
                path.news_ns = time_ns
            self._act(time_ns, [], [])
        self.advance(time_ns - 1)

    def advance(self, time_ns: int) -> None:
        """Act on pending answers that no loss came for, and on age."""
        while self._begun and self._due_ns <= time_ns:
            due_ns = self._due_ns
            failed = [(asking, asked) for until_ns, asking, asked in self._pending if until_ns == due_ns]
            self._pending = [waiting for waiting in self._pending if waiting[0] != due_ns]
            self._act(due_ns, failed, [], self._aged(due_ns))

    def _lose(self, time_ns: int, subflow_id: int) -> None:
        """Take a loss event: it answers the questions that wait for it, and asks new ones."""
        path = self._paths[subflow_id]
        path.loss_ns = path.news_ns = time_ns
        held = [(asking, asked) for _, asking, asked in self._pending if asked == subflow_id]
        self._pending = [waiting for waiting in self._pending if waiting[2] != subflow_id]
        failed: list[Pair] = []
        for other_id, other in self._paths.items():
            if other_id == subflow_id or not (path.srtt_eighth_us and other.srtt_eighth_us):
                continue
            srtt_eighth_us = max(path.srtt_eighth_us, other.srtt_eighth_us)
            window_ns = math.floor(self._coupling.kappa * srtt_eighth_us * NS_PER_EIGHTH_US)
            recent = other.loss_ns is not None and time_ns - other.loss_ns <= window_ns
            answer = together(self._coupling.delay_rule, recent, other.high(self._coupling.theta))
            if answer is None:
                self._pending.append((time_ns + window_ns, subflow_id, other_id))
            else:
                (held if answer else failed).append((subflow_id, other_id))
        self._act(time_ns, failed, held)

    def _act(self, time_ns: int, failed: Iterable[Pair], held: Iterable[Pair], aged: Iterable[int] = ()) -> None:
        """Take answers no and yes of one moment, and subflows whose news is old; decide on the sets."""
        leaving = set(aged)
        for pair in failed:
            if self._set_of[pair[0]] == self._set_of[pair[1]]:
                self._failures[pair] = self._failures.get(pair, 0) + 1
                if self._failures[pair] >= self._coupling.n_leave:
                    leaving.add(pair[0])
        for subflow_id in leaving:
            self._set_of[subflow_id] = self._sets
            self._sets += 1
        self._failures = {pair: count for pair, count in self._failures.items() if not leaving.intersection(pair)}
        for asking, asked in held:
            joined, left = self._set_of[asking], self._set_of[asked]
            self._set_of = {path: joined if number == left else number for path, number in self._set_of.items()}
            self._paths[asking].news_ns = self._paths[asked].news_ns = time_ns
            self._failures.pop((asking, asked), None)
            self._failures.pop((asked, asking), None)
        self._decide(time_ns, numbered([*self._set_of.values()]))
        self._due_ns = min([self._age_due_ns(), *(until_ns for until_ns, _, _ in self._pending)])

    def _accompanied(self) -> list[int]:
        """Return the subflows that are in a set with others."""
        sets = [*self._set_of.values()]
        return [subflow_id for subflow_id, number in self._set_of.items() if sets.count(number) > 1]

    def _aged(self, time_ns: int) -> set[int]:
        if self._age_ns is None:
            return set()
        accompanied = self._accompanied()
        return {subflow_id for subflow_id in accompanied if time_ns - self._paths[subflow_id].news_ns >= self._age_ns}

    def _age_due_ns(self) -> int:
        if self._age_ns is None:
            return _NEVER
        news_ns = (self._paths[subflow_id].news_ns for subflow_id in self._accompanied())
        return min((path_ns + self._age_ns for path_ns in news_ns), default=_NEVER)


DWC = DetectorKind(
    name="dwc-r",
    evidence="R",
    source="after Hassayoun, Iyengar, Ros, ICNP 2011",
    build=Dwc,
    presets={"default": Coupling(), "together": Coupling(init="together")},
)
