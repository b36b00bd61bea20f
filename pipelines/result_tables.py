"""What the reports say, as tables of text: for the documents (excerpts) and for the page (report) alike."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from models import correlation, neighbours
from models.families import FAMILIES
from models.generalisation import datasets_of
from pipelines import paper
from pipelines.params import Params, read_params
from pipelines.reports import read_json

#: Rows of a table, each the text of its cells by column; the first row has every column.
Rows = list[dict[str, Any]]

_SETS = ("paper", "invariant", "both")
_COUNTERPARTS = {"rtt_series": "paper", "queue_series": "invariant", correlation.FEATURE_SET: "invariant"}
#: Parameter sets that were chosen by the share of time: of little difference, and in the reports.
_FOR_TIME = " for time"


@dataclass(frozen=True)
class Run:
    """What a run left: its reports, and the parameters it was made with."""

    reports: Path
    params: Params

    @classmethod
    def of(cls, root: Path) -> Run:
        """Return the run whose reports stand below a project's folder."""
        return cls(root / "reports", read_params(root / "params.yaml"))


def number(value: float, digits: int) -> str:
    """Return a number with so many digits after the point, nothing for one that is missing."""
    """Return a number with so many digits after the point, nothing for one that is missing."""
    return "" if pd.isna(value) else "never" if math.isinf(value) else f"{value:z.{digits}f}"


def model_name(name: str) -> str:
    """Return a model's name, marked where it is not one of the paper's."""
    ours = name in (neighbours.NAME, correlation.NAME) or FAMILIES[name].ours
    return f"{name} (ours)" if ours else name


def _set_of(row: dict[str, Any]) -> str:
    """Return the column of a row: the series' views stand with the sets they are the counterparts of."""
    name: str = row["feature_set"]
    return _COUNTERPARTS.get(name, name)


def _accuracies(run: Run, cell: Callable[[dict[str, Any]], str], row_of: Callable[[dict[str, Any]], Any]) -> Rows:
    """Return rows of accuracy with a column a set of features; a row whose key is None is left out."""
    cells: dict[Any, dict[str, Any]] = {}
    for row in pd.read_csv(run.reports / "accuracy.csv").to_dict("records"):
        known = {str(name): value for name, value in row.items()}
        key = row_of(known)
        if key is not None:
            own = cells.setdefault(tuple(key.values()), {**key, **dict.fromkeys(_SETS, "")})
            own[_set_of(known)] = cell(known)
    return list(cells.values())


def interval(row: dict[str, Any], name: str = "overall") -> str:
    """Return a value of a row, with its interval."""
    """Return a value of a row, with its interval."""
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


def accuracy(run: Run) -> Rows:
    """Accuracy of every model on connections of its own dataset."""
    rule = run.params.search.rule

    def key(row: dict[str, Any]) -> dict[str, Any] | None:
        wanted = _Judged.of(row).own(rule) and row["site"] == "all"
        return {"dataset": _Judged.of(row).test, "model": model_name(row["model"])} if wanted else None

    return _accuracies(run, interval, key)


def rules(run: Run) -> Rows:
    """Accuracy by the rule of the windows trained on and tested on."""
    rule = run.params.search.rule

    def key(row: dict[str, Any]) -> dict[str, Any] | None:
        judged = _Judged.of(row)
        if judged.train != judged.test or row["site"] != "all" or (judged.train_rule == rule != judged.test_rule):
            return None
        how = f"{judged.train_rule}, {judged.test_rule}"
        return {"dataset": judged.test, "trained, tested on": how, "model": model_name(row["model"])}

    return _accuracies(run, interval, key)


def transfer(run: Run) -> Rows:
    """Accuracy of every model on a simulated dataset, or a site, it has not seen."""
    learnt = run.params.search.datasets

    def key(row: dict[str, Any]) -> dict[str, Any] | None:
        judged = _Judged.of(row)
        wanted = judged.train != judged.test and judged.test in learnt and row["site"] == "all"
        return (
            {"trained on": judged.train, "tested on": judged.test, "model": model_name(row["model"])}
            if wanted
            else None
        )

    return _accuracies(run, interval, key)


def _tested_on(run: Run, dataset: str) -> Rows:
    """Return the balanced accuracy of every model on a dataset."""

    def key(row: dict[str, Any]) -> dict[str, Any] | None:
        judged = _Judged.of(row)
        wanted = judged.test == dataset and row["site"] == "all"
        return {"trained on": judged.train, "model": model_name(row["model"])} if wanted else None

    return _accuracies(run, lambda row: interval(row, "balanced"), key)


