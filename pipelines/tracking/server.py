"""MLflow's server on loopback, over the profile's store: it shows the store, and nothing is written through it.

MLflow's own command ``mlflow server`` takes another application only from an installed package's entry points, so its
application is run here, by uvicorn as that command does.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from smartsbd.pipelines.params import Params
from smartsbd.pipelines.running import stage
from smartsbd.pipelines.running.dag import Stage
from smartsbd.pipelines.tracking.experiment import experiment_name, views
from smartsbd.pipelines.tracking.read_only import ReadOnly


def database_of(stages: Sequence[Stage], params: Params) -> Path:
    """Return MLflow's store, as the stage ``track`` has it in dvc.yaml.

    Parameters
    ----------
    stages : sequence of Stage
    params : Params

    Returns
    -------
    Path
    """
    arguments = next(listed.arguments("", params) for listed in stages if listed.name == "track")
    return Path(arguments[arguments.index("--database") + 1])


def serve(database: Path, params: Params, port: int) -> None:
    """Print the address of the models' runs and serve MLflow's page until interrupted.

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
    from smartsbd.pipelines.tracking import mlflow_store

    models = views(params)[0]
    stage.say(mlflow_store.runs_address(database, experiment_name(params), models, port), flush=True)
    # MLflow answers what names another host with 403, so that no other site's name leads here. It reads this, and
    # whether uvicorn is there, when it is imported.
    os.environ["MLFLOW_SERVER_ALLOWED_HOSTS"] = f"{mlflow_store.LOOPBACK}:{port}"
    # The server that MLflow's proxy of language models would ask.
    os.environ.pop("MLFLOW_DEPLOYMENTS_TARGET", None)
    import uvicorn

    inside = mlflow_store.application(database)
    # Without its lifespan MLflow does not ask docker for containers of its assistant.
    uvicorn.run(ReadOnly(inside), host=mlflow_store.LOOPBACK, port=port, lifespan="off", log_level="warning")
