"""The experiments of the MPLibra paper, each as a part of params.yaml that draws its scenarios.

Where nothing else is said there are two links of 5 Mbit/s with a queue of 50 packets, a base RTT of 120 ms, and one
packet of 100,000 lost at random. What the paper leaves open, and what was put in its place, is said in
experiments.md.

References
----------
MPLibra, sections II and V: Figs. 1 to 4, 7 to 16.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from smartsbd.scenarios import path
from smartsbd.scenarios.bottleneck_network import PACKET_BYTES, drop_tail, open_access, round_trip_bytes, sender
from smartsbd.scenarios.choice import Choice
from smartsbd.scenarios.scenario import Background, FiniteTransfer, Link, Scenario, SubflowPath
from studies.transfers.transfer_experiment import Experiment, Experiments

RATE_MBIT_S = 5.0
RTT_MS = 120.0
LOSS = 1e-5
QUEUE_PACKETS = 50
#: When the connection begins; rivals begin before.
START_S = 0.5
#: What goodput leaves out.
WARM_UP_S = 5.0
#: Means of two seconds are made of it, and the time in which RTTs fall is told to it.
SERIES_S = 0.5
#: Above any window.
_RECEIVE_BUFFER_BYTES = 1 << 26
#: Fig. 3: capacities of both links before, between and after the changes.
STEPS_MBIT_S = (4.0, 8.0, 4.0)
#: Fig. 9c: what is drawn anew each phase, for each link; RTTs in ms.
VARYING_RATES_MBIT_S, VARYING_RTTS_MS, VARYING_LOSSES = (10.0, 80.0), (20.0, 120.0), (1e-4, 5e-4)
#: Fig. 15: rates in Mbit/s and RTTs in ms of both paths.
FILE_PATHS: dict[str, tuple[tuple[float, float], tuple[float, float]]] = {
    "symmetric": ((5.0, 5.0), (120.0, 120.0)),
    "4 and 8 Mbit/s": ((4.0, 8.0), (120.0, 120.0)),
    "60 and 120 ms": ((5.0, 5.0), (60.0, 120.0)),
}
FILE_LOSS = 5e-4
#: Where bottlenecks move: a link that is no bottleneck for now.
_WIDE_MBIT_S = 50.0
_FIRST_CHANGE_S = 0.001

MPLIBRA, CLASSIC, RANDOM = (
    Choice("mplibra"),
    Choice("mplibra", parameters={"agent": "classic"}),
    Choice("mplibra", parameters={"agent": "random"}),
)
MPLIBRA_WVEGAS = Choice("mplibra", parameters={"classic": "wvegas"})
RL_JOINT = Choice("rl_joint")
LIA, OLIA, BALIA, WVEGAS, RENO = (Choice(name) for name in ("lia", "olia", "balia", "wvegas", "reno"))
MPCC, MPCC_SCALED, MPOL = Choice("mpcc"), Choice("mpcc", parameters={"min_step": "scaled"}), Choice("mpol")
#: SmartSBD's control: LIA over those that share by the truth, and by the verdicts of the lag excess.
BY_ORACLE, BY_VERDICT = Choice("lia", verdicts="oracle"), Choice("lia", verdicts="lag_excess")
#: Every row of the tables.
ALL = (LIA, OLIA, BALIA, WVEGAS, RENO, MPCC, MPCC_SCALED, MPOL, RL_JOINT, MPLIBRA, CLASSIC, RANDOM)
#: Where links are fast: a run of MPCC at 80 Mbit/s and more had not ended after 100 CPU s, one of the agent alone not
#: after 200.
ON_FAST_LINKS = tuple(choice for choice in ALL if choice.controller not in (MPCC.controller, RL_JOINT.controller))

_DurationS = Annotated[float, Field(ge=8, le=600)]
_AtS = Annotated[float, Field(ge=1, le=300)]
_RateMbitS = Annotated[float, Field(ge=1, le=200)]
_Loss = Annotated[float, Field(ge=0, lt=1)]
_Packets = Annotated[int, Field(ge=3, le=1000)]


def _link(rate_mbit_s: float = RATE_MBIT_S, packets: int = QUEUE_PACKETS) -> Link:
    return drop_tail(((0.0, rate_mbit_s),), packets * PACKET_BYTES)


def _over(
    number: int, links: tuple[int, ...], bottleneck: int, *, rtt_ms: float = RTT_MS, loss: float = LOSS
) -> SubflowPath:
    return SubflowPath(
        path=f"path-{number}",
        links=links,
        bottleneck=((0.0, bottleneck),),
        start_s=START_S,
        rtt_ms=rtt_ms,
        access=open_access(loss),
    )


def _own(number: int, *, rtt_ms: float = RTT_MS, loss: float = LOSS) -> SubflowPath:
    """Return a subflow over the link of its number."""
    return _over(number, (number,), number, rtt_ms=rtt_ms, loss=loss)


def reno(subflow: int, **more: object) -> Background:
    """Return a bulk TCP flow under Reno beside a subflow, over all that it crosses, with its RTT.

    Parameters
    ----------
    subflow : int
    **more
        What is not usual of it.
    """
    usual = {"kind": "reno", "enters": "server", "rate_mbit_s": None, "start_s": START_S / 2, "rtt_ms": RTT_MS}
    return Background.model_validate({**usual, "subflow": subflow, **more})


def _network(
    rng: np.random.Generator,
    links: tuple[Link, ...],
    subflows: tuple[SubflowPath, ...],
    duration_s: float,
    *,
    rate_mbit_s: float | None = None,
    background: tuple[Background, ...] = (),
    application: FiniteTransfer | None = None,
) -> Scenario:
    """Return a scenario; the controller is put in later. Without a rate, that of the first link is the bottleneck's."""
    return Scenario(
        seed=path.seed(rng),
        duration_s=duration_s,
        connection=sender(
            rng,
            "lia",
            rate_mbit_s=rate_mbit_s or max(rate for _, rate in links[0].rate_mbit_s),
            receive_buffer_bytes=_RECEIVE_BUFFER_BYTES,
            application=application,
        ),
        links=links,
        subflows=subflows,
        background=background,
        series_s=SERIES_S,
    )


