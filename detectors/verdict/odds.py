"""From sums to evidence, and from evidence to the logarithm of the odds that two subflows share a bottleneck."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from smartsbd.detectors.verdict.change_signs import BANDS, stride_of
from smartsbd.detectors.verdict.fading_sums import PARTS, SAMPLE_PARTS, FadingSums
from smartsbd.detectors.verdict.lag_agreement import NULL_LAGS, STEPS_PER_RTT, lags_of, possible_of
from smartsbd.features.fixed import truncated

_ONE_Q10 = 1024
#: 1e-4 is added to a variance.
_FLOOR_Q30 = (1 << 30) // 10_000
#: Impossible lags that a band needs to have an excess.
_LEAST_NULLS = 10


@dataclass(frozen=True)
class PairEvidence:
    """The evidence in sums; None where too little was counted. Correlations and excesses are Q10.

    Attributes
    ----------
    lag_q10 : int or None
        Excess of the agreement over that at impossible lags, in standard deviations, mean over the bands that have one,
        at the common lag where this is largest.
    level_q10 : int or None
        Correlation of the delays, at the lag where it is largest.
    own_q10 : int or None
        Correlation of adjacent samples of a subflow, mean of both, at least 0.
    lead_q10 : int or None
        By how much the correlation of probes with the other subflow's next samples exceeds that with the next probes.
    bands : int
        Those that have an excess.
    samples, probes : int
        Pairs of adjacent samples, and probes, of the subflow that has fewer; in parts of 256.
    memory_q10 : tuple of int or None
        Of each subflow: correlation of probes with the next ones, half a round trip later.
    """

    lag_q10: int | None
    level_q10: int | None
    own_q10: int | None
    lead_q10: int | None
    bands: int
    samples: int
    probes: int
    memory_q10: tuple[int | None, int | None] = (None, None)


def _clamped(value: int, least: int, most: int) -> int:
    return min(max(value, least), most)


def _correlation_q10(both: int, a: int, b: int) -> int | None:
    """Return a correlation of sums of one scale; None if one does not vary."""
    if a <= 0 or b <= 0:
        return None
    while a >= 1 << 40 or b >= 1 << 40:
        a, b, both = a >> 2, b >> 2, truncated(both, 4)
    size = math.isqrt(a) * math.isqrt(b)
    return _clamped(truncated(both * _ONE_Q10, size), -_ONE_Q10, _ONE_Q10) if size else None


def _band_excess_q10(agreement: Sequence[int], counted: Sequence[int], band: int) -> list[int] | None:
    """Return a band's excess at each possible lag, in strides; None if too little was counted."""
    most = max(counted)
    if most < 12 * PARTS:
        return None
    possible = possible_of(band)
    shares = [
        truncated(value << 15, max(count, 1)) if 10 * count >= 3 * most else None
        for value, count in zip(agreement, counted, strict=True)
    ]
    peaks = slice(NULL_LAGS, NULL_LAGS + 2 * possible + 1)
    nulls = [
        share
        for place, (share, count) in enumerate(zip(shares, counted, strict=True))
        if share is not None and count >= 8 * PARTS and not peaks.start <= place < peaks.stop
    ]
    if len(nulls) < _LEAST_NULLS or all(share is None for share in shares[peaks]):
        return None
    total, n = sum(nulls), len(nulls)
    spread = math.isqrt(n * sum(share**2 for share in nulls) - total**2 + n**2 * _FLOOR_Q30)
    return [
        -3072
        if share is None
        else _clamped(truncated((n * share - total) * _ONE_Q10, spread), -3 * _ONE_Q10, 8 * _ONE_Q10)
        for share in shares[peaks]
    ]


