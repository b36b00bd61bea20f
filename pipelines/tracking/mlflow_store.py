"""The store of MLflow. No other module imports MLflow, and this one is imported only to log or find a run.

The store is one sqlite file beside the data; nothing in the pipeline reads it back. Nothing leaves the machine:
telemetry is off, and the address of the store is given, never taken from the environment.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from smartsbd.contracts import shortage
from smartsbd.models.stored import store
from smartsbd.pipelines.tracking.runs import (
    CandidateRun,
    Child,
    FoundRun,
    Parent,
    TrackingError,
    View,
    candidate_sha256,
    content_sha256,
)

os.environ["MLFLOW_DISABLE_TELEMETRY"] = "true"
os.environ["DO_NOT_TRACK"] = "1"
os.environ["MLFLOW_ENABLE_ARTIFACTS_PROGRESS_BAR"] = "false"
os.environ["MLFLOW_LOGGING_LEVEL"] = "WARNING"

# MLflow reads the above when it is imported.
import mlflow.sklearn
from mlflow import MlflowClient
from mlflow.entities import (
    Dataset,
    DatasetInput,
    InputTag,
    LoggedModelOutput,
    Metric,
    Param,
    Run,
)
from mlflow.exceptions import MlflowException
from mlflow.models import Model, ModelSignature
from mlflow.types import ColSpec, DataType, Schema, TensorSpec
from sqlalchemy.exc import SQLAlchemyError

if TYPE_CHECKING:
    from starlette.types import ASGIApp

#: Results are made by the pipeline, so they do not count as changes of a run's sources.
_NOT_SOURCES = (":!reports", ":!studies/*/reports/*", ":!export/generated", ":!*dvc.lock")
LOOPBACK = "127.0.0.1"
_ARTIFACTS = "mlflow_artifacts"
_FIGURES = "figures"
_MODEL = "model"
_COLUMN_TYPES = {"int32": DataType.integer, "int64": DataType.long, "float64": DataType.double}
_LONGEST_DIGEST = 36  # of a dataset in MLflow
_NOTE = "mlflow.note.content"
_VIEW = "mlflow.sharedViewState."
_COLUMN_PX = 150
_MODEL_KIND = {"kind": "model"}


def _git(*arguments: str) -> str | None:
    shown = subprocess.run(["git", *arguments], capture_output=True, text=True, check=False)
    return shown.stdout.strip() if shown.returncode == 0 else None


def _source_tags() -> dict[str, str]:
    commit = _git("rev-parse", "HEAD")
    changed = _git("status", "--porcelain", "--", ".", *_NOT_SOURCES)
    tags = {"mlflow.source.name": "sbd track", "mlflow.source.type": "LOCAL"}
    if not commit:
        return {**tags, "commit": "not in git"}
    sources = "changed since the commit" if changed else "as in the commit"
    return {**tags, "commit": commit, "mlflow.source.git.commit": commit, "sources": sources}


def _client(database: Path) -> MlflowClient:
    """Open a store; MLflow makes the tables of a new one."""
    uri = f"sqlite:///{database.absolute()}"
    # Parts of MLflow ask for the store by themselves; they would make one of their own.
    mlflow.set_tracking_uri(uri)
    mlflow.set_registry_uri(uri)
    try:
        client = MlflowClient()
        client.search_experiments(max_results=1)
    except (MlflowException, SQLAlchemyError) as error:
        if shortage.said_of(error) is not None:
            raise
        reason = " ".join(str(error).split())
        raise TrackingError(f"{database}: cannot be used as MLflow's store, move it away: {reason:.200}") from error
    return client


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


def _metrics(
    metrics: Mapping[str, float], timestamp_ms: int, model_id: str | None = None, step: int = 0
) -> list[Metric]:
    return [Metric(name, value, timestamp_ms, step, model_id=model_id) for name, value in metrics.items()]


def _params(params: Mapping[str, str]) -> list[Param]:
    return [Param(name, value) for name, value in params.items()]


def _model_outputs(run: Run) -> list[LoggedModelOutput]:
    return run.outputs.model_outputs if run.outputs else []


def _column(name: str) -> str:
    """Return a column as MLflow's page names it: metrics.`nested/overall`."""
    kind, field = name.split(".", 1)
    return f"{kind}.`{field}`"


def _view(view: View) -> str:
    """Return a view as MLflow's page stores one, in a tag of the experiment."""
    state = {
        "searchFilter": view.chosen_by,
        "orderByKey": _column(view.sorted_by),
        "orderByAsc": False,
        "startTime": "ALL",
        "lifecycleFilter": "Active",
        "modelVersionFilter": "All Runs",
        "datasetsFilter": [],
        "selectedColumns": [_column(name) for name in view.columns],
        "columnOrder": [_column(name) for name in view.columns],
        "columnWidths": {_column(name): _COLUMN_PX for name in view.columns},
    }
    return json.dumps({"name": view.name, "createdAt": 0, "updatedAt": 0, "state": json.dumps(state)})


