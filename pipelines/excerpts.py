"""Excerpts of the reports in the documents: between ``<!-- NAME -->`` and ``<!-- /NAME -->`` stands what they say.

``sbd excerpts`` refreshes them, ``--check`` fails where a document says something else. A new excerpt is one
function and one line here.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from models import correlation, neighbours
from models.families import FAMILIES
from models.generalisation import datasets_of
from pipelines import dag
from pipelines.params import read_params
from pipelines.report import difficulty
from pipelines.reports import read_json
from traces.fault import UsageFault

#: Documents that may hold excerpts, below the project's folder.
DOCUMENTS = ("README.md", "docs/*.md")

_SETS = ("paper", "invariant", "both")
_COUNTERPARTS = {"rtt_series": "paper", "queue_series": "invariant", correlation.FEATURE_SET: "invariant"}
#: Parameter sets that were chosen by the share of time: of little difference, and in the reports.
_FOR_TIME = " for time"
_BLOCK = re.compile(r"<!-- (?P<name>[a-z]+(?: [a-z_]+)*) -->\n(?P<text>.*?)<!-- /(?P=name) -->", re.DOTALL)


class ExcerptError(UsageFault):
    """A document asks for an excerpt that there is none of."""


def _markdown(rows: list[dict[str, Any]]) -> str:
    head = list(rows[0])
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    return "\n".join([*lines, *(f"| {' | '.join(str(row[name]) for name in head)} |" for row in rows)])


def _number(value: float, digits: int) -> str:
    return "" if pd.isna(value) else "never" if math.isinf(value) else f"{value:z.{digits}f}"


def _model(name: str) -> str:
    """Return a model's name, marked where it is not one of the paper's."""
    ours = name in (neighbours.NAME, correlation.NAME) or FAMILIES[name].ours
    return f"{name} (ours)" if ours else name


def _set_of(row: dict[str, Any]) -> str:
    """Return the column of a row: the series' views stand with the sets they are the counterparts of."""
    name: str = row["feature_set"]
    return _COUNTERPARTS.get(name, name)


def _accuracies(root: Path, cell: Callable[[dict[str, Any]], str], row_of: Callable[[dict[str, Any]], Any]) -> str:
    """Return rows of accuracy with a column a set of features; a row whose key is None is left out."""
    cells: dict[Any, dict[str, Any]] = {}
    for row in pd.read_csv(root / "reports/accuracy.csv").to_dict("records"):
        known = {str(name): value for name, value in row.items()}
        key = row_of(known)
        if key is not None:
            own = cells.setdefault(tuple(key.values()), {**key, **dict.fromkeys(_SETS, "")})
            own[_set_of(known)] = cell(known)
    return _markdown(list(cells.values()))


def _interval(row: dict[str, Any], name: str = "overall") -> str:
    return f"{row[name]:.3f} ({row[f'{name}_low']:.3f} to {row[f'{name}_high']:.3f})"


@dataclass(frozen=True)
class _Judged:
    """What a row of accuracy was trained on and tested on."""

    train: str
    train_rule: str
    test: str
    test_rule: str

    @classmethod
    def of(cls, row: dict[str, Any]) -> _Judged:
        return cls(*row["train_set"].split("/"), *row["test_set"].split("/"))

    def own(self, rule: str) -> bool:
        """Tell whether windows of this rule of one dataset are trained and tested on, by random splits."""
        return self.train == self.test and self.train_rule == self.test_rule == rule


def _rule(root: Path) -> str:
    return read_params(root / "params.yaml").search.rule


def _accuracy(root: Path) -> str:
    """Accuracy of every model on connections of its own dataset."""
    rule = _rule(root)

    def key(row: dict[str, Any]) -> dict[str, Any] | None:
        wanted = _Judged.of(row).own(rule) and row["site"] == "all"
        return {"dataset": _Judged.of(row).test, "model": _model(row["model"])} if wanted else None

    return _accuracies(root, _interval, key)


