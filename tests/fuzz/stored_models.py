"""Archives of stored models: each is refused in one line, or holds a model that judges."""

from __future__ import annotations

import tempfile
import warnings
from functools import cache
from pathlib import Path

import numpy as np

from smartsbd.contracts.fault import printable
from smartsbd.models.families import FAMILIES
from smartsbd.models.families.fitted import Fitted, Setting
from smartsbd.models.stored import store
from tests.fuzz import oracle
from tests.fuzz.memory_file import MemoryFile

#: How every archive begins.
MAGIC = b"PK"

_FEATURES = ("rtt_ed_4us", "rtt_correlation_q10")
_POINT = {"max_depth": 2, "c": 10, "gamma": 0.1, "solver": "lbfgs"}
_ROWS = np.random.default_rng(0).integers(0, 2_000, (12, len(_FEATURES))).astype(np.float64)


def _fitted(name: str) -> Fitted:
    family = FAMILIES[name]
    chosen = {axis: _POINT[axis] for axis in family.hyperparameters}
    from sklearn.pipeline import make_pipeline

    scaler = family.scaler("standard")
    x = _ROWS if scaler is None else scaler.fit_transform(_ROWS)
    estimator = family.fitted(chosen, 0, x, _ROWS[:, 0] > 1_000)
    if name == "forest":
        # Of a hundred trees two are as good.
        estimator.estimators_ = estimator.estimators_[:2]
        estimator.n_estimators = 2
    whole = estimator if scaler is None else make_pipeline(scaler, estimator)
    return Fitted(whole, _FEATURES, Setting(len(_FEATURES), tuple(sorted(chosen.items()))))


def _is_line(error: store.ModelError) -> bool:
    said = str(error)
    assert said == printable(said), said
    return True


@cache
def archives() -> list[bytes]:
    """Return a small model of each family, as it is stored."""
    found = []
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "m.skops")
        for name in FAMILIES:
            store.save(_fitted(name), path)
            store.load(path).judge(_ROWS)
            found.append(path.read_bytes())
    return found


def check(content: bytes) -> bool:
    """Load an archive, and let what is loaded judge; False if it is no archive."""
    if not content.startswith(MAGIC):
        return False
    # What libraries do when they are first used, no input is to blame for.
    archives()
    with MemoryFile(content) as path, oracle.bounded(len(content)):
        try:
            fitted = store.load(path)
        except store.ModelError as error:
            return _is_line(error)
        columns = len(fitted.feature_names)
        rows = np.random.default_rng(0).integers(0, 2_000, (3, columns)).astype(np.float64)
        verdicts = fitted.judge(rows)
    assert verdicts.score.shape == verdicts.shared_pred.shape == (len(rows),)
    assert ((verdicts.score >= 0) & (verdicts.score <= 1)).all(), verdicts.score
    return True