def _signature(example: pd.DataFrame) -> ModelSignature:
    """Return the model's signature: inputs of the types of the table's columns, and one verdict for each row."""
    inputs = Schema([ColSpec(_COLUMN_TYPES[str(kind)], str(name)) for name, kind in example.dtypes.items()])
    return ModelSignature(inputs=inputs, outputs=Schema([TensorSpec(np.dtype(bool), (-1,))]))


class Mirror:
    """One experiment in MLflow's store.

    Parameters
    ----------
    database : Path
        The sqlite file; artifacts lie beside it.
    experiment : str
        Its name; each profile has its own.

    Raises
    ------
    TrackingError
        If the store is not MLflow's, is another version's, or was made in another folder.
    """

    def __init__(self, database: Path, experiment: str) -> None:
        database.parent.mkdir(parents=True, exist_ok=True)
        self._client = _client(database)
        self._experiment_id = self._experiment(database, experiment)
        self._source_tags = _source_tags()

    def _experiment(self, database: Path, name: str) -> str:
        artifacts = (database.parent / _ARTIFACTS).absolute().as_uri()
        known = self._client.get_experiment_by_name(name)
        if known is None:
            return self._client.create_experiment(name, artifact_location=artifacts)
        if known.artifact_location != artifacts:
            raise TrackingError(
                f"{database}: was made for {known.artifact_location}: move it away, or set tracking.enabled to false"
            )
        if known.lifecycle_stage == "deleted":
            self._client.restore_experiment(known.experiment_id)
        return str(known.experiment_id)

    def _search(self, filter_string: str) -> list[Run]:
        runs: list[Run] = []
        token = None
        while True:
            page = self._client.search_runs([self._experiment_id], filter_string, page_token=token)
            runs += page
            token = page.token
            if not token:
                return runs

    def describe(self, note: str, views: Sequence[View]) -> None:
        """Write the experiment's note and views, unless they are there already."""
        wanted = {_NOTE: note, **{_VIEW + view.key: _view(view) for view in views}}
        tags = self._client.get_experiment(self._experiment_id).tags
        for key, value in wanted.items():
            if tags.get(key) != value:
                self._client.set_experiment_tag(self._experiment_id, key, value)

    def forget_unfinished(self) -> int:
        """Delete the runs that a killed stage left unfinished; return their number."""
        half = {run.info.run_id: run for run in self._search("attributes.status = 'RUNNING'")}
        for run_id in list(half):
            of_it = self._search(f"tags.`mlflow.parentRunId` = '{run_id}'")
            half |= {child.info.run_id: child for child in of_it}
        for run_id, run in half.items():
            for output in _model_outputs(run):
                self._client.delete_logged_model(output.model_id)
            self._client.delete_run(run_id)
        return len(half)

    def log(self, parent: Parent) -> bool:
        """Log a run and its children, unless a finished run of the same content is there.

        Returns
        -------
        bool
            Whether it was logged.
        """
        content = content_sha256(parent)
        described = {_NOTE: parent.description, **_MODEL_KIND}
        if self._stands(content, described):
            return False
        identity = {"content_sha256": content, "model_digest": parent.model_digest}
        tags = {**parent.tags, **self._source_tags, **described, **identity}
        # The parent ends last: one that is finished has all its children.
        run = self._client.create_run(self._experiment_id, _now_ms(), tags, parent.name)
        run_id = run.info.run_id
        model_id = None if parent.example is None else self._log_model(run_id, parent, parent.example)
        self._client.log_batch(run_id, _metrics(parent.metrics, _now_ms(), model_id), _params(parent.params))
        self._log_input(run_id, parent)
        for figure in parent.figures:
            # Figures of one kind are in a folder of their own, each named after its dataset.
            kind = [] if figure.parent.name == _FIGURES else [figure.parent.name]
            self._client.log_artifact(run_id, str(figure), "/".join([_FIGURES, *kind]))
        self._client.log_dict(run_id, dict(parent.chosen), "chosen.json")
        self._client.log_artifact(run_id, str(parent.model_path), "stored")
        for child in parent.children:
            self._log_child(run_id, child)
        self._client.set_terminated(run_id)
        return True

    def log_candidate(self, candidate: CandidateRun) -> bool:
        """Log a run without a model, unless a finished run of the same content is there; return whether it was."""
        content = candidate_sha256(candidate)
        described = {_NOTE: candidate.description, "kind": candidate.kind}
        if self._stands(content, described):
            return False
        tags = {**self._source_tags, **described, "content_sha256": content}
        run_id = self._client.create_run(self._experiment_id, _now_ms(), tags, candidate.name).info.run_id
        self._client.log_batch(run_id, _metrics(candidate.metrics, _now_ms()), _params(candidate.params))
        for step, taken in candidate.curve:
            self._client.log_batch(run_id, _metrics(taken, _now_ms(), step=step))
        for path in candidate.files:
            self._client.log_artifact(run_id, str(path), candidate.kind)
        self._client.set_terminated(run_id)
        return True

    def register_file(self, candidate: CandidateRun, file: Path, name: str, alias: str, description: str) -> None:
        """Register a file of a logged run under an alias; a version of the same run is used again.

        Parameters
        ----------
        candidate : CandidateRun
        file : Path
            One of its files.
        name : str
            Of the registered model.
        alias : str
        description : str
            Of the registered model; the version's is the run's.
        """
        content = candidate_sha256(candidate)
        run = self._search(f"tags.content_sha256 = '{content}' and attributes.status = 'FINISHED'")[0]
        source = f"{run.info.artifact_uri}/{candidate.kind}/{file.name}"
        self._alias(name, alias, description, run.info.run_id, candidate.description, source)

    def _stands(self, content: str, described: Mapping[str, str]) -> bool:
        """Return whether a run of this content is there; if so, give it the tags that one logged now would have."""
        standing = self._search(f"tags.content_sha256 = '{content}' and attributes.status = 'FINISHED'")
        for run in standing:
            stale = {key: value for key, value in described.items() if run.data.tags.get(key) != value}
            for key, value in stale.items():
                self._client.set_tag(run.info.run_id, key, value)
            if stale:
                for output in _model_outputs(run):
                    self._client.set_logged_model_tags(output.model_id, {_NOTE: described[_NOTE]})
        return bool(standing)

    def _log_child(self, parent_id: str, child: Child) -> None:
        tags = {**child.tags, **self._source_tags, "mlflow.parentRunId": parent_id}
        run = self._client.create_run(self._experiment_id, _now_ms(), tags, child.name)
        self._client.log_batch(run.info.run_id, _metrics(child.metrics, _now_ms()), _params(child.params))
        self._client.set_terminated(run.info.run_id)

    def _log_input(self, run_id: str, parent: Parent) -> None:
        table = parent.input_table
        dataset = Dataset(
            name=table.name,
            digest=table.sha256[:_LONGEST_DIGEST],
            source_type="local",
            source=f'{{"uri": "{table.path.as_posix()}"}}',
            profile=f'{{"num_rows": {table.rows}}}',
        )
        self._client.log_inputs(run_id, [DatasetInput(dataset, [InputTag("mlflow.data.context", "training")])])

    def _log_model(self, run_id: str, parent: Parent, example: pd.DataFrame) -> str:
        """Log the estimator as MLflow's own sklearn.log_model does, without trying the example in a served model."""
        logged = self._client.create_logged_model(
            self._experiment_id,
            name=parent.name.replace(" ", "_"),
            source_run_id=run_id,
            tags={"model_digest": parent.model_digest, _NOTE: parent.description},
            params=dict(parent.params),
        )
        self._client.log_outputs(run_id, [LoggedModelOutput(logged.model_id, 0)])
        with tempfile.TemporaryDirectory() as folder:
            mlflow.sklearn.save_model(
                store.load(parent.model_path).estimator,
                f"{folder}/{_MODEL}",
                mlflow_model=Model(
                    artifact_path=logged.artifact_location,
                    model_uuid=logged.model_id,
                    run_id=run_id,
                    model_id=logged.model_id,
                ),
                serialization_format=mlflow.sklearn.SERIALIZATION_FORMAT_SKOPS,
                skops_trusted_types=store.TRUSTED,
                signature=_signature(example),
                input_example=example,
                pip_requirements=[f"{name}=={metadata.version(name)}" for name in ("scikit-learn", "skops")],
            )
            self._client.log_model_artifacts(logged.model_id, f"{folder}/{_MODEL}")
        self._client.finalize_logged_model(logged.model_id, "READY")
        return str(logged.model_id)

    def register(self, parent: Parent, name: str, alias: str, description: str) -> None:
        """Register a logged run's model under an alias; a version of the same run is used again.

        Parameters
        ----------
        parent : Parent
        name : str
            Of the registered model.
        alias : str
        description : str
            Of the registered model; the version's is the run's.

        Raises
        ------
        TrackingError
            If the model was logged without MLflow's form of it.
        """
        content = content_sha256(parent)
        run = self._search(f"tags.content_sha256 = '{content}' and attributes.status = 'FINISHED'")[0]
        run_id = run.info.run_id
        outputs = _model_outputs(run)
        if not outputs:
            raise TrackingError(f"{parent.name}: has no model that MLflow can load, so none is registered")
        model_id = outputs[0].model_id
        tags = {"model_digest": parent.model_digest, "run": parent.name}
        self._alias(name, alias, description, run_id, parent.description, f"models:/{model_id}", tags, model_id)

    def _alias(
        self,
        name: str,
        alias: str,
        description: str,
        run_id: str,
        version_description: str,
        source: str,
        tags: Mapping[str, str] | None = None,
        model_id: str | None = None,
    ) -> None:
        """Give an alias to the version of a registered model that is a run's, which is made if there is none."""
        if not self._client.search_registered_models(f"name = '{name}'"):
            self._client.create_registered_model(name)
        self._client.update_registered_model(name, description)
        versions = {
            version.run_id: version.version for version in self._client.search_model_versions(f"name = '{name}'")
        }
        if run_id not in versions:
            made = self._client.create_model_version(name, source, run_id, dict(tags or {}), model_id=model_id)
            versions[run_id] = made.version
        self._client.update_model_version(name, versions[run_id], version_description)
        self._client.set_registered_model_alias(name, alias, versions[run_id])


