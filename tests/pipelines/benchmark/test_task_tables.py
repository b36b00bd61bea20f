"""A task's tables, and the figure: the share of labels whose last verdict is right."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from smartsbd.detectors.scoring import OnPair
from smartsbd.models.labelled.windows import LearnError
from smartsbd.pipelines.benchmark.task import TASKS
from smartsbd.pipelines.benchmark.task_score import TaskScore
from smartsbd.pipelines.benchmark.task_tables import FEATURES, LEARNT, MEMORY, TaskTables, labels_of, tables_of

NS = 1_000_000_000


def truth(from_ns: int, shared: bool, *, valid: bool = True, b: int = 1) -> dict[str, object]:
    return {"subflow_a": 0, "subflow_b": b, "from_ns": from_ns, "shared": shared, "valid": valid}


def made() -> TaskTables:
    """Shared where the first feature is positive; two labels of one pair, one of another, and one without a moment."""
    rng = np.random.default_rng(0)
    x = rng.integers(-2000, 2000, size=(80, len(FEATURES)))
    frame = pd.DataFrame(x, columns=list(FEATURES))
    train = frame.assign(
        row=range(80), connection="aa" * 8, subflow_a=0, subflow_b=1, at_ns=range(80), shared=x[:, 0] > 0
    )
    lead = [-1500, 1500, -1500, -1500]
    test = pd.DataFrame(0, index=range(4), columns=list(FEATURES)).assign(
        row=range(4), label=[0, 0, 1, 2], at_ns=[2 * NS, 3 * NS, 12 * NS, 2 * NS]
    )
    test[FEATURES[0]] = lead
    labels = pd.DataFrame(
        {
            "label": range(4),
            "connection": ["bb" * 8, "bb" * 8, "cc" * 8, "dd" * 8],
            "subflow_a": 0,
            "subflow_b": 1,
            "from_ns": [NS, 10 * NS, NS, NS],
            "until_ns": [10 * NS, 20 * NS, 20 * NS, 20 * NS],
            "shared": [True, False, True, True],
        }
    )
    return TaskTables(train, test, labels)


def test_each_phase_of_a_pair_is_a_label_and_the_last_record_counts() -> None:
    rows = [truth(0, True), truth(30, False), truth(60, True, valid=False), truth(0, False, b=2)]
    found = labels_of(rows, start_ns=10, end_ns=100, by_ns=-10 + NS)
    spans = [(one["subflow_b"], one["from_ns"] - NS, one["until_ns"] - NS, one["shared"]) for one in found]
    assert spans == [(1, 0, 20, True), (1, 20, 50, False), (2, 0, 91, False)]


def test_a_label_may_be_judged_in_pieces() -> None:
    rows = [truth(0, True), truth(40 * NS, False)]
    found = labels_of(rows, start_ns=0, end_ns=55 * NS - 1, by_ns=0, every_s=15)
    spans = [(one["from_ns"] // NS, one["until_ns"] // NS, one["shared"]) for one in found]
    assert spans == [(0, 15, True), (15, 40, True), (40, 55, False)]


def test_a_label_that_ends_before_the_first_record_is_none() -> None:
    assert labels_of([truth(0, True), truth(5, False)], start_ns=10, end_ns=20, by_ns=0) == [
        {"subflow_a": 0, "subflow_b": 1, "from_ns": 10, "until_ns": 21, "shared": False}
    ]


def test_the_last_verdict_counts_and_none_is_wrong() -> None:
    # Right from 3 s on; never said; right, then withdrawn; only said once the label had ended.
    said = {
        0: OnPair((2 * NS, 3 * NS), (False, True)),
        2: OnPair((2 * NS, 5 * NS), (True, None)),
        3: OnPair((20 * NS,), (True,)),
    }
    rows = made().judged(said)
    assert rows["right"].tolist() == [1, 0, 0, 0]
    assert rows["said"].tolist() == [True, None, None, None]
    assert rows["first_s"].fillna(-1).tolist() == [1, -1, 1, -1]
    score = TaskScore.of(TASKS["kernel-1"], "XS", "lag-excess", rows, resamples=100, seed=0)
    assert (score.right, score.decided, score.right_of_decided, score.labels, score.shared) == (0.25, 0.25, 1, 4, 3)
    assert score.seen and not TaskScore.of(TASKS["kernel-1"], "XS", "wavelet", rows, resamples=9, seed=0).seen
    assert score.first_s == 1
    assert np.isnan(TaskScore.of(TASKS["shift-1"], "XS", "lag-excess", rows, resamples=9, seed=0).first_s)
    assert 0 <= score.right_low <= score.right <= score.right_high <= 1


def test_a_verdict_of_the_phase_before_holds_until_it_is_changed() -> None:
    rows = made().judged({1: OnPair((2 * NS,), (False,))})
    assert (rows["right"][1], rows["first_s"][1]) == (1, 0)


def tiles(connection: str, decided_s: list[int]) -> pd.DataFrame:
    """Tiles of a pair, at each of which something can be said."""
    values = dict.fromkeys(FEATURES, decided_s)
    own = {"connection_id": connection, "subflow_a": 0, "subflow_b": 1, "memory": MEMORY, "shared": True}
    return pd.DataFrame(values | {"decided_ns": [at * NS for at in decided_s], "reason": None, "said": None} | own)


def test_moments_of_a_label_are_those_in_it_and_the_last_one_before() -> None:
    """As a verdict holds until another one is given."""
    spans = [(1, 5), (5, 10), (10, 15), (15, 20)]
    labels = [
        {"connection": "bb" * 8, "subflow_a": 0, "subflow_b": 1, "from_ns": a * NS, "until_ns": b * NS, "shared": True}
        for a, b in spans
    ]
    found = tables_of(tiles("aa" * 8, [2, 3]), tiles("bb" * 8, [2, 3, 5, 9, 15, 20]), labels).test
    moments = [(label, at // NS) for label, at in zip(found["label"], found["at_ns"], strict=True)]
    assert moments == [(0, 2), (0, 3), (1, 3), (1, 5), (1, 9), (2, 9), (3, 9), (3, 15)]


@pytest.mark.parametrize("family", LEARNT)
def test_what_is_learnt_is_judged_by_its_last_moment(family: str) -> None:
    tables = made()
    rows = tables.judged(tables.learnt(family))
    # The last label has no moment at all.
    assert rows["right"].tolist() == [1, 1, 0, 0]


def test_nothing_of_the_judged_side_is_learnt_from() -> None:
    tables = made()
    told = TaskTables(tables.train, tables.test, tables.labels.assign(shared=~tables.labels["shared"]))
    assert {family: told.learnt(family) for family in LEARNT} == {family: tables.learnt(family) for family in LEARNT}


def test_one_label_alone_teaches_nothing() -> None:
    tables = made()
    with pytest.raises(LearnError, match="both labels"):
        TaskTables(tables.train.assign(shared=True), tables.test, tables.labels).learnt("tree")


def test_an_unknown_connection_and_pair_have_no_verdict() -> None:
    on = OnPair((2 * NS,), (True,))
    assert made().by_label({"bb" * 8: {(0, 2): on}, "cc" * 8: {(0, 1): on}, "ee" * 8: {(0, 1): on}}) == {2: on}
