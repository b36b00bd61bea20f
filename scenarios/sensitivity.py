"""The dataset ``sensitivity``: one plain setting, and settings that differ from it in one factor.

Two subflows with base RTTs of their own; of two bottlenecks of equal settings each is crossed by one subflow, or
one is crossed by both, and three bulk flows meet at each whichever the label. RTTs, starts and seeds of a
repetition are the same at every level of every factor, so that levels differ in the factor and in nothing that was
drawn. The RTTs of a repetition are the same for both labels too: in few repetitions, two draws would tell them
apart by chance. Their range is narrower than that of ``diverse``, so that several windows fit into a connection. Rate
and range are such that three flows fill the bottleneck at every level: at 6 Mbit/s and 40 to 100 ms they did not
where one packet in a hundred is lost. Evaluation only: never trained or tuned on.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from pydantic import NonNegativeInt, PositiveFloat, PositiveInt

from smartsbd.scenarios import path
from smartsbd.scenarios.diverse import log_uniform
from smartsbd.scenarios.scenario import Access, Background, CongestionControl, Place, Run, Scenario, SubflowPath

_RTT_MS = (40.0, 90.0)
_RATE_MBIT_S = 4.5
_FLOWS = 3
_PLACE: Place = "client"
_ACCESS_MBIT_S = 5 * _RATE_MBIT_S
_ACCESS_QUEUE_BYTES = 300_000


@dataclass(frozen=True)
class MovedSetting:
    """What is moved, at its base level.

    Attributes
    ----------
    loss : float
        Probability that a packet is lost at random on the access link, in each direction.
    jitter_ms : float
        Mean jitter of the access link.
    queue_rtts : float
        Time in which a full queue of the bottleneck drains, in round trips (mean of both paths); ten packets at least
        (:func:`smartsbd.scenarios.path.shaped`), which is 0.4 round trips at RTTs in the middle of the range.
    congestion_control : str
        Controller at the sender.
    """

    loss: float = 0
    jitter_ms: float = 2
    queue_rtts: float = 1
    congestion_control: CongestionControl = "lia"


BASE = MovedSetting()
#: Its name in the truth table.
BASE_NAME = "base"
#: Levels of each factor, the base among them.
LEVELS: dict[str, tuple[float | str, ...]] = {
    "loss": (0, 0.001, 0.005, 0.01),
    "jitter_ms": (0, 2, 5, 10),
    "queue_rtts": (0.3, 1, 2, 4),
    "congestion_control": ("lia", "reno", "cubic"),
}


def is_base(factor: str, level: float | str) -> bool:
    """Tell whether a level of a factor is that of the base setting."""
    return bool(getattr(BASE, factor) == level)


def name_of(factor: str, level: float | str) -> str:
    """Return the name of a setting in the truth table.

    Returns
    -------
    str
        The base has one name, whatever the factor.

    Examples
    --------
    >>> name_of("loss", 0.005), name_of("loss", 0), name_of("congestion_control", "lia")
    ('loss=0.005', 'base', 'base')
    """
    return BASE_NAME if is_base(factor, level) else f"{factor}={level}"


def _settings() -> dict[str, MovedSetting]:
    """Return every setting by name; the base once."""
    changes: list[tuple[str, dict[str, Any]]] = [
        (name_of(factor, level), {factor: level}) for factor, levels in LEVELS.items() for level in levels
    ]
    return {name: replace(BASE, **change) for name, change in changes}


def _draw(
    rng: np.random.Generator, groups: tuple[int, int], setting: MovedSetting, name: str, duration_s: float
) -> Run:
    # First, so that they do not depend on the label.
    rtt_ms = [round(log_uniform(rng, *_RTT_MS), 3) for _ in groups]
    queue_ms = setting.queue_rtts * sum(rtt_ms) / len(rtt_ms)
    bottlenecks = range(max(groups) + 1)
    members = [[index for index, subflow_group in enumerate(groups) if subflow_group == group] for group in bottlenecks]
    background = tuple(
        Background(
            kind="reno",
            subflow=int(rng.choice(crossing)),
            enters=_PLACE,
            rate_mbit_s=None,
            start_s=round(rng.uniform(0.05, 0.9), 6),
            rtt_ms=round(log_uniform(rng, *_RTT_MS), 3),
        )
        for crossing in members
        for _ in range(_FLOWS - len(crossing))
    )
    access = Access(
        kind="plain",
        rate_mbit_s=_ACCESS_MBIT_S,
        queue_bytes=_ACCESS_QUEUE_BYTES,
        loss=setting.loss,
        jitter_ms=setting.jitter_ms,
    )
    scenario = Scenario(
        seed=path.seed(rng),
        duration_s=path.CONNECTION_START_S + duration_s,
        connection=path.connection(rng, setting.congestion_control, bottleneck_mbit_s=_RATE_MBIT_S),
        links=tuple(path.shaped(_PLACE, _RATE_MBIT_S, queue_ms) for _ in bottlenecks),
        subflows=tuple(
            SubflowPath(
                path="wired",
                links=(group,),
                bottleneck=((0.0, group),),
                start_s=path.start_s(index),
                rtt_ms=rtt_ms[index],
                access=access,
            )
            for index, group in enumerate(groups)
        ),
        background=background,
    )
    return Run(scenario=scenario, site=None, setting=name)


def dataset(*, repetitions: PositiveInt, duration_s: PositiveFloat, seed: NonNegativeInt) -> list[Run]:
    """Draw the dataset: each setting `repetitions` times with each label, the same draws in every setting.

    Parameters
    ----------
    repetitions : int
        Connections of each setting and label.
    duration_s : float, seconds
        Length of each transfer.
    seed : int

    Returns
    -------
    list of Run
        Shared ones first, repetition by repetition.
    """
    return [
        _draw(np.random.default_rng([seed, number]), (0, 0) if shared else (0, 1), setting, name, duration_s)
        for shared in (True, False)
        for number in range(repetitions)
        for name, setting in _settings().items()
    ]