def _rules(root: Path) -> str:
    """Accuracy by the rule of the windows trained on and tested on."""
    rule = _rule(root)

    def key(row: dict[str, Any]) -> dict[str, Any] | None:
        judged = _Judged.of(row)
        if judged.train != judged.test or row["site"] != "all" or (judged.train_rule == rule != judged.test_rule):
            return None
        how = f"{judged.train_rule}, {judged.test_rule}"
        return {"dataset": judged.test, "trained, tested on": how, "model": _model(row["model"])}

    return _accuracies(root, _interval, key)


def _transfer(root: Path) -> str:
    """Accuracy of every model on a simulated dataset, or a site, it has not seen."""
    learnt = read_params(root / "params.yaml").search.datasets

    def key(row: dict[str, Any]) -> dict[str, Any] | None:
        judged = _Judged.of(row)
        wanted = judged.train != judged.test and judged.test in learnt and row["site"] == "all"
        return {"trained on": judged.train, "tested on": judged.test, "model": _model(row["model"])} if wanted else None

    return _accuracies(root, _interval, key)


def _tested_on(root: Path, dataset: str) -> str:
    """Return the balanced accuracy of every model on a dataset."""

    def key(row: dict[str, Any]) -> dict[str, Any] | None:
        judged = _Judged.of(row)
        wanted = judged.test == dataset and row["site"] == "all"
        return {"trained on": judged.train, "model": _model(row["model"])} if wanted else None

    return _accuracies(root, lambda row: _interval(row, "balanced"), key)


def _kernel(root: Path) -> str:
    """Balanced accuracy of every model on the real kernel's connections for development."""
    return _tested_on(root, read_params(root / "params.yaml").transfer.development)


def _captured(root: Path) -> str:
    """Balanced accuracy of every model on the same connections, from captures."""
    return _tested_on(root, "kernel_captures")


def _inferred(root: Path) -> str:
    """How far what captures tell is from the sender's log."""
    rows: list[dict[str, Any]] = []
    for found in pd.read_csv(root / "reports/inference/signals.csv").to_dict("records"):
        one = {str(name): value for name, value in found.items()}

        def spread(name: str, unit: float, one: dict[str, Any] = one) -> str:
            low, middle, high = (one[f"{name}_{percent}"] / unit for percent in ("2.5", "50", "97.5"))
            return "" if pd.isna(middle) else f"{middle:.3f} ({low:.3f} to {high:.3f})"

        points = [int(one[name]) for name in ("both_uncongested", "both_congested")]
        wrong = [int(one[name]) for name in ("only_inferred_congested", "only_logged_congested")]
        rows.append(
            {
                "connections": one["set"],
                "RTT samples logged / inferred / of one ACK": " / ".join(
                    str(int(one[name])) for name in ("rtts_logged", "rtts_inferred", "rtts_of_one_ack")
                ),
                "difference, ms: median (95 %)": spread("rtt_difference_us", 1e3),
                "grid points congested in neither / both": " / ".join(map(str, points)),
                "in the capture only / log only": " / ".join(map(str, wrong)),
                "entries logged / inferred": f"{int(one['entries_logged'])} / {int(one['entries_inferred'])}",
                "entry later by, ms: median (95 %)": spread("entry_difference_us", 1e3),
                "windows compared / same verdict": f"{int(one['windows_compared'])} / {int(one['same_verdict'])}",
            }
        )
    return _markdown(rows)


def _changed(root: Path) -> str:
    """Return what inference changes in each feature."""
    found = pd.read_csv(root / "reports/inference/features.csv")
    rows: list[dict[str, Any]] = []
    sets = [name for name in dict.fromkeys(found["set"]) if found.loc[found["set"] == name, "windows"].max()]
    for feature in dict.fromkeys(found["feature"]):
        row: dict[str, Any] = {"feature": feature}
        for name in sets:
            one = found[(found["set"] == name) & (found["feature"] == feature)].iloc[0]
            spread = one["interquartile_range"]
            for quantile in ("median_change", "change_95"):
                label = "median" if quantile == "median_change" else "95 %"
                row[f"{name}: {label}"] = _number(one[quantile] / spread, 3) if spread else ""
        rows.append(row)
    return _markdown(rows)


