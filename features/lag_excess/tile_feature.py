"""What a model may learn from a tile: the excess and the peak of each band, and the lead of the second witness."""

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
        As :func:`~smartsbd.features.lag_excess.excess.excesses` returns them for the evidence.
    evidence : Evidence
        Of a tile, and of those before it that are still kept.

    Returns
    -------
    dict of str to int or None, Q10
        In the order of :data:`TILE_FEATURES`.

    Examples
    --------
    One band says something, the others do not; the witness leads by 1 from either side.

    >>> from smartsbd.features.lag_excess.comparison import Comparison, Probes
    >>> from smartsbd.features.lag_excess.correlogram import Correlogram
    >>> from smartsbd.features.lag_excess.tile import Motion
    >>> side, still = Probes(10, 30, 30, 30, 100, 100, 100, 100, 90), Motion(0, 0, 0, 0, 0, 0, 0)
    >>> evidence = Evidence(0, Correlogram((), ()), Comparison(side, side), still, still, 0)
    >>> values = tile_features([Excess(2048, 512), *[None] * 6], evidence)
    >>> values["excess_2_q10"], values["peak_2_q10"], values["excess_4_q10"], values["lead_q10"]
    (2048, 512, None, 2048)
    """
    values = [
        *(None if band is None else band.excess_q10 for band in bands),
        *(None if band is None else band.peak_q10 for band in bands),
        evidence.comparison.lead_q10(),
    ]
    return {feature.name: value for feature, value in zip(TILE_FEATURES, values, strict=True)}
