"""Controls beside LIA and MPCC, of runs made by hand."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from studies.loop.beside_mpcc import compared


def run(number: int, control: str, goodput: float, rivals: float) -> dict[str, Any]:
    identity = {"experiment": "loop_nsb", "variant": "bulk", "place": "here", "number": number, "control": control}
    return identity | {"goodput_mbit_s": goodput, "rivals_mbit_s": rivals}


def test_each_network_is_compared_with_itself() -> None:
    first = {"lia": (2, 8), "mpcc": (6, 4), "tree": (3, 6)}
    second = {"lia": (4, 4), "mpcc": (4, 4), "tree": (5, 3)}
    made = [
        run(number, name, *rates) for number, of_all in enumerate((first, second)) for name, rates in of_all.items()
    ]
    rows = {(row["place"], row["control"]): row for row in compared(pd.DataFrame(made), resamples=100, seed=1)}
    tree = rows["all", "tree"]
    assert tree["networks"] == 2 and tree["above_mpcc"] == 0.5
    assert tree["over_lia"] == pytest.approx((3 / 2 + 5 / 4) / 2)
    assert tree["over_mpcc"] == pytest.approx((3 / 6 + 5 / 4) / 2)
    assert tree["rivals_over_lia"] == pytest.approx((6 / 8 + 3 / 4) / 2)
    assert rows["here", "mpcc"]["over_mpcc"] == 1.0
