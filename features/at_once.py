"""Features of a window in one compiled call; :mod:`smartsbd.features.catalog` has what each is."""

from __future__ import annotations

from smartsbd.features.reading import Reading
from smartsbd.features.series import PairGrid
from smartsbd.native import window_features


def _computes_as_exported(reading: Reading) -> bool:
    """Tell whether a window's features are computed as the default reading has them."""
    choices = (reading.distance, reading.dtw, reading.units, reading.zero_deviation)
    # Which windows are not used says nothing of the others.
    return choices in (("total", "squared", "s", "capped"), ("total", "squared", "s", "rejected"))


def features_at_once(grid: PairGrid) -> dict[str, float]:
    """Return the features that are computed together, by name: each as its own function returns it, in every digit.

    Empty where another reading computes differently, or where a sum might leave 64 bits: more points than a window
    has, a lag of more than half of them, or an acknowledgement taken back.

    Returns
    -------
    dict of str to int or float
        By the name of the feature, in the unit that its name ends in.

    Examples
    --------
    >>> features_at_once(PairGrid.of(rtt_a_us=[50_030, 50_000], rtt_b_us=[50_000, 50_040]))["rtt_ed_4us"]
    12
    """
    if not _computes_as_exported(grid.reading):
        return {}
    values = window_features.features(
        grid.rtt_a_us,
        grid.rtt_b_us,
        grid.congested_a,
        grid.congested_b,
        grid.acked_a_bytes,
        grid.acked_b_bytes,
        grid.rate_a_mbit_s,
        grid.rate_b_mbit_s,
        grid.min_rtt_a_us,
        grid.min_rtt_b_us,
        grid.rtt_steps,
    )
    return values or {}
