"""The content of a run in MLflow, as plain data: ``track`` gathers it from disk, ``tracking`` writes and finds it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from smartsbd.contracts.fault import Fault, InputFault


class TrackingError(InputFault):
    """MLflow's store, or a file to be copied into it, cannot be used; the message names the file and the reason."""


class NoRunError(Fault):
    """No run in MLflow has the model looked for."""


@dataclass(frozen=True)
class InputTable:
    """The table a model was trained on."""

    name: str
    path: Path
    sha256: str
    rows: int


@dataclass(frozen=True)
class Child:
    """One setting of a grid."""

    name: str
    params: Mapping[str, str]
    metrics: Mapping[str, float]
    tags: Mapping[str, str]


@dataclass(frozen=True)
class View:
    """A view of the run list, kept under a name: what MLflow's "Views" offers.

    Attributes
    ----------
    key : str
        Part of the view's address.
    name : str
    chosen_by : str
        The filter, in MLflow's words.
    sorted_by : str
        The column it is sorted by, the highest first.
    columns : tuple of str
        For instance ``metrics.nested/overall``.
    """

    key: str
    name: str
    chosen_by: str
    sorted_by: str
    columns: tuple[str, ...]


@dataclass(frozen=True)
class Parent:
    """The search of one family over one set of features, and the model it gave.

    Attributes
    ----------
    name : str
        For instance ``sites tree invariant``.
    params, metrics, tags : mapping
    model_path : Path
        The stored model.
    model_digest : str
        Its digest, as in a header's banner.
    example : DataFrame or None
        Rows of the model's inputs, whose columns and types are its signature; None if its input is not a table.
    chosen : mapping
        What reports/chosen says of the model.
    input_table : InputTable
    figures : tuple of Path
    children : tuple of Child
    description : str
        What the run's page says of it, in Markdown; repeats what the other attributes hold.
    """

    name: str
    params: Mapping[str, str]
    metrics: Mapping[str, float]
    tags: Mapping[str, str]
    model_path: Path
    model_digest: str
    example: pd.DataFrame | None
    chosen: Mapping[str, Any]
    input_table: InputTable
    figures: tuple[Path, ...]
    children: tuple[Child, ...]
    description: str


@dataclass(frozen=True)
class CandidateRun:
    """A run without a model of MLflow's: an AutoML engine on one set of features, a detector, or an agent's training.

    Attributes
    ----------
    name : str
        For instance ``sites auto-sklearn paper`` or ``wavelet default``.
    params, metrics : mapping
    files : tuple of Path
        Run history, leaderboard, members.
    description : str
        What the run's page says of it, in Markdown; repeats what the other attributes hold.
    kind : str
        ``automl``, ``detector`` or ``agent``: which view has it.
    curve : tuple of (int, mapping)
        Metrics that were taken on the way, each with the step it was taken at.
    """

    name: str
    params: Mapping[str, str]
    metrics: Mapping[str, float]
    files: tuple[Path, ...]
    description: str
    kind: str = "automl"
    curve: tuple[tuple[int, Mapping[str, float]], ...] = ()


@dataclass(frozen=True)
class FoundRun:
    """A run that has the model looked for.

    Attributes
    ----------
    name, run_id, experiment : str
    params, metrics, tags : mapping
    artifacts : str
        Where its figures and its stored model lie.
    models : tuple of str
        Where MLflow's form of the model lies; empty if it has none.
    versions : tuple of str
        Registered versions of it, with their aliases.
    """

    name: str
    run_id: str
    experiment: str
    params: Mapping[str, str]
    metrics: Mapping[str, float]
    tags: Mapping[str, str]
    artifacts: str
    models: tuple[str, ...]
    versions: tuple[str, ...]


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file, in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _digest(content: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def content_sha256(parent: Parent) -> str:
    """Return a digest of all that is logged of a run and its children: equal digests are equal runs.

    The commit is no part of it: a commit that changes no result is not another run. Nor is the description, which
    repeats the rest.

    Returns
    -------
    str
        64 hexadecimal digits.
    """
    content = {
        "name": parent.name,
        "params": dict(parent.params),
        "metrics": dict(parent.metrics),
        "tags": dict(parent.tags),
        "model": parent.model_digest,
        "example": None if parent.example is None else parent.example.to_csv(index=False),
        "chosen": dict(parent.chosen),
        "input": [parent.input_table.name, parent.input_table.sha256],
        "figures": {path.name: sha256(path) for path in parent.figures},
        "children": [
            [child.name, dict(child.params), dict(child.metrics), dict(child.tags)] for child in parent.children
        ],
    }
    return _digest(content)


def candidate_sha256(candidate: CandidateRun) -> str:
    """Return a digest of all that is logged of a candidate, except its description; its times are part of it."""
    files = {path.name: sha256(path) for path in candidate.files}
    return _digest(
        {
            "name": candidate.name,
            "params": dict(candidate.params),
            "metrics": dict(candidate.metrics),
            "files": files,
            **({"curve": [[step, dict(metrics)] for step, metrics in candidate.curve]} if candidate.curve else {}),
        }
    )
