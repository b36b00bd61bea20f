"""Which models become C."""

from __future__ import annotations

from pydantic import Field, model_validator

from export.layout import Layout
from features.catalog import SETS
from pipelines.params.block import Block


def parts_of(model: str) -> tuple[str, str]:
    """Return the family and the set of features of a stored model's name.

    Examples
    --------
    >>> parts_of("svm_linear_paper")
    ('svm_linear', 'paper')
    """
    family, _, feature_set = model.rpartition("_")
    return family, feature_set


class Export(Block):
    """Which models become headers, and how those of each family are laid out."""

    dataset: str
    models: list[str] = Field(min_length=1)
    layouts: dict[str, Layout]
    generated_rows: int = Field(ge=1)
    judged_connections: int | None = Field(ge=1)
    seed: int = Field(ge=0)

    @model_validator(mode="after")
    def _every_model_has_a_layout(self) -> Export:
        """Refuse a model that is no family and set, or whose family has no layout."""
        for name in self.models:
            family, feature_set = parts_of(name)
            if family not in self.layouts:
                raise ValueError(f"models has {name!r}, of whose family {family!r} layouts says nothing")
            if feature_set not in SETS:
                raise ValueError(f"models has {name!r}, whose set of features is none of {sorted(SETS)}")
        return self
