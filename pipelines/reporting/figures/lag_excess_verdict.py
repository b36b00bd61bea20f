"""A figure of a verdict of the lag excess: a pair's delays, the correlogram of the loudest band, and all bands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from smartsbd.detectors.lag_excess import Criterion, Judgement, judgements
from smartsbd.features.fixed import ONE_Q10
from smartsbd.features.lag_excess.band import BANDS, NULL_LAGS, Band
from smartsbd.features.lag_excess.excess import correlations_q15, excesses
from smartsbd.features.lag_excess.lattice import STEPS_PER_RTT, reason_before_judgement
from smartsbd.features.lag_excess.memory import Evidence
from smartsbd.pipelines.reporting.figures import style
from smartsbd.pipelines.reporting.figures.pair_delays import PairDelays, draw_delays, draw_nothing

_ROW_INCHES = 2.6
_Q15 = 1 << 15
#: Nearly all null correlations lie within this number of standard deviations of their mean.
_BAND_SD = 2
_LEGEND = (
    "Agreement of changes: in the middle at every lag, of the band that says most; on the right the best at a possible"
    " lag (dot), of every band.\nGrey: what impossible lags have, mean and two standard deviations. Orange: lags of one"
    " round trip at most, which a shared queue can have."
)
_WORDS = {True: "shared", False: "not shared", None: "no verdict"}
_COLOUR = {True: style.ORANGE, False: style.BLUE, None: style.GREY}


@dataclass(frozen=True)
class JudgedPair:
    """A pair of subflows, and the last judgement on it.

    Attributes
    ----------
    delays : PairDelays
    last : Judgement or None
        None where there was no tile.
    reason : str or None
        Why there is no verdict.
    """

    delays: PairDelays
    last: Judgement | None
    reason: str | None


def judged_pair(delays: PairDelays, criterion: Criterion) -> JudgedPair:
    """Return a pair with samples of both, and the judgement on it at the end.

    Parameters
    ----------
    delays : PairDelays
    criterion : Criterion

    Returns
    -------
    JudgedPair
    """
    *_, last = [None, *([] if delays.refused else judgements(delays.x, delays.y, criterion))]
    early = delays.refused or reason_before_judgement(delays.x, delays.y)
    return JudgedPair(delays, last, early if last is None else last.reason)


def _correlations(evidence: Evidence, band: Band) -> npt.NDArray[np.float64]:
    of = evidence.correlogram
    place = BANDS.index(band)
    correlations: npt.NDArray[np.float64] = correlations_q15(of.agreement[place], of.counted[place]) / _Q15
    return correlations


def _null(correlations: npt.NDArray[np.float64]) -> tuple[float, float]:
    null = np.concatenate([correlations[:NULL_LAGS], correlations[-NULL_LAGS:]])
    return float(null.mean()), float(null.std())


def _draw_correlogram(axes: Axes, evidence: Evidence, band: Band) -> None:
    """Draw the agreement of one band at every lag; within one round trip it may be a shared queue's."""
    correlations = _correlations(evidence, band)
    lags = np.array(band.lags) * band.stride / STEPS_PER_RTT
    mean, sd = _null(correlations)
    axes.axhspan(mean - _BAND_SD * sd, mean + _BAND_SD * sd, color=style.GREY, alpha=0.35, lw=0)
    axes.axvspan(-1, 1, color=style.ORANGE, alpha=0.12, lw=0)
    for part in np.split(np.arange(lags.size), [NULL_LAGS, lags.size - NULL_LAGS]):
        axes.plot(lags[part], correlations[part], ".-", lw=0.7, ms=3, color="black")
    axes.set_xlabel("lag, round trips")
    axes.set_ylabel("agreement")
    axes.set_title(f"changes over {band.span / STEPS_PER_RTT:g} round trips", fontsize=8, loc="left")


def _draw_bands(axes: Axes, judged: JudgedPair, last: Judgement, evidence: Evidence) -> None:
    """Draw each band's best agreement at a possible lag, and the agreement at impossible lags."""
    for place, (band, excess) in enumerate(zip(BANDS, excesses(evidence.correlogram), strict=True)):
        if excess is None:
            continue
        mean, sd = _null(_correlations(evidence, band))
        axes.plot([place, place], [mean - _BAND_SD * sd, mean + _BAND_SD * sd], lw=9, color=style.GREY, alpha=0.5)
        axes.plot(place, excess.peak_q10 / ONE_Q10, "o", ms=5, color=_COLOUR[last.shared])
    axes.set_xticks(range(len(BANDS)), [f"{band.span / STEPS_PER_RTT:g}" for band in BANDS], fontsize=7)
    axes.set_xlabel("changes over, round trips")
    score = "" if last.score_q10 is None else f", score {last.score_q10 / ONE_Q10:.2f}"
    axes.set_title(f"{_WORDS[last.shared]}{score}", fontsize=8, loc="left")


def verdicts(pairs: Sequence[JudgedPair]) -> Figure:
    """Draw a row for each pair.

    Round trips are the larger of the two smallest RTTs.

    Parameters
    ----------
    pairs : sequence of JudgedPair

    Returns
    -------
    Figure
        Three panels in each row.
    """
    figure = Figure(figsize=(11, _ROW_INCHES * len(pairs)), layout="constrained")
    rows = figure.subplots(len(pairs), 3, squeeze=False, width_ratios=[2, 1, 1])
    for (left, middle, right), judged in zip(rows, pairs, strict=True):
        last = judged.last
        draw_delays(left, judged.delays, None if last is None else (last.start_ns, last.end_ns))
        if last is None or last.evidence is None:
            draw_nothing(middle, judged.reason)
            right.set_axis_off()
            continue
        band_excesses = excesses(last.evidence.correlogram)
        loudest = max(
            range(len(BANDS)), key=lambda place: -(1 << 30) if (e := band_excesses[place]) is None else e.excess_q10
        )
        _draw_correlogram(middle, last.evidence, BANDS[loudest])
        _draw_bands(right, judged, last, last.evidence)
    figure.supxlabel(_LEGEND, fontsize=7, color="#4a5568")
    return figure
