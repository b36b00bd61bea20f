"""MLflow's mirror of small real searches: all of it is there, once, and a header leads back to its run."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest
import yaml

from smartsbd.contracts.contract import read_table
from smartsbd.features.catalog import PAIR_WINDOW
from smartsbd.models.stored import store
from smartsbd.pipelines.__main__ import main
from smartsbd.pipelines.reporting.report_files import read_json, write_json
from smartsbd.pipelines.tracking import experiment
from tests.pipelines.small_project import CONNECTIONS, DATASETS, EVALUATIONS, FAMILIES, KERNEL, ROOT, SPLITS, TILED

pytestmark = pytest.mark.slow

if TYPE_CHECKING:
    from mlflow import MlflowClient
    from mlflow.entities import Run

EXPERIMENT = "smartsbd-small"
CORRELATION_RUNS = {f"{dataset} correlation plain" for dataset in DATASETS}
AUTOML_RUNS = {
    f"{dataset} {model} invariant"
    for dataset in DATASETS
    for model in ("flaml", "tree of flaml", f"tree of flaml, {TILED} more windows")
}
SERIES_RUNS = {f"{dataset} knn_dtw {view}" for dataset in DATASETS for view in ("rtt_series", "queue_series")}


@pytest.fixture(scope="module")
def tracked(searched: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    project = tmp_path_factory.mktemp("tracked") / "project"
    shutil.copytree(searched, project)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(project)
        assert main(["track"]) == 0
        yield project


@pytest.fixture
def untracked(searched: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the project without a mirror."""
    copy = tmp_path / "project"
    shutil.copytree(searched, copy)
    monkeypatch.chdir(copy)
    return copy


def disable(project: Path) -> None:
    path = project / "params.yaml"
    path.write_text(yaml.safe_dump(yaml.safe_load(path.read_text()) | {"tracking": {"enabled": False}}))


@pytest.fixture
def mlflow_client(tracked: Path) -> MlflowClient:
    import mlflow

    uri = f"sqlite:///{tracked}/data/mlflow.db"
    mlflow.set_tracking_uri(uri)
    mlflow.set_registry_uri(uri)
    return mlflow.MlflowClient()


def load(uri: str) -> Any:
    import mlflow.pyfunc

    return mlflow.pyfunc.load_model(uri)


def experiment_id(client: MlflowClient) -> str:
    found = client.get_experiment_by_name(EXPERIMENT)
    assert found is not None
    return str(found.experiment_id)


def all_runs(client: MlflowClient) -> list[Run]:
    return list(client.search_runs([experiment_id(client)]))


def outputs_of(run: Run) -> list[Any]:
    return run.outputs.model_outputs if run.outputs else []


def run_named(client: MlflowClient, name: str) -> Run:
    (found,) = [run for run in all_runs(client) if run.info.run_name == name]
    return found


def test_there_is_a_parent_a_model_and_a_child_a_setting(tracked: Path, mlflow_client: MlflowClient) -> None:
    runs = all_runs(mlflow_client)
    assert {run.info.status for run in runs} == {"FINISHED"}
    children = [run for run in runs if "mlflow.parentRunId" in run.data.tags]
    parents = {run.info.run_name: run for run in runs if "mlflow.parentRunId" not in run.data.tags}
    wanted = {
        f"{dataset} {family} {feature_set}"
        for dataset in ("sites", "diverse")
        for family in FAMILIES
        for feature_set in ("paper", "invariant")
    }
    assert set(parents) == wanted | SERIES_RUNS | CORRELATION_RUNS | AUTOML_RUNS
    grids = pd.concat([pd.read_csv(tracked / f"reports/grid/{name}.csv") for name in ("sites", "diverse")])
    assert len(children) == len(grids) == 32
    parent = parents["sites tree paper"]
    own = [run for run in children if run.data.tags["mlflow.parentRunId"] == parent.info.run_id]
    assert {run.info.run_name for run in own} == {f"top {top}, max_depth {depth}" for top in (1, 3) for depth in (1, 2)}
    grid = grids[(grids["dataset"] == "sites") & (grids["family"] == "tree") & (grids["feature_set"] == "paper")]
    for row in grid.to_dict("records"):
        (child,) = [
            run
            for run in own
            if run.data.params["top"] == str(row["top"]) and run.data.params["max_depth"] == f"{row['max_depth']:g}"
        ]
        assert set(child.data.params) == {"dataset", "family", "feature_set", "top", "max_depth"}
        assert child.data.metrics == {"mean_accuracy": row["mean_accuracy"], "sd_accuracy": row["sd_accuracy"]}
    chosen = read_json(tracked / "reports/chosen/sites.json")["tree_paper"]
    (marked,) = [run for run in own if run.data.tags.get("chosen") == "true"]
    assert marked.data.params["max_depth"] == str(chosen["setting"]["max_depth"])
    assert len([run for run in own if run.data.tags.get("paper_choice") == "true"]) == 1


