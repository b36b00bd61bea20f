"""The dataset ``shift``: bottlenecks that move, SmartSBD's section 5.3.3.

First and last the server's uplink is the shared bottleneck of both subflows and of a bulk TCP flow;
between, WiFi and LTE are throttled at the client as in Table 2 and the uplink is wide. Each phase
takes 60 s in the paper. The bulk flow follows the WiFi path to its end; in the paper it goes to
another client. Evaluation only: never trained or tuned on.
"""

from __future__ import annotations

import numpy as np
from pydantic import NonNegativeInt, PositiveFloat, PositiveInt

from smartsbd.scenarios import path
from smartsbd.scenarios.scenario import Background, Link, Names, Run, Scenario, SubflowPath
from smartsbd.scenarios.sites import SITES, check_known

_UPLINK_MBIT_S = 16.0
_OWN_MBIT_S = (7.0, 3.0)
_WIDE_MBIT_S = 100.0
_QUEUE_RTTS = (0.6, 1.6)
_PATHS = ("wifi", "lte")
_RTT_SPREAD = 0.1


def _moving(link: Link, first: float, between: float, phase_s: float) -> Link:
    start_s = path.CONNECTION_START_S
    return link.model_copy(
        update={"rate_mbit_s": ((0.0, first), (start_s + phase_s, between), (start_s + 2 * phase_s, first))}
    )


def draw(site: str, rng: np.random.Generator, phase_s: float) -> Run:
    """Draw one connection.

    Parameters
    ----------
    site : str
        Name in :data:`~smartsbd.scenarios.sites.SITES`.
    rng : numpy.random.Generator
        Everything random comes from it.
    phase_s : float, seconds
        Length of each of the three phases.

    Returns
    -------
    Run
        Of three phases.
    """
    spread = np.exp(rng.normal(0.0, _RTT_SPREAD, size=2))
    rtt_ms = [round(SITES[site].rtt_ms[index] * spread[index], 3) for index in range(2)]
    queue_rtts = rng.uniform(*_QUEUE_RTTS, size=3)
    uplink = path.shaped("server", _UPLINK_MBIT_S, queue_rtts[0] * sum(rtt_ms) / 2)
    own_links = [path.shaped("client", _OWN_MBIT_S[index], queue_rtts[1 + index] * rtt_ms[index]) for index in range(2)]
    accesses = (path.wifi(rng, rng.uniform(30, 60)), path.lte(rng, rng.uniform(30, 50)))
    moves_s = (path.CONNECTION_START_S + phase_s, path.CONNECTION_START_S + 2 * phase_s)
    scenario = Scenario(
        seed=path.seed(rng),
        duration_s=path.CONNECTION_START_S + 3 * phase_s,
        connection=path.connection(rng, "lia", bottleneck_mbit_s=_UPLINK_MBIT_S),
        links=(
            _moving(uplink, _UPLINK_MBIT_S, _WIDE_MBIT_S, phase_s),
            *(_moving(own_links[index], _WIDE_MBIT_S, _OWN_MBIT_S[index], phase_s) for index in range(2)),
        ),
        subflows=tuple(
            SubflowPath(
                path=_PATHS[index],
                links=(0, 1 + index),
                bottleneck=((0.0, 0), (moves_s[0], 1 + index), (moves_s[1], 0)),
                start_s=path.start_s(index),
                rtt_ms=rtt_ms[index],
                access=accesses[index],
            )
            for index in range(2)
        ),
        background=(
            Background(
                kind="reno",
                subflow=0,
                enters="server",
                rate_mbit_s=None,
                start_s=round(rng.uniform(0.05, 0.9), 6),
                rtt_ms=round(rtt_ms[0] * rng.uniform(1.1, 1.5), 3),
            ),
        ),
    )
    return Run(scenario=scenario, site=site, setting="shift")


def dataset(
    *, sites: Names, connections_per_site: PositiveInt, phase_s: PositiveFloat, seed: NonNegativeInt
) -> list[Run]:
    """Draw the dataset.

    Parameters
    ----------
    sites : list of str
        Names in :data:`~smartsbd.scenarios.sites.SITES`.
    connections_per_site : int
    phase_s : float, seconds
        Length of each of the three phases.
    seed : int

    Returns
    -------
    list of Run
        Site by site.

    Raises
    ------
    ScenarioError
        If a site is unknown.
    """
    check_known(sites)
    return [
        draw(site, np.random.default_rng([seed, *site.encode(), number]), phase_s)
        for site in sites
        for number in range(connections_per_site)
    ]
