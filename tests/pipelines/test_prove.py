"""The proof of the exported C on a dataset's signals: it holds, and one difference anywhere fails it."""

from __future__ import annotations

import itertools
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from smartsbd.contracts import tables
from smartsbd.contracts.contract import Table, read_table, write_table
from smartsbd.contracts.tables import WINDOW_KEY
from smartsbd.detectors import lag_excess
from smartsbd.detectors.verdict import default_detector
from smartsbd.export import common_lag_judgements, emit_c
from smartsbd.export.layout import Layout
from smartsbd.export.tree import NOT_SHARED, SHARED, Branch, Forest, from_fitted
from smartsbd.features.catalog import PAIR_WINDOW
from smartsbd.features.reading import DEFAULT
from smartsbd.models.labelled.extraction import extracted
from smartsbd.pipelines.__main__ import main
from tests.export import made

MS = 1_000_000
END_NS = 5_300 * MS
#: Subflows of each connection, and those that are never congested.
CONNECTIONS: dict[str, tuple[tuple[int, ...], tuple[int, ...]]] = {
    "d/a#0": ((0, 1), ()),
    "d/b#0": ((0, 2, 5), ()),
    "d/c#0": ((3,), ()),
    "d/d#0": ((0, 1, 2, 3), (2,)),
    "d/e#0": ((0, 1), (0, 1)),
}


def write(rows: list[dict[str, Any]], table: Table, folder: Path) -> None:
    columns = {column.name: [row.get(column.name) for row in rows] for column in table.columns}
    write_table(table, columns, folder / f"{table.name}.parquet")


