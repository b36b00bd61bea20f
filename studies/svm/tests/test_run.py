"""The study on windows whose label two features tell: what is written, and that a C that differs is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml

from smartsbd.contracts.contract import write_table
from smartsbd.export import svm
from smartsbd.features.catalog import PAIR_WINDOW
from smartsbd.pipelines.running.stage import EXIT_FAILED, EXIT_OK
from studies.__main__ import main
from studies.svm import nested
from tests.models import windows_made

# It compiles four headers for every target.
pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]
GRIDS: dict[str, Any] = {
    "tree": {"max_depth": [2]},
    "svm_rbf": {"c": [10], "gamma": [0.25]},
    "svm_linear": {"c": [1]},
}


def labelled() -> pd.DataFrame:
    """Windows of which one feature of each set tells the label."""
    rows = windows_made.pair_window(connections=40, per_connection=3)
    rng = np.random.default_rng(0)
    shared = rows["shared"].to_numpy(dtype=bool)
    return rows.assign(
        coarsened=False,
        denominator=0,
        n=51,
        rtt_correlation_q10=np.where(shared, 1, -1) * rng.integers(1, 1025, len(rows)),
    )


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    params = yaml.safe_load((ROOT / "params.yaml").read_text()) | {"workers": 1}
    # The other blocks may name what is searched alone, so the main road's families stay.
    params["search"] |= {
        "families": params["search"]["families"] | GRIDS,
        "rules": ["tiled"],
        "splits": 2,
        "test_share": 0.3,
        "top": [1, 3],
    }
    params["evaluate"]["resamples"] = 100
    (folder / "params.yaml").write_text(yaml.safe_dump(params))
    rows = labelled()
    columns = {column.name: rows[column.name].tolist() for column in PAIR_WINDOW.columns}
    (folder / "features").mkdir()
    write_table(PAIR_WINDOW, columns, folder / "features/pair_window.parquet")
    return folder


def run(project: Path, reports: Path) -> int:
    words = ["--params", str(project / "params.yaml"), "--dataset", "sites", "--features", str(project / "features")]
    return main(["svm", "run", *words, "--reports", str(reports)])


def test_accuracies_headers_and_the_proof(project: Path, tmp_path: Path) -> None:
    assert run(project, tmp_path) == EXIT_OK
    table = pd.read_csv(tmp_path / "accuracy.csv")
    models = {"svm_rbf", "svm_linear", *map(nested.bounded_name, nested.BOUNDS)}
    for feature_set in ("paper", "invariant"):
        of_set = table[table["feature_set"] == feature_set]
        assert set(zip(of_set["model"], of_set["numbers"], strict=True)) == {
            ("tree", "floats"),
            *((model, numbers) for model in models for numbers in ("floats", "integers")),
        }
    assert (table["balanced"] > 0.9).all() and (table["equal_to_floats"] > 0.95).all()
    tree = table[table["model"] == "tree"]
    assert (tree["balanced_minus_tree"] == 0).all() and (tree["vectors_most"] == 0).all()
    compared = table.merge(tree[["feature_set", "balanced"]], on="feature_set", suffixes=("", "_of_tree"))
    assert (compared["balanced"] - compared["balanced_of_tree"] - compared["balanced_minus_tree"]).abs().max() < 2e-4
    bounded = table[table["model"] == "svm_bounded_32"]
    assert (bounded["vectors_most"] <= 32).all()
    proofs = json.loads((tmp_path / "proof.json").read_text())
    assert set(proofs) == {path.stem for path in tmp_path.glob("*.h")} and len(proofs) == 4
    for proof in proofs.values():
        assert (proof["windows"], proof["drawn_rows"]) == (120, 100_000)
        assert 0 < proof["windows_shared"] < 120 and proof["largest_sum_bits"] <= 63
        assert {"bpf", "32-bit kernel"} <= {built["target"] for built in proof["built"]}


def test_c_that_decides_otherwise_fails(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = svm.render
    monkeypatch.setattr(svm, "render", lambda *arguments: whole(*arguments).replace("total > 0", "total < 0"))
    assert run(project, tmp_path) == EXIT_FAILED
    assert "differs on" in capsys.readouterr().err
    assert not (tmp_path / "proof.json").exists()
