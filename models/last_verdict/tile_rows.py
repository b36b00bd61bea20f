"""Rows of the ``pair_tile`` table: a pair's evidence and verdict at each of its tiles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from smartsbd.detectors.lag_excess import Criterion
from smartsbd.features.lag_excess import gate
from smartsbd.features.lag_excess.excess import excesses
from smartsbd.features.lag_excess.lattice import Lattice, lattice_of
from smartsbd.features.lag_excess.memory import FORGETTING, Evidence, Memory
from smartsbd.features.lag_excess.tile import Tile, tiles
from smartsbd.features.lag_excess.tile_feature import TILE_FEATURES, tile_features
from smartsbd.features.series import SubflowSignals
from smartsbd.traces.truth import label_at

#: The criterion by which a row is judged and a memory restarts: that of the lag excess.
CRITERION = Criterion()
_NOTHING: dict[str, int | None] = {feature.name: None for feature in TILE_FEATURES}


def memory_named(name: str) -> Memory:
    """Return an empty memory of a name in :data:`~smartsbd.features.lag_excess.memory.FORGETTING`."""
    return Memory(FORGETTING[name], lambda evidence: CRITERION.judged(evidence)[0])


def _judged(tile: Tile, evidence: Evidence | None) -> dict[str, Any]:
    """Return the criterion's verdict, and the features."""
    if evidence is None:
        return {"start_ns": tile.start_ns, "said": None, "score_q10": None, "reason": gate.TOO_DEEP, **_NOTHING}
    bands = excesses(evidence.correlogram)
    shared, score_q10, reason = CRITERION.judged_by(bands, evidence)
    verdict = {"start_ns": evidence.start_ns, "said": shared, "score_q10": score_q10, "reason": reason}
    return verdict | tile_features(bands, evidence)


def tile_rows(
    x: SubflowSignals, y: SubflowSignals, memories: Sequence[str], truth: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]] | str:
    """Return a pair's rows, without the columns that name the pair; or why there are none.

    Parameters
    ----------
    x, y : SubflowSignals
        The pair, lower subflow number first.
    memories : sequence of str
        Names in :data:`~smartsbd.features.lag_excess.memory.FORGETTING`.
    truth : sequence of rows of the ``truth`` table
        All rows of the pair.

    Returns
    -------
    list of dict, or str
        One for each tile and memory; or the reason why there is no lattice.
    """
    lattice = lattice_of(x, y)
    if not isinstance(lattice, Lattice):
        return lattice
    kept = {name: memory_named(name) for name in memories}
    rows = []
    for tile in tiles(x, y, lattice):
        known = {
            "tile_no": tile.number,
            "steps": tile.steps,
            "decided_ns": tile.decided_ns,
            "min_rtt_us": lattice.min_rtt_us,
        }
        for name, memory in kept.items():
            judged = _judged(tile, memory.add(tile))
            label = label_at(truth, judged["start_ns"], tile.decided_ns)
            rows.append({"memory": name, **known, **judged, "shared": None if label is None else label.shared})
    return rows
