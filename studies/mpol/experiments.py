"""The experiments of the MP-OL paper, each as a part of params.yaml that draws its scenarios.

An experiment is one class, and ``controllers`` are what each of its networks is run under. What the paper leaves open,
and what was put in its place, is said in experiments.md.

References
----------
MP-OL, sections V.A to V.F: Figs. 5 to 12, Tables I and II.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from smartsbd.scenarios import path
from smartsbd.scenarios.bottleneck_network import drop_tail, open_access, round_trip_bytes, sender
from smartsbd.scenarios.choice import Choice
from smartsbd.scenarios.scenario import (
    AnyAccess,
    Background,
    FiniteTransfer,
    FurtherConnection,
    FurtherSubflow,
    LteAccess,
    Scenario,
    SubflowPath,
    WifiAccess,
)
from studies.transfers.transfer_experiment import Experiment, Experiments, Runs

#: The paper's delay of 30 ms is taken for one way.
RTT_MS = 60.0
#: When the connection begins; rivals begin before.
START_S = 0.5
#: What goodput leaves out.
WARM_UP_S = 5.0
#: Above any window.
_RECEIVE_BUFFER_BYTES = 1 << 26
#: Base RTT of a path whose delay changes; the delay is added in the data direction.
_SHORT_RTT_MS = 4.0
_FIRST_CHANGE_S = 0.001

MPOL = Choice("mpol")
MPOL_BYTES = Choice("mpol", parameters={"unit": "bytes_s"})
MPCC = Choice("mpcc")
MPCC_SCALED = Choice("mpcc", parameters={"min_step": "scaled"})
OLIA, BALIA, WVEGAS = Choice("olia"), Choice("balia"), Choice("wvegas")

_RateMbitS = Annotated[float, Field(ge=1, le=200)]
_DurationS = Annotated[float, Field(ge=8, le=600)]
_Loss = Annotated[float, Field(ge=0, lt=1)]

#: Lowest and highest of what is drawn anew each second.
Range = tuple[float, float]


@dataclass(frozen=True)
class LinkPhase:
    """What a link has for a fifth of the time: its delay in ms, and its probability of loss."""

    delay_ms: Range
    loss: Range


def _still(value: float) -> Range:
    return (value, value)


#: Tables I and II: for each link its five phases.
SITUATIONS: dict[int, tuple[tuple[LinkPhase, ...], tuple[LinkPhase, ...]]] = {
    1: (
        (
            LinkPhase((20, 40), _still(0)),
            LinkPhase((150, 250), _still(0.02)),
            LinkPhase(_still(30), _still(0.02)),
            LinkPhase(_still(200), _still(0)),
            LinkPhase((80, 120), _still(0.005)),
        ),
        (
            LinkPhase((150, 250), _still(0.02)),
            LinkPhase((80, 120), _still(0.005)),
            LinkPhase(_still(200), _still(0)),
            LinkPhase(_still(30), _still(0.02)),
            LinkPhase((20, 40), _still(0)),
        ),
    ),
    2: (
        (
            LinkPhase((0, 40), (0, 0.1)),
            LinkPhase(_still(10), (0, 0.05)),
            LinkPhase((50, 100), (0, 0.02)),
            LinkPhase((0, 200), _still(0.02)),
            LinkPhase((0, 400), _still(0)),
        ),
        (
            LinkPhase((0, 400), _still(0)),
            LinkPhase((0, 200), _still(0.02)),
            LinkPhase((50, 100), (0, 0.02)),
            LinkPhase(_still(10), (0, 0.05)),
            LinkPhase((0, 40), (0, 0.1)),
        ),
    ),
}


def _own(number: int, access: AnyAccess, **more: object) -> SubflowPath:
    """Return a subflow over the link of its number."""
    usual = {"path": f"link{number}", "links": (number,), "bottleneck": ((0.0, number),), "start_s": START_S}
    return SubflowPath.model_validate({**usual, "rtt_ms": RTT_MS, **more, "access": access})


def _network(
    rng: np.random.Generator,
    rate_mbit_s: float,
    subflows: tuple[SubflowPath, ...],
    duration_s: float,
    *,
    rtt_ms: float = RTT_MS,
    background: tuple[Background, ...] = (),
    application: FiniteTransfer | None = None,
) -> Scenario:
    """Return a scenario whose links have one rate and a queue of one round trip; the controller is put in later."""
    links = max(one.links[0] for one in subflows) + 1
    return Scenario(
        seed=path.seed(rng),
        duration_s=duration_s,
        connection=sender(
            rng,
            "mpol",
            rate_mbit_s=rate_mbit_s,
            receive_buffer_bytes=_RECEIVE_BUFFER_BYTES,
            application=application,
        ),
        links=(drop_tail(((0.0, rate_mbit_s),), round_trip_bytes(rate_mbit_s, rtt_ms)),) * links,
        subflows=subflows,
        background=background,
        series_s=1.0,
    )


class _MpolExperiment(Experiment):
    """Each network under MP-OL and what it is compared with."""

    controllers: ClassVar[tuple[Choice, ...]] = (MPOL, MPCC, OLIA, BALIA, WVEGAS)

    def _choices(self) -> dict[str, Choice]:
        return {choice.name: choice for choice in self.controllers}


def _loss_setting(loss: float) -> str:
    return f"loss {loss:g}"


class _Lossy(_MpolExperiment):
    """Two subflows over one link that loses packets at random."""

    rate_mbit_s: _RateMbitS
    losses: list[_Loss] = Field(min_length=1, description="Probabilities that a packet is lost.")
    duration_s: _DurationS

    def _settings(self) -> list[str]:
        return [_loss_setting(loss) for loss in self.losses]

    def _drawn(self, setting: str, rng: np.random.Generator) -> Scenario:
        loss = {_loss_setting(one): one for one in self.losses}[setting]
        return _network(rng, self.rate_mbit_s, (_own(0, open_access(loss)),) * 2, self.duration_s)


class LossExperiment(_Lossy):
    """Fig. 5: goodput by random loss."""

    controllers: ClassVar = (MPOL, MPOL_BYTES, MPCC, MPCC_SCALED, OLIA, BALIA, WVEGAS)


class StepExperiment(_Lossy):
    """What the paper leaves open of MP-OL's steps: beta, relative steps, the unit of rates."""

    controllers: ClassVar = (
        *(Choice("mpol", parameters={"beta": beta}) for beta in (0.5, 1.0, 2.0)),
        Choice("mpol", parameters={"step": "relative"}),
        MPOL_BYTES,
    )


