"""The stage ``senders`` on the quick run: every detector under every choice, as the tables it goes by have them."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from pipelines.params import read_params
from pipelines.reporting.tables.cell import Results
from pipelines.reporting.tables.senders import (
    by_controller,
    by_scheduler,
    controller_reading,
    controller_signals,
    detectors_by_controller,
    detectors_by_scheduler,
    scheduler_reading,
    scheduler_signals,
)
from pipelines.tracking.detector_runs import detector_runs, last_verdicts_by_choice
from scenarios import schedulers
from scenarios.controllers import CHOICES
from scenarios.paired_networks import parts_of

ROOT = Path(__file__).parents[2]
NAMES = [choice.name for choice in CHOICES]


@pytest.fixture(scope="module")
def table(quick: Path) -> pd.DataFrame:
    return pd.read_csv(quick / "reports/senders/controllers/accuracy.csv")


def test_every_detector_that_is_judged_elsewhere_is_judged_under_every_choice(quick: Path, table: pd.DataFrame) -> None:
    replayed = pd.read_csv(quick / "reports/verdicts/controllers.csv")
    learnt = pd.read_csv(quick / "reports/learnt_verdicts/accuracy.csv")
    learnt = learnt[learnt["dataset"] == "controllers"]
    expected = {("replayed", *name) for name in zip(replayed["detector"], replayed["parameters"], strict=True)} | {
        ("learnt", f"{row['model']} of {row['features']}", f"{row['of']}, {row['verdict']}")
        for row in learnt.to_dict("records")
    }
    assert len(expected) > 20
    found = {name: list(own["choice"]) for name, own in table.groupby(["judge", "detector", "parameters"])}
    assert found == dict.fromkeys(expected, NAMES)


def test_what_is_judged_of_all_choices_is_what_verdicts_judges_of_the_dataset(quick: Path, table: pd.DataFrame) -> None:
    whole = pd.read_csv(quick / "reports/verdicts/controllers.csv")
    for row in whole.to_dict("records"):
        own = table[
            (table["judge"] == "replayed")
            & (table["detector"] == row["detector"])
            & (table["parameters"] == row["parameters"])
        ]
        assert own["pairs"].sum() == row["pairs"] > 0
        assert (own["right"] * own["pairs"]).sum() / row["pairs"] == pytest.approx(row["right"], abs=1e-5)
        assert (own["none_share"] * own["pairs"]).sum() == pytest.approx(row["none"], abs=1e-3)
        assert own["wrong"].sum() == row["wrong"]


def test_every_run_is_counted_and_a_network_has_one_label(quick: Path, table: pd.DataFrame) -> None:
    networks = 2 * read_params(quick / "params.yaml").simulate.model_dump()["controllers"]["connections_per_label"]
    assert set(table["drawn"]) == {networks}
    truth = pd.read_parquet(quick / "data/truth/controllers.parquet")
    parts = truth["scenario"].map(parts_of)
    assert sorted(parts.str[1].value_counts().items()) == sorted(dict.fromkeys(NAMES, networks).items())
    labels = truth.assign(base=parts.str[0], choice=parts.str[1]).groupby(["base", "choice"])["shared"].apply(sorted)
    assert all(own == [False, True] for own in labels)


def test_signals_are_those_of_the_tables(quick: Path) -> None:
    signals = pd.read_csv(quick / "reports/senders/controllers/signals.csv").set_index("choice")
    assert list(signals.index) == NAMES
    truth = pd.read_parquet(quick / "data/truth/controllers.parquet")
    ack = pd.read_parquet(quick / "data/tables/controllers/ack.parquet")
    for choice in NAMES:
        own = truth[truth["scenario"].map(parts_of).str[1] == choice]
        acks = ack[ack["connection_id"].isin(own["connection_id"])]
        counts = acks.groupby(["connection_id", "subflow_id"])["rtt_us"].count()
        assert signals.loc[choice, "rtt_samples"] == counts.median()
        assert signals.loc[choice, "subflows"] == len(counts) == 2 * len(own)


def test_the_page_says_that_few_networks_tell_nothing(quick: Path) -> None:
    results = Results.of(quick)
    rows = by_controller(results)
    assert [row["controller, scheduler"] for row in rows] == NAMES
    assert not rows[0]["less lia"]
    assert "too few to tell controllers apart" in controller_reading(results)
    assert [row["controller, scheduler"] for row in controller_signals(results)] == NAMES
    assert not any("*" in str(cell) for row in detectors_by_controller(results) for cell in row.values())
    page = (quick / "reports/report.html").read_text()
    assert "Controllers and schedulers at the sender" in page
    assert "too few to tell controllers apart" in page


def test_the_reading_names_what_is_worse_and_what_is_better(tmp_path: Path, table: pd.DataFrame) -> None:
    """On the quick run's table, with differences put into it."""
    own = table[(table["detector"] == "lag-excess") & (table["parameters"] == "default")].assign(bases=200, both=300)
    for choice, less in (("lia", 0.0), ("reno", -0.25), ("cubic", 0.125), ("wvegas", 0.5)):
        spread = {"less": less, "less_low": less - 0.1, "less_high": less + 0.1}
        own.loc[own["choice"] == choice, list(spread)] = list(spread.values())
    own.loc[~own["choice"].isin(["lia", "reno", "cubic", "wvegas"]), ["less", "less_low", "less_high"]] = 0
    (tmp_path / "senders/controllers").mkdir(parents=True)
    own.to_csv(tmp_path / "senders/controllers/accuracy.csv", index=False)
    results = Results(tmp_path, read_params(ROOT / "params.yaml"))
    assert controller_reading(results) == (
        "Against `lia` on the same networks, the default detector is less right under `reno` (-0.25)."
        " It is more often right under `wvegas` (+0.50), `cubic` (+0.12)."
    )
    (row,) = detectors_by_controller(results)
    assert row["reno"].endswith(", -0.250*")
    assert row["olia"].endswith(", +0.000")


