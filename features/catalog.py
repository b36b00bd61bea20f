"""The ordered list of features. A new feature is one function and one line here.

The names carry units and are the same from the table's column to the exported C: ``rtt_ed_4us`` is
``SBD_RTT_ED_4US``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from features import distance, ratio
from features.fixed import FEATURE_LIMIT
from features.series import PairGrid
from traces.contract import Column
from traces.fault import UsageFault
from traces.tables import PAIR_WINDOW_BASE


class CatalogError(UsageFault):
    """A feature or set that is not in the catalogue."""


@dataclass(frozen=True)
class Feature:
    """One feature of a window.

    Attributes
    ----------
    name : str
        Column name, with its unit.
    feature_set : str
        ``paper`` for those of SmartSBD's Table 3.
    abbreviation : str
        The paper's name.
    compute : callable
        From a :class:`~features.series.PairGrid` to an integer in [0, `high`].
    high : int
        Largest value.
    exportable : bool
        An exact integer that C computes too.
    meaning : str
        One line for the data dictionary.
    """

    name: str
    feature_set: str
    abbreviation: str
    compute: Callable[[PairGrid], int]
    high: int
    exportable: bool
    meaning: str


def _rtt_ed(grid: PairGrid) -> int:
    return distance.ed_4us(distance.points(grid.rtt_a_us, None), distance.points(grid.rtt_b_us, None))


def _cstate_ed(grid: PairGrid) -> int:
    return distance.ed_4us(distance.points(None, grid.congested_a), distance.points(None, grid.congested_b))


def _rtt_cstate_ed(grid: PairGrid) -> int:
    return distance.ed_4us(
        distance.points(grid.rtt_a_us, grid.congested_a), distance.points(grid.rtt_b_us, grid.congested_b)
    )


def _rtt_dtwd(grid: PairGrid) -> int:
    return distance.dtwd_4us(distance.points(grid.rtt_a_us, None), distance.points(grid.rtt_b_us, None))


def _cstate_dtwd(grid: PairGrid) -> int:
    return distance.dtwd_4us(distance.points(None, grid.congested_a), distance.points(None, grid.congested_b))


def _rtt_cstate_dtwd(grid: PairGrid) -> int:
    return distance.dtwd_4us(
        distance.points(grid.rtt_a_us, grid.congested_a), distance.points(grid.rtt_b_us, grid.congested_b)
    )


def _rtt_sd_ratio(grid: PairGrid) -> int:
    return ratio.sd_ratio_q10(grid.rtt_a_us, grid.rtt_b_us)


def _cstate_sd_ratio(grid: PairGrid) -> int:
    return ratio.sd_ratio_q10(grid.congested_a.astype(np.int64), grid.congested_b.astype(np.int64))


def _min_rtt_ratio(grid: PairGrid) -> int:
    return ratio.min_rtt_ratio_q10(grid.min_rtt_a_us, grid.min_rtt_b_us)


FEATURES: tuple[Feature, ...] = (
    Feature("rtt_ed_4us", "paper", "RTT_ED", _rtt_ed, FEATURE_LIMIT, True, "ED of the RTT series"),
    Feature("cstate_ed_4us", "paper", "CState_ED", _cstate_ed, FEATURE_LIMIT, True, "ED of the congestion series"),
    Feature(
        "rtt_cstate_ed_4us",
        "paper",
        "RTT_CState_ED",
        _rtt_cstate_ed,
        FEATURE_LIMIT,
        True,
        "ED of the (RTT, congestion) series",
    ),
    Feature("rtt_dtwd_4us", "paper", "RTT_DTWD", _rtt_dtwd, FEATURE_LIMIT, True, "DTW distance of the RTT series"),
    Feature(
        "cstate_dtwd_4us",
        "paper",
        "CState_DTWD",
        _cstate_dtwd,
        FEATURE_LIMIT,
        True,
        "DTW distance of the congestion series",
    ),
    Feature(
        "rtt_cstate_dtwd_4us",
        "paper",
        "RTT_CState_DTWD",
        _rtt_cstate_dtwd,
        FEATURE_LIMIT,
        True,
        "DTW distance of the (RTT, congestion) series",
    ),
    Feature(
        "rtt_sd_ratio_q10",
        "paper",
        "RTT_SD_Ratio",
        _rtt_sd_ratio,
        FEATURE_LIMIT,
        True,
        "ratio of the RTT series' standard deviations",
    ),
    Feature(
        "cstate_sd_ratio_q10",
        "paper",
        "CState_SD_Ratio",
        _cstate_sd_ratio,
        FEATURE_LIMIT,
        True,
        "ratio of the congestion series' standard deviations",
    ),
    Feature(
        "min_rtt_ratio_q10",
        "paper",
        "Min_RTT_Ratio",
        _min_rtt_ratio,
        FEATURE_LIMIT,
        True,
        "ratio of the minimum RTTs up to the window",
    ),
)

_UNITS = {"4us": "4 us", "q10": "1/1024"}


def feature_names(feature_set: str) -> tuple[str, ...]:
    """Return the names of the features of a set, in the catalogue's order.

    Raises
    ------
    CatalogError
        If the set is unknown.
    """
    names = tuple(feature.name for feature in FEATURES if feature.feature_set == feature_set)
    if not names:
        known = sorted({feature.feature_set for feature in FEATURES})
        raise CatalogError(f"feature_set is {feature_set!r}, must be one of {known}")
    return names


def compute(grid: PairGrid) -> dict[str, int]:
    """Return every feature of one window."""
    return {feature.name: feature.compute(grid) for feature in FEATURES}


PAIR_WINDOW = PAIR_WINDOW_BASE.with_columns(
    [
        Column(
            feature.name,
            pa.int32(),
            feature.meaning,
            unit=_UNITS[feature.name.rsplit("_", 1)[1]],
            source=f"SmartSBD Table 3, {feature.abbreviation}",
            low=0,
            high=feature.high,
        )
        for feature in FEATURES
    ]
)