def test_a_parent_has_parameters_metrics_with_intervals_digests_and_figures(
    tracked: Path, mlflow_client: MlflowClient
) -> None:
    run = run_named(mlflow_client, "sites tree paper")
    chosen = read_json(tracked / "reports/chosen/sites.json")["tree_paper"]
    expected = {"dataset": "sites", "rule": "tiled", "splits": str(SPLITS), "test_share": "0.35", "profile": "small"}
    expected |= {"scaling": "standard", "chosen_top": str(chosen["setting"]["top"]), "windows": str(TILED)}
    expected |= {"grid_top": "1, 3", "grid_max_depth": "1, 2"}
    assert expected.items() <= run.data.params.items()
    assert run.data.params["features"] == ", ".join(chosen["features"])
    table = pd.read_csv(tracked / "reports/accuracy.csv")
    table = table[
        (table["model"] == "tree") & (table["feature_set"] == "paper") & (table["train_set"] == "sites/tiled")
    ]
    places = {("sites/tiled", "all"): "nested"}
    places |= {
        (name, "all"): f"on_{name}"
        for name in ("sites/triggered", "diverse/tiled", *(f"{one}/tiled" for one in KERNEL))
    }
    places |= {("sites/tiled", site): f"nested/site_{site}" for site in ("s0", "s1", "s2")}
    rows = table.set_index(["test_set", "site"])
    expected_metrics = {name: chosen[name] for name in ("paper_accuracy", "nested_accuracy")}
    for key, place in places.items():
        for name in ("overall", "overall_low", "overall_high", "balanced", "recall_shared", "recall_not_shared"):
            value = rows[name].to_dict()[key]
            if not np.isnan(value):
                expected_metrics[f"{place}/{name}"] = value
    assert {"nested/overall_low", "on_diverse/tiled/overall_high", "nested/site_s0/overall"} <= set(expected_metrics)
    assert run.data.metrics == expected_metrics
    assert run.data.tags["model_digest"] == chosen["model"]
    assert run.data.tags["header"] == "sbd_tree_paper"
    features = tracked / "data/features/sites/pair_window.parquet"
    digest = subprocess.run(["sha256sum", features], capture_output=True, text=True, check=True).stdout.split()[0]
    assert run.data.tags["input_sha256"] == digest
    (given,) = run.inputs.dataset_inputs if run.inputs else []
    assert digest.startswith(given.dataset.digest)
    assert json.loads(given.dataset.profile or "") == {"num_rows": TILED + CONNECTIONS}
    folders = ("figures", "figures/swapped")
    found = [one for folder in folders for one in mlflow_client.list_artifacts(run.info.run_id, folder)]
    figures = {one.path for one in found if not one.is_dir}
    assert figures == {f"figures/{name}.png" for name in ("accuracy", "grid_sites", "swapped/sites")}
    (stored,) = mlflow_client.list_artifacts(run.info.run_id, "stored")
    local = Path(mlflow_client.download_artifacts(run.info.run_id, stored.path))
    assert store.digest(local) == chosen["model"]
    assert json.loads(Path(mlflow_client.download_artifacts(run.info.run_id, "chosen.json")).read_text()) == chosen


