"""Headers and model files beside the models they are made of: every row is compared."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from smartsbd.contracts.tables import WINDOW_KEY
from smartsbd.export import header_folder
from smartsbd.export.compilers import Compiler
from smartsbd.export.exported_model import ExportedModel, load
from smartsbd.export.model_agreement import AgreementRows, agreeing
from smartsbd.export.probe import probing_rows
from smartsbd.export.verify import VerifyError
from smartsbd.models.stored import store
from smartsbd.models.stored.stored_model import StoredModel
from tests.export import made

WINDOWS = 40


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> ExportedModel:
    folder = tmp_path_factory.mktemp("trained")
    store.save(made.tree(1, 4, made.NAMES[:9]), folder / "sites/tree_paper.skops")
    return load(StoredModel.parse("sites/tree_paper"), folder, "tiled", "small", "nested")


@pytest.fixture
def windows() -> pd.DataFrame:
    rows = pd.DataFrame(made.rows_of(5, WINDOWS), columns=list(made.NAMES))
    rows = rows.assign(connection_id="sites/a#0", subflow_a=0, subflow_b=1, rule="tiled")
    return rows.assign(window_start_ns=range(WINDOWS))


@pytest.fixture
def predictions(model: ExportedModel, windows: pd.DataFrame) -> pd.DataFrame:
    """Those of the model, and others of the same windows."""
    said = model.fitted.estimator.predict(windows[list(model.fitted.feature_names)].to_numpy())
    own = windows[list(WINDOW_KEY)].assign(model="tree", feature_set="paper", train_set="sites/tiled", shared_pred=said)
    others = [{"model": "forest"}, {"feature_set": "invariant"}, {"train_set": "sites/triggered"}]
    return pd.concat([own, *(own.assign(shared_pred=~said, **other) for other in others)], ignore_index=True)


def rows_of(model: ExportedModel, windows: pd.DataFrame, predictions: pd.DataFrame) -> AgreementRows:
    return AgreementRows.of(model, windows, predictions, probing_rows(model.forest, rows=500, seed=1))


@pytest.fixture
def own_headers(model: ExportedModel, headers: Path, tmp_path: Path) -> Path:
    """Folder with the model's header and the runtime."""
    files = {path.name: path.read_bytes() for path in headers.iterdir()}
    header_folder.write({**files, model.header_name(): model.text.encode()}, tmp_path / "headers")
    return tmp_path / "headers"


def test_all_rows_agree(
    model: ExportedModel,
    windows: pd.DataFrame,
    predictions: pd.DataFrame,
    own_headers: Path,
    loaded: Path,
    gcc: Compiler,
) -> None:
    rows = rows_of(model, windows, predictions)
    counts = rows.counts()
    assert (counts["windows"], counts["predictions"]) == (WINDOWS, WINDOWS)
    assert counts["generated"] >= 500
    found = agreeing(model, rows, own_headers, loaded, gcc)
    said = model.fitted.estimator.predict(windows[list(model.fitted.feature_names)].to_numpy())
    assert found["shared_pred"].tolist() == said.tolist()
    assert set(found["model"]) == {"sbd_tree_paper"} and set(said) == {False, True}


def test_a_prediction_that_is_not_the_model_s_is_found(
    model: ExportedModel,
    windows: pd.DataFrame,
    predictions: pd.DataFrame,
    own_headers: Path,
    loaded: Path,
    gcc: Compiler,
) -> None:
    predictions.loc[7, "shared_pred"] = not predictions.loc[7, "shared_pred"]
    rows = rows_of(model, windows, predictions)
    with pytest.raises(VerifyError, match="sbd_tree_paper differs from its predictions in 1 rows"):
        agreeing(model, rows, own_headers, loaded, gcc)


def test_a_model_file_of_another_model_is_found(
    model: ExportedModel,
    windows: pd.DataFrame,
    predictions: pd.DataFrame,
    own_headers: Path,
    loaded: Path,
    gcc: Compiler,
    tmp_path: Path,
) -> None:
    store.save(made.tree(2, 4, made.NAMES[:9]), tmp_path / "sites/tree_paper.skops")
    other = load(model.stored, tmp_path, "tiled", "small", "nested")
    rows = rows_of(model, windows, predictions)
    with pytest.raises(VerifyError, match=r"tree_paper\.sbd differs from the model on \d+ of 40 rows"):
        agreeing(replace(model, file=other.file), rows, own_headers, loaded, gcc)


@pytest.mark.parametrize(("column", "value"), [("window_start_ns", 77), ("connection_id", "sites/none")])
def test_a_prediction_of_a_window_that_is_not_there_is_refused(
    column: str, value: int | str, model: ExportedModel, windows: pd.DataFrame, predictions: pd.DataFrame
) -> None:
    predictions.loc[7, column] = value
    with pytest.raises(VerifyError, match="tree_paper: predictions of windows that are in no table of features"):
        rows_of(model, windows, predictions)
