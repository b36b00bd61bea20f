"""RTT, congestion state and throughput of subflows."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from smartsbd.features.distance import warping_path
from smartsbd.features.fixed import Int64Array
from smartsbd.features.series import SubflowSignals
from smartsbd.pipelines.reporting.figures.style import COLOURS, GREY, SUBFLOWS, label_legend

_VERDICTS = {"SB": COLOURS["shared"], "NSB": COLOURS["not shared"], "none": GREY}
_NS_PER_S, _US_PER_MS = 1e9, 1e3
#: Links drawn of an alignment.
_LINKS = 60


def boxes(statistics: pd.DataFrame, quantity: str) -> Figure:
    """Draw a Tukey box for each place, label and path, with the mean as a diamond (SmartSBD, Fig. 3 and Fig. 5).

    Parameters
    ----------
    statistics : DataFrame
        Columns ``place``, ``label``, ``path``, ``low``, ``q1``, ``median``, ``q3``, ``high``, ``mean``.
    quantity : str
        What it is, with its unit.

    Returns
    -------
    Figure
    """
    figure = Figure(figsize=(2.0 + 0.45 * len(statistics), 3.8), layout="constrained")
    axes = figure.add_subplot()
    if statistics.empty:
        axes.set_title("no valid label")
        return figure
    names = {"low": "whislo", "q1": "q1", "median": "med", "q3": "q3", "high": "whishi", "mean": "mean"}
    rows = statistics.to_dict("records")
    artists = axes.bxp(
        [{key: row[name] for name, key in names.items()} for row in rows],
        showfliers=False,
        showmeans=True,
        patch_artist=True,
        widths=0.6,
        meanprops={"marker": "D", "markerfacecolor": "black", "markeredgecolor": "black", "markersize": 3},
        medianprops={"color": "black"},
    )
    for box, row in zip(artists["boxes"], rows, strict=True):
        box.set_facecolor(COLOURS[row["label"]])
    axes.set_xticks(range(1, len(rows) + 1), [f"{row['place']}, {row['path']}" for row in rows])
    axes.tick_params(axis="x", labelrotation=60, labelsize=7)
    for text in axes.get_xticklabels():
        text.set_horizontalalignment("right")
        text.set_rotation_mode("anchor")
    axes.set_ylabel(quantity)
    axes.set_ylim(bottom=0)
    label_legend(figure)
    return figure


def connection(signals: Mapping[int, SubflowSignals], windows: pd.DataFrame, title: str) -> Figure:
    """Draw a connection up close: RTT, throughput and congestion of every subflow, windows shaded by their verdict.

    Parameters
    ----------
    signals : mapping of int to SubflowSignals
        By subflow.
    windows : DataFrame
        Columns ``start_ns``, ``window_ns``, ``verdict`` (``SB``, ``NSB`` or ``none``).
    title : str

    Returns
    -------
    Figure
        Three panels, times in seconds since the first ACK.
    """
    figure = Figure(figsize=(9, 5.2), layout="constrained")
    rtt, rate, state = figure.subplots(3, 1, sharex=True, height_ratios=(3, 2, 0.25 + 0.25 * len(signals)))
    origin_ns = min(subflow.ack_time_ns[0] for subflow in signals.values() if subflow.ack_time_ns.size)
    end_ns = max(subflow.ack_time_ns[-1] for subflow in signals.values() if subflow.ack_time_ns.size)
    for place, ((subflow_id, subflow), colour) in enumerate(zip(signals.items(), SUBFLOWS, strict=False)):
        label = f"subflow {subflow_id}"
        rtt.plot(
            _since_s(subflow.rtt_time_ns, origin_ns),
            subflow.rtt_us / _US_PER_MS,
            color=colour,
            linewidth=0.8,
            label=label,
        )
        rate.plot(_since_s(subflow.rate_time_ns, origin_ns), subflow.rate_mbit_s, color=colour, linewidth=0.9)
        until_ns = np.append(subflow.state_time_ns[1:], end_ns)
        spans = [
            (start, stop - start)
            for start, stop, congested in zip(
                _since_s(subflow.state_time_ns, origin_ns),
                _since_s(until_ns, origin_ns),
                subflow.congested,
                strict=True,
            )
            if congested
        ]
        state.broken_barh(spans, (-place - 0.4, 0.8), color=colour)
    for number, window in enumerate(windows.to_dict("records")):
        start = (window["start_ns"] - origin_ns) / _NS_PER_S
        stop = start + window["window_ns"] / _NS_PER_S
        for axes in (rtt, rate, state):
            axes.axvspan(start, stop, color=_VERDICTS[window["verdict"]], alpha=0.10 + 0.08 * (number % 2), linewidth=0)
        rtt.text(
            (start + stop) / 2, 1.01, window["verdict"], transform=rtt.get_xaxis_transform(), ha="center", fontsize=8
        )
    rtt.set_ylabel("RTT (ms)")
    # A cumulative ACK after a recovery acknowledges a window at once: such peaks would flatten all else.
    highest = max(
        float(np.percentile(subflow.rate_mbit_s, 99)) for subflow in signals.values() if subflow.rate_mbit_s.size
    )
    rate.set_ylim(0, 1.3 * highest)
    rate.set_ylabel("throughput (Mbit/s),\npeaks cut off", fontsize=8)
    state.set_yticks([-place for place in range(len(signals))], [f"{subflow_id}" for subflow_id in signals])
    state.set_ylim(-len(signals) + 0.4, 0.6)
    state.set_ylabel("in Recovery\nor Loss", fontsize=8)
    state.set_xlabel("seconds since the first ACK; shaded: windows and their verdicts")
    rtt.legend(loc="lower right", fontsize=7, frameon=False, ncols=len(signals))
    figure.suptitle(title, fontsize=9)
    return figure


def _since_s(time_ns: Int64Array, origin_ns: int) -> np.ndarray:
    return (time_ns - origin_ns) / _NS_PER_S


def alignment(a_us: Int64Array, b_us: Int64Array, step_ns: int, title: str) -> Figure:
    """Draw two series of one window and their best alignment, linked point to point and as a path.

    Parameters
    ----------
    a_us, b_us : (n,) int64, microseconds
        Points on the same grid.
    step_ns : int, nanoseconds
        Its step.
    title : str

    Returns
    -------
    Figure
    """
    path = warping_path(a_us[:, None], b_us[:, None])
    figure = Figure(figsize=(9, 3.4), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(2.6, 1))
    times_s = np.arange(len(a_us)) * step_ns / _NS_PER_S
    a_ms, b_ms = a_us / _US_PER_MS, b_us / _US_PER_MS
    lift = float(np.ptp(np.concatenate([a_ms, b_ms]))) * 1.1
    for i, j in path[:: max(1, len(path) // _LINKS)]:
        left.plot([times_s[i], times_s[j]], [a_ms[i] + lift, b_ms[j]], color=GREY, linewidth=0.6)
    left.plot(times_s, a_ms + lift, color=SUBFLOWS[0], linewidth=1.2, label="first subflow, lifted")
    left.plot(times_s, b_ms, color=SUBFLOWS[1], linewidth=1.2, label="second subflow")
    left.set_xlabel("seconds since the window's start")
    left.set_ylabel("ms")
    left.legend(fontsize=7, frameon=False, loc="lower center", bbox_to_anchor=(0.5, 1), ncols=2)
    right.plot(times_s, times_s, color=GREY, linewidth=0.8, linestyle=":")
    right.plot(times_s[path[:, 1]], times_s[path[:, 0]], color="black", linewidth=1.2)
    right.set_aspect("equal")
    right.set_xlabel("second subflow (s)")
    right.set_ylabel("first subflow (s)")
    figure.suptitle(title, fontsize=9)
    return figure
