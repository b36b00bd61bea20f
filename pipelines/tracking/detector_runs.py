"""Runs of replayed detectors, and of families learnt on one dataset: their last verdicts on each dataset."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pandas as pd

from smartsbd.pipelines.params import Params
from smartsbd.pipelines.tracking.run_text import in_order
from smartsbd.pipelines.tracking.runs import CandidateRun

_LAST_VERDICTS = (
    *("right", "right_low", "right_high", "decided", "decided_low", "decided_high"),
    *("coverage_shared", "coverage_not_shared", "wrong", "none", "first_s"),
)


def last_verdicts_replayed(folder: Path, params: Params) -> dict[str, pd.DataFrame]:
    """Return the tables of last verdicts by dataset; none where no detector was replayed."""
    paths = {dataset: folder / f"{dataset}.csv" for dataset in params.datasets}
    return {dataset: pd.read_csv(path) for dataset, path in paths.items() if path.exists()}


def last_verdicts_learnt(path: Path) -> dict[str, pd.DataFrame]:
    """Return the tables of families' last verdicts by dataset, named as for detectors; empty if none was learnt."""
    if not path.exists():
        return {}
    table = pd.read_csv(path)
    table["detector"] = table["model"] + " of " + table["features"]
    table["parameters"] = table["of"] + ", " + table["verdict"]
    return {str(dataset): of_dataset for dataset, of_dataset in table.groupby("dataset", sort=False)}


def detector_runs(tables: Mapping[str, pd.DataFrame], params: Params) -> Iterator[CandidateRun]:
    """Gather the last verdicts of each detector and parameter set.

    Parameters
    ----------
    tables : mapping of str to DataFrame
        By dataset.
    params : Params

    Yields
    ------
    CandidateRun
        One for each detector and parameter set.
    """
    metrics: dict[tuple[str, str], dict[str, float]] = {}
    for dataset, table in tables.items():
        for row in table.to_dict("records"):
            of_detector = metrics.setdefault((row["detector"], row["parameters"]), {})
            of_detector |= {f"on_{dataset}/{name}": float(row[name]) for name in _LAST_VERDICTS if pd.notna(row[name])}
    for (detector, parameters), of_detector in metrics.items():
        yield CandidateRun(
            name=f"{detector} {parameters}",
            params={"detector": detector, "parameters": parameters, "profile": params.profile},
            metrics=in_order(of_detector),
            files=(),
            description=f"**{detector}**, parameters {parameters}: its last verdict on each pair of each dataset."
            " `right` counts a pair without a verdict as wrong; `decided` is of those that are decided, the mean over"
            " labels; `coverage` is how many are.",
            kind="detector",
        )
