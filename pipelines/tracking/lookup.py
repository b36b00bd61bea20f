"""From a header, a stored model or a digest to the run in MLflow that made the model."""

from __future__ import annotations

import re
from pathlib import Path

from smartsbd.contracts.fault import InputFault, UsageFault
from smartsbd.models.stored import store
from smartsbd.pipelines.tracking.runs import FoundRun, NoRunError

_DIGEST = re.compile(r"[0-9a-f]{16}")
_BANNER = re.compile(rb"Generated from model ([0-9a-f]{16}),")
_BANNER_BYTES = 4096  # it stands at the top


class LookupUsageError(UsageFault):
    """The argument is neither a file nor a digest."""


class BannerError(InputFault):
    """A file without the banner of an exported header."""


def model_digest(given: str) -> str:
    """Return the model's digest, from a header's banner, a stored model, or as it stands.

    Parameters
    ----------
    given : str
        Path of a header or of a ``.skops`` file, or 16 hex digits.

    Returns
    -------
    str
        16 hexadecimal digits.

    Examples
    --------
    >>> model_digest("0b37314e59960ceb")
    '0b37314e59960ceb'

    Raises
    ------
    LookupUsageError
        If it is neither a file nor a digest.
    BannerError
        If it is a file that names no model.
    """
    path = Path(given)
    if not path.is_file():
        if _DIGEST.fullmatch(given):
            return given
        raise LookupUsageError(f"{given}: neither a file nor a model's digest (16 of 0-9 and a-f)")
    if path.suffix == ".skops":
        return store.digest(path)
    with path.open("rb") as file:
        banner = _BANNER.search(file.read(_BANNER_BYTES))
    if banner is None:
        raise BannerError(f"{path}: no banner of an exported header, which names its model")
    return banner[1].decode()


def _described(run: FoundRun, digest: str) -> list[tuple[str, str]]:
    hidden = [name for name in run.metrics if "/site_" in name]
    return [
        ("run", run.name),
        ("run id", run.run_id),
        ("experiment", run.experiment),
        ("commit", run.tags["commit"]),
        ("sources", run.tags.get("sources", "unknown")),
        ("model", digest),
        ("input SHA-256", run.tags["input_sha256"]),
        *((f"parameter {name}", run.params[name]) for name in sorted(run.params)),
        *((f"metric {name}", f"{run.metrics[name]:.6g}") for name in sorted(run.metrics) if name not in hidden),
        ("artifacts", run.artifacts),
        *(("model in MLflow", place) for place in run.models),
        *(("registered", version) for version in run.versions),
    ]


def report(database: Path, given: str) -> str:
    """Return what MLflow knows of the run that made a model, one line for each fact; of several runs the latest.

    Returns
    -------
    str
        Several lines.

    Raises
    ------
    NoRunError
        If no run has the model.
    """
    digest = model_digest(given)

    from smartsbd.pipelines.tracking import mlflow_store

    runs = mlflow_store.find(database, digest)
    if not runs:
        raise NoRunError(f"{given}: no run in {database} has model {digest}")
    lines = _described(runs[0], digest) + [("also made by", f"{run.name} {run.run_id}") for run in runs[1:]]
    width = max(len(name) for name, _ in lines)
    return "\n".join(f"{name:{width}}  {value}" for name, value in lines)
