"""A connection with its labels, on a clock of its own: the signals that any detector can receive, and its paths.

Its first record is at :data:`START_NS`: recordings carry times of day, and an event line has room for a clock that
counts from the start of the machine.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from smartsbd.detectors.event import Int64Array, Kind, event_columns
from smartsbd.models.last_verdict.final_verdict import latest_rows

START_NS = 1_000_000_000
#: How much later the second of two swapped partners begins: slow starts do not coincide.
SWAPPED_LATER_NS = 3_000_000_000
_MS_PER_MBIT = 1000 * 8 / 1e6
#: Upper bounds of classes, and what each is called.
_LOSSES = ((0.0, "none"), (0.001, "to 0.1 %"), (0.01, "0.1 to 1 %"))
_QUEUES_MS = ((50.0, "to 50 ms"), (200.0, "50 to 200 ms"))
_MOST_LOSS, _LONGEST_QUEUE = "above 1 %", "above 200 ms"
UNKNOWN = "not known"
SWAPPED_PARTNERS, RAMPS = "swapped partners", "ramps"
#: Height of a ramp in standard deviations of a subflow's RTTs: a straight line is 0.89 of the variance of all, where
#: the RTTs themselves have no trend.
_RAMP_SD = 10

#: Classes of pairs, in order.
CLASSES = {
    "loss": (*(name for _, name in _LOSSES), _MOST_LOSS, UNKNOWN),
    "queue": (*(name for _, name in _QUEUES_MS), _LONGEST_QUEUE, UNKNOWN),
}

#: Rows of the ``ack``, ``state`` and ``loss`` tables.
SignalRows = tuple[pa.Table, pa.Table, pa.Table]


@dataclass(frozen=True)
class LabelledPair:
    """Two subflows of a connection, whether they share, and since when.

    Attributes
    ----------
    subflow_a, subflow_b : int
        The lower number first.
    shared : bool
    from_ns : int, nanoseconds
        From when on the label holds, or, if that is later, from when on both subflows are there.
    path : mapping of str
        What the paths were set to: columns of truth.csv, as far as they are known.
    """

    subflow_a: int
    subflow_b: int
    shared: bool
    from_ns: int
    path: Mapping[str, Any] = field(default_factory=dict)

    def loss(self) -> str:
        """Return the class of the larger configured loss of the two paths.

        Returns
        -------
        str
            One of the losses in :data:`CLASSES`.

        Examples
        --------
        >>> LabelledPair(0, 1, True, 0, {"loss_a_ratio": 0.002, "loss_b_ratio": 0.0}).loss()
        '0.1 to 1 %'
        """
        return _class_of([self.path.get(f"loss_{side}_ratio") for side in "ab"], _LOSSES, _MOST_LOSS)

    def queue(self) -> str:
        """Return the class of the larger of the two queues: how long it takes to drain when it is full.

        Returns
        -------
        str
            One of the queues in :data:`CLASSES`, in milliseconds.

        Examples
        --------
        >>> path = {"queue_a_bytes": 50_000, "bottleneck_a_mbit_s": 4.0}
        >>> LabelledPair(0, 1, True, 0, path).queue(), LabelledPair(0, 1, True, 0).queue()
        ('50 to 200 ms', 'not known')
        """
        drained_ms = []
        for side in "ab":
            queue_bytes, mbit_s = self.path.get(f"queue_{side}_bytes"), self.path.get(f"bottleneck_{side}_mbit_s")
            drained_ms.append(queue_bytes * _MS_PER_MBIT / mbit_s if queue_bytes is not None and mbit_s else None)
        return _class_of(drained_ms, _QUEUES_MS, _LONGEST_QUEUE)

    def controller(self) -> str:
        """Return the sender's congestion controller."""
        return str(self.path.get("congestion_control") or UNKNOWN)


def _class_of(values: Sequence[float | None], bounds: Sequence[tuple[float, str]], above: str) -> str:
    known = [value for value in values if value is not None]
    if not known:
        return UNKNOWN
    return next((name for bound, name in bounds if max(known) <= bound), above)


