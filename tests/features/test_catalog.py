"""The catalogue: names, bounds, and how a feature is added."""

from __future__ import annotations

import pyarrow as pa
import pytest

from features import catalog
from features.fixed import FEATURE_LIMIT
from pipelines.reporting.published import TABLE3_NATS


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


@pytest.mark.parametrize("feature", catalog.FEATURES, ids=lambda feature: feature.name)
def test_every_feature_is_defined_and_exemplified(feature: catalog.Feature) -> None:
    column = feature.column()
    assert ">>>" in (feature.compute.__doc__ or "")
    assert feature.exportable == (feature.group != "throughput")
    assert (column.dtype == pa.int32()) == feature.exportable
    assert column.meaning and not column.meaning.endswith(".")
    if feature.exportable:
        assert -FEATURE_LIMIT <= feature.low < feature.high <= FEATURE_LIMIT
        assert column.unit
