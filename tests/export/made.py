"""Models to export, what they decide as plain loops, and the programs they are built into; detectors that have C."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

from smartsbd.detectors import DETECTORS
from smartsbd.export import compilers, emit_c
from smartsbd.export.layout import Layout
from smartsbd.export.packed import Packed
from smartsbd.export.tree import Branch, Forest, Leaf, Tree
from smartsbd.features.catalog import feature, feature_names
from smartsbd.models.families.fitted import Fitted, Setting
from smartsbd.models.families.random_forest import to_lattice

NAMES = feature_names("both")
#: Detectors of Python alone, and why; each other one has a twin in C.
PYTHON_ALONE = {"c-mpbbr": "a negative control: no sender is to run it"}
COMPILED = [name for name in DETECTORS if name not in PYTHON_ALONE]
#: The vote of a leaf that is sure.
ALL = 16_777_216
#: Each compiler by name; one that is not there is skipped.
COMPILERS = [
    pytest.param(name, marks=pytest.mark.skipif(shutil.which(name) is None, reason=f"{name} is not installed"))
    for name in compilers.KNOWN
]
SANITIZERS = ("-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover")


def rows_of(seed: int, count: int, names: tuple[str, ...] = NAMES) -> npt.NDArray[np.int64]:
    """Feature values, some of few different ones."""
    rng = np.random.default_rng(seed)
    ranges = [(int(feature(name).low), int(feature(name).high)) for name in names]
    x = np.stack([rng.integers(low, high, size=count, endpoint=True) for low, high in ranges], axis=1)
    x[:, 0] = rng.integers(ranges[0][0], ranges[0][0] + 4, size=count)
    return x


def tree(seed: int, depth: int | None = None, names: tuple[str, ...] = NAMES, rows: int = 400) -> Fitted:
    shared = np.random.default_rng(seed + 1000).random(rows) < 0.5
    estimator = DecisionTreeClassifier(max_depth=depth, random_state=seed).fit(rows_of(seed, rows, names), shared)
    return Fitted(estimator, names, Setting(len(names), (("max_depth", depth),)))


def forest(
    seed: int, depth: int | None = None, names: tuple[str, ...] = NAMES, rows: int = 300, trees: int = 11
) -> Fitted:
    """A forest whose leaves are not pure, unless it has no depth."""
    shared = np.random.default_rng(seed + 1000).random(rows) < 0.5
    return forest_of(rows_of(seed, rows, names), shared, names, seed=seed, depth=depth, trees=trees)


def forest_of(
    x: npt.NDArray[np.int64],
    shared: npt.NDArray[np.bool_],
    names: tuple[str, ...] = NAMES,
    *,
    depth: int | None,
    trees: int,
    seed: int = 0,
) -> Fitted:
    """A forest that has learnt these rows."""
    estimator = RandomForestClassifier(trees, max_depth=depth, random_state=seed).fit(x, shared)
    to_lattice(estimator)
    return Fitted(estimator, names, Setting(len(names), (("max_depth", depth),)))


def taught(x: list[list[int]], shared: list[bool], *names: str, **options: Any) -> Fitted:
    """A tree that has learnt these rows."""
    estimator = DecisionTreeClassifier(random_state=0, **options).fit(x, shared)
    return Fitted(estimator, names, Setting(len(names), ()))


def vote(of: Tree, row: Mapping[str, int]) -> int:
    """Walk a tree."""
    while isinstance(of, Branch):
        of = of.low if row[of.feature] <= of.threshold else of.high
    return of.vote


def shared(of: Forest, row: Mapping[str, int]) -> bool:
    """More than half of all votes."""
    total = 0
    for one in of.trees:
        total += vote(one, row)
    return 2 * total > ALL * len(of.trees)


def packed_vote(of: Packed, number: int, values: list[int]) -> int:
    """Walk a packed tree as its words say, and not as the C does."""
    at = of.roots[number]
    while of.words[at] < 1 << 63:
        word = of.words[at]
        threshold, low, name = (word >> 32) - (1 << 30), word >> 8 & 0xFFFFFF, word & 0xFF
        at = low if values[name] <= threshold else low + 1
    assert of.words[at] >> 8 & 0xFFFFFF == at
    return (of.words[at] >> 32) - (1 << 31)


def header(name: str, layout: Layout = "nested") -> emit_c.Header:
    return emit_c.Header(name=name, model_digest="0123456789abcdef", trained_on="made", layout=layout)


def write_runtime(folder: Path) -> Path:
    (folder / "smartsbd.h").write_text(emit_c.render_runtime())
    (folder / "sbd_loaded.h").write_text(emit_c.render_loaded())
    return folder


def frame(x: npt.NDArray[np.int64], names: tuple[str, ...] = NAMES) -> pd.DataFrame:
    return pd.DataFrame(x, columns=list(names))


def leaves(of: Tree) -> list[Leaf]:
    return [of] if isinstance(of, Leaf) else leaves(of.low) + leaves(of.high)
