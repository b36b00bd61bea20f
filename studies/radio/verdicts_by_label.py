"""Last verdicts label by label: right of all pairs, decided, and right of the decided ones, each with its interval."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd

from smartsbd.models.assessment.comparison import RIGHT, accuracy_of
from smartsbd.models.last_verdict.final_verdict import SAID

#: The rows of each detector, and the label that each is of; None is both.
LABELS = {"both": None, "shared": True, "not shared": False}


def by_label(judged: pd.DataFrame, *, resamples: int, seed: int) -> Iterator[dict[str, Any]]:
    """Yield three rows for each detector and parameter set, in the order they come: of both labels, and of each.

    Parameters
    ----------
    judged : DataFrame
        As the stage ``verdicts`` keeps them, every pair with a valid label: ``connection_id``, ``shared``, ``said``,
        ``right``, ``detector`` and ``preset``.
    resamples, seed : int
        As :func:`~smartsbd.models.assessment.accuracy.accuracy` takes them.

    Yields
    ------
    dict
        ``right``: share of all pairs, one without a verdict being wrong; ``coverage``: share that is decided;
        ``decided``: share of those that is right, of both labels the mean over the two. Each has ``_low`` and
        ``_high``, a 95 % interval by connection; nan where there are no pairs.
    """
    drawn = {"resamples": resamples, "seed": seed}
    for (detector, preset), own in judged.groupby(["detector", "preset"], sort=False):
        for name, label in LABELS.items():
            of = own if label is None else own[own["shared"] == label]
            decided = of[of[SAID].notna()]
            row: dict[str, Any] = {"detector": detector, "parameters": preset, "label": name, "pairs": len(of)}
            for what, found, kind in (
                ("right", accuracy_of(of, **drawn), "overall"),
                ("coverage", accuracy_of(of.assign(**{RIGHT: of[SAID].notna().astype(float)}), **drawn), "overall"),
                ("decided", accuracy_of(decided, **drawn), "balanced" if label is None else "overall"),
            ):
                row |= {f"{what}{end}": getattr(found, f"{kind}{end}") for end in ("", "_low", "_high")}
            row["wrong"] = int((decided[RIGHT] == 0).sum())
            row["none"] = len(of) - len(decided)
            yield row
