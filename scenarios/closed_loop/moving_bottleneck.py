"""The bottleneck moves: SmartSBD's section 5.3.3 and Fig. 10, the dataset ``shift`` with a rival that leaves.

First and last the uplink is shared with a bulk flow to a client of its own; between, each subflow has a bottleneck of
its own. There the connection has its links for itself, or a bulk flow is beside it on each of them. Each bulk flow
falls silent just before its phase ends: on the wide links it would only take time to simulate.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from pydantic import NonNegativeInt, PositiveFloat, PositiveInt

from smartsbd.scenarios import path
from smartsbd.scenarios.closed_loop.loop_experiment import LoopExperiment, LoopNetwork
from smartsbd.scenarios.closed_loop.sender_control import FEW
from smartsbd.scenarios.closed_loop.shared_link import rival
from smartsbd.scenarios.scenario import Background, Names, Scenario
from smartsbd.scenarios.shift import draw as draw_shift
from smartsbd.scenarios.sites import check_known

#: Bulk flows fall silent so long before their link widens.
_SILENT_S = 0.5


def _on_the_uplink(scenario: Scenario, phase_s: float) -> tuple[Background, ...]:
    """Return the bulk flow beside the connection in the first phase, and another one in the last."""
    first = rival(scenario, scenario.background[0].start_s)
    moves_s = path.CONNECTION_START_S + phase_s, path.CONNECTION_START_S + 2 * phase_s
    return (
        first.model_copy(update={"stop_s": moves_s[0] - _SILENT_S}),
        first.model_copy(update={"start_s": moves_s[1]}),
    )


def _on_own_links(scenario: Scenario, phase_s: float) -> tuple[Background, ...]:
    """Return a bulk flow beside each subflow, while it has a bottleneck of its own."""
    from_s = path.CONNECTION_START_S + phase_s
    return tuple(
        Background(
            kind="reno",
            subflow=index,
            enters="client",
            rate_mbit_s=None,
            start_s=from_s,
            stop_s=from_s + phase_s - _SILENT_S,
            rtt_ms=subflow.rtt_ms,
            leaves="first_link",
        )
        for index, subflow in enumerate(scenario.subflows)
    )


def draw(*, sites: Names, runs: PositiveInt, phase_s: PositiveFloat, seed: NonNegativeInt) -> Iterator[LoopNetwork]:
    """Draw networks of each site, each with and without rivals on the own links.

    Parameters
    ----------
    sites : list of str
        Names in :data:`~smartsbd.scenarios.sites.SITES`.
    runs : int
        Networks of each site and kind of rivals.
    phase_s : float, seconds
        Length of each of the three phases; 60 in the paper.
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
            scenario = draw_shift(site, np.random.default_rng([seed, *site.encode(), number]), phase_s).scenario
            uplink = _on_the_uplink(scenario, phase_s)
            for variant, others in (("own links free", ()), ("own links bulk", _on_own_links(scenario, phase_s))):
                yield LoopNetwork(variant, site, number, scenario.model_copy(update={"background": (*uplink, *others)}))


#: MPCC takes minutes a run at the longest RTTs.
EXPERIMENT = LoopExperiment(draw, FEW, networks={"mpcc": 1})