def kernel(run: Run) -> Rows:
    """Balanced accuracy of every model on the real kernel's connections for development."""
    return _tested_on(run, run.params.transfer.development)


def captured(run: Run) -> Rows:
    """Balanced accuracy of every model on the same connections, from captures."""
    return _tested_on(run, "kernel_captures")


def inferred(run: Run) -> Rows:
    """How far what captures tell is from the sender's log."""
    rows: list[dict[str, Any]] = []
    for found in pd.read_csv(run.reports / "inference/signals.csv").to_dict("records"):
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
    return rows


def changed(run: Run) -> Rows:
    """Return what inference changes in each feature."""
    found = pd.read_csv(run.reports / "inference/features.csv")
    rows: list[dict[str, Any]] = []
    sets = [name for name in dict.fromkeys(found["set"]) if found.loc[found["set"] == name, "windows"].max()]
    for feature in dict.fromkeys(found["feature"]):
        row: dict[str, Any] = {"feature": feature}
        for name in sets:
            one = found[(found["set"] == name) & (found["feature"] == feature)].iloc[0]
            spread = one["interquartile_range"]
            for quantile in ("median_change", "change_95"):
                label = "median" if quantile == "median_change" else "95 %"
                row[f"{name}: {label}"] = number(one[quantile] / spread, 3) if spread else ""
        rows.append(row)
    return rows


def locked(run: Run) -> Rows:
    """Balanced accuracy of every model on the locked half, as the latest release has it."""
    scored = (run.reports / "locked").glob("*.csv")
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
            (dataset, model), {"trained on": dataset, "model": model_name(model), **dict.fromkeys(_SETS, "")}
        )
        row[_set_of({"feature_set": feature_set})] = interval(known, "balanced")
    return sorted(rows.values(), key=lambda row: row["trained on"], reverse=True)


def compared(run: Run) -> Rows:
    """How far the kernel's features lie from those trained on."""
    rows: dict[str, dict[str, Any]] = {}
    for found in pd.read_csv(run.reports / "compared.csv").to_dict("records"):
        row = rows.setdefault(found["feature"], {"feature": f"`{found['feature']}`"})
        name = found["trained_on"]
        row["kernel: area"] = f"{found['auc_development']:.2f}"
        row[f"{name}: area"] = f"{found['auc_trained']:.2f}"
        row[f"{name}: distance shared / not"] = f"{found['ks_shared']:.2f} / {found['ks_non_shared']:.2f}"
        row[f"{name}: outside"] = f"{found['outside']:.2f}"
    return list(rows.values())


def sites(run: Run) -> Rows:
    """Accuracy of every model per site, shared and not shared apart (Table 5)."""
    rule = run.params.search.rule

    def key(row: dict[str, Any]) -> dict[str, Any] | None:
        wanted = _Judged.of(row).own(rule) and row["site"] != "all"
        return {"site": row["site"], "model": model_name(row["model"])} if wanted else None

    return _accuracies(run, lambda row: f"{interval(row)}; {row['sb']:.3f}, {row['nsb']:.3f}", key)


def selection(run: Run) -> Rows:
    """Nested estimate beside the paper's way."""
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for path in sorted((run.reports / "chosen").glob("*.json"), reverse=True):
        for found in read_json(path).values():
            if "paper_accuracy" in found:
                model = found["family"]
                row = rows.setdefault(
                    (path.stem, model), {"dataset": path.stem, "model": model_name(model), **dict.fromkeys(_SETS, "")}
                )
                row[found["feature_set"]] = f"{found['nested_accuracy']:.3f} / {found['paper_accuracy']:.3f}"
    return list(rows.values())


def swapped(run: Run) -> Rows:
    """How often swapped partners are called shared, and non-shared windows."""
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for path in sorted((run.reports / "controls").glob("*/swapped.csv"), reverse=True):
        for found in pd.read_csv(path).to_dict("records"):
            known = {str(name): value for name, value in found.items()}
            place = (path.parent.name, known["model"])
            row = rows.setdefault(
                place, {"dataset": place[0], "model": model_name(place[1]), **dict.fromkeys(_SETS, "")}
            )
            row[_set_of(known)] = f"{known['swapped']:.3f} / {known['non_shared']:.3f}; {interval(known, 'excess')}"
    return list(rows.values())


