"""What is drawn follows from cause and seed, and the score is of what was set."""

from __future__ import annotations

import pytest

from studies.why.limited_runs import CAUSES, SEEDS, draw_run, settings_of
from studies.why.named_causes import NamedRun, confusion


def test_set_aside_seeds_are_enough_and_none_of_the_rules() -> None:
    assert min(len(SEEDS[name]) for name in SEEDS if name != "design") >= 12
    assert len({seed for seeds in SEEDS.values() for seed in seeds}) == sum(map(len, SEEDS.values()))


@pytest.mark.parametrize("cause", CAUSES)
def test_a_run_follows_from_its_cause_and_seed(cause: str) -> None:
    assert draw_run(cause, 7) == draw_run(cause, 7)
    assert draw_run(cause, 7).scenario != draw_run(cause, 8).scenario
    assert len(draw_run(cause, 7).scenario.subflows) == 2


def test_what_is_set_is_in_the_settings() -> None:
    assert settings_of(draw_run("reset", 7))["second"] == "refused"
    assert settings_of(draw_run("sender", 8))["send_buffer_bytes"] in range(16_000, 32_000)
    assert len(settings_of(draw_run("paced", 7))["shaper_mbit_s"]) == 2
    assert draw_run("receive window", 7).scenario.connection.receive_buffer_bytes < 96_000
    assert len(draw_run("shared bottleneck", 7).scenario.links) == 1
    assert len(draw_run("own bottleneck", 7).scenario.links) == 2


def test_what_is_not_named_right_lowers_the_share() -> None:
    runs = [
        NamedRun(draw_run("paced", 1), "paced", {"paced": 0.9}),
        NamedRun(draw_run("paced", 2), "not classified", {"not classified": 1.0}),
        NamedRun(draw_run("backup", 1), "backup", {"backup": 0.5}),
    ]
    table = confusion(runs).set_index("set")
    assert table["right"].to_dict() == {"backup": 1.0, "paced": 0.5}
    assert table.loc["paced", "not classified"] == 1
    assert runs[1].row() == {
        "run": "paced-0002",
        "set": "paced",
        "named": "not classified",
        "share of the cause set": 0.0,
    }
