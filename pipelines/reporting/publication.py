"""The tables that a run of another profile has made, put into git stage by stage, each stage with a card.

Numbers of profile ``full`` are in ``reports/full/`` only, so that they are never taken for the default profile's.
"""

from __future__ import annotations

import itertools
import logging
import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from smartsbd.contracts.whole_file import write_whole
from smartsbd.pipelines.params import Params
from smartsbd.pipelines.reporting.report_files import read_json, write_json
from smartsbd.pipelines.running.dag import DAG_FILE, Stage, filled_in
from smartsbd.pipelines.running.environment import processor
from smartsbd.pipelines.running.journal import Entry

log = logging.getLogger(__name__)

_TABLES = frozenset({".csv", ".json"})
#: What a search of AutoML has tried, setting by setting: megabytes that nothing reads. They stay in the run's folder.
_HISTORIES = frozenset({"history.csv", "leaderboard.csv", "members.csv"})
_CARDS = "cards"
_STUDIES = "studies"
_S_PER_HOUR = 3600


@dataclass(frozen=True)
class Card:
    """What made a stage's tables: code, machine, and when.

    Attributes
    ----------
    stage : str
        As DVC names it.
    commit : str
        Of the code, and whether its sources were changed.
    machine : str
    ended : str
        When, UTC.
    hours, cpu_hours : float
        How long it took, and the processor's time.
    """

    stage: str
    commit: str
    machine: str
    ended: str
    hours: float
    cpu_hours: float


def card_of(entry: Entry, code: str) -> Card:
    """Return the card of a run of a stage on this machine, by the code of a commit."""
    return Card(
        stage=entry.stage,
        commit=code,
        machine=f"{processor()}, {platform.system()} {platform.release()}",
        ended=datetime.fromtimestamp(entry.ended_s, UTC).strftime("%Y-%m-%d %H:%M"),
        hours=round(entry.wall_s / _S_PER_HOUR, 4),
        cpu_hours=round(entry.cpu_s / _S_PER_HOUR, 4),
    )


def _tables(path: Path) -> list[Path]:
    files = [path] if path.is_file() else sorted(path.rglob("*"))
    is_search = path.parent.name == "automl"
    return [file for file in files if file.suffix in _TABLES and not (is_search and file.name in _HISTORIES)]


def published_from(stage: Stage, dataset: str, params: Params) -> list[Path]:
    """Return the paths of a stage's tables: its outputs among reports, and the results that DVC does not track.

    Parameters
    ----------
    stage : Stage
    dataset : str
        Empty for a stage that does all datasets at once.
    params : Params

    Returns
    -------
    list of Path
        From the project's folder.
    """
    outs = [filled_in(out, dataset, params) for out in stage.outs if out.startswith(("reports/", f"{_STUDIES}/"))]
    words = filled_in(stage.command, dataset, params).split()
    outs += [value for name, value in itertools.pairwise(words) if name == "--results"]
    return [Path(out) for out in outs]


def _published_as(path: Path, target: Path) -> Path:
    """Return where a clone's table goes: of a study, to a folder of the profile's name beside the study's reports."""
    if path.parts[0] != _STUDIES:
        return target / Path(*path.parts[1:])
    _, study, _, *rest = path.parts
    return target.parents[1] / _STUDIES / study / target.name / Path(*rest)


def publish(entry: Entry, stages: Sequence[Stage], params: Params, clone: Path, target: Path, code: str) -> Path | None:
    """Copy the tables of a finished stage, and write its card; return the card's path.

    Parameters
    ----------
    entry : Entry
        The run of the stage. One that failed is not published.
    stages : sequence of Stage
    params : Params
        Of the run.
    clone : Path
        Where it ran.
    target : Path
        Folder for the tables, by their paths below ``reports/`` or ``data/``; cards go to ``cards/``. Tables of a
        study, and its card, go to a folder of this name beside the study's reports.
    code : str
        Commit of the code that the clone runs: the project's may be another by the time a stage is done.

    Returns
    -------
    Path or None
        None if nothing was published.
    """
    name, _, dataset = entry.stage.partition("@")
    stage = next((candidate for candidate in stages if candidate.name == name), None)
    study, _, program = entry.stage.rpartition(f"/{DAG_FILE}:")
    if stage is None or entry.exit_code != 0 or (study and not stage.outs):
        return None
    for out in published_from(stage, dataset, params):
        for table in _tables(clone / out):
            copy = _published_as(table.relative_to(clone), target)
            copy.parent.mkdir(parents=True, exist_ok=True)
            write_whole(table.read_bytes(), copy)
    card = target / _CARDS / f"{entry.stage}.json"
    if study:
        card = _published_as(Path(study) / "reports" / f"{program}.json", target)
    write_json(asdict(card_of(entry, code)), card)
    write_contents(stages, params, target)
    log.info("%s is published in %s", entry.stage, target)
    return card


def write_contents(stages: Sequence[Stage], params: Params, target: Path) -> None:
    """Write the list of stages, with when and by what each was run, or that it was not run.

    Parameters
    ----------
    stages : sequence of Stage
        Those of the list, in its order.
    params : Params
        Have the profile's name and datasets.
    target : Path
        Folder with the cards of the published tables; its README.md is written.
    """
    target.mkdir(parents=True, exist_ok=True)
    lines = [
        f"# Results of profile {params.profile}",
        "",
        "Each stage's tables, and by what they were made. Nothing here is mixed with the default profile's numbers."
        " Of a table that no stage below has made, the document or study that links it says how it was made.",
        "",
        "| stage | ended (UTC) | hours | CPU hours | commit | machine |",
        "|---|---|---|---|---|---|",
    ]
    for stage in stages:
        if stage.name.startswith(_STUDIES):
            continue
        datasets = [f"@{dataset}" for dataset in stage.datasets(params)] if stage.matrix else [""]
        for name in (f"{stage.name}{dataset}" for dataset in datasets):
            path = target / _CARDS / f"{name}.json"
            if path.exists():
                card = Card(**read_json(path))
                hours = f"{card.hours:.2f} | {card.cpu_hours:.2f}"
                lines.append(f"| {name} | {card.ended} | {hours} | {card.commit} | {card.machine} |")
            else:
                lines.append(f"| {name} | not run | | | | |")
    write_whole(("\n".join(lines) + "\n").encode(), target / "README.md")
