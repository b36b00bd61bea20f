"""The ordered list of features. A new feature is one function and one line here.

Features of a window are listed here; those of a tile, the set ``lag_excess``, in
:mod:`smartsbd.features.lag_excess.tile_feature`, whose bands and lags are one definition with the detector's.

A feature's name is its function's, and the same from the table's column to the exported C:
``rtt_ed_4us`` is ``SBD_RTT_ED_4US``. Names of integers carry their unit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import get_type_hints

import pyarrow as pa

from smartsbd.contracts.contract import Column
from smartsbd.contracts.fault import UsageFault
from smartsbd.contracts.tables import BENCHMARK_TEST_BASE, BENCHMARK_TRAIN_BASE, PAIR_TILE_BASE, PAIR_WINDOW_BASE
from smartsbd.features import invariant, paper
from smartsbd.features.at_once import features_at_once
from smartsbd.features.feature_set import SETS
from smartsbd.features.fixed import FEATURE_LIMIT, ONE_Q10
from smartsbd.features.lag_excess.tile_feature import TILE_FEATURES
from smartsbd.features.series import PairGrid


class CatalogError(UsageFault):
    """A feature or set that is not in the catalogue."""


@dataclass(frozen=True)
class Feature:
    """One feature of a window.

    Attributes
    ----------
    compute : callable
        From a :class:`~smartsbd.features.series.PairGrid` to the value; one that returns int is exported.
    group : str
        ``paper``: the nine SmartSBD trains on. ``throughput``: the nine it ranks and leaves out.
        ``invariant``: ours.
    paper_name : str
        Name in SmartSBD's Table 3; empty for ours.
    low, high : float
        Bounds of the value, inclusive.
    """

    compute: Callable[[PairGrid], float]
    group: str
    paper_name: str = ""
    low: float = 0
    high: float = FEATURE_LIMIT

    @property
    def name(self) -> str:
        """Name of the column."""
        return self.compute.__name__

    @property
    def exportable(self) -> bool:
        """An exact integer that C computes too."""
        return get_type_hints(self.compute)["return"] is int

    @property
    def meaning(self) -> str:
        """First line of the definition, as a phrase."""
        line = (self.compute.__doc__ or "").splitlines()[0].rstrip(".")
        return line if line[1].isupper() else line[0].lower() + line[1:]

    def column(self) -> Column:
        """Return the feature's column of ``pair_window``."""
        return Column(
            self.name,
            pa.int32() if self.exportable else pa.float64(),
            self.meaning,
            unit=_UNITS.get(self.name.rsplit("_", 1)[1], "") if self.exportable else _REAL_UNIT,
            source=f"SmartSBD Table 3, {self.paper_name}" if self.paper_name else "ours",
            low=self.low,
            high=self.high,
        )


_UNITS = {"4us": "4 us", "q10": "1/1024"}
_REAL_UNIT = "s, Mbit/s, 0/1"
_UNBOUNDED = 1e18

