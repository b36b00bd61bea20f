"""Scores of every stored model on labelled inputs, outside the pipeline: nothing is trained or chosen on them."""

from __future__ import annotations

import argparse
import logging
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from smartsbd.contracts.fault import InputFault, UsageFault
from smartsbd.contracts.tables import WINDOW_KEY
from smartsbd.models.assessment.accuracy import accuracy_of_windows
from smartsbd.models.stored import store
from smartsbd.models.stored.loaded_model import WindowJudge, load
from smartsbd.models.stored.model_judge import ModelJudge
from smartsbd.models.stored.stored_model import StoredModel, on_disk
from smartsbd.pipelines.judging import judge as judging
from smartsbd.pipelines.judging import recorded_model
from smartsbd.pipelines.judging.opinion import InputOpinion
from smartsbd.pipelines.labelling import labelled_inputs
from smartsbd.pipelines.labelling.labels import read_labels
from smartsbd.pipelines.params import Params
from smartsbd.pipelines.reporting.report_files import write_csv
from smartsbd.pipelines.reporting.text_table import aligned
from smartsbd.pipelines.running import stage
from smartsbd.traces.connection import Connection
from smartsbd.traces.recording import Recording
from smartsbd.traces.truth import label_at

log = logging.getLogger(__name__)

_NS_PER_S = 1e9
#: Folder of stored models.
MODELS = Path("data/trained")


class NoModelsError(UsageFault):
    """There is nothing to score."""


class NoLabelledWindowError(InputFault):
    """There is nothing to score on."""


@dataclass(frozen=True)
class Labelled:
    """A connection with its labels.

    Attributes
    ----------
    recorded : Recording
        The input with the connection.
    connection_id : str
    connection : Connection
    truths : sequence of mapping
        Its rows of truth.csv.
    """

    recorded: Recording
    connection_id: str
    connection: Connection
    truths: Sequence[Mapping[str, Any]]


def labelled(recorded: Recording, truths: Sequence[Mapping[str, Any]]) -> list[Labelled]:
    """Return the connections of an input that have labels.

    Parameters
    ----------
    recorded : Recording
    truths : sequence of mapping
        Its rows of truth.csv; without a token, the input has one connection.

    Returns
    -------
    list of Labelled
        In the order of the input.
    """
    labelled_connections = []
    for name, connection in recorded.connections():
        labels = [
            row for row in truths if row["token"] is None or row["token"] in (connection.token, connection.remote_token)
        ]
        if labels:
            labelled_connections.append(Labelled(recorded, name, connection, labels))
    return labelled_connections


def _opinions(
    with_labels: Labelled, judge: WindowJudge, name: str, params: Params
) -> Iterator[tuple[InputOpinion, bool]]:
    """Yield a detector's opinions on labelled pairs, each with its label; windows without a clear label are left out.

    Where there is no place for a window, a pair has a label if all of its labels are the same.
    """
    of_windows = ModelJudge(judge, params.search.rule, params.extract.reading)
    for opinion in judging.opinions_on(
        str(with_labels.recorded.path), with_labels.connection_id, with_labels.connection, of_windows, name
    ):
        pair = (opinion.subflow_a, opinion.subflow_b)
        rows = [row for row in with_labels.truths if pair[1] is None or (row["subflow_a"], row["subflow_b"]) == pair]
        if opinion.window_start_s is None or opinion.window_s is None:
            labels = {row["shared"] for row in rows}
        else:
            start_ns = round(opinion.window_start_s * _NS_PER_S)
            label = label_at(
                [{**row, "valid": True} for row in rows], start_ns, start_ns + round(opinion.window_s * _NS_PER_S)
            )
            labels = set() if label is None else {label.shared}
        if len(labels) == 1:
            yield opinion, labels.pop()


def _row(opinion: InputOpinion, shared: bool) -> dict[str, Any]:
    window = dict.fromkeys(WINDOW_KEY, 0) | {"window_start_ns": opinion.window_start_s}
    return {**window, "connection_id": opinion.connection_id, "shared_pred": opinion.shared, "shared": shared}


