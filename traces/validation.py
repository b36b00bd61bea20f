"""Bottleneck validation: whether the intended bottleneck was the bottleneck.

SmartSBD section 3.1: a shared connection must achieve more than ``alpha`` of the largest throughput
its group achieved, and of a non-shared connection each subflow must. A group is the connections of
one site, scenario and label.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


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
class Verdict:
    """Whether to believe the label, and why."""

    valid: bool
    why: str


def throughput_mbit_s(first_ns: int, last_ns: int, acked_bytes: int) -> float:
    """Return `acked_bytes` over the time from the first to the last ACK, in Mbit/s; 0 if it took no time.

    Examples
    --------
    >>> throughput_mbit_s(0, 1_000_000_000, 1_000_000)
    8.0
    """
    if last_ns <= first_ns:
        return 0.0
    return acked_bytes * 8000 / (last_ns - first_ns)


def validate(achieved: Sequence[Achieved], alpha: float) -> list[Verdict]:
    """Judge every connection against the best of its group.

    Parameters
    ----------
    achieved : sequence of Achieved
    alpha : float in (0, 1)
        Share of the group's best that must be exceeded; 0.8 in the paper.

    Returns
    -------
    list of Verdict
        One per connection, in order.

    References
    ----------
    SmartSBD, section 3.1, Bottleneck Validation.
    """
    if not 0 < alpha < 1:
        raise ValueError(f"alpha is {alpha}, must lie in (0, 1): it is a share of the best throughput")
    best: dict[tuple[tuple[str, ...], bool], tuple[float, ...]] = {}
    for one in achieved:
        rates = (one.total_mbit_s,) if one.shared else one.rates_mbit_s
        known = best.get((one.group, one.shared), (0.0,) * len(rates))
        best[one.group, one.shared] = tuple(max(pair) for pair in zip(known, rates, strict=True))
    return [_judge(one, best[one.group, one.shared], alpha) for one in achieved]


def _judge(one: Achieved, desired: tuple[float, ...], alpha: float) -> Verdict:
    rates = (one.total_mbit_s,) if one.shared else one.rates_mbit_s
    names = ("connection",) if one.shared else tuple(f"subflow {index}" for index in range(len(rates)))
    for name, rate, wanted in zip(names, rates, desired, strict=True):
        if not rate > alpha * wanted:
            return Verdict(False, f"{name} achieved {rate:.3f} of {wanted:.3f} Mbit/s")
    return Verdict(True, f"every bottleneck above {alpha} of the best of its group")
