"""What profile full has made is put into git with a card for each stage; what was not run says so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from smartsbd.pipelines.params import read_params
from smartsbd.pipelines.reporting import publication
from smartsbd.pipelines.running.dag import Stage, read_stages
from smartsbd.pipelines.running.journal import Entry

ROOT = Path(__file__).parents[2]
STAGES = read_stages(ROOT / "dvc.yaml")
PARAMS = read_params(ROOT / "params.yaml")
ENDED_S = 1_700_000_000.0
CODE = "1bea6a7d1a32ae731cdbcd5f7263a6f28b81f9f5, unchanged"


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    for name in ("reports/accuracy.csv", "reports/detector.json", "reports/figures/accuracy.png"):
        path = tmp_path / "clone" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    for dataset in ("sites", "diverse"):
        path = tmp_path / "clone/data/automl" / dataset / "accuracy.csv"
        path.parent.mkdir(parents=True)
        path.write_text(dataset)
    return tmp_path / "clone"


def test_a_stage_that_is_done_is_published_with_its_card(clone: Path, tmp_path: Path) -> None:
    target = tmp_path / "full"
    card = publication.publish(Entry("evaluate", ENDED_S, 1_800.0, 3_600.0, 0), STAGES, PARAMS, clone, target, CODE)
    assert card == target / "cards/evaluate.json"
    said = json.loads(card.read_text())
    assert (said["ended"], said["hours"], said["cpu_hours"]) == ("2023-11-14 22:13", 0.5, 1.0)
    assert said["commit"] == CODE
    assert set(said) == {"stage", "commit", "machine", "ended", "hours", "cpu_hours"}
    assert sorted(path.name for path in target.iterdir()) == ["README.md", "accuracy.csv", "cards", "detector.json"]
    contents = (target / "README.md").read_text().splitlines()
    assert any(line.startswith("| evaluate | 2023-11-14 22:13 | 0.50 | 1.00 |") for line in contents)
    assert "| search@sites | not run | | | | |" in contents


def test_what_dvc_does_not_know_is_published_of_its_own_dataset(clone: Path, tmp_path: Path) -> None:
    target = tmp_path / "full"
    publication.publish(Entry("automl@sites", ENDED_S, 10.0, 10.0, 0), STAGES, PARAMS, clone, target, CODE)
    assert (target / "automl/sites/accuracy.csv").read_text() == "sites"
    assert not (target / "automl/diverse").exists()


def test_what_a_search_has_tried_stays_in_its_folder(clone: Path, tmp_path: Path) -> None:
    for name in ("history.csv", "leaderboard.csv", "members.csv"):
        (clone / "data/automl/sites" / name).write_text(name)
    target = tmp_path / "full"
    publication.publish(Entry("automl@sites", ENDED_S, 10.0, 10.0, 0), STAGES, PARAMS, clone, target, CODE)
    assert sorted(path.name for path in (target / "automl/sites").iterdir()) == ["accuracy.csv"]


def test_a_stage_that_failed_is_not_published(clone: Path, tmp_path: Path) -> None:
    failed = Entry("evaluate", ENDED_S, 1.0, 1.0, 1)
    assert publication.publish(failed, STAGES, PARAMS, clone, tmp_path / "f", CODE) is None
    assert not (tmp_path / "f").exists()


def test_what_a_study_has_made_goes_beside_its_reports(clone: Path, tmp_path: Path) -> None:
    study = Stage("studies/roads/dvc.yaml:run", "", ("python -m studies roads run",), (), ("studies/roads/reports",))
    made = clone / "studies/roads/reports"
    made.mkdir(parents=True)
    for name in ("runs.csv", "roads.png"):
        (made / name).write_text(name)
    target = tmp_path / "project/reports/full"
    entry = Entry(study.name, ENDED_S, 1_800.0, 3_600.0, 0)
    card = publication.publish(entry, [*STAGES, study], PARAMS, clone, target, CODE)
    full = tmp_path / "project/studies/roads/full"
    assert card == full / "run.json"
    assert sorted(path.name for path in full.iterdir()) == ["run.json", "runs.csv"]
    assert "studies" not in (target / "README.md").read_text()
    page = Stage("studies/dvc.yaml:page", "", ("python -m studies page",), (), ())
    assert publication.publish(Entry(page.name, ENDED_S, 1.0, 1.0, 0), [page], PARAMS, clone, target, CODE) is None
