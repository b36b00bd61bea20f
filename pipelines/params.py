"""params.yaml as types: unknown keys are refused, every value is checked before a stage starts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, get_type_hints

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, create_model, model_validator

from export.layout import Layout
from features.catalog import SETS
from features.reading import Reading
from models.automl import ENGINES
from scenarios.datasets import DATASETS
from traces.dialect import OURS, Dialect, LinePattern
from traces.fault import UsageFault

PARAMS_FILE = Path("params.yaml")
#: Recordings that only `sbd score-locked` reads.
LOCKED = "kernel_locked"


class ParamsError(UsageFault):
    """params.yaml or an overlay cannot be used: names the file and the key."""


class _Block(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


def _simulate() -> type[BaseModel]:
    """Return one block per simulated dataset; its keys are the arguments of the function that draws it."""
    blocks: dict[str, Any] = {}
    for name, drawn in DATASETS.items():
        arguments: dict[str, Any] = {
            key: (kind, ...) for key, kind in get_type_hints(drawn, include_extras=True).items() if key != "return"
        }
        blocks[name] = (create_model(name, __base__=_Block, **arguments), ...)
    return create_model("Simulate", __base__=_Block, **blocks)


class Line(_Block):
    """What a record looks like in another lab's log."""

    marker: str
    expression: str


class Parse(_Block):
    """Reading inputs."""

    max_quarantined: float = Field(ge=0, le=1)
    max_unreadable: float = Field(ge=0, le=1)
    line: Line | None
    tcpprobe_srtt: Literal["us", "ms"] | None

    def dialect(self) -> Dialect:
        """Return how logs are written.

        Raises
        ------
        DialectError
            If the line pattern cannot be used.
        """
        line = OURS if self.line is None else LinePattern(self.line.marker, self.line.expression)
        return Dialect(line, self.tcpprobe_srtt)


class Validate(_Block):
    """Bottleneck validation."""

    rule: dict[str, Literal["achieved", "bottleneck", "filled", "given"]]
    alpha: float = Field(gt=0, lt=1)
    desired_quantile: float = Field(gt=0, le=1)
    min_utilisation: float = Field(ge=0, le=1)
    min_drop_share: float = Field(ge=0, le=1)


class Extract(_Block):
    """Windows and features."""

    rules: list[Literal["triggered", "tiled"]] = Field(min_length=1)
    reading: Reading


class Rank(_Block):
    """Relevance of the features."""

    datasets: list[str]
    rule: Literal["triggered", "tiled"]
    neighbors: int = Field(ge=1)
    repeats: int = Field(ge=1)
    permutations: int = Field(ge=20)
    half_samples: int = Field(ge=20)
    seed: int = Field(ge=0)


class Ambiguities(_Block):
    """Readings to compare with the default."""

    rate_weights: list[float]
    rate_taus_s: list[float]


class Search(_Block):
    """Model selection."""

    datasets: list[str] = Field(min_length=1)
    rules: list[Literal["triggered", "tiled"]] = Field(min_length=1)
    feature_sets: list[str] = Field(min_length=1)
    top: list[int] = Field(min_length=1)
    families: dict[str, dict[str, list[Any]]] = Field(min_length=1)
    neighbors: list[int]
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


class AutoML(_Block):
    """Searches by AutoML engines, and what learns from them."""

    feature_sets: list[str] = Field(min_length=1)
    evaluations: dict[str, Annotated[int, Field(ge=1)] | None]
    splits: int = Field(ge=1)
    time_s: int = Field(ge=30)
    evaluation_time_s: int = Field(ge=1)
    memory_mb: int = Field(ge=1024)
    cores: int = Field(ge=1)
    families: list[str]
    teacher: str
    students: list[str]
    seed: int = Field(ge=0)


class Transfer(_Block):
    """Testing the models of each dataset on others."""

    tested: list[str]
    development: str


class Unseen(_Block):
    """Stored models on the cases of a dataset that none of them has seen."""

    trained: str
    tested: str


class Generalise(_Block):
    """Training on some datasets, testing on each."""

    trained: list[list[str]] = Field(min_length=1)
    tested: list[str] = Field(min_length=1)
    families: list[str] = Field(min_length=1)


class Controls(_Block):
    """What the models say where there is nothing to say."""

    families: list[str]
    alone_depth: int = Field(ge=1)
    seed: int = Field(ge=0)


class Evaluate(_Block):
    """Accuracy and its intervals."""

    resamples: int = Field(ge=100)
    seed: int = Field(ge=0)


class Sensitivity(_Block):
    """What the stored models say where one thing is other than in training."""

    datasets: list[Literal["sensitivity"]] = Field(max_length=1)
    families: list[str]
    feature_sets: list[str]
    window_rtts: list[Annotated[int, Field(ge=3)]]
    missing_shares: list[Annotated[float, Field(ge=0, lt=1)]]
    seed: int = Field(ge=0)


class Infer(_Block):
    """What captures tell of a sender's state, against its own log."""

    connections_per_label: int = Field(ge=0)
    seed: int = Field(ge=0)


def parts_of(model: str) -> tuple[str, str]:
    """Return the family and the set of features of a stored model's name.

    Examples
    --------
    >>> parts_of("svm_linear_paper")
    ('svm_linear', 'paper')
    """
    family, _, feature_set = model.rpartition("_")
    return family, feature_set


class Export(_Block):
    """Which models become headers, and how those of each family are laid out."""

    dataset: str
    models: list[str] = Field(min_length=1)
    layouts: dict[str, Layout]
    generated_rows: int = Field(ge=1)
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


