"""How models are chosen, fitted and judged, and how baseline detectors are."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from smartsbd.pipelines.params.block import Block


class Validate(Block):
    """Bottleneck validation."""

    method: dict[str, Literal["achieved", "bottleneck", "filled", "given"]]
    alpha: float = Field(gt=0, lt=1)
    desired_quantile: float = Field(gt=0, le=1)
    min_utilisation: float = Field(ge=0, le=1)
    min_drop_share: float = Field(ge=0, le=1)


class Rank(Block):
    """Relevance of the features."""

    datasets: list[str]
    rule: Literal["triggered", "tiled"]
    neighbors: int = Field(ge=1)
    repeats: int = Field(ge=1)
    permutations: int = Field(ge=20)
    half_samples: int = Field(ge=20)
    seed: int = Field(ge=0)


class Tiles(Block):
    """What is judged of tiles."""

    memories: list[str] = Field(min_length=1)
    swapped: list[str]

    @model_validator(mode="after")
    def _known(self) -> Tiles:
        from smartsbd.features.lag_excess.memory import FORGETTING

        unknown = sorted(set(self.memories) - set(FORGETTING))
        if unknown:
            raise ValueError(f"memories has {unknown}, known are {list(FORGETTING)}")
        if "tiles_4" not in self.memories:
            raise ValueError("memories lacks tiles_4, the default detector's, which others are compared with")
        return self


class LearntVerdicts(Block):
    """Last verdicts of families learnt on one dataset."""

    trained: str
    families: dict[str, dict[str, list[Any]]] = Field(min_length=1)
    feature_sets: list[str] = Field(min_length=1)
    moments: int = Field(ge=1)
    folds: int = Field(ge=2)
    simpler_within: float = Field(ge=0, lt=1)
    least_right: float = Field(gt=0.5, le=1)
    seed: int = Field(ge=0)


class Search(Block):
    """Model selection."""

    datasets: list[str] = Field(min_length=1)
    rules: list[Literal["triggered", "tiled"]] = Field(min_length=1)
    feature_sets: list[str] = Field(min_length=1)
    top: list[Annotated[int, Field(ge=1)]] = Field(min_length=1)
    families: dict[str, dict[str, list[Any]]] = Field(min_length=1)
    neighbors: list[Annotated[int, Field(ge=1)]] = Field(min_length=1)
    splits: int = Field(ge=2)
    test_share: float = Field(gt=0, lt=1)
    scaling: Literal["standard", "min_max", "none"]
    block: int = Field(ge=1)
    learn_partners: bool
    inner_folds: int = Field(ge=2)
    seed: int = Field(ge=0)

    @property
    def rule(self) -> str:
        """Rule of the windows that stored models are trained on."""
        return self.rules[0]


class Transfer(Block):
    """Testing the models of each dataset on others."""

    tested: list[str]
    development: str


class Unseen(Block):
    """Stored models on the cases of a dataset that none of them has seen."""

    trained: str
    tested: str


class Generalise(Block):
    """Training on some datasets, testing on each."""

    trained: list[list[str]] = Field(min_length=1)
    tested: list[str] = Field(min_length=1)
    families: list[str] = Field(min_length=1)


class Controls(Block):
    """What the models say where there is nothing to say."""

    families: list[str]
    alone_depth: int = Field(ge=1)
    seed: int = Field(ge=0)


class Evaluate(Block):
    """Accuracy and its intervals."""

    resamples: int = Field(ge=100)
    seed: int = Field(ge=0)


class Sensitivity(Block):
    """What the stored models say where one thing is other than in training."""

    datasets: list[Literal["sensitivity"]] = Field(max_length=1)
    families: list[str]
    feature_sets: list[str]
    window_rtts: list[Annotated[int, Field(ge=3)]]
    missing_shares: list[Annotated[float, Field(ge=0, lt=1)]]
    seed: int = Field(ge=0)


class Leaderboard(Block):
    """What the benchmark's tasks are run on, beside the tables in git."""

    sizes: list[Literal["S", "M", "L"]]


class Replay(Block):
    """Replaying detectors on the sender's signals."""

    detectors: list[str] = Field(min_length=1)
    models: list[str]
    partitions: list[str]
    shifts: list[str]
    grids: dict[str, dict[str, list[Any]]]


class Tracking(Block):
    """MLflow."""

    enabled: bool