def _lag_evidence(sums: FadingSums) -> tuple[int | None, int]:
    """Return the excess at the common lag, and the number of bands that have one."""
    at_lag = dict.fromkeys(range(-STEPS_PER_RTT, STEPS_PER_RTT + 1), 0)
    bands = place = 0
    for band in range(BANDS):
        lags = len(lags_of(band))
        excess_q10 = _band_excess_q10(sums.agreement[place : place + lags], sums.counted[place : place + lags], band)
        place += lags
        if excess_q10 is None:
            continue
        bands += 1
        stride, possible = stride_of(band), possible_of(band)
        for lag in at_lag:
            # The nearest stride, the nearer to zero of two.
            by = min((abs(lag) + (stride - 1) // 2) // stride, possible)
            at_lag[lag] += excess_q10[possible + (by if lag >= 0 else -by)]
    return (truncated(max(at_lag.values()), bands), bands) if bands else (None, 0)


def _level_evidence(sums: FadingSums) -> int | None:
    if sums.level_both < 10 * PARTS:
        return None
    correlations_q10 = [
        _correlation_q10(truncated(product * sums.level_both, counted), *sums.level_squares)
        for product, counted in zip(sums.level_products, sums.level_counted, strict=True)
        if counted >= 10 * PARTS
    ]
    return max((value for value in correlations_q10 if value is not None), default=None)


def _adjacent_evidence(sums: FadingSums) -> int | None:
    correlations_q10 = [
        _correlation_q10(products, before, after) if count >= 5 * SAMPLE_PARTS else None
        for count, before, after, products in sums.adjacent
    ]
    if correlations_q10[0] is None or correlations_q10[1] is None:
        return None
    return _clamped(truncated(correlations_q10[0] + correlations_q10[1], 2), 0, _ONE_Q10)


def _probe_correlations(probes: Sequence[int]) -> list[int] | None:
    """Return the correlations of probes with the other subflow's next samples, and with the next probes."""
    count, totals, squares, products = probes[0], probes[1:4], probes[4:7], probes[7:10]
    if count < 8 * SAMPLE_PARTS:
        return None

    def spread(sum_of_products: int, a: int, b: int) -> int:
        return (count * sum_of_products >> 8) - a * b

    probe_spread = spread(squares[0], totals[0], totals[0])
    cross_q10, auto_q10 = (
        _correlation_q10(
            spread(products[place], totals[0], totals[place]),
            probe_spread,
            spread(squares[place], totals[place], totals[place]),
        )
        for place in (1, 2)
    )
    return None if cross_q10 is None or auto_q10 is None else [cross_q10, auto_q10]


def _lead_evidence(correlations: Sequence[Sequence[int] | None]) -> int | None:
    a, b = correlations
    return None if a is None or b is None else _clamped(a[0] - a[1] + b[0] - b[1], -1536, 512)


def evidence_of(sums: FadingSums) -> PairEvidence:
    """Return the evidence in sums.

    Parameters
    ----------
    sums : FadingSums

    Returns
    -------
    PairEvidence
        A measure is None where too little was counted.
    """
    lag_q10, bands = _lag_evidence(sums)
    correlations = [_probe_correlations(probes) for probes in sums.probes]
    memory_q10 = [None if pair is None else pair[1] for pair in correlations]
    return PairEvidence(
        lag_q10=lag_q10,
        level_q10=_level_evidence(sums),
        own_q10=_adjacent_evidence(sums),
        lead_q10=_lead_evidence(correlations),
        bands=bands,
        samples=min(adjacent[0] for adjacent in sums.adjacent),
        probes=min(probes[0] for probes in sums.probes),
        memory_q10=(memory_q10[0], memory_q10[1]),
    )


def _log_q10(parts: int) -> int:
    """Return log2 of a count in parts of 256, from 3 to 10, linear between powers of two."""
    if parts < 8 * SAMPLE_PARTS:
        return 3 * _ONE_Q10
    power = parts.bit_length() - 9
    return min(power * _ONE_Q10 + ((parts - (SAMPLE_PARTS << power)) * _ONE_Q10 >> power + 8), 10 * _ONE_Q10)


def _weighed(value_q10: int | None, parts: int) -> int:
    """Return a correlation, made smaller where it rests on few samples; 0 for none."""
    return 0 if value_q10 is None else truncated(value_q10 * parts, parts + 15 * SAMPLE_PARTS)


def score_q10(evidence: PairEvidence) -> int:
    """Return the logarithm of the odds that the pair shares.

    The weights were fitted on design sets (docs/experiments/common-lag.md).

    Returns
    -------
    int
        Natural logarithm, Q10; above 0, sharing is the likelier.

    Examples
    --------
    >>> score_q10(PairEvidence(None, None, None, None, 0, 0, 0))
    -1348
    """
    lag = 0 if evidence.lag_q10 is None else _clamped(evidence.lag_q10, -_ONE_Q10, 5 * _ONE_Q10)
    adjacent = 0 if evidence.own_q10 is None else _log_q10(evidence.samples) * evidence.own_q10 >> 10
    level, lead = _weighed(evidence.level_q10, evidence.samples), _weighed(evidence.lead_q10, evidence.probes)
    return (1770 * lag + 5940 * level + 5242 * lead - 767 * adjacent >> 10) - 1348
