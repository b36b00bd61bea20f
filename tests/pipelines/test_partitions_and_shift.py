"""Partitions of three subflows, and bottlenecks that move: tables made by hand, results by hand."""

from __future__ import annotations

import math
import shutil
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from smartsbd.contracts import tables
from smartsbd.contracts.contract import Table, write_table
from smartsbd.pipelines.__main__ import main
from smartsbd.pipelines.judging.moved_bottlenecks import NothingMovesError, moved_bottlenecks
from smartsbd.pipelines.judging.partitions import NothingToJudgeError, partitions
from smartsbd.pipelines.params import read_params

ROOT = Path(__file__).parents[2]
S = 1_000_000_000
OPTIONS = read_params(ROOT / "params.yaml").evaluate


def write(table: Table, rows: list[dict[str, Any]], folder: Path) -> None:
    """Write rows; a column that is not given is null, or something of its type."""
    empty = {"string": "", "bool": False, "double": 0.0}
    columns = {
        column.name: [
            row.get(column.name, None if column.nullable else empty.get(str(column.dtype), 0)) for row in rows
        ]
        for column in table.columns
    }
    write_table(table, columns, folder / f"{table.name}.parquet")


def truth(name: str, a: int, b: int, shared: bool, from_s: int = 0, valid: bool = True) -> dict[str, Any]:
    return {
        "connection_id": name, "subflow_a": a, "subflow_b": b, "shared": shared, "from_ns": from_s * S, "valid": valid
    }  # fmt: skip


def grouping(name: str, said: dict[float, tuple[int | None, ...]], detector: str = "one") -> list[dict[str, Any]]:
    return [
        {"connection_id": name, "detector": detector, "preset": "p", "time_ns": int(at_s * S), "subflow_id": subflow,
         "group": group}
        for at_s, groups in said.items()
        for subflow, group in enumerate(groups)
    ]  # fmt: skip


def dataset(
    folder: Path, subflows: dict[str, int], truths: list[dict[str, Any]], said: list[dict[str, Any]], end_s: int = 10
) -> None:
    """Connections from 0 to `end_s`, RTT 20 ms of the first subflow and 100 ms of the others, never congested."""
    write(tables.CONNECTION, [{"connection_id": name, "end_ns": end_s * S} for name in subflows], folder)
    rows = [
        {"connection_id": name, "subflow_id": one, "end_ns": end_s * S, "min_rtt_us": 100_000 if one else 20_000,
         "family": 4}
        for name, count in subflows.items()
        for one in range(count)
    ]  # fmt: skip
    write(tables.SUBFLOW, rows, folder)
    write(tables.STATE, [{"connection_id": next(iter(subflows)), "ca_state": 1}], folder)
    write(tables.TRUTH, truths, folder)
    write(tables.GROUPING, said, folder)
    replayed = [
        {"connection_id": name, "subflow_b": 1, "detector": detector, "preset": "p", "scored_ns": 1}
        for name in subflows
        # Of the second connection the third detector has no signal.
        for detector in ("one", "silent", "sometimes")
        if detector != "sometimes" or name == next(iter(subflows))
    ]
    write(tables.TIME_SHARE, replayed, folder)


def where(folder: Path) -> tuple[Path, Path, Path]:
    """The tables, the truth and what detectors said."""
    return folder, folder / "truth.parquet", folder


def test_partitions_by_hand(tmp_path: Path) -> None:
    pairs = ((0, 1, True), (0, 2, False), (1, 2, False))
    truths = [truth(name, a, b, shared) for name in ("g/a", "g/b") for a, b, shared in pairs]
    # Left out: a pair that is not valid, and a pair that has no label.
    truths += [truth("g/c", a, b, shared, valid=b != 2) for a, b, shared in pairs]
    truths += [truth("g/d", a, b, shared) for a, b, shared in pairs[:2]]
    said = [
        # Scored from 2 s, the end of a slow start without loss, to 10 s: right from 4 s on.
        *grouping("g/a", {1: (0, 1, 2), 4: (0, 0, 1)}),
        # Right from 2 s to 8 s, then all together.
        *grouping("g/b", {2: (0, 0, 1), 8: (0, 0, 0)}),
    ]
    dataset(tmp_path, dict.fromkeys(("g/a", "g/b", "g/c", "g/d"), 3), truths, said)
    judged, table = partitions(*where(tmp_path), OPTIONS)
    assert sorted(set(judged["connection_id"])) == ["g/a", "g/b"]
    found = {row["detector"]: row for row in table.to_dict("records")}
    one = found["one"]
    assert (one["connections"], one["left_out"], one["without_scored_time"], one["pairs"]) == (2, 2, 0, 6)
    assert (one["exact"], one["exact_time"]) == (0.5, (6 / 8 + 6 / 8) / 2)
    # At the end: of a all pairs right, of b only the shared one.
    assert (one["pairs_recall_shared"], one["pairs_recall_not_shared"]) == (1.0, 0.5)
    assert (found["silent"]["exact"], found["silent"]["pairs_balanced"]) == (0, 0)
    assert (found["sometimes"]["connections"], found["sometimes"]["pairs"]) == (1, 3)


