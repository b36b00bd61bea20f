"""Every detector under every choice, on networks made by hand, and the tables of what was found."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
import yaml

from smartsbd.contracts import tables
from smartsbd.contracts.contract import write_table
from smartsbd.pipelines.running.stage import EXIT_FAILED
from smartsbd.scenarios import schedulers
from smartsbd.scenarios.controllers import CHOICES
from studies.__main__ import main
from studies.senders.section import (
    by_controller,
    by_scheduler,
    controller_reading,
    controller_signals,
    detectors_by_controller,
    detectors_by_scheduler,
    scheduler_reading,
    scheduler_signals,
)
from studies.senders.section import tables as section_tables

ROOT = Path(__file__).parents[3]
NAMES = [choice.name for choice in CHOICES]
BASES = 3
#: Who judges, with its name and parameters in the files that are read, and in the table.
JUDGES = {
    ("replayed", "lag-excess", "default"): ("lag-excess", "default"),
    ("replayed", "wavelet", "default"): ("wavelet", "default"),
    ("learnt", "tree", "paper, windows, band"): ("tree of paper", "windows, band"),
}
#: Under this choice the label of one pair does not count; under this, the lag excess has no verdict.
NOT_VALID, SILENT = "wvegas", "mpcc"


def _networks() -> list[tuple[str, int, bool, str]]:
    """Each connection: its name, its base, its label and its choice."""
    return [
        (f"controllers/{base:02d}{int(shared)}{place:02d}.log#0", base, shared, name)
        for base in range(BASES)
        for shared in (True, False)
        for place, name in enumerate(NAMES)
    ]


def _is_valid(base: int, shared: bool, choice: str) -> bool:
    return not (choice == NOT_VALID and base == 0 and shared)


def _write(folder: Path) -> None:
    """Write the inputs of the program."""
    truth = [
        {"connection_id": name, "subflow_a": 0, "subflow_b": 1, "from_ns": 0, "shared": shared}
        | {"valid": _is_valid(base, shared, choice), "scenario": f"base {base:03d}, bulk, {choice}"}
        | {"congestion_control": "lia", "why": "", "utilisation_a": 0.9, "utilisation_b": 1.0}
        for name, base, shared, choice in _networks()
    ]
    columns = {column.name: [row.get(column.name) for row in truth] for column in tables.TRUTH.columns}
    write_table(tables.TRUTH, columns, folder / "truth.parquet")
    for judge in ("replayed", "learnt"):
        said = []
        for name, base, shared, choice in _networks():
            for kind, detector, preset in JUDGES:
                if kind == judge and _is_valid(base, shared, choice):
                    is_silent = choice == SILENT and detector == "lag-excess"
                    said.append(
                        {"connection_id": name, "subflow_a": 0, "subflow_b": 1, "shared": shared, "detector": detector}
                        | {
                            "preset": preset,
                            "said": None if is_silent else True,
                            "right": float(shared and not is_silent),
                        }
                        | {"first_s": 1.0}
                    )
        rows = pd.DataFrame(said).astype({"said": "boolean"})
        (rows if judge == "replayed" else rows.assign(dataset="controllers")).to_parquet(folder / f"{judge}.parquet")
    ack = [
        {"connection_id": name, "subflow_id": subflow, "ack_no": number, "time_ns": number, "is_dup": False}
        | {"acked_bytes": 1000 * number, "rtt_us": 20_000 + number, "newly_sacked_bytes": 0}
        for name, _, _, choice in sorted(_networks())
        for subflow in (0, 1)
        for number in range(3 + NAMES.index(choice))
    ]
    columns = {column.name: [row.get(column.name) for row in ack] for column in tables.ACK.columns}
    write_table(tables.ACK, columns, folder / "tables/ack.parquet")
    state = [
        {"connection_id": name, "subflow_id": subflow, "state_no": 0, "time_ns": 0, "ca_state": 3, "inferred": False}
        for name, *_ in sorted(_networks())
        for subflow in (0, 1)
    ]
    columns = {column.name: [row[column.name] for row in state] for column in tables.STATE.columns}
    write_table(tables.STATE, columns, folder / "tables/state.parquet")


def run(folder: Path) -> int:
    """Run the program on what was written; its reports go to the folder."""
    params = yaml.safe_load((ROOT / "params.yaml").read_text())
    params["evaluate"]["resamples"] = 100
    (folder / "params.yaml").write_text(yaml.safe_dump(params))
    given = {"tables": "tables", "truth": "truth.parquet", "verdicts": "replayed.parquet", "learnt": "learnt.parquet"}
    given |= {"judged": "judged.parquet", "table": "reports/controllers.csv", "params": "params.yaml"}
    given |= {"signals": "reports/controllers_signals.csv", "figure": "reports/controllers.png"}
    files = [f"--{name}={folder / path}" for name, path in given.items()]
    return main(["senders", "run", "--dataset", "controllers", *files])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("senders")
    _write(target)
    assert run(target) == 0
    return target


@pytest.fixture(scope="module")
def reports(folder: Path) -> Path:
    return folder / "reports"


@pytest.fixture(scope="module")
def table(reports: Path) -> pd.DataFrame:
    return pd.read_csv(reports / "controllers.csv")


def test_every_detector_is_judged_under_every_choice(table: pd.DataFrame) -> None:
    expected = {(judge, *shown) for (judge, *_), shown in JUDGES.items()}
    found = {name: list(own["choice"]) for name, own in table.groupby(["judge", "detector", "parameters"])}
    assert found == dict.fromkeys(expected, NAMES)


def test_every_run_is_counted_and_so_is_each_verdict(table: pd.DataFrame) -> None:
    assert set(table["drawn"]) == {2 * BASES}
    assert set(table.loc[table["choice"] == NOT_VALID, "pairs"]) == {2 * BASES - 1}
    assert set(table.loc[table["choice"] != NOT_VALID, "pairs"]) == {2 * BASES}
    own = table[(table["detector"] == "lag-excess")].set_index("choice")
    assert own.loc[SILENT, "none_share"] == 1
    assert own.loc["lia", "none_share"] == 0
    assert own.loc["lia", "wrong"] == BASES
    assert own.loc["lia", "right"] == pytest.approx(0.5)


def test_signals_are_those_of_the_tables(reports: Path) -> None:
    signals = pd.read_csv(reports / "controllers_signals.csv").set_index("choice")
    assert list(signals.index) == NAMES
    assert signals["rtt_samples"].tolist() == [3 + place for place in range(len(NAMES))]
    assert set(signals["subflows"]) == {2 * 2 * BASES}


def test_without_a_valid_label_there_is_nothing_to_compare(folder: Path, tmp_path: Path) -> None:
    _write(tmp_path)
    for name in ("replayed", "learnt"):
        pd.DataFrame().to_parquet(tmp_path / f"{name}.parquet")
    assert run(tmp_path) == EXIT_FAILED


def test_the_section_says_that_few_networks_tell_nothing(reports: Path) -> None:
    rows = by_controller(reports)
    assert [row["controller, scheduler"] for row in rows] == NAMES
    assert not rows[0]["less lia"]
    assert "too few to tell controllers apart" in controller_reading(reports)
    assert [row["controller, scheduler"] for row in controller_signals(reports)] == NAMES
    assert not any("*" in str(cell) for row in detectors_by_controller(reports) for cell in row.values())
    (readings,) = section_tables(reports)["readings"]
    assert "too few to tell controllers apart" in readings["controllers"]


def test_the_reading_names_what_is_worse_and_what_is_better(tmp_path: Path, table: pd.DataFrame) -> None:
    """With differences put into the table."""
    own = table[(table["detector"] == "lag-excess") & (table["parameters"] == "default")].assign(bases=200, both=300)
    for choice, less in (("lia", 0.0), ("reno", -0.25), ("cubic", 0.125), ("wvegas", 0.5)):
        spread = {"less": less, "less_low": less - 0.1, "less_high": less + 0.1}
        own.loc[own["choice"] == choice, list(spread)] = list(spread.values())
    own.loc[~own["choice"].isin(["lia", "reno", "cubic", "wvegas"]), ["less", "less_low", "less_high"]] = 0
    own.to_csv(tmp_path / "controllers.csv", index=False)
    assert controller_reading(tmp_path) == (
        "Against `lia` on the same networks, the lag excess is less right under `reno` (-0.25)."
        " It is more often right under `wvegas` (+0.50), `cubic` (+0.12)."
    )
    (row,) = detectors_by_controller(tmp_path)
    assert row["reno"].endswith(", -0.250*")
    assert row["olia"].endswith(", +0.000")


def test_schedulers_are_told_beside_their_references(reports: Path, tmp_path: Path, table: pd.DataFrame) -> None:
    """With the names of schedulers in place of those of controllers."""
    names = list(schedulers.REFERENCES)[: len(NAMES)]
    renamed = dict(zip(NAMES, names, strict=True))
    own = table.assign(
        choice=table["choice"].map(renamed), bases=60, both=90, less=-0.25, less_low=-0.3, less_high=-0.2
    )
    own["reference"] = own["choice"].map(schedulers.REFERENCES)
    own.loc[own["choice"] == own["reference"], ["less", "less_low", "less_high"]] = 0
    signals = pd.read_csv(reports / "controllers_signals.csv")
    own.to_csv(tmp_path / "schedulers.csv", index=False)
    signals.assign(choice=signals["choice"].map(renamed)).to_csv(tmp_path / "schedulers_signals.csv", index=False)
    rows = by_scheduler(tmp_path)
    assert [row["scheduler, receive buffer"] for row in rows] == names
    assert not rows[0]["less"]
    assert rows[1]["less"] == "-0.250 (-0.300 to -0.200) of lia"
    assert rows[-1]["less"].endswith(" of lia, 512 kB")
    detectors = detectors_by_scheduler(tmp_path)
    assert [row["scheduler, receive buffer"] for row in detectors] == names
    assert detectors[1]["lag-excess, default"].endswith(", -0.250*")
    assert [row["scheduler, receive buffer"] for row in scheduler_signals(tmp_path)] == names
    reading = scheduler_reading(tmp_path)
    assert reading.startswith("Against what each is compared with on the same networks, the lag excess is less right")
    assert "`lia, Linux hosts` (-0.25)" in reading


def test_without_reports_there_are_no_rows(tmp_path: Path) -> None:
    assert by_controller(tmp_path) == detectors_by_controller(tmp_path) == controller_signals(tmp_path) == []
    assert by_scheduler(tmp_path) == detectors_by_scheduler(tmp_path) == scheduler_signals(tmp_path) == []
    assert controller_reading(tmp_path) == scheduler_reading(tmp_path) == ""


@pytest.mark.parametrize("dataset", ["controllers", "schedulers"])
def test_what_is_judged_of_all_choices_is_what_is_judged_of_the_dataset(dataset: str) -> None:
    """Of the reports in git."""
    whole = pd.read_csv(ROOT / f"studies/datasets/reports/verdicts/{dataset}.csv")
    own = pd.read_csv(ROOT / f"studies/senders/reports/{dataset}.csv")
    replayed = own[own["judge"] == "replayed"].groupby(["detector", "parameters"])
    assert set(replayed.groups) == set(zip(whole["detector"], whole["parameters"], strict=True))
    for row in whole.to_dict("records"):
        under = replayed.get_group((row["detector"], row["parameters"]))
        assert under["pairs"].sum() == row["pairs"] > 0
        assert (under["right"] * under["pairs"]).sum() / row["pairs"] == pytest.approx(row["right"], abs=1e-5)
        assert (under["none_share"] * under["pairs"]).sum() == pytest.approx(row["none"], abs=1e-3)
        assert under["wrong"].sum() == row["wrong"]
