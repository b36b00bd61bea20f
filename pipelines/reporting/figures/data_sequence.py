"""An analysed connection over time: data sequence, receive window, RTT, delivery rate and events, by subflow."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from smartsbd.pipelines.reporting.analysis_numbers import AnalysedConnection
from smartsbd.pipelines.reporting.figures.style import GREY, SUBFLOWS
from smartsbd.traces.connection import NOT_OBSERVED
from smartsbd.traces.connection_analysis import EVENT_KINDS, MOST_GAPS, ConnectionAnalysis, DirectionAnalysis

_NS_PER_S, _US_PER_MS = 1e9, 1e3
#: Sizes of data on an axis, the largest first.
_UNITS = ((1e6, "MB"), (1e3, "kB"), (1.0, "bytes"))
_RED = "#c53030"
_INCHES_OF_EVENTS = 0.17
_LEGEND_COLUMNS = 6
# Inches of data sequence, window, RTT and rate.
_PANELS = (3.2, 1.3, 1.6, 1.3)

Numbers = npt.NDArray[np.int64]


def _colour(subflow: int) -> str:
    return SUBFLOWS[min(subflow, len(SUBFLOWS) - 1)]


def _unit(most: float) -> tuple[float, str]:
    """Return the size in which numbers up to one are shown, and its name."""
    return next((unit for unit in _UNITS if most >= unit[0]), _UNITS[-1])


def _named(subflows: Sequence[int]) -> dict[int, str]:
    """Return what the legend says of each colour's first subflow: those beyond the colours have one in common."""
    last = len(SUBFLOWS) - 1
    names = {number: f"subflow {number}" for number in subflows if number < last}
    beyond = [number for number in subflows if number >= last]
    if beyond:
        names[beyond[0]] = f"subflow {beyond[0]}" + (" and above" if len(beyond) > 1 else "")
    return names


def _since_start_s(time_ns: Numbers, analysis: ConnectionAnalysis) -> npt.NDArray[np.float64]:
    since_s: npt.NDArray[np.float64] = (time_ns - analysis.start_ns) / _NS_PER_S
    return since_s


def _legend(axes: Axes) -> None:
    """Put the legend above a panel, where it hides nothing."""
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), fontsize=7, frameon=False, ncols=_LEGEND_COLUMNS)


def _draw_mappings(axes: Axes, direction: DirectionAnalysis, analysis: ConnectionAnalysis, scale: float) -> None:
    times_s = _since_start_s(direction.mappings.column("time_ns"), analysis)
    subflow = direction.mappings.column("subflow")
    data_seq = direction.mappings.column("data_seq") / scale
    end_seq = data_seq + direction.mappings.column("bytes") / scale
    for number, name in _named(list(analysis.connection.subflows)).items():
        axes.plot([], [], color=_colour(number), linewidth=2, label=name)
    for number in analysis.connection.subflows:
        of_subflow = subflow == number
        axes.vlines(
            times_s[of_subflow], data_seq[of_subflow], end_seq[of_subflow], color=_colour(number), linewidth=1.1
        )
        axes.plot(times_s[of_subflow], data_seq[of_subflow], ".", color=_colour(number), markersize=2)


def _draw_acknowledged(axes: Axes, direction: DirectionAnalysis, analysis: ConnectionAnalysis, scale: float) -> None:
    acked, window = direction.acks.column("data_ack"), direction.acks.column("window")
    known = acked != NOT_OBSERVED
    times_s = _since_start_s(direction.acks.column("time_ns"), analysis)[known]
    highest = np.maximum.accumulate(acked[known]) if known.any() else acked[known]
    axes.step(times_s, highest / scale, where="post", color="black", linewidth=0.8, label="data acknowledged")
    edge = np.maximum.accumulate(acked[known] + window[known]) if known.any() else acked[known]
    axes.step(
        times_s,
        edge / scale,
        where="post",
        color=GREY,
        linewidth=0.8,
        linestyle="--",
        label="end of the receive window",
    )