def score(
    connections: Sequence[Labelled], judge: WindowJudge, name: str, params: Params
) -> tuple[dict[str, Any], Counter[str]]:
    """Return the accuracy of a detector on labelled pairs, and how often each reason prevents a verdict.

    Parameters
    ----------
    connections : sequence of Labelled
    judge : WindowJudge
    name : str
        Its name.
    params : Params

    Returns
    -------
    dict
        Fields of the accuracy on windows, by name.
    Counter of str
        Opinions without a verdict, by reason.

    Raises
    ------
    NoLabelledWindowError
        If no window has a label.
    """
    opinions = [opinion for connection in connections for opinion in _opinions(connection, judge, name, params)]
    if not opinions:
        raise NoLabelledWindowError("no window has a label: nothing can be scored")
    rows = pd.DataFrame([_row(opinion, shared) for opinion, shared in opinions])
    judged = rows["shared_pred"].notna()
    options = params.evaluate
    accuracy = accuracy_of_windows(rows[judged], resamples=options.resamples, seed=options.seed, none=rows[~judged])
    return asdict(accuracy), Counter(opinion.reason for opinion, _ in opinions if opinion.reason is not None)


def _recorded(models: Path, *, by_no_run: bool) -> list[tuple[str, StoredModel, str | None]]:
    """Return what each stored model of a folder is called, the model, and the digest that the run recorded."""
    digest_of = recorded_model.recorded_digest if by_no_run else recorded_model.digest_of_run
    stored = [(model, digest_of(model, models)) for model in on_disk(models)]
    return [
        (str(model) if digest is not None else f"{model} ({recorded_model.BY_NO_RUN})", model, digest)
        for model, digest in stored
    ]


def scored(
    connections: Sequence[Labelled], models: Path, params: Params, *, by_no_run: bool = False
) -> tuple[pd.DataFrame, Counter[str]]:
    """Return the accuracy of every stored model, one row for each, and why windows have no verdict: the same for all.

    Parameters
    ----------
    connections : sequence of Labelled
    models : Path
        Their folder.
    params : Params
    by_no_run : bool
        Whether models are scored that no run recorded.

    Returns
    -------
    DataFrame
        One row for each model.
    Counter of str
        Opinions without a verdict, by reason.

    Raises
    ------
    NoModelsError
        If there is none.
    ModelError
        If one cannot be used, or is not the one that the run recorded.
    UnrecordedModelError
        If no run recorded one.
    """
    every = _recorded(models, by_no_run=by_no_run)
    if not every:
        raise NoModelsError(f"there is no model in {models}: `dvc repro` makes them")
    rows = []
    reasons: Counter[str] = Counter()
    for name, model, digest in every:
        accuracy, reasons = score(connections, load(model, models, digest), name, params)
        rows.append({"model": name, "digest": digest or store.digest(model.path(models)), **accuracy})
        log.info("%s: balanced %.3f", name, accuracy["balanced"])
    return pd.DataFrame(rows), reasons


def _labels(arguments: argparse.Namespace, params: Params) -> list[Labelled]:
    labels = read_labels(arguments.labels)
    paths = labelled_inputs.inputs(arguments.folder, arguments.labels)
    with tempfile.TemporaryDirectory(prefix="sbd-") as staged:
        checked = labelled_inputs.check(arguments.folder, paths, labels, Path(staged) / "truth.csv", params)
    for remark in checked.remarks:
        log.warning("%s", remark)
    labelled_inputs.refuse(arguments.folder, checked)
    rows = {name: [row for row in checked.rows if row["input"] == name] for name in checked.recorded}
    return [connection for name, recorded in checked.recorded.items() for connection in labelled(recorded, rows[name])]


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Score the stored models on a folder of labelled inputs."""
    models = MODELS if arguments.models is None else arguments.models
    table, reasons = scored(_labels(arguments, params), models, params, by_no_run=arguments.models is not None)
    columns = ["model", "connections", "windows", "none", "coverage", "recall_shared", "recall_not_shared", "balanced"]
    rows = [{name: row[name] for name in columns} for _, row in table.round(3).iterrows()]
    stage.say(*aligned(rows))
    for reason, count in sorted(reasons.items()):
        stage.say(f"no verdict {count}: {reason}")
    if arguments.report is not None:
        write_csv(table, arguments.report)
    return stage.EXIT_OK