class StillExperiment(_MpolExperiment):
    """A network in which nothing changes: how often MP-OL learns again."""

    controllers: ClassVar = (MPOL,)

    rate_mbit_s: _RateMbitS
    duration_s: _DurationS

    def _settings(self) -> list[str]:
        return ["still"]

    def _drawn(self, setting: str, rng: np.random.Generator) -> Scenario:
        del setting
        return _network(rng, self.rate_mbit_s, (_own(0, open_access()), _own(1, open_access())), self.duration_s)


class FairnessExperiment(_MpolExperiment):
    """Fig. 6: two subflows over one link, beside a TCP flow."""

    rate_mbit_s: _RateMbitS
    rivals: list[Literal["vegas", "cubic"]] = Field(min_length=1)
    duration_s: _DurationS

    def _settings(self) -> list[str]:
        return [f"beside {rival}" for rival in self.rivals]

    def _drawn(self, setting: str, rng: np.random.Generator) -> Scenario:
        rival = Background.model_validate(
            {
                "kind": setting.removeprefix("beside "),
                "subflow": 0,
                "enters": "server",
                "rate_mbit_s": None,
                "start_s": START_S / 2,
                "rtt_ms": RTT_MS,
            }
        )
        subflows = (_own(0, open_access()),) * 2
        return _network(rng, self.rate_mbit_s, subflows, self.duration_s, background=(rival,))


class PeerExperiment(_MpolExperiment):
    """Fig. 6: two links, and another MPTCP connection over both."""

    controllers: ClassVar = (MPOL,)

    rate_mbit_s: _RateMbitS
    peers: list[Literal["olia", "balia", "wvegas", "mpcc", "lia"]] = Field(
        min_length=1, description="Controllers of the other connection."
    )
    duration_s: _DurationS

    def _settings(self) -> list[str]:
        return [f"beside {peer}" for peer in self.peers]

    def _drawn(self, setting: str, rng: np.random.Generator) -> Scenario:
        paths = tuple(
            FurtherSubflow(links=(number,), start_s=START_S / 2, rtt_ms=RTT_MS, access=open_access())
            for number in range(2)
        )
        peer = FurtherConnection(
            congestion_control=setting.removeprefix("beside "), scheduler="min_rtt", subflows=paths
        )
        subflows = (_own(0, open_access()), _own(1, open_access()))
        network = _network(rng, self.rate_mbit_s, subflows, self.duration_s)
        return network.model_copy(update={"further_connections": (peer,)})


