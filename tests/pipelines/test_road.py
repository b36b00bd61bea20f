"""The whole road, twice, in scratch clones: killed again and again, and left alone. Same results."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest

from models.automl import engine_of
from models.automl.environment import remedy
from pipelines import scratch
from pipelines.dag import filled_in, read_stages
from pipelines.page import text
from pipelines.params import read_params

ROOT = Path(__file__).parents[2]
#: Seconds after which a run is killed, its children too; each next run goes on from there.
KILLS_S = (2, 7, 3, 11, 4, 13)
TRACKED = ("dvc.lock", "reports", "export/generated")


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("undisturbed") / "quick"
    scratch.prepare(ROOT, "quick", folder)
    assert scratch.repro(folder) == 0
    return folder


def results(folder: Path) -> dict[str, bytes]:
    """What git tracks of a run; not the page, which shows versions."""
    paths = [path for name in TRACKED for path in [folder / name, *sorted((folder / name).rglob("*"))]]
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in paths
        if path.is_file() and path.suffix != ".html" and path.name != ".gitignore"
    }


def environment() -> dict[str, str]:
    return os.environ | {"PATH": f"{Path(sys.prefix) / 'bin'}{os.pathsep}{os.environ['PATH']}"}


def dvc(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["dvc", *arguments], cwd=folder, env=environment(), capture_output=True, text=True, check=False
    )


def sbd(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pipelines", *arguments]
    return subprocess.run(command, cwd=folder, env=environment(), capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_every_stage_ran_and_wrote_what_it_promises(undisturbed: Path) -> None:
    params = read_params(undisturbed / "params.yaml")
    for stage in read_stages():
        for out in stage.outs:
            for dataset in ["once"] if stage.matrix is None else stage.datasets(params):
                assert (undisturbed / filled_in(out, dataset, params)).exists(), out
    parse = json.loads((undisturbed / "reports/parse/sites.json").read_text())
    assert parse["inputs"] == parse["rows"]["connection"] == 24
    assert parse["records_in"] == parse["records_out"] > 100_000
    export = json.loads((undisturbed / "reports/export.json").read_text())["sbd_tree_paper"]
    windows = {}
    for dataset in params.datasets:
        extract = json.loads((undisturbed / f"reports/extract/{dataset}.json").read_text())
        labelled = ("shared", "unlabelled")
        windows[dataset] = sum(count for name, count in extract["windows"].items() if name.endswith(labelled))
        prove = json.loads((undisturbed / f"reports/prove/{dataset}.json").read_text())
        assert prove["windows"] * 20 == windows[dataset] * 20 == prove["feature_values"]
        assert set(prove["decisions"]) == {f"sbd_{name}" for name in params.export.models}
    assert export["rows_agreeing_all"]["windows"] == sum(windows.values()) > 100
    page = (undisturbed / "reports/report.html").read_text()
    assert "sbd_tree_paper.h" in page
    assert "http://" not in page.replace("http://www.w3.org", "")
    assert "https://" not in page


@pytest.mark.slow
def test_a_second_repro_runs_what_is_always_done_alone(undisturbed: Path) -> None:
    before = results(undisturbed)
    again = dvc(undisturbed, "repro")
    assert again.returncode == 0
    assert re.findall(r"Running stage '(.*)'", again.stdout + again.stderr) == ["engines", "report"]
    assert results(undisturbed) == before


@pytest.mark.slow
def test_killed_at_any_point_and_started_again_gives_the_same(undisturbed: Path, tmp_path: Path) -> None:
    folder = tmp_path / "quick"
    scratch.prepare(undisturbed, "default", folder)  # the same tree, its parameters as they are
    for after_s in KILLS_S:
        with subprocess.Popen(["dvc", "repro", "-q"], cwd=folder, env=environment(), start_new_session=True) as run:
            time.sleep(after_s)
            if run.poll() is None:
                os.killpg(run.pid, signal.SIGKILL)
    assert scratch.repro(folder) == 0
    assert results(folder) == results(undisturbed)


def test_a_lock_that_was_left_half_written_is_noticed(tmp_path: Path) -> None:
    content = (ROOT / "dvc.lock").read_text()
    lock = tmp_path / "dvc.lock"
    lock.write_text(content)
    assert scratch.is_whole(lock)
    stage, file = content.index("    cmd: "), content.index("    - path: ")
    for end in (0, stage, stage + len("    c"), file + len("    - pa"), file + len("    - path:")):
        lock.write_text(content[:end])
        assert not scratch.is_whole(lock), end


@pytest.mark.slow
def test_without_an_engine_its_row_says_so_and_shows_nothing_of_before(undisturbed: Path, tmp_path: Path) -> None:
    folder = tmp_path / "quick"
    shutil.copytree(undisturbed, folder, symlinks=True)
    page = folder / "reports/report.html"
    for engines in (
        ["engines", "--environments", str(tmp_path)],
        ["automl", "--environments", str(tmp_path)],
        ["report"],
    ):
        assert sbd(folder, *engines).returncode == 0
    said = page.read_text()
    assert text(f"not run (1 of 1 searches): {remedy(engine_of('auto-sklearn'))}") in said
    assert "of auto-sklearn" not in said
    table = pd.read_csv(folder / "data/automl/sites/accuracy.csv")
    assert table.loc[table["model"] == "auto-sklearn", "balanced"].isna().all()
    assert table.loc[table["model"] == "flaml", "balanced"].notna().all()


@pytest.mark.slow
def test_export_check_passes_and_notices_any_change(undisturbed: Path) -> None:
    assert sbd(undisturbed, "export", "--check").returncode == 0
    header = undisturbed / "export/generated/sbd_tree_paper.h"
    text = header.read_text()
    try:
        header.write_text(text.replace("<=", "<", 1))
        failed = sbd(undisturbed, "export", "--check")
        assert failed.returncode == 1
        assert "differs from what" in failed.stderr
    finally:
        header.write_text(text)


@pytest.mark.slow
def test_a_stage_without_its_input_names_it(undisturbed: Path, tmp_path: Path) -> None:
    missing = sbd(undisturbed, "rank", "--pair-window", str(tmp_path / "none.parquet"))
    assert missing.returncode == 3
    assert "none.parquet" in missing.stderr
    (tmp_path / "noise.parquet").write_bytes(b"noise")
    noise = sbd(undisturbed, "rank", "--pair-window", str(tmp_path / "noise.parquet"))
    assert noise.returncode == 3
    assert "noise.parquet is no parquet file" in noise.stderr
