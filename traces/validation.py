"""Bottleneck validation: whether the intended bottleneck was the bottleneck.

Three methods. ``achieved``, SmartSBD's section 3.1: a shared connection must achieve more than ``alpha`` of
the largest throughput its group achieved, and of a non-shared connection each subflow must; a group is
the connections of one site, scenario and label. ``bottleneck``, where every connection has settings of
its own and such groups have one member: each intended bottleneck must be filled, and nearly all queue
drops and marks of its subflows must happen there. ``filled`` asks the former only, for topologies in
which a filled intended bottleneck leaves too little for any other link to fill, while the first slow
start may still overrun one. Only a simulator can measure the last two.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Achieved:
    """What one connection achieved.

    Attributes
    ----------
    group : tuple of str
        Connections compared with one another: site and scenario.
    shared : bool
        The label.
    rates_mbit_s : tuple of float, Mbit/s
        Throughput of each subflow.
    total_mbit_s : float, Mbit/s
        Throughput of the connection.
    """

    group: tuple[str, ...]
    shared: bool
    rates_mbit_s: tuple[float, ...]
    total_mbit_s: float


@dataclass(frozen=True)
class Measured:
    """What the simulator measured at the intended bottlenecks of one pair of subflows.

    Attributes
    ----------
    utilisation : tuple of float
        Of the intended bottleneck of each subflow.
    drop_share : tuple of float or None
        Share of each subflow's queue drops and marks there; None if it had neither.
    """

    utilisation: tuple[float, ...]
    drop_share: tuple[float | None, ...]


@dataclass(frozen=True)
class Verdict:
    """Whether to believe the label, and why."""

    valid: bool
    why: str


@dataclass(frozen=True)
class Criteria:
    """What a label must reach.

    Attributes
    ----------
    alpha, desired_quantile : float
        As :func:`by_achieved` takes them.
    min_utilisation, min_drop_share : float in [0, 1]
        As :func:`by_bottleneck` takes them.
    """

    alpha: float
    desired_quantile: float
    min_utilisation: float
    min_drop_share: float


def throughput_mbit_s(first_ns: int, last_ns: int, acked_bytes: int) -> float:
    """Return `acked_bytes` over the time from the first to the last ACK, in Mbit/s; 0 if it took no time.

    Parameters
    ----------
    first_ns, last_ns : int, nanoseconds
        Times of the first and the last ACK.
    acked_bytes : int, bytes
        Acknowledged in that time.

    Returns
    -------
    float, Mbit/s

    Examples
    --------
    >>> throughput_mbit_s(0, 1_000_000_000, 1_000_000)
    8.0
    """
    if last_ns <= first_ns:
        return 0.0
    return acked_bytes * 8000 / (last_ns - first_ns)


def by_achieved(achieved: Sequence[Achieved], alpha: float, *, quantile: float = 1.0) -> list[Verdict]:
    """Judge every connection against the best of its group.

    Parameters
    ----------
    achieved : sequence of Achieved
    alpha : float in (0, 1)
        Share of the group's best that must be exceeded; 0.8 in the paper.
    quantile : float in (0, 1]
        Which throughput of the group counts as its best; 1 is the paper's maximum, which one
        connection whose background stalled can raise out of everyone's reach.

    Returns
    -------
    list of Verdict
        One per connection, in order.

    Raises
    ------
    ValueError
        If `alpha` does not lie in (0, 1).

    References
    ----------
    SmartSBD, section 3.1, Bottleneck Validation.
    """
    if not 0 < alpha < 1:
        raise ValueError(f"alpha is {alpha}, must lie in (0, 1): it is a share of the best throughput")
    rates: dict[tuple[tuple[str, ...], bool], list[tuple[float, ...]]] = {}
    for connection in achieved:
        rates.setdefault((connection.group, connection.shared), []).append(_judged_rates(connection))
    best = {group: tuple(np.quantile(group_rates, quantile, axis=0).tolist()) for group, group_rates in rates.items()}
    return [_judge(connection, best[connection.group, connection.shared], alpha) for connection in achieved]


def _judged_rates(connection: Achieved) -> tuple[float, ...]:
    return (connection.total_mbit_s,) if connection.shared else connection.rates_mbit_s


def _judge(connection: Achieved, desired: tuple[float, ...], alpha: float) -> Verdict:
    rates = _judged_rates(connection)
    names = ("connection",) if connection.shared else tuple(f"subflow {index}" for index in range(len(rates)))
    for name, rate, wanted in zip(names, rates, desired, strict=True):
        if not rate > alpha * wanted:
            return Verdict(False, f"{name} achieved {rate:.3f} of {wanted:.3f} Mbit/s")
    return Verdict(True, f"every bottleneck above {alpha} of the best of its group")


def by_bottleneck(measured: Measured, *, min_utilisation: float, min_drop_share: float | None) -> Verdict:
    """Judge a pair by what was measured at its intended bottlenecks.

    Parameters
    ----------
    measured : Measured
    min_utilisation : float in [0, 1]
        What the intended bottlenecks must reach.
    min_drop_share : float in [0, 1], or None
        What the share of drops and marks there must reach; None judges by utilisation alone.

    Returns
    -------
    Verdict
        Valid if both criteria hold for every subflow.

    Examples
    --------
    >>> by_bottleneck(Measured((0.97, 0.95), (1.0, 0.93)), min_utilisation=0.9, min_drop_share=0.9).valid
    True
    >>> by_bottleneck(Measured((0.97, 0.95), (1.0, None)), min_utilisation=0.9, min_drop_share=0.9).why
    'subflow 1 met no queue drop or mark'
    """
    for index, (utilisation, drop_share) in enumerate(zip(measured.utilisation, measured.drop_share, strict=True)):
        if utilisation < min_utilisation:
            return Verdict(False, f"bottleneck of subflow {index} utilised {utilisation:.3f}")
        if min_drop_share is None:
            continue
        if drop_share is None:
            return Verdict(False, f"subflow {index} met no queue drop or mark")
        if drop_share < min_drop_share:
            return Verdict(False, f"subflow {index} met {drop_share:.3f} of its drops at its bottleneck")
    drops = "" if min_drop_share is None else ", and the drops happen there"
    return Verdict(True, f"every bottleneck filled{drops}")
