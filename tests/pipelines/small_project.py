"""A project folder with two small datasets made by hand and the kernel's; every stage to the export is run on them."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from smartsbd.contracts.contract import write_table
from smartsbd.contracts.tables import REJECTED, SERIES, TRUTH, WINDOW_KEY
from smartsbd.features.catalog import PAIR_WINDOW
from smartsbd.models.labelled.partners import pair_name
from smartsbd.pipelines.__main__ import main
from smartsbd.pipelines.params import overlaid
from tests.models.windows_made import pair_window

ROOT = Path(__file__).parents[2]
DATASETS = ("sites", "diverse")
#: A real kernel's connections, by its log and by captures.
KERNEL = ("kernel", "kernel_captures")
CONNECTIONS = 36
#: Tiled windows of a dataset.
TILED = 2 * CONNECTIONS
FAMILIES = {
    "tree": {"max_depth": [1, 2]},
    "logistic": {"c": [0.1], "solver": ["lbfgs"]},
    "boosting": {"max_depth": [2]},
}
SPLITS = 3
#: Settings that FLAML tries; auto-sklearn has no environment here.
EVALUATIONS = 8
SMALL = {
    "profile": "small",
    "simulated": list(DATASETS),
    "datasets": [*DATASETS, *KERNEL],
    "rank": {"datasets": []},
    "transfer": {"tested": [*DATASETS, *KERNEL]},
    "search": {
        "datasets": list(DATASETS),
        "feature_sets": ["paper", "invariant"],
        "top": [1, 3],
        "neighbors": [1, 3],
        "splits": SPLITS,
        "test_share": 0.35,
    },
    "automl": {
        "datasets": ["sites"],
        "feature_sets": ["invariant"],
        "evaluations": {"auto-sklearn": 26, "flaml": EVALUATIONS},
        "splits": 2,
        "families": ["tree"],
        "teacher": "flaml",
        "students": ["tree"],
    },
    "generalise": {"families": ["tree"]},
    "controls": {"families": ["tree"]},
    "evaluate": {"resamples": 100},
    "export": {"models": ["tree_paper", "tree_invariant"], "generated_rows": 100},
}
_STAGES = (
    *((name, "--dataset", dataset) for dataset in KERNEL for name in ("collect", "parse", "validate", "extract")),
    *(("search", "--dataset", dataset) for dataset in DATASETS),
    *(("controls", "--dataset", dataset) for dataset in DATASETS),
    ("automl", "--dataset", "sites", "--environments", "none"),
    ("transfer",),
    ("unseen",),
    ("generalise",),
    ("evaluate",),
    ("export",),
)
_POINTS = 51


def _write(rows: pd.DataFrame, folder: Path, name: str, series_name: str, seed: int) -> None:
    """Write windows, and RTTs that move together where a window is shared."""
    filled = rows.assign(denominator=0, coarsened=False, subflow_b=1, n=_POINTS)
    columns = {column.name: filled[column.name].tolist() for column in PAIR_WINDOW.columns}
    write_table(PAIR_WINDOW, columns, folder / name)
    rng = np.random.default_rng(seed)
    parts = []
    for row in filled.to_dict("records"):
        queue = rng.integers(0, 9_000, size=(2, _POINTS)).cumsum(axis=1) % 40_000
        queue[1] = queue[0] if row["shared"] else queue[1]
        part = pd.DataFrame({column.name: [0] * _POINTS for column in SERIES.columns})
        part = part.assign(**{key: row[key] for key in WINDOW_KEY}, k=range(_POINTS), time_ns=range(_POINTS))
        part["congested_a"] = part["congested_b"] = False
        parts.append(part.assign(rtt_a_us=20_000 + queue[0], rtt_b_us=50_000 + queue[1]))
    series = pd.concat(parts)
    write_table(SERIES, {column.name: series[column.name].tolist() for column in SERIES.columns}, folder / series_name)


def _write_rejected(folder: Path, dataset: str) -> None:
    """A shared and a non-shared connection without any window, and one whose label is not known."""
    rows = [
        {
            "connection_id": f"{dataset}/none{number}",
            "subflow_a": 0,
            "subflow_b": 1,
            "rule": "tiled",
            "rejected_no": 0,
            "reason": "a subflow was never congested",
            "window_start_ns": None,
            "window_ns": None,
            "shared": shared,
            "dataset": dataset,
            "site": "s0",
        }
        for number, shared in enumerate((True, False, None))
    ]
    write_table(REJECTED, {name: [row[name] for row in rows] for name in rows[0]}, folder / "rejected.parquet")


def _write_dataset(project: Path, dataset: str, seed: int) -> None:
    """One of the paper's features tells the label; one of ours does nine times in ten. Swapped partners look shared."""
    folder = project / "data/features" / dataset
    tiled = pair_window(CONNECTIONS, per_connection=2, seed=seed)
    triggered = pair_window(CONNECTIONS, per_connection=1, seed=seed + 1).assign(rule="triggered")
    rows = pd.concat([tiled, triggered]).assign(dataset=dataset)
    rows["connection_id"] = dataset + "/" + rows["connection_id"]
    rng = np.random.default_rng(seed)
    told = rows["shared"].to_numpy(dtype=bool) ^ (rng.random(len(rows)) < 0.1)
    rows["queue_ed_4us"] = np.where(told, rng.integers(0, 500, len(rows)), rng.integers(500, 1000, len(rows)))
    _write(rows, folder, "pair_window.parquet", "series.parquet", seed)
    _write_rejected(folder, dataset)
    shared = rows[rows["shared"]].drop_duplicates("connection_id")
    pairs = shared.merge(shared, on="site", suffixes=("", "_other"))
    pairs = pairs[pairs["connection_id"] != pairs["connection_id_other"]].assign(shared=False)
    pairs["connection_id"] = [
        pair_name(one, other) for one, other in zip(pairs["connection_id"], pairs["connection_id_other"], strict=True)
    ]
    _write(pairs, project / "data/swapped" / dataset, "pair_window.parquet", "series.parquet", seed + 2)


