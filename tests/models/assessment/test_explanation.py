"""A tree's path is the one scikit-learn takes, worked by hand on a small tree."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from smartsbd.models.assessment.explanation import NotATreeError, Step, decision_path
from smartsbd.models.families.fitted import Fitted, Setting

X = np.array([[0.0, 0.0], [0.0, 10.0], [10.0, 0.0], [10.0, 10.0], [10.0, 10.0]])
SHARED = np.array([False, False, False, True, True])


def test_the_questions_from_the_root_to_the_leaf() -> None:
    tree = DecisionTreeClassifier(random_state=0).fit(X, SHARED)
    fitted = Fitted(tree, ("first", "second"), Setting(2, ()))
    path = decision_path(fitted, np.array([9.0, 7.0]))
    assert {step.feature for step in path} == {"first", "second"}
    assert all(step.threshold == 5 and step.above for step in path)
    # After the first question two of three are shared, after the second all.
    assert [step.shared_share for step in path] == pytest.approx([2 / 3, 1])
    values = {"first": 9.0, "second": 7.0}
    assert all(step.value == values[step.feature] for step in path)


def test_a_low_value_ends_early() -> None:
    tree = DecisionTreeClassifier(random_state=0, max_depth=1).fit(X[:, :1], SHARED)
    fitted = Fitted(tree, ("first",), Setting(1, ()))
    assert decision_path(fitted, np.array([1.0])) == [Step("first", 1.0, 5.0, above=False, shared_share=0.0)]


def test_what_is_no_tree_is_refused() -> None:
    fitted = Fitted(LogisticRegression().fit(X, SHARED), ("first", "second"), Setting(2, ()))
    with pytest.raises(NotATreeError, match="LogisticRegression"):
        decision_path(fitted, X[0])
