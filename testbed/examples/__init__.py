"""Scenarios to begin with."""

from __future__ import annotations

from pathlib import Path

from smartsbd.scenarios.scenario import Scenario

FOLDER = Path(__file__).parent


def example(name: str) -> Scenario:
    """Return an example.

    Parameters
    ----------
    name : str
        Of its file in this folder, without ``.json``.

    Returns
    -------
    Scenario
    """
    return Scenario.model_validate_json((FOLDER / f"{name}.json").read_bytes())
