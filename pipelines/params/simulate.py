"""Settings that each simulated dataset is drawn with."""

from __future__ import annotations

from typing import Any, get_type_hints

from pydantic import BaseModel, create_model

from smartsbd.pipelines.params.block import Block
from smartsbd.scenarios.datasets import DATASETS


def _simulate_block() -> type[BaseModel]:
    """Return one block for each simulated dataset; its keys are the arguments of the function that draws it."""
    blocks: dict[str, Any] = {}
    for name, draw in DATASETS.items():
        arguments: dict[str, Any] = {
            key: (kind, ...) for key, kind in get_type_hints(draw, include_extras=True).items() if key != "return"
        }
        blocks[name] = (create_model(name, __base__=Block, **arguments), ...)
    return create_model("Simulate", __base__=Block, **blocks)


#: Settings of every simulated dataset.
Simulate = _simulate_block()
