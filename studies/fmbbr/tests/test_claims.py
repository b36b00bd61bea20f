"""Each claim of the FMBBR paper holds where means are as it says, and does not where one of them is not."""

from __future__ import annotations

import pandas as pd
import pytest

from studies.fmbbr.claims import (
    APART,
    BALIA,
    BBR,
    BY_VERDICT,
    BY_VERDICT_APART,
    CLAIMS,
    CMPBBR,
    COUPLED,
    COUPLED_ORACLE,
    FMBBR,
    LIA,
    ROUTERS,
    TOGETHER,
    WHOLE,
)
from studies.fmbbr.start_up import METRICS
from studies.transfers.claim import HELD, NO_BAR, NOT_HELD, NOT_RUN, beside_paper
from studies.transfers.repetitions import SETTING, Means

Key = tuple[str, str, str, str]
CHOICES = (
    *(BBR, COUPLED, COUPLED_ORACLE, CMPBBR, FMBBR, TOGETHER, WHOLE, ROUTERS, APART, BY_VERDICT, BY_VERDICT_APART),
    *(LIA, BALIA),
)


def as_reported() -> dict[Key, float]:
    """Means that hold every claim."""
    found = {
        ("draws", setting, choice, metric): 1.0
        for setting in ("limited rival", "bulk rival")
        for choice in CHOICES
        for metric in METRICS
    }
    for choice in (BBR, FMBBR, TOGETHER):
        for metric in ("probed_first", "probed_second"):
            found["one_link", "60 and 60 ms", choice, metric] = 0.95 if choice == FMBBR else 0.5
    for metric in ("probed_second", "probed_third"):
        found["draws", "limited rival", BBR, metric] = 0.4
    found["draws", "limited rival", FMBBR, "rival_first_mbit_s"] = 4.8
    found["draws", "limited rival", BBR, "rival_first_mbit_s"] = 3.9
    found["draws", "limited rival", TOGETHER, "rival_least_mbit_s"] = 0.5
    found["draws", "limited rival", WHOLE, "goodput_mbit_s"] = 30
    found["draws", "limited rival", WHOLE, "after_4s_mb"] = 9
    return found


def judged(means: dict[Key, float]) -> list[dict[str, str]]:
    rows = [(*key, 20, 20, mean, mean, mean) for key, mean in means.items()]
    table = pd.DataFrame(rows, columns=[*SETTING, "metric", "runs", "known", "mean", "low", "high"])
    return list(beside_paper(CLAIMS, Means(table)))


def test_every_claim_holds_where_means_are_as_reported() -> None:
    rows = judged(as_reported())
    assert [row["paper"] for row in rows if row["held"] in (NOT_HELD, NOT_RUN)] == []
    assert sum(row["held"] == HELD for row in rows) == sum(bool(claim.must_show) for claim in CLAIMS)
    assert sum(row["held"] == NO_BAR for row in rows) == sum(not claim.must_show for claim in CLAIMS)


@pytest.mark.parametrize(
    ("key", "mean", "fails"),
    [
        (("draws", "limited rival", FMBBR, "probed_third"), 0.84, "FMBBR: all subflows find high bandwidths"),
        (
            ("draws", "limited rival", BBR, "probed_second"),
            0.66,
            "BBR: only subflow 1 does, 2 and 3 find a small amount",
        ),
        (("one_link", "60 and 60 ms", FMBBR, "probed_second"), 0.84, "(one after the other)"),
        (("one_link", "60 and 60 ms", TOGETHER, "probed_first"), 0.66, "(at once)"),
        (
            ("draws", "limited rival", BBR, "rival_first_mbit_s"),
            4.2,
            "BBR takes bandwidth of the TCP flow, which keeps a high one under FMBBR",
        ),
        (("draws", "limited rival", TOGETHER, "rival_least_mbit_s"), 1.0, "without steps its rate drops sharply"),
        (("draws", "limited rival", LIA, "goodput_mbit_s"), 25.1, "FMBBR with IRPS is above BALIA and LIA"),
        (("draws", "limited rival", BALIA, "after_4s_mb"), 9.1, "comparable from 0 to 2 s, then ahead of both"),
    ],
)
def test_a_claim_fails_where_one_mean_is_another(key: Key, mean: float, fails: str) -> None:
    failed = [row["paper"] for row in judged(as_reported() | {key: mean}) if row["held"] == NOT_HELD]
    assert failed == [fails]


def test_what_was_not_run_says_so() -> None:
    assert {row["held"] for row in judged({})} == {NOT_RUN}
