"""Detectors to replay: their own parameter sets, and those that were chosen on other datasets."""

from __future__ import annotations

import pickle
from dataclasses import replace

from smartsbd.detectors import DETECTORS
from smartsbd.detectors.replaying import built
from smartsbd.detectors.tuned_presets import with_tuned

GRIDS = {"correlation": {"threshold": [0.2, 0.6]}}
CHOSEN = {"correlation": {"point": "threshold=0.6", "time": "threshold=0.2"}, "rfc8382": {"point": "?", "time": "?"}}


def test_what_was_chosen_is_added_to_the_own_parameter_sets() -> None:
    found = with_tuned(["correlation", "emptcp-r"], GRIDS, {"sites": CHOSEN, "diverse": {}})
    own = {(name, preset) for name in ("correlation", "emptcp-r") for preset in DETECTORS[name].presets}
    tuned = {("correlation", "tuned on sites"), ("correlation", "tuned on sites for time")}
    assert found.keys() == own | tuned
    kind = DETECTORS["correlation"]
    for form, threshold in (("", 0.6), (" for time", 0.2)):
        # Pickled, a detector is its name and its parameters.
        expected = built(kind, replace(kind.presets[kind.default], threshold=threshold))
        assert pickle.dumps(found["correlation", f"tuned on sites{form}"]) == pickle.dumps(expected)