def _versions(client: MlflowClient, run_id: str) -> tuple[str, ...]:
    """Return the registered versions of a run's model, each with its aliases; a search does not give these."""
    versions = []
    for version in client.search_model_versions(f"run_id = '{run_id}'"):
        aliases = client.get_registered_model(version.name).aliases
        names = sorted(f"@{alias}" for alias, number in aliases.items() if str(number) == str(version.version))
        versions.append(" ".join([f"{version.name}/{version.version}", *names]))
    return tuple(versions)


def _found_run(client: MlflowClient, run: Run, experiments: Mapping[str, str]) -> FoundRun:
    return FoundRun(
        name=run.info.run_name,
        run_id=run.info.run_id,
        experiment=experiments[run.info.experiment_id],
        params=run.data.params,
        metrics=run.data.metrics,
        tags=run.data.tags,
        artifacts=run.info.artifact_uri,
        models=tuple(client.get_logged_model(output.model_id).artifact_location for output in _model_outputs(run)),
        versions=_versions(client, run.info.run_id),
    )


def _standing_client(database: Path) -> MlflowClient:
    if not database.exists():
        raise TrackingError(f"{database}: no such file: run `sbd stage track` with tracking.enabled, or `dvc repro`")
    return _client(database)


def runs_address(database: Path, experiment: str, view: View, port: int) -> str:
    """Return the address at which a server on loopback shows a view of the experiment's runs.

    Parameters
    ----------
    database : Path
        The store.
    experiment : str
        Name of the experiment.
    view : View
    port : int
        Port of the server.

    Returns
    -------
    str
        A URL.

    Raises
    ------
    TrackingError
        If there is no store, it is not MLflow's, or it does not have the experiment.
    """
    known = _standing_client(database).get_experiment_by_name(experiment)
    if known is None:
        raise TrackingError(f"{database}: has no experiment {experiment}: run `sbd stage track`")
    page = f"http://{LOOPBACK}:{port}/#/experiments/{known.experiment_id}/runs"
    # Without the last the page shows what belongs to language models; no tag of the experiment changes that.
    return f"{page}?viewStateShareKey={view.key}&workflowType=machine_learning"