def alone(run: Run) -> Rows:
    """Accuracy of a tree on each feature alone."""
    tables = {
        path.parent.name: pd.read_csv(path).set_index("feature")
        for path in sorted((run.reports / "controls").glob("*/alone.csv"), reverse=True)
    }
    rows = []
    first = next(iter(tables.values()), pd.DataFrame(columns=["overall"]))
    for feature in first.sort_values("overall", ascending=False).index:
        row: dict[str, Any] = {"feature": f"`{feature}`"}
        for dataset, table in tables.items():
            own = {str(name): value for name, value in table.loc[feature].items()}
            row[dataset] = interval(own)
            row[f"{dataset}: called shared, swapped / non-shared"] = f"{own['swapped']:.3f} / {own['non_shared']:.3f}"
        rows.append(row)
    return rows


def shuffled(run: Run) -> Rows:
    """Balanced accuracy on shuffled labels."""
    rows = []
    for path in sorted((run.reports / "controls").glob("*/shuffled.csv"), reverse=True):
        for found in pd.read_csv(path).to_dict("records"):
            known = {str(name): value for name, value in found.items()}
            rows.append(
                {
                    "dataset": path.parent.name,
                    "model": model_name(known["model"]),
                    "balanced accuracy": interval(known, "balanced"),
                    "accuracy": interval(known),
                }
            )
    return rows


def sensitivity(run: Run) -> Rows:
    """Balanced accuracy where one thing is other than in training; the base once."""
    path = run.reports / "sensitivity.csv"
    if not path.is_file():
        # A profile may leave it out (sensitivity.datasets).
        return []
    table = pd.read_csv(path, dtype={"level": str})
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for found in table.sort_values(["trained_on", "base"], ascending=False, kind="stable").to_dict("records"):
        known = {str(name): value for name, value in found.items()}
        moved = "base" if known["base"] else f"{known['factor']} = {known['level']}"
        row = rows.setdefault((known["trained_on"], moved), {"trained on": known["trained_on"], "moved": moved})
        row["valid pairs"] = f"{known['valid_pairs']} of {known['pairs']}"
        row["windows / without verdict"] = f"{known['windows']} / {known['none']}"
        row[f"{known['model']}, {known['feature_set']}"] = interval(known, "balanced") if known["connections"] else ""
    return list(rows.values())


def difficulty(run: Run) -> Rows:
    """Return how hard each dataset is."""
    rows: Rows = []
    for path in sorted((run.reports / "difficulty").glob("*.json")):
        found = read_json(path)
        row = {
            "dataset": path.stem,
            "connections": str(found["connections"]),
            "windows shared / not": f"{found['windows']['shared']} / {found['windows']['non_shared']}",
        }
        for name in ("pearson", "spearman"):
            own = found.get(name)
            row[f"{name}: median shared / not"] = (
                f"{own['median_shared']:.2f} / {own['median_non_shared']:.2f}" if own else ""
            )
            row[f"{name}: best balanced accuracy"] = f"{own['balanced_accuracy_at_best_threshold']:.3f}" if own else ""
        overlap = found.get("min_rtt_ratio_overlap")
        row["overlap of minimum-RTT ratios"] = "" if overlap is None else f"{overlap:.2f}"
        rows.append(row)
    return rows


def relevance(run: Run) -> Rows:
    """Mutual information of every feature on each dataset ranked, beside Table 3."""
    tables = {path.stem: pd.read_csv(path) for path in sorted((run.reports / "relevance").glob("*.csv"), reverse=True)}
    rows = []
    first = next(iter(tables.values()), pd.DataFrame())
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
            row[f"{dataset}: chance"] = number(own["null_95_nats"], 3)
        rows.append(row)
    return rows


def agreement(run: Run) -> Rows:
    """Kendall's tau with Table 3."""
    rows = []
    for path in sorted((run.reports / "agreement").glob("*.json"), reverse=True):
        found = read_json(path)
        row = {
            "dataset": path.stem,
            "windows shared / not": f"{found['windows']['shared']} / {found['windows']['non_shared']}",
        }
        for what, tau in found["agreement_with_table3"].items():
            row[what] = f"{tau['kendall_tau']:.2f} ({tau['low']:.2f} to {tau['high']:.2f})"
        rows.append(row)
    return rows


