"""The experiments of the OLAPS paper, each as a part of params.yaml that draws its scenarios.

Two paths with a link each; the first is short and loses nothing, the second is longer and loses packets. Each network
is run under every scheduler, with BBR. What the paper leaves open, and what was put in its place, is said in
experiments.md.

References
----------
OLAPS, sections VI and VII: Figs. 4 to 8 and 10, Tables II and III.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from pydantic import Field, NonNegativeInt
from scipy.stats import qmc

from smartsbd.scenarios import path
from smartsbd.scenarios.bottleneck_network import PACKET_BYTES, drop_tail, open_access, sender
from smartsbd.scenarios.choice import LINUX, Choice
from smartsbd.scenarios.scenario import AnyAccess, Link, RadioAccess, Scenario, SubflowPath
from studies.transfers.transfer_experiment import Experiment, Experiments

#: When the connection begins.
START_S = 0.5
#: Base RTT of a path without an extra delay; an extra delay is one way, in both directions.
RTT_MS = 20.0
#: Capacity of a link where nothing else is said: what the paper's WiFi gives with 6 Mbit/s on the air.
RATE_MBIT_S = 5.0
#: Queue of a link in packets: the default of ns-3's drop-tail queues.
QUEUE_PACKETS = 100
#: A link out of reach still carries a packet every second or so.
_OUT_OF_REACH_MBIT_S = 0.01
#: Links before an 802.11n network, which do not limit it; and its mode.
_BACKBONE_MBIT_S = 100.0
_MODE_MBIT_S = 6.0
_KB = 1000

#: What stands in tables for what runs: OLAPS by the paper's rules unless the code's are named.
UCB1, EXP3 = "olaps ucb1", "olaps exp3"
UCB1_ALONE, EXP3_ALONE = "olaps ucb1, no monitor", "olaps exp3, no monitor"
UCB1_CODE, EXP3_CODE = "olaps ucb1, code", "olaps exp3, code"
REDUNDANT = "redundant"
SCHEDULERS: dict[str, Choice] = {
    "min_rtt": Choice("bbr"),
    "round_robin": Choice("bbr", "round_robin"),
    REDUNDANT: Choice("bbr", "redundant"),
    "blest": Choice("bbr", "blest"),
    "ecf": Choice("bbr", "ecf"),
    UCB1: Choice("bbr", "olaps"),
    EXP3: Choice("bbr", "olaps", scheduling={"learner": "exp3"}),
    UCB1_ALONE: Choice("bbr", "olaps", scheduling={"monitor": "off"}),
    EXP3_ALONE: Choice("bbr", "olaps", scheduling={"learner": "exp3", "monitor": "off"}),
    UCB1_CODE: Choice("bbr", "olaps", scheduling={"mode": "code"}),
    EXP3_CODE: Choice("bbr", "olaps", scheduling={"learner": "exp3", "mode": "code"}),
}
#: What the paper's words on OLAPS leave open, each way of reading them; the first two are those above.
SMALL_BONUS, TIMED, BOTH = "olaps ucb1, bonus 0.1", "olaps ucb1, timed", "olaps ucb1, timed, bonus 0.1"
EXP3_TIMED = "olaps exp3, timed"
READINGS: dict[str, Choice] = {
    REDUNDANT: SCHEDULERS[REDUNDANT],
    UCB1: SCHEDULERS[UCB1],
    EXP3: SCHEDULERS[EXP3],
    SMALL_BONUS: Choice("bbr", "olaps", scheduling={"bonus": 0.1}),
    TIMED: Choice("bbr", "olaps", scheduling={"interval": "time"}),
    BOTH: Choice("bbr", "olaps", scheduling={"interval": "time", "bonus": 0.1}),
    EXP3_TIMED: Choice("bbr", "olaps", scheduling={"learner": "exp3", "interval": "time"}),
}
#: Of the schedulers, those without variants of OLAPS.
PLAIN = ("min_rtt", "round_robin", REDUNDANT, "blest", "ecf", UCB1, EXP3)
LEARNERS = (UCB1, EXP3, UCB1_ALONE, EXP3_ALONE)
#: Shares of copies that OLAPS chooses from, each kept for a whole run.
SHARES: dict[str, Choice] = {
    f"copies {share:g}": Choice("bbr", "olaps", scheduling={"learner": "none", "share": share})
    for share in (0.0, 0.5, 1.0)
}

_DurationS = Annotated[float, Field(ge=4, le=600)]
_BufferKb = Annotated[float, Field(ge=17, le=1000)]
_DelayMs = Annotated[float, Field(ge=0, le=200)]
_Loss = Annotated[float, Field(ge=0, lt=1)]


def group_of(experiment: str, setting: str) -> str:
    """Return what of a setting's networks are taken together: a receive buffer of the grid, a space of factors.

    Parameters
    ----------
    experiment, setting : str
        As the tables name them.

    Examples
    --------
    >>> group_of("read_grid", "30 kB, 40 ms, loss 0.2"), group_of("factors_linux", "small 017")
    ('30 kB', 'small')
    """
    name = experiment.removesuffix("_linux").removeprefix("read_")
    separator = {"grid": ", ", "factors": " "}.get(name)
    return setting if separator is None else setting.partition(separator)[0]


@dataclass(frozen=True)
class SecondPath:
    """What the second path of a network has, which the first has not.

    Attributes
    ----------
    delay_ms : float
        Extra delay, one way, in both directions.
    loss : float
        Probability that a packet is lost, data or ACK.
    """

    delay_ms: float = 0.0
    loss: float = 0.0


def _link(rate_mbit_s: tuple[tuple[float, float], ...]) -> Link:
    return drop_tail(rate_mbit_s, QUEUE_PACKETS * PACKET_BYTES)


def _radio(speed_m_s: float) -> RadioAccess:
    return RadioAccess(
        rate_mbit_s=_MODE_MBIT_S,
        queue_bytes=QUEUE_PACKETS * PACKET_BYTES,
        loss=0.0,
        jitter_ms=0.0,
        distance_m=0.0,
        speed_m_s=speed_m_s,
    )


def _subflow(number: int, delay_ms: float, access: AnyAccess) -> SubflowPath:
    return SubflowPath(
        path=f"network-{number + 1}",
        links=(number,),
        bottleneck=((0.0, number),),
        start_s=START_S,
        rtt_ms=RTT_MS + 2 * delay_ms,
        access=access,
    )


class _OlapsExperiment(Experiment):
    """Two paths, under every scheduler."""

    hosts: Literal["plain", "linux"] = Field(
        description="What a connection does with segments already sent. plain: nothing but what its scheduler says; "
        "linux: it reinjects, retransmits opportunistically and penalises."
    )
    duration_s: _DurationS

    def _choices(self) -> dict[str, Choice]:
        return {name: SCHEDULERS[name] for name in PLAIN}

    def _network(
        self,
        rng: np.random.Generator,
        subflows: tuple[SubflowPath, ...],
        buffer_kb: float,
        rates_mbit_s: tuple[tuple[tuple[float, float], ...], ...],
    ) -> Scenario:
        """Return a scenario; the scheduler is put in later."""
        return Scenario(
            seed=path.seed(rng),
            duration_s=self.duration_s,
            connection=sender(
                rng,
                "bbr",
                rate_mbit_s=rates_mbit_s[0][0][1],
                receive_buffer_bytes=round(buffer_kb * _KB),
                meta_queue=LINUX if self.hosts == "linux" else None,
                delivery_details=True,
            ),
            links=tuple(_link(rate_mbit_s) for rate_mbit_s in rates_mbit_s),
            subflows=subflows,
            background=(),
        )

    def _two_paths(
        self, rng: np.random.Generator, second: SecondPath, buffer_kb: float, rate_mbit_s: float = RATE_MBIT_S
    ) -> Scenario:
        subflows = (_subflow(0, 0.0, open_access(0.0)), _subflow(1, second.delay_ms, open_access(second.loss)))
        return self._network(rng, subflows, buffer_kb, (((0.0, rate_mbit_s),),) * 2)


class DelayExperiment(_OlapsExperiment):
    """Figs. 4 and 5: goodput by the extra delay of the second path and by receive buffer, without loss."""

    delays_ms: list[_DelayMs] = Field(min_length=1)
    buffers_kb: list[_BufferKb] = Field(min_length=1)

    def _choices(self) -> dict[str, Choice]:
        return SCHEDULERS

    def _by_setting(self) -> dict[str, tuple[SecondPath, float]]:
        return {
            f"{delay:g} ms, {buffer:g} kB": (SecondPath(delay), buffer)
            for buffer in self.buffers_kb
            for delay in self.delays_ms
        }

    def _settings(self) -> list[str]:
        return list(self._by_setting())

    def _drawn(self, setting: str, rng: np.random.Generator) -> Scenario:
        return self._two_paths(rng, *self._by_setting()[setting])


class GridExperiment(_OlapsExperiment):
    """Fig. 6: goodput by delay and loss of the second path, with two receive buffers."""

    delays_ms: list[_DelayMs] = Field(min_length=1)
    losses: list[_Loss] = Field(min_length=1)
    buffers_kb: list[_BufferKb] = Field(min_length=1)

    def _by_setting(self) -> dict[str, tuple[SecondPath, float]]:
        return {
            f"{buffer:g} kB, {delay:g} ms, loss {loss:g}": (SecondPath(delay, loss), buffer)
            for buffer in self.buffers_kb
            for delay in self.delays_ms
            for loss in self.losses
        }

    def _settings(self) -> list[str]:
        return list(self._by_setting())

    def _drawn(self, setting: str, rng: np.random.Generator) -> Scenario:
        return self._two_paths(rng, *self._by_setting()[setting])


class ReadDelayExperiment(DelayExperiment):
    """Figs. 4 and 5, by how OLAPS is read."""

    def _choices(self) -> dict[str, Choice]:
        return READINGS


class ReadGridExperiment(GridExperiment):
    """Fig. 6, by how OLAPS is read."""

    def _choices(self) -> dict[str, Choice]:
        return READINGS


class ChangeExperiment(_OlapsExperiment):
    """Fig. 7: the second path becomes longer, or lossy, while the connection sends; equal paths before."""

    change_s: Annotated[float, Field(ge=2, le=300)] = Field(description="When it changes.")
    buffers_kb: list[_BufferKb] = Field(min_length=1)
    delay_ms: _DelayMs = Field(description="Extra delay after the change, one way, in both directions.")
    loss: _Loss = Field(description="Probability of loss after the change.")

    def _choices(self) -> dict[str, Choice]:
        return {name: SCHEDULERS[name] for name in LEARNERS}

    def _changes_s(self) -> tuple[float, ...]:
        return (self.change_s,)

    def _settings(self) -> list[str]:
        return [
            f"{kind}, {buffer:g} kB"
            for buffer in self.buffers_kb
            for kind in (f"+{self.delay_ms:g} ms", f"loss {self.loss:g}")
        ]

    def _drawn(self, setting: str, rng: np.random.Generator) -> Scenario:
        kind, _, rest = setting.partition(", ")
        if kind.startswith("loss"):
            second = _subflow(1, 0.0, open_access(0.0, ((self.change_s, self.loss),)))
        else:
            # The simulator adds delays in the data direction alone: the RTT is what counts.
            changes = ((self.change_s, 2 * self.delay_ms),)
            second = _subflow(1, 0.0, open_access(0.0)).model_copy(update={"delay_changes_ms": changes})
        subflows = (_subflow(0, 0.0, open_access(0.0)), second)
        buffer_kb = float(rest.removesuffix(" kB"))
        return self._network(rng, subflows, buffer_kb, (((0.0, RATE_MBIT_S),),) * 2)


class AfterChangeExperiment(ChangeExperiment):
    """What each share of copies comes to once the second path of Fig. 7 has changed: which one is best."""

    def _choices(self) -> dict[str, Choice]:
        return SHARES

    def _changes_s(self) -> tuple[float, ...]:
        return ()

    def _drawn(self, setting: str, rng: np.random.Generator) -> Scenario:
        kind, _, rest = setting.partition(", ")
        second = SecondPath(loss=self.loss) if kind.startswith("loss") else SecondPath(self.delay_ms)
        return self._two_paths(rng, second, float(rest.removesuffix(" kB")))


class MobilityExperiment(_OlapsExperiment):
    """Fig. 8: the client walks away from the access point of the second path.

    Both paths end with 802.11n of ns-3, in its slowest mode, which gives what the paper's WiFi does; or the second
    path's capacity falls evenly to nothing in place of that.
    """

    walk_s: Annotated[float, Field(ge=2, le=300)] = Field(description="How long the walk takes.")
    speed_m_s: Annotated[float, Field(gt=0, le=20)]
    radios: list[Literal["falling", "802.11n"]] = Field(min_length=1)
    buffer_kb: _BufferKb
    delay_ms: _DelayMs = Field(description="Extra delay of the second path, one way, in both directions.")

    def _choices(self) -> dict[str, Choice]:
        return {name: SCHEDULERS[name] for name in ("min_rtt", REDUNDANT, *LEARNERS)}

    def _by_setting(self) -> dict[str, str]:
        return {"walk" if radio == "falling" else f"walk, {radio}": radio for radio in self.radios}

    def _settings(self) -> list[str]:
        return list(self._by_setting())

    def _drawn(self, setting: str, rng: np.random.Generator) -> Scenario:
        if self._by_setting()[setting] == "falling":
            subflows = (_subflow(0, 0.0, open_access(0.0)), _subflow(1, self.delay_ms, open_access(0.0)))
            return self._network(rng, subflows, self.buffer_kb, (((0.0, RATE_MBIT_S),), self._falling()))
        stays, walks = _radio(0.0), _radio(self.speed_m_s)
        subflows = (_subflow(0, 0.0, stays), _subflow(1, self.delay_ms, walks))
        return self._network(rng, subflows, self.buffer_kb, (((0.0, _BACKBONE_MBIT_S),),) * 2)

    def _falling(self) -> tuple[tuple[float, float], ...]:
        steps = int(self.walk_s)
        return tuple(
            (float(second), round(max(_OUT_OF_REACH_MBIT_S, RATE_MBIT_S * (1 - second / steps)), 6))
            for second in range(steps + 1)
        )


class FactorExperiment(_OlapsExperiment):
    """Tables II and III, Fig. 10: samples of capacity, delay, loss and receive buffer, by Latin hypercube.

    Capacities are 8 to 16 Mbit/s; the first path's delay is 0 to 5 ms and it loses nothing, the second's is 0 to 40 ms
    and it loses 0 to 0.2. Buffers of the small space are 16 to 512 kB, of the large one 16 kB to 1 MB.
    """

    samples: Annotated[int, Field(ge=2, le=1000)] = Field(description="Networks of each space; `runs` are of each.")
    spaces: list[Literal["small", "large"]] = Field(min_length=1)
    hypercube_seed: NonNegativeInt

    def _settings(self) -> list[str]:
        return [f"{space} {sample:03d}" for space in self.spaces for sample in range(self.samples)]

    def _points(self, space: str) -> list[list[float]]:
        """Return capacities, delays, loss and buffer of each sample."""
        most_kb = {"small": 512.0, "large": 1000.0}[space]
        unit = qmc.LatinHypercube(d=6, rng=np.random.default_rng(self.hypercube_seed)).random(self.samples)
        scaled = qmc.scale(unit, [8, 8, 0, 0, 0, 17], [16, 16, 5, 40, 0.2, most_kb])
        points: list[list[float]] = np.round(scaled, 4).tolist()
        return points

    def _drawn(self, setting: str, rng: np.random.Generator) -> Scenario:
        space, _, sample = setting.partition(" ")
        first_mbit_s, second_mbit_s, first_ms, second_ms, loss, buffer_kb = self._points(space)[int(sample)]
        subflows = (_subflow(0, first_ms, open_access(0.0)), _subflow(1, second_ms, open_access(loss)))
        return self._network(rng, subflows, buffer_kb, (((0.0, first_mbit_s),), ((0.0, second_mbit_s),)))


class ThreePathExperiment(_OlapsExperiment):
    """Section VI.D: a third path of more than 150 ms that loses more than a fifth of its packets."""

    buffer_kb: _BufferKb
    delay_ms: _DelayMs = Field(description="Extra delay of the third path, one way, in both directions.")
    loss: _Loss = Field(description="Probability of loss on the third path.")

    def _settings(self) -> list[str]:
        return ["without the third", "three paths"]

    def _drawn(self, setting: str, rng: np.random.Generator) -> Scenario:
        count = 3 if setting == "three paths" else 2
        last = [(0.0, 0.0), (0.0, 0.0), (self.delay_ms, self.loss)]
        subflows = tuple(
            _subflow(number, delay_ms, open_access(loss)) for number, (delay_ms, loss) in enumerate(last[:count])
        )
        return self._network(rng, subflows, self.buffer_kb, (((0.0, RATE_MBIT_S),),) * count)


class OlapsExperiments(Experiments):
    """All experiments."""

    delays: DelayExperiment
    delays_linux: DelayExperiment
    grid: GridExperiment
    grid_linux: GridExperiment
    changes: ChangeExperiment
    after_change: AfterChangeExperiment
    mobility: MobilityExperiment
    mobility_linux: MobilityExperiment
    factors: FactorExperiment
    factors_linux: FactorExperiment
    three: ThreePathExperiment
    read_delays: ReadDelayExperiment
    read_grid: ReadGridExperiment
