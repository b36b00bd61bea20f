"""The simulated datasets and who draws them. A new one is one module and one line here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scenarios import sites
from scenarios.scenario import Run, ScenarioError

DATASETS: dict[str, Callable[..., list[Run]]] = {"sites": sites.dataset}


def draw(name: str, settings: dict[str, Any]) -> list[Run]:
    """Draw a dataset's runs.

    Parameters
    ----------
    name : str
        Name in :data:`DATASETS`.
    settings : dict
        The dataset's own block of ``simulate`` in params.yaml.
    """
    if name not in DATASETS:
        raise ScenarioError(f"dataset {name!r} is not simulated, known are {sorted(DATASETS)}")
    return DATASETS[name](**settings)