@pytest.mark.filterwarnings("ignore:X has feature names")
@pytest.mark.parametrize("family", ["tree", "logistic"])
def test_the_model_has_a_signature_and_decides_as_the_stored_one(
    tracked: Path, mlflow_client: MlflowClient, family: str
) -> None:
    run = run_named(mlflow_client, f"sites {family} invariant")
    (output,) = outputs_of(run)
    loaded = load(f"models:/{output.model_id}")
    fitted = store.load(tracked / f"data/trained/sites/{family}_invariant.skops")
    assert tuple(loaded.metadata.signature.inputs.input_names()) == fitted.feature_names
    rows = read_table(PAIR_WINDOW, tracked / "data/features/diverse/pair_window.parquet").to_pandas()
    own = rows[list(fitted.feature_names)]
    expected = fitted.estimator.predict(own.to_numpy(dtype=np.float64))
    assert np.array_equal(loaded.predict(own), expected)
    assert expected.any() and not expected.all()
    assert loaded.input_example.equals(
        read_table(PAIR_WINDOW, tracked / "data/features/sites/pair_window.parquet")
        .to_pandas()[list(fitted.feature_names)]
        .head(5)
    )
    logged = mlflow_client.get_logged_model(output.model_id)
    assert logged.status == "READY"
    assert {metric.key: metric.value for metric in logged.metrics or []} == run.data.metrics


def test_a_model_of_series_is_logged_without_a_signature_and_says_so(
    tracked: Path, mlflow_client: MlflowClient
) -> None:
    for name in SERIES_RUNS:
        run = run_named(mlflow_client, name)
        assert not outputs_of(run)
        assert run.data.tags["signature"] == "none: the input (rtt_a_us, rtt_b_us) is no table's columns"
        (stored,) = mlflow_client.list_artifacts(run.info.run_id, "stored")
        assert stored.path == f"stored/{name.split(' ', 1)[1].replace(' ', '_')}.skops"
        assert "nested/overall_low" in run.data.metrics
        assert "paper_accuracy" not in run.data.metrics


def test_what_automl_found_is_there_with_its_costs_and_what_was_not_run_is_not(
    tracked: Path, mlflow_client: MlflowClient
) -> None:
    table = pd.read_csv(tracked / "data/automl/sites/accuracy.csv")
    (row,) = table[
        (table["model"] == "flaml") & (table["test_set"] == "sites/tiled") & (table["site"] == "all")
    ].to_dict("records")
    run = run_named(mlflow_client, "sites flaml invariant")
    expected = {f"on_sites/tiled/{name}": row[name] for name in ("overall", "balanced", "less_tree", "less_tree_low")}
    expected |= {name: row[name] for name in ("cpu_s", "model_bytes", "evaluations")}
    assert expected.items() <= run.data.metrics.items()
    assert run.data.metrics["cpu_s"] > 0
    assert run.data.params["asked_evaluations"] == str(EVALUATIONS)
    assert run.data.params["for_a_kernel"] == str(row["kernel"])
    files = {one.path for one in mlflow_client.list_artifacts(run.info.run_id, "automl")}
    assert files == {f"automl/{name}.csv" for name in ("history", "leaderboard", "members")}
    student = run_named(mlflow_client, f"sites tree of flaml, {TILED} more windows invariant")
    assert student.data.params["learnt_from"] == f"flaml, {TILED} more windows"
    assert not [run for run in all_runs(mlflow_client) if "auto-sklearn" in str(run.info.run_name)]


