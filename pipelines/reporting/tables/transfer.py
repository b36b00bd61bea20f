"""Tables of the models on data they have not learnt from."""

from __future__ import annotations

from typing import Any

import pandas as pd

from smartsbd.models.assessment.accuracy import ALL_SITES
from smartsbd.models.labelled.window_set import WindowSet
from smartsbd.pipelines.reporting.tables.by_set import TrainedAndTested, by_feature_set, tested_on
from smartsbd.pipelines.reporting.tables.cell import Results, Rows, interval, model_name, number


def transfer(results: Results) -> Rows:
    """Accuracy of every model on a simulated dataset, or a site, it has not seen."""
    learnt = results.params.search.datasets

    def key(row: dict[str, Any]) -> dict[str, Any] | None:
        judged = TrainedAndTested.of(row)
        trained, tested = judged.train.dataset, judged.test.dataset
        wanted = trained != tested and tested in learnt and row["site"] == ALL_SITES
        return {"trained on": trained, "tested on": tested, "model": model_name(row["model"])} if wanted else None

    return by_feature_set(results, interval, key)


def kernel(results: Results) -> Rows:
    """Balanced accuracy of every model on the real kernel's connections for development."""
    return tested_on(results, results.params.transfer.development)


def captured(results: Results) -> Rows:
    """Balanced accuracy of every model on the same connections, from captures."""
    return tested_on(results, "kernel_captures")


def _pooled(rows: pd.DataFrame, *, ramps: bool) -> str:
    """Return the share right of some cases' windows that are ramps, or of the others; nothing if there are none."""
    right, total = rows["right_ramps"].sum(), rows["ramps"].sum()
    if not ramps:
        right, total = rows["right"].sum() - right, rows["windows"].sum() - total
    return f"{right / total:.2f}" if total else ""


def unseen(results: Results) -> Rows:
    """Accuracy of every model on each case of paths it has not seen (Table 6)."""
    table = pd.read_csv(results.reports / "unseen.csv")
    rows = []
    for (model, feature_set), of_model in table.groupby(["model", "feature_set"], sort=False):
        cases, over = of_model[of_model["case"] != "mean"], of_model[of_model["case"] == "mean"].iloc[0]
        # A column that is empty for the mean is read as text.
        apart = cases[cases["shared"].astype(str) == "False"]
        rows.append(
            {
                "model": model_name(str(model)),
                "features": feature_set,
                "mean (95 % over cases)": f"{over['accuracy']:.3f} ({over['low']:.3f} to {over['high']:.3f})",
                "lowest": f"{over['lowest']:.2f}",
                **{row["case"].removeprefix("case"): number(row["accuracy"], 2) for row in cases.to_dict("records")},
                "not shared: ramps / others": f"{_pooled(apart, ramps=True)} / {_pooled(apart, ramps=False)}",
            }
        )
    return rows


def cases(results: Results) -> Rows:
    """Describe each case of the paths not seen."""
    labels = {"True": "shared", "False": "not shared"}
    return [
        {
            "case": row["case"],
            "label": labels.get(str(row["shared"]), "both"),
            "connections / not valid": f"{row['connections']} / {row['not_valid']}",
            "windows / without verdict": f"{row['windows']} / {row['none']}",
            "lowest utilisation": number(row["utilisation"], 2),
            "lowest share of drops there": number(row["drop_share"], 2),
            "window, s": number(row["window_s"], 1),
            "correlation": number(row["correlation"], 2),
            "without straight line": number(row["without_line"], 2),
            "ramps": number(row["ramps"], 2),
        }
        for row in pd.read_csv(results.reports / "unseen_cases.csv").to_dict("records")
    ]


def generalisation(results: Results) -> Rows:
    """Balanced accuracy by features, and by what is trained and tested on."""
    rows: dict[tuple[str, ...], dict[str, Any]] = {}
    for record in pd.read_csv(results.reports / "generalisation.csv").to_dict("records"):
        known = {str(name): value for name, value in record.items()}
        trained, tested = (WindowSet.parse(known[name]).datasets for name in ("train_set", "test_set"))
        key = {"features": known["feature_set"], "trained on": " + ".join(trained), "model": model_name(known["model"])}
        row = rows.setdefault(tuple(key.values()), key)
        row[tested[0]] = interval(known, "balanced") + (" *" if tested[0] in trained else "")
    return list(rows.values())