def test_schedulers_are_told_beside_their_references(quick: Path, tmp_path: Path, table: pd.DataFrame) -> None:
    """On the quick run's table, with the names of schedulers in place of those of controllers."""
    names = list(schedulers.REFERENCES)[: len(NAMES)]
    renamed = dict(zip(NAMES, names, strict=True))
    own = table.assign(
        choice=table["choice"].map(renamed), bases=60, both=90, less=-0.25, less_low=-0.3, less_high=-0.2
    )
    own["reference"] = own["choice"].map(schedulers.REFERENCES)
    own.loc[own["choice"] == own["reference"], ["less", "less_low", "less_high"]] = 0
    signals = pd.read_csv(quick / "reports/senders/controllers/signals.csv")
    folder = tmp_path / "senders/schedulers"
    folder.mkdir(parents=True)
    own.to_csv(folder / "accuracy.csv", index=False)
    signals.assign(choice=signals["choice"].map(renamed)).to_csv(folder / "signals.csv", index=False)
    results = Results(tmp_path, read_params(ROOT / "params.yaml"))
    rows = by_scheduler(results)
    assert [row["scheduler, receive buffer"] for row in rows] == names
    assert not rows[0]["less"]
    assert rows[1]["less"] == "-0.250 (-0.300 to -0.200) of lia"
    assert rows[-1]["less"].endswith(" of lia, 512 kB")
    detectors = detectors_by_scheduler(results)
    assert [row["scheduler, receive buffer"] for row in detectors] == names
    assert detectors[1]["lag-excess, default"].endswith(", -0.250*")
    assert [row["scheduler, receive buffer"] for row in scheduler_signals(results)] == names
    reading = scheduler_reading(results)
    assert reading.startswith(
        "Against what each is compared with on the same networks, the default detector is less right"
    )
    assert "`lia, Linux hosts` (-0.25)" in reading


def test_runs_in_mlflow_have_what_a_choice_came_to(quick: Path, table: pd.DataFrame) -> None:
    under = last_verdicts_by_choice(quick / "reports/senders/controllers/accuracy.csv", "replayed")
    runs = {run.name: run.metrics for run in detector_runs({}, under, read_params(quick / "params.yaml"))}
    assert len(runs) == len(table[table["judge"] == "replayed"]) / len(CHOICES)
    row = table[(table["detector"] == "lag-excess") & (table["parameters"] == "default")].iloc[1]
    assert runs["lag-excess default"]["on_sender_lia counts acks/wrong"] == row["wrong"]
    assert last_verdicts_by_choice(quick / "reports/none.csv", "replayed") == {}


def test_a_run_without_the_dataset_has_no_such_tables(tmp_path: Path) -> None:
    results = Results(tmp_path, read_params(ROOT / "params.yaml"))
    assert by_controller(results) == detectors_by_controller(results) == controller_signals(results) == []
    assert by_scheduler(results) == detectors_by_scheduler(results) == scheduler_signals(results) == []
    assert controller_reading(results) == scheduler_reading(results) == ""
