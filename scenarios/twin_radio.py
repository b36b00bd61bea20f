"""The dataset ``twin_radio``: two bottlenecks that could carry the same at the same times, as a recorded link did.

It is ``radio`` (:mod:`smartsbd.scenarios.radio`), except that both radios replay one part of one trace: two cells of
one mast, or two slices of one shaper. Queues and rivals are of each radio's own. Evaluation only.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, NonNegativeInt, PositiveFloat, PositiveInt

from smartsbd.scenarios import radio
from smartsbd.scenarios.scenario import Run


def dataset(
    *,
    traces: Annotated[str, Field(min_length=1)],
    connections_per_label: PositiveInt,
    duration_s: PositiveFloat,
    seed: NonNegativeInt,
) -> list[Run]:
    """Draw the dataset: as many shared as non-shared connections of two subflows.

    Parameters
    ----------
    traces, connections_per_label, duration_s, seed
        As :func:`smartsbd.scenarios.radio.dataset` takes them.

    Returns
    -------
    list of Run
        Shared ones first.

    Raises
    ------
    CapacityTraceError
        If there are no traces, or one cannot be used.
    ScenarioError
        If a trace is too short for two parts, or none carries enough.
    """
    return radio.draw_runs(
        traces=traces, connections_per_label=connections_per_label, duration_s=duration_s, seed=seed, together=True
    )
