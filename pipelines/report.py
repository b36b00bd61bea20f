"""One self-contained page of the run's results, in the order of the paper."""

from __future__ import annotations

import argparse
import base64
import platform
import sys
from collections.abc import Hashable, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

import jinja2
import pandas as pd

from models.distillation import TRUTH
from pipelines import stage
from pipelines.params import Params
from pipelines.reports import read_json

_PACKAGES = ("numpy", "pandas", "pyarrow", "scikit-learn", "dtaidistance", "ns3")
ALL_SITES = "all"
#: Settings of a search's leaderboard, and kinds of an ensemble, that are shown.
_BEST = 10
_KINDS = 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument("--reports", type=Path, required=True, help="folder with the other stages' reports")
    parser.add_argument("--headers", type=Path, required=True, help="folder with the exported headers")
    parser.add_argument("--automl", type=Path, required=True, help="folder with what AutoML found, a folder a dataset")
    parser.add_argument("--page", type=Path, required=True, help="HTML file to write")


def _image(path: Path) -> str:
    return "data:image/png;base64," + base64.b64encode(path.read_bytes()).decode("ascii")


def _shown(frame: pd.DataFrame) -> str:
    return frame.to_html(index=False, border=0, na_rep="", float_format=lambda value: f"{value:.3f}")


def _table(path: Path) -> str:
    return _shown(pd.read_csv(path))


def _transposed(path: Path) -> str:
    """Return a table of few rows and many columns, turned."""
    frame = pd.read_csv(path, index_col=0).T
    return frame.to_html(border=0, na_rep="", float_format=lambda value: f"{value:g}")


def _per_dataset(folder: Path) -> dict[str, object]:
    return {path.stem: read_json(path) for path in sorted(folder.glob("*.json"))}


def _named(folder: Path, form: str) -> dict[str, str]:
    """Return the tables of one form, by dataset."""
    return {path.stem.removeprefix(f"{form}_"): _table(path) for path in sorted(folder.glob(f"{form}_*.csv"))}


def _overview(path: Path) -> str:
    """Return accuracy over all sites, a row a model, those tested on their own dataset first."""
    table = pd.read_csv(path)
    table = table[table["site"] == "all"]
    rows = pd.DataFrame(
        {
            "trained on": table["train_set"],
            "tested on": table["test_set"],
            "model": table["model"],
            "features": table["feature_set"],
            "accuracy": [
                f"{one['overall']:.3f} ({one['overall_low']:.3f} to {one['overall_high']:.3f})"
                for one in table.to_dict("records")
            ],
            "shared": table["sb"],
            "not shared": table["nsb"],
            "balanced": [
                f"{one['balanced']:.3f} ({one['balanced_low']:.3f} to {one['balanced_high']:.3f})"
                for one in table.to_dict("records")
            ],
            "coverage": table["coverage"],
        }
    )
    own = rows["trained on"] == rows["tested on"]
    return pd.concat([rows[own], rows[~own]]).to_html(
        index=False, border=0, na_rep="", float_format=lambda value: f"{value:.3f}"
    )


def _number(value: float, form: str) -> str:
    return "" if pd.isna(value) else format(value, form)


def _interval(row: Mapping[Hashable, Any], name: str, form: str) -> str:
    if pd.isna(row[name]):
        return ""
    return f"{row[name]:{form}} ({row[f'{name}_low']:{form}} to {row[f'{name}_high']:{form}})"


def _made_of(row: Mapping[Hashable, Any]) -> str:
    """Return the kinds that weigh most, and what limits acted or why it was not run."""
    kinds = [] if pd.isna(row["kinds"]) else str(row["kinds"]).split(", ")
    said = ", ".join([*kinds[:_KINDS], *([f"{len(kinds) - _KINDS} more kinds"] if len(kinds) > _KINDS else [])])
    return said if pd.isna(row["note"]) else "; ".join(filter(None, [said, str(row["note"])]))


