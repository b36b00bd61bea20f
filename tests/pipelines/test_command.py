"""The command line, the parameters and the stage list: what a user meets first."""

from __future__ import annotations

import argparse
import importlib
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from smartsbd.pipelines.__main__ import main
from smartsbd.pipelines.commands import COMMANDS
from smartsbd.pipelines.params import PARAMS_FILE, overlaid, read_params
from smartsbd.pipelines.params.block import ParamsError
from smartsbd.pipelines.reporting.data_dictionary import all_tables, data_dictionary
from smartsbd.pipelines.running import dag, profile, stage, stored_outputs

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def _in_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def test_params_and_every_overlay_are_valid(tmp_path: Path) -> None:
    assert read_params().profile == "default"
    for overlay in Path("params").glob("*.yaml"):
        merged = tmp_path / overlay.name
        merged.write_text(overlaid(PARAMS_FILE, overlay))
        assert read_params(merged).profile == overlay.stem


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"parse": {"max_quarantined": 2, "max_unreadable": 0}}, "parse.max_quarantined"),
        (
            {"parse": yaml.safe_load(PARAMS_FILE.read_text())["parse"] | {"more": 1}},
            "parse.more: Extra inputs are not permitted",
        ),
        ({"extract": {"rules": ["sliding"]}}, "extract.rules.0"),
        ({"evaluation_only": ["diverse"]}, r"search\.datasets has \['diverse'\], which evaluation_only keeps from it"),
        ({"datasets": ["kernel_locked"]}, "kernel_locked is read by `sbd score --locked` alone"),
        ({"transfer": {"tested": ["sites"], "development": "sites"}}, "which search.datasets trains on"),
        (
            {"unseen": {"trained": "shift", "tested": "unseen"}},
            r"\['shift'\], which search\.datasets does not train on",
        ),
        ({"unseen": {"trained": "sites", "tested": "sites"}}, "which its models are trained on"),
        (
            {"generalise": {"trained": [["sites"], ["sites", "unseen"]], "tested": ["kernel"], "families": ["tree"]}},
            r"\['unseen'\], which search\.datasets does not train on",
        ),
        (
            {"generalise": {"trained": [["sites"]], "tested": ["kernel_locked"], "families": ["tree"]}},
            "kernel_locked is read by `sbd score --locked` alone",
        ),
        (
            {"generalise": {"trained": [["sites"]], "tested": ["kernel"], "families": ["oak"]}},
            r"\['oak'\], of which search\.families has no grid",
        ),
        ({"novel": 1}, "novel: Extra inputs are not permitted"),
    ],
)
def test_bad_params_are_named(tmp_path: Path, change: dict[str, object], message: str) -> None:
    path = tmp_path / "params.yaml"
    path.write_text(yaml.safe_dump(yaml.safe_load(PARAMS_FILE.read_text()) | change))
    with pytest.raises(ParamsError, match=message):
        read_params(path)


def _with_value(path: Path, key: str, value: object) -> None:
    """Write params.yaml with another value of a key such as ``search.top``."""
    content = block = yaml.safe_load(PARAMS_FILE.read_text())
    *outer, last = key.split(".")
    for name in outer:
        block = block[name]
    block[last] = value
    path.write_text(yaml.safe_dump(content))