def ambiguities(run: Run) -> Rows:
    """Effect of each reading of the paper on the relevance of its features."""
    rows: dict[str, dict[str, Any]] = {}
    for path in sorted((run.reports / "ambiguities").glob("*.csv"), reverse=True):
        table = pd.read_csv(path)
        for one in table[table["reading"] != "default"].to_dict("records"):
            row = rows.setdefault(one["reading"], {"#": one["question"] or "", "reading": one["reading"]})
            moved = one["changed_by_nats"]
            changed = "" if pd.isna(moved) else f"{one['most_changed']} {moved:+.2f}" if moved else "nothing"
            row[f"{path.stem}: windows shared / not"] = f"{one['shared']} / {one['non_shared']}"
            row[f"{path.stem}: tau"] = number(one["kendall_tau_with_default"], 2)
            row[f"{path.stem}: of the top 8"] = number(one["top8_kept"], 0)
            row[f"{path.stem}: most changed (nats)"] = changed
    return list(rows.values())


#: What a row of baselines is of.
_LABELS = ("detector", "parameters", "on", "evidence")


def judged(run: Run, name: str) -> list[dict[str, Any]]:
    """Return rows of a table of baselines over all sites, those of every dataset one after the other."""
    found: dict[tuple[str, ...], dict[str, Any]] = {}
    for path in sorted((run.reports / "baselines").glob(f"*/{name}.csv"), reverse=True):
        table = pd.read_csv(path)
        for one in table[table["site"] == "all"].to_dict("records"):
            row = {str(key): value for key, value in one.items()}
            labels: dict[str, Any] = {label: row[label] for label in _LABELS if label in row}
            own = found.setdefault(tuple(labels.values()), dict(labels))
            own[path.parent.name] = row
    return list(found.values())


def _beside(run: Run, name: str, columns: Mapping[str, Callable[[dict[str, Any]], str]]) -> Rows:
    """Return a table of baselines with some columns for each dataset."""
    rows = []
    for one in judged(run, name):
        row: dict[str, Any] = {label: one[label] for label in _LABELS if label in one}
        for path in sorted((run.reports / "baselines").glob("*"), reverse=True):
            own = one.get(path.name)
            row |= {f"{path.name}: {label}": cell(own) if own else "" for label, cell in columns.items()}
        rows.append(row)
    return rows


def labels_apart(row: dict[str, Any]) -> str:
    """Return the shares of shared and of not shared rows that are recognised."""
    """Return the shares of shared and of not shared rows that are recognised."""
    return f"{row['sb']:.3f}, {row['nsb']:.3f}"


def _balanced(row: dict[str, Any]) -> str:
    return "" if pd.isna(row["balanced"]) else interval(row, "balanced")


def papersway(run: Run) -> Rows:
    """Models on held-out triggered windows, baselines on all connections (Table 5)."""
    return _beside(run, "all", {"balanced": _balanced, "shared, not": labels_apart})


def samerows(run: Run) -> Rows:
    """Everything on the same held-out tiled windows, with the paired difference to plain correlation."""
    difference = {"less correlation": lambda row: interval(row, "less_correlation")}
    return _beside(run, "same", {"balanced": _balanced, "shared, not": labels_apart, **difference})


def overtime(run: Run) -> Rows:
    """Share of time that baselines are right."""
    return _beside(run, "time", {"balanced": _balanced, "shared, not": labels_apart})


def bias(run: Run) -> Rows:
    """Shared and not shared of the detectors the paper compares, beside its Table 5."""
    ours = {name: {(row["detector"], row["parameters"]): row for row in judged(run, name)} for name in ("all", "time")}
    rows = []
    for scheme, key in paper.SCHEMES.items():
        if scheme == "AUTO":
            continue
        form = "time" if scheme in paper.TIMED else "all"
        row = {"detector": ", ".join(key), "share of": "time" if form == "time" else "decisions"}
        published = paper.TABLE5["all"][scheme]
        row["Table 5: shared, not"] = f"{published.shared:.3f}, {published.not_shared:.3f}"
        for path in sorted((run.reports / "baselines").glob("*"), reverse=True):
            own = ours[form].get(key, {}).get(path.name)
            row[f"{path.name}: shared, not"] = labels_apart(own) if own else ""
        rows.append(row)
    return rows