FEATURES: tuple[Feature, ...] = (
    Feature(paper.rtt_ed_4us, "paper", "RTT_ED"),
    Feature(paper.cstate_ed_4us, "paper", "CState_ED"),
    Feature(paper.rtt_cstate_ed_4us, "paper", "RTT_CState_ED"),
    Feature(paper.rtt_dtwd_4us, "paper", "RTT_DTWD"),
    Feature(paper.cstate_dtwd_4us, "paper", "CState_DTWD"),
    Feature(paper.rtt_cstate_dtwd_4us, "paper", "RTT_CState_DTWD"),
    Feature(paper.rtt_sd_ratio_q10, "paper", "RTT_SD_Ratio"),
    Feature(paper.cstate_sd_ratio_q10, "paper", "CState_SD_Ratio"),
    Feature(paper.min_rtt_ratio_q10, "paper", "Min_RTT_Ratio"),
    Feature(paper.rate_ed, "throughput", "Thpt_ED", high=_UNBOUNDED),
    Feature(paper.rtt_rate_ed, "throughput", "RTT_Thpt_ED", high=_UNBOUNDED),
    Feature(paper.cstate_rate_ed, "throughput", "CState_Thpt_ED", high=_UNBOUNDED),
    Feature(paper.rtt_cstate_rate_ed, "throughput", "RTT_CState_Thpt_ED", high=_UNBOUNDED),
    Feature(paper.rate_dtwd, "throughput", "Thpt_DTWD", high=_UNBOUNDED),
    Feature(paper.rtt_rate_dtwd, "throughput", "RTT_Thpt_DTWD", high=_UNBOUNDED),
    Feature(paper.cstate_rate_dtwd, "throughput", "CState_Thpt_DTWD", high=_UNBOUNDED),
    Feature(paper.rtt_cstate_rate_dtwd, "throughput", "RTT_CState_Thpt_DTWD", high=_UNBOUNDED),
    Feature(paper.rate_sd_ratio, "throughput", "Thpt_SD_Ratio"),
    Feature(invariant.queue_ed_4us, "invariant"),
    Feature(invariant.queue_dtwd_4us, "invariant"),
    Feature(invariant.queue_ed_ratio_q10, "invariant", high=ONE_Q10),
    Feature(invariant.rtt_correlation_q10, "invariant", low=-ONE_Q10, high=ONE_Q10),
    Feature(invariant.rtt_rank_correlation_q10, "invariant", low=-ONE_Q10, high=ONE_Q10),
    Feature(invariant.rtt_lagged_correlation_q10, "invariant", low=-ONE_Q10, high=ONE_Q10),
    Feature(invariant.rtt_change_correlation_q10, "invariant", low=-ONE_Q10, high=ONE_Q10),
    Feature(invariant.queue_mean_ratio_q10, "invariant", high=ONE_Q10),
    Feature(invariant.queue_sd_ratio_q10, "invariant", high=ONE_Q10),
    Feature(invariant.cstate_near_jaccard_excess_q10, "invariant", low=-ONE_Q10, high=ONE_Q10),
    Feature(invariant.rate_correlation_q10, "invariant", low=-ONE_Q10, high=ONE_Q10),
)


def feature_names(feature_set: str) -> tuple[str, ...]:
    """Return the names of the features of a set, in the catalogue's order.

    Returns
    -------
    tuple of str
        At least one name.

    Examples
    --------
    >>> len(feature_names("paper")), len(feature_names("table3"))
    (9, 18)

    Raises
    ------
    CatalogError
        If the set is unknown.
    """
    if feature_set not in SETS:
        raise CatalogError(f"feature_set is {feature_set!r}, must be one of {sorted(SETS)}")
    return tuple(feature.name for feature in FEATURES if feature.group in SETS[feature_set])


def feature(name: str) -> Feature:
    """Return a feature by name.

    Returns
    -------
    Feature

    Raises
    ------
    CatalogError
        If there is none of that name.
    """
    for known in FEATURES:
        if known.name == name:
            return known
    raise CatalogError(f"feature {name!r} is not in the catalogue")


def compute(grid: PairGrid, feature_set: str = "all") -> dict[str, float]:
    """Return the features of a set, of one window."""
    known = features_at_once(grid)
    return {
        feature.name: known[feature.name] if feature.name in known else feature.compute(grid)
        for feature in FEATURES
        if feature.group in SETS[feature_set]
    }


PAIR_WINDOW = PAIR_WINDOW_BASE.with_columns([feature.column() for feature in FEATURES])

_TILE_COLUMNS = tuple(
    Column(
        feature.name,
        pa.int32(),
        feature.meaning,
        unit="1/1024",
        source="ours",
        low=feature.low,
        high=feature.high,
        nullable=True,
    )
    for feature in TILE_FEATURES
)
#: The same columns as models take them: 0 in place of null, where a band or a witness says nothing.
_FILLED_TILE_COLUMNS = tuple(
    replace(column, meaning=f"{column.meaning}; 0 where nothing is known", nullable=False, low=min(column.low or 0, 0))
    for column in _TILE_COLUMNS
)

PAIR_TILE = PAIR_TILE_BASE.with_columns(_TILE_COLUMNS)
BENCHMARK_TRAIN = BENCHMARK_TRAIN_BASE.with_columns(_FILLED_TILE_COLUMNS)
BENCHMARK_TEST = BENCHMARK_TEST_BASE.with_columns(_FILLED_TILE_COLUMNS)
