"""Measure what each reading of an ambiguous sentence does to the relevance of the paper's features.

One choice at a time differs from the default (docs/ambiguities.md). Agreement with the paper's Table 3 is
reported, but no reading is chosen by it, because our labels are simulated.
"""

from __future__ import annotations

import argparse
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from smartsbd.contracts import tables
from smartsbd.contracts.contract import read_table
from smartsbd.features.catalog import FEATURES, PAIR_WINDOW, feature_names
from smartsbd.features.reading import DEFAULT, QUESTIONS, Reading, alternatives
from smartsbd.models.labelled.extraction import labelled_rows, read_truths
from smartsbd.models.labelled.windows import LearnError, labelled_windows
from smartsbd.models.search.relevance import mutual_information_nats, rank_agreement, ranking
from smartsbd.pipelines.params import Params, read_block
from smartsbd.pipelines.params.block import Block
from smartsbd.pipelines.reporting.published import TABLE3_NATS
from smartsbd.pipelines.reporting.report_files import write_csv, write_parquet
from smartsbd.pipelines.running import parallel, stage

log = logging.getLogger(__name__)

_CONNECTIONS_PER_TASK = 8
_TOP = 8
_NAMES = feature_names("table3")
_PAPER_NAMES = {feature.name: feature.paper_name for feature in FEATURES}
#: Windows the paper trains on, and those its kernel decides on: question 16.
_RUNTIME_QUESTION = 16
#: The default once more, with other noise on equal values: a difference no larger than this is no effect.
_OTHER_NOISE = "default, other noise"


class TriedReadings(Block):
    """Readings to compare with the default."""

    rate_weights: list[float]
    rate_taus_s: list[float]


PARAMS = TriedReadings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the program's arguments."""
    parser.add_argument("--settings", type=Path, required=True, help="the study's params.yaml")
    parser.add_argument("--dataset", required=True, help="name of the dataset")
    parser.add_argument("--tables", type=Path, required=True, help="folder with the dataset's tables")
    parser.add_argument("--truth", type=Path, required=True, help="the dataset's truth table")
    parser.add_argument("--effects", type=Path, required=True, help="parquet file: information of every feature")
    parser.add_argument("--table", type=Path, required=True, help="CSV file: effect of each reading")


@dataclass(frozen=True)
class _Estimator:
    """What an estimate of mutual information is made with."""

    neighbors: int
    repeats: int
    seed: int


def _information_nats(
    frame: pd.DataFrame, rule: str, estimator: _Estimator, *, other_noise: bool = False
) -> npt.NDArray[np.float64] | None:
    """Return the features' information, None where a reading leaves windows of one label at most."""
    try:
        windows = labelled_windows(frame, rule, _NAMES)
    except LearnError:
        return None
    seed = estimator.seed + (estimator.repeats if other_noise else 0)
    return mutual_information_nats(
        windows.x, windows.shared, neighbors=estimator.neighbors, seed=seed, repeats=estimator.repeats
    )


def _effect(information: npt.NDArray[np.float64], default: npt.NDArray[np.float64]) -> dict[str, Any]:
    top, default_top = (set(ranking(own)[:_TOP].tolist()) for own in (information, default))
    moved = int(np.argmax(np.abs(information - default)))
    return {
        "kendall_tau_with_default": rank_agreement(information, default.tolist()),
        "top8_kept": len(top & default_top),
        "most_relevant": _PAPER_NAMES[_NAMES[int(ranking(information)[0])]],
        "most_changed": _PAPER_NAMES[_NAMES[moved]],
        "changed_by_nats": information[moved] - default[moved],
        "kendall_tau_with_table3": rank_agreement(information, [TABLE3_NATS[_PAPER_NAMES[name]] for name in _NAMES]),
    }


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Measure the readings.

    Raises
    ------
    LearnError
        If the reading that is taken leaves windows of one label alone.
    """
    params.check_learnable(arguments.dataset)
    folder: Path = arguments.tables.absolute()  # a worker may have been started in another folder
    connections = read_table(tables.CONNECTION, folder / "connection.parquet").to_pylist()
    truths = read_truths(arguments.truth)
    tried = read_block(arguments.settings, TriedReadings)
    estimator = _Estimator(params.rank.neighbors, params.rank.repeats, params.rank.seed)
    changed = alternatives(rate_weights=tried.rate_weights, rate_taus_s=tried.rate_taus_s)
    readings = [DEFAULT, *changed.values()]

    def frames(rule: str, readings: Sequence[Reading]) -> list[pd.DataFrame]:
        """Return the labelled windows of a rule under each reading."""
        batches = [
            connections[at : at + _CONNECTIONS_PER_TASK] for at in range(0, len(connections), _CONNECTIONS_PER_TASK)
        ]

        def rows_of(batch: Sequence[Mapping[str, Any]]) -> list[list[dict[str, Any]]]:
            return labelled_rows(batch, folder, truths, arguments.dataset, [rule], readings, "table3")

        parts = list(parallel.mapped(rows_of, batches, params, what="ambiguities"))
        names = [column.name for column in PAIR_WINDOW.columns]
        rows = [[row for part in parts for row in part[place]] for place in range(len(readings))]
        return [pd.DataFrame(own, columns=names) for own in rows]

    first, *others = frames("triggered", readings)
    (tiled,) = frames("tiled", [DEFAULT])
    default = _information_nats(first, "triggered", estimator)
    if default is None:
        raise LearnError(f"{arguments.dataset}: triggered windows of one label at most: there are no ranks to compare")
    labels = [(0, "default", "triggered", first), (0, _OTHER_NOISE, "triggered", first)]
    labels += [
        (QUESTIONS[field], f"{field}: {value}", "triggered", frame)
        for (field, value), frame in zip(changed, others, strict=True)
    ]
    labels.append((_RUNTIME_QUESTION, "rule: tiled", "tiled", tiled))
    effects, details = [], []
    for question, option, rule, frame in sorted(labels, key=lambda label: label[0]):
        information = _information_nats(frame, rule, estimator, other_noise=option == _OTHER_NOISE)
        shared = frame["shared"].to_numpy(dtype=bool)
        known = {"question": question, "reading": option}
        counted = known | {"shared": int(shared.sum()), "non_shared": int((~shared).sum())}
        effects.append(counted if information is None else counted | _effect(information, default))
        if information is not None:
            details.append(known | dict(zip(_NAMES, information, strict=True)))
    write_parquet(pd.DataFrame(details), arguments.effects)
    write_csv(pd.DataFrame(effects), arguments.table)
    log.info("%d readings beside the default", len(effects) - 2)
    return stage.EXIT_OK
