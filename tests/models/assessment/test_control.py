"""Controls: labels are exchanged within sites, and a feature stands alone."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from smartsbd.models.assessment.control import (
    called_shared,
    judged_alone,
    judged_on_shuffled_labels,
    with_shuffled_labels,
)
from smartsbd.models.families import FAMILIES
from smartsbd.models.families.fitted import Setting
from smartsbd.models.labelled.trial import Drawing, random_trials
from smartsbd.models.search import fitting
from tests.models.windows_made import of_kinds

METHOD = fitting.Method(inner_folds=3, seed=0)
TREE = FAMILIES["tree"]


def test_labels_are_exchanged_between_connections_of_a_site() -> None:
    made = of_kinds(pairs=[("c000", "c006")])
    dealt = with_shuffled_labels(made, 3)
    moved = 0
    for name in np.unique(made.connections):
        own = made.connections == name
        assert len(set(dealt.shared[own].tolist())) == 1
        moved += bool(dealt.shared[own][0] != made.shared[own][0])
    assert moved > 15
    for site in np.unique(made.site):
        there = (made.site == site) & (made.kind == "tiled")
        assert dealt.shared[there].sum() == made.shared[there].sum()
    assert not dealt.shared[made.kind == "swapped"].any()
    assert (with_shuffled_labels(made, 3).shared == dealt.shared).all()


def test_the_test_is_against_the_shuffled_labels() -> None:
    made = of_kinds(90)
    grid = fitting.settings(TREE, {"max_depth": [2]}, [9])
    trial = random_trials(made, "made", "tiled", Drawing(3, 0.3, 0))[0]
    shuffled, verdicts = judged_on_shuffled_labels(made, {"tree": grid}, trial, METHOD, seed=1)
    assert (shuffled.shared == with_shuffled_labels(made, 1).shared).all()
    # A model that had learnt from the true labels would tell them.
    right = (verdicts["tree"]["made/tiled"].shared_pred == made.shared[trial.tests["made/tiled"]]).mean()
    assert right < 0.9


def test_swapped_partners_against_non_shared_windows_of_the_same_sites() -> None:
    def rows(test_set: str, site: str, shared: bool, verdicts: list[bool], name: str) -> pd.DataFrame:
        return pd.DataFrame({"shared_pred": verdicts}).assign(
            test_set=test_set, site=site, shared=shared, connection_id=[f"{name}{n}" for n in range(len(verdicts))]
        )

    yes, no = True, False
    table = pd.concat(
        [
            rows("d/swapped", "far", False, [yes, yes, no], "d/x+d/y").assign(
                connection_id=["d/a+d/b", "d/b+d/c", "d/c+d/a"]
            ),
            rows("d/swapped", "near", False, [yes], "").assign(connection_id="d/e+d/f"),
            rows("d/tiled", "far", False, [yes, no], "d/far"),
            rows("d/tiled", "near", False, [yes, yes, yes, no], "d/near"),
            rows("d/tiled", "other", False, [yes] * 9, "d/other"),
            rows("d/tiled", "far", True, [yes] * 9, "d/shared"),
            rows("d/triggered", "far", False, [yes] * 9, "d/far"),
        ]
    )
    found = called_shared(table, "d", "tiled", resamples=200, seed=0)
    assert found["swapped"] == 0.75
    # Three windows of four are from afar, where half are called shared; one is from near, where it is three quarters.
    assert found["non_shared"] == pytest.approx((3 * 0.5 + 0.75) / 4)
    assert found["excess"] == pytest.approx(0.75 - 2.25 / 4)
    assert (found["swapped_windows"], found["swapped_pairs"]) == (4, 4)
    assert found["swapped_sites"] == "far 3; near 1"


def test_one_feature_alone() -> None:
    made = of_kinds(90)
    trial = random_trials(made, "made", "tiled", Drawing(3, 0.3, 0))[0]
    setting = Setting(1, (("max_depth", 2),))
    right = {
        name: (
            judged_alone(made, name, TREE, setting, trial, METHOD)["made/tiled"].shared_pred
            == made.shared[trial.tests["made/tiled"]]
        ).mean()
        for name in ("rtt_sd_ratio_q10", "rtt_ed_4us")
    }
    assert right["rtt_sd_ratio_q10"] > 0.95
    assert right["rtt_ed_4us"] < 0.8
