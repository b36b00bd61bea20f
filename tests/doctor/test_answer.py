"""Three witnesses, and the answer of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from smartsbd.doctor import agreement_witness, delay_witness, rate_witness
from smartsbd.doctor.answer import answer
from smartsbd.doctor.guided_test import BOTH, FIRST, IDLE, SECOND
from smartsbd.doctor.observed import Observed
from tests.doctor.observations import came, echoes, observed, with_phase

SHARED, APART = observed(queue_shared=True), observed(queue_shared=False, both=(10, 8))
#: The first path answers as ever, and the second one hardly.
UNASKED = (SHARED.phases[FIRST].echoes[0], echoes(0, np.zeros(5), 30))
RECORDED = {shared: replace(seen, phases={}) for shared, seen in ((True, SHARED), (False, APART))}


@pytest.mark.parametrize(("seen", "shared"), [(SHARED, True), (APART, False)])
def test_all_three_say_the_same(seen: Observed, shared: bool) -> None:
    said = answer(seen)
    assert [one.shared for one in said.witnesses] == [shared] * 3
    assert [one.name for one in said.witnesses] == ["rates", "delays", "agreement"]
    assert said.shared is shared and said.why is None
    assert said.advice


def test_rates_are_told_in_figures() -> None:
    said = rate_witness.witness(SHARED).grounds
    assert "wlan0 alone 10 Mbit/s, wwan0 alone 8, both at once 10" in said
    assert "adds 0%" in said


@pytest.mark.parametrize(("both", "shared"), [((6, 6.7), True), ((6, 7.2), None), ((7, 8), None), ((8, 7.3), False)])
def test_what_the_second_path_adds_decides(both: tuple[float, float], shared: bool | None) -> None:
    assert rate_witness.witness(observed(queue_shared=True, both=both)).shared is shared


def test_rates_of_paths_that_nothing_fills_tell_nothing() -> None:
    said = rate_witness.witness(observed(queue_shared=False, both=(10, 8), loads=False))
    assert said.shared is None
    assert "no queue stood on wlan0" in said.grounds


def test_delays_that_differ_by_the_way_round_tell_nothing() -> None:
    apart = APART.phases[SECOND].echoes
    assert delay_witness.witness(with_phase(SHARED, SECOND, echoes=apart)).shared is None
    assert delay_witness.witness(SHARED).shared is True


def test_agreement_is_what_detect_says() -> None:
    assert agreement_witness.witness(SHARED).grounds.startswith("with both loaded their delays move together, since ")
    refused = replace(SHARED, both=replace(SHARED.both, refused="too far apart"))
    assert (agreement_witness.witness(refused).shared, agreement_witness.witness(refused).grounds) == (
        None,
        "too far apart",
    )


def test_the_majority_counts_and_a_tie_is_unknown() -> None:
    said = answer(observed(queue_shared=True, both=(10, 8)))
    assert [one.shared for one in said.witnesses] == [False, True, True]
    assert said.shared is True
    tie = with_phase(observed(queue_shared=True, both=(10, 8)), SECOND, echoes=APART.phases[SECOND].echoes)
    said = answer(tie)
    assert [one.shared for one in said.witnesses] == [False, None, True]
    assert (said.shared, said.why) == (None, "the witnesses contradict each other")


def test_agreement_and_clear_rates_count_alone() -> None:
    # The rates are in between, and the echoes of one phase are those of paths apart.
    apart = APART.phases[SECOND].echoes
    said = answer(with_phase(observed(queue_shared=True, both=(7, 8)), SECOND, echoes=apart))
    assert [one.shared for one in said.witnesses] == [None, None, True]
    assert said.shared is True
    for both, counts in (((5, 5), True), ((6, 6.5), None)):
        seen = with_phase(observed(queue_shared=True, both=both), SECOND, echoes=apart)
        said = answer(replace(seen, both=replace(seen.both, refused="too far apart")))
        assert [one.shared for one in said.witnesses] == [True, None, None]
        assert said.shared is counts
    assert said.why == "only rates can tell, which is too little"


def test_delays_alone_do_not_count() -> None:
    seen = observed(queue_shared=True, both=(7, 8))
    said = answer(replace(seen, both=replace(seen.both, refused="too far apart")))
    assert [one.shared for one in said.witnesses] == [None, True, None]
    assert (said.shared, said.why) == (None, "only delays can tell, which is too little")


def test_one_way_of_the_delays_is_enough_where_the_other_cannot_tell() -> None:
    said = delay_witness.witness(with_phase(SHARED, FIRST, echoes=UNASKED))
    assert said.shared is True
    assert said.grounds.startswith(
        "too few echoes were answered with wlan0 loaded; with wwan0 loaded its echoes waited"
    )


def test_agreement_of_paths_without_a_queue_tells_nothing() -> None:
    idle = APART.phases[FIRST].echoes
    said = agreement_witness.witness(with_phase(SHARED, BOTH, echoes=idle))
    assert (said.shared, said.grounds) == (None, "with both loaded no queue stood on wwan0")


@pytest.mark.parametrize("shared", [True, False])
def test_the_only_witness_of_recordings_counts(shared: bool) -> None:
    said = answer(RECORDED[shared])
    assert [one.shared for one in said.witnesses] == [None, None, shared]
    assert said.shared is shared


def test_a_host_that_stood_still_makes_it_unknown() -> None:
    assert answer(with_phase(SHARED, BOTH, still=0.019)).shared is True
    said = answer(with_phase(SHARED, BOTH, still=0.03))
    assert (said.shared, said.why) == (None, "this host, or its clock, stood still for 3% of a phase")


def test_a_path_without_load_makes_it_unknown() -> None:
    phase = SHARED.phases[BOTH]
    begin_s = phase.begin_s
    little = answer(with_phase(SHARED, BOTH, received={**phase.received, 1: came(begin_s, 40, 0.04)}))
    assert (little.shared, little.why) == (None, "0.04 Mbit/s came over wwan0, while both were loaded")
    burst = came(begin_s, 15, 10)
    once = answer(with_phase(SHARED, BOTH, received={**phase.received, 1: burst}))
    assert once.shared is None and once.why is not None
    assert once.why.startswith("nothing came over wwan0 in 66% of the seconds")
    assert once.advice == ["A path without load has no bottleneck. See that the server sends over it, and test again."]


def test_a_load_that_broke_off_makes_it_unknown() -> None:
    said = answer(with_phase(SHARED, BOTH, broken="refused"))
    assert (said.shared, said.why) == (None, "the load broke off with both loaded: refused")
    assert [one.shared for one in said.witnesses] == [True] * 3
    early = with_phase(SHARED, FIRST, broken="refused")
    said = answer(replace(early, phases={name: early.phases[name] for name in (IDLE, FIRST)}))
    assert (said.shared, said.why) == (None, "the load broke off with wlan0 loaded: refused")
    assert [one.shared for one in said.witnesses] == [None] * 3


def test_the_share_of_echoes_without_an_answer_is_said() -> None:
    phase = SHARED.phases[BOTH]
    one, other = phase.echoes
    seen = with_phase(SHARED, BOTH, echoes=(one, replace(other, unanswered=130)))
    # 6,500 were answered in 65 s.
    assert "  echoes without an answer: 0.0% over wlan0, 2.0% over wwan0" in answer(seen).lines()
    assert answer(seen).as_json()["unanswered"] == (0.0, 130 / 6630)
    assert not any("without an answer" in line for line in answer(RECORDED[True]).lines())


def test_the_answer_is_lines_and_json() -> None:
    said = answer(SHARED)
    assert said.lines()[0] == "wlan0 and wwan0: they share a bottleneck"
    assert [line.split()[:2] for line in said.lines()[1:4]] == [
        [name, "shared"] for name in ("rates", "delays", "agreement")
    ]
    assert said.as_json()["answer"] == "shared"
    written = said.as_json()["witnesses"][0]
    assert written == {"name": "rates", "shared": True, "said": said.witnesses[0].grounds, "counts_alone": True}
    assert answer(with_phase(SHARED, BOTH, still=0.5)).as_json()["answer"] == "unknown"
