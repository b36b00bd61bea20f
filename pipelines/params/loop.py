"""The block ``loop``: its parameters are the arguments of the functions that draw each experiment's networks."""

from __future__ import annotations

from typing import Any, Literal, get_type_hints

from pydantic import BaseModel, Field, create_model

from pipelines.params.block import Block
from scenarios.closed_loop import EXPERIMENTS
from scenarios.closed_loop.sender_control import CONTROLS


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
    return create_model("Experiments", __base__=Block, **blocks)


#: Settings of every experiment.
Experiments = _of_every_experiment()


class Loop(Block):
    """What is run with the loop closed."""

    controls: list[Literal[tuple(CONTROLS)]] | None = Field(min_length=1)  # type: ignore[valid-type]
    experiments: Experiments  # type: ignore[valid-type]

    def settings(self) -> dict[str, dict[str, Any] | None]:
        """Return the settings of each experiment; None for one that is left out."""
        found: dict[str, dict[str, Any] | None] = self.experiments.model_dump()  # type: ignore[attr-defined]
        return found
