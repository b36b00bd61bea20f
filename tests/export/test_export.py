"""The compiler from fitted tree to C: exact text, exact decisions, and proof that fails when it must."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

from export import emit_c, verify
from export.probe import probing_rows
from export.tree import ExportError, Leaf, Split, Tree, decide, from_fitted, merged, size
from features.catalog import feature, feature_names
from models.fitted import Fitted, Setting

HEADER = emit_c.Header(name="sbd_tree_paper", model_digest="0123456789abcdef", trained_on="made")
NAMES = feature_names("both")
TREE = Split(
    "rtt_sd_ratio_q10",
    1000,
    Split("rtt_ed_4us", 7, Leaf(False), Leaf(True)),
    Leaf(False),
)

TEXT = """\
/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Generated from model 0123456789abcdef, trained on made.
 * Do not edit: change the model, or export/templates/tree.h.j2.
 *
 * 2 splits, 3 leaves, depth 2. Integers only; no state, no allocation.
 */
#ifndef SBD_TREE_PAPER_H
#define SBD_TREE_PAPER_H

#ifdef __KERNEL__
#include <linux/types.h>
typedef s32 sbd_feature_t;
#else
#include <stdint.h>
typedef int32_t sbd_feature_t;
#endif

/**
 * enum sbd_tree_paper_input - positions of the features in the input
 * @SBD_RTT_ED_4US: ED of the RTT series
 * @SBD_RTT_SD_RATIO_Q10: ratio of the RTT series' standard deviations
 * @SBD_TREE_PAPER_INPUTS: how many there are
 */
enum sbd_tree_paper_input {
	SBD_RTT_ED_4US,
	SBD_RTT_SD_RATIO_Q10,
	SBD_TREE_PAPER_INPUTS
};

/**
 * enum sbd_tree_paper_verdict - what a window says of two subflows
 * @SBD_NOT_SHARED: separate bottlenecks; uncoupled control is fair
 * @SBD_SHARED: one bottleneck; couple the subflows
 */
enum sbd_tree_paper_verdict {
	SBD_NOT_SHARED,
	SBD_SHARED
};

/**
 * sbd_tree_paper() - decide whether two subflows share a bottleneck
 * @x: the window's features, indexed by &enum sbd_tree_paper_input
 *
 * Return: %SBD_SHARED or %SBD_NOT_SHARED.
 */
static inline enum sbd_tree_paper_verdict
sbd_tree_paper(const sbd_feature_t x[SBD_TREE_PAPER_INPUTS])
{
	if (x[SBD_RTT_SD_RATIO_Q10] <= 1000) {
		if (x[SBD_RTT_ED_4US] <= 7)
			return SBD_NOT_SHARED;
		return SBD_SHARED;
	}
	return SBD_NOT_SHARED;
}

