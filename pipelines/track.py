"""Mirror in MLflow what the search, the evaluation and the export left on disk.

An experiment a profile; a run a dataset, family and set of features, with the settings of its grid as children. A
run whose content stands there already (parameters, metrics with intervals, grid, figures, input and model; not the
commit) is not logged again. The most accurate exported model, by the nested estimate, is registered under the
alias ``exportable``. What AutoML found is a run a dataset, engine or student, and set of features; it holds times, so
that a search done again is a run of its own. A replayed detector is a run, with its last verdicts on each dataset.
Nothing reads MLflow back; with ``tracking.enabled: false`` nothing is
written.
"""

from __future__ import annotations

import argparse
import logging
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from features.catalog import PAIR_WINDOW
from models import store
from models.distillation import TRUTH
from pipelines import stage
from pipelines.evaluate import ALL_SITES
from pipelines.params import Params
from pipelines.reports import read_json, write_json
from pipelines.runs import Candidate, Child, InputTable, Parent, TrackingError, View, sha256
from traces.contract import read_table

log = logging.getLogger(__name__)

ALIAS = "exportable"
_ACCURACIES = ("overall", "overall_low", "overall_high", "balanced", "sb", "nsb")
_LAST_VERDICTS = (
    *("right", "right_low", "right_high", "decided", "decided_low", "decided_high"),
    *("coverage_sb", "coverage_nsb", "wrong", "none", "first_s"),
)
_COSTS = ("cpu_s", "model_bytes", "evaluations")
_JUDGED = (*_ACCURACIES, "less_tree", "less_tree_low", "less_tree_high")
_NO_HYPERPARAMETERS = ("dataset", "family", "feature_set", "mean_accuracy", "sd_accuracy")
_NO_NAME = re.compile(r"[^\w.\- :]")  # what MLflow refuses in the name of a metric, and a slash, which groups
_EXAMPLE_ROWS = 5

