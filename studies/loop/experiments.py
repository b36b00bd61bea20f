"""The study's params.yaml: what is drawn are the arguments of the functions that draw each experiment's networks."""

from __future__ import annotations

from typing import Any, Literal, get_type_hints

from pydantic import BaseModel, Field, create_model

from smartsbd.pipelines.params.block import Block
from smartsbd.scenarios.closed_loop import EXPERIMENTS
from smartsbd.scenarios.closed_loop.loop_experiment import LoopRun
from smartsbd.scenarios.closed_loop.sender_control import CONTROLS


def _of_every_experiment() -> type[BaseModel]:
    """Return one block for each experiment; null leaves it out."""
    blocks: dict[str, Any] = {}
    for name, experiment in EXPERIMENTS.items():
        arguments: dict[str, Any] = {
            key: (kind, ...)
            for key, kind in get_type_hints(experiment.draw, include_extras=True).items()
            if key != "return"
        }
        blocks[name] = (create_model(name, __base__=Block, **arguments) | None, ...)
    return create_model("DrawnExperiments", __base__=Block, **blocks)


#: What is drawn of every experiment.
DrawnExperiments = _of_every_experiment()


class LoopExperiments(Block):
    """What is run with the loop closed."""

    run_under: list[Literal[tuple(CONTROLS)]] | None = Field(min_length=1)  # type: ignore[valid-type]
    experiments: DrawnExperiments  # type: ignore[valid-type]

    def planned(self) -> list[LoopRun]:
        """Return every run: networks in the order they are drawn, each under its controls."""
        drawn: dict[str, dict[str, Any] | None] = self.experiments.model_dump()  # type: ignore[attr-defined]
        return [
            LoopRun(name, network, control)
            for name, settings in drawn.items()
            if settings is not None
            for network in EXPERIMENTS[name].draw(**settings)
            for control in EXPERIMENTS[name].controls
            if EXPERIMENTS[name].runs(control, network) and (self.run_under is None or control in self.run_under)
        ]