def _two(rng: np.random.Generator, duration_s: float, *, loss: float = LOSS, link: Link | None = None) -> Scenario:
    """Return two links that are alike, and nobody else (Fig. 1a)."""
    own = (_own(0, loss=loss), _own(1, loss=loss))
    return _network(rng, (link or _link(),) * 2, own, duration_s)


class _MplibraExperiment(Experiment):
    """Each network under every controller."""

    controllers: ClassVar[tuple[Choice, ...]] = ALL

    duration_s: _DurationS

    def _choices(self) -> dict[str, Choice]:
        return {choice.name: choice for choice in self.controllers}


class LearningDrawsExperiment(_MplibraExperiment):
    """Fig. 2a: queues of 10 to 100 packets and losses up to 0.5 %, drawn."""

    def _settings(self) -> list[str]:
        return ["drawn"]

    def _drawn(self, setting: str, rng: np.random.Generator) -> Scenario:
        del setting
        packets, loss = int(rng.integers(10, 101)), round(float(rng.uniform(0, 0.005)), 6)
        return _two(rng, self.duration_s, loss=loss, link=_link(packets=packets))


class CapacityStepExperiment(_MplibraExperiment):
    """Figs. 2b, 3 and 7: the capacity of both links doubles, and is halved later."""

    up_s: _AtS = Field(description="When it doubles.")
    down_s: _AtS = Field(description="When it is halved.")

    def _settings(self) -> list[str]:
        return ["4, 8, 4 Mbit/s"]

    def _changes_s(self) -> tuple[float, ...]:
        return (self.up_s, self.down_s)

    def _drawn(self, setting: str, rng: np.random.Generator) -> Scenario:
        del setting
        rates = tuple(zip((0.0, self.up_s, self.down_s), STEPS_MBIT_S, strict=True))
        return _two(rng, self.duration_s, link=drop_tail(rates, QUEUE_PACKETS * PACKET_BYTES))


class RandomLossExperiment(_MplibraExperiment):
    """Fig. 9a: goodput by random loss."""

    losses: list[_Loss] = Field(min_length=1, description="Probabilities that a packet is lost.")

    def _settings(self) -> list[str]:
        return [f"loss {loss:g}" for loss in self.losses]

    def _drawn(self, setting: str, rng: np.random.Generator) -> Scenario:
        return _two(rng, self.duration_s, loss=dict(zip(self._settings(), self.losses, strict=True))[setting])


class QueueLengthExperiment(_MplibraExperiment):
    """Fig. 9b: goodput by the length of the queues in BDPs."""

    rate_mbit_s: _RateMbitS
    queues_bdp: list[Annotated[float, Field(gt=0, le=10)]] = Field(min_length=1)

    def _settings(self) -> list[str]:
        return [f"{bdp:g} BDP" for bdp in self.queues_bdp]

    def _drawn(self, setting: str, rng: np.random.Generator) -> Scenario:
        bdp = dict(zip(self._settings(), self.queues_bdp, strict=True))[setting]
        queue_bytes = round_trip_bytes(self.rate_mbit_s, RTT_MS * bdp)
        return _two(rng, self.duration_s, link=drop_tail(((0.0, self.rate_mbit_s),), queue_bytes))