def _locked(root: Path) -> str:
    """Balanced accuracy of every model on the locked half, as the latest release has it."""
    scored = (root / "reports/locked").glob("*.csv")
    path = max(scored, key=lambda one: tuple(int(part) for part in one.stem.split(".")))
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for found in pd.read_csv(path).to_dict("records"):
        known = {str(name): value for name, value in found.items()}
        dataset, _, name = known["model"].partition("/")
        model, feature_set = next(
            (one, name.removeprefix(f"{one}_"))
            for one in (neighbours.NAME, correlation.NAME, *sorted(FAMILIES, key=len, reverse=True))
            if name.startswith(f"{one}_")
        )
        row = rows.setdefault(
            (dataset, model), {"trained on": dataset, "model": _model(model), **dict.fromkeys(_SETS, "")}
        )
        row[_set_of({"feature_set": feature_set})] = _interval(known, "balanced")
    return _markdown(sorted(rows.values(), key=lambda row: row["trained on"], reverse=True))


def _compared(root: Path) -> str:
    """How far the kernel's features lie from those trained on."""
    rows: dict[str, dict[str, Any]] = {}
    for found in pd.read_csv(root / "reports/compared.csv").to_dict("records"):
        row = rows.setdefault(found["feature"], {"feature": f"`{found['feature']}`"})
        name = found["trained_on"]
        row["kernel: area"] = f"{found['auc_development']:.2f}"
        row[f"{name}: area"] = f"{found['auc_trained']:.2f}"
        row[f"{name}: distance shared / not"] = f"{found['ks_shared']:.2f} / {found['ks_non_shared']:.2f}"
        row[f"{name}: outside"] = f"{found['outside']:.2f}"
    return _markdown(list(rows.values()))


def _sites(root: Path) -> str:
    """Accuracy of every model per site, shared and not shared apart (Table 5)."""
    rule = _rule(root)

    def key(row: dict[str, Any]) -> dict[str, Any] | None:
        wanted = _Judged.of(row).own(rule) and row["site"] != "all"
        return {"site": row["site"], "model": _model(row["model"])} if wanted else None

    return _accuracies(root, lambda row: f"{_interval(row)}; {row['sb']:.3f}, {row['nsb']:.3f}", key)


def _selection(root: Path) -> str:
    """Nested estimate beside the paper's way."""
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for path in sorted((root / "reports/chosen").glob("*.json"), reverse=True):
        for found in read_json(path).values():
            if "paper_accuracy" in found:
                model = found["family"]
                row = rows.setdefault(
                    (path.stem, model), {"dataset": path.stem, "model": _model(model), **dict.fromkeys(_SETS, "")}
                )
                row[found["feature_set"]] = f"{found['nested_accuracy']:.3f} / {found['paper_accuracy']:.3f}"
    return _markdown(list(rows.values()))


def _swapped(root: Path) -> str:
    """How often swapped partners are called shared, and non-shared windows."""
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for path in sorted((root / "reports/controls").glob("*/swapped.csv"), reverse=True):
        for found in pd.read_csv(path).to_dict("records"):
            known = {str(name): value for name, value in found.items()}
            place = (path.parent.name, known["model"])
            row = rows.setdefault(place, {"dataset": place[0], "model": _model(place[1]), **dict.fromkeys(_SETS, "")})
            row[_set_of(known)] = f"{known['swapped']:.3f} / {known['non_shared']:.3f}; {_interval(known, 'excess')}"
    return _markdown(list(rows.values()))


def _alone(root: Path) -> str:
    """Accuracy of a tree on each feature alone."""
    tables = {
        path.parent.name: pd.read_csv(path).set_index("feature")
        for path in sorted((root / "reports/controls").glob("*/alone.csv"), reverse=True)
    }
    first = next(iter(tables.values()))
    rows = []
    for feature in first.sort_values("overall", ascending=False).index:
        row: dict[str, Any] = {"feature": f"`{feature}`"}
        for dataset, table in tables.items():
            own = {str(name): value for name, value in table.loc[feature].items()}
            row[dataset] = _interval(own)
            row[f"{dataset}: called shared, swapped / non-shared"] = f"{own['swapped']:.3f} / {own['non_shared']:.3f}"
        rows.append(row)
    return _markdown(rows)


