"""What a rival has beside a control, of runs made by hand."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd
import pytest

from smartsbd.pipelines.closed_loop.comparison import ALL
from studies.loop.harm import HARM, harm


def run(number: int, control: str, goodput_mbit_s: float, rival_mbit_s: float) -> dict[str, Any]:
    network = {"experiment": "one", "variant": "only", "place": "here", "number": number, "control": control}
    return network | {"goodput_mbit_s": goodput_mbit_s, "rival_mbit_s": rival_mbit_s, "jain": math.nan}


def test_harm_is_what_is_left_of_what_a_rival_has_beside_one_path() -> None:
    table = pd.DataFrame(
        [
            run(0, "one path", 5.0, 4.0),
            run(0, "reno", 6.0, 3.0),
            run(1, "one path", 5.0, 5.0),
            run(1, "reno", 6.0, 2.5),
        ]
    )
    found = {(one["place"], one["control"]): one for one in harm(table, "one path", resamples=200, seed=1)}
    assert found["here", "reno"]["rival_share"] == pytest.approx((0.75 + 0.5) / 2)
    assert found[ALL, "one path"]["rival_share"] == 1.0
    assert tuple(found[ALL, "one path"]) == HARM
    assert list(harm(table[:0], "one path", resamples=200, seed=1)) == []
