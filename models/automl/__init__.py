"""AutoML engines. A new engine is one module and one line here; pipelines reach it by name."""

from __future__ import annotations

from smartsbd.contracts.fault import UsageFault
from smartsbd.models.automl.auto_sklearn import AUTO_SKLEARN
from smartsbd.models.automl.engine import Engine
from smartsbd.models.automl.flaml import FLAML

__all__ = ["ENGINES", "Engine", "engine_of"]

ENGINES: dict[str, Engine] = {engine.name: engine for engine in (AUTO_SKLEARN, FLAML)}


class EngineError(UsageFault):
    """An AutoML engine that is not registered."""


def engine_of(name: str) -> Engine:
    """Return an engine by name.

    Returns
    -------
    Engine
        One of :data:`ENGINES`.

    Raises
    ------
    EngineError
        If there is none of that name.
    """
    if name not in ENGINES:
        raise EngineError(f"AutoML engine {name!r} is unknown, known are {sorted(ENGINES)}")
    return ENGINES[name]
