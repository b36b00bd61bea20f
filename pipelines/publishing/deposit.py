"""The folder to deposit: every dataset with its card and metadata, licences, citation, and a digest of every file."""

from __future__ import annotations

import hashlib
import json
import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from smartsbd.contracts.fault import InputFault, UsageFault
from smartsbd.pipelines.benchmark.task import TASKS
from smartsbd.pipelines.benchmark.task_file import TABLE_FILES, TASK_FILE
from smartsbd.pipelines.benchmark.task_folder import TaskFolder
from smartsbd.pipelines.params import Params
from smartsbd.pipelines.publishing import citation, croissant, licence
from smartsbd.pipelines.publishing.citation import Citation
from smartsbd.pipelines.publishing.croissant import Place
from smartsbd.pipelines.publishing.dataset_card import Making, card, licence_line
from smartsbd.pipelines.publishing.dataset_counts import counted
from smartsbd.pipelines.publishing.origin import ORIGINS, Origin
from smartsbd.pipelines.publishing.table_file import TableFile, copied, copy, places
from smartsbd.pipelines.running import environment, stored_outputs
from smartsbd.pipelines.running.dag import DAG_FILE, read_stages
from smartsbd.pipelines.running.unfinished_folder import unfinished

log = logging.getLogger(__name__)

DATASETS = "datasets"
CHECKSUMS = "CHECKSUMS"
README = "README.md"
METADATA = "croissant.json"
#: Further parts of a deposit, if they are there: the place in the project, the place in the deposit, and a name. The
#: benchmark has one folder for each task.
BENCHMARK = (Path("data/benchmark"), Path("benchmark"), "the benchmark")
BESIDE = (
    (Path("reports/leaderboard.csv"), Path("leaderboard.csv"), "its leaderboard"),
    (Path("reports/full/leaderboard.csv"), Path("leaderboard-full.csv"), "its leaderboard at the larger sizes"),
)
#: The lock of the simulator's packages, and the simulator's name there.
_SIMULATOR_LOCK = Path("requirements/simulator.txt")
_SIMULATOR = re.compile(r"^(ns3)==(\S+)", re.MULTILINE)
# An address that needs no escape in Markdown, YAML and JSON.
_ADDRESS = re.compile(r"https?://(?![^/]*@)[A-Za-z0-9._~:/@%+-]+")


class DepositAddressError(UsageFault):
    """The address of a deposit cannot be used."""


class NothingToPublishError(InputFault):
    """There are no data of any dataset."""


class ChangedDataError(InputFault):
    """Data are not what the pipeline has made of them."""


@dataclass(frozen=True)
class PublishedDataset:
    """A dataset in a deposit, as the deposit's first page has it."""

    name: str
    origin: Origin
    connections: int
    files: tuple[TableFile, ...]


@dataclass(frozen=True)
class Deposit:
    """A deposit that was written.

    Attributes
    ----------
    datasets : tuple of PublishedDataset
    left_out : mapping of str to str
        What is not in it, and why.
    compared : bool
        Whether the data were compared with what DVC has recorded.
    """

    datasets: tuple[PublishedDataset, ...]
    left_out: Mapping[str, str]
    compared: bool


def address(text: str) -> str:
    """Return the address of a deposit without a slash at its end.

    Returns
    -------
    str

    Raises
    ------
    DepositAddressError
        If it is no plain address of the web.

    Examples
    --------
    >>> address("https://example.org/records/1/")
    'https://example.org/records/1'
    """
    if not _ADDRESS.fullmatch(text):
        raise DepositAddressError(
            f"{text!r} is no address: http(s)://, no name of a user, and no blanks, quotes, ? or #"
        )
    return text.rstrip("/")


def _simulator(project: Path) -> str:
    """Return the simulator's name and version, as its lock has them."""
    path = project / _SIMULATOR_LOCK
    match = _SIMULATOR.search(path.read_text())
    if match is None:
        raise InputFault(f"{path}: names no version of the simulator")
    return f"{match[1]} {match[2]}"


def _making(project: Path, version: str) -> Making:
    return Making(
        commit=environment.commit(),
        version=version,
        simulator=_simulator(project),
        stages=tuple(read_stages(project / DAG_FILE)),
    )


