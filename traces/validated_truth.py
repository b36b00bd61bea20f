"""The truth of a dataset joined with its connections, and whether the label of each row holds."""

from __future__ import annotations

import logging
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.compute as pc

from smartsbd.contracts import tables
from smartsbd.contracts.contract import TableReader, read_table
from smartsbd.traces.formats import stem_of
from smartsbd.traces.truth import TruthError, read_csv
from smartsbd.traces.validation import (
    Achieved,
    Criteria,
    Measured,
    Verdict,
    by_achieved,
    by_bottleneck,
    throughput_mbit_s,
)

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class JoinedTruth:
    """Rows of a truth.csv and the connections that they name.

    Attributes
    ----------
    rows : list of dict
        Of the ``truth`` table, without ``valid`` and ``why``.
    without_connection : int
        Rows that name no connection.
    without_truth : int
        Connections that no row names.
    """

    rows: list[dict[str, Any]]
    without_connection: int
    without_truth: int


def _connection_ids(folder: Path) -> dict[tuple[str, int | None], str]:
    """Return the connection of every (input name, token of either end), and of an input's only one without a token."""
    names = read_table(tables.CAPTURE, folder / "capture.parquet")
    links = read_table(tables.CONNECTION_CAPTURE, folder / "connection_capture.parquet")
    connections = read_table(tables.CONNECTION, folder / "connection.parquet")
    name_of = dict(zip(names["capture_id"].to_pylist(), names["name"].to_pylist(), strict=True))
    tokens_of = {row["connection_id"]: (row["remote_token"], row["token"]) for row in connections.to_pylist()}
    held = [(row["connection_id"], name_of[row["capture_id"]]) for row in links.to_pylist()]
    # An input's own are those with their first subflow in it.
    first_inputs = [(connection_id, name) for connection_id, name in held if _begins_in(connection_id, name)]
    alone = Counter(name for _, name in first_inputs)
    identifiers: dict[tuple[str, int | None], str] = {}
    for connection_id, name in held:
        identifiers.update({(name, token): connection_id for token in tokens_of[connection_id] if token is not None})
    identifiers.update({(name, None): connection_id for connection_id, name in first_inputs if alone[name] == 1})
    return identifiers


def _begins_in(connection_id: str, name: str) -> bool:
    """Tell whether a connection is named after an input."""
    return connection_id.rpartition("#")[0].partition("/")[2] == stem_of(name)


def _achieved(row: dict[str, Any], acks: TableReader) -> Achieved:
    rows = acks.rows_of(row["connection_id"])
    rates, spans, total_bytes = [], [], 0
    for side in ("a", "b"):
        subflow_acks = rows.filter(pc.equal(rows.column("subflow_id"), row[f"subflow_{side}"]))
        if not subflow_acks.num_rows:
            rates.append(0.0)
            continue
        times, acked = subflow_acks.column("time_ns"), subflow_acks.column("acked_bytes")
        span = (times[0].as_py(), times[-1].as_py())
        acked_bytes = acked[-1].as_py() - acked[0].as_py()
        rates.append(throughput_mbit_s(*span, acked_bytes))
        spans.append(span)
        total_bytes += acked_bytes
    first_ns = min((span[0] for span in spans), default=0)
    last_ns = max((span[1] for span in spans), default=0)
    return Achieved(
        group=(row["site"] or "", row["scenario"]),
        shared=row["shared"],
        rates_mbit_s=tuple(rates),
        total_mbit_s=throughput_mbit_s(first_ns, last_ns, total_bytes),
    )


def _measured(row: dict[str, Any]) -> Measured:
    return Measured(
        utilisation=(row["utilisation_a"], row["utilisation_b"]),
        drop_share=(row["drop_share_a"], row["drop_share_b"]),
    )


def read_joined(path: Path, folder: Path) -> JoinedTruth:
    """Read a truth.csv, and find the connection of each row.

    Parameters
    ----------
    path : Path
        The truth.csv.
    folder : Path
        Folder with the dataset's tables.

    Returns
    -------
    JoinedTruth
        Rows with their connections, and counts of what has no partner.

    Raises
    ------
    TruthError
        If the file cannot be used, or none of its rows names a connection.
    """
    connection_of = _connection_ids(folder)
    rows, orphans = [], 0
    for row in read_csv(path):
        key = (row.pop("input"), row.pop("token"))
        if key in connection_of:
            rows.append({"connection_id": connection_of[key], **row})
        else:
            orphans += 1
            log.warning("%s: no connection with token %s in %s", path, key[1], key[0])
    if not rows:
        raise TruthError(f"{path}: none of {orphans} rows names a connection of {folder}")
    without_truth = set(connection_of.values()) - {row["connection_id"] for row in rows}
    return JoinedTruth(rows, orphans, len(without_truth))


def verdicts(rows: list[dict[str, Any]], folder: Path, method: str, criteria: Criteria) -> list[Verdict]:
    """Return whether to believe each row, and why.

    Parameters
    ----------
    rows : list of dict
        Of the ``truth`` table.
    folder : Path
        Folder with the dataset's tables.
    method : str
        ``achieved``, ``bottleneck`` or ``filled``, as :mod:`smartsbd.traces.validation` explains them; or ``given``,
        which believes every row.
    criteria : Criteria

    Returns
    -------
    list of Verdict
        One for each row, in order.
    """
    if method == "given":
        return [Verdict(True, "believed as given") for _ in rows]
    if method != "achieved":
        share = criteria.min_drop_share if method == "bottleneck" else None
        return [
            by_bottleneck(_measured(row), min_utilisation=criteria.min_utilisation, min_drop_share=share)
            for row in rows
        ]
    acks = TableReader(tables.ACK, folder / "ack.parquet")
    return by_achieved([_achieved(row, acks) for row in rows], criteria.alpha, quantile=criteria.desired_quantile)