@pytest.mark.slow
def test_a_replayed_detector_is_a_run_of_its_own_view(untracked: Path) -> None:
    table = "detector,parameters,right,right_low,right_high,decided,decided_low,decided_high,"
    table += "coverage_shared,coverage_not_shared,wrong,none,first_s\n"
    folder = untracked / "reports/verdicts"
    folder.mkdir()
    (folder / "sites.csv").write_text(
        table + "wavelet,default,0.75,0.5,1,0.8,0.6,1,1,0.9,3,1,10.5\nsilent,default,0,0,0,,,,0,0,0,9,\n"
    )
    (folder / "kernel.csv").write_text(table + "wavelet,default,1,1,1,1,1,1,1,1,0,0,9.5\n")
    assert main(["track"]) == 0
    import mlflow

    uri = f"sqlite:///{untracked / 'data/mlflow.db'}"
    client = mlflow.MlflowClient(uri, uri)
    run = run_named(client, "wavelet default")
    assert run.data.tags["kind"] == "detector"
    assert run.data.metrics["on_sites/right"] == 0.75 and run.data.metrics["on_kernel/first_s"] == 9.5
    silent = run_named(client, "silent default")
    assert silent.data.metrics["on_sites/none"] == 9 and "on_sites/decided" not in silent.data.metrics
    tags = client.get_experiment(experiment_id(client)).tags
    state = json.loads(json.loads(tags["mlflow.sharedViewState.detectors"])["state"])
    assert state["selectedColumns"] == ["metrics.`on_sites/right`", "metrics.`on_kernel/right`"]
    found = client.search_runs([experiment_id(client)], state["searchFilter"])
    assert {one.info.run_name for one in found} == {"wavelet default", "silent default"}


def test_the_alias_points_to_the_best_exported_model(tracked: Path, mlflow_client: MlflowClient) -> None:
    chosen = read_json(tracked / "reports/chosen/sites.json")
    assert chosen["tree_paper"]["nested_accuracy"] > chosen["tree_invariant"]["nested_accuracy"]
    version = mlflow_client.get_model_version_by_alias(EXPERIMENT, experiment.ALIAS)
    assert version.run_id == run_named(mlflow_client, "sites tree paper").info.run_id
    assert version.tags["model_digest"] == chosen["tree_paper"]["model"]
    assert load(f"models:/{EXPERIMENT}@{experiment.ALIAS}").metadata.signature is not None