#endif /* SBD_TREE_PAPER_H */
"""


def fitted(seed: int, depth: int | None = None, rows: int = 400) -> Fitted:
    rng = np.random.default_rng(seed)
    ranges = [(int(feature(name).low), int(feature(name).high)) for name in NAMES]
    x = np.stack([rng.integers(low, high, size=rows, endpoint=True) for low, high in ranges], axis=1)
    x[:, 0] = rng.integers(0, 4, size=rows)
    estimator = DecisionTreeClassifier(max_depth=depth, random_state=0).fit(x, rng.random(rows) < 0.5)
    return Fitted(estimator, NAMES, Setting(len(NAMES), (("max_depth", depth),)))


def replayed(tree: Tree, rows: pd.DataFrame) -> list[bool]:
    inputs = rows[list(emit_c.input_names(tree))].to_numpy(dtype=np.int64)
    text, program = emit_c.render_tree(tree, HEADER), emit_c.render_replay(tree, HEADER)
    return [bool(one) for one in verify.replay(text, program, HEADER.name, inputs)]


def test_the_text() -> None:
    assert emit_c.render_tree(TREE, HEADER) == TEXT


def test_a_header_decides_by_hand() -> None:
    rows = pd.DataFrame(
        [(8, 1000, True), (7, 1000, False), (8, 1001, False), (-1, -5, False), (2**31 - 1, -(2**31), True)],
        columns=["rtt_ed_4us", "rtt_sd_ratio_q10", "shared"],
    )
    assert replayed(TREE, rows) == rows["shared"].tolist()
    walked = [decide(TREE, {"rtt_ed_4us": row[0], "rtt_sd_ratio_q10": row[1]}) for row in rows.to_numpy().tolist()]
    assert walked == rows["shared"].tolist()


@pytest.mark.parametrize("seed", range(4))
def test_model_tree_and_header_agree_on_every_leaf_and_threshold(seed: int) -> None:
    model = fitted(seed)
    tree = from_fitted(model)
    rows = probing_rows(tree, rows=20_000, seed=seed)
    verdicts = verify.prove(model, HEADER, rows)
    assert 0.1 < verdicts.mean() < 0.9
    assert size(tree)[1] > 50


def test_probing_rows_hit_thresholds_and_successors() -> None:
    rows = probing_rows(TREE, rows=400, seed=0)
    assert {1000, 1001} <= set(rows["rtt_sd_ratio_q10"])
    assert {7, 8} <= set(rows["rtt_ed_4us"])
    assert {decide(TREE, {str(k): int(v) for k, v in row.items()}) for row in rows.to_dict("records")} == {True, False}


@pytest.mark.parametrize(
    "broken",
    [
        TEXT.replace("<= 1000", "< 1000"),
        TEXT.replace("<= 7", "<= 8"),
        TEXT.replace("return SBD_SHARED;", "return SBD_NOT_SHARED;"),
    ],
)
def test_a_wrong_header_is_found(broken: str, monkeypatch: pytest.MonkeyPatch) -> None:
    estimator = DecisionTreeClassifier(random_state=0).fit([[8, 1000], [7, 1000], [8, 1001]], [True, False, False])
    model = Fitted(estimator, ("rtt_ed_4us", "rtt_sd_ratio_q10"), Setting(2, ()))
    rows = pd.DataFrame({"rtt_ed_4us": [8, 8, 7], "rtt_sd_ratio_q10": [1000, 1000, 1000]})
    verify.prove(model, HEADER, rows)
    monkeypatch.setattr(verify, "render_tree", lambda tree, header: broken)
    with pytest.raises(verify.VerifyError, match="the compiled header differs from the model on"):
        verify.prove(model, HEADER, rows)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("return SBD_SHARED;", "return x[0] * 0.5 > 1 ? SBD_SHARED : SBD_NOT_SHARED;"), "failed"),
        (("return SBD_SHARED;", "return undeclared;"), "failed"),
        (
            (
                "static inline enum sbd_tree_paper_verdict",
                "int outside(int);\nstatic inline enum sbd_tree_paper_verdict",
            ),
            None,
        ),
    ],
)
def test_a_header_must_be_integer_only(change: tuple[str, str], message: str | None) -> None:
    text = TEXT.replace(*change)
    if message is None:
        calling = text.replace("return SBD_SHARED;", "return outside(1) ? SBD_SHARED : SBD_NOT_SHARED;")
        with pytest.raises(verify.VerifyError, match="calls outside"):
            verify.check_object(calling, HEADER.name)
    else:
        with pytest.raises(verify.VerifyError, match=message):
            verify.check_object(text, HEADER.name)
    assert 0 < verify.check_object(TEXT, HEADER.name) < 200


def test_thresholds_are_floored_and_ties_go_to_not_shared() -> None:
    estimator = DecisionTreeClassifier(random_state=0).fit([[1], [2], [3], [3]], [False, False, True, False])
    model = Fitted(estimator, ("rtt_ed_4us",), Setting(1, ()))
    with pytest.raises(ExportError, match="the same for every window"):
        from_fitted(model)
    estimator = DecisionTreeClassifier(random_state=0).fit([[1], [2], [3]], [False, False, True])
    assert from_fitted(Fitted(estimator, ("rtt_ed_4us",), Setting(1, ()))) == Split(
        "rtt_ed_4us", 2, Leaf(False), Leaf(True)
    )


def test_agreeing_subtrees_become_a_leaf() -> None:
    same = Split("rtt_ed_4us", 3, Leaf(True), Split("rtt_ed_4us", 9, Leaf(True), Leaf(True)))
    assert merged(Split("rtt_sd_ratio_q10", 1, same, Leaf(False))) == Split(
        "rtt_sd_ratio_q10", 1, Leaf(True), Leaf(False)
    )


def test_thresholds_below_zero_are_floored_too() -> None:
    estimator = DecisionTreeClassifier(random_state=0).fit([[-3], [-2]], [False, True])
    name = "rtt_correlation_q10"
    tree = from_fitted(Fitted(estimator, (name,), Setting(1, ())))
    assert tree == Split(name, -3, Leaf(False), Leaf(True))
    assert replayed(tree, pd.DataFrame({name: [-4, -3, -2, 0]})) == [False, False, True, True]


def test_a_feature_that_is_no_integer_is_refused() -> None:
    estimator = DecisionTreeClassifier(random_state=0).fit([[0.5], [1.5]], [False, True])
    with pytest.raises(ExportError, match="rate_ed: no integers"):
        from_fitted(Fitted(estimator, ("rate_ed",), Setting(1, ())))


def test_only_trees_are_exported() -> None:
    class Other:
        classes_ = (False, True)

    with pytest.raises(ExportError, match="Other is no fitted decision tree"):
        from_fitted(Fitted(Other(), NAMES, Setting(1, ())))
