"""What a model may learn from of a tile: excess and peak of each band, and what the second witness leads by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from smartsbd.features.fixed import ONE_Q10
from smartsbd.features.lag_excess.band import BANDS
from smartsbd.features.lag_excess.excess import HIGHEST_Q10, LOWEST_Q10, Excess
from smartsbd.features.lag_excess.memory import Evidence


@dataclass(frozen=True)
class TileFeature:
    """One integer of what is known of a pair at a tile; null where it says nothing.

    Attributes
    ----------
    name, meaning : str
    low, high : int
        Bounds of the value, inclusive, Q10.
    """

    name: str
    meaning: str
    low: int
    high: int


#: The set ``lag_excess``, in order.
TILE_FEATURES: tuple[TileFeature, ...] = (
    *(
        TileFeature(
            f"excess_{band.span}_q10",
            f"best agreement of changes over {band.span} steps at a possible lag, above that at impossible ones, in"
            " their standard deviations",
            LOWEST_Q10,
            HIGHEST_Q10,
        )
        for band in BANDS
    ),
    *(
        TileFeature(
            f"peak_{band.span}_q10",
            f"best agreement of changes over {band.span} steps at a possible lag",
            -ONE_Q10,
            ONE_Q10,
        )
        for band in BANDS
    ),
    TileFeature(
        "lead_q10",
        "by how much the comparison test's cross measures lead over its auto measures, both sides together",
        -4 * ONE_Q10,
        4 * ONE_Q10,
    ),
)


def tile_features(bands: Sequence[Excess | None], evidence: Evidence) -> dict[str, int | None]:
    """Return the features of the set ``lag_excess`` by name; None for a band, or a witness, that says nothing.

    ``excess_*`` and ``peak_*`` are those of :func:`~smartsbd.features.lag_excess.excess.excess_of`, and ``lead_q10`` is
    :meth:`~smartsbd.features.lag_excess.comparison.Comparison.lead_q10`.

    Parameters
    ----------
    bands : sequence of Excess or None
        What :func:`~smartsbd.features.lag_excess.excess.excesses` has of the evidence.
    evidence : Evidence
        Of a tile, and of those before it that are still kept.

    Examples
    --------
    One band says something, the others do not; the witness leads by 1 from either side.

    >>> from smartsbd.features.lag_excess.comparison import Comparison, Probes
    >>> from smartsbd.features.lag_excess.correlogram import Correlogram
    >>> from smartsbd.features.lag_excess.tile import Motion
    >>> own, still = Probes(10, 30, 30, 30, 100, 100, 100, 100, 90), Motion(0, 0, 0, 0, 0, 0, 0)
    >>> evidence = Evidence(0, Correlogram((), ()), Comparison(own, own), still, still, 0)
    >>> found = tile_features([Excess(2048, 512), *[None] * 6], evidence)
    >>> found["excess_2_q10"], found["peak_2_q10"], found["excess_4_q10"], found["lead_q10"]
    (2048, 512, None, 2048)
    """
    values = [
        *(None if one is None else one.excess_q10 for one in bands),
        *(None if one is None else one.peak_q10 for one in bands),
        evidence.comparison.lead_q10(),
    ]
    return {one.name: value for one, value in zip(TILE_FEATURES, values, strict=True)}
