"""What limits a connection, as text, as JSON and as a page: the answer, shares, evidence and next steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle, groupby
from typing import Any

from smartsbd.contracts.fault import printable
from smartsbd.limits.classified import LimitedSubflow, main_cause, shares
from smartsbd.limits.observed_seconds import MISSING
from smartsbd.limits.table import CAUSES, NOT_CLASSIFIED, OF_SUBFLOWS, by_name
from smartsbd.pipelines.reporting.page_template import page_template
from smartsbd.pipelines.reporting.text_table import aligned
from smartsbd.pipelines.running.environment import version

_DIGITS = 3
_BITS_PER_BYTE = 8
_BITS_PER_MBIT = 1e6
#: Stretches of time that are listed of one cause and subflow.
_LISTED_TIMES = 4
#: Of the drawing, in units of its own: its width, the height of a subflow, and that of its rate.
_WIDTH, _ROW, _RATE = 1000, 84, 30
#: Points of a rate that are drawn; of more, means.
_MOST_POINTS = 500
_TICKS = 5
#: A share of a subflow's data that is worth a line.
_LEAST_SHARE = 0.005
#: In the order of the causes, again from the first one where there are more; what no rule names is grey.
_COLOURS = (
    "#7f1d1d",
    "#b45309",
    "#fcd34d",
    "#a21caf",
    "#f9a8d4",
    "#99f6e4",
    "#65a30d",
    "#dd8833",
    "#2b6cb0",
    "#93c5fd",
    "#dc2626",
)
_GREY = "#cbd5e0"
_OF_SUBFLOWS = {
    "not joined": "a second subflow was never joined",
    "reset": "a subflow was reset",
    "backup": "a subflow is a backup and carries nothing",
}


@dataclass(frozen=True)
class LimitedConnection:
    """A connection, and what limits it.

    Attributes
    ----------
    input, name : str
        Of the input, and of the connection in it.
    subflows : sequence of LimitedSubflow
    remarks : sequence of str
        What could not be seen, a sentence for each.
    """

    input: str
    name: str
    subflows: Sequence[LimitedSubflow]
    remarks: Sequence[str] = ()

    @property
    def length_s(self) -> float:
        """How long it was recorded."""
        ends = (second.start_s + second.length_s for flow in self.subflows for second in flow.observed.seconds)
        return max(ends, default=0.0)

    @property
    def rate_mbit_s(self) -> float:
        """What all subflows sent."""
        sent = sum(second.sent_bytes for subflow in self.subflows for second in subflow.observed.seconds)
        return sent * _BITS_PER_BYTE / self.length_s / _BITS_PER_MBIT if self.length_s else 0.0


def called(subflow: LimitedSubflow) -> str:
    """Return what a subflow is called."""
    if subflow.observed.subflow == MISSING:
        return "a second subflow"
    name = f" ({subflow.observed.name})" if subflow.observed.name else ""
    return f"subflow {subflow.observed.subflow}{name}"


def answered(connection: LimitedConnection) -> str:
    """Return the answer in one sentence."""
    main, parts = main_cause(connection.subflows), shares(connection.subflows)
    if main == NOT_CLASSIFIED:
        return f"What limits this connection is not known: for {parts.get(main, 1.0):.0%} of its time no rule holds."
    if main not in _OF_SUBFLOWS:
        return f"Mostly {main}: {parts[main]:.0%} of the time of its subflows."
    of_subflows = {cause.name for cause in OF_SUBFLOWS}
    (which, length_s) = max(
        ((called(subflow), subflow.lengths_s()[main]) for subflow in connection.subflows), key=lambda pair: pair[1]
    )
    others = {cause: share for cause, share in parts.items() if cause not in of_subflows}
    rest = next(iter(others), NOT_CLASSIFIED)
    return (
        f"One path alone: {_OF_SUBFLOWS[main]} ({which}, {length_s:.1f} of {connection.length_s:.1f} s); what carries"
        f" data is limited by: {rest}."
    )


def _times(subflow: LimitedSubflow, cause: str) -> str:
    """Return when a cause limits a subflow."""
    pairs = zip(subflow.observed.seconds, subflow.causes, strict=True)
    stretches = [
        (part[0][0].start_s, part[-1][0].start_s + part[-1][0].length_s)
        for named, group in groupby(pairs, key=lambda pair: pair[1])
        for part in [list(group)]
        if named == cause
    ]
    listed = ", ".join(f"{start:.0f}-{end:.0f} s" for start, end in stretches[:_LISTED_TIMES])
    return listed + (f" and {len(stretches) - _LISTED_TIMES} more" if len(stretches) > _LISTED_TIMES else "")


def _ordered(connection: LimitedConnection) -> list[str]:
    """Return the causes that hold, those of whole subflows first."""
    parts = shares(connection.subflows)
    first = [cause.name for cause in OF_SUBFLOWS if cause.name in parts]
    return [*first, *(cause for cause in parts if cause not in first)]


def _table(connection: LimitedConnection) -> list[str]:
    parts = shares(connection.subflows)
    rows = []
    for cause in _ordered(connection):
        row = {"limited by": cause, "all": f"{parts[cause]:.0%}"}
        for subflow in connection.subflows:
            lengths = subflow.lengths_s()
            whole_s = sum(lengths.values())
            row[called(subflow)] = f"{lengths[cause] / whole_s:.0%}" if lengths[cause] and whole_s else ""
        rows.append(row)
    return aligned(rows)


def _evidence(connection: LimitedConnection, name: str) -> Iterator[str]:
    """Yield for each subflow that a cause limits when, and by which signs."""
    cause = by_name(name)
    for subflow in connection.subflows:
        if cause is not None and (seconds := subflow.limited_by(name)):
            yield f"{called(subflow)}, {_times(subflow, name)}: {cause.evidence(seconds)}."


def _placed(connection: LimitedConnection) -> str:
    """Return where a connection comes from, how long it is and what it carried."""
    rate = f", {connection.rate_mbit_s:.2f} Mbit/s" if connection.rate_mbit_s else ""
    count = sum(subflow.observed.subflow != MISSING for subflow in connection.subflows)
    flows = "1 subflow" if count == 1 else f"{count} subflows"
    return f"{connection.input}: {connection.name}, {connection.length_s:.1f} s{rate}, {flows}"


def _remarks(connection: LimitedConnection) -> list[str]:
    """Return what could not be seen, and what was sent over two paths."""
    shares_of = {called(subflow): subflow.reinjected_share() for subflow in connection.subflows}
    sent_twice = [f"{share:.1%} of what {name} sent" for name, share in shares_of.items() if share >= _LEAST_SHARE]
    reinjected = (
        [f"Reinjected: {', '.join(sent_twice)} had been sent over another subflow before."] if sent_twice else []
    )
    return [*reinjected, *connection.remarks]


def lines(connection: LimitedConnection) -> Iterator[str]:
    """Yield the page: the answer, a table of shares, then evidence and next step of each cause."""
    yield answered(connection)
    yield _placed(connection)
    yield ""
    yield from (f"  {line}" for line in _table(connection))
    for name in _ordered(connection):
        cause = by_name(name)
        if cause is None:
            continue
        yield ""
        yield name
        yield from (f"  {sentence}" for sentence in _evidence(connection, name))
        yield f"  Next: {cause.step}"
    if remarks := _remarks(connection):
        yield ""
        yield from (f"  - {remark}" for remark in remarks)


def as_json(connection: LimitedConnection) -> dict[str, Any]:
    """Return the same as a JSON object, with the cause of each second."""
    order = [cause.name for cause in CAUSES]
    return {
        "input": connection.input,
        "connection": connection.name,
        "answer": answered(connection),
        "main": main_cause(connection.subflows),
        "length_s": round(connection.length_s, _DIGITS),
        "rate_mbit_s": round(connection.rate_mbit_s, _DIGITS),
        "shares": {cause: round(share, _DIGITS) for cause, share in shares(connection.subflows).items()},
        "subflows": [
            {
                "subflow": None if subflow.observed.subflow == MISSING else subflow.observed.subflow,
                "name": subflow.observed.name,
                "reinjected_share": round(subflow.reinjected_share(), _DIGITS),
                "seconds": [
                    {
                        "start_s": round(second.start_s, _DIGITS),
                        "length_s": round(second.length_s, _DIGITS),
                        "cause": cause,
                    }
                    for second, cause in zip(subflow.observed.seconds, subflow.causes, strict=True)
                ],
                "evidence": {
                    name: cause.evidence(subflow.limited_by(name))
                    for name in sorted(set(subflow.causes) & set(order), key=order.index)
                    if (cause := by_name(name)) is not None
                },
            }
            for subflow in connection.subflows
        ],
        "next": {name: cause.step for name in _ordered(connection) if (cause := by_name(name)) is not None},
        "remarks": list(connection.remarks),
    }


def _points(subflow: LimitedSubflow, scale: float, most_mbit_s: float) -> list[tuple[float, float]]:
    """Return the rate of a subflow as places of the drawing."""
    seconds = subflow.observed.seconds
    each = max(1, -(-len(seconds) // _MOST_POINTS))
    points = []
    for first in range(0, len(seconds), each):
        part = seconds[first : first + each]
        length_s = sum(second.length_s for second in part)
        rate = sum(second.rate_mbit_s * second.length_s for second in part) / length_s
        points.append((round((part[0].start_s + length_s / 2) * scale, 1), round(rate / most_mbit_s * _RATE, 1)))
    return points


def _row(subflow: LimitedSubflow, scale: float, most_mbit_s: float) -> dict[str, Any]:
    """Return a subflow's row of the drawing: stretches of one cause, and its rate."""
    parts = []
    pairs = zip(subflow.observed.seconds, subflow.causes, strict=True)
    for cause, group in groupby(pairs, key=lambda pair: pair[1]):
        part = [second for second, _ in group]
        end_s = part[-1].start_s + part[-1].length_s
        parts.append(
            {
                "cause": cause,
                "x": round(part[0].start_s * scale, 2),
                "width": round((end_s - part[0].start_s) * scale, 2),
                "title": f"{part[0].start_s:.0f} to {end_s:.0f} s: {cause}",
            }
        )
    highest = max((second.rate_mbit_s for second in subflow.observed.seconds), default=0.0)
    points = _points(subflow, scale, most_mbit_s) if most_mbit_s else []
    return {"name": called(subflow), "most_mbit_s": highest, "parts": parts, "points": points}


