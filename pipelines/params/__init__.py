"""params.yaml as types: unknown keys are refused, every value is checked.

The modules that list a block's values, such as the datasets that can be simulated or the AutoML engines, are imported
when the block is read: a stage then depends on the code of its own blocks alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import yaml
from pydantic import BaseModel, Field, PrivateAttr, ValidationError, model_validator

from smartsbd.contracts.regular_file import NoRegularFileError, opened
from smartsbd.pipelines.params.block import Block, ParamsError
from smartsbd.pipelines.params.learning import (
    Controls,
    Evaluate,
    Generalise,
    Leaderboard,
    LearntVerdicts,
    Rank,
    Replay,
    Search,
    Sensitivity,
    Tiles,
    Tracking,
    Transfer,
    Unseen,
    Validate,
)

if TYPE_CHECKING:
    from smartsbd.pipelines.params.automl import AutoML
    from smartsbd.pipelines.params.export import Export
    from smartsbd.pipelines.params.extract import Extract
    from smartsbd.pipelines.params.parse import Parse

PARAMS_FILE = Path("params.yaml")
#: Where the params.yaml is that came with the program: in a package, or in the checkout.
_CAME_WITH = tuple(Path(__file__).resolve().parents[level] / PARAMS_FILE for level in (1, 2))
#: Recordings that only `sbd score --locked` reads.
LOCKED = "kernel_locked"

_Part = TypeVar("_Part", bound=BaseModel)


def _refusal(path: Path, error: ValidationError, inside: str = "") -> ParamsError:
    first = error.errors()[0]
    place = ".".join(str(part) for part in (*([inside] if inside else []), *first["loc"]))
    # What holds of several blocks together has no place.
    parts = [str(path), *([place] if place else []), first["msg"]]
    return ParamsError(f"{': '.join(parts)} ({error.error_count()} in all)")


class Params(Block):
    """The whole of params.yaml.

    Blocks whose names end in an underscore are as in the file; the properties of the same name check them.
    """

    profile: str
    simulated: list[str]
    samples: list[str]
    datasets: list[str] = Field(min_length=1)
    evaluation_only: list[str]
    simulate_: dict[str, Any] = Field(alias="simulate")
    parse_: dict[str, Any] = Field(alias="parse")
    validate_: Validate = Field(alias="validate")
    extract_: dict[str, Any] = Field(alias="extract")
    rank: Rank
    tiles: Tiles
    learnt_verdicts: LearntVerdicts
    search: Search
    automl_: dict[str, Any] = Field(alias="automl")
    transfer: Transfer
    unseen: Unseen
    generalise: Generalise
    controls: Controls
    evaluate: Evaluate
    sensitivity: Sensitivity
    leaderboard: Leaderboard
    export_: dict[str, Any] = Field(alias="export")
    replay: Replay
    tracking: Tracking
    workers: int = Field(ge=0)
    scheduler: Annotated[str, Field(pattern=r"^(tcp|tls)://.+:\d+$")] | None

    _path: Path = PrivateAttr(default=PARAMS_FILE)

    def _part(self, name: str, kind: type[_Part], content: Mapping[str, Any], **context: Any) -> _Part:
        try:
            return kind.model_validate(content, context=context)
        except ValidationError as error:
            raise _refusal(self._path, error, name) from error

    @property
    def simulate(self) -> BaseModel:
        """Settings of every simulated dataset."""
        from smartsbd.pipelines.params.simulate import Simulate

        return self._part("simulate", Simulate, self.simulate_)

    @property
    def parse(self) -> Parse:
        """How inputs are read."""
        from smartsbd.pipelines.params.parse import Parse

        return self._part("parse", Parse, self.parse_)

    @property
    def extract(self) -> Extract:
        """Where windows lie, and how the paper is read."""
        from smartsbd.pipelines.params.extract import Extract

        return self._part("extract", Extract, self.extract_)

    @property
    def automl(self) -> AutoML:
        """Settings of the searches by AutoML engines."""
        from smartsbd.pipelines.params.automl import AutoML

        return self._part(
            "automl", AutoML, self.automl_, families=list(self.search.families), datasets=self.search.datasets
        )

    @property
    def export(self) -> Export:
        """Which models become C."""
        from smartsbd.pipelines.params.export import Export

        return self._part("export", Export, self.export_)

    def value(self, name: str) -> Any:
        """Return the value of a name such as ``search.datasets``."""
        value: Any = self
        for part in name.split("."):
            value = getattr(value, part)
        return value

    def check(self) -> None:
        """Check every block, and that each name is of something that there is.

        Raises
        ------
        ParamsError
            If one holds an unknown key, an impossible value or an unknown name.
        """
        from smartsbd.pipelines.params.known_names import unknown_names

        for name, field in type(self).model_fields.items():
            # The others are checked already.
            if field.alias is not None and isinstance(getattr(self, name), dict):
                getattr(self, field.alias)
        wrong = unknown_names(self, LOCKED)
        if wrong:
            raise ParamsError(f"{self._path}: {wrong[0]} ({len(wrong)} in all)")

    @model_validator(mode="after")
    def _never_trained_on(self) -> Params:
        """Refuse to train or choose on datasets for evaluation only, and to read the locked one at all."""
        for name, datasets in (
            ("search.datasets", self.search.datasets),
            ("rank.datasets", self.rank.datasets),
            ("learnt_verdicts.trained", [self.learnt_verdicts.trained]),
        ):
            barred = sorted(set(datasets) & set(self.evaluation_only))
            if barred:
                raise ValueError(f"{name} has {barred}, which evaluation_only keeps from it")
        tested = {*self.transfer.tested, self.unseen.tested, *self.generalise.tested}
        if LOCKED in {*self.samples, *self.datasets, *tested}:
            raise ValueError(f"{LOCKED} is read by `sbd score --locked` alone")
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

    def check_learnable(self, dataset: str) -> None:
        """Refuse a dataset that nothing may be learnt from.

        Raises
        ------
        ParamsError
            If it is for evaluation only, or locked.
        """
        if dataset in {*self.evaluation_only, LOCKED}:
            raise ParamsError(f"dataset {dataset!r} is for evaluation only: nothing is trained, ranked or tuned on it")


def installed_file() -> Path:
    """Return the params.yaml that came with the program, for where no project is."""
    return next(path for path in _CAME_WITH if path.is_file())


def _read_yaml(path: Path) -> dict[str, Any]:
    try:
        with opened(path) as stream:
            content = yaml.load(stream.read().decode("utf-8"), yaml.CSafeLoader)
    except NoRegularFileError as error:
        raise ParamsError(str(error)) from error
    except OSError as error:
        raise ParamsError(f"{path}: cannot be read: {error.strerror}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ParamsError(f"{path}: is no YAML: {error}") from error
    if not isinstance(content, dict):
        raise ParamsError(f"{path}: must be a mapping at the top")
    return content


def read_block(path: Path, kind: type[_Part]) -> _Part:
    """Read and check a file of parameters.

    Parameters
    ----------
    path : Path
    kind : type of BaseModel
        What the file is, as a whole.

    Returns
    -------
    object of `kind`

    Raises
    ------
    ParamsError
        If the file is missing, no YAML, or holds an unknown key or an impossible value.
    """
    try:
        return kind.model_validate(_read_yaml(path))
    except ValidationError as error:
        raise _refusal(path, error) from error


def read_params(path: Path = PARAMS_FILE, *, whole: bool = True) -> Params:
    """Read and check params.yaml.

    Parameters
    ----------
    path : Path
    whole : bool
        Whether every block is checked now, or some of them only when they are read, as a stage does.

    Returns
    -------
    Params

    Raises
    ------
    ParamsError
        If the file is missing, no YAML, or holds an unknown key or an impossible value.
    """
    params = read_block(path, Params)
    params._path = path
    if whole:
        params.check()
    return params


def overlaid(base: Path, overlay: Path) -> str:
    """Return `base` with the values of `overlay` in place, as YAML.

    Returns
    -------
    str
        A YAML document.

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
