"""A verdict drawn: the RTTs of both paths over time, and at the foot what was said."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

    from smartsbd.judging import PairVerdict
    from smartsbd.samples import PathSamples

#: As in all figures of the project: shared, not shared, no verdict.
_COLOURS = {True: "#dd8833", False: "#2b6cb0", None: "#cbd5e0"}
_WORDS = {True: "shared", False: "not shared", None: "no verdict"}
_LINES = ("#1a202c", "#38a169")
_FOOT = 0.06
_US_PER_MS = 1e3
_SIZE_INCHES = (8, 2.8)


def draw(
    verdict: PairVerdict, samples: tuple[PathSamples, PathSamples], names: tuple[str, str], ax: Axes | None
) -> Axes:
    """Draw a verdict; times are seconds after the first sample.

    Parameters
    ----------
    verdict : PairVerdict
    samples : (PathSamples, PathSamples)
        What it was judged from.
    names : (str, str)
        Of the paths.
    ax : Axes or None
        Where; None is a figure of its own.

    Returns
    -------
    Axes

    Raises
    ------
    ModuleNotFoundError
        If matplotlib is not installed.
    """
    try:
        from matplotlib import pyplot as plt
        from matplotlib.patches import Patch
    except ModuleNotFoundError as error:
        why = "plot draws with matplotlib: pip install 'smartsbd[plot]' adds it"
        raise ModuleNotFoundError(why, name="matplotlib") from error
    if ax is None:
        _, ax = plt.subplots(figsize=_SIZE_INCHES, layout="constrained")
    first_s = min((float(path.times_s[0]) for path in samples if path.times_s.size), default=0.0)
    handles: list[Artist] = []
    for path, name, colour in zip(samples, names, _LINES, strict=True):
        handles += ax.plot(path.times_s - first_s, path.rtt_us / _US_PER_MS, lw=0.6, color=colour, label=name)
    for span in verdict.judgements:
        ax.axvspan(span.from_s - first_s, span.to_s - first_s, ymax=_FOOT, color=_COLOURS[span.shared], lw=0)
    answers = dict.fromkeys(span.shared for span in verdict.judgements)
    handles += [Patch(color=_COLOURS[shared], label=_WORDS[shared]) for shared in answers]
    highest_ms = max((float(np.max(path.rtt_us)) / _US_PER_MS for path in samples if path.rtt_us.size), default=1.0)
    ax.set(xlabel="time after the first sample, s", ylabel="RTT, ms", ylim=(-0.12 * highest_ms, 1.05 * highest_ms))
    ax.set_title(repr(verdict).strip("<>").partition(": ")[2], fontsize=9, loc="left", pad=16)
    ax.legend(
        handles=handles, fontsize=7, frameon=False, ncols=len(handles), loc="lower left", bbox_to_anchor=(0, 0.98)
    )
    ax.spines[["top", "right"]].set_visible(False)
    return ax
