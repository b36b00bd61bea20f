"""Kept searches: found again as they were, by all that decides what is found."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from smartsbd.models.automl.kept import Kept, digest_of
from smartsbd.models.automl.search import EngineSearched, searches
from tests.models.automl.asked_made import limits, telling

ASKED = telling("flaml", limits(3))


@pytest.fixture(scope="module")
def searched(tmp_path_factory: pytest.TempPathFactory) -> EngineSearched:
    ((_, outcome),) = searches([ASKED], 1, tmp_path_factory.mktemp("scratch"))
    assert isinstance(outcome, EngineSearched)
    return outcome


def test_a_search_is_found_as_it_was_kept(searched: EngineSearched, tmp_path: Path) -> None:
    kept = Kept(tmp_path / "kept")
    kept.keep("one", searched)
    again = kept.find("one")
    assert again is not None
    pd.testing.assert_frame_equal(again.evaluations, searched.evaluations, check_exact=True)
    assert again.probability.tobytes() == searched.probability.tobytes()
    same = replace(again, probability=searched.probability, evaluations=searched.evaluations)
    assert vars(same) == vars(searched)
    assert [path.name for path in (tmp_path / "kept").iterdir()] == ["one.json"]


def test_what_was_never_kept_is_not_found(tmp_path: Path) -> None:
    assert Kept(tmp_path / "none").find("one") is None


def test_a_digest_tells_whatever_decides_what_is_found() -> None:
    other_x = ASKED.x.copy()
    other_x[0, 0] += 1
    digests = {
        digest_of(ASKED, "a"),
        digest_of(ASKED, "b"),
        digest_of(replace(ASKED, x=other_x), "a"),
        digest_of(replace(ASKED, shared=~ASKED.shared), "a"),
        digest_of(replace(ASKED, fold=ASKED.fold + 1), "a"),
        digest_of(replace(ASKED, judged=ASKED.judged[1:]), "a"),
        digest_of(replace(ASKED, seed=1), "a"),
        digest_of(replace(ASKED, limits=limits(4)), "a"),
    }
    assert len(digests) == 8
    assert digest_of(ASKED, "a") in digests
