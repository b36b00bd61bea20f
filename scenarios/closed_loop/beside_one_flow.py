"""What a multipath connection leaves to one TCP flow at a shared bottleneck: the question of RFC 9743, section 5.

One factor at a time differs from the base: two subflows, RTTs alike, a queue of one round trip, no random loss. The
bottleneck has 10 Mbit/s, the rival is a bulk transfer (Reno) with the first subflow's base RTT. What the rival has
beside a connection of one path is what it is compared with.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
from pydantic import NonNegativeInt, PositiveFloat, PositiveInt

from smartsbd.scenarios import path
from smartsbd.scenarios.closed_loop.loop_experiment import LoopExperiment, LoopNetwork
from smartsbd.scenarios.closed_loop.sender_control import FEW, UNSWITCHED
from smartsbd.scenarios.closed_loop.shared_link import rival
from smartsbd.scenarios.scenario import Access, Scenario, SubflowPath

_RATE_MBIT_S = 10.0
_RTT_MS = 40.0
_ACCESS_MBIT_S = 100.0
_ACCESS_QUEUE_BYTES = 2_000_000
_JOIN_S = 0.5


@dataclass(frozen=True)
class RivalSetting:
    """What one network of this experiment has."""

    subflows: int = 2
    rtt_ratio: float = 1.0
    queue_rtts: float = 1.0
    loss: float = 0.0


#: The base first; the others differ from it in one factor.
SETTINGS: Mapping[str, RivalSetting] = {
    "base": RivalSetting(),
    "RTT ratio 2": replace(RivalSetting(), rtt_ratio=2.0),
    "RTT ratio 4": replace(RivalSetting(), rtt_ratio=4.0),
    "queue 0.5 RTT": replace(RivalSetting(), queue_rtts=0.5),
    "queue 3 RTT": replace(RivalSetting(), queue_rtts=3.0),
    "loss 0.1 %": replace(RivalSetting(), loss=0.001),
    "loss 1 %": replace(RivalSetting(), loss=0.01),
    "3 subflows": replace(RivalSetting(), subflows=3),
    "4 subflows": replace(RivalSetting(), subflows=4),
    "5 subflows": replace(RivalSetting(), subflows=5),
}


def _scenario(setting: RivalSetting, duration_s: float, rng: np.random.Generator) -> Scenario:
    """Return a network; the RTTs of its subflows lie evenly between the least and `rtt_ratio` times that."""
    rtts_ms = np.linspace(_RTT_MS, setting.rtt_ratio * _RTT_MS, setting.subflows)
    scenario = Scenario(
        seed=path.seed(rng),
        duration_s=path.CONNECTION_START_S + duration_s,
        connection=path.connection(rng, "lia", bottleneck_mbit_s=_RATE_MBIT_S),
        links=(path.shaped("server", _RATE_MBIT_S, setting.queue_rtts * _RTT_MS),),
        subflows=tuple(
            SubflowPath(
                path="wired",
                links=(0,),
                bottleneck=((0.0, 0),),
                start_s=path.CONNECTION_START_S + index * _JOIN_S,
                rtt_ms=round(float(rtt_ms), 3),
                access=Access(
                    rate_mbit_s=_ACCESS_MBIT_S,
                    queue_bytes=_ACCESS_QUEUE_BYTES,
                    loss=setting.loss,
                    jitter_ms=0.0,
                ),
            )
            for index, rtt_ms in enumerate(rtts_ms)
        ),
        background=(),
    )
    beside = rival(scenario, round(rng.uniform(0.05, 0.9), 6))
    return scenario.model_copy(update={"background": (beside,)})


def draw(*, runs: PositiveInt, duration_s: PositiveFloat, seed: NonNegativeInt) -> Iterator[LoopNetwork]:
    """Draw networks of every setting.

    Parameters
    ----------
    runs : int
        Networks of each setting.
    duration_s : float, seconds
        Length of each transfer.
    seed : int

    Yields
    ------
    LoopNetwork
        Setting by setting.
    """
    for name, setting in SETTINGS.items():
        for number in range(runs):
            rng = np.random.default_rng([seed, *name.encode(), number])
            yield LoopNetwork("RFC 9743", name, number, _scenario(setting, duration_s, rng), rival=0)


EXPERIMENT = LoopExperiment(draw, ("one path", *dict.fromkeys((*UNSWITCHED, "mpol", *FEW))))