class FastQueueExperiment(QueueLengthExperiment):
    """Fig. 9b at its own rate."""

    controllers: ClassVar = ON_FAST_LINKS


class VaryingExperiment(_MplibraExperiment):
    """Fig. 9c: capacity, delay and loss of each link are drawn anew, phase by phase."""

    controllers: ClassVar = ON_FAST_LINKS

    phase_s: _AtS = Field(description="How long a phase lasts.")

    def _settings(self) -> list[str]:
        return ["drawn"]

    def _drawn(self, setting: str, rng: np.random.Generator) -> Scenario:
        del setting
        begins = [float(begin_s) for begin_s in np.arange(0, self.duration_s, self.phase_s)]
        both = [self._path(number, begins, rng) for number in range(2)]
        return _network(rng, tuple(link for link, _ in both), tuple(own for _, own in both), self.duration_s)

    def _path(self, number: int, begins: list[float], rng: np.random.Generator) -> tuple[Link, SubflowPath]:
        """Draw a link and the subflow over it; its queue is that of the ranges' middle."""
        rates, rtts, losses = (
            [round(float(rng.uniform(*of)), 6) for _ in begins]
            for of in (VARYING_RATES_MBIT_S, VARYING_RTTS_MS, VARYING_LOSSES)
        )
        queue_bytes = round_trip_bytes(sum(VARYING_RATES_MBIT_S) / 2, sum(VARYING_RTTS_MS) / 2)
        link = drop_tail(tuple(zip(begins, rates, strict=True)), queue_bytes)
        least_ms = VARYING_RTTS_MS[0]
        # The simulator adds delays in the data direction alone: the RTT is what counts.
        delays = tuple(
            (begin_s or _FIRST_CHANGE_S, round(rtt_ms - least_ms, 6))
            for begin_s, rtt_ms in zip(begins, rtts, strict=True)
        )
        changes = tuple(zip(begins[1:], losses[1:], strict=True)) or None
        own = _own(number, rtt_ms=least_ms).model_copy(
            update={"delay_changes_ms": delays, "access": open_access(losses[0], changes)}
        )
        return link, own


#: Networks with rivals, by what the paper draws of them.
Topology = Literal["one link", "first link", "both links", "chain"]


class FriendlinessExperiment(_MplibraExperiment):
    """Figs. 4a, 8 and 11: beside TCP flows under Reno.

    ``one link``: two subflows and a flow (Fig. 1b). ``first link``: a flow beside the first of two subflows (Fig. 10a).
    ``both links``: a flow beside each (Fig. 10b). ``chain``: the first subflow crosses a link with a flow, and then the
    link of the second one (Fig. 10c).
    """

    topologies: list[Topology] = Field(min_length=1)

    def _settings(self) -> list[str]:
        return list(self.topologies)

    def _drawn(self, setting: str, rng: np.random.Generator) -> Scenario:
        if setting == "one link":
            subflows = (_over(0, (0,), 0), _over(1, (0,), 0))
            return _network(rng, (_link(),), subflows, self.duration_s, background=(reno(0),))
        if setting == "chain":
            second = _link().model_copy(update={"place": "client"})
            subflows = (_over(0, (0, 1), 0), _over(1, (1,), 1))
            rivals: tuple[Background, ...] = (reno(0, leaves="first_link"),)
            return _network(rng, (_link(), second), subflows, self.duration_s, background=rivals)
        rivals = (reno(0),) if setting == "first link" else (reno(0), reno(1))
        return _two(rng, self.duration_s).model_copy(update={"background": rivals})


class SubflowCountExperiment(_MplibraExperiment):
    """Fig. 12: several subflows over one link, beside a TCP flow."""

    controllers: ClassVar = (LIA, RENO, RL_JOINT, MPLIBRA, CLASSIC, RANDOM)

    counts: list[Annotated[int, Field(ge=1, le=5)]] = Field(min_length=1)

    def _settings(self) -> list[str]:
        return [f"{count} subflows" for count in self.counts]

    def _drawn(self, setting: str, rng: np.random.Generator) -> Scenario:
        count = int(setting.removesuffix(" subflows"))
        subflows = tuple(_over(number, (0,), 0) for number in range(count))
        return _network(rng, (_link(),), subflows, self.duration_s, background=(reno(0),))


class MovingRivalExperiment(_MplibraExperiment):
    """Fig. 13: the TCP flow on the second link ends, and one begins on the first."""

    change_s: _AtS = Field(description="When the rival moves.")

    def _settings(self) -> list[str]:
        return ["from the second link to the first"]

    def _changes_s(self) -> tuple[float, ...]:
        return (self.change_s,)

    def _drawn(self, setting: str, rng: np.random.Generator) -> Scenario:
        del setting
        rivals = (reno(1, stop_s=self.change_s), reno(0, start_s=self.change_s))
        return _two(rng, self.duration_s).model_copy(update={"background": rivals})


