"""CUBIC's law of growth: the window follows a cubic function of the time since the last loss."""

import tempfile
from itertools import pairwise
from pathlib import Path

import pytest

from smartsbd.scenarios.closed_forms import MSS_BYTES, TOPOLOGIES
from smartsbd.scenarios.scenario import Run
from smartsbd.scenarios.simulator import simulate

pytestmark = pytest.mark.slow

#: RFC 9438, section 4: the scale in segments/s^3, and what is left of a window after a loss.
SCALE, LEFT = 0.4, 0.7
STEP_S = 0.1


def windows(rtt_ms: float) -> list[float]:
    """Window of a subflow that is alone on 10 Mbit/s with a queue of one bandwidth-delay product, in segments."""
    usual = TOPOLOGIES["own_2"].scenario
    link = usual.links[0].model_copy(update={"rate_mbit_s": ((0.0, 10.0),), "queue_bytes": round(10 * rtt_ms * 125)})
    scenario = usual.model_copy(
        update={
            "connection": usual.connection.model_copy(update={"congestion_control": "cubic"}),
            "links": (link, link),
            "subflows": tuple(own.model_copy(update={"rtt_ms": rtt_ms}) for own in usual.subflows),
            "background": (),
            "series_s": STEP_S,
        }
    )
    with tempfile.TemporaryDirectory() as folder:
        truth = simulate(Run(scenario=scenario, site=None, setting="alone"), Path(folder) / "scenario.json").truth
    return [one["subflows"][0]["window_bytes"] / MSS_BYTES for one in truth["series"]["intervals"]]


@pytest.mark.parametrize("rtt_ms", [60.0, 100.0])
def test_the_window_returns_when_the_cubic_function_says(rtt_ms: float) -> None:
    """A full queue costs two losses here. The second one comes below the window of the first (fast convergence).

    So the plateau is (1 + 0.7) / 2 of the window before it, and from there the window grows to where the queue is full.
    """
    found = windows(rtt_ms)
    falls = [place for place, (before, after) in enumerate(pairwise(found), 1) if after < 0.95 * before]
    cycles = [(begin, end) for begin, end in pairwise(falls) if (end - begin) * STEP_S > 3 and begin * STEP_S > 10]
    after_losses = [(begin, end) for begin, end in cycles if found[begin] > 2]
    assert len(after_losses) >= 5
    for begin, end in after_losses:
        low, top = found[begin], found[end - 1]
        plateau = (1 + LEFT) / 2 * low / LEFT
        due_s = ((plateau - low) / SCALE) ** (1 / 3) + ((top - plateau) / SCALE) ** (1 / 3)
        assert (end - begin) * STEP_S == pytest.approx(due_s, rel=0.1)
