"""Networks on which the check of "shared" is tried: one link, two links, and two links whose capacity moves together.

A network has a bulk flow (Reno) at each bottleneck if its number is odd. The base RTTs of both subflows are the same in
the first two of each four networks. So each label has four networks of each of the four kinds that there are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from smartsbd.scenarios import path
from smartsbd.scenarios.scenario import OPPORTUNITY_BYTES, Access, Background, Link, Scenario, SubflowPath, mean_mbit_s

#: One link; two; two on which one trace of capacity is replayed at once.
SHARED, APART, TWIN = LABELS = ("shared", "apart", "twin")
_RTT_MS, _OWN_MBIT_S, _SHARED_MBIT_S = (30.0, 60.0), (6.0, 10.0), (12.0, 20.0)
#: How the capacity of a twin moves: how often, the deviation of its logarithm, and its bounds over the mean.
_STEP_MS, _SIGMA, _LEAST, _MOST = 500, 0.5, 0.25, 3.0
_ACCESS_MBIT_S = 100.0
_ACCESS_QUEUE_BYTES = 2_000_000


class CheckedNetwork(NamedTuple):
    """A network of the study.

    Parameters
    ----------
    label : str
        One of :data:`LABELS`.
    number : int
        Of those with the label.
    scenario : Scenario
    """

    label: str
    number: int
    scenario: Scenario

    @property
    def name(self) -> str:
        """Name of its files."""
        return f"{self.label}-{self.number:02d}"


def moments_ms(rng: np.random.Generator, rate_mbit_s: float, duration_s: float) -> tuple[int, ...]:
    """Return when a link sends whose capacity is drawn anew twice a second.

    Parameters
    ----------
    rng : numpy.random.Generator
    rate_mbit_s : float, Mbit/s
        What it is about in the mean.
    duration_s : float, seconds

    Returns
    -------
    tuple of int, milliseconds
        As ``opportunities_ms`` of a link.

    Examples
    --------
    >>> moments = moments_ms(np.random.default_rng(1), 8.0, 30.0)
    >>> bool(moments[-1] <= 30_000), 5 < mean_mbit_s(moments) < 12
    (True, True)
    """
    steps = int(np.ceil(duration_s * 1000 / _STEP_MS))
    relative = np.clip(np.exp(rng.normal(-(_SIGMA**2) / 2, _SIGMA, steps)), _LEAST, _MOST)
    per_ms = np.repeat(relative * rate_mbit_s / (OPPORTUNITY_BYTES * 8e-3), _STEP_MS)
    sent = np.floor(np.cumsum(per_ms)).astype(np.int64)
    counts = np.diff(sent, prepend=0)
    return tuple(np.repeat(np.arange(1, len(counts) + 1), counts).tolist())


def has_equal_rtts(number: int) -> bool:
    """Return whether both subflows of a network have one base RTT."""
    return number % 4 in (0, 1)


def _links(
    label: str, rng: np.random.Generator, rtts_ms: Sequence[float], duration_s: float
) -> tuple[tuple[Link, ...], tuple[int, int]]:
    """Return the bottlenecks, and that of each subflow."""
    if label == SHARED:
        rate = round(float(rng.uniform(*_SHARED_MBIT_S)), 3)
        return (path.shaped("client", rate, max(rtts_ms)),), (0, 0)
    if label == APART:
        rates = [round(float(rng.uniform(*_OWN_MBIT_S)), 3) for _ in rtts_ms]
        own = tuple(path.shaped("client", rate, rtt) for rate, rtt in zip(rates, rtts_ms, strict=True))
        return own, (0, 1)
    moments = moments_ms(rng, float(rng.uniform(*_OWN_MBIT_S)), duration_s)
    both = [path.shaped("client", mean_mbit_s(moments), rtt) for rtt in rtts_ms]
    return tuple(link.model_copy(update={"opportunities_ms": moments}) for link in both), (0, 1)


def _scenario(label: str, number: int, duration_s: float, rng: np.random.Generator) -> Scenario:
    rtts_ms = [round(float(rng.uniform(*_RTT_MS)), 3) for _ in range(2)]
    if has_equal_rtts(number):
        rtts_ms[1] = rtts_ms[0]
    whole_s = path.CONNECTION_START_S + duration_s
    links, crossed = _links(label, rng, rtts_ms, whole_s)
    subflows = tuple(
        SubflowPath(
            path="wired",
            links=(link,),
            bottleneck=((0.0, link),),
            start_s=path.start_s(place),
            rtt_ms=rtt_ms,
            access=Access(rate_mbit_s=_ACCESS_MBIT_S, queue_bytes=_ACCESS_QUEUE_BYTES, loss=0.0, jitter_ms=0.0),
        )
        for place, (link, rtt_ms) in enumerate(zip(crossed, rtts_ms, strict=True))
    )
    beside = tuple(
        Background(
            kind="reno",
            subflow=crossed.index(link),
            enters="client",
            rate_mbit_s=None,
            start_s=round(float(rng.uniform(0.05, 0.9)), 6),
            rtt_ms=rtts_ms[crossed.index(link)],
        )
        for link in range(len(links))
        if number % 2
    )
    slowest = min(link.rate_at_mbit_s(0.0) for link in links)
    return Scenario(
        seed=path.seed(rng),
        duration_s=whole_s,
        connection=path.connection(rng, "lia", bottleneck_mbit_s=slowest),
        links=links,
        subflows=subflows,
        background=beside,
    )


def draw(networks: int, duration_s: float, seed: int) -> Iterator[CheckedNetwork]:
    """Yield the networks of each label.

    Parameters
    ----------
    networks : int
        Of each label.
    duration_s : float, seconds
        Length of each transfer.
    seed : int

    Yields
    ------
    CheckedNetwork
        One of each label in turn.
    """
    for number in range(networks):
        for label in LABELS:
            rng = np.random.default_rng([seed, *label.encode(), number])
            yield CheckedNetwork(label, number, _scenario(label, number, duration_s, rng))