def _shuffled(root: Path) -> str:
    """Balanced accuracy on shuffled labels."""
    rows = []
    for path in sorted((root / "reports/controls").glob("*/shuffled.csv"), reverse=True):
        for found in pd.read_csv(path).to_dict("records"):
            known = {str(name): value for name, value in found.items()}
            rows.append(
                {
                    "dataset": path.parent.name,
                    "model": _model(known["model"]),
                    "balanced accuracy": _interval(known, "balanced"),
                    "accuracy": _interval(known),
                }
            )
    return _markdown(rows)


def _sensitivity(root: Path) -> str:
    """Balanced accuracy where one thing is other than in training; the base once."""
    table = pd.read_csv(root / "reports/sensitivity.csv", dtype={"level": str})
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for found in table.sort_values(["trained_on", "base"], ascending=False, kind="stable").to_dict("records"):
        known = {str(name): value for name, value in found.items()}
        moved = "base" if known["base"] else f"{known['factor']} = {known['level']}"
        row = rows.setdefault((known["trained_on"], moved), {"trained on": known["trained_on"], "moved": moved})
        row["valid pairs"] = f"{known['valid_pairs']} of {known['pairs']}"
        row["windows / without verdict"] = f"{known['windows']} / {known['none']}"
        row[f"{known['model']}, {known['feature_set']}"] = _interval(known, "balanced") if known["connections"] else ""
    return _markdown(list(rows.values()))


def _difficulty(root: Path) -> str:
    """How hard each dataset is."""
    return _markdown(
        [{str(key): cell for key, cell in row.items()} for row in difficulty(root / "reports").to_dict("records")]
    )


def _graph(root: Path) -> str:
    """Stages, and what follows from what."""
    return f"```mermaid\n{dag.mermaid(dag.read_stages(root / 'dvc.yaml'), read_params(root / 'params.yaml'))}\n```"


def _relevance(root: Path) -> str:
    """Mutual information of every feature on each dataset ranked, beside Table 3."""
    tables = {path.stem: pd.read_csv(path) for path in sorted((root / "reports/relevance").glob("*.csv"), reverse=True)}
    first = next(iter(tables.values()))
    rows = []
    for feature in first.to_dict("records"):
        row: dict[str, Any] = {"feature": f"`{feature['feature']}`", "Table 3": feature["paper_name"]}
        row["Table 3"] = "" if pd.isna(feature["paper_name"]) else feature["paper_name"]
        row["paper: nats (rank)"] = (
            "" if pd.isna(feature["paper_nats"]) else f"{feature['paper_nats']:.3f} ({feature['paper_rank']:.0f})"
        )
        for dataset, table in tables.items():
            own = table.set_index("feature").loc[feature["feature"]]
            rank = "" if pd.isna(own["rank_in_table3"]) else f" ({own['rank_in_table3']:.0f})"
            row[f"{dataset}: nats (rank of 18)"] = f"{own['mutual_information_nats']:.3f}{rank}"
            row[f"{dataset}: chance"] = _number(own["null_95_nats"], 3)
        rows.append(row)
    return _markdown(rows)


def _agreement(root: Path) -> str:
    """Kendall's tau with Table 3."""
    rows = []
    for path in sorted((root / "reports/relevance").glob("*.json"), reverse=True):
        found = read_json(path)
        row = {
            "dataset": path.stem,
            "windows shared / not": f"{found['windows']['shared']} / {found['windows']['non_shared']}",
        }
        for what, tau in found["agreement_with_table3"].items():
            row[what] = f"{tau['kendall_tau']:.2f} ({tau['low']:.2f} to {tau['high']:.2f})"
        rows.append(row)
    return _markdown(rows)


