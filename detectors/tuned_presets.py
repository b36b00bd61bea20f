"""Which detectors are replayed on a dataset: each with its own parameter sets, and with those chosen on others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from smartsbd.detectors import detector_of
from smartsbd.detectors.grid import points
from smartsbd.detectors.replaying import Named, built

#: Names of the parameter sets chosen on a dataset, by the form of accuracy that they were chosen for.
TUNED_ON = {"point": "tuned on {}", "time": "tuned on {} for time"}
#: A dataset's chosen points of the grids, by detector and form of accuracy.
Chosen = Mapping[str, Mapping[str, str]]


def with_tuned(
    names: Sequence[str], grids: Mapping[str, Mapping[str, Sequence[Any]]], chosen_on: Mapping[str, Chosen]
) -> Named:
    """Return every detector with its own parameter sets and those that were chosen on some datasets.

    Parameters
    ----------
    names : sequence of str
        Of the detectors.
    grids : mapping of str to grid
        The parameters to try, by detector.
    chosen_on : mapping of str to Chosen
        By dataset.

    Returns
    -------
    Named
        By detector and name of the parameter set, as in :data:`TUNED_ON` for chosen ones.
    """
    detectors: Named = {}
    for name in names:
        kind, _ = detector_of(name)
        for preset, parameters in kind.presets.items():
            detectors[name, preset] = built(kind, parameters)
        for dataset, chosen in chosen_on.items():
            if name in chosen:
                tried = points(kind, grids[name])
                for form, preset in TUNED_ON.items():
                    detectors[name, preset.format(dataset)] = built(kind, tried[chosen[name][form]])
    return detectors
