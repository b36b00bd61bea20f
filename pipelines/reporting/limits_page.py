"""What limits a connection, as one page of text and as JSON: the answer, shares, evidence and next steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from smartsbd.limits.classified import LimitedSubflow, main_cause, shares
from smartsbd.limits.observed_seconds import MISSING
from smartsbd.limits.table import CAUSES, NOT_CLASSIFIED, OF_SUBFLOWS, by_name
from smartsbd.pipelines.reporting.text_table import aligned

_DIGITS = 3
_BITS_PER_BYTE = 8
_BITS_PER_MBIT = 1e6
#: Stretches of time that are listed of one cause and subflow.
_LISTED_TIMES = 4
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
        return f"What limits this connection is not known: no rule names {parts.get(main, 1.0):.0%} of its time."
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


def lines(connection: LimitedConnection) -> Iterator[str]:
    """Yield the page: the answer, a table of shares, then evidence and next step of each cause."""
    yield answered(connection)
    rate = f", {connection.rate_mbit_s:.2f} Mbit/s" if connection.rate_mbit_s else ""
    count = sum(subflow.observed.subflow != MISSING for subflow in connection.subflows)
    flows = "1 subflow" if count == 1 else f"{count} subflows"
    yield f"{connection.input}: {connection.name}, {connection.length_s:.1f} s{rate}, {flows}"
    yield ""
    yield from (f"  {line}" for line in _table(connection))
    for name in _ordered(connection):
        cause = by_name(name)
        if cause is None:
            continue
        yield ""
        yield name
        for subflow in connection.subflows:
            if seconds := subflow.limited_by(name):
                yield f"  {called(subflow)}, {_times(subflow, name)}: {cause.evidence(seconds)}."
        yield f"  Next: {cause.step}"
    if connection.remarks:
        yield ""
        yield from (f"  - {remark}" for remark in connection.remarks)


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
