"""Runs of the models that searches stored, for each dataset, family and set of features; its grid's settings below."""

from __future__ import annotations

import argparse
import logging
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from smartsbd.contracts.contract import read_table
from smartsbd.features.catalog import PAIR_WINDOW
from smartsbd.models.assessment.accuracy import ALL_SITES
from smartsbd.models.labelled.window_set import WindowSet
from smartsbd.models.stored import store
from smartsbd.models.stored.stored_model import StoredModel
from smartsbd.pipelines.params import Params
from smartsbd.pipelines.reporting.report_files import read_json
from smartsbd.pipelines.tracking.run_text import ACCURACIES, NO_NAME, in_order, percent_of, setting_of, text_of
from smartsbd.pipelines.tracking.runs import Child, InputTable, Parent, TrackingError, sha256

log = logging.getLogger(__name__)

_NO_HYPERPARAMETERS = ("dataset", "family", "feature_set", "mean_accuracy", "sd_accuracy")


_EXAMPLE_ROWS = 5


def _model_description(
    summary: Mapping[str, Any], params: Mapping[str, str], metrics: Mapping[str, float], digest: str, header: str | None
) -> str:
    setting = ", ".join(f"{name} {value}" for name, value in setting_of(summary["setting"]).items()) or "none"
    exported = f"exported as `{header}` (export/generated/{header}.h)" if header else "not exported"
    return "\n".join(
        [
            f"**{params['family']}** over the features **{params['feature_set']}**, trained on "
            f"**{params['dataset']}**: {params['windows']} windows of {params['connections']} connections.",
            "",
            f"- accuracy, nested estimate: {percent_of(metrics, 'nested/overall')}",
            f"- setting chosen: {setting}",
            f"- model {digest}, {exported}",
            f"- features: {params['features']}",
        ]
    )


def _children(grid: pd.DataFrame, summary: Mapping[str, Any]) -> Iterator[Child]:
    chosen = {
        tag: setting_of(summary[name])
        for tag, name in (("chosen", "setting"), ("paper_choice", "paper_setting"))
        if name in summary
    }
    for row in grid.to_dict("records"):
        setting = setting_of({str(name): row[name] for name in row if name not in _NO_HYPERPARAMETERS})
        labels = {name: str(row[name]) for name in ("dataset", "family", "feature_set")}
        yield Child(
            name=", ".join(f"{name} {value}" for name, value in setting.items()),
            params=labels | setting,
            metrics={name: float(row[name]) for name in ("mean_accuracy", "sd_accuracy")},
            tags={name: "true" for name, its in chosen.items() if its == setting},
        )


def _metrics(accuracy: pd.DataFrame, train_set: str, summary: Mapping[str, Any]) -> dict[str, float]:
    """Return the model's accuracies with their intervals; none where there were no rows to judge."""
    metrics = {name: float(summary[name]) for name in ("paper_accuracy", "nested_accuracy") if name in summary}
    for row in accuracy.to_dict("records"):
        place = "nested" if row["test_set"] == train_set else f"on_{row['test_set']}"
        if row["site"] != ALL_SITES:
            if row["test_set"] != train_set:
                continue
            place += f"/site_{NO_NAME.sub('_', row['site'])}"
        metrics |= {f"{place}/{name}": float(row[name]) for name in ACCURACIES if pd.notna(row[name])}
    return in_order(metrics)


def _grid(grid: pd.DataFrame) -> dict[str, str]:
    """Return the values tried of each hyperparameter, so that two runs compared show where their grids differ."""
    tried = grid.drop(columns=list(_NO_HYPERPARAMETERS)).dropna(axis="columns", how="all")
    return {f"grid_{name}": ", ".join(map(text_of, tried[name].dropna().unique())) for name in tried}


def _params(
    labels: Mapping[str, str], summary: Mapping[str, Any], grid: pd.DataFrame, params: Params
) -> dict[str, str]:
    options = params.search
    names = ("splits", "test_share", "inner_folds", "block", "learn_partners", "scaling", "seed")
    how = {name: getattr(options, name) for name in names}
    return {
        **labels,
        "profile": params.profile,
        "rule": options.rule,
        **{name: text_of(value) for name, value in how.items()},
        "windows": text_of(summary["windows"]),
        "connections": text_of(summary["connections"]),
        "features": ", ".join(summary["features"]),
        **_grid(grid),
        **{f"chosen_{name}": value for name, value in setting_of(summary["setting"]).items()},
    }


