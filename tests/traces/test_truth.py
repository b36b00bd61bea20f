"""Truth is read strictly, and labels only windows over which it holds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from smartsbd.contracts.tables import TRUTH
from smartsbd.traces.truth import CSV_COLUMNS, TruthError, label_at, read_csv, write_csv
from smartsbd.traces.validation import Achieved, Measured, by_achieved, by_bottleneck

ROW: dict[str, Any] = {
    **dict.fromkeys(CSV_COLUMNS),
    "input": "00001.log",
    "token": "0a7ec24b",
    "subflow_a": 0,
    "subflow_b": 1,
    "from_ns": 0,
    "shared": True,
    "scenario": "table2",
    "congestion_control": "lia",
    "bottleneck_a_mbit_s": 8.0,
}


def test_what_is_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "truth.csv"
    write_csv([ROW], path)
    (row,) = read_csv(path)
    assert row == ROW | {"token": 0x0A7EC24B}


def test_the_csv_has_the_columns_of_the_table_but_the_verdict() -> None:
    table = {column.name for column in TRUTH.columns}
    assert set(CSV_COLUMNS) == (table - {"connection_id", "valid", "why"}) | {"input", "token"}


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("shared", "yes", "line 2, column shared: 'yes' must be true or false"),
        ("from_ns", "soon", "line 2, column from_ns"),
        ("from_ns", None, "line 2, column from_ns: is empty"),
        ("bottleneck_a_mbit_s", "inf", "line 2, column bottleneck_a_mbit_s"),
        ("token", "xyz", "line 2, column token: 'xyz' is not hexadecimal"),
    ],
)
def test_a_bad_cell_is_named(tmp_path: Path, name: str, value: str | None, message: str) -> None:
    path = tmp_path / "truth.csv"
    write_csv([ROW | {name: value}], path)
    with pytest.raises(TruthError, match=message):
        read_csv(path)


def test_a_missing_column_is_named(tmp_path: Path) -> None:
    path = tmp_path / "truth.csv"
    path.write_text("input,token\n")
    with pytest.raises(TruthError, match="missing columns"):
        read_csv(path)


def truth(*rows: tuple[int, bool, bool]) -> list[dict[str, Any]]:
    return [{"from_ns": f, "shared": s, "valid": v, "site": "x"} for f, s, v in rows]


@pytest.mark.parametrize(
    ("rows", "window", "expected"),
    [
        (truth((0, True, True)), (5, 9), True),
        (truth((0, True, True), (60, False, True)), (5, 59), True),
        (truth((0, True, True), (60, False, True)), (5, 60), None),
        (truth((0, True, True), (60, False, True)), (60, 80), False),
        (truth((0, True, True), (60, True, True)), (5, 80), True),
        (truth((0, True, False)), (5, 9), None),
        (truth((0, True, True), (7, True, False)), (5, 9), None),
        (truth((6, True, True)), (5, 9), None),
        ([], (5, 9), None),
    ],
)
def test_labels(rows: list[dict[str, Any]], window: tuple[int, int], expected: bool | None) -> None:
    label = label_at(rows, *window)
    assert (None if label is None else label.shared) == expected


def achieved(shared: bool, *rates: float, group: str = "g") -> Achieved:
    return Achieved((group,), shared, rates, sum(rates))


def test_validation_compares_with_the_best_of_the_group() -> None:
    verdicts = by_achieved(
        [
            achieved(True, 5.0, 3.0),
            achieved(True, 3.4, 3.0),
            achieved(True, 3.5, 2.9),
            achieved(False, 7.0, 2.0),
            achieved(False, 6.0, 3.0),
            achieved(False, 5.7, 2.5),
            achieved(False, 1.0, 1.0, group="other"),
        ],
        alpha=0.8,
    )
    # 6.4 is 0.8 of 8; 6.4 itself is not above it. Non-shared: both above 5.6 and 2.4.
    assert [verdict.valid for verdict in verdicts] == [True, False, False, False, True, True, True]
    assert verdicts[3].why == "subflow 1 achieved 2.000 of 3.000 Mbit/s"


def test_a_quantile_keeps_one_outlier_from_judging_all() -> None:
    group = [achieved(True, 4.0, 4.0) for _ in range(99)] + [achieved(True, 8.0, 8.0)]
    assert [verdict.valid for verdict in by_achieved(group, 0.8)].count(True) == 1
    assert all(verdict.valid for verdict in by_achieved(group, 0.8, quantile=0.95))


def test_the_rule_by_bottleneck() -> None:
    full = Measured((0.95, 0.91), (0.99, 0.91))
    assert by_bottleneck(full, min_utilisation=0.9, min_drop_share=0.9).valid
    half = Measured((0.95, 0.91), (0.99, 0.5))
    assert not by_bottleneck(half, min_utilisation=0.9, min_drop_share=0.9).valid
    assert by_bottleneck(half, min_utilisation=0.9, min_drop_share=None).valid
    idle = Measured((0.95, 0.8), (0.99, 0.95))
    assert not by_bottleneck(idle, min_utilisation=0.9, min_drop_share=None).valid


def test_alpha_is_a_share() -> None:
    with pytest.raises(ValueError, match=r"alpha is 1\.5"):
        by_achieved([], alpha=1.5)