def test_nothing_to_judge_is_said(tmp_path: Path) -> None:
    dataset(tmp_path, {"g/a": 2}, [truth("g/a", 0, 1, True, valid=False)], [])
    with pytest.raises(NothingToJudgeError):
        partitions(*where(tmp_path), OPTIONS)
    with pytest.raises(NothingMovesError):
        moved_bottlenecks(*where(tmp_path))


def test_shifts_by_hand(tmp_path: Path) -> None:
    # T is 50 times 100 ms, 5 s. Shared to 20 s, apart to 40 s, shared to 60 s.
    phases = [truth("s/a", 0, 1, True), truth("s/a", 0, 1, False, 20), truth("s/a", 0, 1, True, 40)]
    # Left out: not valid; no change; begins when the connection is over.
    phases += [truth("s/b", 0, 1, True), truth("s/b", 0, 1, False, 20, valid=False), truth("s/b", 0, 1, False, 40)]
    phases += [truth("s/c", 0, 1, True), truth("s/c", 0, 1, False, 60)]
    together, apart = (0, 0), (0, 1)
    said = grouping("s/a", {1: together, 23: apart, 25: together, 30: apart})
    dataset(tmp_path, dict.fromkeys(("s/a", "s/b", "s/c"), 2), phases, said, end_s=60)
    changes, table = moved_bottlenecks(*where(tmp_path))
    assert set(changes["connection_id"]) == {"s/a"}
    found = {(row["detector"], row["change_to"]): row for row in table.to_dict("records")}
    first = found["one", "not shared"]
    # Right first after 3 s, for 2 s; then from 10 s on.
    assert (first["changes"], first["already_right"], first["never_right"], first["left_out"]) == (1, 0, 0, 3)
    assert (first["first_s_median"], first["first_windows_median"]) == (3, 0.6)
    assert (first["settled_s_median"], first["settled_windows_median"]) == (10, 2)
    assert first["right_share_of_phase"] == pytest.approx((2 + 10) / 20)
    second = found["one", "shared"]
    assert (second["never_right"], second["never_settled"]) == (1, 1)
    assert math.isinf(second["settled_s_median"]) and second["right_share_of_phase"] == 0
    assert found["silent", "shared"]["never_right"] == 1


def test_last_verdicts_are_counted_pair_by_pair(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Under the last truth; nothing said, too early an opinion's place and a connection that is not there are wrong."""
    shutil.copy(ROOT / "params.yaml", tmp_path)
    shutil.copy(ROOT / "dvc.yaml", tmp_path)
    reference = {"detector": "lag-excess", "preset": "default"}
    said = [
        *(row | reference for row in grouping("a", {2: (0, 1), 6: (0, 0)})),
        *(row | reference for row in grouping("b", {3: (0, 0)})),
        *grouping("a", {4: (0, 1)}),
    ]
    truths = [
        *(truth("a", 0, 1, False), truth("a", 0, 1, True, from_s=5)),
        *(truth("b", 0, 1, False), truth("c", 0, 1, True), truth("gone", 0, 1, False)),
        truth("d", 0, 1, True, valid=False),
    ]
    folder = tmp_path / "data"
    dataset(folder, {"a": 2, "b": 2, "c": 2, "d": 2}, truths, said)
    write(tables.TIME_SHARE, [], folder)
    monkeypatch.chdir(tmp_path)
    arguments = ["--dataset", "made", "--tables", folder, "--truth", folder / "truth.parquet", "--replayed", folder]
    assert main(["verdicts", *map(str, arguments), "--judged", "judged.parquet", "--table", "table.csv"]) == 0
    found = pd.read_csv("table.csv").set_index("detector")
    default = found.loc["lag-excess"]
    assert (default["pairs"], default["shared"], default["right"]) == (4, 2, 0.25)
    assert (default["decided_recall_shared"], default["decided_recall_not_shared"]) == (1.0, 0.0)
    assert (default["coverage_shared"], default["coverage_not_shared"]) == (0.5, 0.5)
    assert (default["wrong"], default["none"], default["first_s"]) == (1, 2, 2.5)
    other = found.loc["one"]
    assert (other["right"], other["less"], other["wrong"], other["none"]) == (0.0, -0.25, 1, 3)
    assert len(pd.read_parquet("judged.parquet")) == 8
