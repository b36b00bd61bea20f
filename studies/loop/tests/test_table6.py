"""Table 6 in the loop: what is counted, of verdicts made by hand; and the networks of the second seed."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd
import pytest

from studies.loop import second_seed, table6


def verdict(case: str, said: bool | None, in_force: str = "coupled", shared: bool | None = True) -> dict[str, Any]:
    return {"case": case, "judge": "tree", "shared": shared, "said": said, "in_force": in_force}


def test_windows_of_changes_are_apart_and_the_mean_is_over_cases() -> None:
    made = [
        *(verdict("case01", said) for said in (True, True, True, False)),
        verdict("case01", None),
        verdict("case01", False, "both"),
        verdict("case02", False, "apart"),
        verdict("case02", True, shared=None),
    ]
    first, second, mean = table6.by_case(pd.DataFrame(made))
    assert (first["verdicts"], first["open"], first["right"]) == (5, 1, 0.75)
    assert (first["verdicts_of_changes"], first["right_of_changes"]) == (1, 0.0)
    assert (second["verdicts"], second["right"]) == (1, 0.0) and math.isnan(second["right_of_changes"])
    assert (mean["case"], mean["verdicts"], mean["right"]) == ("mean", 6, pytest.approx(0.375))


def test_the_second_seed_varies_one_option_on_the_same_networks() -> None:
    runs = list(second_seed.planned(networks=1))
    first = {run.control: run.scenario for run in runs if run.lasts == "20 s" and run.network is runs[0].network}
    majority = first["tree_paper majority"].model_dump()
    assert majority["connection"]["verdicts"] == {"name": "tree_paper", "hysteresis": "majority"}
    majority["connection"]["verdicts"]["hysteresis"] = "none"
    assert majority == first["tree_paper none"].model_dump()
    assert {run.scenario.duration_s for run in runs if run.lasts == "300 s"} == {second_seed.LONG_S}