def _draw_data(axes: Axes, direction: DirectionAnalysis, analysis: ConnectionAnalysis) -> None:
    scale, unit = _unit(direction.ranges.end or 0)
    _draw_mappings(axes, direction, analysis, scale)
    low, high = axes.get_ylim()
    _draw_acknowledged(axes, direction, analysis, scale)
    for number, (start, end) in enumerate(direction.ranges.gaps()[:MOST_GAPS]):
        label = "mapped nowhere" if not number else None
        # As thin as they are, they are seen.
        axes.axhspan(start / scale, end / scale, facecolor=_RED, edgecolor=_RED, alpha=0.3, linewidth=0.5, label=label)
    again = direction.reinjections
    if again.count:
        axes.plot(
            _since_start_s(again.column("time_ns"), analysis),
            again.column("data_seq") / scale,
            "x",
            color=_RED,
            markersize=4,
            markeredgewidth=0.9,
            label="reinjected",
        )
    # The window of the receiver may reach far beyond all that is sent.
    axes.set_ylim(low, high)
    axes.set_ylabel(f"data sequence ({unit})")
    _legend(axes)


def _draw_window(axes: Axes, direction: DirectionAnalysis, analysis: ConnectionAnalysis) -> None:
    times_s = _since_start_s(direction.acks.column("time_ns"), analysis)
    window, outstanding = direction.acks.column("window"), direction.acks.column("outstanding_bytes")
    known = outstanding != NOT_OBSERVED
    scale, unit = _unit(float(window.max(initial=0)))
    axes.step(times_s, window / scale, where="post", color=GREY, linewidth=0.8, label="receive window")
    axes.step(
        times_s[known],
        outstanding[known] / scale,
        where="post",
        color="black",
        linewidth=0.8,
        label="mapped, not acknowledged",
    )
    axes.set_ylim(bottom=0)
    axes.set_ylabel(f"window\n({unit})")
    _legend(axes)


def _draw_deliveries(rtt: Axes, rate: Axes, connection: AnalysedConnection) -> None:
    analysis = connection.analysis
    for number, delivery in connection.deliveries.items():
        times_s = _since_start_s(delivery.rtts.column("time_ns"), analysis)
        rtt.plot(times_s, delivery.rtts.column("rtt_us") / _US_PER_MS, ".", markersize=1.5, color=_colour(number))
        edges_s = np.arange(delivery.acked_in_part.size + 1) * delivery.part_ns / _NS_PER_S
        rate.stairs(delivery.rate_mbit_s(), edges_s, color=_colour(number), linewidth=0.9)
    if not any(delivery.rtts.count for delivery in connection.deliveries.values()):
        rtt.text(0.01, 0.5, "no RTT sample: docs/formats.md says where a capture has them", transform=rtt.transAxes)
    rtt.set_ylabel("RTT\n(ms)")
    rate.set_ylabel("acknowledged\n(Mbit/s)")
    for axes in (rtt, rate):
        axes.set_ylim(bottom=0)


def _draw_events(axes: Axes, analysis: ConnectionAnalysis, kinds: Sequence[str]) -> None:
    for row, kind in enumerate(kinds):
        points = analysis.events[kind]
        times_s = _since_start_s(points.column("time_ns"), analysis)
        subflows = points.column("subflow")
        for number in np.unique(subflows).tolist():
            subflow_times_s = times_s[subflows == number]
            axes.plot(
                subflow_times_s,
                np.full(subflow_times_s.size, -row),
                "|",
                color=_colour(number),
                markersize=7,
                markeredgewidth=1.2,
            )
    axes.set_yticks([-row for row in range(len(kinds))], kinds, fontsize=7)
    axes.set_ylim(-len(kinds) + 0.4, 0.6)
    axes.set_xlabel("seconds since the connection's first packet")


def data_sequence(connection: AnalysedConnection) -> Figure:
    """Draw the data of the end that sent more, and what both ends signalled.

    Parameters
    ----------
    connection : AnalysedConnection

    Returns
    -------
    Figure
        Five panels, times in seconds since the connection's first packet.
    """
    analysis = connection.analysis
    kinds = [kind for kind in EVENT_KINDS if kind in analysis.events]
    events_inches = 0.5 + _INCHES_OF_EVENTS * max(1, len(kinds))
    figure = Figure(figsize=(9, sum(_PANELS) + events_inches), layout="constrained")
    data, window, rtt, rate, events = figure.subplots(5, 1, sharex=True, height_ratios=(*_PANELS, events_inches))
    _draw_data(data, analysis.directions[0], analysis)
    _draw_window(window, analysis.directions[0], analysis)
    _draw_deliveries(rtt, rate, connection)
    _draw_events(events, analysis, kinds)
    return figure
