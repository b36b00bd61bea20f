"""The simulated datasets and who draws them. A new one is one module and one line here.

A dataset's settings in params.yaml are the arguments of the function that draws it, checked by their types.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from pydantic import ValidationError

from smartsbd.scenarios import (
    clash,
    controllers,
    diverse,
    groups,
    idle,
    idle_linux,
    radio,
    same,
    schedulers,
    sensitivity,
    shift,
    sites,
    testbed_2,
    twin,
    twin_radio,
    unseen,
    unseen_linux,
    wide,
    wide_linux,
    wild,
    wild_2,
)
from smartsbd.scenarios.scenario import Run, ScenarioError

DATASETS: dict[str, Callable[..., list[Run]]] = {
    "sites": sites.dataset,
    "diverse": diverse.dataset,
    "unseen": unseen.dataset,
    "shift": shift.dataset,
    "groups": groups.dataset,
    "sensitivity": sensitivity.dataset,
    "wide": wide.dataset,
    "wild": wild.dataset,
    "wild_2": wild_2.dataset,
    "wide_linux": wide_linux.dataset,
    "unseen_linux": unseen_linux.dataset,
    "idle_linux": idle_linux.dataset,
    "idle_2_linux": idle_linux.dataset,
    "testbed_2": testbed_2.dataset,
    "controllers": controllers.dataset,
    "schedulers": schedulers.dataset,
    "radio": radio.dataset,
    "twin": twin.dataset,
    "same": same.dataset,
    "clash": clash.dataset,
    "twin_radio": twin_radio.dataset,
    "idle": idle.dataset,
    "idle_2": idle.dataset,
}


def draw(name: str, settings: dict[str, Any]) -> list[Run]:
    """Draw a dataset's runs, in an order that tells nothing of their labels.

    Parameters
    ----------
    name : str
        Name in :data:`DATASETS`.
    settings : dict
        The dataset's own block of ``simulate`` in params.yaml.

    Returns
    -------
    list of Run
        With their scenarios, sites and settings.

    Raises
    ------
    ScenarioError
        If the dataset or something in its settings is unknown, or a drawn scenario breaks its contract.
    """
    if name not in DATASETS:
        raise ScenarioError(f"dataset {name!r} is not simulated, known are {sorted(DATASETS)}")
    try:
        runs = DATASETS[name](**settings)
    except ValidationError as error:
        first = error.errors()[0]
        place = "/".join(map(str, first["loc"]))
        raise ScenarioError(f"dataset {name!r}: {error.title} has {place} {first['input']}: {first['msg']}") from error
    order = np.random.default_rng([settings["seed"], len(runs)]).permutation(len(runs))
    return [runs[position] for position in order]