def _ambiguities(root: Path) -> str:
    """Effect of each reading of the paper on the relevance of its features."""
    rows: dict[str, dict[str, Any]] = {}
    for path in sorted((root / "reports/ambiguities").glob("*.csv"), reverse=True):
        table = pd.read_csv(path)
        for one in table[table["reading"] != "default"].to_dict("records"):
            row = rows.setdefault(one["reading"], {"#": one["question"] or "", "reading": one["reading"]})
            moved = one["changed_by_nats"]
            changed = "" if pd.isna(moved) else f"{one['most_changed']} {moved:+.2f}" if moved else "nothing"
            row[f"{path.stem}: windows shared / not"] = f"{one['shared']} / {one['non_shared']}"
            row[f"{path.stem}: tau"] = _number(one["kendall_tau_with_default"], 2)
            row[f"{path.stem}: of the top 8"] = _number(one["top8_kept"], 0)
            row[f"{path.stem}: most changed (nats)"] = changed
    return _markdown(list(rows.values()))


#: SmartSBD's Table 5, all sites: shared and not shared, by our name of the detector. Models on held-out windows, SBD on
#: all, DWC and TON20 by time.
_TABLE5 = {
    ("tree", "paper"): (0.875, 0.917),
    ("forest", "paper"): (0.907, 0.932),
    ("svm_rbf", "paper"): (0.916, 0.959),
    ("mptcp-sbd", "default"): (0.754, 0.544),
    ("dwc-r", "default"): (0.268, 0.855),
    ("ton20-r", "default"): (0.266, 0.637),
}


#: What a row of baselines is of.
_LABELS = ("detector", "parameters", "on", "evidence")


def _judged(root: Path, name: str) -> list[dict[str, Any]]:
    """Return rows of a table of baselines over all sites, those of every dataset one after the other."""
    found: dict[tuple[str, ...], dict[str, Any]] = {}
    for path in sorted((root / "reports/baselines").glob(f"*/{name}.csv"), reverse=True):
        table = pd.read_csv(path)
        for one in table[table["site"] == "all"].to_dict("records"):
            row = {str(key): value for key, value in one.items()}
            labels: dict[str, Any] = {label: row[label] for label in _LABELS if label in row}
            own = found.setdefault(tuple(labels.values()), dict(labels))
            own[path.parent.name] = row
    return list(found.values())


def _beside(root: Path, name: str, columns: Mapping[str, Callable[[dict[str, Any]], str]]) -> str:
    """Return a table of baselines with some columns for each dataset."""
    rows = []
    for one in _judged(root, name):
        row: dict[str, Any] = {label: one[label] for label in _LABELS if label in one}
        for path in sorted((root / "reports/baselines").glob("*"), reverse=True):
            own = one.get(path.name)
            row |= {f"{path.name}: {label}": cell(own) if own else "" for label, cell in columns.items()}
        rows.append(row)
    return _markdown(rows)


def _labels_apart(row: dict[str, Any]) -> str:
    return f"{row['sb']:.3f}, {row['nsb']:.3f}"


def _balanced(row: dict[str, Any]) -> str:
    return "" if pd.isna(row["balanced"]) else _interval(row, "balanced")


def _papersway(root: Path) -> str:
    """Models on held-out triggered windows, baselines on all connections (Table 5)."""
    return _beside(root, "all", {"balanced": _balanced, "shared, not": _labels_apart})


def _samerows(root: Path) -> str:
    """Everything on the same held-out tiled windows, with the paired difference to plain correlation."""
    difference = {"less correlation": lambda row: _interval(row, "less_correlation")}
    return _beside(root, "same", {"balanced": _balanced, "shared, not": _labels_apart, **difference})


def _overtime(root: Path) -> str:
    """Share of time that baselines are right."""
    return _beside(root, "time", {"balanced": _balanced, "shared, not": _labels_apart})


