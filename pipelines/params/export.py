"""Which models become C."""

from __future__ import annotations

from pydantic import Field, model_validator

from smartsbd.export.layout import Layout
from smartsbd.features.feature_set import SETS
from smartsbd.models.stored.stored_model import StoredModel
from smartsbd.pipelines.params.block import Block


class Export(Block):
    """Which models become headers, and how those of each family are laid out."""

    dataset: str
    models: list[str] = Field(min_length=1)
    layouts: dict[str, Layout]
    generated_rows: int = Field(ge=1)
    judged_connections: int | None = Field(ge=1)
    common_connections: int | None = Field(ge=1)
    seed: int = Field(ge=0)

    @model_validator(mode="after")
    def _every_model_has_a_layout(self) -> Export:
        """Refuse a model that is no family and set, or whose family has no layout."""
        for model in self.stored():
            if model.family not in self.layouts:
                raise ValueError(f"models has {model.name!r}, of whose family {model.family!r} layouts says nothing")
            if model.feature_set not in SETS:
                raise ValueError(f"models has {model.name!r}, whose set of features is none of {sorted(SETS)}")
        return self

    def stored(self) -> list[StoredModel]:
        """Return the models to export."""
        return [StoredModel.parse(f"{self.dataset}/{name}") for name in self.models]