_NOTE = """A run is a dataset, a family of models and a set of features: `sites tree paper` is the tree over the paper's
features, trained on `sites`. **Views**, above the list: *Models* has the models, *AutoML* what AutoML found and the
students of it, *Settings* the points of the grids, *Detectors* what was replayed. "Default view" has the settings under
the run of their grid.

`nested/overall` is the accuracy of the nested estimate on the dataset trained on, `_low` and `_high` its 95 % interval;
`balanced` weighs both verdicts alike; `sb` and `nsb` are the accuracies of either; `on_X/...` is the same model on the
dataset and windows X. A run with the tag `header` is exported as C. A run's figures are among its artifacts.

`sbd run HEADER` goes from a header to its run. Nothing reads this store back: `sbd track` makes it of what is on disk.
"""
_REGISTERED = (
    "The most accurate exported model of the profile `{profile}`, by the nested estimate, has the alias `{alias}`."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument("--models", type=Path, required=True, help="folder with a folder of models a dataset")
    parser.add_argument("--features", type=Path, required=True, help="folder with a folder of windows a dataset")
    parser.add_argument("--reports", type=Path, required=True, help="folder with the other stages' reports")
    parser.add_argument("--automl", type=Path, required=True, help="folder with what AutoML found, a folder a dataset")
    parser.add_argument("--database", type=Path, required=True, help="MLflow's sqlite file; artifacts go beside it")
    parser.add_argument("--tracked", type=Path, required=True, help="JSON file: the runs that MLflow has")


def experiment_name(params: Params) -> str:
    """Return the name of the profile's experiment, which is that of its registered model too."""
    return f"smartsbd-{params.profile}"


def _text(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _setting(values: Mapping[str, Any]) -> dict[str, str]:
    """Return hyperparameters as text, ``top`` first, without those that are not the family's."""
    own = {name: _text(value) for name, value in values.items() if pd.notna(value)}
    return {name: own[name] for name in sorted(own, key=lambda name: (name != "top", name))}


def views(params: Params, replayed: Sequence[str] = ()) -> tuple[View, ...]:
    """Return the views of the run list: the models first, since theirs is the address that ``sbd ui`` prints.

    Parameters
    ----------
    params : Params
    replayed : sequence of str
        Datasets that detectors were replayed on.
    """
    rights = [f"metrics.on_{dataset}/right" for dataset in replayed]
    detectors = [View("detectors", "Detectors", "tags.kind = 'detector'", rights[0], tuple(rights))] if rights else []
    tiled = [f"metrics.on_{dataset}/{params.search.rule}/overall" for dataset in params.search.datasets]
    nested = [f"metrics.nested/{name}" for name in ("overall", "overall_low", "overall_high")]
    labels = ["params.dataset", "params.feature_set"]
    return (
        View("models", "Models", "tags.kind = 'model'", nested[0], (*nested, "tags.header", *tiled)),
        View(
            "automl",
            "AutoML",
            "tags.kind = 'automl'",
            tiled[0],
            (*tiled, *(f"metrics.{name}" for name in _COSTS), "params.kinds"),
        ),
        View(
            "settings",
            "Settings",
            "tags.`mlflow.parentRunId` != ''",
            "metrics.mean_accuracy",
            (*labels, "params.family", "metrics.mean_accuracy", "metrics.sd_accuracy", "tags.chosen"),
        ),
        *detectors,
    )


def _percent(metrics: Mapping[str, float], name: str) -> str:
    """Return an accuracy with its interval, where there is one."""
    if name not in metrics:
        return "not judged"
    low, high = (metrics.get(f"{name}_{end}") for end in ("low", "high"))
    between = "" if low is None or high is None else f" ({100 * low:.1f} to {100 * high:.1f})"
    return f"{100 * metrics[name]:.1f} %{between}"


def _model_description(
    summary: Mapping[str, Any], params: Mapping[str, str], metrics: Mapping[str, float], digest: str, header: str | None
) -> str:
    setting = ", ".join(f"{name} {value}" for name, value in _setting(summary["setting"]).items()) or "none"
    exported = f"exported as `{header}` (export/generated/{header}.h)" if header else "not exported"
    return "\n".join(
        [
            f"**{params['family']}** over the features **{params['feature_set']}**, trained on "
            f"**{params['dataset']}**: {params['windows']} windows of {params['connections']} connections.",
            "",
            f"- accuracy, nested estimate: {_percent(metrics, 'nested/overall')}",
            f"- setting chosen: {setting}",
            f"- model {digest}, {exported}",
            f"- features: {params['features']}",
        ]
    )


def _candidate_description(params: Mapping[str, str], metrics: Mapping[str, float]) -> str:
    judged = [name for name in metrics if name.endswith("/overall") and "/site_" not in name]
    return "\n".join(
        [
            f"**{params['model']}** over the features **{params['feature_set']}**, found on **{params['dataset']}**, "
            f"learnt from {params['learnt_from']}. No model is kept.",
            "",
            *(
                f"- accuracy on {name.removeprefix('on_').removesuffix('/overall')}: {_percent(metrics, name)}"
                for name in judged
            ),
            f"- made of: {params['kinds']}",
        ]
    )


def _children(grid: pd.DataFrame, summary: Mapping[str, Any]) -> Iterator[Child]:
    chosen = {
        tag: _setting(summary[name])
        for tag, name in (("chosen", "setting"), ("paper_choice", "paper_setting"))
        if name in summary
    }
    for row in grid.to_dict("records"):
        setting = _setting({str(name): row[name] for name in row if name not in _NO_HYPERPARAMETERS})
        labels = {name: str(row[name]) for name in ("dataset", "family", "feature_set")}
        yield Child(
            name=", ".join(f"{name} {value}" for name, value in setting.items()),
            params=labels | setting,
            metrics={name: float(row[name]) for name in ("mean_accuracy", "sd_accuracy")},
            tags={name: "true" for name, its in chosen.items() if its == setting},
        )


def _ordered(metrics: Mapping[str, float]) -> dict[str, float]:
    """Return metrics in the order in which a run's page has them: whole datasets before sites, the nested one first."""
    names = sorted(metrics, key=lambda name: ("/site_" in name, not name.startswith("nested/"), "/" not in name))
    return {name: metrics[name] for name in names}


def _metrics(accuracy: pd.DataFrame, train_set: str, summary: Mapping[str, Any]) -> dict[str, float]:
    """Return the model's accuracies with their intervals; where there was nothing to judge, none."""
    metrics = {name: float(summary[name]) for name in ("paper_accuracy", "nested_accuracy") if name in summary}
    for row in accuracy.to_dict("records"):
        place = "nested" if row["test_set"] == train_set else f"on_{row['test_set']}"
        if row["site"] != ALL_SITES:
            if row["test_set"] != train_set:
                continue
            place += f"/site_{_NO_NAME.sub('_', row['site'])}"
        metrics |= {f"{place}/{name}": float(row[name]) for name in _ACCURACIES if pd.notna(row[name])}
    return _ordered(metrics)


def _grid(grid: pd.DataFrame) -> dict[str, str]:
    """Return what was tried of each hyperparameter, so that two runs compared show where their grids differ."""
    tried = grid.drop(columns=list(_NO_HYPERPARAMETERS)).dropna(axis="columns", how="all")
    return {f"grid_{name}": ", ".join(map(_text, tried[name].dropna().unique())) for name in tried}


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
        **{name: _text(value) for name, value in how.items()},
        "windows": _text(summary["windows"]),
        "connections": _text(summary["connections"]),
        "features": ", ".join(summary["features"]),
        **_grid(grid),
        **{f"chosen_{name}": value for name, value in _setting(summary["setting"]).items()},
    }


def _parents(dataset: str, headers: Mapping[str, str], where: argparse.Namespace, params: Params) -> Iterator[Parent]:
    """Gather the runs of one dataset.

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
    train_set = f"{dataset}/{params.search.rule}"
    chosen_path = where.reports / "chosen" / f"{dataset}.json"
    for model_name, summary in read_json(chosen_path).items():
        family, feature_set = summary["family"], summary["feature_set"]
        labels = {"dataset": dataset, "family": family, "feature_set": feature_set}
        model_path = where.models / dataset / f"{model_name}.skops"
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


def _candidates(folder: Path, dataset: str, params: Params) -> Iterator[Candidate]:
    """Gather what AutoML found on one dataset; what was not run is left out, and so are families of the search."""
    table = pd.read_csv(folder / "accuracy.csv", keep_default_na=False, na_values=[""])
    labels = ["model", "learnt_from", "feature_set"]
    files = tuple(folder / name for name in ("history.csv", "leaderboard.csv", "members.csv"))
    asked = params.automl.model_dump(exclude={"feature_sets", "evaluations"})
    for key, rows in table[table["test_set"].notna()].groupby(labels, sort=False):
        model, learnt_from, feature_set = map(str, key)
        own = dict(zip(labels, (model, learnt_from, feature_set), strict=True))
        if learnt_from == TRUTH and model not in params.automl.evaluations:
            continue
        first = rows.iloc[0]
        metrics = {name: float(first[name]) for name in _COSTS if pd.notna(first[name])}
        for row in rows.to_dict("records"):
            place = f"on_{row['test_set']}"
            if row["site"] != ALL_SITES:
                place += f"/site_{_NO_NAME.sub('_', str(row['site']))}"
            metrics |= {f"{place}/{name}": float(row[name]) for name in _JUDGED if pd.notna(row[name])}
        run_params = {
            "dataset": dataset,
            "profile": params.profile,
            **own,
            "kinds": str(first["kinds"]),
            "for_a_kernel": str(first["kernel"]),
            "note": "" if pd.isna(first["note"]) else str(first["note"]),
            **{f"asked_{name}": _text(value) for name, value in asked.items()},
            "asked_evaluations": _text(params.automl.evaluations.get(model)),
        }
        yield Candidate(
            name=" ".join([dataset, model if learnt_from == TRUTH else f"{model} of {learnt_from}", feature_set]),
            params=run_params,
            metrics=_ordered(metrics),
            files=files,
            description=_candidate_description(run_params, metrics),
        )


def _replayed(folder: Path, params: Params) -> dict[str, pd.DataFrame]:
    """Return the tables of last verdicts by dataset; none where no detector was replayed."""
    paths = {dataset: folder / f"{dataset}.csv" for dataset in params.datasets}
    return {dataset: pd.read_csv(path) for dataset, path in paths.items() if path.exists()}


def _learnt(path: Path) -> dict[str, pd.DataFrame]:
    """Return the table of families' last verdicts by dataset, named as detectors are; none where none was learnt."""
    if not path.exists():
        return {}
    table = pd.read_csv(path)
    table["detector"] = table["model"] + " of " + table["features"]
    table["parameters"] = table["of"] + ", " + table["verdict"]
    return {str(dataset): own for dataset, own in table.groupby("dataset", sort=False)}


def _detectors(tables: Mapping[str, pd.DataFrame], params: Params) -> Iterator[Candidate]:
    """Gather the last verdicts of each detector and parameter set."""
    metrics: dict[tuple[str, str], dict[str, float]] = {}
    for dataset, table in tables.items():
        for row in table.to_dict("records"):
            own = metrics.setdefault((row["detector"], row["parameters"]), {})
            own |= {f"on_{dataset}/{name}": float(row[name]) for name in _LAST_VERDICTS if pd.notna(row[name])}
    for (detector, parameters), own in metrics.items():
        yield Candidate(
            name=f"{detector} {parameters}",
            params={"detector": detector, "parameters": parameters, "profile": params.profile},
            metrics=_ordered(own),
            files=(),
            description=f"**{detector}**, parameters {parameters}: its last verdict on each pair of each dataset."
            " `right` counts a pair without a verdict as wrong; `decided` is of those that are decided, the mean over"
            " labels; `coverage` is how many are.",
            kind="detector",
        )


def _best_exported(parents: Sequence[Parent], headers: Mapping[str, str], report: Path) -> Parent:
    """Return the exported model of the best nested accuracy; of equals the one that stands first."""
    exported = [parent for parent in parents if parent.model_digest in headers]
    if not exported:
        raise TrackingError(f"{report}: none of its models is in the chosen ones: run `sbd export`")
    return max(exported, key=lambda parent: parent.metrics["nested_accuracy"])


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the stage."""
    if not params.tracking.enabled:
        write_json({"enabled": False}, arguments.tracked)
        log.info("tracking.enabled is false: nothing mirrored")
        return stage.EXIT_OK
    report = arguments.reports / "export.json"
    headers = {entry["model"]: header for header, entry in read_json(report).items()}
    parents = [parent for dataset in params.search.datasets for parent in _parents(dataset, headers, arguments, params)]
    best = _best_exported(parents, headers, report)

    from pipelines import tracking

    name = experiment_name(params)
    mirror = tracking.Mirror(arguments.database, name)
    replayed = _replayed(arguments.reports / "verdicts", params)
    learnt = _learnt(arguments.reports / "learnt_verdicts" / "accuracy.csv")
    mirror.describe(_NOTE, views(params, list(replayed)))
    forgotten = mirror.forget_unfinished()
    if forgotten:
        log.info("%d unfinished runs of an earlier stage deleted", forgotten)
    logged = [mirror.log(parent) for parent in stage.progress(parents, what="track", total=len(parents))]
    candidates = [
        one for dataset in params.search.datasets for one in _candidates(arguments.automl / dataset, dataset, params)
    ]
    logged += [
        mirror.log_candidate(one) for one in (*candidates, *_detectors(replayed, params), *_detectors(learnt, params))
    ]
    mirror.register(best, name, ALIAS, _REGISTERED.format(profile=params.profile, alias=ALIAS))
    log.info("%d runs, %d of them logged now; %s is %s@%s", len(logged), sum(logged), best.name, name, ALIAS)
    write_json(
        {
            "enabled": True,
            "experiment": name,
            ALIAS: best.name,
            "runs": {
                parent.name: {"model": parent.model_digest, "settings": len(parent.children)} for parent in parents
            },
        },
        arguments.tracked,
    )
    return stage.EXIT_OK


if __name__ == "__main__":
    sys.exit(stage.main("track", __doc__ or "", add_arguments, run))
