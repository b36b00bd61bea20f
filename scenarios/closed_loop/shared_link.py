"""Both subflows share a bottleneck with one TCP flow: SmartSBD's section 5.3.2 and Fig. 9.

The server's uplink has 16 Mbit/s. The rival is a bulk transfer (Reno) from the server that leaves after the uplink for
a client of its own, as far away as the WiFi path's. On the access links is the background of section 3.1.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from pydantic import NonNegativeInt, PositiveInt

from smartsbd.scenarios import path
from smartsbd.scenarios.closed_loop.loop_experiment import LoopExperiment, LoopNetwork
from smartsbd.scenarios.closed_loop.sender_control import SWITCHED, UNSWITCHED
from smartsbd.scenarios.scenario import Background, Names, Scenario
from smartsbd.scenarios.sites import check_known
from smartsbd.scenarios.sites import draw as draw_at

_UPLINK_MBIT_S = 16.0


def rival(scenario: Scenario, start_s: float) -> Background:
    """Return a bulk flow from the server to a client of its own, with the base RTT of the first subflow.

    Parameters
    ----------
    scenario : Scenario
    start_s : float, seconds

    Returns
    -------
    Background
        Its rate is not limited.
    """
    return Background(
        kind="reno",
        subflow=0,
        enters="server",
        rate_mbit_s=None,
        start_s=start_s,
        rtt_ms=scenario.subflows[0].rtt_ms,
        leaves="first_link",
    )


def _widened(scenario: Scenario) -> Scenario:
    """Return a scenario of Table 2 with the wider uplink; its queue takes as long to drain."""
    (uplink,) = scenario.links
    factor = _UPLINK_MBIT_S / uplink.rate_at_mbit_s(0.0)
    wider = {"rate_mbit_s": ((0.0, _UPLINK_MBIT_S),), "queue_bytes": int(factor * uplink.queue_bytes)}
    delay_us = round(path.PACKET_BYTES * 8 / _UPLINK_MBIT_S, 1)
    return scenario.model_copy(
        update={
            "links": (uplink.model_copy(update=wider),),
            "connection": scenario.connection.model_copy(update={"host_delay_us": delay_us}),
        }
    )


def draw(*, sites: Names, runs: PositiveInt, seed: NonNegativeInt) -> Iterator[LoopNetwork]:
    """Draw networks of each site.

    Parameters
    ----------
    sites : list of str
        Names in :data:`~smartsbd.scenarios.sites.SITES`.
    runs : int
        Networks of each site.
    seed : int

    Yields
    ------
    LoopNetwork
        Site by site; the rival is the last background flow.

    Raises
    ------
    ScenarioError
        If a site is unknown.
    """
    check_known(sites)
    for site in sites:
        for number in range(runs):
            rng = np.random.default_rng([seed, *site.encode(), number])
            scenario = _widened(draw_at(site, shared=True, congestion_control="lia", rng=rng).scenario)
            beside = (*scenario.background, rival(scenario, round(rng.uniform(0.05, 0.9), 6)))
            whole = scenario.model_copy(update={"background": beside})
            yield LoopNetwork("one flow beside", site, number, whole, rival=len(beside) - 1)


#: MPCC takes up to two minutes a run at the longest RTTs, others a second.
EXPERIMENT = LoopExperiment(draw, (*UNSWITCHED, *SWITCHED), networks={"mpcc": 3})
