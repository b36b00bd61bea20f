"""Analysed connections of captures as one self-contained page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from smartsbd.contracts.fault import printable
from smartsbd.pipelines.reporting.analysis_numbers import AnalysedConnection, numbers_of
from smartsbd.pipelines.reporting.figures import data_sequence, style
from smartsbd.pipelines.reporting.page import Page
from smartsbd.pipelines.reporting.page_template import page_template
from smartsbd.pipelines.reporting.tables.cell import Rows
from smartsbd.pipelines.running.environment import version
from smartsbd.traces.connection_analysis import DIRECTIONS, NUMBERS

#: Connections on a page; each has a figure.
MOST_SHOWN = 64
#: Events of one kind whose times are on the page.
_MOST_LISTED = 8
# Inputs whose names are on the page.
_MOST_INPUTS = 32
#: Folder of the figures.
FIGURES = "figures"

_US_PER_MS, _NS_PER_S = 1e3, 1e9


@dataclass(frozen=True)
class ShownConnection:
    """A connection on the page; its figure is a file already.

    Attributes
    ----------
    figure : str
        Name of its file below ``figures/``, without the suffix.
    facts : dict of str to str
    subflows, data, events : list of dict
        Rows of its tables.
    remarks : list of str
        What is not on the page, or not known.
    """

    name: str
    figure: str
    facts: Mapping[str, str]
    subflows: Rows
    data: Rows
    events: Rows
    remarks: Sequence[str]


def figure_name(number: int) -> str:
    """Return the name of the file of a connection's figure, without the suffix."""
    return f"connection-{number}"


def _count(value: int | None) -> str:
    return "" if value is None else f"{value:,}"


def _ms(us: float | None) -> str:
    return "" if us is None else f"{us / _US_PER_MS:.1f}"


def _subflow_row(subflow: Mapping[str, Any]) -> dict[str, Any]:
    rtt, rate = subflow["rtt"], subflow["rate"]
    length_s = (subflow["end_ns"] - subflow["start_ns"]) / _NS_PER_S
    mean = rate["acked_bytes"] * 8 / 1e6 / length_s if length_s else None
    return {
        "subflow": str(subflow["subflow"]),
        "from, s": f"{subflow['start_ns'] / _NS_PER_S:.3f}",
        "length, s": f"{length_s:.3f}",
        "sender": f"{subflow['local_address']}, port {subflow['local_port']}",
        "receiver": f"{subflow['remote_address']}, port {subflow['remote_port']}",
        "RTT samples": _count(rtt["count"]),
        "RTT low/median/high, ms": ""
        if not rtt["count"]
        else "/".join(_ms(rtt[name]) for name in ("least_us", "median_us", "most_us")),
        "acknowledged, bytes": _count(rate["acked_bytes"]),
        "mean rate, Mbit/s": "" if mean is None else f"{mean:.3f}",
    }


def _data_row(end: str, number: int, sending: Mapping[str, Any]) -> dict[str, Any]:
    windows = [sending["least_window"], sending["most_window"]]
    window = "" if None in windows else " to ".join(f"{value:,}" for value in windows)
    return {
        "data of": end,
        "subflow": str(number),
        "segments": _count(sending["segments"]),
        "sent again": _count(sending["sent_again"]),
        "payload": _count(sending["payload_bytes"]),
        "mapped first": _count(sending["new_bytes"]),
        "reinjected": _count(sending["reinjected_bytes"]),
        "without a mapping": _count(sending["unmapped_bytes"]),
        "receive window of this end": window
        if sending["window_shift"] is not None
        else f"{window} (not scaled)"
        if window
        else "",
    }


