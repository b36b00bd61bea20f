"""Readings of the paper's SBD: what is tried, and what is counted."""

from __future__ import annotations

import pandas as pd

from smartsbd.detectors.mptcp_sbd import MPTCP_SBD
from studies.ambiguities.sbd import readings, recalls


def test_our_default_is_one_of_the_readings_and_no_two_are_the_same() -> None:
    parameters = readings()["parameters"].tolist()
    assert len(set(parameters)) == len(parameters)
    assert {name for name, preset in MPTCP_SBD.presets.items() if preset in parameters} == {"default", "owd"}


def test_a_pair_without_an_opinion_is_wrong_and_sites_count_by_their_pairs() -> None:
    rows = [("near", True, True)] * 3 + [("far", True, None), ("far", False, False), ("near", False, True)]
    table = pd.DataFrame(rows, columns=["site", "shared", "last_pred"]).assign(preset="a")
    judged = recalls(table).set_index("site").to_dict("index")
    assert judged["all"] == {"preset": "a", "not_shared": 0.5, "shared": 0.75, "pairs": 6}
    assert judged["far"]["shared"] == 0
    assert judged["near"]["not_shared"] == 0
