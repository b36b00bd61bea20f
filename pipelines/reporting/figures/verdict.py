"""A figure of a verdict: a pair's delays, the correlogram of the band with the largest excess, and all bands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from contracts.fault import printable
from features import judged_rtts
from features.fixed import ONE_Q10
from features.lag_excess.band import BANDS, NULL_LAGS, Band
from features.lag_excess.excess import correlations_q15, excesses
from features.lag_excess.lattice import STEPS_PER_RTT, reason_before_judgement
from features.lag_excess.memory import Evidence
from features.reading import Reading
from features.series import SubflowSignals
from models.detectors.lag_excess import Criterion, Judgement, judgements
from models.partition import pairs_of
from pipelines.reporting.figures import style
from traces.recording import Recording

_ROW_INCHES = 2.6
_NS_PER_S = 1e9
_US_PER_MS = 1e3
_Q15 = 1 << 15
#: Null correlations lie within so many standard deviations of their mean, nearly all.
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
    title : str
    x, y : SubflowSignals
        The pair, lower subflow number first.
    names : (str, str)
        Of its subflows.
    last : Judgement or None
        None where there was no tile.
    reason : str or None
        Why there is no verdict.
    """

    title: str
    x: SubflowSignals
    y: SubflowSignals
    names: tuple[str, str]
    last: Judgement | None
    reason: str | None


def pairs_of_input(recorded: Recording, criterion: Criterion, reading: Reading) -> Iterator[JudgedPair]:
    """Yield every pair of subflows with RTTs of both, and the judgement on it at the end.

    Parameters
    ----------
    recorded : Recording
    criterion : Criterion
    reading : Reading
        How signals are read.
    """
    for connection_id, connection in recorded.connections():
        found = judged_rtts.judged(connection, reading)
        for a, b in pairs_of(found):
            x, y = found[a].signals, found[b].signals
            if not min(x.rtt_us.size, y.rtt_us.size):
                continue
            refused = judged_rtts.RULE.refused(found[a], found[b])
            title = f"{printable(connection_id)}: subflows {a} and {b}"
            yield judged_pair(title, x, y, (f"subflow {a}", f"subflow {b}"), criterion, refused)


def judged_pair(
    title: str,
    x: SubflowSignals,
    y: SubflowSignals,
    names: tuple[str, str],
    criterion: Criterion,
    refused: str | None = None,
) -> JudgedPair:
    """Return a pair with samples of both, and the judgement on it at the end.

    Parameters
    ----------
    title : str
    x, y : SubflowSignals
        The pair, lower subflow number first.
    names : (str, str)
        Of its subflows.
    criterion : Criterion
    refused : str, optional
        Why its RTTs allow no verdict.
    """
    *_, last = [None, *([] if refused else judgements(x, y, criterion))]
    early = refused or reason_before_judgement(x, y)
    return JudgedPair(title, x, y, names, last, early if last is None else last.reason)


def _correlations(evidence: Evidence, band: Band) -> npt.NDArray[np.float64]:
    of = evidence.correlogram
    place = BANDS.index(band)
    found: npt.NDArray[np.float64] = correlations_q15(of.agreement[place], of.counted[place]) / _Q15
    return found


def _null(correlations: npt.NDArray[np.float64]) -> tuple[float, float]:
    null = np.concatenate([correlations[:NULL_LAGS], correlations[-NULL_LAGS:]])
    return float(null.mean()), float(null.std())


def _draw_delays(axes: Axes, judged: JudgedPair) -> None:
    start_ns = min(own.rtt_time_ns[0] for own in (judged.x, judged.y) if own.rtt_time_ns.size)
    for own, name, colour in zip((judged.x, judged.y), judged.names, ("black", style.ORANGE), strict=True):
        axes.plot((own.rtt_time_ns - start_ns) / _NS_PER_S, own.rtt_us / _US_PER_MS, lw=0.6, color=colour, label=name)
    if judged.last is not None:
        span_s = [(one - start_ns) / _NS_PER_S for one in (judged.last.start_ns, judged.last.end_ns)]
        axes.axvspan(*span_s, color=style.GREY, alpha=0.25, lw=0, label="what the verdict rests on")
    axes.set_xlabel("time, s")
    axes.set_ylabel("RTT, ms")
    axes.legend(fontsize=6, frameon=False, loc="lower right", bbox_to_anchor=(1, 0.98), ncols=3)
    axes.set_title(judged.title, fontsize=8, loc="left")


def _draw_correlogram(axes: Axes, evidence: Evidence, band: Band) -> None:
    """Draw the agreement of one band at every lag; within one round trip it may be a shared queue's."""
    found = _correlations(evidence, band)
    lags = np.array(band.lags) * band.stride / STEPS_PER_RTT
    mean, sd = _null(found)
    axes.axhspan(mean - _BAND_SD * sd, mean + _BAND_SD * sd, color=style.GREY, alpha=0.35, lw=0)
    axes.axvspan(-1, 1, color=style.ORANGE, alpha=0.12, lw=0)
    for part in np.split(np.arange(lags.size), [NULL_LAGS, lags.size - NULL_LAGS]):
        axes.plot(lags[part], found[part], ".-", lw=0.7, ms=3, color="black")
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


def _draw_nothing(axes: Axes, why: str | None) -> None:
    axes.text(0.02, 0.5, f"no verdict: {why}", fontsize=7, wrap=True, transform=axes.transAxes)
    axes.set_axis_off()


def verdicts(pairs: Sequence[JudgedPair]) -> Figure:
    """Draw a row for each pair.

    Round trips are the larger of the two smallest RTTs.

    Parameters
    ----------
    pairs : sequence of JudgedPair
    """
    figure = Figure(figsize=(11, _ROW_INCHES * len(pairs)), layout="constrained")
    rows = figure.subplots(len(pairs), 3, squeeze=False, width_ratios=[2, 1, 1])
    for (left, middle, right), judged in zip(rows, pairs, strict=True):
        _draw_delays(left, judged)
        last = judged.last
        if last is None or last.evidence is None:
            _draw_nothing(middle, judged.reason)
            right.set_axis_off()
            continue
        found = excesses(last.evidence.correlogram)
        loudest = max(range(len(BANDS)), key=lambda place: -(1 << 30) if (e := found[place]) is None else e.excess_q10)
        _draw_correlogram(middle, last.evidence, BANDS[loudest])
        _draw_bands(right, judged, last, last.evidence)
    figure.supxlabel(_LEGEND, fontsize=7, color="#4a5568")
    return figure
