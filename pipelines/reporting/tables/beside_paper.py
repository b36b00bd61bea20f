"""The paper's tables with our numbers; columns with the paper's numbers say so in their names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from smartsbd.models.assessment.accuracy import ALL_SITES
from smartsbd.models.automl.distillation import TRUTH
from smartsbd.models.labelled.window_set import are_of_kind
from smartsbd.pipelines.reporting import published as paper
from smartsbd.pipelines.reporting.report_files import read_json
from smartsbd.pipelines.reporting.tables.cell import Results, Rows, model_name, recalls
from smartsbd.pipelines.reporting.tables.datasets import validity
from smartsbd.pipelines.reporting.tables.transfer import unseen
from smartsbd.scenarios.sites import SITES
from smartsbd.scenarios.unseen import CASES


def table2(results: Results) -> Rows:
    """Sites: the paper's settings and samples, and our connections."""
    rows: Rows = []
    for dataset in results.params.datasets:
        pair_counts = validity(results, dataset)
        for site in [name for name in paper.TABLE2 if any(place == name for place, _ in pair_counts)]:
            published, shared, apart = (
                paper.TABLE2[site],
                pair_counts.get((site, "shared")),
                pair_counts.get((site, "non-shared")),
            )
            made = [(counts.get("valid", 0), sum(counts.values())) for counts in (shared or {}, apart or {})]
            dropped = 1 - sum(valid for valid, _ in made) / sum(total for _, total in made)
            rows.append(
                {
                    "dataset": dataset,
                    "site": site,
                    "paper: shared, Mbit/s": published.shared_mbit_s,
                    "paper: not shared, Mbit/s (WiFi, 4G)": ", ".join(map(str, published.own_mbit_s)),
                    "paper: run, s": published.run_s,
                    "run, s": f"{SITES[site].duration_s:g}" if dataset == paper.COUNTERPART else "",
                    "paper: samples shared / not": f"{paper.SAMPLES_PER_LABEL} / {paper.SAMPLES_PER_LABEL}",
                    "pairs made shared / not": " / ".join(str(total) for _, total in made),
                    "valid shared / not": " / ".join(str(valid) for valid, _ in made),
                    "paper: dropped": paper.DROPPED,
                    "dropped": f"{100 * dropped:.0f} %",
                }
            )
    return rows


def table4(results: Results) -> Rows:
    """Models: the setting chosen and its accuracy, beside the paper's."""
    rows: Rows = []
    for path in results.files("chosen", "{dataset}.json"):
        for chosen in read_json(path).values():
            beside = path.stem == paper.COUNTERPART and chosen["feature_set"] == "paper"
            published = paper.TABLE4.get(chosen["family"]) if beside else None
            rows.append(
                {
                    "trained on": path.stem,
                    "model": model_name(chosen["family"]),
                    "features": chosen["feature_set"],
                    "setting": _setting(chosen["setting"]),
                    "paper: setting": f"{published.selected}; top {paper.TOP}".lstrip("; ") if published else "",
                    "nested": f"{chosen['nested_accuracy']:.3f}",
                    "setting, the paper's way": _setting(chosen["paper_setting"]) if "paper_setting" in chosen else "",
                    "the paper's way": f"{chosen['paper_accuracy']:.3f}" if "paper_accuracy" in chosen else "",
                    "paper: best mean accuracy": published.accuracy if published else "",
                }
            )
    return rows


def spaces(results: Results) -> Rows:
    """Hyperparameter spaces of the models of Table 4, ours and the paper's."""
    return [
        {
            "model": model_name(family),
            "space": "; ".join(f"{name}: {', '.join(map(str, values))}" for name, values in grid.items()),
            "paper: space": paper.TABLE4[family].space if family in paper.TABLE4 else "",
        }
        for family, grid in results.params.search.families.items()
    ]


