"""Rows of tiles or windows at moments in time, to learn from and to give last verdicts on pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from smartsbd.features.lag_excess import gate
from smartsbd.features.lag_excess.tile_feature import TILE_FEATURES
from smartsbd.models.labelled.windows import Positions
from smartsbd.models.last_verdict.final_verdict import PAIR, SAID

#: The rule by which a model judges windows one after another.
_TILED = "tiled"


@dataclass(frozen=True)
class Moments:
    """Rows in time order of each pair.

    Attributes
    ----------
    key : DataFrame
        ``connection_id``, ``subflow_a``, ``subflow_b``, and ``at_ns``, the time from which the row is known; never an
        input of a model.
    x : (rows, features) float64
    feature_names : tuple of str
    open : (rows,) bool
        Whether a verdict is possible: no gate of the lag excess is closed.
    shared : (rows,) float64
        The label, 1 or 0; nan where there is none.
    """

    key: pd.DataFrame
    x: npt.NDArray[np.float64]
    feature_names: tuple[str, ...]
    open: npt.NDArray[np.bool_]
    shared: npt.NDArray[np.float64]

    def pairs(self) -> npt.NDArray[np.int64]:
        """Return a number for each row's pair, (rows,)."""
        return np.asarray(self.key.groupby(list(PAIR), sort=False).ngroup(), dtype=np.int64)

    def learnable(self, most: int) -> Positions:
        """Return positions to learn from: `most` moments of each pair, spread evenly over those with a label.

        A pair with fewer has some of them twice, so that each pair has the same weight.

        Returns
        -------
        (n,) int64
            Positions, pair by pair.

        Examples
        --------
        >>> key = pd.DataFrame({"connection_id": list("aaaab"), "subflow_a": 0, "subflow_b": 1})
        >>> x, shared = np.zeros((5, 1)), np.array([1.0, 1.0, 1.0, 1.0, np.nan])
        >>> Moments(key, x, ("z",), np.ones(5, dtype=bool), shared).learnable(2).tolist()
        [0, 3]
        """
        usable = np.flatnonzero(self.open & ~np.isnan(self.shared))
        pairs = self.pairs()[usable]
        return np.concatenate(
            [
                positions[np.rint(np.linspace(0, positions.size - 1, most)).astype(np.int64)]
                for positions in (usable[pairs == pair] for pair in np.unique(pairs))
            ]
            or [np.empty(0, dtype=np.int64)]
        )

    def last(self) -> Positions:
        """Return the position of each pair's last row."""
        pairs = self.pairs()
        positions: Positions = np.flatnonzero(~pd.Series(pairs).duplicated(keep="last").to_numpy())
        return positions


def _ordered(rows: pd.DataFrame) -> pd.DataFrame:
    return rows.sort_values([*PAIR, "at_ns"], kind="stable").reset_index(drop=True)


def _moments(
    rows: pd.DataFrame, names: Sequence[str], is_open: npt.NDArray[np.bool_], x: npt.NDArray[np.float64]
) -> Moments:
    return Moments(
        key=rows[[*PAIR, "at_ns"]],
        x=x,
        feature_names=tuple(names),
        open=is_open,
        shared=np.asarray(rows["shared"].astype("Float64").to_numpy(na_value=np.nan), dtype=np.float64),
    )


def of_tiles(pair_tile: pd.DataFrame, memory: str) -> Moments:
    """Return the moments of tiles, as a memory keeps them.

    A band without a value is 0: no more agreement than at impossible lags. Where a gate is closed, there is no verdict.

    Parameters
    ----------
    pair_tile : DataFrame of the ``pair_tile`` table
    memory : str
        Name in :data:`~smartsbd.features.lag_excess.memory.FORGETTING`.

    Returns
    -------
    Moments
        One for each tile, in time order of each pair.
    """
    rows = _ordered(pair_tile[pair_tile["memory"] == memory].rename(columns={"decided_ns": "at_ns"}))
    names = [feature.name for feature in TILE_FEATURES]
    is_open = (rows["reason"].isna() | (rows["reason"] == gate.BETWEEN)).to_numpy(dtype=np.bool_)
    return _moments(rows, names, is_open, rows[names].fillna(0).to_numpy(dtype=np.float64))


def by_fixed_rule(pair_tile: pd.DataFrame, memory: str) -> npt.NDArray[np.object_]:
    """Return the verdicts of the lag excess's rule at each of the moments of :func:`of_tiles`.

    Parameters
    ----------
    pair_tile : DataFrame of the ``pair_tile`` table
    memory : str

    Returns
    -------
    (rows,) object
        True, False or None.
    """
    rows = _ordered(pair_tile[pair_tile["memory"] == memory].rename(columns={"decided_ns": "at_ns"}))
    return np.array([None if pd.isna(verdict) else bool(verdict) for verdict in rows[SAID]], dtype=object)


def of_windows(pair_window: pd.DataFrame, names: Sequence[str]) -> Moments:
    """Return the moments of windows that lie back to back.

    Parameters
    ----------
    pair_window : DataFrame of the ``pair_window`` table
    names : sequence of str
        Features.

    Returns
    -------
    Moments
        One for each tiled window, at its end.
    """
    rows = pair_window[pair_window["rule"] == _TILED]
    rows = _ordered(rows.assign(at_ns=rows["window_start_ns"] + rows["window_ns"]))
    return _moments(rows, names, np.ones(len(rows), dtype=np.bool_), rows[list(names)].to_numpy(dtype=np.float64))


def of_numbers(labels: Sequence[Mapping[str, Any]], x: npt.NDArray[np.float64], names: Sequence[str]) -> Moments:
    """Return one moment for each labelled pair, with numbers that were made of it.

    Parameters
    ----------
    labels : sequence of rows of the ``truth`` table
    x : (pairs, numbers) float64
    names : sequence of str

    Returns
    -------
    Moments
        All open, in the order of the labels.
    """
    rows = pd.DataFrame([{name: row[name] for name in (*PAIR, "shared")} for row in labels]).assign(at_ns=0)
    return _moments(rows, names, np.ones(len(rows), dtype=np.bool_), x)
