"""Figure of RTTs and features inferred from captures beside those of the sender's log."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.figure import Figure

from smartsbd.pipelines.reporting.figures.style import BLUE, GREY, ORANGE


def differences(differences_us: Mapping[str, npt.NDArray[np.int64]], features: pd.DataFrame) -> Figure:
    """Draw how far RTT and features inferred from captures are from the sender's own.

    Parameters
    ----------
    differences_us : mapping of str to (n,) int64, microseconds
        Inferred less logged RTT at every grid point, by set.
    features : DataFrame
        Columns ``set``, ``feature``, ``change_95``, ``interquartile_range``.
    """
    figure = Figure(figsize=(10, 6.4), layout="constrained")
    left, right = figure.subplots(1, 2)
    # Without samples there is nothing to draw.
    differences_us = {name: values for name, values in differences_us.items() if len(values)}
    for (name, values), colour in zip(differences_us.items(), (ORANGE, BLUE, GREY), strict=False):
        # A difference below one microsecond has no place on a logarithmic axis.
        sizes = np.sort(np.maximum(np.abs(values), 1))
        left.plot(sizes / 1e3, np.arange(1, len(sizes) + 1) / len(sizes), color=colour, label=name)
    left.set_xscale("log")
    left.set_xlabel("RTT inferred less RTT logged, size (ms)")
    left.set_ylabel("share of points of a 10 ms grid")
    left.legend(frameon=False, fontsize=7)
    names = list(dict.fromkeys(features["feature"]))
    height = 0.8 / max(1, len(differences_us))
    for place, (name, colour) in enumerate(zip(differences_us, (ORANGE, BLUE, GREY), strict=False)):
        own = features[features["set"] == name].set_index("feature").loc[names]
        spread = own["interquartile_range"].where(own["interquartile_range"] > 0)
        right.barh(np.arange(len(names)) + place * height, own["change_95"] / spread, height, color=colour, label=name)
    right.set_yticks(np.arange(len(names)) + height, names, fontsize=6)
    right.invert_yaxis()
    right.set_xscale("symlog", linthresh=1e-3)
    right.set_xlabel("change in 95 % of windows at most, in interquartile ranges")
    return figure