@pytest.mark.parametrize(
    "block", [name for name, one in yaml.safe_load(PARAMS_FILE.read_text()).items() if one and isinstance(one, dict)]
)
def test_every_block_is_checked(tmp_path: Path, block: str) -> None:
    _with_value(tmp_path / "params.yaml", f"{block}.nonsense", 1)
    with pytest.raises(ParamsError, match=rf"{block}\.nonsense: Extra inputs are not permitted"):
        read_params(tmp_path / "params.yaml")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        *((key, ["nonsense"]) for key in ("simulated", "datasets", "rank.datasets", "tiles.swapped")),
        *((key, ["nonsense"]) for key in ("transfer.tested", "generalise.tested", "replay.partitions")),
        *((key, ["nonsense"]) for key in ("replay.shifts", "replay.detectors", "replay.models")),
        *((key, ["nonsense"]) for key in ("controls.families", "sensitivity.families")),
        *((f"{name}.feature_sets", ["nonsense"]) for name in ("search", "automl", "sensitivity", "learnt_verdicts")),
        ("evaluation_only", ["unsen"]),
        ("learnt_verdicts.families", {"nonsense": {}}),
        ("search.families.tree", {"nonsense": [1]}),
        ("search.families.svm_rbf", {"c": [1]}),
        ("replay.models", ["oak_paper"]),
        ("replay.grids", {"nonsense": {}}),
        ("replay.grids.rfc8382", {"nonsense": [1]}),
    ],
)
def test_a_name_of_nothing_is_refused(tmp_path: Path, key: str, value: object) -> None:
    _with_value(tmp_path / "params.yaml", key, value)
    with pytest.raises(ParamsError, match=rf"params\.yaml: {key}.*(known are|must have|is not dataset/family_set)"):
        read_params(tmp_path / "params.yaml")


@pytest.mark.parametrize(("key", "value"), [("search.top", [0]), ("search.neighbors", [-1]), ("workers", -1)])
def test_a_count_of_less_than_there_can_be_is_refused(tmp_path: Path, key: str, value: object) -> None:
    _with_value(tmp_path / "params.yaml", key, value)
    with pytest.raises(ParamsError, match=rf"{key}.*greater than or equal to"):
        read_params(tmp_path / "params.yaml")


def test_an_overlay_changes_only_what_there_is(tmp_path: Path) -> None:
    overlay = tmp_path / "odd.yaml"
    overlay.write_text("search: {speed: 1}")
    with pytest.raises(ParamsError, match=r"search\.speed is not a key"):
        overlaid(PARAMS_FILE, overlay)


@pytest.mark.parametrize("one", dag.read_stages(), ids=lambda one: str(one.name))
def test_every_stage_takes_the_arguments_of_dvc_yaml(one: dag.Stage) -> None:
    module = importlib.import_module(one.module)
    parser = argparse.ArgumentParser()
    module.add_arguments(parser)
    parser.parse_args(one.arguments("sites", read_params(ROOT / "params.yaml")))
    assert one.command.startswith(f"python -m smartsbd.pipelines.stages {one.name} ")
    assert module.__doc__
    assert one.description.endswith(".")
    for path in [*one.deps, *one.outs]:
        assert not Path(path).is_absolute()


def test_every_stage_has_an_output_that_is_cached_or_not_in_git() -> None:
    """With outputs in git only, DVC would take a fresh clone's for done and run nothing."""
    content = yaml.safe_load(dag.DAG_FILE.read_text())
    ignored = Path(".gitignore").read_text().splitlines()
    for name, body in content["stages"].items():
        outs = {path: options for out in body["outs"] for path, options in _with_options(out)}
        assert any(options.get("cache", True) or f"/{path}" in ignored for path, options in outs.items()), name


def _with_options(out: str | dict[str, dict[str, bool]]) -> list[tuple[str, dict[str, bool]]]:
    return [(out, {})] if isinstance(out, str) else list(out.items())


def test_the_dictionary_is_generated_and_complete() -> None:
    text = data_dictionary()
    assert Path("data/README.md").read_text() == text
    for table in all_tables():
        assert f"## {table.name}\n" in text
        assert all(f"| `{column.name}` |" in text for column in table.columns)


