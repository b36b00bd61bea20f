"""Which group of dependencies a package is of, for one line about a package that is not installed."""

from __future__ import annotations

#: Group of pyproject.toml by the module that is imported.
GROUP_OF = {
    "distributed": "scale",
    "dtaidistance": "train",
    "dvc": "train",
    "flaml": "automl",
    "jupyterlab": "notebooks",
    "lightgbm": "automl",
    "matplotlib": "train",
    "mlflow": "track",
    "nbconvert": "notebooks",
    "tslearn": "train",
    "voluptuous": "train",
    "xgboost": "automl",
}


def remedy(missing: ModuleNotFoundError) -> str | None:
    """Return what to do about a module that is not there; None if it is of no group.

    Returns
    -------
    str or None

    Examples
    --------
    >>> remedy(ModuleNotFoundError(name="mlflow.tracking"))
    "mlflow is not installed: pip install 'smartsbd[track]' adds it; in a checkout, `make core GROUPS=track`"
    """
    name = (missing.name or "").partition(".")[0]
    group = GROUP_OF.get(name)
    if group is None:
        return None
    return (
        f"{name} is not installed: pip install 'smartsbd[{group}]' adds it; in a checkout, `make core GROUPS={group}`"
    )