class FileExperiment(_MpolExperiment):
    """Fig. 7: files over two links."""

    controllers: ClassVar = (MPOL, MPCC, MPCC_SCALED, OLIA, BALIA, WVEGAS)

    rate_mbit_s: _RateMbitS
    sizes_mb: list[Annotated[float, Field(gt=0, le=200)]] = Field(min_length=1)
    large_runs: Runs = Field(description="Runs of files of 10 MB and more.")

    def _settings(self) -> list[str]:
        return [f"{size:g} MB" for size in self.sizes_mb]

    def _size_mb(self, setting: str) -> float:
        return {f"{size:g} MB": size for size in self.sizes_mb}[setting]

    def _times(self, setting: str) -> int:
        large = self._size_mb(setting) >= 10  # noqa: PLR2004 - as the paper has it
        return min(self.runs, self.large_runs) if large else self.runs

    def _drawn(self, setting: str, rng: np.random.Generator) -> Scenario:
        size_mb = self._size_mb(setting)
        # Starts differ, and there is time for a tenth of both links' rate.
        starts_s = START_S + rng.uniform(0, RTT_MS / 1e3)
        subflows = tuple(_own(number, open_access(), start_s=round(float(starts_s), 6)) for number in range(2))
        duration_s = 10 + size_mb * 8 / (2 * self.rate_mbit_s) * 10
        transfer = FiniteTransfer(bytes=round(size_mb * 1e6))
        return _network(rng, self.rate_mbit_s, subflows, duration_s, application=transfer)


class SituationExperiment(_MpolExperiment):
    """Tables I and II, Figs. 8 and 9: two links whose delay and loss change, ranges drawn anew each second."""

    rate_mbit_s: _RateMbitS
    situations: list[Literal[1, 2]] = Field(min_length=1)
    phase_s: Annotated[int, Field(ge=2, le=60)] = Field(description="How long each of the five phases lasts, in s.")

    def _settings(self) -> list[str]:
        return [f"situation {number}" for number in self.situations]

    def _changes_s(self) -> tuple[float, ...]:
        return tuple(float(self.phase_s * place) for place in range(1, 5))

    def _drawn(self, setting: str, rng: np.random.Generator) -> Scenario:
        both = SITUATIONS[int(setting.removeprefix("situation "))]
        subflows = tuple(self._changing(number, phases, rng) for number, phases in enumerate(both))
        return _network(rng, self.rate_mbit_s, subflows, 5.0 * self.phase_s)

    def _changing(self, number: int, phases: tuple[LinkPhase, ...], rng: np.random.Generator) -> SubflowPath:
        delays, losses = [], []
        for second in range(5 * self.phase_s):
            phase = phases[second // self.phase_s]
            extra_ms = max(0.0, rng.uniform(*phase.delay_ms) - _SHORT_RTT_MS)
            delays.append((float(second) or _FIRST_CHANGE_S, round(float(extra_ms), 3)))
            losses.append((float(second) or _FIRST_CHANGE_S, round(float(rng.uniform(*phase.loss)), 6)))
        access = open_access(losses[0][1], tuple(losses))
        return _own(number, access, rtt_ms=_SHORT_RTT_MS, delay_changes_ms=tuple(delays))


class MonitoringExperiment(SituationExperiment):
    """Figs. 10 and 11: MP-OL's periods and distances, in both situations."""

    n: list[Annotated[int, Field(ge=1, le=20)]] = Field(min_length=1, description="Round trips of a period.")
    d: list[Annotated[float, Field(ge=0.1, le=2)]] = Field(min_length=1, description="Distances.")

    def _choices(self) -> dict[str, Choice]:
        choices = [Choice("mpol", parameters={"n": n, "d": d}) for n in self.n for d in self.d]
        return {choice.name: choice for choice in choices}


class AbroadExperiment(_MpolExperiment):
    """In place of Fig. 12: WiFi and LTE, RTTs of 160 to 320 ms, a little loss, nobody else's traffic."""

    rate_mbit_s: _RateMbitS
    duration_s: _DurationS

    def _settings(self) -> list[str]:
        return ["abroad"]

    def _drawn(self, setting: str, rng: np.random.Generator) -> Scenario:
        del setting
        last = {"queue_bytes": 300_000, "loss": 0.001, "jitter_ms": 5.0}
        wifi = WifiAccess.model_validate(
            {"kind": "wifi", "rate_mbit_s": 4 * self.rate_mbit_s, "burst_packets": path.WIFI_BURST_PACKETS, **last}
        )
        lte = LteAccess.model_validate(
            {
                "kind": "lte",
                "rate_mbit_s": 1.5 * self.rate_mbit_s,
                "rate_sigma": path.LTE_RATE_SIGMA,
                "rate_step_ms": path.LTE_RATE_STEP_MS,
                **last,
            }
        )
        kinds: dict[str, AnyAccess] = {"wifi": wifi, "lte": lte}
        subflows = tuple(
            _own(number, access, path=name, rtt_ms=round(float(rng.uniform(160, 320)), 3))
            for number, (name, access) in enumerate(kinds.items())
        )
        return _network(rng, self.rate_mbit_s, subflows, self.duration_s, rtt_ms=240.0)


class MpolExperiments(Experiments):
    """All experiments."""

    loss: LossExperiment
    still: StillExperiment
    fairness: FairnessExperiment
    peers: PeerExperiment
    files: FileExperiment
    situations: SituationExperiment
    monitoring: MonitoringExperiment
    steps: StepExperiment
    abroad: AbroadExperiment