class BurstExperiment(_MplibraExperiment):
    """Fig. 14: bursts of a constant rate on the first link."""

    on_s: _AtS = Field(description="Mean of the periods with packets.")
    off_s: _AtS = Field(description="Mean of those without.")

    def _settings(self) -> list[str]:
        return ["bursts on the first link"]

    def _drawn(self, setting: str, rng: np.random.Generator) -> Scenario:
        del setting
        bursts = reno(0, kind="cbr", rate_mbit_s=RATE_MBIT_S, on_s=self.on_s, off_s=self.off_s)
        return _two(rng, self.duration_s).model_copy(update={"background": (bursts,)})


class DownloadExperiment(_MplibraExperiment):
    """Fig. 15: a file over paths that are alike, or differ in capacity, or in delay. It is watched for `duration_s`."""

    size_mb: Annotated[float, Field(gt=0, le=200)]
    paths: list[Literal["symmetric", "4 and 8 Mbit/s", "60 and 120 ms"]] = Field(min_length=1)

    def _settings(self) -> list[str]:
        return list(self.paths)

    def _drawn(self, setting: str, rng: np.random.Generator) -> Scenario:
        rates, rtts = FILE_PATHS[setting]
        subflows = tuple(_own(number, rtt_ms=rtt_ms, loss=FILE_LOSS) for number, rtt_ms in enumerate(rtts))
        transfer = FiniteTransfer(bytes=round(self.size_mb * 1e6))
        return _network(rng, tuple(map(_link, rates)), subflows, self.duration_s, application=transfer)


class QueueingDelayExperiment(_MplibraExperiment):
    """Fig. 16: delay by the length of the queues in packets."""

    controllers: ClassVar = (*ALL, MPLIBRA_WVEGAS)

    packets: list[_Packets] = Field(min_length=1)

    def _settings(self) -> list[str]:
        return [f"{packets} packets" for packets in self.packets]

    def _drawn(self, setting: str, rng: np.random.Generator) -> Scenario:
        return _two(rng, self.duration_s, link=_link(packets=int(setting.removesuffix(" packets"))))


class SharingExperiment(_MplibraExperiment):
    """MPLibra beside control by verdicts, which no paper has: two subflows, two TCP flows, 10 Mbit/s in all.

    ``shared``: over one link. ``separate``: a link for each subflow, with one flow on it. ``shifting``: shared in the
    first and last third of the time, separate between.
    """

    controllers: ClassVar = (LIA, RENO, BY_ORACLE, BY_VERDICT, OLIA, MPCC, RL_JOINT, MPLIBRA, CLASSIC, RANDOM)

    bottlenecks: list[Literal["shared", "separate", "shifting"]] = Field(min_length=1)

    def _settings(self) -> list[str]:
        return list(self.bottlenecks)

    def _drawn(self, setting: str, rng: np.random.Generator) -> Scenario:
        both = 2 * RATE_MBIT_S
        moves_s = {"shared": (0.0,), "separate": (), "shifting": (0.0, self.duration_s / 3, self.duration_s * 2 / 3)}
        edges = [round(at_s, 3) for at_s in moves_s[setting]]
        uplink, own, limits = [], [], []
        for place, from_s in enumerate(edges or [0.0]):
            shared = bool(edges) and place % 2 == 0
            uplink.append((from_s, both if shared else _WIDE_MBIT_S))
            own.append((from_s, _WIDE_MBIT_S if shared else RATE_MBIT_S))
            limits.append((from_s, shared))
        links = (
            drop_tail(tuple(uplink), 2 * QUEUE_PACKETS * PACKET_BYTES),
            *(drop_tail(tuple(own), QUEUE_PACKETS * PACKET_BYTES, place="client"),) * 2,
        )
        subflows = tuple(
            _over(number, (0, 1 + number), 0).model_copy(
                update={"bottleneck": tuple((from_s, 0 if shared else 1 + number) for from_s, shared in limits)}
            )
            for number in range(2)
        )
        return _network(rng, links, subflows, self.duration_s, rate_mbit_s=both, background=(reno(0), reno(1)))


class MplibraExperiments(Experiments):
    """All experiments."""

    draws: LearningDrawsExperiment
    steps: CapacityStepExperiment
    halving: CapacityStepExperiment
    loss: RandomLossExperiment
    queues: QueueLengthExperiment
    fast_queues: FastQueueExperiment
    varying: VaryingExperiment
    friendliness: FriendlinessExperiment
    subflows: SubflowCountExperiment
    moves: MovingRivalExperiment
    bursts: BurstExperiment
    files: DownloadExperiment
    delays: QueueingDelayExperiment
    sharing: SharingExperiment
