"""The experiments of the FMBBR paper, each as a part of params.yaml that draws its scenarios.

The network is that of the paper's Table II: three subflows, of which the last two meet at a link that has 0.8 of their
bandwidths in sum, and there a TCP flow under BBR of 5 Mbit/s. What the paper leaves open, and what was put in its
place, is said in experiments.md.

References
----------
FMBBR, sections III and IV: Figs. 2 to 5, Table II.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from smartsbd.scenarios import path
from smartsbd.scenarios.bottleneck_network import HEADER_BYTES, drop_tail, open_access, round_trip_bytes, sender
from smartsbd.scenarios.choice import Choice
from smartsbd.scenarios.scenario import (
    Background,
    ConnectionSettings,
    FurtherConnection,
    FurtherSubflow,
    Link,
    Scenario,
    SubflowPath,
)
from studies.transfers.transfer_experiment import Experiment, Experiments

#: When the connection begins; the rival begins before.
START_S = 2.0
#: What goodput and fairness leave out.
WARM_UP_S = 10.0
#: Interval of the series: the paper's drop is that of means of half a second (ours).
SERIES_S = 0.5
#: What a rival that is limited offers, in Mbit/s.
RIVAL_MBIT_S = 5.0

_OWN_MBIT_S = (10.0, 25.0)
_OWN_DELAY_MS = (10.0, 25.0)
_SHARED_OF_SUM = 0.8
_SHARED_DELAY_MS = 15.0
_OWN_LOSS, _SHARED_LOSS = 0.0005, 0.001
#: Links that are not shaped have these delays in sum, both ways.
_REST_MS = 4.0
_RIVAL_START_S = 0.1
#: Linux's default limit, rounded up.
_RECEIVE_BUFFER_BYTES = 1 << 23

BBR, LIA, BALIA = Choice("bbr"), Choice("lia"), Choice("balia")
FMBBR = Choice("fmbbr", verdicts="paths")
TOGETHER = Choice("fmbbr", parameters={"start": "together"}, verdicts="paths")
#: With its scheduler.
WHOLE = Choice("fmbbr", "irps", verdicts="paths")
ROUTERS = Choice("fmbbr", "irps", verdicts="paths", judging={"by": "routers"})
BY_VERDICT = Choice("fmbbr", "irps", verdicts="lag_excess")
BY_VERDICT_APART = Choice("fmbbr", "irps", verdicts="lag_excess", judging={"before": "apart"})
#: Groups that are wrong for the two subflows that share.
APART = Choice("fmbbr", "irps", verdicts="fixed", judging={"groups": "apart"})
COUPLED, COUPLED_ORACLE = Choice("coupled_bbr"), Choice("coupled_bbr", verdicts="oracle")
CMPBBR = Choice("cmpbbr")
#: What is ours of FMBBR.
OPTIONS = (
    Choice("fmbbr", parameters={"between": "run"}, verdicts="paths"),
    Choice("fmbbr", parameters={"cap": "probing"}, verdicts="paths"),
    Choice("fmbbr", parameters={"least_share": 0.05}, verdicts="paths"),
    Choice("fmbbr", parameters={"refresh_s": 10.0}, verdicts="paths"),
)

_DurationS = Annotated[float, Field(ge=14, le=600)]
_RateMbitS = Annotated[float, Field(ge=1, le=200)]
_Rival = Literal["limited", "bulk"]


@dataclass(frozen=True)
class _Drawn:
    """Rates in Mbit/s and one way delays in ms of the three own links."""

    rates: tuple[float, float, float]
    delays: tuple[float, float, float]

    @property
    def shared_mbit_s(self) -> float:
        return _SHARED_OF_SUM * (self.rates[1] + self.rates[2])

    def rtt_ms(self, number: int) -> float:
        shared = _SHARED_DELAY_MS if number else 0.0
        return 2 * (self.delays[number] + shared) + _REST_MS


def _draw(rng: np.random.Generator) -> _Drawn:
    values = [[round(float(rng.uniform(*of)), 3) for _ in range(3)] for of in (_OWN_MBIT_S, _OWN_DELAY_MS)]
    (one, two, three), (first, second, third) = values
    return _Drawn((one, two, three), (first, second, third))


def _link(place: Literal["server", "client"], rate_mbit_s: float, delay_ms: float, rtt_ms: float) -> Link:
    """Return a link with a queue of a round trip of the path."""
    return drop_tail(((0.0, rate_mbit_s),), round_trip_bytes(rate_mbit_s, rtt_ms), place=place, delay_ms=delay_ms)


def _connection(rng: np.random.Generator, rate_mbit_s: float) -> ConnectionSettings:
    return sender(
        rng,
        "bbr",
        rate_mbit_s=rate_mbit_s,
        receive_buffer_bytes=_RECEIVE_BUFFER_BYTES,
        delivery_details=True,
    )


def _three_paths(rng: np.random.Generator, duration_s: float, background: tuple[Background, ...] = ()) -> Scenario:
    """Return a network of Table II."""
    drawn = _draw(rng)
    crossed = ((0,), (1, 3), (2, 3))
    lost = 1 - (1 - _OWN_LOSS) * (1 - _SHARED_LOSS)
    own = tuple(_link("server", drawn.rates[k], drawn.delays[k], drawn.rtt_ms(k)) for k in range(3))
    shared_rtt_ms = (drawn.rtt_ms(1) + drawn.rtt_ms(2)) / 2
    subflows = tuple(
        SubflowPath(
            path=f"path-{number}",
            links=links,
            bottleneck=((0.0, links[-1]),),
            start_s=START_S,
            rtt_ms=drawn.rtt_ms(number),
            access=open_access(lost if number else _OWN_LOSS),
        )
        for number, links in enumerate(crossed)
    )
    return Scenario(
        seed=path.seed(rng),
        duration_s=duration_s,
        connection=_connection(rng, drawn.shared_mbit_s),
        links=(*own, _link("client", drawn.shared_mbit_s, _SHARED_DELAY_MS, shared_rtt_ms)),
        subflows=subflows,
        background=background,
        series_s=SERIES_S,
    )


def alone_mbit_s(scenario: Scenario) -> list[float]:
    """Return what each subflow could have if the others were still, in Mbit/s of payload.

    Parameters
    ----------
    scenario : Scenario
        One of the experiments'; its background flow crosses the client link of its subflow, and what it offers, if
        that is limited, is not to be had there.
    """
    offered: dict[int, float] = {}
    for flow in scenario.background:
        offered[scenario.subflows[flow.subflow].links[-1]] = flow.rate_mbit_s or 0.0
    mss_bytes = scenario.connection.mss_bytes
    payload = mss_bytes / (mss_bytes + HEADER_BYTES)
    return [
        min(scenario.links[link].rate_at_mbit_s(0) * payload - offered.get(link, 0.0) for link in own.links)
        for own in scenario.subflows
    ]


class DrawsExperiment(Experiment):
    """Figs. 2 to 5: networks drawn from Table II, beside the flow of 5 Mbit/s, and beside the same as a bulk flow."""

    choices: ClassVar[tuple[Choice, ...]] = (
        *(BBR, COUPLED, COUPLED_ORACLE, CMPBBR, FMBBR, TOGETHER, WHOLE, ROUTERS),
        *(BY_VERDICT, BY_VERDICT_APART, APART, *OPTIONS, LIA, BALIA),
    )

    rivals: list[_Rival] = Field(min_length=1, description="How much the TCP flow offers.")
    duration_s: _DurationS

    def _settings(self) -> list[str]:
        return [f"{rival} rival" for rival in self.rivals]

    def _choices(self) -> dict[str, Choice]:
        return {choice.name: choice for choice in self.choices}

    def _drawn(self, setting: str, rng: np.random.Generator) -> Scenario:
        rival = Background(
            kind="bbr",
            subflow=1,
            enters="client",
            rate_mbit_s=RIVAL_MBIT_S if setting == "limited rival" else None,
            start_s=_RIVAL_START_S,
            rtt_ms=2 * _SHARED_DELAY_MS + _REST_MS,
        )
        return _three_paths(rng, self.duration_s, (rival,))


class OneLinkExperiment(Experiment):
    """What two subflows over one link find, one after the other and at once."""

    rate_mbit_s: _RateMbitS
    rtts_ms: list[tuple[float, float]] = Field(min_length=1, description="Base RTTs of the two.")
    duration_s: _DurationS

    def _settings(self) -> list[str]:
        return [f"{first:g} and {second:g} ms" for first, second in self.rtts_ms]

    def _choices(self) -> dict[str, Choice]:
        return {choice.name: choice for choice in (BBR, FMBBR, TOGETHER)}

    def _drawn(self, setting: str, rng: np.random.Generator) -> Scenario:
        rtts_ms = dict(zip(self._settings(), self.rtts_ms, strict=True))[setting]
        subflows = tuple(
            SubflowPath(
                path=f"path-{number}",
                links=(0,),
                bottleneck=((0.0, 0),),
                start_s=START_S,
                rtt_ms=rtt_ms,
                access=open_access(0.0),
            )
            for number, rtt_ms in enumerate(rtts_ms)
        )
        return Scenario(
            seed=path.seed(rng),
            duration_s=self.duration_s,
            connection=_connection(rng, self.rate_mbit_s),
            links=(_link("server", self.rate_mbit_s, path.LINK_DELAY_MS, sum(rtts_ms) / 2),),
            subflows=subflows,
            background=(),
            series_s=SERIES_S,
        )


class PeersExperiment(Experiment):
    """Networks drawn from Table II, with another MPTCP connection over the same links and no TCP flow."""

    peers: list[Literal["bbr", "fmbbr", "lia"]] = Field(
        min_length=1, description="Controllers of the other connection; its groups are those of common links."
    )
    duration_s: _DurationS

    def _settings(self) -> list[str]:
        return [f"beside {peer}" for peer in self.peers]

    def _choices(self) -> dict[str, Choice]:
        return {choice.name: choice for choice in (BBR, WHOLE, BY_VERDICT, LIA)}

    def _drawn(self, setting: str, rng: np.random.Generator) -> Scenario:
        network = _three_paths(rng, self.duration_s)
        # Each scenario draws its own host delays, so the other connection may begin at the same time.
        subflows = tuple(
            FurtherSubflow(
                links=own.links,
                start_s=START_S,
                rtt_ms=own.rtt_ms,
                access=open_access(own.access.loss),
                group=min(number, 1),
            )
            for number, own in enumerate(network.subflows)
        )
        controller = setting.removeprefix("beside ")
        peer = FurtherConnection(congestion_control=controller, scheduler="min_rtt", subflows=subflows)
        return network.model_copy(update={"further_connections": (peer,)})


class FmbbrExperiments(Experiments):
    """All experiments."""

    draws: DrawsExperiment
    one_link: OneLinkExperiment
    peers: PeersExperiment
