"""The catalogue: names, bounds, and how a feature is added."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa
import pytest

from smartsbd.contributions import check_feature
from smartsbd.features import catalog
from smartsbd.features.series import PairGrid
from smartsbd.pipelines.reporting.published import TABLE3_NATS
from tests import naive
from tests.features.naive_grid import grid_of


def test_table_3_is_complete() -> None:
    ours = [feature.paper_name for feature in catalog.FEATURES if feature.paper_name]
    assert sorted(ours) == sorted(TABLE3_NATS)
    assert len(catalog.feature_names("table3")) == 18


def test_sets_are_made_of_groups() -> None:
    assert catalog.feature_names("both") == catalog.feature_names("paper") + catalog.feature_names("invariant")
    with pytest.raises(catalog.CatalogError, match="novel"):
        catalog.feature_names("novel")
    with pytest.raises(catalog.CatalogError, match="novel"):
        catalog.feature("novel")


def twin_of(feature: catalog.Feature) -> Callable[[PairGrid], float] | None:
    """The feature in plain loops, where that takes a grid."""
    if not feature.exportable:
        return None
    place = naive.INTEGER_NAMES.index(feature.name)
    return lambda grid: int(naive.integer_features(grid_of(grid))[place])


@pytest.mark.parametrize("feature", catalog.FEATURES, ids=lambda feature: feature.name)
def test_every_feature_passes_the_checks_of_a_contribution(feature: catalog.Feature) -> None:
    check_feature(feature, twin_of(feature))
    assert (feature.column().dtype == pa.int32()) == feature.exportable