@pytest.mark.parametrize("model", ["tree_paper", "tree_invariant"])
@pytest.mark.parametrize("given", ["export/generated/sbd_{}.h", "data/trained/sites/{}.skops", "digest"])
def test_a_run_is_found_again(
    tracked: Path,
    mlflow_client: MlflowClient,
    given: str,
    model: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    digest = store.digest(tracked / f"data/trained/sites/{model}.skops")
    run = run_named(mlflow_client, f"sites {model.replace('_', ' ')}")
    assert main(["run", digest if given == "digest" else given.format(model)]) == 0
    shown = dict(line.split("  ", 1) for line in capsys.readouterr().out.splitlines())
    shown = {name: value.strip() for name, value in shown.items()}
    assert shown["run"] == run.info.run_name
    assert shown["run id"] == run.info.run_id
    assert shown["experiment"] == EXPERIMENT
    assert shown["commit"] == run.data.tags["commit"]
    assert shown["model"] == digest
    assert float(shown["metric nested/overall_low"]) == pytest.approx(run.data.metrics["nested/overall_low"])
    assert shown["parameter features"] == run.data.params["features"]
    assert (Path(shown["model in MLflow"].removeprefix("file://")) / "MLmodel").exists()
    assert shown.get("registered") == (f"{EXPERIMENT}/1 @{experiment.ALIAS}" if model == "tree_paper" else None)


@pytest.mark.slow
def test_running_again_adds_nothing_and_a_change_adds_its_own_run(tracked: Path, mlflow_client: MlflowClient) -> None:
    output = tracked / "data/tracked.json"
    before, text = {run.info.run_id for run in all_runs(mlflow_client)}, output.read_bytes()
    assert main(["track"]) == 0
    assert {run.info.run_id for run in all_runs(mlflow_client)} == before
    assert len(mlflow_client.search_model_versions(f"name = '{EXPERIMENT}'")) == 1
    assert output.read_bytes() == text
    assert json.loads(text)["runs"]["sites tree paper"]["settings"] == 4
    figure = tracked / "reports/figures/grid_diverse.png"
    figure.write_bytes(figure.read_bytes() + b" ")
    assert main(["track"]) == 0
    new = [run for run in all_runs(mlflow_client) if run.info.run_id not in before]
    assert {run.data.params["dataset"] for run in new} == {"diverse"}
    assert len([run for run in new if "mlflow.parentRunId" not in run.data.tags]) == 9
    assert output.read_bytes() == text


def test_a_run_that_stands_says_what_one_logged_now_would_say(tracked: Path, mlflow_client: MlflowClient) -> None:
    before = {run.info.run_id for run in all_runs(mlflow_client)}
    run = run_named(mlflow_client, "sites tree paper")
    said = run.data.tags["mlflow.note.content"]
    digest = read_json(tracked / "reports/chosen/sites.json")["tree_paper"]["model"]
    assert f"model {digest}, exported as `sbd_tree_paper`" in said
    (output,) = outputs_of(run)
    mlflow_client.set_tag(run.info.run_id, "mlflow.note.content", "as it was said once")
    mlflow_client.delete_tag(run.info.run_id, "kind")
    mlflow_client.set_logged_model_tags(output.model_id, {"mlflow.note.content": "as it was said once"})
    assert main(["track"]) == 0
    again = mlflow_client.get_run(run.info.run_id)
    assert again.data.tags["mlflow.note.content"] == said
    assert again.data.tags["kind"] == "model"
    assert mlflow_client.get_logged_model(output.model_id).tags["mlflow.note.content"] == said
    assert {run.info.run_id for run in all_runs(mlflow_client)} == before


def test_each_view_chooses_its_kind_of_run_by_columns_that_are_there(
    tracked: Path, mlflow_client: MlflowClient
) -> None:
    tags = mlflow_client.get_experiment(experiment_id(mlflow_client)).tags
    found = {}
    for key in ("models", "automl", "settings"):
        state = json.loads(json.loads(tags[f"mlflow.sharedViewState.{key}"])["state"])
        assert state["orderByKey"] in state["selectedColumns"]
        runs = mlflow_client.search_runs(
            [experiment_id(mlflow_client)], state["searchFilter"], order_by=[f"{state['orderByKey']} DESC"]
        )
        found[key] = {run.info.run_id for run in runs}
        for column in state["selectedColumns"]:
            kind, name = column.rstrip("`").split(".`")
            assert any(name in getattr(run.data, kind) for run in runs), column
    assert set.union(*found.values()) == {run.info.run_id for run in all_runs(mlflow_client)}
    assert sum(map(len, found.values())) == len(all_runs(mlflow_client))


def test_what_a_killed_stage_left_is_deleted(tracked: Path, mlflow_client: MlflowClient) -> None:
    before = {run.info.run_id for run in all_runs(mlflow_client)}
    half = mlflow_client.create_run(experiment_id(mlflow_client), run_name="half").info.run_id
    for ended in (True, False):
        child = mlflow_client.create_run(experiment_id(mlflow_client), tags={"mlflow.parentRunId": half}).info.run_id
        if ended:
            mlflow_client.set_terminated(child)
    assert main(["track"]) == 0
    assert {run.info.run_id for run in all_runs(mlflow_client)} == before


#: Runs ``sbd track`` and reports which addresses were asked for, and whether MLflow was imported.
WATCHED = """
import sys
asked = []
def watch(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.sendto"):
        asked.append((event, arguments[-1] if event == "socket.connect" else arguments[0]))
sys.addaudithook(watch)
from smartsbd.pipelines.__main__ import main
code = main(["track", "-q"])
print(code, "mlflow" in sys.modules, asked)
"""


def watched(project: Path) -> str:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("MLFLOW", "DO_NOT"))}
    environment |= {"PYTHONPATH": str(ROOT), "MLFLOW_TRACKING_URI": "http://mlflow.invalid"}
    environment |= {"MLFLOW_REGISTRY_URI": "http://mlflow.invalid"}
    shown = subprocess.run(
        [sys.executable, "-c", WATCHED], cwd=project, env=environment, capture_output=True, text=True, check=True
    )
    assert not shown.stderr
    return shown.stdout.strip()


