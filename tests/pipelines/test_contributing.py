"""The examples of CONTRIBUTING.md, taken out of it, put into a copy of the sources and used there."""

from __future__ import annotations

import csv
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from smartsbd.contracts import tables
from smartsbd.contracts.contract import read_table
from tests.pipelines.imports import PACKAGES
from tests.simulator.test_competition import beside_tcp

ROOT = Path(__file__).parents[2]
DOCUMENT = (ROOT / "CONTRIBUTING.md").read_text()
#: What the text calls the file, the block's language, the block.
EXAMPLES: list[tuple[str, str, str]] = re.findall(
    r"^`([\w./-]+)`:\n\n```(python|cpp|diff)\n(.*?)^```$", DOCUMENT, re.MULTILINE | re.DOTALL
)
NEW = [path for path, language, _ in EXAMPLES if language != "diff"]
#: The one call that checks a contribution, as a program, by the function that is called.
CALLS: dict[str, str] = {
    name: code
    for code, name in re.findall(
        r"^```python\n(from smartsbd.contributions import (\w+)\n.*?)^```$", DOCUMENT, re.MULTILINE | re.DOTALL
    )
}
COPIED = (*PACKAGES, "simulator/src", "simulator/loop", "simulator/radio", "tests/models")
FILES = (
    *("dvc.yaml", "params.yaml", "pyproject.toml", "tests/__init__.py", "tests/naive.py"),
    *("simulator/Makefile", "simulator/precompiled.h", "simulator/README.md", "requirements/simulator.txt"),
)
SIMULATOR = "simulator/src"
SAMPLES = ROOT / "data/samples/kernel/inputs"


def applied(text: str, diff: str) -> str:
    """Return a file's text with the change of a block; what it says is there must be there, once."""
    for hunk in diff.split("@@\n"):
        lines = hunk.splitlines(keepends=True)
        assert all(line[0] in " -+" for line in lines if line.strip())
        # A blank line may have lost its space.
        old, new = (
            "".join(line[1:] if line.strip() else line for line in lines if line[0] != other) for other in ("+", "-")
        )
        assert old != new
        before = "\n" + text
        assert before.count("\n" + old) == 1, old
        text = before.replace("\n" + old, "\n" + new)[1:]
    return text


def put(project: Path, examples: list[tuple[str, str, str]]) -> None:
    """Put examples into a copy of the sources."""
    for name, language, block in examples:
        path = project / name
        if language != "diff":
            assert not path.exists()
            path.write_text(block)
        else:
            path.write_text(applied(path.read_text(), block))


@pytest.fixture(scope="module")
def changed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the sources with every example in it, but for those of the simulator: it is built of the sources."""
    project = tmp_path_factory.mktemp("contributed")
    for name in COPIED:
        shutil.copytree(ROOT / name, project / name, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
    for name in FILES:
        (project / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, project / name)
    (project / "data").mkdir()
    put(project, [example for example in EXAMPLES if not example[0].startswith(SIMULATOR)])
    return project


def run(project: Path, *arguments: str, code: int = 0) -> str:
    """Run Python with the copy's packages; return what it printed."""
    environment = os.environ | {"PYTHONPATH": str(project), "NUMBA_DISABLE_JIT": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, *arguments], cwd=project, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == code, done.stderr
    return done.stdout


def test_the_examples_are_one_new_file_each_and_its_registration() -> None:
    assert [Path(path).parent.as_posix() for path in NEW] == [
        "features",
        "detectors",
        "traces/formats",
        "models/families",
        "scenarios",
        "simulator/src/controllers",
    ]
    for place, path in enumerate(EXAMPLES):
        if path[1] != "diff":
            registering = [line for line in EXAMPLES[place + 1][2].splitlines() if line.startswith("+")]
            # The line, in Python its import too; a comprehension may have to be broken.
            least = 2 if path[0].endswith(".py") else 1
            assert EXAMPLES[place + 1][1] == "diff" and least <= len(registering) <= 3


def test_the_examples_are_in_the_style_of_the_house(changed: Path) -> None:
    sources = [path for path, _, _ in EXAMPLES if path.endswith(".py")]
    run(changed, "-m", "ruff", "check", *sources)
    run(changed, "-m", "ruff", "format", "--check", *sources)