def signals_of(connection_id: str, subflow_id: int, congested: bool, seed: int) -> dict[str, list[dict[str, Any]]]:
    """Return an ACK every few ms, most of them with a sample, and a change of state every half second."""
    key = {"connection_id": connection_id, "subflow_id": subflow_id}
    rng = np.random.default_rng(seed)
    times = np.sort(rng.integers(0, END_NS // MS, size=900)) * MS
    acked = np.cumsum(rng.integers(0, 2_000, size=times.size))
    queue_us = 2_000 + np.abs(np.cumsum(rng.integers(-400, 401, size=times.size)))
    acks = []
    given = zip(times.tolist(), acked.tolist(), queue_us.tolist(), strict=True)
    for number, (time_ns, acked_bytes, own_us) in enumerate(given):
        rtt_us = 20_000 * (1 + subflow_id % 2) + own_us if rng.random() < 0.8 else None
        acks.append(key | {"ack_no": number, "time_ns": time_ns, "acked_bytes": acked_bytes, "rtt_us": rtt_us})
    states = [
        key | {"state_no": number, "time_ns": 130 * MS + 251 * MS * number, "ca_state": state, "inferred": False}
        for number, state in enumerate([3, 0, 2, 4, 1, 0, 3, 0] * 2)
    ]
    return {
        "subflow": [key | {"start_ns": 0, "end_ns": END_NS}],
        "ack": acks,
        "state": states if congested else [],
    }


@pytest.fixture(scope="module")
def made_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tables, their windows as the pipeline finds them, two headers, and what their models say of the windows."""
    folder = tmp_path_factory.mktemp("proven")
    parts = [
        signals_of(name, subflow_id, subflow_id not in calm, 10 * number + subflow_id)
        for number, (name, (subflow_ids, calm)) in enumerate(CONNECTIONS.items())
        for subflow_id in subflow_ids
    ]
    for table in (tables.SUBFLOW, tables.ACK, tables.STATE):
        write([row for part in parts for row in part[table.name]], table, folder / "tables")
    connections = [{"connection_id": name, "start_ns": 0, "end_ns": END_NS} for name in CONNECTIONS]
    write(connections, tables.CONNECTION, folder / "tables")
    found = extracted(connections, folder / "tables", {}, "d", ["triggered", "tiled"], DEFAULT)
    windows = found.pair_window.to_pandas()
    write(found.pair_window.to_pylist(), PAIR_WINDOW, folder / "features")
    x = windows[list(made.NAMES)].to_numpy(dtype=np.int64)
    tree = Forest((halved(windows, "rtt_correlation_q10"),))
    forest = from_fitted(made.forest_of(x, np.random.default_rng(4).random(len(x)) < 0.5, depth=3, trees=11))
    headers = folder / "headers"
    headers.mkdir()
    made.write_runtime(headers)
    (headers / default_detector.NAMED).write_bytes(default_detector.described())
    for header in (default_detector.SOURCE, lag_excess.SOURCE):
        shutil.copy(header, headers)
    verdicts = []
    models: list[tuple[str, Forest, Layout]] = [("sbd_one", tree, "nested"), ("sbd_two", forest, "packed")]
    for name, one, layout in models:
        (headers / f"{name}.h").write_text(emit_c.render_model(one, emit_c.Header(name, "0" * 16, "made", layout)))
        said = [made.shared(one, dict(zip(made.NAMES, row, strict=True))) for row in x.tolist()]
        verdicts.append(windows[list(WINDOW_KEY)].assign(model=name, shared_pred=said))
    pd.concat(verdicts).to_parquet(folder / "verdicts.parquet", index=False)
    # Copies of the folder have its programs then.
    assert prove(folder) == 0
    for written in ("report.json", "decisions.parquet"):
        (folder / written).unlink()
    return folder


def halved(windows: pd.DataFrame, name: str) -> Branch:
    return Branch(name, int(windows[name].median()), NOT_SHARED, SHARED)


@pytest.fixture
def folder(made_folder: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return Path(shutil.copytree(made_folder, tmp_path / "proven"))


def prove(folder: Path) -> int:
    given = {
        "dataset": "d",
        "tables": folder / "tables",
        "features": folder / "features",
        "verdicts": folder / "verdicts.parquet",
        "headers": folder / "headers",
        "programs": folder / "programs",
        "decisions": folder / "decisions.parquet",
        "report": folder / "report.json",
    }
    return main(["prove", "-q", *itertools.chain(*((f"--{name}", str(value)) for name, value in given.items()))])


def test_it_holds(folder: Path) -> None:
    assert prove(folder) == 0
    report = json.loads((folder / "report.json").read_text())
    windows = read_table(PAIR_WINDOW, folder / "features/pair_window.parquet").to_pandas()
    tiled = int((windows["rule"] == "tiled").sum())
    assert tiled > 15 and len(windows) > tiled
    assert report == {
        "connections": len(CONNECTIONS),
        "windows": len(windows),
        "feature_values": len(windows) * len(emit_c.EXPORTABLE),
        "judgements": report["judgements"],
        "judged_pairs": 1 + 3 + 6 + 1,
        "common_judgements": report["common_judgements"],
        "decisions": {"sbd_one": tiled, "sbd_two": tiled},
        "partitions": {"sbd_one": len(CONNECTIONS), "sbd_two": len(CONNECTIONS)},
    }
    assert report["judgements"] > 20
    assert report["common_judgements"] > 10
    verdicts = pd.read_parquet(folder / "verdicts.parquet")
    for _, own in verdicts.groupby("model"):
        assert set(own["shared_pred"]) == {True, False}


def changed_windows(folder: Path, change: Callable[[list[dict[str, Any]]], list[dict[str, Any]]]) -> None:
    path = folder / "features/pair_window.parquet"
    write(change(read_table(PAIR_WINDOW, path).to_pylist()), PAIR_WINDOW, path.parent)


def in_a_window(rule: str, **values: Any) -> Callable[[Path], None]:
    """Return what adds to some values of the second window of a rule."""

    def change(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        row = [row for row in rows if row["rule"] == rule][1]
        for name, value in values.items():
            row[name] = row[name] + value if isinstance(value, int) else value
        return rows

    return lambda folder: changed_windows(folder, change)


def without_windows(folder: Path) -> None:
    """Leave out those of a connection."""
    left_out = ("tiled", "d/a#0")
    changed_windows(folder, lambda rows: [row for row in rows if (row["rule"], row["connection_id"]) != left_out])


def with_one_more(folder: Path) -> None:
    def change(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        last = [row for row in rows if row["rule"] == "tiled"][-1]
        return [*rows, last | {"window_start_ns": last["window_start_ns"] + last["window_ns"]}]

    changed_windows(folder, change)


def other_verdict(folder: Path) -> None:
    path = folder / "verdicts.parquet"
    rows = pd.read_parquet(path).reset_index(drop=True)
    at = rows.index[(rows["model"] == "sbd_two") & (rows["rule"] == "tiled")]
    rows.loc[at[3], "shared_pred"] = not rows.loc[at[3], "shared_pred"]
    rows.to_parquet(path, index=False)


def missing_verdict(folder: Path) -> None:
    path = folder / "verdicts.parquet"
    rows = pd.read_parquet(path).reset_index(drop=True)
    at = rows.index[(rows["model"] == "sbd_one") & (rows["rule"] == "tiled")]
    rows.drop(at[2]).to_parquet(path, index=False)


def in_a_table(table: Table, column: str, value: int, place: int) -> Callable[[Path], None]:
    """Return what adds to a value of a table's row."""

    def change(folder: Path) -> None:
        rows = read_table(table, folder / f"tables/{table.name}.parquet").to_pylist()
        next(row for row in rows[place:] if row[column] is not None)[column] += value
        write(rows, table, folder / "tables")

    return change


def in_a_header(name: str, old: str, new: str) -> Callable[[Path], None]:
    """Return what changes the C."""

    def change(folder: Path) -> None:
        path = folder / f"headers/{name}.h"
        text = path.read_text()
        assert text.count(old) == 1, text.count(old)
        path.write_text(text.replace(old, new))

    return change


def without_a_connection(folder: Path) -> None:
    rows = read_table(tables.CONNECTION, folder / "tables/connection.parquet").to_pylist()
    write(rows[1:], tables.CONNECTION, folder / "tables")


def otherwise_judged(folder: Path) -> None:
    """Change what the lag excess counts in C."""
    in_a_header("sbd_lag_excess", "lags < 10 ||", "lags < 41 ||")(folder)


CHANGES: dict[str, tuple[Callable[[Path], None], str]] = {
    "a feature": (in_a_window("tiled", rtt_ed_4us=1), "tiled: rtt_ed_4us differs in 1 of"),
    "a feature of the other rule": (
        in_a_window("triggered", rate_correlation_q10=-1),
        "triggered: rate_correlation_q10 differs in 1 of",
    ),
    "a window's length": (in_a_window("tiled", window_ns=1), "tiled: window_ns differs in 1 of"),
    "a window's place": (in_a_window("tiled", window_start_ns=1), "tiled: C misses 1 windows and finds 1 that"),
    "a window's place of the other rule": (in_a_window("triggered", window_start_ns=15 * MS), "triggered: "),
    "two windows less": (without_windows, "tiled: C misses 0 windows and finds 2 that are not there"),
    "a window more": (with_one_more, "tiled: C misses 1 windows and finds 0 that are not there"),
    "a verdict": (other_verdict, "sbd_two: 1 of"),
    "a verdict less": (missing_verdict, "sbd_one: C misses 0 windows and finds 1 that are not there"),
    "a sample": (in_a_table(tables.ACK, "rtt_us", 50_000, 400), "differs in"),
    "a state": (in_a_table(tables.STATE, "ca_state", 1, 2), "differs in"),
    "the end": (in_a_table(tables.CONNECTION, "end_ns", -3_000 * MS, 0), "refused 1"),
    "a connection less": (without_a_connection, "features has windows of connections that tables does not have"),
    "a feature of the C": (
        in_a_header("sbd_loaded", "#define SBD_LAG_RTTS	2", "#define SBD_LAG_RTTS	1"),
        "rtt_lagged_correlation_q10 differs in",
    ),
    "a decision of the C": (in_a_header("sbd_one", "return SBD_SHARED;", "return SBD_NOT_SHARED;"), "sbd_one: "),
    "partitions of the C": (
        in_a_header("smartsbd", "if (p->verdict != SBD_SHARED)", "if (p->verdict == SBD_SHARED)"),
        "sbd_one: connection 0 ends with",
    ),
    "a judgement of the C": (otherwise_judged, "sbd_lag_excess: what is said of pair 0 is not what"),
    "windows of the C": (
        in_a_header("smartsbd", "#define SBD_WINDOW_RTTS	50", "#define SBD_WINDOW_RTTS	51"),
        "tiled: C misses",
    ),
    "a window that is missed": (
        in_a_header("smartsbd", "	if (p->waiting)\n		p->missed++;\n", "	p->missed++;\n"),
        "failed (2): replay: lines",
    ),
}


#: A change waits for these.
NOW = list(CHANGES)[::4]


@pytest.mark.parametrize(
    "case", [pytest.param(case, marks=[] if case in NOW else pytest.mark.slow) for case in CHANGES]
)
def test_one_difference_fails_it(case: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    change, message = CHANGES[case]
    change(folder)
    assert prove(folder) == 1
    assert message in capsys.readouterr().err
    assert not (folder / "report.json").exists()


def test_a_judgement_of_the_common_lag_that_differs_fails_it(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = common_lag_judgements.HEADER.read_text()
    changed = tmp_path / "changed" / common_lag_judgements.HEADER.name
    changed.parent.mkdir()
    changed.write_text(text.replace("sum += 1770 *", "sum += 1771 *"))
    assert changed.read_text() != text
    monkeypatch.setattr(common_lag_judgements, "HEADERS", changed.parent)
    monkeypatch.setattr(common_lag_judgements, "HEADER", changed)
    assert prove(folder) == 1
    assert "sbd_common_lag: what is said of pair 0 is not what the pipeline says" in capsys.readouterr().err