def _missing(project: Path, dataset: str) -> str | None:
    """Return why nothing of a dataset can be published; None if it can."""
    if dataset not in ORIGINS:
        return "pipelines/publishing/origin.py does not say where it comes from and what its licence is"
    paths = [path for _, path in places(dataset)]
    absent = [path for path in paths if not (project / path).is_file()]
    if len(absent) == len(paths):
        return "its tables are not there"
    if absent:
        return f"{len(absent)} of its {len(paths)} tables are not there, {absent[0]} the first"
    return None


def _check_unchanged(project: Path, datasets: Sequence[str]) -> bool:
    """Make sure that tables are those that DVC has recorded; return whether it has recorded any.

    Raises
    ------
    ChangedDataError
        If one is another.
    """
    if not (project / ".dvc").is_dir():
        log.warning("%s: no .dvc there, so tables are not compared with what DVC has recorded", project.resolve())
        return False
    paths = [path for dataset in datasets for _, path in places(dataset)]
    wrong = [
        path for path in stored_outputs.changed(project) if any(table_path.is_relative_to(path) for table_path in paths)
    ]
    if wrong:
        raise ChangedDataError(
            f"{len(wrong)} outputs are not what DVC has recorded, {wrong[0]} the first: `dvc checkout` brings back what"
            " was made, `dvc repro` makes it anew"
        )
    return True


def _write(text: str, path: Path) -> None:
    path.write_text(text, "utf-8")


def _publish(
    project: Path, folder: Path, dataset: str, making: Making, cited: Citation, place: Place, params: Params
) -> PublishedDataset:
    """Write a dataset's folder."""
    target = folder / DATASETS / dataset
    target.mkdir(parents=True)
    origin = ORIGINS[dataset]
    files = tuple(copied(table, project / path, target) for table, path in places(dataset))
    counts = counted(target)
    _write(card(dataset, origin, files, counts, making, params), target / README)
    metadata = croissant.metadata(dataset, origin, files, cited, place, f"{DATASETS}/{dataset}")
    _write(json.dumps(metadata, indent=2, ensure_ascii=False) + "\n", target / METADATA)
    log.info("%s: %d connections, %d rows", dataset, counts.connections, sum(file.rows for file in files))
    return PublishedDataset(dataset, origin, counts.connections, files)


def _copy_beside(project: Path, folder: Path) -> dict[str, str]:
    """Copy the further parts; return those that are not there, and why."""
    absent = {}
    for source, target, what in BESIDE:
        if (project / source).exists():
            copy(project / source, folder / target)
        else:
            absent[what] = f"{source} is not there"
    return absent | _copy_benchmark(project, folder)


def _copy_benchmark(project: Path, folder: Path) -> dict[str, str]:
    """Copy the benchmark's tasks, and check that their tables are theirs; return those that are missing, and why."""
    source, target, what = BENCHMARK
    if not (project / source).is_dir():
        return {what: f"{source} is not there"}
    files, absent = (TASK_FILE, *TABLE_FILES), {}
    for task in TASKS:
        missing = [name for name in files if not (project / source / task / name).is_file()]
        if missing:
            absent[f"the task {task}"] = f"{source / task / missing[0]} is not there"
            continue
        task_folder = folder / target / task
        task_folder.mkdir(parents=True)
        for name in files:
            copy(project / source / task / name, task_folder / name)
        there = TaskFolder(task_folder)
        there.check()
        there.tables()
    return absent


def _copy_licences(project: Path, folder: Path, published: Sequence[PublishedDataset]) -> None:
    """Copy the text of every licence that a dataset has, and of our own, which the further parts have."""
    (folder / licence.FOLDER).mkdir()
    for identifier in sorted(
        {"MIT", *(name for dataset in published for name in licence.identifiers(dataset.origin.licence))}
    ):
        text = licence.text_file(identifier)
        copy(project / text, folder / text)


