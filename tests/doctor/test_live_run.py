"""The command, live, in a network of each kind; docs/experiments/guided-test.md has ten of each."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.doctor.live_run import TEST, live
from tests.doctor.situations import IDLE, NOT_SHARED, RIGHT, SHARED, STALLED, wanted


@pytest.mark.slow
@pytest.mark.parametrize("situation", [SHARED, NOT_SHARED, IDLE, STALLED])
def test_the_answer_is_right(allowed: Path, tmp_path: Path, situation: str) -> None:
    del allowed
    (one,) = wanted(situation, seed=1000, count=1, seconds=20)
    assert live(tmp_path, one).wait(180) == 0, (tmp_path / "live.log").read_text()
    said = json.loads((tmp_path / TEST / "answer.json").read_text())
    assert said["answer"] == RIGHT[situation], said
    assert (tmp_path / TEST / "paths.png").read_bytes().startswith(b"\x89PNG")


def test_a_situation_has_networks_of_its_label() -> None:
    shared, apart = (
        [json.loads(one.scenario)["subflows"] for one in wanted(situation, seed=1, count=2, seconds=20)]
        for situation in (SHARED, NOT_SHARED)
    )
    assert all(one["links"] == other["links"] for one, other in shared)
    assert all(one["links"] != other["links"] for one, other in apart)
    assert [one.stalls_seed for one in wanted(STALLED, seed=1, count=2, seconds=20)] == [1, 2]
    assert [one.ways for one in wanted(IDLE, seed=1, count=4, seconds=20)] == [
        ["silent", "bulk"],
        ["bulk", "silent"],
        ["dripping", "bulk"],
        ["bulk", "dripping"],
    ]
