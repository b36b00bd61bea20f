"""Nested accuracy of SVMs in floats and in integers, beside the tree, on the same test windows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from smartsbd.export import svm
from smartsbd.models.assessment.accuracy import accuracy
from smartsbd.models.families import Family, family_of
from smartsbd.models.families.fitted import Fitted, Setting
from smartsbd.models.labelled.split import Split
from smartsbd.models.labelled.trial import of_kind
from smartsbd.models.labelled.windows import LabelledWindows
from smartsbd.models.search import fitting
from smartsbd.models.search.fitting import Method
from studies.svm.bounded_svm import BOUNDED_SVM, grid

Grids = Mapping[str, Mapping[str, Sequence[Any]]]

BOUNDS = (32, 64, 128)
RULE = "tiled"
TREE, RBF, LINEAR = "tree", "svm_rbf", "svm_linear"
_DIGITS = 4


def bounded_name(vectors: int) -> str:
    """Return what a bounded SVM is called in tables."""
    return f"{BOUNDED_SVM.name}_{vectors}"


def candidates(grids: Grids, tops: Sequence[int]) -> dict[str, tuple[Family, list[Setting]]]:
    """Return each family that is compared, with its settings, by its name in tables.

    Parameters
    ----------
    grids : mapping of str to mapping
        What is tried of each hyperparameter, by family.
    tops : sequence of int
        How many of the most relevant features to try.

    Returns
    -------
    dict of str to (Family, list of Setting)
    """
    known = {name: (family_of(name), grids[name]) for name in (TREE, RBF, LINEAR)}
    bounded = {bounded_name(vectors): (BOUNDED_SVM, grid(grids[RBF], vectors)) for vectors in BOUNDS}
    return {
        name: (family, fitting.settings(family, its_grid, tops))
        for name, (family, its_grid) in (known | bounded).items()
    }


def chosen_models(
    windows: LabelledWindows,
    rows: npt.NDArray[np.int64],
    families: Mapping[str, tuple[Family, list[Setting]]],
    method: Method,
) -> Iterator[tuple[str, Fitted]]:
    """Yield each family's model, chosen and fitted on some rows alone.

    Parameters
    ----------
    windows : LabelledWindows
    rows : (n,) int64
        Positions of the training side.
    families : mapping of str to (Family, list of Setting)
        As :func:`candidates` returns them.
    method : Method

    Yields
    ------
    str, Fitted
    """
    side = fitting.training_side(windows, rows, method)
    for name, (family, settings) in families.items():
        yield name, fitting.chosen(windows, family, settings, side, method)


@dataclass(frozen=True)
class Fold:
    """One split of the connections, on one set of features."""

    feature_set: str
    number: int
    windows: LabelledWindows
    split: Split

    def judged(self, families: Mapping[str, tuple[Family, list[Setting]]], method: Method) -> pd.DataFrame:
        """Return the verdicts of every family on the test windows, in floats and, of SVMs, in integers.

        Returns
        -------
        DataFrame
            A row for each model, kind of numbers and test window; ``vectors`` is 0 of what has none.
        """
        train, test = (of_kind(self.windows, rows, RULE) for rows in (self.split.train, self.split.test))
        parts = []
        for name, fitted in chosen_models(self.windows, train, families, method):
            x = self.windows.x[np.ix_(test, fitting.columns_of(self.windows, fitted))]
            verdicts = {"floats": fitted.judge(x).shared_pred}
            vectors = 0
            if name != TREE:
                integer = svm.from_fitted(fitted, most_vectors=svm.VECTORS_LIMIT)
                verdicts["integers"] = integer.decisions(x.astype(np.int64))
                vectors = len(integer.vectors) if isinstance(integer, svm.IntegerRBF) else 0
            parts += [
                pd.DataFrame(
                    {
                        "feature_set": self.feature_set,
                        "model": name,
                        "numbers": numbers,
                        "fold": self.number,
                        "row": test,
                        "connection_id": self.windows.connections[test],
                        "shared": self.windows.shared[test],
                        "shared_pred": said,
                        "vectors": vectors,
                        "features": len(fitted.feature_names),
                    }
                )
                for numbers, said in verdicts.items()
            ]
        return pd.concat(parts, ignore_index=True)


def accuracies(judged: pd.DataFrame, *, resamples: int, seed: int) -> pd.DataFrame:
    """Return the accuracy of each model, and what it has more than the tree and the SVM in floats on the same windows.

    Parameters
    ----------
    judged : DataFrame
        As :meth:`Fold.judged` returns it, of all folds.
    resamples, seed : int
        As :func:`smartsbd.models.assessment.accuracy.accuracy` takes them.

    Returns
    -------
    DataFrame
        One row for each set of features, model and kind of numbers: ``balanced`` with its interval, differences with
        theirs, the vectors, and in ``equal_to_floats`` the share of verdicts that the same model in floats has too.
    """
    rows = []
    for feature_set, of_set in judged.groupby("feature_set", sort=False):
        said = {key: part.reset_index(drop=True) for key, part in of_set.groupby(["model", "numbers"], sort=False)}
        right = {key: (part["shared_pred"] == part["shared"]).to_numpy(dtype=float) for key, part in said.items()}
        for (model, numbers), part in said.items():
            shared, names = part["shared"].to_numpy(dtype=bool), part["connection_id"].to_numpy(dtype=str)
            row = {"feature_set": feature_set, "model": model, "numbers": numbers}
            own = right[model, numbers]
            compared = {
                "": own,
                "_minus_tree": own - right[TREE, "floats"],
                "_minus_svm_rbf": own - right[RBF, "floats"],
            }
            for suffix, values in compared.items():
                measured = accuracy(values, shared, names, resamples=resamples, seed=seed)
                row |= {
                    f"balanced{suffix}{bound}": round(getattr(measured, f"balanced{bound}"), _DIGITS)
                    for bound in ("", "_low", "_high")
                }
            per_fold = part.groupby("fold")["vectors"].first()
            equal = part["shared_pred"] == said[model, "floats"]["shared_pred"]
            row |= {
                "windows": len(part),
                "vectors_mean": round(float(per_fold.mean()), 1),
                "vectors_most": int(per_fold.max()),
                "features_most": int(part["features"].max()),
                "equal_to_floats": round(float(equal.mean()), 5),
            }
            rows.append(row)
    return pd.DataFrame(rows)
