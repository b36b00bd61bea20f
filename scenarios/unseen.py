"""The dataset ``unseen``: the ten parameter rows of SmartSBD's Table 6, as case01 to case10.

Link 1 is common to both paths, Links 2 and 3 carry one path each and the base delay: a Y. The label
is that of this topology: where Link 1 is narrower than Links 2 and 3 together can fill, it is the
shared bottleneck; else each path has its own. The paper calls the first five rows NSB and the other
five SB; in a Y they are the reverse, so its figure may show two topologies. Queues, starts and the
absence of background are ours. Evaluation only: never trained or tuned on.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from pydantic import NonNegativeInt, PositiveFloat, PositiveInt

from smartsbd.scenarios import path
from smartsbd.scenarios.scenario import Access, CongestionControl, Names, Run, Scenario, ScenarioError, SubflowPath

_QUEUE_RTTS = (0.6, 1.6)
_ACCESS_MBIT_S = 200.0
_ACCESS_QUEUE_BYTES = 2_000_000


@dataclass(frozen=True)
class Case:
    """A row of Table 6: rates of Links 1 to 3, base RTTs of both paths."""

    rates_mbit_s: tuple[float, float, float]
    rtt_ms: tuple[float, float]

    @property
    def shared(self) -> bool:
        """Whether Link 1 is the bottleneck of both paths."""
        common, first, second = self.rates_mbit_s
        return common < first + second and min(first, second) > common / 2


CASES = {
    "case01": Case((10, 30, 50), (100, 40)),
    "case02": Case((10, 30, 50), (100, 20)),
    "case03": Case((10, 30, 50), (40, 40)),
    "case04": Case((10, 30, 50), (40, 20)),
    "case05": Case((10, 30, 50), (20, 20)),
    "case06": Case((50, 30, 10), (40, 20)),
    "case07": Case((50, 30, 10), (20, 20)),
    "case08": Case((50, 10, 30), (100, 20)),
    "case09": Case((50, 10, 30), (40, 20)),
    "case10": Case((50, 10, 30), (40, 40)),
}


def _draw(name: str, rng: np.random.Generator, duration_s: float, congestion_control: CongestionControl) -> Run:
    case = CASES[name]
    queue_rtts = rng.uniform(*_QUEUE_RTTS, size=3)
    queue_rtt_ms = (sum(case.rtt_ms) / 2, *case.rtt_ms)
    places = ("server", "client", "client")
    starts_s = np.sort(rng.uniform(0.1, 2.0, size=2))
    scenario = Scenario(
        seed=path.seed(rng),
        duration_s=2.0 + duration_s,
        connection=path.connection(rng, congestion_control, bottleneck_mbit_s=10.0),
        links=tuple(
            path.shaped(places[link], case.rates_mbit_s[link], queue_rtts[link] * queue_rtt_ms[link])  # type: ignore[arg-type]
            for link in range(3)
        ),
        subflows=tuple(
            SubflowPath(
                path="wired",
                links=(0, 1 + index),
                bottleneck=((0.0, 0 if case.shared else 1 + index),),
                start_s=round(float(starts_s[index]), 6),
                rtt_ms=case.rtt_ms[index],
                access=Access(
                    kind="plain",
                    rate_mbit_s=_ACCESS_MBIT_S,
                    queue_bytes=_ACCESS_QUEUE_BYTES,
                    loss=0.0,
                    jitter_ms=0.0,
                ),
            )
            for index in range(2)
        ),
        background=(),
    )
    return Run(scenario=scenario, site=None, setting=name)


def draw(
    cases: Names, congestion_control: CongestionControl, *, repetitions: int, duration_s: float, seed: int
) -> list[Run]:
    """Draw each case `repetitions` times with random starts and queues.

    Parameters
    ----------
    cases : list of str
        Names in :data:`CASES`.
    congestion_control : CongestionControl
        Of the connections.
    repetitions : int
        Connections of each case.
    duration_s : float, seconds
        Length of each transfer.
    seed : int

    Returns
    -------
    list of Run
        Case by case; the setting is the case's name.

    Raises
    ------
    ScenarioError
        If a case is unknown.
    """
    unknown = sorted(set(cases) - set(CASES))
    if unknown:
        raise ScenarioError(f"cases {unknown} are unknown, known are {sorted(CASES)}")
    return [
        _draw(name, np.random.default_rng([seed, *name.encode(), number]), duration_s, congestion_control)
        for name in cases
        for number in range(repetitions)
    ]


def dataset(*, cases: Names, repetitions: PositiveInt, duration_s: PositiveFloat, seed: NonNegativeInt) -> list[Run]:
    """Draw the dataset, whose connections are coupled by LIA.

    Parameters
    ----------
    cases : list of str
        Names in :data:`CASES`.
    repetitions : int
        Connections of each case.
    duration_s : float, seconds
        Length of each transfer.
    seed : int

    Returns
    -------
    list of Run
        Case by case.
    """
    return draw(cases, "lia", repetitions=repetitions, duration_s=duration_s, seed=seed)