def _bias(root: Path) -> str:
    """Shared and not shared of the detectors the paper compares, beside its Table 5."""
    ours = {
        name: {(row["detector"], row["parameters"]): row for row in _judged(root, name)} for name in ("all", "time")
    }
    rows = []
    for key, (sb, nsb) in _TABLE5.items():
        form = "time" if key[0] in ("dwc-r", "ton20-r") else "all"
        row = {"detector": ", ".join(key), "share of": "time" if form == "time" else "decisions"}
        row["Table 5: shared, not"] = f"{sb:.3f}, {nsb:.3f}"
        for path in sorted((root / "reports/baselines").glob("*"), reverse=True):
            own = ours[form].get(key, {}).get(path.name)
            row[f"{path.name}: shared, not"] = _labels_apart(own) if own else ""
        rows.append(row)
    return _markdown(rows)


def _partitions(root: Path) -> str:
    """How often detectors find the whole partition of three and more subflows."""
    rows = []
    for path in sorted((root / "reports/replay").glob("partitions_*.csv")):
        table = pd.read_csv(path)
        rows += [
            {
                "detector": one["detector"],
                "parameters": one["parameters"],
                "exact at the end": _interval(one, "exact"),
                "time exact": _interval(one, "exact_time"),
                "connections": one["connections"],
                "pairs, balanced": "" if pd.isna(one["pairs_balanced"]) else _interval(one, "pairs_balanced"),
                "pairs: shared, not": f"{_number(one['pairs_sb'], 3)}, {_number(one['pairs_nsb'], 3)}",
            }
            for one in ({str(key): value for key, value in row.items()} for row in table.to_dict("records"))
            if not one["parameters"].endswith(_FOR_TIME)
        ]
    return _markdown(rows)


def _shifts(root: Path) -> str:
    """How long after a change the detectors are right, and stay so for T."""
    rows = []
    for path in sorted((root / "reports/replay").glob("shift_*.csv")):
        table = pd.read_csv(path)
        for name, own in table.groupby(["detector", "parameters"], sort=False):
            if str(name[1]).endswith(_FOR_TIME):
                continue
            row = {"detector": name[0], "parameters": name[1]}
            for one in own.to_dict("records"):
                what = f"to {one['change_to']}"
                row[f"{what}: right already / never settled, of"] = (
                    f"{one['already_right']} / {one['never_settled']}, {one['changes']}"
                )
                row[f"{what}: settled, s (T)"] = (
                    f"{_number(one['settled_s_median'], 1)} ({_number(one['settled_windows_median'], 1)})"
                )
                row[f"{what}: phase right"] = _number(one["right_share_of_phase"], 2)
            rows.append(row)
    return _markdown(rows)


def _pooled(own: pd.DataFrame, *, ramps: bool) -> str:
    """Return the share right of some cases' windows that are ramps, or of the others; nothing if there are none."""
    right, total = own["right_ramps"].sum(), own["ramps"].sum()
    if not ramps:
        right, total = own["right"].sum() - right, own["windows"].sum() - total
    return f"{right / total:.2f}" if total else ""


def _unseen(root: Path) -> str:
    """Accuracy of every model on each case of paths it has not seen (Table 6)."""
    table = pd.read_csv(root / "reports/unseen.csv")
    rows = []
    for (model, feature_set), own in table.groupby(["model", "feature_set"], sort=False):
        cases, over = own[own["case"] != "mean"], own[own["case"] == "mean"].iloc[0]
        # A column that is empty for the mean is read as text.
        apart = cases[cases["shared"].astype(str) == "False"]
        rows.append(
            {
                "model": _model(str(model)),
                "features": feature_set,
                "mean (95 % over cases)": f"{over['accuracy']:.3f} ({over['low']:.3f} to {over['high']:.3f})",
                "lowest": f"{over['lowest']:.2f}",
                **{row["case"].removeprefix("case"): _number(row["accuracy"], 2) for row in cases.to_dict("records")},
                "not shared: ramps / others": f"{_pooled(apart, ramps=True)} / {_pooled(apart, ramps=False)}",
            }
        )
    return _markdown(rows)


