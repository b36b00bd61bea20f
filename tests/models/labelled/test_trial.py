"""Trials: no connection on both sides, what they test on, and swapped partners."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from smartsbd.models.labelled.partners import partners, rows_of_partners
from smartsbd.models.labelled.trial import Drawing, Trial, trials
from smartsbd.models.labelled.windows import LabelledWindows
from tests.models.windows_made import of_kinds

DRAWING = Drawing(splits=5, test_share=0.3, seed=1)
#: Shared connections of site s0 are c000, c006, c012, ...
EVERY_PAIR = [(f"c{one:03d}", f"c{other:03d}") for one in range(0, 60, 6) for other in range(0, 60, 6) if one != other]
MADE = of_kinds(pairs=EVERY_PAIR)
TRIALS = trials(MADE, "made", ["tiled", "triggered"], DRAWING)


def members(windows: LabelledWindows, trial: Trial) -> tuple[set[str], set[str]]:
    tested = {
        name for rows in trial.tests.values() for own in windows.connections[rows].tolist() for name in own.split("+")
    }
    return set(windows.connections[trial.train].tolist()), tested


@pytest.mark.parametrize("trial", TRIALS)
def test_no_connection_stands_on_both_sides(trial: Trial) -> None:
    trained, tested = members(MADE, trial)
    assert trained and tested
    assert not trained & tested


def test_what_is_trained_and_tested_on() -> None:
    kinds = {
        (trial.train_set, name, kind)
        for trial in TRIALS
        for name, rows in trial.tests.items()
        for kind in MADE.kind[rows].tolist()
    }
    assert kinds == {
        (f"made/{rule}", f"made/{kind}", kind)
        for rule in ("tiled", "triggered")
        for kind in ("tiled", "triggered", "swapped")
    } | {("made but the site/tiled", "made/tiled", "tiled")}
    for trial in TRIALS:
        assert set(MADE.kind[trial.train]) == {trial.train_set.rsplit("/", 1)[1]}


def test_each_site_is_left_out_once() -> None:
    left = [trial for trial in TRIALS if "but the site" in trial.train_set]
    tested = [set(MADE.site[trial.tests["made/tiled"]].tolist()) for trial in left]
    assert tested == [{"s0"}, {"s1"}, {"s2"}]
    for trial, site in zip(left, tested, strict=True):
        assert set(MADE.site[trial.train].tolist()) == {"s0", "s1", "s2"} - site


def test_partners_are_shared_and_of_one_site() -> None:
    rows = MADE.rows("tiled")
    found = partners(MADE, rows)
    assert len(found) == 30
    assert ("c000", "c006") in found and ("c054", "c000") in found
    site = dict(zip(MADE.connections, MADE.site, strict=True))
    shared = dict(zip(MADE.connections, MADE.shared, strict=True))
    assert all(site[one] == site[other] and shared[one] and shared[other] for one, other in found)
    assert partners(MADE, rows[MADE.connections[rows] == "c000"]) == []


def test_windows_of_partners_have_both_among_the_rows() -> None:
    rows = MADE.rows("tiled")
    both = rows[np.isin(MADE.connections[rows], ["c000", "c006", "c003"])]
    assert MADE.connections[rows_of_partners(MADE, both)].tolist() == ["c000+c006", "c006+c000"]
    # c003 is not shared.
    one = rows[np.isin(MADE.connections[rows], ["c000", "c003"])]
    assert len(rows_of_partners(MADE, one)) == 0


def test_a_site_without_which_one_label_is_left_is_not_left_out() -> None:
    shared = MADE.shared & (MADE.site != "s1")
    sites = replace(MADE, shared=shared, site=np.where(MADE.site == "s2", "s1", MADE.site))
    left = [trial for trial in trials(sites, "made", ["tiled"], DRAWING) if "but the site" in trial.train_set]
    assert [set(sites.site[trial.tests["made/tiled"]].tolist()) for trial in left] == [{"s0"}, {"s1"}]
    none = replace(MADE, site=np.full(len(MADE.site), ""))
    assert not [trial for trial in trials(none, "made", ["tiled"], DRAWING) if "but the site" in trial.train_set]
    lone = replace(sites, shared=MADE.shared & (MADE.site == "s0"), site=sites.site)
    left = [trial for trial in trials(lone, "made", ["tiled"], DRAWING) if "but the site" in trial.train_set]
    assert [set(lone.site[trial.tests["made/tiled"]].tolist()) for trial in left] == [{"s1"}]
