"""MLflow's server on loopback, over the profile's store."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from pipelines.params import Params
from pipelines.running import stage
from pipelines.running.dag import Stage
from pipelines.tracking.experiment import experiment_name, views

#: Telemetry is off, of the server and, since the page asks it, of the page. MLflow's queue of jobs for language models,
#: which nothing here uses, would be eight more processes.
_SETTINGS = {
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "DO_NOT_TRACK": "1",
    "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false",
}


def database_of(stages: Sequence[Stage], params: Params) -> Path:
    """Return MLflow's store, as the stage ``track`` has it in dvc.yaml.

    Parameters
    ----------
    stages : sequence of Stage
    params : Params
    """
    arguments = next(one.arguments("", params) for one in stages if one.name == "track")
    return Path(arguments[arguments.index("--database") + 1])


def serve(database: Path, params: Params, port: int) -> NoReturn:
    """Print the address of the models' runs and become MLflow's server.

    Parameters
    ----------
    database : Path
        The store.
    params : Params
        Have the profile, whose experiment is shown.
    port : int
        Port of the server, on loopback.

    Raises
    ------
    TrackingError
        If there is no store, it is not MLflow's, or it has nothing of the profile.
    """
    # MLflow first: it is what this needs of its group.
    from pipelines.tracking import mlflow_store

    models = views(params)[0]
    stage.say(mlflow_store.runs_address(database, experiment_name(params), models, port), flush=True)
    server = ["server", "--host", mlflow_store.LOOPBACK, "--port", str(port), "--workers", "1"]
    store = ["--backend-store-uri", f"sqlite:///{database}"]
    os.execve(sys.executable, [sys.executable, "-m", "mlflow", *server, *store], {**os.environ, **_SETTINGS})