def _candidates(accuracy: pd.DataFrame, rule: str) -> str:
    """Return AutoML's candidates, a row each: accuracy on windows of the rule trained on, then what each one takes."""
    table = accuracy[accuracy["site"] == ALL_SITES]
    own_rule = table["test_set"].isna() | table["test_set"].str.endswith(f"/{rule}", na=False)
    rows = table[own_rule].to_dict("records")
    overview = pd.DataFrame(
        {
            "features": [row["feature_set"] for row in rows],
            "model, whose labels": [
                row["model"] if row["learnt_from"] == TRUTH else f"{row['model']} of {row['learnt_from']}"
                for row in rows
            ],
            "accuracy": [_interval(row, "overall", ".3f") for row in rows],
            "less the tree": [_interval(row, "less_tree", "+.3f") for row in rows],
            "CPU s": [_number(row["cpu_s"], ".1f") for row in rows],
            "settings tried": [_number(row["evaluations"], ".0f") for row in rows],
            "kB": [_number(row["model_bytes"] / 1000, ",.0f") for row in rows],
            "for a kernel": [{True: "yes", False: "no"}.get(row["kernel"], "") for row in rows],
            "made of; limits that acted": [_made_of(row) for row in rows],
        }
    )
    return overview.to_html(index=False, border=0, na_rep="", classes="wrapped")


def _automl(folder: Path, rule: str) -> dict[str, str] | None:
    """Return what AutoML found on a dataset, None if there is nothing."""
    if not (folder / "accuracy.csv").exists():
        return None
    accuracy = pd.read_csv(folder / "accuracy.csv")
    members, ranked = (
        pd.read_csv(folder / f"{name}.csv").drop(columns="setting", errors="ignore")
        for name in ("members", "leaderboard")
    )
    best = ranked.groupby(["engine", "feature_set", "fold"], sort=False).head(_BEST)
    return {
        "overview": _candidates(accuracy, rule),
        "every kind of window, with sites": _shown(accuracy.drop(columns=["kinds", "note"])),
        "members": _shown(members),
        "the best settings of each search": _shown(best),
    }


def difficulty(reports: Path) -> pd.DataFrame:
    """Return how hard each dataset is, a row a dataset, as text.

    Parameters
    ----------
    reports : Path
        Folder with ``difficulty/<dataset>.json``.
    """
    rows = []
    for path in sorted((reports / "difficulty").glob("*.json")):
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
    return pd.DataFrame(rows)


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the stage."""
    reports: Path = arguments.reports
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent / "templates"),
        undefined=jinja2.StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    exported = read_json(reports / "export.json")
    page = environment.get_template("report.html.j2").render(
        profile=params.profile,
        parameters=arguments.params.read_text(),
        parse=_per_dataset(reports / "parse"),
        validate=_per_dataset(reports / "validate"),
        extract=_per_dataset(reports / "extract"),
        difficulty=difficulty(reports).to_html(index=False, border=0),
        relevance={path.stem: _table(path) for path in sorted((reports / "relevance").glob("*.csv"))},
        agreement=_per_dataset(reports / "relevance"),
        ambiguities={path.stem: _table(path) for path in sorted((reports / "ambiguities").glob("*.csv"))},
        overview=_overview(reports / "accuracy.csv"),
        accuracy=_table(reports / "accuracy.csv"),
        unseen={
            "accuracy per model and case": _table(reports / "unseen.csv"),
            "what there is of each case": _table(reports / "unseen_cases.csv"),
        },
        generalisation=_table(reports / "generalisation.csv"),
        compared=_table(reports / "compared.csv"),
        inference={
            "signals": _transposed(reports / "inference" / "signals.csv"),
            "features": _table(reports / "inference" / "features.csv"),
        },
        detector=read_json(reports / "detector.json"),
        chosen=_per_dataset(reports / "chosen"),
        automl={name: _automl(arguments.automl / name, params.search.rule) for name in params.search.datasets},
        controls={
            folder.name: {path.stem: _table(path) for path in sorted(folder.glob("*.csv"))}
            for folder in sorted((reports / "controls").iterdir())
        },
        baselines={
            folder.name: {path.stem: _table(path) for path in sorted(folder.glob("*.csv"))}
            for folder in sorted((reports / "baselines").iterdir())
        },
        replayed={form: _named(reports / "replay", form) for form in ("partitions", "shift")},
        export=exported,
        proved=_per_dataset(reports / "prove"),
        headers={
            f"{name}.{suffix}": (arguments.headers / f"{name}.{suffix}").read_text()
            for name, one in exported.items()
            # A packed table of nodes is nothing to read.
            for suffix in (("md", "h") if one["layout"] == "nested" else ("md",))
        },
        figures={path.stem: _image(path) for path in sorted((reports / "figures").glob("*.png"))},
        # Without Python's patch level, which no lock fixes: the page is the same on every machine set up from here.
        versions={name: metadata.version(name) for name in _PACKAGES}
        | {"python": ".".join(platform.python_version_tuple()[:2])},
    )
    arguments.page.write_text(page)
    return stage.EXIT_OK


if __name__ == "__main__":
    sys.exit(stage.main("report", __doc__ or "", add_arguments, run))
