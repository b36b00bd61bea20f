"""The whole road: what the profile `quick` wrote; killed again and again, a run goes on and comes to the same."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml

from smartsbd.models.automl import engine_of
from smartsbd.models.automl.environment import remedy
from smartsbd.pipelines.params import read_params
from smartsbd.pipelines.reporting.page import text
from smartsbd.pipelines.running import profile as scratch
from smartsbd.pipelines.running.dag import filled_in, read_stages

ROOT = Path(__file__).parents[2]
#: A chain of stages, and those at which a run of it is killed, its children too; the next run goes on from there.
CHAIN = ("simulate@sites", "simulate@groups", "collect@kernel", "parse", "validate", "extract")
KILLED_AT = ("simulate@groups", "parse", "extract")
ROAD_KILLED_AT = (*KILLED_AT, "search@sites", "evaluate", "replay", "export")
TRACKED = ("dvc.lock", "reports", "export/generated")


@pytest.fixture
def copied(quick: Path, tmp_path: Path) -> Path:
    """A copy of the run, to change."""
    bytecode = shutil.ignore_patterns("__pycache__")
    return Path(shutil.copytree(quick, tmp_path / "quick", symlinks=True, ignore=bytecode))


def results(folder: Path) -> dict[str, bytes]:
    """What git tracks of a run; not the page, which shows versions."""
    paths = [path for name in TRACKED for path in [folder / name, *sorted((folder / name).rglob("*"))]]
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in paths
        if path.is_file() and path.suffix != ".html" and path.name != ".gitignore"
    }


def locked(folder: Path) -> dict[str, Any]:
    """Return what dvc.lock says of every stage that is done: its command, and the digests of what it read and wrote."""
    stages: dict[str, Any] = yaml.safe_load((folder / "dvc.lock").read_text())["stages"]
    return stages


def environment() -> dict[str, str]:
    # Nothing is written where others read, bytecode neither.
    path = f"{Path(sys.prefix) / 'bin'}{os.pathsep}{os.environ['PATH']}"
    return os.environ | {"PATH": path, "PYTHONDONTWRITEBYTECODE": "1"}


def dvc(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["dvc", *arguments], cwd=folder, env=environment(), capture_output=True, text=True, check=False
    )


def sbd(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pipelines", *arguments]
    return subprocess.run(command, cwd=folder, env=environment(), capture_output=True, text=True, check=False)


def test_every_stage_ran_and_wrote_what_it_promises(quick: Path) -> None:
    params = read_params(quick / "params.yaml")
    for stage in read_stages():
        for out in stage.outs:
            for dataset in ["once"] if stage.matrix is None else stage.datasets(params):
                assert (quick / filled_in(out, dataset, params)).exists(), out
    parse = json.loads((quick / "reports/parse/sites.json").read_text())
    assert parse["inputs"] == parse["rows"]["connection"] == 24
    assert parse["records_in"] == parse["records_out"] > 100_000
    export = json.loads((quick / "reports/export.json").read_text())["sbd_tree_paper"]
    windows = {}
    for dataset in params.datasets:
        extract = json.loads((quick / f"reports/extract/{dataset}.json").read_text())
        labelled = ("shared", "unlabelled")
        windows[dataset] = sum(count for name, count in extract["windows"].items() if name.endswith(labelled))
        prove = json.loads((quick / f"reports/prove/{dataset}.json").read_text())
        assert prove["windows"] * 20 == windows[dataset] * 20 == prove["feature_values"]
        assert set(prove["decisions"]) == {f"sbd_{name}" for name in params.export.models}
    assert export["rows_agreeing_all"]["windows"] == sum(windows.values()) > 100
    page = (quick / "reports/report.html").read_text()
    assert "sbd_tree_paper.h" in page
    assert "http://" not in page.replace("http://www.w3.org", "")
    assert "https://" not in page


@pytest.mark.slow
def test_a_second_repro_runs_nothing(copied: Path) -> None:
    before = results(copied)
    again = dvc(copied, "repro")
    assert again.returncode == 0
    assert re.findall(r"Running stage '(.*)'", again.stdout + again.stderr) == []
    assert results(copied) == before


def repro_killed_in(folder: Path, stage: str, targets: Sequence[str]) -> None:
    """Run the stages; once one of them has begun and its first output is there, kill the run and all it started."""
    name, _, dataset = stage.partition("@")
    (outs,) = (one.outs for one in read_stages(folder / "dvc.yaml") if one.name == name)
    first = folder / filled_in(outs[0], dataset, read_params(folder / "params.yaml"))
    part = first.with_name(f".{first.name}.part")
    said = folder.with_name("said.txt")
    with (
        said.open("w") as file,
        subprocess.Popen(
            ["dvc", "repro", *targets], cwd=folder, env=environment(), stdout=file, stderr=file, start_new_session=True
        ) as run,
    ):
        # DVC takes away what a stage wrote before it runs it again.
        while not (f"Running stage '{stage}'" in said.read_text() and (first.exists() or part.exists())):
            assert run.poll() is None, said.read_text()
            time.sleep(0.02)
        os.killpg(run.pid, signal.SIGKILL)
    assert run.returncode == -signal.SIGKILL


@pytest.mark.slow
def test_killed_in_a_stage_and_started_again_a_chain_gives_the_same(quick: Path, tmp_path: Path) -> None:
    folder = tmp_path / "quick"
    scratch.prepare(quick, "default", folder)  # the same tree, its parameters as they are
    for stage in KILLED_AT:
        repro_killed_in(folder, stage, CHAIN)
        assert not (folder / "dvc.lock").exists() or stage not in locked(folder)
    assert scratch.repro(folder, *CHAIN) == 0
    found, expected = locked(folder), locked(quick)
    assert {stage: found[stage] for stage in CHAIN} == {stage: expected[stage] for stage in CHAIN}
    written = [Path(out["path"]) for stage in CHAIN for out in found[stage]["outs"]]
    files = [file for path in written for file in (folder / path, *(folder / path).rglob("*")) if file.is_file()]
    assert len(files) > len(written)
    assert all(file.read_bytes() == (quick / file.relative_to(folder)).read_bytes() for file in files)


@pytest.mark.slow
def test_killed_in_a_stage_and_started_again_the_road_gives_the_same(quick: Path, tmp_path: Path) -> None:
    folder = tmp_path / "quick"
    scratch.prepare(quick, "default", folder)
    for stage in ROAD_KILLED_AT:
        repro_killed_in(folder, stage, ())
    assert scratch.repro(folder) == 0
    assert results(folder) == results(quick)


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
def test_without_an_engine_its_row_says_so_and_shows_nothing_of_before(copied: Path, tmp_path: Path) -> None:
    page = copied / "reports/report.html"
    params = copied / "params.yaml"
    params.write_text(params.read_text().replace("auto-sklearn: 0", "auto-sklearn: 26"))
    for stage in (["automl", "--environments", str(tmp_path)], ["report"]):
        assert sbd(copied, *stage).returncode == 0
    said = page.read_text()
    assert text(f"not run (1 of 1 searches): {remedy(engine_of('auto-sklearn'))}") in said
    assert "of auto-sklearn" not in said
    table = pd.read_csv(copied / "data/automl/sites/accuracy.csv")
    assert table.loc[table["model"] == "auto-sklearn", "balanced"].isna().all()
    assert table.loc[table["model"] == "flaml", "balanced"].notna().all()


@pytest.mark.slow
def test_export_check_passes_and_notices_any_change(copied: Path) -> None:
    assert sbd(copied, "export", "--check").returncode == 0
    header = copied / "export/generated/sbd_tree_paper.h"
    header.write_text(header.read_text().replace("<=", "<", 1))
    failed = sbd(copied, "export", "--check")
    assert failed.returncode == 1
    assert "differs from what" in failed.stderr


@pytest.mark.slow
def test_a_stage_without_its_input_names_it(quick: Path, tmp_path: Path) -> None:
    missing = sbd(quick, "rank", "--pair-window", str(tmp_path / "none.parquet"))
    assert missing.returncode == 3
    assert "none.parquet" in missing.stderr
    (tmp_path / "noise.parquet").write_bytes(b"noise")
    noise = sbd(quick, "rank", "--pair-window", str(tmp_path / "noise.parquet"))
    assert noise.returncode == 3
    assert "noise.parquet is no parquet file" in noise.stderr