@pytest.mark.slow
def test_no_address_is_asked_for(untracked: Path) -> None:
    assert watched(untracked) == "0 True []"
    assert (untracked / "data/mlflow.db").exists()


def test_switched_off_it_writes_no_database_and_does_not_import_mlflow(untracked: Path) -> None:
    disable(untracked)
    assert watched(untracked) == "0 False []"
    assert json.loads((untracked / "data/tracked.json").read_text()) == {"enabled": False}
    assert not list((untracked / "data").glob("mlflow*"))


def noise_as_database(project: Path) -> None:
    (project / "data/mlflow.db").write_bytes(b"noise" * 1000)


def other_model(project: Path) -> None:
    shutil.copy(project / "data/trained/sites/tree_paper.skops", project / "data/trained/sites/tree_invariant.skops")


def other_headers(project: Path) -> None:
    write_json({"sbd_tree_paper": {"model": "0" * 16}}, project / "reports/export.json")


def no_accuracy(project: Path) -> None:
    (project / "reports/accuracy.csv").unlink()


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (noise_as_database, "data/mlflow.db: cannot be used as MLflow's store"),
        (other_model, "tree_invariant.skops: is model"),
        (other_headers, "reports/export.json: none of its models is in the chosen ones"),
        (no_accuracy, "reports/accuracy.csv: no such file"),
    ],
)
def test_what_cannot_be_mirrored_is_named(
    untracked: Path, spoil: Callable[[Path], None], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    spoil(untracked)
    assert main(["track", "-q"]) == 3
    errors = capsys.readouterr().err
    assert message in errors
    assert len(errors.splitlines()) == 1
    assert not (untracked / "data/tracked.json").exists()


def test_a_store_made_in_another_folder_is_refused(
    tracked: Path, untracked: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copy(tracked / "data/mlflow.db", untracked / "data/mlflow.db")
    assert main(["track", "-q"]) == 3
    assert "move it away, or set tracking.enabled to false" in capsys.readouterr().err


def test_what_leads_to_no_run_is_named(tracked: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plain = tmp_path / "plain.h"
    plain.write_bytes(b"/* no banner */\n\xff")
    for given, code, message in [
        ("fly", 2, "fly: neither a file nor a model's digest"),
        (str(tmp_path), 2, "neither a file nor a model's digest"),
        (str(plain), 3, "plain.h: no banner of an exported header"),
        ("0123456789abcdef", 1, "no run in data/mlflow.db has model 0123456789abcdef"),
    ]:
        assert main(["run", given]) == code
        errors = capsys.readouterr().err
        assert message in errors
        assert len(errors.splitlines()) == 1


def test_without_a_store_there_is_nothing_to_serve(untracked: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ui"]) == 3
    assert "data/mlflow.db: no such file: run `sbd stage track`" in capsys.readouterr().err
    assert not (untracked / "data/mlflow.db").exists()


def test_another_profiles_store_is_not_served(
    tracked: Path, untracked: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copy(tracked / "data/mlflow.db", untracked / "data/mlflow.db")
    path = untracked / "params.yaml"
    path.write_text(yaml.safe_dump(yaml.safe_load(path.read_text()) | {"profile": "other"}))
    assert main(["ui"]) == 3
    assert "has no experiment smartsbd-other" in capsys.readouterr().err


def test_without_a_store_there_is_nothing_to_find(untracked: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "0123456789abcdef"]) == 3
    assert "data/mlflow.db: no such file: run `sbd stage track`" in capsys.readouterr().err
    assert not (untracked / "data/mlflow.db").exists()
