"""How senders switch: a chain of two states from verdicts made by hand, and delays after a change."""

from __future__ import annotations

import math

import pandas as pd
import pytest

from smartsbd.pipelines.closed_loop.comparison import ALL
from studies.loop.switching import CHAIN, DELAYS, delays, two_state_chain


def test_a_chain_of_two_states_follows_from_verdicts_on_unswitched_runs() -> None:
    """Where nothing is shared: apart with chance 0.75, back with 0.25, so 0.75 of the time. Others are left out."""
    said = [("lia", False)] * 3 + [("lia", True), ("lia", None)] + [("reno", False)] * 3 + [("reno", True)]
    said += [("tree", True)] * 9
    judged = pd.DataFrame(
        [
            {"experiment": name, "variant": "only", "judge": "tree", "control": control, "said": one, "shared": label}
            for name, labels in (("one", (False,)), ("moving", (False, True)), ("unknown", (None,)))
            for label in labels
            for control, one in said
        ]
    )
    own = {"experiment": "one", "variant": "only", "control": "tree"}
    table = pd.DataFrame([own | {"apart_share": 0.5}, own | {"apart_share": 0.7}])
    (found,) = two_state_chain(judged, table, "lia", "reno")
    assert tuple(found) == CHAIN
    assert (found["shared"], found["right_coupled"], found["right_apart"]) == (False, 0.75, 0.75)
    assert (found["chain_share"], found["apart_share"]) == (pytest.approx(0.75), pytest.approx(0.6))
    assert list(two_state_chain(judged, table.assign(control="other"), "lia", "reno")) == []
    assert list(two_state_chain(judged[:0], table, "lia", "reno")) == []


def test_delays_are_medians_of_what_was_not_right_already() -> None:
    changes = [(False, 2.0), (False, math.inf), (False, 4.0), (True, 0.0)]
    table = pd.DataFrame(
        [
            {"variant": "only", "place": "here", "control": "tree", "shared": True, "held": held, "delay_s": delay}
            | {"delay_windows": delay / 2}
            for held, delay in changes
        ]
    )
    here, pooled = delays(table)
    assert (here["changes"], here["held"], here["never"]) == (4, 1, 1)
    assert (here["delay_s"], here["delay_windows"]) == (4.0, 2.0)
    assert pooled == here | {"place": ALL}
    assert tuple(here) == DELAYS
    assert list(delays(table[:0])) == []