def sbd(*arguments: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    program = Path(sys.prefix) / "bin" / "sbd"
    return subprocess.run([str(program), *arguments], cwd=cwd, capture_output=True, text=True, check=False)


def test_help_lists_every_command_and_the_exit_codes_and_stages_are_asked_for() -> None:
    shown = sbd("--help")
    assert shown.returncode == stage.EXIT_OK
    listed = set(re.findall(r"^  ([\w-]+)  ", shown.stdout, re.MULTILINE))
    assert {command.name for command in COMMANDS} <= listed
    stages = {named.name for named in dag.read_stages()}
    assert not (stages - {"parse"}) & listed
    assert "exit codes" in " ".join(shown.stdout.split())
    assert stages <= set(re.findall(r"^  (\w+)  ", sbd("stage").stdout, re.MULTILINE))
    parse = sbd("stage", "parse", "--help")
    assert parse.returncode == stage.EXIT_OK
    assert "--quiet" in parse.stdout
    assert "quarantine" in parse.stdout


def test_a_wrong_command_line_is_usage() -> None:
    assert sbd("fly").returncode == stage.EXIT_USAGE
    assert sbd("parse", "--nonsense").returncode == stage.EXIT_USAGE
    unknown = sbd("repro", "huge")
    assert unknown.returncode == stage.EXIT_USAGE
    assert "known are ['default', 'full', 'quick', 'table_5']" in unknown.stderr


@pytest.mark.parametrize(
    ("asked", "wanted"),
    [([], []), (["default", "evaluate"], ["evaluate"]), (["default", "--studies"], ["--all-pipelines"])],
)
def test_studies_are_run_where_they_are_asked_for(
    asked: list[str], wanted: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("dvc.yaml", "params.yaml"):
        shutil.copy(ROOT / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    given: list[str] = []

    def repro(_target: Path, *stages: str, **_options: object) -> int:
        given.extend(stages)
        return 0

    monkeypatch.setattr(profile, "repro", repro)
    monkeypatch.setattr(stored_outputs, "store", lambda _: None)
    assert main(["repro", *asked]) == stage.EXIT_OK
    assert given == wanted


def test_outside_the_project_it_says_so(tmp_path: Path) -> None:
    shown = sbd("parse", cwd=tmp_path)
    assert shown.returncode == stage.EXIT_USAGE
    assert "the following arguments are required: INPUT, --out" in shown.stderr
    shown = sbd("rank", cwd=tmp_path)
    assert shown.returncode == stage.EXIT_USAGE
    assert "rank: here is no project: run it in a project's folder" in shown.stderr
    (tmp_path / "dvc.yaml").write_text("stages: {}\n")
    shown = sbd("--help", cwd=tmp_path)
    assert shown.returncode == stage.EXIT_OK
    assert "detect" in shown.stdout and "evaluate" not in shown.stdout


def test_a_missing_input_is_named(tmp_path: Path) -> None:
    elsewhere = ["--raw", str(tmp_path / "nothing"), "--tables", str(tmp_path), "--report", str(tmp_path / "r")]
    unnamed = sbd("search")
    assert unnamed.returncode == stage.EXIT_USAGE
    assert "name one --dataset of" in unnamed.stderr
    shown = sbd("parse", "--dataset", "sites", *elsewhere)
    assert shown.returncode == stage.EXIT_BAD_INPUT
    assert str(tmp_path / "nothing") in shown.stderr
    assert "Traceback" not in shown.stderr
    assert main(["dictionary", "--check"]) == stage.EXIT_OK


@pytest.mark.parametrize("name", ["rank", "swap", "search", "controls"])
@pytest.mark.parametrize("dataset", ["kernel", "unseen", "kernel_locked"])
def test_nothing_is_learnt_from_what_is_for_evaluation_only(
    name: str, dataset: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([name, "--dataset", dataset]) == 2
    assert "is for evaluation only" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ("search:\n  datasets: [sites]\n", "Value error, unseen.trained"),
        ("search:\n  neighbors: []\n", "search.neighbors: List should have at least 1 item"),
    ],
)
def test_a_parameter_that_cannot_be_used_is_named(
    changed: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What holds of several blocks together has no place of its own."""
    (tmp_path / "overlay.yaml").write_text(changed)
    values = tmp_path / "params.yaml"
    values.write_text(overlaid(ROOT / "params.yaml", tmp_path / "overlay.yaml"))
    assert main(["rank", "--dataset", "sites", "--params", str(values)]) == stage.EXIT_USAGE
    assert f"ERROR rank: {values}: {message}" in capsys.readouterr().err