def _write_cases(project: Path) -> None:
    """Two windows for each connection; what tells the label in the first two cases says the opposite in case03.

    A window of case01 has no verdict. The only connection of case04 is not valid, so its windows have no label.
    """
    made = [
        ("case01", True, True, 100),
        ("case01", True, True, 200),
        ("case02", False, True, 1900),
        ("case03", False, True, 100),
        ("case04", False, False, 1900),
    ]
    rows = pair_window(len(made), per_connection=2, seed=99).assign(dataset="unseen", site=None)
    number = rows["connection_id"].str.removeprefix("c").astype(int).to_numpy()
    rows["connection_id"] = "unseen/" + rows["connection_id"]
    rows["shared"] = [made[one][1] if made[one][2] else None for one in number]
    rows["rtt_sd_ratio_q10"] = [made[one][3] for one in number]
    folder = project / "data/features/unseen"
    _write(rows, folder, "pair_window.parquet", "series.parquet", 99)
    truth = [
        {column.name: None for column in TRUTH.columns}
        | {"connection_id": f"unseen/c{one:03d}", "subflow_a": 0, "subflow_b": 1, "from_ns": 0, "shared": shared}
        | {"scenario": case, "congestion_control": "lia", "valid": valid, "why": "made by hand"}
        for one, (case, shared, valid, _) in enumerate(made)
    ]
    columns = {name: [row[name] for row in truth] for name in truth[0]}
    write_table(TRUTH, columns, project / "data/truth/unseen.parquet")
    rejected = {
        "connection_id": "unseen/c001",
        "subflow_a": 0,
        "subflow_b": 1,
        "rule": "tiled",
        "rejected_no": 0,
        "reason": "the trace ends before the window does",
        "window_start_ns": 2,
        "window_ns": 1,
        "shared": True,
        "dataset": "unseen",
        "site": None,
    }
    write_table(REJECTED, {name: [value] for name, value in rejected.items()}, folder / "rejected.parquet")


def make(project: Path, workers: int, scheduler: str | None = None) -> None:
    """Make the datasets and run the stages, with some number of processes, or with a scheduler's workers."""
    overlay = project / "small.yaml"
    overlay.write_text(yaml.safe_dump(SMALL))
    whole = yaml.safe_load(overlaid(ROOT / "params.yaml", overlay))
    # A grid is replaced, not merged.
    whole["search"]["families"] = FAMILIES
    (project / "params.yaml").write_text(yaml.safe_dump(whole | {"workers": workers, "scheduler": scheduler}))
    shutil.copy(ROOT / "dvc.yaml", project)
    (project / "data").mkdir(exist_ok=True)
    (project / "data/samples").symlink_to(ROOT / "data/samples")
    for seed, dataset in enumerate(DATASETS):
        _write_dataset(project, dataset, 10 * seed)
    _write_cases(project)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(project)
        for arguments in _STAGES:
            assert main(arguments) == 0