@dataclass(frozen=True)
class LabelledConnection:
    """A connection with the labels of its pairs.

    Attributes
    ----------
    name : str
    dataset : str
        Where it is from.
    token : int
    rows : SignalRows
        Its signals; the first is at :data:`START_NS`.
    pairs : tuple of LabelledPair
    made : str
        What a control was made as, :data:`SWAPPED_PARTNERS` or :data:`RAMPS`: it shares nothing. Empty for what was
        recorded or simulated so.
    """

    name: str
    dataset: str
    token: int
    rows: SignalRows
    pairs: tuple[LabelledPair, ...]
    made: str = ""

    def subflow_ids(self) -> list[int]:
        """Return the numbers of the subflows that have a row, in order."""
        return _subflow_ids(self.rows)

    def span_ns(self) -> tuple[int, int]:
        """Return the times of the first and the last row."""
        return _span_ns(self.rows)

    def first_half(self) -> LabelledConnection:
        """Return what is known of it at the middle of its time."""
        start_ns, end_ns = self.span_ns()
        acks, states, losses = (
            rows.filter(pc.less_equal(rows.column("time_ns"), (start_ns + end_ns) // 2)) for rows in self.rows
        )
        return replace(self, rows=(acks, states, losses))

    def rtts(self) -> dict[int, tuple[Int64Array, Int64Array]]:
        """Return the times (ns) and values (us) of the RTT samples of each subflow."""
        by_subflow = {}
        time_ns, subflow_id, _, rtt_us = event_columns(*self.rows, [Kind.RTT])
        for number in self.subflow_ids():
            of_subflow = subflow_id == number
            by_subflow[number] = (time_ns[of_subflow], rtt_us[of_subflow])
        return by_subflow


def _subflow_ids(rows: SignalRows) -> list[int]:
    return sorted({subflow_id for part in rows for subflow_id in pc.unique(part.column("subflow_id")).to_pylist()})


def _span_ns(rows: SignalRows) -> tuple[int, int]:
    extremes = [pc.min_max(part.column("time_ns")).as_py() for part in rows if len(part)]
    return min(extreme["min"] for extreme in extremes), max(extreme["max"] for extreme in extremes)


def shifted(rows: pa.Table, by_ns: int) -> pa.Table:
    """Return rows with their ``time_ns`` moved."""
    place = rows.column_names.index("time_ns")
    return rows.set_column(place, rows.schema.field(place), pc.add(rows.column("time_ns"), by_ns))


def labelled(
    name: str, dataset: str, token: int, rows: SignalRows, truth: Sequence[Mapping[str, Any]]
) -> LabelledConnection | None:
    """Return a connection with the last label of each pair that has one; None if no pair has one, or it has no row.

    Parameters
    ----------
    name, dataset : str
    token : int
    rows : SignalRows
        By any clock.
    truth : sequence of mapping
        Rows of the ``truth`` table or of truth.csv on this connection, by the same clock; those whose `valid` is false
        do not count.

    Returns
    -------
    LabelledConnection or None
        Its first row is at :data:`START_NS`.
    """
    if not any(len(part) for part in rows):
        return None
    start_ns, end_ns = _span_ns(rows)
    by_ns = START_NS - start_ns
    begins = {subflow_id: _span_ns(_rows_of_subflow(rows, subflow_id))[0] for subflow_id in _subflow_ids(rows)}
    pairs = []
    for row in latest_rows(truth, ("subflow_a", "subflow_b")).values():
        a, b = row["subflow_a"], row["subflow_b"]
        if row.get("valid", True) and a in begins and b in begins and row["from_ns"] < end_ns:
            from_ns = max(row["from_ns"], begins[a], begins[b]) + by_ns
            pairs.append(LabelledPair(a, b, row["shared"], from_ns, row))
    moved = tuple(shifted(part, by_ns) for part in rows)
    return LabelledConnection(name, dataset, token, (moved[0], moved[1], moved[2]), tuple(pairs)) if pairs else None


def _rows_of_subflow(rows: SignalRows, subflow_id: int) -> SignalRows:
    acks, states, losses = (part.filter(pc.equal(part.column("subflow_id"), subflow_id)) for part in rows)
    return acks, states, losses


def _renumbered(rows: pa.Table, subflow_id: int) -> pa.Table:
    place = rows.column_names.index("subflow_id")
    return rows.set_column(place, "subflow_id", pa.array([subflow_id] * len(rows), rows.column("subflow_id").type))


def _swapped(
    first: LabelledConnection, first_id: int, second: LabelledConnection, second_id: int
) -> LabelledConnection | None:
    """Return a connection of a subflow of each of two others, for as long as both last."""
    a, b = _rows_of_subflow(first.rows, first_id), _rows_of_subflow(second.rows, second_id)
    b_start_ns = _span_ns(b)[0]
    a_start_ns, a_end_ns = _span_ns(a)
    by_ns = a_start_ns + SWAPPED_LATER_NS - b_start_ns
    b_end_ns = _span_ns(b)[1] + by_ns
    end_ns = min(a_end_ns, b_end_ns)
    moved = [
        pa.concat_tables([_renumbered(x, 0), _renumbered(shifted(y, by_ns), 1)]) for x, y in zip(a, b, strict=True)
    ]
    acks, states, losses = (rows.filter(pc.less_equal(rows.column("time_ns"), end_ns)) for rows in moved)
    path = {"congestion_control": next(pair.path.get("congestion_control") for pair in first.pairs)}
    truth = {"subflow_a": 0, "subflow_b": 1, "shared": False, "from_ns": 0, **path}
    made = labelled(f"{first.name}+{second.name}", first.dataset, first.token, (acks, states, losses), [truth])
    return None if made is None else replace(made, made=SWAPPED_PARTNERS)


def swapped_partners(connections: Sequence[LabelledConnection]) -> Iterator[LabelledConnection]:
    """Yield swapped partners: pairs that share nothing, made of connections whose subflows do.

    The first subflow of a shared pair and the last one of the next connection's, of the same dataset and site, the last
    with the first; :data:`SWAPPED_LATER_NS` lie between their beginnings. Of connections of which there is one alone
    nothing is made.

    Parameters
    ----------
    connections : sequence of LabelledConnection

    Yields
    ------
    LabelledConnection
        With one pair, labelled not shared.
    """
    shared: dict[tuple[str, Any], list[tuple[LabelledConnection, LabelledPair]]] = {}
    for connection in connections:
        pair = next((pair for pair in connection.pairs if pair.shared), None)
        if pair is not None and not connection.made:
            shared.setdefault((connection.dataset, pair.path.get("site")), []).append((connection, pair))
    for members in shared.values():
        if len(members) > 1:
            for (connection, pair), (other, others) in zip(members, members[1:] + members[:1], strict=True):
                made = _swapped(connection, pair.subflow_a, other, others.subflow_b)
                if made is not None:
                    yield made


def ramped(connection: LabelledConnection) -> LabelledConnection:
    """Return a connection that shares nothing, with RTTs that rise on all subflows from its beginning to its end.

    Each subflow's rise is a straight line, ten times as high as the standard deviation of its RTTs, on all delays.

    Parameters
    ----------
    connection : LabelledConnection
        Swapped partners.

    Returns
    -------
    LabelledConnection
        The same rows with the rise on ``rtt_us``, ``srtt_us`` and ``owd_us``.
    """
    acks, states, losses = connection.rows
    start_ns, end_ns = connection.span_ns()
    elapsed = (acks.column("time_ns").to_numpy() - start_ns) / max(end_ns - start_ns, 1)
    subflow_id = acks.column("subflow_id").to_numpy()
    rise_us = np.zeros(len(acks), dtype=np.int64)
    for number, (_, rtt_us) in connection.rtts().items():
        of_subflow = subflow_id == number
        height_us = _RAMP_SD * float(rtt_us.std()) if len(rtt_us) else 0.0
        rise_us[of_subflow] = (height_us * elapsed[of_subflow]).astype(np.int64)
    for name in ("rtt_us", "srtt_us", "owd_us"):
        place = acks.column_names.index(name) if name in acks.column_names else None
        if place is not None:
            raised = pc.add(acks.column(name), pa.array(rise_us))
            acks = acks.set_column(place, name, pc.cast(raised, acks.column(name).type))
    return replace(connection, name=f"{connection.name}, rising", rows=(acks, states, losses), made=RAMPS)