def _cases(root: Path) -> str:
    """Describe each case of the paths not seen."""
    labels = {"True": "shared", "False": "not shared"}
    return _markdown(
        [
            {
                "case": row["case"],
                "label": labels.get(str(row["shared"]), "both"),
                "connections / not valid": f"{row['connections']} / {row['not_valid']}",
                "windows / without verdict": f"{row['windows']} / {row['none']}",
                "lowest utilisation": _number(row["utilisation"], 2),
                "lowest share of drops there": _number(row["drop_share"], 2),
                "window, s": _number(row["window_s"], 1),
                "correlation": _number(row["correlation"], 2),
                "without straight line": _number(row["without_line"], 2),
                "ramps": _number(row["ramps"], 2),
            }
            for row in pd.read_csv(root / "reports/unseen_cases.csv").to_dict("records")
        ]
    )


def _generalisation(root: Path) -> str:
    """Balanced accuracy by features, and by what is trained and tested on."""
    rows: dict[tuple[str, ...], dict[str, Any]] = {}
    for found in pd.read_csv(root / "reports/generalisation.csv").to_dict("records"):
        known = {str(name): value for name, value in found.items()}
        trained, tested = (datasets_of(known[name]) for name in ("train_set", "test_set"))
        key = {"features": known["feature_set"], "trained on": " + ".join(trained), "model": _model(known["model"])}
        row = rows.setdefault(tuple(key.values()), key)
        row[tested[0]] = _interval(known, "balanced") + (" *" if tested[0] in trained else "")
    return _markdown(list(rows.values()))


def _elsewhere(root: Path) -> str:
    """Baselines on the windows of datasets that nothing is learnt from."""
    evaluated = read_params(root / "params.yaml").evaluation_only
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    datasets = [name for name in evaluated if (root / f"reports/replay/accuracy_{name}.csv").is_file()]
    for dataset in datasets:
        for one in pd.read_csv(root / f"reports/replay/accuracy_{dataset}.csv").to_dict("records"):
            known = {str(key): value for key, value in one.items()}
            if not known["parameters"].endswith(_FOR_TIME):
                key = (known["detector"], known["parameters"])
                row = rows.setdefault(key, {"detector": key[0], "parameters": key[1]} | dict.fromkeys(datasets, ""))
                row[dataset] = _balanced(known)
    return _markdown([rows[key] for key in sorted(rows)])


EXCERPTS: dict[str, Callable[[Path], str]] = {
    "accuracy": _accuracy,
    "transfer": _transfer,
    "unseen": _unseen,
    "cases": _cases,
    "generalisation": _generalisation,
    "kernel": _kernel,
    "captured": _captured,
    "inferred": _inferred,
    "changed": _changed,
    "locked": _locked,
    "compared": _compared,
    "sites": _sites,
    "rules": _rules,
    "selection": _selection,
    "swapped": _swapped,
    "alone": _alone,
    "shuffled": _shuffled,
    "sensitivity": _sensitivity,
    "papersway": _papersway,
    "samerows": _samerows,
    "overtime": _overtime,
    "bias": _bias,
    "elsewhere": _elsewhere,
    "partitions": _partitions,
    "shifts": _shifts,
    "difficulty": _difficulty,
    "graph": _graph,
    "relevance": _relevance,
    "agreement": _agreement,
    "ambiguities": _ambiguities,
}


def documents(root: Path) -> list[Path]:
    """Return the documents that may hold excerpts."""
    return sorted(path for pattern in DOCUMENTS for path in root.glob(pattern))


def refreshed(text: str, root: Path) -> str:
    """Return a document with every excerpt as the reports below `root` have it.

    Raises
    ------
    ExcerptError
        If it asks for one that there is none of.
    """

    def block(match: re.Match[str]) -> str:
        name = match["name"]
        if name not in EXCERPTS:
            raise ExcerptError(f"excerpt {name!r} is unknown, known are {sorted(EXCERPTS)}")
        return f"<!-- {name} -->\n{EXCERPTS[name](root)}\n<!-- /{name} -->"

    return _BLOCK.sub(block, text)