def partitions(run: Run) -> Rows:
    """How often detectors find the whole partition of three and more subflows."""
    rows = []
    for path in sorted((run.reports / "partitions").glob("*.csv")):
        table = pd.read_csv(path)
        rows += [
            {
                "detector": one["detector"],
                "parameters": one["parameters"],
                "exact at the end": interval(one, "exact"),
                "time exact": interval(one, "exact_time"),
                "connections": one["connections"],
                "pairs, balanced": "" if pd.isna(one["pairs_balanced"]) else interval(one, "pairs_balanced"),
                "pairs: shared, not": f"{number(one['pairs_sb'], 3)}, {number(one['pairs_nsb'], 3)}",
            }
            for one in ({str(key): value for key, value in row.items()} for row in table.to_dict("records"))
            if not one["parameters"].endswith(_FOR_TIME)
        ]
    return rows


#: Detectors of the table of last verdicts: what the default is held against.
_LAST = (
    ("lag-excess", "default"),
    ("lag-excess", "alone"),
    ("correlation", "default"),
    ("wavelet", "default"),
    ("rubenstein-r", "default"),
    ("forest_invariant", "trained on sites"),
    ("forest_invariant", "trained on diverse"),
)


def verdicts(run: Run) -> Rows:
    """How right the last verdict on each pair is, of all pairs and where there is one."""
    rows = []
    for dataset in run.params.datasets:
        path = run.reports / "verdicts" / f"{dataset}.csv"
        if not path.exists():
            continue
        found = {(one["detector"], one["parameters"]): one for one in pd.read_csv(path).to_dict("records")}
        for name in _LAST:
            if name not in found:
                continue
            one = {str(key): value for key, value in found[name].items()}
            rows.append(
                {
                    "dataset": dataset,
                    "detector": ", ".join(name),
                    "pairs: shared, not": f"{one['shared']}, {one['pairs'] - one['shared']}",
                    "right of all": interval(one, "right"),
                    "less lag-excess": "" if name == _LAST[0] else interval(one, "less"),
                    "right where decided": "" if pd.isna(one["decided"]) else interval(one, "decided"),
                    "shared, not": f"{number(one['decided_sb'], 3)}, {number(one['decided_nsb'], 3)}",
                    "decided: shared, not": f"{number(one['coverage_sb'], 2)}, {number(one['coverage_nsb'], 2)}",
                    "first verdict, s": number(one["first_s"], 1),
                }
            )
    return rows


_SETTLED = "settled after a change, T"


def learnt_verdicts(run: Run) -> Rows:
    """How right the last verdicts of families learnt on one dataset are, of all pairs and where there is one."""
    path = run.reports / "learnt_verdicts" / "accuracy.csv"
    if not path.exists():
        return []
    table = pd.read_csv(path)
    names = ["model", "features", "of", "verdict"]
    empty = {**dict.fromkeys(table["dataset"].unique().tolist(), ""), _SETTLED: ""}
    rows: dict[str, dict[str, Any]] = {}
    for one in ({str(key): own for key, own in row.items()} for row in table.to_dict("records")):
        row = rows.setdefault(str([one[name] for name in names]), {name: one[name] for name in names} | empty)
        decided = "" if pd.isna(one["decided"]) else f", {one['decided']:.3f}"
        row[one["dataset"]] = f"{one['right']:.3f}{decided}"
        if pd.notna(one["settled_windows"]):
            row[_SETTLED] = number(one["settled_windows"], 1)
    return list(rows.values())


def verdict_controls(run: Run) -> Rows:
    """Say what families find where there is nothing to find."""
    path = run.reports / "learnt_verdicts" / "controls.csv"
    if not path.exists():
        return []
    return [
        {
            "control": one["control"],
            "dataset": one["dataset"],
            "model": "" if pd.isna(one["model"]) else one["model"],
            "features": one["features"] if pd.isna(one["of"]) else f"{one['features']}, {one['of']}",
            "measure": one["measure"],
            "pairs": one["pairs"],
            "value": number(one["value"], 3)
            if pd.isna(one["low"])
            else f"{one['value']:.3f} ({one['low']:.3f} to {one['high']:.3f})",
        }
        for one in ({str(key): own for key, own in row.items()} for row in pd.read_csv(path).to_dict("records"))
    ]


