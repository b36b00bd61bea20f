"""A run of the loop program whose files are not kept."""

from __future__ import annotations

import tempfile
from pathlib import Path

from smartsbd.scenarios.closed_loop import loop_program
from smartsbd.scenarios.closed_loop.loop_program import Looped
from smartsbd.scenarios.scenario import Scenario


def run_once(scenario: Scenario, program: Path) -> Looped:
    """Run a scenario.

    Parameters
    ----------
    scenario : Scenario
    program : Path
        What :func:`loop_program.build` returned.

    Returns
    -------
    Looped
        Event log, truth and verdicts.

    Raises
    ------
    SimulatorError
        If it failed.
    """
    with tempfile.TemporaryDirectory(prefix="sbd-") as folder:
        return loop_program.run(program, scenario, Path(folder) / "scenario.json")
