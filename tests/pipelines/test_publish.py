"""The folder to deposit: what it holds, that others open it without our code, and what is refused."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tomllib
from datetime import date
from pathlib import Path
from typing import Any, NoReturn

import duckdb
import pandas as pd
import pytest
import yaml

from smartsbd.pipelines.__main__ import main
from smartsbd.pipelines.benchmark.task_file import TABLE_FILES, TASK_FILE
from smartsbd.pipelines.params import LOCKED, read_params
from smartsbd.pipelines.publishing import citation, croissant, deposit, licence
from smartsbd.pipelines.publishing.croissant import Place
from smartsbd.pipelines.publishing.dataset_card import licence_line
from smartsbd.pipelines.publishing.deposit import DATASETS
from smartsbd.pipelines.publishing.origin import ORIGINS, Origin
from smartsbd.pipelines.publishing.table_file import PLACES, places
from smartsbd.pipelines.running.stage import EXIT_BAD_INPUT, EXIT_OK, EXIT_USAGE
from smartsbd.scenarios.datasets import DATASETS as SIMULATED
from tests.made_once import made_once

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PROFILES = [ROOT / "params.yaml", *sorted((ROOT / "params").glob("*.yaml"))]
#: A log of the sender, and captures: of one kind some columns are null that are not of the other.
SAMPLES = ("kernel", "kernel_captures")
URL = "https://example.org/records/1"
_FILES = ("dvc.yaml", "params.yaml", "CITATION.cff", "LICENSES", "requirements")


def _make_project(project: Path) -> None:
    """Make the tables of recordings in git, by the pipeline's own stages."""
    for name in _FILES:
        (shutil.copytree if (ROOT / name).is_dir() else shutil.copy)(ROOT / name, project / name)
    (project / "data").mkdir()
    (project / "data/samples").symlink_to(ROOT / "data/samples")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(project)
        for dataset in SAMPLES:
            for stage in ("collect", "parse", "validate", "extract", "tiles"):
                assert main([stage, "--dataset", dataset]) == EXIT_OK


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with the tables of two datasets; to read alone."""
    return made_once(tmp_path_factory, "publishable", _make_project)


@pytest.fixture
def project(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of it, in which commands are run."""
    copy = Path(shutil.copytree(made, tmp_path / "project", symlinks=True))
    monkeypatch.chdir(copy)
    return copy


