"""The experiment of a profile in MLflow: its name, note and views of the run list."""

from __future__ import annotations

from collections.abc import Sequence

from smartsbd.pipelines.params import Params
from smartsbd.pipelines.tracking.runs import View

ALIAS = "exportable"


COSTS = ("cpu_s", "model_bytes", "evaluations")


NOTE = """A run is a dataset, a family of models and a set of features: `sites tree paper` is the tree over the paper's
features, trained on `sites`. **Views**, above the list: *Models* has the models, *AutoML* what AutoML found and the
students of it, *Settings* the points of the grids, *Detectors* what was replayed, *Agents* the trainings of learnt
controllers, with their curves, once the study `mplibra` has run.
"Default view" has the settings under the run of their grid.

`nested/overall` is the accuracy of the nested estimate on the dataset trained on, `_low` and `_high` its 95 % interval;
`recall_shared` and `recall_not_shared` are the shares of either label that are recognised, `balanced` is their mean;
`on_X/...` is the same model on the dataset and windows X. A run with the tag `header` is exported as C. A run's
figures are among its artifacts.

`sbd run HEADER` goes from a header to its run. Nothing reads this store back: the stage `track` makes it of what is on
disk.
"""


REGISTERED = (
    "The most accurate exported model of the profile `{profile}`, by the nested estimate, has the alias `{alias}`."
)


def experiment_name(params: Params) -> str:
    """Return the name of the profile's experiment, which is that of its registered model too."""
    return f"smartsbd-{params.profile}"


def views(params: Params, replayed: Sequence[str] = ()) -> tuple[View, ...]:
    """Return the views of the run list: the models first, since theirs is the address that ``sbd ui`` prints.

    Parameters
    ----------
    params : Params
    replayed : sequence of str
        Datasets that detectors were replayed on.

    Returns
    -------
    tuple of View
    """
    rights = [f"metrics.on_{dataset}/right" for dataset in replayed]
    detectors = [View("detectors", "Detectors", "tags.kind = 'detector'", rights[0], tuple(rights))] if rights else []
    tiled = [f"metrics.on_{dataset}/{params.search.rule}/overall" for dataset in params.search.datasets]
    nested = [f"metrics.nested/{name}" for name in ("overall", "overall_low", "overall_high")]
    labels = ["params.dataset", "params.feature_set"]
    return (
        View("models", "Models", "tags.kind = 'model'", nested[0], (*nested, "tags.header", *tiled)),
        View(
            "automl",
            "AutoML",
            "tags.kind = 'automl'",
            tiled[0],
            (*tiled, *(f"metrics.{name}" for name in COSTS), "params.kinds"),
        ),
        View(
            "settings",
            "Settings",
            "tags.`mlflow.parentRunId` != ''",
            "metrics.mean_accuracy",
            (*labels, "params.family", "metrics.mean_accuracy", "metrics.sd_accuracy", "tags.chosen"),
        ),
        *detectors,
    )
