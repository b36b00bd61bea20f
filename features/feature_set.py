"""Sets of features, by the groups that the catalogue gives each feature."""

from __future__ import annotations

#: Sets a model of windows may use, by the groups they are made of.
SETS: dict[str, tuple[str, ...]] = {
    "paper": ("paper",),
    "invariant": ("invariant",),
    "both": ("paper", "invariant"),
    "table3": ("paper", "throughput"),
    "all": ("paper", "throughput", "invariant"),
}

#: Set of the features of a tile, which is no window: :data:`~smartsbd.features.lag_excess.tile_feature.TILE_FEATURES`.
OF_TILES = "lag_excess"