@pytest.fixture(scope="session")
def deposited(made: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What is published of it; to read alone."""

    def publish(folder: Path) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(made)
            assert main(["publish", str(folder / "out")]) == EXIT_OK

    return made_once(tmp_path_factory, "deposited", publish) / "out"


@pytest.fixture
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> NoReturn:
        raise AssertionError("something is fetched")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


def _metadata(folder: Path, dataset: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((folder / DATASETS / dataset / deposit.METADATA).read_text())
    return content


def _sizes_in_card(folder: Path, dataset: str) -> dict[str, tuple[int, int, str]]:
    """Return rows, bytes and digest of each file as a card has them."""
    card = (folder / DATASETS / dataset / deposit.README).read_text()
    found = re.findall(r"^\| `(\w+\.parquet)` \| .+ \| (\d+) \| (\d+) \| `([0-9a-f]{64})` \|$", card, re.MULTILINE)
    return {name: (int(rows), int(size_bytes), sha256) for name, rows, size_bytes, sha256 in found}


# What every dataset must have said of it.


def test_every_dataset_has_an_origin() -> None:
    named = {*SIMULATED}
    for path in PROFILES:
        content = yaml.safe_load(path.read_text())
        for key in ("simulated", "samples", "datasets", "evaluation_only"):
            named |= set(content.get(key, []))
    assert named == ORIGINS.keys()
    assert LOCKED not in ORIGINS


@pytest.mark.parametrize("dataset", ORIGINS)
def test_an_origin_says_all_and_its_licence_has_a_text(dataset: str) -> None:
    origin = ORIGINS[dataset]
    assert origin.what.endswith(".") and origin.made and origin.doubts and origin.not_for
    for sentence in (*origin.made, *origin.doubts, *origin.not_for):
        assert sentence[0].isupper() or sentence[0] == "`"
        assert sentence.endswith(".") and "  " not in sentence
    for identifier in licence.identifiers(origin.licence):
        assert (ROOT / licence.text_file(identifier)).is_file()
    is_refused = any("evaluation alone" in sentence for sentence in origin.not_for)
    assert is_refused == (dataset in read_params(ROOT / "params.yaml").evaluation_only)
    assert f"`{dataset}`" in (ROOT / "docs/datasets.md").read_text()


def test_a_dataset_may_have_another_licence() -> None:
    """As one whose links follow recordings that others publish under theirs."""
    origin = Origin("Links of others.", "MIT AND GPL-3.0-only", ("Made.",), ("Doubted.",), ("Nothing.",))
    cited = citation.read(ROOT / "CITATION.cff")
    content = croissant.metadata("radio", origin, [], cited, Place(date(2026, 1, 1)), "datasets/radio")
    assert content["license"] == ["https://spdx.org/licenses/MIT.html", "https://spdx.org/licenses/GPL-3.0-only.html"]
    assert licence_line(origin.licence, ".") == (
        "[MIT](LICENSES/MIT.txt) AND [GPL-3.0-only](LICENSES/GPL-3.0-only.txt)"
    )
    with pytest.raises(licence.LicenceError):
        licence.identifiers("see ../../etc/passwd")


# What a deposit holds.


def test_its_files_are_as_its_checksums_say(deposited: Path) -> None:
    done = subprocess.run(
        ["sha256sum", "--check", "--strict", "--quiet", deposit.CHECKSUMS],
        cwd=deposited,
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    listed = {line.split("  ")[1] for line in (deposited / deposit.CHECKSUMS).read_text().splitlines()}
    there = {path.relative_to(deposited).as_posix() for path in deposited.rglob("*") if path.is_file()}
    assert there - listed == {deposit.CHECKSUMS}
    assert {"README.md", "CITATION.cff", "LICENSES/MIT.txt"} < listed
    assert {name for name in listed if name.startswith(DATASETS)} == {
        f"{DATASETS}/{dataset}/{name}"
        for dataset in SAMPLES
        for name in (deposit.README, deposit.METADATA, *(f"{table.name}.parquet" for table, _ in PLACES))
    }


@pytest.mark.parametrize("dataset", SAMPLES)
def test_the_tables_are_those_of_the_pipeline(made: Path, deposited: Path, dataset: str) -> None:
    for table, source in places(dataset):
        assert (deposited / DATASETS / dataset / f"{table.name}.parquet").read_bytes() == (made / source).read_bytes()


_ROWS = """
import sys
{imports}
for path in sys.argv[1:]:
    print({rows})
"""


@pytest.mark.parametrize(
    ("imports", "rows"),
    [
        ("import pandas", "len(pandas.read_parquet(path))"),
        ("import duckdb", "duckdb.sql(f\"SELECT count(*) FROM '{path}'\").fetchall()[0][0]"),
    ],
)
@pytest.mark.parametrize("dataset", SAMPLES)
def test_others_open_them_without_our_code(deposited: Path, dataset: str, imports: str, rows: str) -> None:
    """Their rows are as many as the card says, in a process that cannot import any of our packages."""
    expected = _sizes_in_card(deposited, dataset)
    assert expected.keys() == {f"{table.name}.parquet" for table, _ in PLACES}
    packages = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"][
        "packages"
    ]
    hidden = f"sys.modules |= dict.fromkeys({packages})"
    done = subprocess.run(
        [sys.executable, "-P", "-c", _ROWS.format(imports=f"{hidden}\n{imports}", rows=rows), *expected],
        cwd=deposited / DATASETS / dataset,
        env={key: value for key, value in os.environ.items() if key != "PYTHONPATH"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert list(map(int, done.stdout.split())) == [number for number, _, _ in expected.values()]


@pytest.mark.parametrize("dataset", SAMPLES)
def test_pandas_and_duckdb_read_the_same_values(deposited: Path, dataset: str) -> None:
    path = deposited / DATASETS / dataset / "ack.parquet"
    frame = pd.read_parquet(path)
    acks = duckdb.read_parquet(str(path))
    (row,) = acks.aggregate("count(*), count(rtt_us), sum(rtt_us), count(DISTINCT connection_id)").fetchall()
    rtts = frame["rtt_us"]
    assert row == (len(frame), rtts.count(), rtts.sum(), frame["connection_id"].nunique())


@pytest.mark.parametrize("dataset", SAMPLES)
def test_a_card_says_what_the_files_hold(deposited: Path, dataset: str) -> None:
    folder = deposited / DATASETS / dataset
    card = (folder / deposit.README).read_text()
    for name, (_, size_bytes, sha256) in _sizes_in_card(deposited, dataset).items():
        content = (folder / name).read_bytes()
        assert (len(content), hashlib.sha256(content).hexdigest()) == (size_bytes, sha256)
    connections = pd.read_parquet(folder / "connection.parquet")
    total_s = (connections["end_ns"] - connections["start_ns"]).sum() / 1e9
    assert f"- {len(connections)} connections of {total_s:.0f} s together" in card
    truth = pd.read_parquet(folder / "truth.parquet")
    for name, own in (("shared", truth[truth["shared"]]), ("not shared", truth[~truth["shared"]])):
        assert f"| {name} | {len(own)} | {own['valid'].sum()} | {(~own['valid']).sum()} |" in card
    acks = pd.read_parquet(folder / "ack.parquet")
    assert f"| `rtt_us` | int64 | us | 1.. | {acks['rtt_us'].isna().sum()} |" in card
    for heading in ("How it was made", "Truth, and its doubts", "Sizes and digests", "What it is not for", "Columns"):
        assert f"\n## {heading}\n" in card
    for sentence in (*ORIGINS[dataset].doubts, *ORIGINS[dataset].not_for):
        assert f"\n- {sentence}\n" in card
    assert f"python -m smartsbd.pipelines.stages collect --dataset {dataset} " in card
    assert (folder / re.findall(r"\]\(([^)\s]*LICENSES[^)\s]*)\)", card)[0]).is_file()


def test_the_first_page_leads_to_every_card_and_names_what_is_left_out(deposited: Path) -> None:
    page = (deposited / deposit.README).read_text()
    links = re.findall(r"\]\(([^)\s]+)\)", page)
    assert {f"{DATASETS}/{dataset}/README.md" for dataset in SAMPLES} < set(links)
    assert all((deposited / link).exists() for link in links)
    left_out = set(read_params(ROOT / "params.yaml").datasets) - set(SAMPLES)
    assert all(f"- `{dataset}`: its tables are not there." in page for dataset in left_out)
    assert f"- `{LOCKED}`: " in page
    assert "- the benchmark: data/benchmark is not there." in page


# Its metadata.


@pytest.mark.usefixtures("_no_network")
@pytest.mark.parametrize("dataset", SAMPLES)
def test_mlcroissant_takes_the_metadata_and_reads_every_record(
    deposited: Path, dataset: str, caplog: pytest.LogCaptureFixture
) -> None:
    import mlcroissant

    found = mlcroissant.Dataset(deposited / DATASETS / dataset / deposit.METADATA)
    assert not found.metadata.ctx.issues.errors and not found.metadata.ctx.issues.warnings
    assert [one.getMessage() for one in caplog.records if one.levelname in ("WARNING", "ERROR")] == []
    expected = {name.removesuffix(".parquet"): rows for name, (rows, *_) in _sizes_in_card(deposited, dataset).items()}
    assert {one.uuid for one in found.metadata.record_sets} == expected.keys()
    for name, rows in expected.items():
        # A record takes mlcroissant 0.1 ms; those of the long tables are counted elsewhere.
        records = found.records(name)
        first = next(iter(records), None)
        assert (first is None) == (rows == 0), name
    assert sum(1 for _ in found.records("truth")) == expected["truth"]


@pytest.mark.usefixtures("_no_network")
def test_values_come_through_the_metadata_as_they_are(deposited: Path) -> None:
    import mlcroissant

    folder = deposited / DATASETS / "kernel_captures"
    records = mlcroissant.Dataset(folder / deposit.METADATA).records("subflow")
    frame = pd.read_parquet(folder / "subflow.parquet")
    for record, row in zip(records, frame.to_dict("records"), strict=True):
        assert record["subflow/connection_id"].decode() == row["connection_id"]
        assert record["subflow/min_rtt_us"] == row["min_rtt_us"]


@pytest.mark.usefixtures("_no_network")
def test_with_an_address_files_have_addresses(project: Path) -> None:
    import mlcroissant

    assert main(["publish", "out", "--url", f"{URL}/"]) == EXIT_OK
    content = _metadata(project / "out", "kernel")
    assert content["url"] == f"{URL}/datasets/kernel"
    assert content["distribution"][0]["contentUrl"] == f"{URL}/datasets/kernel/capture.parquet"
    assert yaml.safe_load((project / "out/CITATION.cff").read_text())["url"] == URL
    here = {one["@id"]: project / f"out/datasets/kernel/{one['@id']}" for one in content["distribution"]}
    found = mlcroissant.Dataset(project / "out/datasets/kernel/croissant.json", mapping=here)
    assert not found.metadata.ctx.issues.warnings
    assert sum(1 for _ in found.records("connection")) == 12


@pytest.mark.parametrize(
    "address",
    ["example.org", "file:///etc", "https://example.org/a b", 'https://x/"}', "https://x/#a", "https://a:b@x/"],
)
def test_no_address_is_refused(project: Path, address: str) -> None:
    assert main(["publish", "out", "--url", address]) == EXIT_USAGE
    assert not (project / "out").exists()


# What is in the way, or missing, or damaged.


def _contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_an_empty_folder_is_taken_and_nothing_is_overwritten(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "out").mkdir()
    assert main(["publish", "out"]) == EXIT_OK
    before = _contents(project / "out")
    assert main(["publish", "out"]) == EXIT_USAGE
    assert "out is there already" in capsys.readouterr().err
    assert _contents(project / "out") == before
    (project / "file").write_text("mine")
    assert main(["publish", "file"]) == EXIT_USAGE
    assert main(["publish", "file/out"]) == EXIT_USAGE
    assert (project / "file").read_text() == "mine"
    (project / "link").symlink_to(project / "elsewhere")
    assert main(["publish", "link"]) == EXIT_USAGE
    assert sorted(path.name for path in project.iterdir() if "part" in path.name) == []


def test_two_runs_write_the_same(project: Path, deposited: Path) -> None:
    place = Place(date(2026, 1, 1))
    for name in ("one", "two"):
        deposit.write(project, project / name, place, read_params(project / "params.yaml"))
    assert _contents(project / "one") == _contents(project / "two")


def test_without_data_nothing_is_written(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.rmtree(project / "data/truth")
    (project / "out").mkdir()
    assert main(["publish", "out"]) == EXIT_BAD_INPUT
    said = capsys.readouterr().err
    assert "kernel is left out: 1 of its 13 tables are not there, data/truth/kernel.parquet the first" in said
    assert "there are no data of any dataset" in said
    assert list((project / "out").iterdir()) == []


def test_a_dataset_of_one_s_own_is_not_published_without_an_origin(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for _, path in places("kernel"):
        mine = Path(str(path).replace("kernel", "mine"))
        mine.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, mine)
    params = (project / "params.yaml").read_text()
    (project / "params.yaml").write_text(params.replace("datasets: [sites,", "datasets: [mine, sites,", 1))
    assert main(["publish", "out"]) == EXIT_OK
    assert (
        "mine is left out: pipelines/publishing/origin.py does not say where it comes from" in capsys.readouterr().err
    )
    assert "- `mine`: pipelines/publishing/origin.py does not say" in (project / "out/README.md").read_text()
    assert sorted(path.name for path in (project / "out/datasets").iterdir()) == sorted(SAMPLES)


@pytest.mark.parametrize("damage", ["cut", "text", "other table", "rows twice"])
def test_a_damaged_table_is_refused(project: Path, damage: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = project / "data/tables/kernel/ack.parquet"
    content = path.read_bytes()
    if damage == "cut":
        path.write_bytes(content[: len(content) // 2])
    elif damage == "text":
        path.write_text("connection_id,subflow_id\n")
    elif damage == "other table":
        shutil.copy(project / "data/tables/kernel/state.parquet", path)
    else:
        frame = pd.read_parquet(path)
        pd.concat([frame, frame]).to_parquet(path)
    assert main(["publish", "out"]) == EXIT_BAD_INPUT
    assert "data/tables/kernel/ack.parquet: " in capsys.readouterr().err
    assert not (project / "out").exists() and not (project / ".out.part").exists()


def test_a_byte_changed_afterwards_is_found(deposited: Path, tmp_path: Path) -> None:
    """By sha256sum, and by whoever reads records through the metadata."""
    import mlcroissant

    folder = Path(shutil.copytree(deposited, tmp_path / "out"))
    path = folder / DATASETS / "kernel/connection.parquet"
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    done = subprocess.run(
        ["sha256sum", "--check", "--quiet", deposit.CHECKSUMS], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stdout == "datasets/kernel/connection.parquet: FAILED\n"
    found = mlcroissant.Dataset(folder / DATASETS / "kernel" / deposit.METADATA)
    with pytest.raises(Exception, match=r"Download\(connection\.parquet\)") as refused:
        next(iter(found.records("connection")))
    assert "is not identical with the reference" in str(refused.value.__cause__)


def test_a_byte_changed_before_is_found_where_dvc_has_recorded_it(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folders = [Path("data") / kind / dataset for kind in ("tables", "features", "tiles") for dataset in SAMPLES]
    outs = [str(path) for path in [*folders, Path("data/truth")]]
    stages = {"parse": {"desc": "Make all.", "cmd": "python -m smartsbd.pipelines.stages parse", "outs": outs}}
    (project / "dvc.yaml").write_text(yaml.safe_dump({"stages": stages}))
    for command in (["git", "init", "--quiet"], *(["dvc", *one] for one in (["init"], ["commit", "--force"]))):
        subprocess.run(command, cwd=project, check=True, capture_output=True)
    assert main(["publish", "out"]) == EXIT_OK
    assert "DVC had found every table as the pipeline made it" in (project / "out/README.md").read_text()
    path = project / "data/tables/kernel/connection.parquet"
    content = bytearray(path.read_bytes())
    path.unlink()
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    assert main(["publish", "again"]) == EXIT_BAD_INPUT
    assert f"1 outputs are not what DVC has recorded, {path.relative_to(project)} the first" in capsys.readouterr().err
    assert not (project / "again").exists()


# What else goes with it, and how to cite it.


def test_benchmark_and_leaderboard_go_with_it(project: Path) -> None:
    for task in ("wide-1", "kernel-1"):
        shutil.copytree(ROOT / "data/benchmark" / task, project / "data/benchmark" / task)
    (project / "data/benchmark/kernel-1/.secret").write_text("not of the task\n")
    (project / "data/benchmark/wild-1").mkdir()
    shutil.copy(ROOT / "data/benchmark/wild-1" / TASK_FILE, project / "data/benchmark/wild-1")
    (project / "reports/leaderboard.csv").write_text("detector,right\n")
    assert main(["publish", "out"]) == EXIT_OK
    out = project / "out"
    assert sorted(path.name for path in (out / "benchmark").iterdir()) == ["kernel-1", "wide-1"]
    for task in ("wide-1", "kernel-1"):
        assert {path.name for path in (out / "benchmark" / task).iterdir()} == {TASK_FILE, *TABLE_FILES}
        for name in (TASK_FILE, *TABLE_FILES):
            copy = (out / "benchmark" / task / name).read_bytes()
            assert copy == (ROOT / "data/benchmark" / task / name).read_bytes()
            assert f"benchmark/{task}/{name}\n" in (out / deposit.CHECKSUMS).read_text()
    assert (out / "leaderboard.csv").read_text() == "detector,right\n"
    page = (out / "README.md").read_text()
    beside = "[the benchmark](benchmark), [its leaderboard](leaderboard.csv)"
    assert f"Beside them, under the MIT licence: {beside}." in page
    assert "- its leaderboard at the larger sizes: reports/full/leaderboard.csv is not there." in page
    assert "- the task wild-1: data/benchmark/wild-1/labels.parquet is not there." in page
    assert "- the task sites-1: data/benchmark/sites-1/task.json is not there." in page
    assert "the benchmark: data/benchmark is not there" not in page


def test_a_benchmark_that_was_changed_is_not_published(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copytree(ROOT / "data/benchmark/wide-1", project / "data/benchmark/wide-1")
    table = project / "data/benchmark/wide-1" / TABLE_FILES[0]
    table.write_bytes(table.read_bytes()[:-1])
    assert main(["publish", "out"]) == EXIT_BAD_INPUT
    assert f"{TABLE_FILES[0]} was changed" in capsys.readouterr().err
    assert not (project / "out").exists()


def test_the_citation_is_whole_and_of_this_version() -> None:
    content = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert {"cff-version", "message", "title", "authors"} <= content.keys()
    assert content["cff-version"] == "1.2.0"
    assert content["type"] in ("software", "dataset")
    assert all({"name"} <= one.keys() or {"family-names"} <= one.keys() for one in content["authors"])
    project = (ROOT / "pyproject.toml").read_text()
    assert f'\nversion = "{content["version"]}"\n' in project
    assert f'\nlicense = "{content["license"]}"\n' in project
    for one in content["references"]:
        assert {"type", "title", "authors"} <= one.keys()


@pytest.mark.parametrize("text", ["", "title: a\n", "- a\n", "authors: {\n", "title: a\nauthors: [{}, {}]\n"])
def test_a_citation_that_says_too_little_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "CITATION.cff").write_text(text)
    with pytest.raises(citation.CitationError, match=r"CITATION\.cff"):
        citation.read(tmp_path / "CITATION.cff")
