"""Searches of AutoML in other environments than those that are there now."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from smartsbd.models.automl import engine_of
from smartsbd.models.automl.environment import installed
from smartsbd.pipelines.params import Params

#: Where the stage automl records its searches, in the project's folder.
_SEARCHED = Path("data/searched")


def environments(params: Params, prefix: Path) -> dict[str, str | None]:
    """Return what each engine's environment holds, None if it is not set up.

    Parameters
    ----------
    params : Params
    prefix : Path
        The main environment, :data:`sys.prefix`.

    Returns
    -------
    dict of str to (str or None)
        By the engine's name.
    """
    return {name: installed(engine_of(name), prefix) for name in params.automl.evaluations}


def searched_otherwise(project: Path, params: Params) -> list[Path]:
    """Return the records of searches whose environments are not those that are there: DVC knows of none.

    Parameters
    ----------
    project : Path
    params : Params
        Its own.

    Returns
    -------
    list of Path
        In the order of the datasets.
    """
    records = [project / _SEARCHED / f"{dataset}.json" for dataset in params.automl.datasets]
    now = environments(params, Path(sys.prefix))
    return [record for record in records if record.exists() and json.loads(record.read_text())["engines"] != now]
