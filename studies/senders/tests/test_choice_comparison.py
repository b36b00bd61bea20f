"""Last verdicts under each choice: paired by network, every share counted by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from smartsbd.models.last_verdict.final_verdict import judged
from smartsbd.models.last_verdict.simulated_twins import SIGNALS
from studies.senders import choice_comparison
from studies.senders.choice_comparison import NoValidPairError

CHOICES = ["lia", "reno", "wvegas"]
REFERENCES = dict.fromkeys(CHOICES, "lia")
#: Base scenario, label, and under each choice whether the label is valid and what is said.
NETWORKS: list[tuple[str, bool, dict[str, tuple[bool, bool | None]]]] = [
    ("base 0", True, {"lia": (True, True), "reno": (True, True), "wvegas": (True, None)}),
    ("base 0", False, {"lia": (True, False), "reno": (True, True), "wvegas": (False, None)}),
    ("base 1", True, {"lia": (True, None), "reno": (True, True), "wvegas": (False, None)}),
    ("base 1", False, {"lia": (False, None), "reno": (True, False), "wvegas": (False, None)}),
]


def truth() -> list[dict[str, Any]]:
    return [
        {
            "connection_id": f"controllers/{number}{choice}",
            **{"subflow_a": 0, "subflow_b": 1, "from_ns": 0, "shared": shared, "valid": under[choice][0]},
            "scenario": f"{base}|{choice}",
            **{"utilisation_a": 0.5, "utilisation_b": 1.0 if choice == "lia" else 0.5},
        }
        for number, (base, shared, under) in enumerate(NETWORKS)
        for choice in CHOICES
    ]


def verdicts(**changed: Any) -> pd.DataFrame:
    rows = [
        {
            "connection_id": f"controllers/{number}{choice}",
            "subflow_a": 0,
            "subflow_b": 1,
            "shared": shared,
            "said": said,
        }
        for number, (_, shared, under) in enumerate(NETWORKS)
        for choice, (valid, said) in under.items()
        if valid
    ]
    found = judged(pd.DataFrame(rows).astype({"said": object})).astype({"said": "boolean"})
    return found.assign(**{"judge": "replayed", "detector": "d", "preset": "default"} | changed)


def parts_of(setting: str) -> tuple[str, str]:
    base, choice = setting.split("|")
    return base, choice


def compared(rows: pd.DataFrame, references: dict[str, str] = REFERENCES) -> list[dict[str, Any]]:
    drawn = choice_comparison.drawn_pairs(truth(), parts_of)
    own = choice_comparison.by_choice(rows, drawn)
    return list(choice_comparison.compared(own, drawn, references, resamples=200, seed=0))


def test_each_share_is_as_counted_by_hand() -> None:
    lia, reno, wvegas = compared(verdicts())
    assert [row["choice"] for row in (lia, reno, wvegas)] == CHOICES
    assert [(row["drawn"], row["pairs"], row["shared"]) for row in (lia, reno, wvegas)] == [
        (4, 3, 2),
        (4, 4, 2),
        (4, 1, 1),
    ]
    assert lia["right"] == pytest.approx(2 / 3)
    assert lia["none_share"] == pytest.approx(1 / 3)
    assert (lia["decided"], lia["wrong"]) == (1, 0)
    assert (reno["right"], reno["none_share"], reno["decided"], reno["wrong"]) == (0.75, 0, 0.75, 1)
    assert (wvegas["right"], wvegas["none_share"], wvegas["wrong"]) == (0, 1, 0)
    # Nothing is decided: no share of it.
    assert np.isnan(wvegas["decided"])


def test_the_difference_is_of_the_networks_that_both_have() -> None:
    lia, reno, wvegas = compared(verdicts())
    # Under Reno right on the first and third network, under LIA on the first and second; the fourth has no label there.
    assert (reno["both"], reno["right_on_both"], reno["reference_on_both"]) == (
        3,
        pytest.approx(2 / 3),
        pytest.approx(2 / 3),
    )
    assert (reno["bases"], wvegas["bases"]) == (2, 1)
    assert reno["less"] == 0
    assert reno["less_low"] < 0 < reno["less_high"]
    assert (lia["both"], lia["less"], lia["less_low"], lia["less_high"]) == (3, 0, 0, 0)
    # One network alone: every resample that has it has the same difference.
    assert (wvegas["both"], wvegas["less"], wvegas["less_low"], wvegas["less_high"]) == (1, -1, -1, -1)


def test_a_choice_can_be_compared_with_another_than_the_first() -> None:
    _, reno, wvegas = compared(verdicts(), {"lia": "lia", "reno": "lia", "wvegas": "reno"})
    assert [row["reference"] for row in (reno, wvegas)] == ["lia", "reno"]
    # Both have a label on the first network alone: Reno is right there, wVegas silent.
    assert (wvegas["both"], wvegas["right_on_both"], wvegas["reference_on_both"]) == (1, 0, 1)
    assert (reno["both"], reno["less"]) == (3, 0)


def test_base_scenarios_are_resampled_whole() -> None:
    """The two networks of base 0 part in opposite ways: drawn one by one, a resample could have one of them alone."""
    own = [
        ("base 0", True, {"lia": (True, False), "reno": (True, True)}),
        ("base 0", False, {"lia": (True, False), "reno": (True, True)}),
    ]
    rows = verdicts()
    rows = rows[rows["connection_id"].isin([f"controllers/{n}{c}" for n in (0, 1) for c in ("lia", "reno")])].copy()
    assert len(rows) == 2 * len(own)
    rows["said"] = pd.array([said for _, _, under in own for _, said in under.values()], dtype="boolean")
    _, reno, _ = compared(judged(rows.astype({"said": object})).astype({"said": "boolean"}))
    # Network by network the difference would be -1, 0 or 1; of the base scenario it is always 0.
    assert (reno["less"], reno["less_low"], reno["less_high"]) == (0, 0, 0)


def test_detectors_are_told_apart_by_kind_and_parameters() -> None:
    rows = pd.concat([verdicts(), verdicts(judge="learnt"), verdicts(preset="other")], ignore_index=True)
    found = compared(rows)
    assert [(row["judge"], row["detector"], row["parameters"]) for row in found[::3]] == [
        ("replayed", "d", "default"),
        ("learnt", "d", "default"),
        ("replayed", "d", "other"),
    ]
    assert found[0]["right"] == found[3]["right"] == found[6]["right"]


def test_what_is_no_comparison_is_refused() -> None:
    with pytest.raises(NoValidPairError, match="no pair has a valid label under any choice"):
        compared(verdicts().iloc[:0])
    again = pd.concat([verdicts(), verdicts()], ignore_index=True)
    with pytest.raises(ValueError, match="another run has its network and its choice"):
        compared(again)
    with pytest.raises(ValueError, match=r"choices of no row: \['wvegas'\]"):
        compared(verdicts(), {"lia": "lia", "reno": "lia"})


def test_signals_are_medians_over_all_networks_valid_or_not() -> None:
    drawn = choice_comparison.drawn_pairs(truth(), parts_of)
    rows = [
        {"connection_id": f"controllers/{number}{choice}", **dict.fromkeys(SIGNALS, float(10 * number + at))}
        for number in range(len(NETWORKS))
        for choice in CHOICES
        for at in (0, 1)
    ]
    lia, reno, wvegas = choice_comparison.compared_signals(pd.DataFrame(rows), drawn, CHOICES)
    assert [(row["drawn"], row["valid"], row["subflows"]) for row in (lia, reno, wvegas)] == [
        (4, 3, 8),
        (4, 4, 8),
        (4, 1, 8),
    ]
    assert (lia["utilisation"], reno["utilisation"]) == (0.75, 0.5)
    # Of 0, 1, 10, 11, 20, 21, 30 and 31.
    assert {lia[name] for name in SIGNALS} == {15.5}
