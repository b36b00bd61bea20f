"""What captures tell, against the sender's own log: a real kernel's connections, and simulated ones."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from features.catalog import feature_names

SETS = ["kernel, sender", "simulator, sender", "simulator, receiver"]
#: Two simulated connections, one of either label; twelve of the kernel.
CONNECTIONS = [12, 2, 2]


@pytest.fixture(scope="module")
def signals(searched: Path) -> pd.DataFrame:
    return pd.read_csv(searched / "reports/inference/signals.csv").set_index("set")


def test_every_set_is_there_and_its_vantage_is_told(signals: pd.DataFrame) -> None:
    assert signals.index.tolist() == SETS
    assert signals["connections"].tolist() == CONNECTIONS
    assert signals["vantage"].tolist() == ["sender", "sender", "receiver"]


def test_rtts_at_the_sender_are_its_own(signals: pd.DataFrame) -> None:
    kernel, simulated, far = (signals.loc[name] for name in SETS)
    # The log begins after the capture and ends before it; what both have is the same ACKs.
    assert kernel["rtts_of_one_ack"] > 0.999 * kernel["rtts_logged"]
    assert kernel["rtt_difference_us_2.5"] > -100 and kernel["rtt_difference_us_97.5"] < 100
    assert simulated["rtts_inferred"] == simulated["rtts_logged"] == simulated["rtts_of_one_ack"]
    # Simulated senders use no timestamps: far from them there is no RTT, and so no window.
    assert far["rtts_inferred"] == far["windows_compared"] == 0


def test_congestion_is_the_kernel_s_on_all_but_one_grid_point_in_a_thousand(signals: pd.DataFrame) -> None:
    kernel = signals.loc["kernel, sender"]
    wrong = kernel["only_inferred_congested"] + kernel["only_logged_congested"]
    points = wrong + kernel["both_uncongested"] + kernel["both_congested"]
    # 22 subflows of some 20 s on a grid of 10 ms.
    assert points > 40_000
    assert kernel["both_congested"] > 5_000
    assert wrong < points / 1000
    assert abs(kernel["entry_difference_us_50"]) < 100


def test_the_same_windows_have_the_same_verdicts(signals: pd.DataFrame) -> None:
    kernel = signals.loc["kernel, sender"]
    assert kernel["windows_logged"] == kernel["windows_compared"] == kernel["same_verdict"] == 27


def test_every_feature_is_compared_and_the_table_follows_from_the_windows(searched: Path) -> None:
    table = pd.read_csv(searched / "reports/inference/features.csv").set_index(["set", "feature"])
    windows = pd.read_parquet(searched / "data/inference.parquet")
    assert set(windows["feature"]) == set(feature_names("all"))
    for key, own in windows.groupby(["set", "feature"]):
        change = (own["inferred"] - own["logged"]).abs()
        row = table.loc[[key]].iloc[0]
        assert row["windows"] == len(own)
        assert row["equal"] == (change == 0).sum()
        assert row["median_change"] == pytest.approx(change.median(), abs=1e-6)
        assert row["change_95"] == pytest.approx(change.quantile(0.95), abs=1e-6)
    assert windows.groupby("set").size().to_dict()["kernel, sender"] == 27 * len(feature_names("all"))


def test_the_detector_is_the_default_one(searched: Path) -> None:
    assert (
        searched / "data/trained" / (json.loads((searched / "reports/detector.json").read_text())["model"] + ".skops")
    ).exists()