def shifts(run: Run) -> Rows:
    """How long after a change the detectors are right, and stay so for T."""
    rows = []
    for path in sorted((run.reports / "shift").glob("*.csv")):
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
                    f"{number(one['settled_s_median'], 1)} ({number(one['settled_windows_median'], 1)})"
                )
                row[f"{what}: phase right"] = number(one["right_share_of_phase"], 2)
            rows.append(row)
    return rows


def _pooled(own: pd.DataFrame, *, ramps: bool) -> str:
    """Return the share right of some cases' windows that are ramps, or of the others; nothing if there are none."""
    right, total = own["right_ramps"].sum(), own["ramps"].sum()
    if not ramps:
        right, total = own["right"].sum() - right, own["windows"].sum() - total
    return f"{right / total:.2f}" if total else ""


def unseen(run: Run) -> Rows:
    """Accuracy of every model on each case of paths it has not seen (Table 6)."""
    table = pd.read_csv(run.reports / "unseen.csv")
    rows = []
    for (model, feature_set), own in table.groupby(["model", "feature_set"], sort=False):
        cases, over = own[own["case"] != "mean"], own[own["case"] == "mean"].iloc[0]
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


def cases(run: Run) -> Rows:
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
        for row in pd.read_csv(run.reports / "unseen_cases.csv").to_dict("records")
    ]


def generalisation(run: Run) -> Rows:
    """Balanced accuracy by features, and by what is trained and tested on."""
    rows: dict[tuple[str, ...], dict[str, Any]] = {}
    for found in pd.read_csv(run.reports / "generalisation.csv").to_dict("records"):
        known = {str(name): value for name, value in found.items()}
        trained, tested = (datasets_of(known[name]) for name in ("train_set", "test_set"))
        key = {"features": known["feature_set"], "trained on": " + ".join(trained), "model": model_name(known["model"])}
        row = rows.setdefault(tuple(key.values()), key)
        row[tested[0]] = interval(known, "balanced") + (" *" if tested[0] in trained else "")
    return list(rows.values())


def elsewhere(run: Run) -> Rows:
    """Baselines on the windows of datasets that nothing is learnt from."""
    evaluated = run.params.evaluation_only
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    datasets = [name for name in evaluated if (run.reports / f"replay_accuracy/{name}.csv").is_file()]
    for dataset in datasets:
        for one in pd.read_csv(run.reports / f"replay_accuracy/{dataset}.csv").to_dict("records"):
            known = {str(key): value for key, value in one.items()}
            if not known["parameters"].endswith(_FOR_TIME):
                key = (known["detector"], known["parameters"])
                row = rows.setdefault(key, {"detector": key[0], "parameters": key[1]} | dict.fromkeys(datasets, ""))
                row[dataset] = _balanced(known)
    return [rows[key] for key in sorted(rows)]


def validity(run: Run, dataset: str) -> dict[tuple[str, str], dict[str, int]]:
    """Return how many pairs of subflows there are of each site and label, by verdict of the bottleneck validation."""
    path = run.reports / f"validate/{dataset}.json"
    found: dict[tuple[str, str], dict[str, int]] = {}
    for key, count in (read_json(path)["by_site_and_label"] if path.is_file() else {}).items():
        site, label, verdict = key.rsplit("/", 2)
        found.setdefault((site, label), {})[verdict] = count
    return found


def validated(run: Run) -> Rows:
    """Return what the validation of bottlenecks leaves, per dataset and site."""
    rows: Rows = []
    for dataset in run.params.datasets:
        found = validity(run, dataset)
        for site in dict.fromkeys(site for site, _ in found):
            counts = {label: found.get((site, label), {}) for label in ("shared", "non-shared")}
            total = sum(sum(one.values()) for one in counts.values())
            dropped = sum(one.get("dropped", 0) for one in counts.values())
            row = {"dataset": dataset, "site": site}
            for label, one in counts.items():
                head = f"{label.replace('non-', 'not ')}: valid / dropped"
                row[head] = f"{one.get('valid', 0)} / {one.get('dropped', 0)}"
            rows.append(row | {"share dropped": f"{100 * dropped / total:.0f} %" if total else ""})
    return rows