def model_runs(dataset: str, headers: Mapping[str, str], where: argparse.Namespace, params: Params) -> Iterator[Parent]:
    """Gather the runs of one dataset.

    Parameters
    ----------
    dataset : str
    headers : mapping of str to str
        Name of the exported header, by the digest of its model.
    where : argparse.Namespace
        The folders ``features``, ``models`` and ``reports``.
    params : Params
        Have the profile, and how models were searched for.

    Yields
    ------
    Parent
        One for each family and set of features.

    Raises
    ------
    TrackingError
        If a model on disk is not the one the reports speak of.
    """
    pair_window_path = where.features / dataset / "pair_window.parquet"
    pair_window = read_table(PAIR_WINDOW, pair_window_path).to_pandas()
    input_table = InputTable(f"{dataset} pair_window", pair_window_path, sha256(pair_window_path), len(pair_window))
    of_rule = pair_window[pair_window["rule"] == params.search.rule]
    names = (f"grid_{dataset}", f"swapped/{dataset}", "accuracy")
    figures = tuple(where.reports / "figures" / f"{name}.png" for name in names)
    grid = pd.read_csv(where.reports / "grid" / f"{dataset}.csv")
    accuracy = pd.read_csv(where.reports / "accuracy.csv")
    train_set = str(WindowSet.of(dataset, params.search.rule))
    chosen_path = where.reports / "chosen" / f"{dataset}.json"
    for summary in read_json(chosen_path).values():
        family, feature_set = summary["family"], summary["feature_set"]
        labels = {"dataset": dataset, "family": family, "feature_set": feature_set}
        model_path = StoredModel(dataset, family, feature_set).path(where.models)
        digest = store.digest(model_path)
        if digest != summary["model"]:
            raise TrackingError(f"{model_path}: is model {digest}, {chosen_path} has {summary['model']}: search again")
        own_grid = grid[(grid["family"] == family) & (grid["feature_set"] == feature_set)]
        judged = accuracy[
            (accuracy["train_set"] == train_set)
            & (accuracy["model"] == family)
            & (accuracy["feature_set"] == feature_set)
        ]
        name = " ".join(labels.values())
        if judged.empty:
            log.warning("%s: not in %s", name, where.reports / "accuracy.csv")
        features = summary["features"]
        no_columns = [feature for feature in features if feature not in pair_window]
        tabular = bool(features) and not no_columns
        signature = (
            "from the columns" if tabular else f"none: the input ({', '.join(no_columns)}) is no table's columns"
        )
        tags = {"input_sha256": input_table.sha256, "signature": signature}
        run_params = _params(labels, summary, own_grid, params)
        metrics = _metrics(judged, train_set, summary)
        yield Parent(
            name=name,
            params=run_params,
            metrics=metrics,
            tags=tags | ({"header": headers[digest]} if digest in headers else {}),
            model_path=model_path,
            model_digest=digest,
            example=of_rule[features].head(_EXAMPLE_ROWS).reset_index(drop=True) if tabular else None,
            chosen=summary,
            input_table=input_table,
            figures=figures,
            children=tuple(_children(own_grid, summary)),
            description=_model_description(summary, run_params, metrics, digest, headers.get(digest)),
        )


def best_exported(parents: Sequence[Parent], headers: Mapping[str, str], report: Path) -> Parent:
    """Return the exported model of the best nested accuracy, the first one of equals.

    Parameters
    ----------
    parents : sequence of Parent
        What :func:`model_runs` yields.
    headers : mapping of str to str
        As :func:`model_runs` takes it.
    report : Path
        The report that lists the headers; named if it has none of these models.

    Returns
    -------
    Parent

    Raises
    ------
    TrackingError
        If none of the models is exported.
    """
    exported = [parent for parent in parents if parent.model_digest in headers]
    if not exported:
        raise TrackingError(f"{report}: none of its models is in the chosen ones: run `sbd stage export`")
    return max(exported, key=lambda parent: parent.metrics["nested_accuracy"])
