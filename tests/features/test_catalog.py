"""The catalogue: names, bounds, and how a feature is added."""

from __future__ import annotations

import re
from pathlib import Path

import pyarrow as pa
import pytest

from features import catalog, invariant
from features.fixed import FEATURE_LIMIT, ONE_Q10
from features.ratio import folded_ratio_q10
from features.relevance import TABLE3_NATS
from features.series import PairGrid

DOCUMENT = Path(__file__).parents[2] / "docs/features.md"


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


def test_the_example_of_the_document_adds_a_feature() -> None:
    function, line = re.findall(r"```python\n(.*?)```", DOCUMENT.read_text(), re.DOTALL)
    names = {"PairGrid": PairGrid, "folded_ratio_q10": folded_ratio_q10, "ONE_Q10": ONE_Q10, "Feature": catalog.Feature}
    exec(function, names)  # noqa: S102 - the document's own example
    value = re.search(r">>> (.*)\n    (\d+)\n", function)
    assert value
    assert eval(value[1], names) == int(value[2])  # noqa: S307 - the document's own example
    names["invariant"] = type("Module", (), {**vars(invariant), "queue_peak_ratio_q10": names["queue_peak_ratio_q10"]})
    added = eval(line, names)  # noqa: S307 - the document's own example
    assert added.name == "queue_peak_ratio_q10" and added.exportable
    assert added.column().meaning == "largest queueing delays, the smaller over the larger"
