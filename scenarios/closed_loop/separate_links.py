"""Each subflow has a bottleneck of its own: SmartSBD's section 5.3.1 and Fig. 8, the settings of Table 2.

Rivals are rate limited, as in section 3.1, or bulk transfers. A bulk rival has its path's base RTT, as closed forms
take it; a limited one has that of the background server near the client.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from pydantic import NonNegativeInt, PositiveInt

from smartsbd.scenarios.closed_loop.loop_experiment import LoopExperiment, LoopNetwork
from smartsbd.scenarios.closed_loop.sender_control import SWITCHED, UNSWITCHED
from smartsbd.scenarios.scenario import Background, Names, Scenario
from smartsbd.scenarios.sites import check_known
from smartsbd.scenarios.sites import draw as draw_at


def _bulk(background: Background, scenario: Scenario) -> Background:
    rtt_ms = scenario.subflows[background.subflow].rtt_ms
    return background.model_copy(update={"rate_mbit_s": None, "rtt_ms": rtt_ms})


def draw(*, sites: Names, runs: PositiveInt, seed: NonNegativeInt) -> Iterator[LoopNetwork]:
    """Draw networks of each site, each with rivals of either kind.

    Parameters
    ----------
    sites : list of str
        Names in :data:`~smartsbd.scenarios.sites.SITES`.
    runs : int
        Networks of each site and kind of rivals.
    seed : int

    Yields
    ------
    LoopNetwork
        Site by site.

    Raises
    ------
    ScenarioError
        If a site is unknown.
    """
    check_known(sites)
    for site in sites:
        for number in range(runs):
            rng = np.random.default_rng([seed, *site.encode(), number])
            limited = draw_at(site, shared=False, congestion_control="lia", rng=rng).scenario
            yield LoopNetwork("rate limited", site, number, limited)
            rivals = tuple(_bulk(flow, limited) for flow in limited.background)
            yield LoopNetwork("bulk", site, number, limited.model_copy(update={"background": rivals}))


#: MPCC takes up to two minutes a run at the longest RTTs, others a second.
EXPERIMENT = LoopExperiment(draw, (*UNSWITCHED, *SWITCHED), networks={"mpcc": 3})
