"""Settings of the searches by AutoML engines."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, ValidationInfo, field_validator, model_validator

from smartsbd.models.automl import ENGINES
from smartsbd.pipelines.params.block import Block


class AutoML(Block):
    """Searches by AutoML engines, and what learns from them."""

    datasets: list[str]
    feature_sets: list[str] = Field(min_length=1)
    evaluations: dict[str, Annotated[int, Field(ge=0)] | None]
    splits: int = Field(ge=1)
    time_s: int = Field(ge=30)
    evaluation_time_s: int = Field(ge=1)
    memory_mb: int = Field(ge=1024)
    cores: int = Field(ge=1)
    families: list[str]
    grids: dict[str, dict[str, list[Any]]] | None
    top: list[Annotated[int, Field(ge=1)]] | None
    teacher: str
    students: list[str]
    seed: int = Field(ge=0)

    @field_validator("evaluations")
    @classmethod
    def _leave_out_idle_engines(cls, evaluations: dict[str, int | None]) -> dict[str, int | None]:
        """Leave out engines that try nothing."""
        return {engine: count for engine, count in evaluations.items() if count != 0}

    @model_validator(mode="after")
    def _can_be_searched(self, info: ValidationInfo) -> AutoML:
        """Refuse engines that are not known, and families without a grid of their own or of the search, the context."""
        for engine, evaluations in self.evaluations.items():
            if engine not in ENGINES:
                raise ValueError(f"evaluations has {engine!r}, known are {sorted(ENGINES)}")
            if evaluations is not None and evaluations < ENGINES[engine].least_evaluations:
                least = ENGINES[engine].least_evaluations
                raise ValueError(f"evaluations of {engine} is {evaluations}, must be {least} or more")
        unknown = sorted(set(self.datasets) - set((info.context or {}).get("datasets", self.datasets)))
        if unknown:
            raise ValueError(f"datasets has {unknown}, which search.datasets does not have")
        asked = {*self.families, *self.students}
        grids = set(self.grids or (info.context or {})["families"])
        if not asked <= grids:
            raise ValueError(f"families and students have {sorted(asked - grids)}, of which no grid is known")
        if "tree" not in self.families:
            raise ValueError("families has no tree, which everything is compared with")
        return self
