"""Which group of dependencies a package is of: what is not installed is said in one line."""

from __future__ import annotations

#: Group of pyproject.toml by the module that is imported.
GROUP_OF = {
    "distributed": "scale",
    "dtaidistance": "train",
    "dvc": "train",
    "flaml": "automl",
    "jinja2": "core",
    "joblib": "core",
    "jupyterlab": "notebooks",
    "lightgbm": "automl",
    "matplotlib": "train",
    "mlflow": "track",
    "nbconvert": "notebooks",
    "scipy": "core",
    "skops": "core",
    "sklearn": "core",
    "tslearn": "train",
    "voluptuous": "train",
    "xgboost": "automl",
}


def remedy(missing: ModuleNotFoundError) -> str | None:
    """Return what to do about a module that is not there; None if it is of no group.

    Examples
    --------
    >>> remedy(ModuleNotFoundError(name="mlflow.tracking"))
    'mlflow is not installed: `make core GROUPS=track` adds it, `make setup` everything'
    """
    name = (missing.name or "").partition(".")[0]
    group = GROUP_OF.get(name)
    if group is None:
        return None
    return f"{name} is not installed: `make core GROUPS={group}` adds it, `make setup` everything"
