"""MLflow's server on loopback, over the profile's store."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import NoReturn

from pipelines.params import Params

#: Telemetry is off, of the server and, since the page asks it, of the page. MLflow's queue of jobs for language models,
#: which nothing here uses, would be eight more processes.
_SETTINGS = {
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "DO_NOT_TRACK": "1",
    "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false",
}


def serve(database: Path, params: Params, port: int) -> NoReturn:
    """Print the address of the models' runs and become MLflow's server.

    Raises
    ------
    TrackingError
        If there is no store, it is not MLflow's, or it has nothing of the profile.
    """
    # MLflow first: it is what this needs of its group.
    from pipelines import tracking  # isort: skip
    from pipelines import track

    models = track.views(params)[0]
    print(tracking.runs_address(database, track.experiment_name(params), models, port), flush=True)
    server = ["server", "--host", tracking.LOOPBACK, "--port", str(port), "--workers", "1"]
    store = ["--backend-store-uri", f"sqlite:///{database}"]
    os.execve(sys.executable, [sys.executable, "-m", "mlflow", *server, *store], {**os.environ, **_SETTINGS})