def application(database: Path) -> ASGIApp:
    """Return MLflow's page over a store that is opened to be read alone, without its proxy of artifacts.

    Parameters
    ----------
    database : Path
        The store, as :func:`runs_address` has found it.

    Returns
    -------
    ASGIApp
    """
    # Sqlite takes a file's URI, with whether it may write.
    uri = f"sqlite:///{database.absolute().as_uri()}?mode=ro&uri=true"
    mlflow.set_tracking_uri(uri)
    mlflow.set_registry_uri(uri)
    from mlflow.server import fastapi_app
    from mlflow.server.handlers import initialize_backend_stores

    # New experiments would have their artifacts there: there are none.
    initialize_backend_stores(uri, uri, os.devnull)
    app: ASGIApp = fastapi_app.app
    return app


def find(database: Path, model_digest: str) -> list[FoundRun]:
    """Return the finished runs that have a model, the latest first.

    Returns
    -------
    list of FoundRun

    Raises
    ------
    TrackingError
        If there is no store, or it is not MLflow's.
    """
    client = _standing_client(database)
    experiments = {experiment.experiment_id: experiment.name for experiment in client.search_experiments()}
    filter_string = f"tags.model_digest = '{model_digest}' and attributes.status = 'FINISHED'"
    runs = client.search_runs(list(experiments), filter_string, order_by=["attributes.start_time DESC"])
    return [_found_run(client, run, experiments) for run in runs]
