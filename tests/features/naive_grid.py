"""A grid as the plain loops take it."""

from __future__ import annotations

import numpy as np

from smartsbd.features.series import PairGrid
from tests import naive


def grid_of(grid: PairGrid) -> naive.Grid:
    return naive.Grid(
        grid.rtt_a_us,
        grid.rtt_b_us,
        grid.congested_a.astype(np.int64),
        grid.congested_b.astype(np.int64),
        grid.acked_a_bytes,
        grid.acked_b_bytes,
        grid.min_rtt_a_us,
        grid.min_rtt_b_us,
        grid.step_ns,
    )