def _first_page(deposit: Deposit, cited: Citation, making: Making, place: Place, beside: Sequence[str]) -> str:
    """Return the text of the deposit's README.md."""
    rows = [
        f"| [{dataset.name}]({DATASETS}/{dataset.name}/{README}) | {dataset.origin.what} | {dataset.connections} |"
        f" {sum(file.rows for file in dataset.files)} | {sum(file.size_bytes for file in dataset.files)} |"
        f" {licence_line(dataset.origin.licence, '.')} |"
        for dataset in deposit.datasets
    ]
    left_out = [f"- {name}: {why}." for name, why in deposit.left_out.items()]
    compared = (
        "Before they were copied, DVC had found every table as the pipeline made it."
        if deposit.compared
        else "They were not compared with what the pipeline has recorded, because DVC was not there."
    )
    example = f"{DATASETS}/{deposit.datasets[0].name}/ack.parquet"
    return "\n".join(
        [
            f"# {cited.title}: datasets",
            "",
            "Connections of Multipath TCP, what their senders saw, and which of their subflows share a bottleneck.",
            "Each dataset has a card (`README.md`: what it is, how it was made, its truth and the doubts, what it is",
            f"not for) and metadata (`{METADATA}`, Croissant 1.0). Each dataset has a licence of its own.",
            "",
            "| dataset | what | connections | rows | bytes | licence |",
            "|---|---|---|---|---|---|",
            *rows,
            *(f"\nBeside them, under the MIT licence: {', '.join(beside)}." for _ in beside[:1]),
            "",
            "## Not here",
            "",
            *left_out,
            "- `kernel_locked`: recordings that are scored once for each release; to publish them is to tune on them.",
            "- What is computed from these tables (models, predictions, verdicts), and the inputs that they were parsed"
            " from.",
            "",
            "## Use",
            "",
            "Tables are Parquet, one file each; pandas, DuckDB and others open them.",
            "",
            "```python",
            "import pandas",
            "",
            f'acks = pandas.read_parquet("{example}", columns=["connection_id", "subflow_id", "rtt_us"])',
            "```",
            "",
            f"`sha256sum --check {CHECKSUMS}` says whether every file is as it was published. {compared}",
            "",
            f"Published on {place.published.isoformat()} by the SmartSBD workbench {making.version},"
            f" commit {making.commit}. [CITATION.cff](CITATION.cff) says how to cite it.",
            "",
        ]
    )


def _write_checksums(folder: Path) -> None:
    """Write the digest of every file, as sha256sum reads them."""
    lines = []
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        with path.open("rb") as stream:
            lines.append(
                f"{hashlib.file_digest(stream, 'sha256').hexdigest()}  {path.relative_to(folder).as_posix()}\n"
            )
    _write("".join(lines), folder / CHECKSUMS)


def write(project: Path, out: Path, place: Place, params: Params) -> Deposit:
    """Write a deposit of the datasets that params.yaml lists.

    Parameters
    ----------
    project : Path
        The project's folder.
    out : Path
        The folder to write; it is there whole or not at all. An empty one is taken over.
    place : Place
    params : Params

    Returns
    -------
    Deposit

    Raises
    ------
    NothingToPublishError
        If there are no data of any dataset.
    ChangedDataError
        If data are not what DVC has recorded.
    UnreadableTableError
        If a table does not keep its contract.
    OutputError
        If something is in the way.
    """
    cited = citation.read(project / citation.FILE)
    why = {dataset: _missing(project, dataset) for dataset in params.datasets}
    left_out = {f"`{dataset}`": reason for dataset, reason in why.items() if reason is not None}
    datasets = [dataset for dataset, reason in why.items() if reason is None]
    for name, reason in left_out.items():
        log.warning("%s is left out: %s", name.strip("`"), reason)
    if not datasets:
        raise NothingToPublishError("there are no data of any dataset: run the pipeline, or `dvc pull`")
    if out.is_dir() and not out.is_symlink() and not any(out.iterdir()):
        out.rmdir()
    with unfinished(out) as folder:
        compared = _check_unchanged(project, datasets)
        making = _making(project, cited.version)
        published = tuple(_publish(project, folder, dataset, making, cited, place, params) for dataset in datasets)
        _copy_licences(project, folder, published)
        absent = _copy_beside(project, folder)
        for what, reason in absent.items():
            log.warning("%s is left out: %s", what, reason)
        _write(citation.with_address((project / citation.FILE).read_text("utf-8"), place.url), folder / citation.FILE)
        deposit = Deposit(published, left_out | absent, compared)
        beside = [f"[{what}]({target})" for _, target, what in (BENCHMARK, *BESIDE) if what not in absent]
        _write(_first_page(deposit, cited, making, place, beside), folder / README)
        _write_checksums(folder)
    return deposit