class Replay(_Block):
    """Replaying detectors on the sender's signals."""

    detectors: list[str] = Field(min_length=1)
    models: list[str]
    partitions: list[str]
    shifts: list[str]
    grids: dict[str, dict[str, list[Any]]]


class Tracking(_Block):
    """MLflow."""

    enabled: bool


class Params(_Block):
    """The whole of params.yaml."""

    profile: str
    simulated: list[str]
    samples: list[str]
    datasets: list[str] = Field(min_length=1)
    evaluation_only: list[str]
    simulate: Annotated[BaseModel, BeforeValidator(_simulate().model_validate)]
    parse: Parse
    validate_: Validate = Field(alias="validate")
    extract: Extract
    rank: Rank
    ambiguities: Ambiguities
    search: Search
    automl: AutoML
    transfer: Transfer
    unseen: Unseen
    generalise: Generalise
    controls: Controls
    evaluate: Evaluate
    sensitivity: Sensitivity
    infer: Infer
    export: Export
    replay: Replay
    tracking: Tracking
    workers: int
    scheduler: Annotated[str, Field(pattern=r"^(tcp|tls)://.+:\d+$")] | None

    @model_validator(mode="after")
    def _never_trained_on(self) -> Params:
        """Refuse to train or choose on what is for evaluation only, and to read what is locked at all."""
        for name, datasets in (("search", self.search.datasets), ("rank", self.rank.datasets)):
            barred = sorted(set(datasets) & set(self.evaluation_only))
            if barred:
                raise ValueError(f"{name}.datasets has {barred}, which evaluation_only keeps from it")
        tested = {*self.transfer.tested, self.unseen.tested, *self.generalise.tested}
        if LOCKED in {*self.samples, *self.datasets, *tested}:
            raise ValueError(f"{LOCKED} is read by `sbd score-locked` alone")
        learnt = {self.unseen.trained, *(dataset for datasets in self.generalise.trained for dataset in datasets)}
        if not learnt <= set(self.search.datasets):
            raise ValueError(
                f"unseen.trained and generalise.trained have {sorted(learnt - set(self.search.datasets))},"
                " which search.datasets does not train on"
            )
        if self.unseen.tested == self.unseen.trained:
            raise ValueError(f"unseen.tested is {self.unseen.tested!r}, which its models are trained on")
        if not set(self.generalise.families) <= set(self.search.families):
            unknown = sorted(set(self.generalise.families) - set(self.search.families))
            raise ValueError(f"generalise.families has {unknown}, of which search.families has no grid")
        if self.transfer.development in self.search.datasets:
            raise ValueError(f"transfer.development is {self.transfer.development!r}, which search.datasets trains on")
        return self

    @model_validator(mode="after")
    def _automl_can_be_searched(self) -> Params:
        """Refuse engines that are not known, and trials and families that the search does not have."""
        for engine, evaluations in self.automl.evaluations.items():
            if engine not in ENGINES:
                raise ValueError(f"automl.evaluations has {engine!r}, known are {sorted(ENGINES)}")
            if evaluations is not None and evaluations < ENGINES[engine].least_evaluations:
                least = ENGINES[engine].least_evaluations
                raise ValueError(f"automl.evaluations of {engine} is {evaluations}, must be {least} or more")
        own = [*self.automl.families, *self.automl.students]
        if not set(own) <= set(self.search.families):
            unknown = sorted(set(own) - set(self.search.families))
            raise ValueError(
                f"automl.families and automl.students have {unknown}, of which search.families has no grid"
            )
        if "tree" not in self.automl.families:
            raise ValueError("automl.families has no tree, which everything is compared with")
        return self

    def check_learnable(self, dataset: str) -> None:
        """Refuse a dataset that nothing may be learnt from.

        Raises
        ------
        ParamsError
            If it is for evaluation only, or locked.
        """
        if dataset in {*self.evaluation_only, LOCKED}:
            raise ParamsError(f"dataset {dataset!r} is for evaluation only: nothing is trained, ranked or tuned on it")


def _read_yaml(path: Path) -> dict[str, Any]:
    try:
        content = yaml.load(path.read_text(), yaml.CSafeLoader)
    except OSError as error:
        raise ParamsError(f"{path}: cannot be read: {error.strerror}") from error
    except yaml.YAMLError as error:
        raise ParamsError(f"{path}: is no YAML: {error}") from error
    if not isinstance(content, dict):
        raise ParamsError(f"{path}: must be a mapping at the top")
    return content


def read_params(path: Path = PARAMS_FILE) -> Params:
    """Read and check params.yaml.

    Raises
    ------
    ParamsError
        If the file is missing, no YAML, or holds an unknown key or an impossible value.
    """
    try:
        return Params.model_validate(_read_yaml(path))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise ParamsError(f"{path}: {place}: {first['msg']} ({error.error_count()} in all)") from error


def overlaid(base: Path, overlay: Path) -> str:
    """Return `base` with the values of `overlay` in place, as YAML.

    Raises
    ------
    ParamsError
        If the overlay names a key that the base does not have.
    """

    def merge(below: dict[str, Any], above: dict[str, Any], place: str) -> dict[str, Any]:
        merged = dict(below)
        for key, value in above.items():
            if key not in below:
                raise ParamsError(f"{overlay}: {place}{key} is not a key of {base}")
            nested = isinstance(value, dict) and isinstance(below[key], dict)
            merged[key] = merge(below[key], value, f"{place}{key}.") if nested else value
        return merged

    return yaml.safe_dump(merge(_read_yaml(base), _read_yaml(overlay), ""), sort_keys=False)
