"""The dataset ``radio``: bottlenecks that could carry what a recorded cellular link could.

Each bottleneck replays a part of a trace, and is the last hop of the paths that cross it, as a phone's radio is. For
each number there is a connection whose subflows meet on one radio, and one whose subflows have a radio each, with the
same paths, parts, queues, rivals, controller and scheduler. The shared radio is that of the other label's first
subflow: the one and the other of the two radios drawn, in turn. So no setting reveals the label. Parts of the same
trace lie half the trace apart. Evaluation only.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from pydantic import Field, NonNegativeInt, PositiveFloat, PositiveInt

from smartsbd.scenarios import capacity_trace, path
from smartsbd.scenarios.bottleneck_network import open_access
from smartsbd.scenarios.capacity_trace import CapacityTrace
from smartsbd.scenarios.diverse import log_uniform
from smartsbd.scenarios.scenario import (
    Background,
    CongestionControl,
    Link,
    Run,
    Scenario,
    ScenarioError,
    SubflowPath,
    mean_mbit_s,
)

_MS_PER_S = 1000
#: Where the project runs from; a relative folder of traces is in it.
_ROOT = Path(__file__).resolve().parents[1]
#: A part that carries less in the mean is drawn anew, at most so often: too little is left of it for two subflows.
_LEAST_MBIT_S = 1.0
_MOST_DRAWS = 1000
#: Round trips without the queue, of a path over a cellular link.
_RTT_MS = (20.0, 200.0)
#: A full queue takes so long at the part's mean rate: base stations have deep ones.
_QUEUE_MS = (200.0, 2000.0)
#: But it holds no more than so many bytes, some 520 segments: with more, a run takes longer than what it simulates.
_MOST_QUEUE_BYTES = 750_000
_JITTER_MS = 4.0
_EQUAL_PATHS = 0.25
_EQUAL_QUEUES = 0.5
_ALONE = 0.5
_MOST_RIVALS = 3
_MOST_WEB_MBIT_S = 50.0
_CONTROLLERS: tuple[tuple[CongestionControl, float], ...] = (("lia", 0.5), ("reno", 0.25), ("cubic", 0.25))
_MIN_RTT = 0.5


@dataclass(frozen=True)
class _RadioRival:
    kind: Literal["reno", "cubic", "web"]
    start_s: float
    rtt_ms: float


@dataclass(frozen=True)
class _Radio:
    trace: str
    part_ms: tuple[int, ...]
    queue_ms: float
    rivals: tuple[_RadioRival, ...]

    @property
    def mean_mbit_s(self) -> float:
        return round(mean_mbit_s(self.part_ms), 3)

    def web_mbit_s(self) -> float:
        """Return what a rival that fetches pages offers: its fair share, within what the simulator has."""
        return round(min(self.mean_mbit_s / (len(self.rivals) + 1), _MOST_WEB_MBIT_S), 3)

    def link(self) -> Link:
        """Return the link that replays the part."""
        shaped = path.shaped("client", self.mean_mbit_s, self.queue_ms)
        queue_bytes = min(shaped.queue_bytes, _MOST_QUEUE_BYTES)
        return Link.model_validate(
            {**shaped.model_dump(), "queue_bytes": queue_bytes, "opportunities_ms": self.part_ms}
        )


@dataclass(frozen=True)
class _RadioSettings:
    """What both labels have alike."""

    controller: CongestionControl
    scheduler: Literal["min_rtt", "round_robin"]
    rtt_ms: tuple[float, float]
    jitter_ms: tuple[float, float]
    radios: tuple[_Radio, _Radio]


def _rivals(rng: np.random.Generator) -> tuple[_RadioRival, ...]:
    """Draw who else is on a radio; the first always has data."""
    if rng.random() < _ALONE:
        return ()
    rivals = []
    for number in range(int(rng.integers(1, _MOST_RIVALS + 1))):
        kinds: list[Literal["reno", "cubic", "web"]] = ["reno", "cubic"] if number == 0 else ["reno", "cubic", "web"]
        kind = kinds[int(rng.integers(len(kinds)))]
        rivals.append(_RadioRival(kind, round(rng.uniform(0.05, 0.9), 6), round(log_uniform(rng, *_RTT_MS), 3)))
    return tuple(rivals)


def _parts(
    rng: np.random.Generator, traces: list[CapacityTrace], duration_ms: int
) -> tuple[tuple[str, tuple[int, ...]], tuple[str, tuple[int, ...]]]:
    """Draw two parts, of two traces or half a trace apart; each carries enough."""
    for _ in range(_MOST_DRAWS):
        first, other = (traces[int(rng.integers(len(traces)))] for _ in range(2))
        start_ms = int(rng.integers(first.length_ms))
        other_ms = int(rng.integers(other.length_ms))
        if other is first:
            other_ms = (start_ms + first.length_ms // 2) % first.length_ms
        parts = first.part(start_ms, duration_ms), other.part(other_ms, duration_ms)
        if min(map(mean_mbit_s, parts)) >= _LEAST_MBIT_S:
            return (first.name, parts[0]), (other.name, parts[1])
    raise ScenarioError(f"no part of {duration_ms} ms of these traces carries {_LEAST_MBIT_S:g} Mbit/s in the mean")


def _settings(
    rng: np.random.Generator, traces: list[CapacityTrace], duration_ms: int, *, together: bool
) -> _RadioSettings:
    names, weights = zip(*_CONTROLLERS, strict=True)
    rtt_ms = [log_uniform(rng, *_RTT_MS) for _ in range(2)]
    if rng.random() < _EQUAL_PATHS:
        rtt_ms[1] = rtt_ms[0] * rng.uniform(0.99, 1.01)
    queue_ms = [log_uniform(rng, *_QUEUE_MS) for _ in range(2)]
    if rng.random() < _EQUAL_QUEUES:
        queue_ms[1] = queue_ms[0]
    parts = _parts(rng, traces, duration_ms)
    if together:
        parts = parts[0], parts[0]
    first, other = (
        _Radio(name, part_ms, queue, _rivals(rng)) for (name, part_ms), queue in zip(parts, queue_ms, strict=True)
    )
    return _RadioSettings(
        controller=names[int(rng.choice(len(names), p=weights))],
        scheduler="min_rtt" if rng.random() < _MIN_RTT else "round_robin",
        rtt_ms=(round(rtt_ms[0], 3), round(rtt_ms[1], 3)),
        jitter_ms=(round(rng.uniform(0, _JITTER_MS), 3), round(rng.uniform(0, _JITTER_MS), 3)),
        radios=(first, other),
    )


def _draw(
    number: int,
    groups: tuple[int, int],
    traces: list[CapacityTrace],
    duration_s: float,
    seed: int,
    *,
    together: bool,
) -> Run:
    whole_s = path.CONNECTION_START_S + duration_s
    settings = _settings(np.random.default_rng([seed, number]), traces, round(whole_s * _MS_PER_S), together=together)
    rng = np.random.default_rng([seed, number, 1, *groups])
    taken = [settings.radios[(number + group) % 2] for group in range(max(groups) + 1)]
    background = tuple(
        Background(
            kind=rival.kind,
            subflow=int(rng.choice([index for index in range(2) if groups[index] == group])),
            enters="client",
            rate_mbit_s=radio.web_mbit_s() if rival.kind == "web" else None,
            start_s=rival.start_s,
            rtt_ms=rival.rtt_ms,
        )
        for group, radio in enumerate(taken)
        for rival in radio.rivals
    )
    connection = path.connection(rng, settings.controller, bottleneck_mbit_s=taken[0].mean_mbit_s)
    scenario = Scenario(
        seed=path.seed(rng),
        duration_s=whole_s,
        connection=connection.model_copy(update={"scheduler": settings.scheduler}),
        links=tuple(radio.link() for radio in taken),
        subflows=tuple(
            SubflowPath(
                path="plain",
                links=(group,),
                bottleneck=((0.0, group),),
                start_s=path.start_s(index),
                rtt_ms=settings.rtt_ms[index],
                access=open_access().model_copy(update={"jitter_ms": settings.jitter_ms[index]}),
            )
            for index, group in enumerate(groups)
        ),
        background=background,
    )
    names = " and ".join(sorted({radio.trace for radio in settings.radios}))
    return Run(scenario=scenario, site=None, setting=f"radio, {names}")


def dataset(
    *,
    traces: Annotated[str, Field(min_length=1)],
    connections_per_label: PositiveInt,
    duration_s: PositiveFloat,
    seed: NonNegativeInt,
) -> list[Run]:
    """Draw the dataset: as many shared as non-shared connections of two subflows.

    Parameters
    ----------
    traces : str
        Folder of traces in mahimahi's format (:mod:`smartsbd.scenarios.capacity_trace`); a relative one is in the
        project's.
    connections_per_label : int
        Shared, and as many non-shared connections.
    duration_s : float, seconds
        Length of each transfer.
    seed : int

    Returns
    -------
    list of Run
        Shared ones first.

    Raises
    ------
    CapacityTraceError
        If there are no traces, or one cannot be used.
    ScenarioError
        If a trace is too short for two parts, or none carries enough.
    """
    return draw_runs(
        traces=traces, connections_per_label=connections_per_label, duration_s=duration_s, seed=seed, together=False
    )


def draw_runs(*, traces: str, connections_per_label: int, duration_s: float, seed: int, together: bool) -> list[Run]:
    """Draw connections of both labels.

    Parameters
    ----------
    traces, connections_per_label, duration_s, seed
        As :func:`dataset` takes them.
    together : bool
        Both radios replay the same part of the same trace.

    Returns
    -------
    list of Run
        Shared ones first.

    Raises
    ------
    CapacityTraceError
        If there are no traces, or one cannot be used.
    ScenarioError
        If a trace is too short for two parts, or none carries enough.
    """
    read = capacity_trace.read_folder(_ROOT / traces)
    least_ms = round(2 * (path.CONNECTION_START_S + duration_s) * _MS_PER_S)
    for trace in read:
        if trace.length_ms < least_ms:
            raise ScenarioError(f"trace {trace.name} lasts {trace.length_ms} ms, two parts take {least_ms}")
    return [
        _draw(number, groups, read, duration_s, seed, together=together)
        for groups in ((0, 0), (0, 1))
        for number in range(connections_per_label)
    ]
