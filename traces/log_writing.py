"""A connection's rows as event lines, as `sbd record` writes them: what a log was read into becomes a log again.

One line is one record (docs/formats.md, Event lines). Lines come in order of time; of one moment, a subflow's change
of state comes first, then its losses, then its ACK and what belongs to it. Segments sent again have no row with a time,
and are not written.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from smartsbd.traces.assembly import ATTRIBUTES

MARKER = b"smartsbd: "
_WRAP = 1 << 32
_STATES, _LOSSES, _ACKS = range(3)

Int64Array = npt.NDArray[np.int64]


def _numbers(rows: pa.Table, name: str) -> Int64Array:
    """Return a column; 0 where nothing was observed."""
    values: Int64Array = pc.fill_null(pc.cast(rows.column(name), pa.int64()), 0).to_numpy().astype(np.int64)
    return values


def _acknowledgements(acks: pa.Table) -> tuple[npt.NDArray[np.str_], Int64Array]:
    """Return kind and value of the line that each row of ``ack`` begins with.

    Rows come from `snd_una` if no row of their subflow says whether it is a duplicate, and the first acknowledges 0.
    """
    known = pc.is_valid(acks.column("is_dup")).to_numpy()
    is_dup = pc.fill_null(acks.column("is_dup"), False).to_numpy()
    subflow_id, acked_bytes = _numbers(acks, "subflow_id"), _numbers(acks, "acked_bytes")
    kind = np.where(is_dup, "DUP", "ACK")
    for number in np.unique(subflow_id):
        in_subflow = subflow_id == number
        if not known[in_subflow].any() and acked_bytes[in_subflow][0] == 0:
            kind[in_subflow] = "UNA"
    value = np.where(is_dup, _numbers(acks, "newly_sacked_bytes"), acked_bytes)
    return kind, np.where(kind == "UNA", value % _WRAP, value)


def log_lines(token: int, acks: pa.Table, states: pa.Table, losses: pa.Table) -> bytes:
    """Return a connection as event lines.

    Parameters
    ----------
    token : int
        Of the connection.
    acks, states, losses : rows of the ``ack``, ``state`` and ``loss`` tables
        Those of the connection.

    Returns
    -------
    bytes
        Lines of the connection, in order of time, each with its line end.
    """
    kind, value = _acknowledgements(acks)
    parts = [
        (_STATES, states, np.arange(len(states)), np.full(len(states), "CA"), _numbers(states, "ca_state")),
        (_LOSSES, losses, np.arange(len(losses)), np.full(len(losses), "LOSS"), _numbers(losses, "packets")),
        (_ACKS, acks, np.arange(len(acks)), kind, value),
    ]
    for name, column in ATTRIBUTES.items():
        there = pc.is_valid(acks.column(column)).to_numpy()
        if name == b"ECE":
            there = there & (_numbers(acks, column) > 0)
        places = np.flatnonzero(there)
        parts.append((_ACKS, acks, places, np.full(len(places), name.decode()), _numbers(acks, column)[places]))
    rank = np.concatenate([np.full(len(places), place) for place, (_, _, places, _, _) in enumerate(parts)])
    group = np.concatenate([np.full(len(places), table) for table, _, places, _, _ in parts])
    row = np.concatenate([places for _, _, places, _, _ in parts])
    time_ns = np.concatenate([_numbers(rows, "time_ns")[places] for _, rows, places, _, _ in parts])
    subflow_id = np.concatenate([_numbers(rows, "subflow_id")[places] for _, rows, places, _, _ in parts])
    kinds = np.concatenate([line_kinds for _, _, _, line_kinds, _ in parts])
    values = np.concatenate([line_values for _, _, _, _, line_values in parts])
    order = np.lexsort((rank, row, group, subflow_id, time_ns))
    columns = (column[order].tolist() for column in (time_ns, subflow_id, kinds, values))
    begin = MARKER.decode()
    return "".join(
        f"{begin}{at} C={token:x} SF={subflow} V={name} {number}\n"
        for at, subflow, name, number in zip(*columns, strict=True)
    ).encode()
