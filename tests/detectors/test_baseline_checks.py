"""Every detector passes the checks of a contribution, and the checks find what is broken: one broken detector each."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import pytest

from smartsbd.contracts.tables import RECOVERY
from smartsbd.contributions import ContributionError, check_baseline
from smartsbd.contributions.generated_connections import generated_connections
from smartsbd.detectors import DETECTORS
from smartsbd.detectors.detector import Detector, DetectorKind, Handler, Opinion
from smartsbd.detectors.event import Kind
from smartsbd.detectors.partition import pairs_of, partition_of

#: What detectors of the list do not keep, and why.
KNOWN = {
    "emptcp-r": {"memory": "its percentile is of all bursts of marks so far: an integer is kept for each"},
    "lag-excess": {"memory": "it keeps every sample, as its module says; its twin in C keeps 15,944 bytes of a pair"},
}
MS = 1_000_000
S = 1000 * MS


@pytest.mark.slow
@pytest.mark.parametrize("name", DETECTORS)
def test_every_detector_passes(name: str) -> None:
    check_baseline(DETECTORS[name], KNOWN.get(name))


@dataclass(frozen=True)
class Losing:
    """How close two losses are."""

    apart_ms: int = 1000


class Sound(Detector):
    """Two subflows share from when the last Recovery of each began at most so long before the other's."""

    def __init__(self, losing: Losing) -> None:
        self._apart_ns = losing.apart_ms * MS
        self._lost_ns: dict[int, int] = {}

    def handlers(self) -> Mapping[int, Handler]:
        return {Kind.CA: self.on_state, Kind.RTT: self.on_rtt}

    def reset(self, subflow_ids: Iterable[int]) -> None:
        super().reset(subflow_ids)
        self._lost_ns = {}

    def on_state(self, time_ns: int, subflow_id: int, value: int) -> None:
        if value >= RECOVERY:
            self._lost_ns[subflow_id] = time_ns

    def on_rtt(self, time_ns: int, subflow_id: int, value: int) -> None:
        self.judge(time_ns)

    def judge(self, time_ns: int) -> None:
        lost_ns = self._lost_ns
        verdicts = {(a, b): abs(lost_ns[a] - lost_ns[b]) <= self._apart_ns for a, b in pairs_of(lost_ns)}
        if verdicts:
            self._decide(time_ns, partition_of(self.subflow_ids, verdicts))


KIND = DetectorKind("sound", "ours", "ours", Sound, {"default": Losing()})


class Undeclared(Sound):
    @property
    def kinds(self) -> frozenset[Kind]:
        return frozenset({Kind.RTT})


class Raising(Sound):
    def on_state(self, time_ns: int, subflow_id: int, value: int) -> None:
        if len(self.subflow_ids) > 2:
            raise KeyError(subflow_id)
        super().on_state(time_ns, subflow_id, value)


class Silent(Sound):
    def judge(self, time_ns: int) -> None:
        pass


class Random(Sound):
    rng: ClassVar[random.Random] = random.Random(1)  # noqa: S311 - no secret

    def on_rtt(self, time_ns: int, subflow_id: int, value: int) -> None:
        if self.rng.random() < 0.5:
            super().on_rtt(time_ns, subflow_id, value)


class Unreset(Sound):
    def reset(self, subflow_ids: Iterable[int]) -> None:
        known_ns = self._lost_ns
        super().reset(subflow_ids)
        self._lost_ns = {one: time_ns for one, time_ns in known_ns.items() if one in self.subflow_ids}


class Common(Sound):
    """Once any of them has been told of three subflows, none says anything of two."""

    told_of_three: ClassVar[list[int]] = []

    def reset(self, subflow_ids: Iterable[int]) -> None:
        super().reset(subflow_ids)
        if len(self.subflow_ids) > 2:
            self.told_of_three.append(1)

    def judge(self, time_ns: int) -> None:
        if len(self.subflow_ids) > 2 or not self.told_of_three:
            super().judge(time_ns)


class Prophetic(Sound):
    """Says from the beginning what it finds at the end."""

    first_ns: int | None = None

    def reset(self, subflow_ids: Iterable[int]) -> None:
        super().reset(subflow_ids)
        self.first_ns = None

    def on_rtt(self, time_ns: int, subflow_id: int, value: int) -> None:
        self.first_ns = time_ns if self.first_ns is None else self.first_ns
        super().on_rtt(time_ns, subflow_id, value)

    def opinions(self) -> list[Opinion]:
        said = super().opinions()
        return [Opinion(self.first_ns, said[-1].partition)] if said and self.first_ns is not None else []


class OnTheHour(Sound):
    def on_rtt(self, time_ns: int, subflow_id: int, value: int) -> None:
        if time_ns % S < S // 2:
            super().on_rtt(time_ns, subflow_id, value)


class OfTheFirst(Sound):
    """The subflow of the smallest number judges."""

    def on_rtt(self, time_ns: int, subflow_id: int, value: int) -> None:
        if subflow_id == min(self.subflow_ids):
            super().on_rtt(time_ns, subflow_id, value)


class Numbered(Sound):
    """A subflow numbered 3 is not there."""

    def on_state(self, time_ns: int, subflow_id: int, value: int) -> None:
        if subflow_id != 3:
            super().on_state(time_ns, subflow_id, value)


class Hoarding(Sound):
    def __init__(self, losing: Losing) -> None:
        super().__init__(losing)
        kept: list[int] = []

        def keep(value: int) -> None:
            kept.append(value)

        self.keep = keep

    def on_rtt(self, time_ns: int, subflow_id: int, value: int) -> None:
        self.keep(value)
        super().on_rtt(time_ns, subflow_id, value)