def datasets(run: Run) -> Rows:
    """Return what each dataset is for, and how large it is."""
    rows = []
    for dataset in run.params.datasets:
        parsed, extracted = (read_json(run.reports / f"{stage}/{dataset}.json") for stage in ("parse", "extract"))
        counts = list(validity(run, dataset).values())
        windows = extracted["windows"]
        rows.append(
            {
                "dataset": dataset,
                "made by": "simulation" if dataset in run.params.simulated else "recording",
                "used for": "training and test" if dataset in run.params.search.datasets else "test alone",
                "connections": extracted["connections"],
                "pairs valid / all": f"{sum(one.get('valid', 0) for one in counts)} / "
                f"{sum(sum(one.values()) for one in counts)}",
                **{
                    f"{rule} windows shared / not": " / ".join(
                        str(windows.get(f"{rule}: {label}", 0)) for label in ("shared", "non-shared")
                    )
                    for rule in run.params.extract.rules
                },
                "records": f"{parsed['records_in']:,}",
                "records refused": parsed["records_quarantined"],
            }
        )
    return rows


def windows(run: Run) -> Rows:
    """Windows of each dataset and rule, and how many of them are out of the ordinary."""
    rows = []
    for dataset in run.params.datasets:
        found = read_json(run.reports / f"extract/{dataset}.json")["windows"]
        for rule in run.params.extract.rules:
            own = {key.removeprefix(f"{rule}: "): count for key, count in found.items() if key.startswith(f"{rule}: ")}
            labels = {name: own.pop(name, 0) for name in ("shared", "non-shared", "unlabelled")}
            rows.append({"dataset": dataset, "rule": rule, **labels, **own})
    return rows


def refused(run: Run) -> Rows:
    """Return records and inputs that were not taken, per dataset."""
    rows = []
    for dataset in run.params.datasets:
        found = read_json(run.reports / f"parse/{dataset}.json")
        rows.append(
            {
                "dataset": dataset,
                "inputs": found["inputs"],
                "inputs not readable": found["inputs_unreadable"],
                "records": f"{found['records_in']:,}",
                "records refused": found["records_quarantined"],
                "share refused": f"{100 * found['records_quarantined'] / max(1, found['records_in']):.3f} %",
                "why": _counted(found["quarantined_by_reason"]),
                "read, in no table": _counted(found["records_unused"]),
                "other lines": found["other_lines"],
                "gaps / messages lost": f"{found['gaps']} / {found['messages_lost']}",
            }
        )
    return rows


def _counted(counts: Mapping[str, int]) -> str:
    return "; ".join(f"{name}: {count}" for name, count in counts.items())


def rejected(run: Run) -> Rows:
    """Windows that were not made, and connections without any, per dataset and reason."""
    rows = []
    for dataset in run.params.datasets:
        found = read_json(run.reports / f"extract/{dataset}.json")
        for what, counts in (
            ("windows", found["rejected_by_reason"]),
            ("connections without a window", found["connections_without_window"]),
        ):
            for reason, count in counts.items():
                of, _, why = reason.partition(": ")
                rows.append({"dataset": dataset, "what": what, "of": of, "reason": why, "count": count})
    return rows


def exported(run: Run) -> Rows:
    """Size of each exported model, and the rows on which its C and its file decide as the model does."""
    return [
        {
            "header": name,
            "features": len(one["features"]),
            "layout": one["layout"],
            "bytes of text": one["header_bytes"],
            "bytes of the file": one["file_bytes"],
            "trees": one["trees"],
            "splits": one["splits"],
            "leaves": one["leaves"],
            "depth": one["depth"],
            "all agree on windows / predictions / generated rows": " / ".join(
                str(one["rows_agreeing_all"][name]) for name in ("windows", "predictions", "generated")
            ),
        }
        for name, one in read_json(run.reports / "export.json").items()
    ]


def proved(run: Run) -> Rows:
    """Return what the C computed of the signals of every connection, all of it as the pipeline does."""
    return [
        {
            "dataset": path.stem,
            "connections": found["connections"],
            "windows": found["windows"],
            "values of features": found["feature_values"],
            **{f"decisions of {name}": count for name, count in found["decisions"].items()},
        }
        for path in sorted((run.reports / "prove").glob("*.json"))
        for found in [read_json(path)]
    ]


def as_is(frame: pd.DataFrame) -> Rows:
    """Return a table as it stands, with three digits after the point."""
    return [
        {
            str(name): "" if pd.isna(cell) else f"{cell:.3f}" if isinstance(cell, float) else cell
            for name, cell in row.items()
        }
        for row in frame.to_dict("records")
    ]


def every_accuracy(run: Run) -> Rows:
    """Every row of accuracy, with sites."""
    return as_is(pd.read_csv(run.reports / "accuracy.csv"))
