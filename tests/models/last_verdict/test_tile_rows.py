"""Rows of tiles say what the default detector says, at the same times; and no label where a truth does not hold."""

from __future__ import annotations

from typing import Any

import pytest

from smartsbd.detectors.lag_excess import judgements
from smartsbd.features.lag_excess import gate
from smartsbd.features.lag_excess.lattice import TOO_FEW_SAMPLES
from smartsbd.features.series import SubflowSignals
from smartsbd.models.last_verdict.tile_rows import CRITERION, tile_rows
from tests.features.delays_made import pair

TRUTH: list[dict[str, Any]] = [{"from_ns": 0, "shared": True, "site": None, "valid": True}]


def rows_of(seed: int, memory: str = "tiles_4") -> list[dict[str, Any]]:
    x, y, _ = pair(seed)
    rows = tile_rows(x, y, [memory], TRUTH)
    assert not isinstance(rows, str)
    return rows


@pytest.mark.parametrize("seed", [0, 2, 3, 4, 9, 41])
def test_what_a_row_says_is_what_the_detector_says(seed: int) -> None:
    x, y, _ = pair(seed)
    said = [
        (one.decided_ns, one.start_ns, one.shared, one.score_q10, one.reason) for one in judgements(x, y, CRITERION)
    ]
    rows = rows_of(seed)
    names = ("decided_ns", "start_ns", "said", "score_q10", "reason")
    assert [tuple(row[name] for name in names) for row in rows] == said
    assert rows


def test_a_deep_tile_alone_has_no_features() -> None:
    deep = [row for seed in (41, 56) for row in rows_of(seed, "tile") if row["reason"] == gate.TOO_DEEP]
    assert deep
    assert all(row["excess_2_q10"] is None and row["lead_q10"] is None for row in deep)


def test_a_label_holds_from_the_start_of_what_is_kept() -> None:
    """The truth changes in the midst: what reaches back behind the change has no label, what came after has the new."""
    x, y, _ = pair(4)
    middle_ns = int(x.rtt_time_ns[x.rtt_time_ns.size // 2])
    truth = [*TRUTH, {"from_ns": middle_ns, "shared": False, "site": None, "valid": True}]
    rows = tile_rows(x, y, ["tile"], truth)
    assert not isinstance(rows, str)
    for row in rows:
        expected = True if row["decided_ns"] < middle_ns else False if row["start_ns"] >= middle_ns else None
        assert row["shared"] is expected
    assert {row["shared"] for row in rows} == {True, False, None}


def test_without_samples_there_is_a_reason() -> None:
    few = SubflowSignals.of_rtts(range(0, 9000, 1000), [500] * 9)
    assert tile_rows(few, few, ["tile"], TRUTH) == TOO_FEW_SAMPLES