class Ticking(Sound):
    """Judges every ten milliseconds, those of a silence too."""

    now_ns = 0

    def reset(self, subflow_ids: Iterable[int]) -> None:
        super().reset(subflow_ids)
        self.now_ns = 0

    def on_state(self, time_ns: int, subflow_id: int, value: int) -> None:
        self.advance(time_ns - 1)
        super().on_state(time_ns, subflow_id, value)

    def on_rtt(self, time_ns: int, subflow_id: int, value: int) -> None:
        self.now_ns = self.now_ns or time_ns
        self.advance(time_ns - 1)

    def advance(self, time_ns: int) -> None:
        while self.now_ns and self.now_ns + 10 * MS <= time_ns:
            self.now_ns += 10 * MS
            self.judge(self.now_ns)


class Shape(Sound):
    """Says something of another form."""

    def said(self, opinions: list[Opinion]) -> list[Any]:
        return opinions

    def opinions(self) -> list[Opinion]:
        return self.said(super().opinions())


class Lists(Shape):
    def said(self, opinions: list[Opinion]) -> list[Any]:
        return [Opinion(one.time_ns, [*one.partition]) for one in opinions]  # type: ignore[arg-type]


class Short(Shape):
    def said(self, opinions: list[Opinion]) -> list[Any]:
        return [Opinion(one.time_ns, one.partition[1:]) for one in opinions]


class Truths(Shape):
    def said(self, opinions: list[Opinion]) -> list[Any]:
        return [Opinion(one.time_ns, tuple(bool(group) for group in one.partition)) for one in opinions]


class FromSeven(Shape):
    def said(self, opinions: list[Opinion]) -> list[Any]:
        return [Opinion(one.time_ns, tuple(None if g is None else g + 7 for g in one.partition)) for one in opinions]


class Early(Shape):
    def said(self, opinions: list[Opinion]) -> list[Any]:
        return [Opinion(one.time_ns - 60 * S, one.partition) for one in opinions]


class Backwards(Shape):
    def said(self, opinions: list[Opinion]) -> list[Any]:
        return opinions[::-1]


class Repeating(Shape):
    def said(self, opinions: list[Opinion]) -> list[Any]:
        return [*opinions, *(Opinion(one.time_ns + 1, one.partition) for one in opinions[-1:])]


class Refusing(Sound):
    def __init__(self, losing: Losing) -> None:
        super().__init__(losing)
        raise ValueError("no")


def checks_of(kind: DetectorKind, except_for: Mapping[str, str] | None = None) -> set[str]:
    with pytest.raises(ContributionError) as raised:
        check_baseline(kind, except_for)
    return {finding.check for finding in raised.value.findings}


@pytest.mark.slow
def test_what_is_sound_passes() -> None:
    check_baseline(replace(KIND, presets={"default": Losing(), "close": Losing(100)}))


def test_what_is_stated() -> None:
    class Loose:
        apart_ms = 1000

    for broken in (
        replace(KIND, name="so/und"),
        replace(KIND, presets={"": Losing()}),
        replace(KIND, evidence=""),
        replace(KIND, source=""),
        replace(KIND, presets={}),
        replace(KIND, presets={"default": Loose()}),
        replace(KIND, presets={"default": Losing}),
    ):
        assert "stated" in checks_of(broken)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("build", "found"),
    [
        (Refusing, {"builds"}),
        (lambda losing: Sound, {"builds"}),
        (Undeclared, {"kinds", "says"}),
        (Raising, {"raises"}),
        (Silent, {"says"}),
        (Random, {"deterministic", "causal", "time_origin", "labels", "separate"}),
        (Unreset, {"separate"}),
        (Common, {"separate"}),
        (Prophetic, {"causal"}),
        (OnTheHour, {"time_origin"}),
        (OfTheFirst, {"labels"}),
        (Numbered, {"labels"}),
        (Hoarding, {"memory"}),
        (Ticking, {"silence"}),
        (Lists, {"opinions"}),
        (Short, {"opinions"}),
        (Truths, {"opinions"}),
        (FromSeven, {"opinions"}),
        (Early, {"opinions"}),
        (Backwards, {"opinions"}),
        (Repeating, {"opinions"}),
    ],
)
def test_what_is_broken_is_found(build: type[Sound], found: set[str]) -> None:
    assert checks_of(replace(KIND, build=build)) == found


@pytest.mark.slow
def test_an_exception_needs_its_reason_to_hold() -> None:
    hoarding = replace(KIND, build=Hoarding)
    check_baseline(hoarding, {"memory": "it keeps every sample"})
    assert checks_of(hoarding, {"memory": "it keeps every sample", "labels": "none"}) == {"labels"}
    assert checks_of(hoarding, {"labels": "none"}) == {"memory", "labels"}


def test_connections_have_what_they_are_called_by() -> None:
    connections = generated_connections()
    assert {kind for event in connections["two subflows that share"].events for kind in [event.kind]} == {*Kind}
    silent = connections["a subflow without events"]
    assert {event.subflow_id for event in silent.events} == {0, 2} and silent.subflow_ids == (0, 1, 2)
    for name, connection in connections.items():
        events = connection.events
        assert [*events] == sorted(events, key=lambda event: (event.time_ns, event.kind, event.subflow_id))
        # One kind at one time, of two subflows.
        assert connection.tied == any(
            one[:3:2] == other[:3:2] and one.subflow_id != other.subflow_id for one, other in itertools.pairwise(events)
        ), name
    gaps = [b.time_ns - a.time_ns for a, b in itertools.pairwise(connections["a silence of all"].events)]
    assert max(gaps) > 100 * S