def test_a_feature(changed: Path) -> None:
    run(changed, "-m", "doctest", "features/side.py")
    script = f"""
import json
import numpy as np
from pathlib import Path
from smartsbd.contributions import check_feature
from smartsbd.features import catalog, connection_pairs, pair
from smartsbd.traces import recording
from smartsbd.pipelines.params import read_params
from tests import naive

params = read_params()
(read,) = recording.read_all([Path({str(SAMPLES / "101.state.csv.zst")!r})], params.parse.dialect())
(connection,) = read.trace.connections
(found,) = connection_pairs.pairs(connection, "tiled", params.extract.reading)
for one in found.windows:
    g = one.grid
    states = [own.astype(np.int64) for own in (g.congested_a, g.congested_b)]
    series = (g.rtt_a_us, g.rtt_b_us, *states, g.acked_a_bytes, g.acked_b_bytes)
    plain = naive.invariant_features(naive.Grid(*series, g.min_rtt_a_us, g.min_rtt_b_us, g.step_ns))
    assert naive.INVARIANT_NAMES == catalog.feature_names("invariant")
    twin = dict(zip(naive.INVARIANT_NAMES, plain))["queue_side_correlation_q10"]
    print(json.dumps([one.features["queue_side_correlation_q10"], int(twin)]))
check_feature(
    catalog.feature("queue_side_correlation_q10"),
    lambda grid: int(naive.correlation(naive.side(grid.queue_a_us), naive.side(grid.queue_b_us))),
)
"""
    values = [json.loads(line) for line in run(changed, "-c", script).splitlines()]
    assert len(values) == 2
    # The subflows share: their queues rise and fall together.
    assert all(value == twin and 300 < value <= 1024 for value, twin in values)
    run(changed, "-c", CALLS["check_feature"])
    run(changed, "-m", "pipelines", "dictionary")
    dictionary = (changed / "data/README.md").read_text()
    assert "| `queue_side_correlation_q10` | int32 | 1/1024 | -1024..1024 |" in dictionary


@pytest.mark.slow
def test_a_detector(changed: Path) -> None:
    with (ROOT / "data/samples/kernel/truth.csv").open() as stream:
        shared = {row["input"]: row["shared"] == "true" for row in csv.DictReader(stream)}
    for name in ("101.state.csv.zst", "106.state.csv.zst"):
        said = run(
            changed, "-m", "pipelines", "detect", "--model", "high-delay/strict", "--json", str(SAMPLES / name)
        ).splitlines()
        assert json.loads(said[-1])["shared"] == shared[name]
        assert json.loads(said[0])["model"] == "high-delay/strict"

    run(changed, "-c", CALLS["check_baseline"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "whole", "broken", "call", "found"),
    [
        ("features/side.py", "grid.queue_b_us))\n", "grid.queue_b_us)) + grid.n\n", "check_feature", "bounds"),
        ("detectors/high_delay.py", "else None", "else start_ns % 2 > 0", "check_baseline", "time_origin"),
    ],
)
def test_the_one_call_finds_what_is_broken(
    changed: Path, tmp_path: Path, path: str, whole: str, broken: str, call: str, found: str
) -> None:
    copied = shutil.copytree(changed, tmp_path / "copied", symlinks=True)
    text = (copied / path).read_text()
    assert text.count(whole) == 1
    (copied / path).write_text(text.replace(whole, broken))
    (copied / "call.py").write_text(CALLS[call])
    script = """
from smartsbd.contributions import ContributionError
try:
    import call
except ContributionError as error:
    print(*(one.check for one in error.findings))
"""
    assert found in run(copied, "-c", script).split()


def test_a_parser(changed: Path, tmp_path: Path) -> None:
    records = [
        {"time_ns": 10**9 + place * 10**6, "subflow": place % 2, "snd_una": 1000 * place, "rtt_us": 20_000 + place}
        for place in range(100)
    ]
    records[40]["ca_state"] = 3
    lines = [json.dumps(record) for record in records]
    lines[50] = lines[50].replace("snd_una", "una")
    lines[60] = lines[60][:-5]
    inputs = tmp_path / "raw/inputs"
    inputs.mkdir(parents=True)
    (inputs / "recorded.gz").write_bytes(gzip.compress("\n".join([*lines, ""]).encode()))
    shown = run(changed, "-m", "pipelines", "inspect", str(inputs / "recorded.gz"))
    assert "recorded.gz: json_lines, 1 connections, 100 records, 2 refused" in shown
    assert "refused 2: not an object of the recorder's" in shown
    # The tables take it as they take any other input.
    (tmp_path / "params.yaml").write_text(
        (changed / "params.yaml").read_text().replace("max_quarantined: 0.01", "max_quarantined: 0.1")
    )
    arguments = ["--raw", str(tmp_path / "raw"), "--tables", str(tmp_path / "tables"), "--dataset", "recorded"]
    arguments += ["--report", str(tmp_path / "report.json"), "--params", str(tmp_path / "params.yaml")]
    run(changed, "-m", "smartsbd.pipelines.stages", "parse", *arguments)
    (source,) = read_table(tables.CAPTURE, tmp_path / "tables/capture.parquet").column("source").to_pylist()
    assert source == "json_lines"
    acks = read_table(tables.ACK, tmp_path / "tables/ack.parquet").column("rtt_us").to_pylist()
    assert sorted(acks) == [20_000 + place for place in range(100) if place not in (50, 60)]


