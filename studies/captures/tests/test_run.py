"""What captures tell, against the sender's own log: a real kernel's connections, and simulated ones."""

from __future__ import annotations

import shutil
from pathlib import Path

import pandas as pd
import pytest
import yaml
from sklearn.tree import DecisionTreeClassifier

from smartsbd.features.catalog import feature_names
from smartsbd.models.families.fitted import Fitted, Setting
from smartsbd.models.stored import store
from smartsbd.pipelines.reporting.report_files import write_json
from smartsbd.pipelines.running.stage import EXIT_USAGE
from studies.captures import section
from studies.transfers.tests.project import run

ROOT = Path(__file__).parents[3]
STUDY = Path("studies/captures")
MODEL = "sites/tree_paper"
SETS = ["kernel, sender", "simulator, sender", "simulator, receiver"]
#: Two simulated connections, one of either label; twelve of the kernel.
CONNECTIONS = [12, 2, 2]


def stump() -> Fitted:
    """A tree that says shared from a correlation of one half on."""
    tree = DecisionTreeClassifier(max_depth=1).fit([[0.0], [1024.0]], [False, True])
    return Fitted(tree, ("rtt_correlation_q10",), Setting(1, (("max_depth", 1),)))


def project_of(target: Path, connections_per_label: int) -> Path:
    """A project folder with a detector, and without recordings."""
    params = yaml.safe_load((ROOT / "params.yaml").read_text()) | {"workers": 1}
    (target / "params.yaml").write_text(yaml.safe_dump(params))
    settings = yaml.safe_load((ROOT / STUDY / "params.yaml").read_text())
    (target / STUDY).mkdir(parents=True)
    settings["connections_per_label"] = connections_per_label
    (target / STUDY / "params.yaml").write_text(yaml.safe_dump(settings))
    store.save(stump(), target / f"data/trained/{MODEL}.skops")
    write_json({"model": MODEL}, target / "reports/detector.json")
    return target


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = project_of(tmp_path_factory.mktemp("project"), connections_per_label=1)
    (target / "data/samples").symlink_to(ROOT / "data/samples")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(target)
        assert run(STUDY.name) == 0
    return target


@pytest.fixture(scope="module")
def signals(project: Path) -> pd.DataFrame:
    return pd.read_csv(project / STUDY / "reports/signals.csv").set_index("set")


@pytest.mark.slow
def test_every_set_is_there_and_its_vantage_is_told(signals: pd.DataFrame) -> None:
    assert signals.index.tolist() == SETS
    assert signals["connections"].tolist() == CONNECTIONS
    assert signals["vantage"].tolist() == ["sender", "sender", "receiver"]


@pytest.mark.slow
def test_rtts_at_the_sender_are_its_own(signals: pd.DataFrame) -> None:
    kernel, simulated, far = (signals.loc[name] for name in SETS)
    # The log begins after the capture and ends before it; what both have is the same ACKs.
    assert kernel["rtts_of_one_ack"] > 0.999 * kernel["rtts_logged"]
    assert kernel["rtt_difference_us_2.5"] > -100 and kernel["rtt_difference_us_97.5"] < 100
    assert simulated["rtts_inferred"] == simulated["rtts_logged"] == simulated["rtts_of_one_ack"]
    # Simulated senders use no timestamps: far from them there is no RTT, and so no window.
    assert far["rtts_inferred"] == far["windows_compared"] == 0


@pytest.mark.slow
def test_congestion_is_the_kernel_s_on_all_but_one_grid_point_in_a_thousand(signals: pd.DataFrame) -> None:
    kernel = signals.loc["kernel, sender"]
    wrong = kernel["only_inferred_congested"] + kernel["only_logged_congested"]
    points = wrong + kernel["both_uncongested"] + kernel["both_congested"]
    # 22 subflows of some 20 s on a grid of 10 ms.
    assert points > 40_000
    assert kernel["both_congested"] > 5_000
    assert wrong < points / 1000
    assert abs(kernel["entry_difference_us_50"]) < 100


@pytest.mark.slow
def test_the_same_windows_have_the_same_verdicts(signals: pd.DataFrame) -> None:
    kernel = signals.loc["kernel, sender"]
    assert kernel["windows_logged"] == kernel["windows_compared"] == kernel["same_verdict"] == 27


@pytest.mark.slow
def test_every_feature_is_compared_and_the_table_follows_from_the_windows(project: Path) -> None:
    table = pd.read_csv(project / STUDY / "reports/features.csv").set_index(["set", "feature"])
    windows = pd.read_parquet(project / "data/studies/captures/windows.parquet")
    assert set(windows["feature"]) == set(feature_names("all"))
    for key, own in windows.groupby(["set", "feature"]):
        change = (own["inferred"] - own["logged"]).abs()
        row = table.loc[[key]].iloc[0]
        assert row["windows"] == len(own)
        assert row["equal"] == (change == 0).sum()
        assert row["median_change"] == pytest.approx(change.median(), abs=1e-6)
        assert row["change_95"] == pytest.approx(change.quantile(0.95), abs=1e-6)
    assert windows.groupby("set").size().to_dict()["kernel, sender"] == 27 * len(feature_names("all"))


def test_a_detector_that_is_not_there_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The verdicts are those of the default detector and of no other."""
    project_of(tmp_path, connections_per_label=0)
    (tmp_path / "data/samples/kernel/inputs").mkdir(parents=True)
    shutil.move(tmp_path / f"data/trained/{MODEL}.skops", tmp_path / "data/trained/sites/tree_invariant.skops")
    monkeypatch.chdir(tmp_path)
    assert run(STUDY.name) == EXIT_USAGE
    assert f"model '{MODEL}' is not in data/trained: known are sites/tree_invariant" in capsys.readouterr().err


def test_parameters_that_draw_nothing_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(project_of(tmp_path, connections_per_label=-1))
    assert run(STUDY.name) == EXIT_USAGE
    assert "studies/captures/params.yaml: connections_per_label" in capsys.readouterr().err


def test_tables_of_the_page_have_a_row_for_each_set_and_for_each_feature() -> None:
    reports = ROOT / STUDY / "reports"
    shown = section.tables(reports)
    assert [row["connections"] for row in shown["inferred"]] == SETS
    assert shown["inferred"][0]["windows compared / same verdict"] == "27 / 27"
    # A receiver's captures have no RTTs here, so no window is compared.
    assert shown["inferred"][2]["windows compared / same verdict"] == "0 / 0"
    assert [row["feature"] for row in shown["changed"]] == list(feature_names("all"))
    assert {name.partition(":")[0] for name in shown["changed"][0]} == {"feature", *SETS[:2]}
