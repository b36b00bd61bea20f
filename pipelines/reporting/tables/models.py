"""Tables of the models on the datasets they are learnt from, and of controls."""

from __future__ import annotations

from typing import Any

import pandas as pd

from smartsbd.models.assessment.accuracy import ALL_SITES
from smartsbd.pipelines.reporting.report_files import read_json
from smartsbd.pipelines.reporting.tables.by_set import FEATURE_SETS, TrainedAndTested, by_feature_set, feature_set_of
from smartsbd.pipelines.reporting.tables.cell import Results, Rows, as_is, interval, model_name, recalls


def accuracy(results: Results) -> Rows:
    """Accuracy of every model on connections of its own dataset."""
    rule = results.params.search.rule

    def key(row: dict[str, Any]) -> dict[str, Any] | None:
        wanted = TrainedAndTested.of(row).own(rule) and row["site"] == ALL_SITES
        return {"dataset": TrainedAndTested.of(row).test.dataset, "model": model_name(row["model"])} if wanted else None

    return by_feature_set(results, interval, key)


def rules(results: Results) -> Rows:
    """Accuracy by the rule of the windows trained on and tested on."""
    rule = results.params.search.rule

    def key(row: dict[str, Any]) -> dict[str, Any] | None:
        judged = TrainedAndTested.of(row)
        trained, tested = judged.train, judged.test
        if trained.dataset != tested.dataset or row["site"] != ALL_SITES or (trained.kind == rule != tested.kind):
            return None
        how = f"{trained.kind}, {tested.kind}"
        return {"dataset": tested.dataset, "trained, tested on": how, "model": model_name(row["model"])}

    return by_feature_set(results, interval, key)


def sites(results: Results) -> Rows:
    """Accuracy of every model for each site: both labels, shared and not shared (Table 5)."""
    rule = results.params.search.rule

    def key(row: dict[str, Any]) -> dict[str, Any] | None:
        wanted = TrainedAndTested.of(row).own(rule) and row["site"] != ALL_SITES
        return {"site": row["site"], "model": model_name(row["model"])} if wanted else None

    return by_feature_set(results, lambda row: f"{interval(row)}; {recalls(row)}", key)


def selection(results: Results) -> Rows:
    """Nested estimate beside the paper's way."""
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for path in results.files("chosen", "{dataset}.json"):
        for chosen in read_json(path).values():
            if "paper_accuracy" in chosen:
                model = chosen["family"]
                row = rows.setdefault(
                    (path.stem, model),
                    {"dataset": path.stem, "model": model_name(model), **dict.fromkeys(FEATURE_SETS, "")},
                )
                row[chosen["feature_set"]] = f"{chosen['nested_accuracy']:.3f} / {chosen['paper_accuracy']:.3f}"
    return list(rows.values())


def swapped(results: Results) -> Rows:
    """How often swapped partners are called shared, and non-shared windows."""
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for path in results.files("controls", "{dataset}/swapped.csv"):
        for record in pd.read_csv(path).to_dict("records"):
            known = {str(name): value for name, value in record.items()}
            place = (path.parent.name, known["model"])
            row = rows.setdefault(
                place, {"dataset": place[0], "model": model_name(place[1]), **dict.fromkeys(FEATURE_SETS, "")}
            )
            row[feature_set_of(known)] = (
                f"{known['swapped']:.3f} / {known['non_shared']:.3f}; {interval(known, 'excess')}"
            )
    return list(rows.values())


def alone(results: Results) -> Rows:
    """Accuracy of a tree on each feature alone."""
    tables = {
        path.parent.name: pd.read_csv(path).set_index("feature")
        for path in results.files("controls", "{dataset}/alone.csv")
    }
    rows = []
    first = next(iter(tables.values()), pd.DataFrame(columns=["overall"]))
    for feature in first.sort_values("overall", ascending=False).index:
        row: dict[str, Any] = {"feature": f"`{feature}`"}
        for dataset, table in tables.items():
            known = {str(name): value for name, value in table.loc[feature].items()}
            row[dataset] = interval(known)
            row[f"{dataset}: called shared, swapped / non-shared"] = (
                f"{known['swapped']:.3f} / {known['non_shared']:.3f}"
            )
        rows.append(row)
    return rows


def shuffled(results: Results) -> Rows:
    """Balanced accuracy on shuffled labels."""
    rows = []
    for path in results.files("controls", "{dataset}/shuffled.csv"):
        for record in pd.read_csv(path).to_dict("records"):
            known = {str(name): value for name, value in record.items()}
            rows.append(
                {
                    "dataset": path.parent.name,
                    "model": model_name(known["model"]),
                    "balanced accuracy": interval(known, "balanced"),
                    "accuracy": interval(known),
                }
            )
    return rows


def sensitivity(results: Results) -> Rows:
    """Balanced accuracy where one factor differs from training; the base setting is listed once."""
    path = results.reports / "sensitivity.csv"
    if not path.is_file():
        # A profile may leave it out (sensitivity.datasets).
        return []
    table = pd.read_csv(path, dtype={"level": str})
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for record in table.sort_values(["trained_on", "base"], ascending=False, kind="stable").to_dict("records"):
        known = {str(name): value for name, value in record.items()}
        moved = "base" if known["base"] else f"{known['factor']} = {known['level']}"
        row = rows.setdefault((known["trained_on"], moved), {"trained on": known["trained_on"], "moved": moved})
        row["valid pairs"] = f"{known['valid_pairs']} of {known['pairs']}"
        row["windows / without verdict"] = f"{known['windows']} / {known['none']}"
        row[f"{known['model']}, {known['feature_set']}"] = interval(known, "balanced") if known["connections"] else ""
    return list(rows.values())


def every_accuracy(results: Results) -> Rows:
    """Every row of accuracy, with sites."""
    return as_is(pd.read_csv(results.reports / "accuracy.csv"))