def _setting(setting: dict[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in setting.items())


def table5(results: Results, automl: Path) -> Rows:
    """Table 5's schemes for each site and over all sites: both labels, shared and not shared.

    Models are judged on held-out triggered windows and the rest on all connections; DWC and TON20 by the share of time.

    Returns
    -------
    list of dict
        Cells as text, by column; accuracies from 0 to 1.
    """
    rows: Rows = []
    for path in results.files("baselines", "{dataset}"):
        accuracies = _accuracies(path, automl / path.name / "accuracy.csv")
        for site in [*paper.TABLE2, ALL_SITES]:
            for scheme, key in paper.SCHEMES.items():
                accuracy = accuracies.get((*key, site))
                if accuracy is None and not any(place == site for _, _, place in accuracies):
                    continue
                published = paper.TABLE5[site][scheme] if path.name == paper.COUNTERPART else None
                rows.append(
                    {
                        "dataset": path.name,
                        "site": site,
                        "detector": ", ".join(key),
                        "paper: scheme": f"SmartSBD ({scheme})" if key[1] == "paper" else scheme,
                        "both": ""
                        if accuracy is None or pd.isna(accuracy["balanced"])
                        else f"{accuracy['balanced']:.3f}",
                        "paper: both": f"{published.both:.3f}" if published else "",
                        "shared, not": recalls(accuracy) if accuracy is not None else "",
                        "paper: shared, not": f"{published.shared:.3f}, {published.not_shared:.3f}"
                        if published
                        else "",
                    }
                )
    return rows


def _accuracies(folder: Path, automl: Path) -> dict[tuple[str, str, str], dict[str, Any]]:
    """Return our rows by detector, parameters and site, each in the form Table 5 has it in."""
    timed = {paper.SCHEMES[scheme] for scheme in paper.TIMED}
    accuracies: dict[tuple[str, str, str], dict[str, Any]] = {}
    for form in ("all", "time"):
        table = pd.read_csv(folder / f"{form}.csv")
        if form == "time":
            table = table[table["on"] == "all connections"]
        for row in table.to_dict("records"):
            key = (row["detector"], row["parameters"])
            if (form == "time") == (key in timed):
                accuracies[*key, row["site"]] = {str(name): value for name, value in row.items()}
    if automl.is_file():
        table = pd.read_csv(automl)
        wanted = (table["learnt_from"] == TRUTH) & are_of_kind(table["test_set"], "triggered")
        for row in table[wanted].to_dict("records"):
            accuracies[row["model"], row["feature_set"], row["site"]] = {
                str(name): value for name, value in row.items()
            }
    return accuracies


def table6_cases(results: Results) -> Rows:
    """Path parameters of Table 6, the paper's label and ours."""
    cases = results.params.simulate.model_dump()["unseen"]["cases"] if results.params.unseen.tested == "unseen" else []
    paper_names = dict(
        zip(CASES, [f"{label}{number}" for label in ("NSB", "SB") for number in range(1, 6)], strict=True)
    )
    return [
        {
            "case": case,
            "paper: case": paper_names[case],
            "paper: Links 1, 2, 3, Mbit/s": ", ".join(f"{rate:g}" for rate in CASES[case].rates_mbit_s),
            "paper: base RTTs, ms": ", ".join(f"{rtt:g}" for rtt in CASES[case].rtt_ms),
            "label by the links": "shared" if CASES[case].shared else "not shared",
        }
        for case in cases
    ]


def table6(results: Results) -> Rows:
    """Accuracy per case of paths not seen, the paper's mean first."""
    rows = unseen(results)
    if results.params.unseen.tested != "unseen" or not rows:
        return rows
    published = dict.fromkeys(rows[0], "") | {
        "model": "SmartSBD (the paper's)",
        "mean (95 % over cases)": f"{paper.UNSEEN_MEAN} ({paper.UNSEEN_MEAN_OF_ABSTRACT} in its abstract)",
    }
    return [published, *rows]


def table7(results: Results) -> Rows:
    """Return the cost of a decision: the sizes of exported models, and the paper's times."""
    published = {
        name: {
            "paper: CPU, mean / largest": f"{cost.cpu_percent[0]} % / {cost.cpu_percent[1]} %",
            "paper: time, mean / largest": f"{cost.time_ms[0]:.2f} / {cost.time_ms[1]:.2f} ms",
        }
        for name, cost in paper.TABLE7.items()
    }
    empty = dict.fromkeys(next(iter(published.values())), "")
    exported = [
        {
            "what": name,
            "trees": model["trees"],
            "splits": model["splits"],
            "leaves": model["leaves"],
            "depth": model["depth"],
            "bytes of the file": model["file_bytes"],
            **published.get(name.removeprefix("sbd_").removesuffix("_paper"), empty),
        }
        for name, model in read_json(results.reports / "export.json").items()
    ]
    of_features = dict.fromkeys(("trees", "splits", "leaves", "depth", "bytes of the file"), "")
    shown = {row["what"] for row in exported}
    alone = [
        {"what": f"{family} of the paper's features, not exported", **of_features, **published[family]}
        for family in ("tree", "forest")
        if f"sbd_{family}_paper" not in shown
    ]
    return [{"what": "computing the features", **of_features, **published["features"]}, *exported, *alone]
