"""The main results of a run in a few sentences, all of them computed from its reports."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from smartsbd.models.assessment.accuracy import ALL_SITES
from smartsbd.models.families import FAMILIES
from smartsbd.models.labelled.window_set import WindowSet
from smartsbd.models.stored.stored_model import PLAIN
from smartsbd.pipelines.reporting import published as paper
from smartsbd.pipelines.reporting.report_files import read_json
from smartsbd.pipelines.reporting.tables.cell import Results


def findings(results: Results) -> list[str]:
    """Return the main results, a sentence or two each; names of datasets and models are in backquotes."""
    table = pd.read_csv(results.reports / "accuracy.csv")
    table = table[table["site"] == ALL_SITES]
    rule = results.params.search.rule
    of_datasets = (_same_dataset(results, table, dataset, rule) for dataset in results.params.search.datasets)
    return [
        text for text in [*of_datasets, _elsewhere(results, table, rule), _unseen(results), _chosen(results)] if text
    ]


def _span(values: Iterable[float]) -> str:
    """Return the lowest and the highest of some values."""
    shown = sorted({f"{value:.2f}" for value in values})
    return " to ".join(dict.fromkeys((shown[0], shown[-1])))


def _balanced_accuracy(table: pd.DataFrame, features: str) -> pd.Series[float]:
    """Return the balanced accuracy of the paper's families on a set of features."""
    families = [name for name, family in FAMILIES.items() if not family.ours]
    return table.loc[table["model"].isin(families) & (table["feature_set"] == features), "balanced"].dropna()


def _by_features(table: pd.DataFrame) -> str:
    phrases = []
    for features, name in (("paper", "the paper's nine features"), ("invariant", "ours, free of base RTTs")):
        balanced = _balanced_accuracy(table, features)
        if len(balanced):
            phrases.append(f"{_span(balanced)} with {name}")
    plain = table.loc[table["feature_set"] == PLAIN, "balanced"].dropna()
    if len(plain):
        phrases.append(f"{_span(plain)} with one threshold on the correlation of the two RTT series")
    return ", ".join(phrases)


def _same_dataset(results: Results, table: pd.DataFrame, dataset: str, rule: str) -> str:
    name = str(WindowSet.of(dataset, rule))
    rows = table[(table["train_set"] == name) & (table["test_set"] == name)]
    measured = _by_features(rows)
    if not measured:
        return ""
    text = f"On connections of `{dataset}` that took no part in training, balanced accuracy is {measured}."
    path = results.reports / f"baselines/{dataset}/same.csv"
    if path.is_file():
        same = pd.read_csv(path)
        keys = [paper.SCHEMES[scheme] for scheme in paper.DETECTORS]
        wanted = [key in keys for key in zip(same["detector"], same["parameters"], strict=True)]
        balanced = same.loc[pd.Series(wanted, index=same.index) & (same["site"] == ALL_SITES), "balanced"].dropna()
        if len(balanced):
            text += f" The detectors the paper compares have {_span(balanced)} on the same windows."
    if dataset == paper.COUNTERPART:
        published = paper.TABLE5[ALL_SITES]
        models, detectors = (
            _span(row.both for scheme, row in published.items() if (scheme in paper.DETECTORS) is of_detectors)
            for of_detectors in (False, True)
        )
        text += f" The paper has {models} for its models and {detectors} for those detectors (Table 5)."
    return text


def _elsewhere(results: Results, table: pd.DataFrame, rule: str) -> str:
    dataset = results.params.transfer.development
    rows = table[table["test_set"] == str(WindowSet.of(dataset, rule))]
    measured = _by_features(rows)
    return f"On `{dataset}`, which nothing is trained on, the same models have {measured}." if measured else ""


def _unseen(results: Results) -> str:
    table = pd.read_csv(results.reports / "unseen.csv")
    means = table[table["case"] == "mean"].dropna(subset=["accuracy"])
    # A dataset without cases counts as one case.
    means = means[means["cases"] > 1]
    if means.empty:
        return ""
    best = means.sort_values("accuracy").iloc[-1]
    tested = results.params.unseen.tested
    beside = f"; the paper has {paper.UNSEEN_MEAN} under its own labels" if tested == "unseen" else ""
    return (
        f"On the {int(best['cases'])} cases of `{tested}`, whose settings no model has seen, the best mean is "
        f"{best['accuracy']:.2f} ({best['low']:.2f} to {best['high']:.2f}), of `{best['model']}` "
        f"with `{best['feature_set']}`{beside}."
    )


def _chosen(results: Results) -> str:
    chosen = read_json(results.reports / "detector.json")
    why = (
        f"it carries over best to `{chosen['chosen_on']}`"
        if chosen["chosen_on"]
        else "it is the best on what was tested on"
    )
    return f"Of the stored models the best is `{chosen['model']}`: {why}. `sbd detect` judges by `common-lag` instead."