def _shown(connection: LimitedConnection) -> dict[str, Any]:
    """Return what the page shows of a connection."""
    scale = _WIDTH / connection.length_s if connection.length_s else 0.0
    rates = (second.rate_mbit_s for subflow in connection.subflows for second in subflow.observed.seconds)
    most_mbit_s, parts = max(rates, default=0.0), shares(connection.subflows)
    causes = []
    for name in _ordered(connection):
        cause = by_name(name)
        step = "" if cause is None else cause.step
        causes.append(
            {"name": name, "share": f"{parts[name]:.0%}", "evidence": [*_evidence(connection, name)], "step": step}
        )
    ticks = [connection.length_s * number / _TICKS for number in range(_TICKS + 1)]
    return {
        "answer": answered(connection),
        "place": printable(_placed(connection)),
        "rows": [_row(subflow, scale, most_mbit_s) for subflow in connection.subflows],
        "ticks": [(round(time_s * scale, 1), f"{time_s:.0f} s") for time_s in ticks],
        "causes": causes,
        "remarks": _remarks(connection),
    }


def page(connections: Sequence[LimitedConnection]) -> str:
    """Return what limits connections as one page, which needs no other file.

    Parameters
    ----------
    connections : sequence of LimitedConnection

    Returns
    -------
    str
        HTML.
    """
    colours = dict(zip((cause.name for cause in CAUSES), cycle(_COLOURS), strict=False))
    return page_template("limits.html.j2").render(
        connections=[_shown(connection) for connection in connections],
        colours=colours | {NOT_CLASSIFIED: _GREY},
        WIDTH=_WIDTH,
        ROW=_ROW,
        version=version(),
    )