@pytest.mark.slow
def test_a_family(changed: Path, tmp_path: Path) -> None:
    script = f"""
import numpy as np
from pathlib import Path
from smartsbd.models.stored import store
from smartsbd.models.search import fitting
from smartsbd.models.families import family_of
from smartsbd.pipelines.params import read_params
from tests.models import windows_made

windows, family = windows_made.windows(), family_of("extra_trees")
grid = fitting.settings(family, read_params().search.families["extra_trees"], [3, 9])
rows, held = np.split(np.arange(len(windows.shared)), [120])
method = fitting.Method(inner_folds=2, seed=0)
for name in ("one", "other"):
    fitted = fitting.chosen(windows, family, grid, fitting.training_side(windows, rows, method), method)
    store.save(fitted, Path({str(tmp_path)!r}) / name)
print(len(grid), np.mean(fitting.predict(windows, store.load(Path({str(tmp_path)!r}) / "one"), held).shared_pred
    == windows.shared[held]))
"""
    points, accuracy = run(changed, "-c", script).split()
    assert int(points) == 4
    assert float(accuracy) > 0.9
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()


@pytest.mark.slow
def test_a_simulated_dataset(changed: Path, tmp_path: Path) -> None:
    params = yaml.safe_load((changed / "params.yaml").read_text())
    assert params["simulate"]["late"]["connections_per_label"] > 1
    evaluated = (
        "from smartsbd.pipelines.publishing.origin import ORIGINS; print('evaluation' in ORIGINS['late'].not_for[0])"
    )
    assert run(changed, "-c", evaluated) == "True\n"
    params["simulate"]["late"] |= {"connections_per_label": 1, "duration_s": 8}
    small = tmp_path / "small.yaml"
    small.write_text(yaml.safe_dump(params))
    arguments = ["--dataset", "late", "--raw", str(tmp_path / "late"), "--params", str(small)]
    run(changed, "-m", "smartsbd.pipelines.stages", "simulate", *arguments)
    with (tmp_path / "late/truth.csv").open() as stream:
        assert sorted(row["shared"] for row in csv.DictReader(stream)) == ["false", "true"]
    for path in (tmp_path / "late/scenarios").iterdir():
        first, second = json.loads(path.read_text())["subflows"]
        assert 0.1 <= second["start_s"] - first["start_s"] <= 5.1
    for path in (tmp_path / "late/inputs").iterdir():
        shown = run(changed, "-m", "pipelines", "inspect", str(path))
        assert re.search(r"event_log, 1 connections, \d{4,} records, 0 refused", shown)
    params["simulate"]["late"]["join_s"] = 0
    small.write_text(yaml.safe_dump(params))
    run(changed, "-m", "smartsbd.pipelines.stages", "simulate", *arguments, code=2)


@pytest.mark.slow
def test_a_controller(changed: Path, tmp_path: Path) -> None:
    """The build sees the new file, and the list of the program is all that Python needs."""
    copied = shutil.copytree(changed, tmp_path / "copied", symlinks=True)
    put(copied, [example for example in EXAMPLES if example[0].startswith(SIMULATOR)])
    prefix = tmp_path / "prefix"
    (prefix / "bin").mkdir(parents=True)
    (prefix / "lib").symlink_to(Path(sys.prefix) / "lib")
    # What is built of the files as they are is built.
    built = ROOT / "build/simulator"
    if built.exists():
        shutil.copytree(built, tmp_path / "built")
    make = ["make", "--jobs=2", "-C", str(copied / "simulator"), f"PREFIX={prefix}", f"BUILD={tmp_path / 'built'}"]
    make += ["all", "loop"]
    subprocess.run(make, check=True, capture_output=True)
    program = prefix / "bin/smartsbd-sim"
    listed = json.loads(subprocess.run([program, "--list"], capture_output=True, check=True).stdout)
    assert [kind["properties"]["name"]["const"] for kind in listed["congestion_control"]].count("ewtcp") == 1
    scenario = beside_tcp(8.0, 40000, 40.0, "ewtcp")
    del scenario["connection"]["lia_counts"]
    try_it = f"""
import json, sys
from pydantic import ValidationError
from smartsbd.scenarios.scenario import Scenario
try:
    print(Scenario.model_validate(json.loads({json.dumps(json.dumps(scenario))})).connection.controller)
except ValidationError:
    print("refused")
"""
    assert run(copied, "-c", try_it).split() == ["refused"]
    write = f"import sys; sys.prefix = {str(prefix)!r}; from smartsbd.scenarios import registry; registry.main([])"
    run(copied, "-c", write)
    run(copied, "-m", "smartsbd.scenarios.schema")
    assert run(copied, "-c", try_it).split() == ["ewtcp"]
    assert '"const": "ewtcp"' in (copied / "simulator/src/scenario.schema.json").read_text()
    assert "| `ewtcp` | Equally weighted TCP (Honda et al., 2009). |" in (copied / "simulator/README.md").read_text()
    acked = {}
    for flows in (0.5, 1, 2):
        scenario["connection"]["congestion_control"] = {"name": "ewtcp", "flows": flows}
        (tmp_path / "scenario.json").write_text(json.dumps(scenario))
        files = [f"--{name}={tmp_path / name}" for name in ("events", "truth")]
        subprocess.run([program, f"--scenario={tmp_path / 'scenario.json'}", *files], check=True)
        truth = json.loads((tmp_path / "truth").read_text())
        acked[flows] = sum(subflow["acked_bytes"] for subflow in truth["subflows"])
    assert acked[0.5] < acked[1] < acked[2]