def _whole_row(end: str, direction: Mapping[str, Any], subflows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    sums = {
        column: _count(sum(subflow[end][name] for subflow in subflows))
        for column, name in (
            ("segments", "segments"),
            ("sent again", "sent_again"),
            ("payload", "payload_bytes"),
            ("mapped first", "new_bytes"),
            ("reinjected", "reinjected_bytes"),
        )
    }
    gaps = direction["gaps"]
    return {
        "data of": end,
        "subflow": "all",
        **sums,
        "gaps": _count(gaps["count"]),
        "bytes in gaps": _count(gaps["bytes"]),
        "data acknowledged": _count(direction["acked_until"]),
        "most outstanding": _count(direction["most_outstanding_bytes"]),
    }


def _event_row(kind: str, points: Mapping[str, Any]) -> dict[str, Any]:
    number = NUMBERS.get(kind)
    listed = []
    for place in range(min(_MOST_LISTED, len(points["time_ns"]))):
        text = f"subflow {points['subflow'][place]}, {points['from'][place]}"
        if number is not None and points[number][place] is not None:
            text += f", {number.replace('_', ' ')} {points[number][place]:,}"
        listed.append(f"{text}: {points['time_ns'][place] / _NS_PER_S:.6f} s")
    more = points["count"] - len(listed)
    after = f"; {more:,} more" if more else ""
    return {"event": kind, "times": _count(points["count"]), "when": "; ".join(listed) + after}


def _series(numbers: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    """Return every series of a connection and its name."""
    series = [
        (f"{what} of the {end}'s data", numbers["data"][end][name])
        for end in DIRECTIONS
        for name, what in (("mappings", "mappings"), ("reinjections", "reinjections"), ("acks", "acknowledgements"))
    ]
    series += [(f"RTT samples of subflow {subflow['subflow']}", subflow["rtt"]) for subflow in numbers["subflows"]]
    return series + [(f"events {kind}", points) for kind, points in numbers["events"].items()]


def _remarks(numbers: Mapping[str, Any]) -> list[str]:
    remarks = [
        f"Of {points['count']:,} {name}, one in {points['every']} is drawn."
        for name, points in _series(numbers)
        if points["every"] > 1
    ]
    remarks += [f"Counted, and not drawn: {count:,} {what}." for what, count in numbers["left_out"].items()]
    if any(subflow[DIRECTIONS[0]]["window_shift"] is None for subflow in numbers["subflows"]):
        remarks.append(
            "A handshake was not captured whole: by how much windows are scaled is not known, and payload without a"
            " mapping cannot be told."
        )
    return remarks


def shown(connection: AnalysedConnection, number: int, folder: Path) -> ShownConnection:
    """Draw a connection into a folder, and return what the page says of it.

    Parameters
    ----------
    connection : AnalysedConnection
    number : int
        Its place on the page.
    folder : Path
        Of the page.

    Returns
    -------
    ShownConnection
    """
    style.save(data_sequence.data_sequence(connection), folder / FIGURES / f"{figure_name(number)}.png")
    numbers = numbers_of(connection)
    tokens = [numbers[name] for name in ("token", "remote_token")]
    data = []
    for end in DIRECTIONS:
        data += [_data_row(end, subflow["subflow"], subflow[end]) for subflow in numbers["subflows"]]
        data.append(_whole_row(end, numbers["data"][end], numbers["subflows"]))
    return ShownConnection(
        name=printable(connection.name),
        figure=figure_name(number),
        facts={
            "MPTCP version": "not known" if numbers["mptcp_version"] is None else str(numbers["mptcp_version"]),
            "token of the sender, of the receiver": ", ".join(token or "not known" for token in tokens),
            "captured at": ", ".join(numbers["recorded_at"]),
            "length": f"{numbers['length_ns'] / _NS_PER_S:.3f} s",
        },
        subflows=[_subflow_row(subflow) for subflow in numbers["subflows"]],
        data=data,
        events=[_event_row(kind, points) for kind, points in numbers["events"].items()],
        remarks=_remarks(numbers),
    )


def render(connections: Sequence[ShownConnection], inputs: Sequence[str], left_out: Counter[str], folder: Path) -> str:
    """Return the page.

    Parameters
    ----------
    connections : sequence of ShownConnection
    inputs : sequence of str
        Names of the inputs.
    left_out : Counter of str
        Connections that are not on the page, by the reason.
    folder : Path
        That has their figures.

    Returns
    -------
    str
        HTML.
    """
    return page_template("analysis.html.j2").render(
        connections=connections,
        inputs=[printable(name) for name in inputs[:_MOST_INPUTS]],
        more_inputs=max(0, len(inputs) - _MOST_INPUTS),
        left_out=[f"{count:,} {why}" for why, count in sorted(left_out.items())],
        page=Page(folder),
        version=version(),
    )
