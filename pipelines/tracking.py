"""MLflow mirrors what ran. The only module that imports it, and only when tracking is on.

The store is one sqlite file beside the data; nothing in the pipeline reads it back.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from models.search import Fitted
from models.store import TRUSTED


def _commit() -> str:
    shown = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=False)
    return shown.stdout.strip() or "not in git"


def log_search(
    database: Path,
    *,
    experiment: str,
    run_name: str,
    params: dict[str, Any],
    metrics: dict[str, float],
    grid: pd.DataFrame,
    figure_path: Path,
    fitted: Fitted,
    model_digest: str,
    example: npt.NDArray[np.float64],
    input_path: Path,
) -> None:
    """Log one family's search: parameters, metrics, the grid, its figure, the model.

    Parameters
    ----------
    database : Path
        MLflow's sqlite file; artifacts go beside it.
    experiment : str
        Its name, one a profile.
    model_digest : str
        As the exported header's banner names the model; a tag, so that the run can be found again.
    example : (rows, features) float64
        Some of the model's inputs, for its signature.
    input_path : Path
        Table trained on; its digest is logged.
    """
    os.environ["MLFLOW_DISABLE_TELEMETRY"] = "true"
    os.environ["DO_NOT_TRACK"] = "1"
    os.environ["MLFLOW_ENABLE_ARTIFACTS_PROGRESS_BAR"] = "false"
    import mlflow  # noqa: PLC0415 - costs seconds, and only tracked runs need it
    import mlflow.sklearn  # noqa: PLC0415

    database.parent.mkdir(parents=True, exist_ok=True)
    mlflow.set_tracking_uri(f"sqlite:///{database.absolute()}")
    if mlflow.get_experiment_by_name(experiment) is None:
        mlflow.create_experiment(
            experiment, artifact_location=(database.parent / "mlflow_artifacts").absolute().as_uri()
        )
    mlflow.set_experiment(experiment)
    with mlflow.start_run(run_name=run_name):
        mlflow.log_params(params)
        mlflow.log_metrics(metrics)
        mlflow.set_tags(
            {
                "model_digest": model_digest,
                "commit": _commit(),
                "input_sha256": hashlib.sha256(input_path.read_bytes()).hexdigest(),
            }
        )
        mlflow.log_table(grid, "grid.json")
        mlflow.log_artifact(str(figure_path))
        inputs = pd.DataFrame(example, columns=list(fitted.feature_names))
        mlflow.sklearn.log_model(
            fitted.estimator,
            name="model",
            serialization_format="skops",
            skops_trusted_types=TRUSTED,
            signature=mlflow.models.infer_signature(inputs, fitted.estimator.predict(inputs.to_numpy())),
            pip_requirements=["scikit-learn", "skops"],
        )
