"""A stored model beside the digest of its file that the run recorded which made it.

The stage ``search`` writes models into ``data/trained`` and their digests into ``reports/chosen`` of the same project,
so the record of a folder of models is found beside it. A model file that is built as ours are may still hold other
numbers: only the digest shows that.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from smartsbd.contracts.fault import InputFault, printable
from smartsbd.models.stored import loaded_model, store
from smartsbd.models.stored.loaded_model import LoadedModel
from smartsbd.models.stored.stored_model import StoredModel

#: Remark behind the name of a model that no run recorded.
BY_NO_RUN = "recorded by no run"


class UnrecordedModelError(InputFault):
    """A model that no run recorded, or a record that cannot be read; the message says what to do."""


def _record(dataset: str, models: Path) -> Path:
    """Return where the digests of a dataset's models are: data/trained and reports/ are in one project."""
    project = os.path.abspath(models / "../..")  # noqa: PTH100 - where the folder is a link, beside the link
    return Path(project) / "reports/chosen" / f"{dataset}.json"


def recorded_digest(model: StoredModel, models: Path) -> str | None:
    """Return the digest that the run recorded of a model; None if no run did.

    Parameters
    ----------
    model : StoredModel
    models : Path
        Folder with one folder for each dataset.

    Returns
    -------
    str or None
        16 hexadecimal digits.

    Raises
    ------
    UnrecordedModelError
        If the record cannot be read.
    """
    path = _record(model.dataset, models)
    try:
        entry = json.loads(path.read_bytes()).get(model.name)
        return None if entry is None else str(entry["model"])
    except FileNotFoundError:
        return None
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise UnrecordedModelError(f"{path}: no record of models: {printable(str(error))}") from error


def digest_of_run(model: StoredModel, models: Path) -> str:
    """Return the digest that the run recorded of a model that the user names.

    Parameters
    ----------
    model : StoredModel
    models : Path
        Folder with one folder for each dataset.

    Returns
    -------
    str
        16 hexadecimal digits.

    Raises
    ------
    UnrecordedModelError
        If no run did, or the record cannot be read.
    """
    recorded = recorded_digest(model, models)
    if recorded is None:
        raise UnrecordedModelError(
            f"model {model} is {BY_NO_RUN}: it is not in {_record(model.dataset, models)};"
            f" to use it all the same, give its path: --model {model.path(models)}"
        )
    return recorded


def load_by_path(path: Path) -> tuple[str, LoadedModel]:
    """Load a model by its path, whether a run recorded it or not; return its name and the model.

    Parameters
    ----------
    path : Path

    Returns
    -------
    str
        The path, with a remark if no run recorded the model.
    LoadedModel

    Raises
    ------
    ModelError
        If it cannot be used.
    """
    judge = loaded_model.load_file(path)
    try:
        recorded = recorded_digest(judge.model, path.parent.parent) == store.digest(path)
    except UnrecordedModelError:
        recorded = False
    name = printable(str(path))
    return (name if recorded else f"{name} ({BY_NO_RUN})"), judge
