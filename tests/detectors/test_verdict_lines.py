"""Verdict lines: what is read of them, and what is refused."""

from __future__ import annotations

import pytest

from smartsbd.detectors import verdict_lines
from smartsbd.detectors.scoring import OnPair
from smartsbd.detectors.verdict_lines import BACKWARDS, NO_VERDICT_LINE, NOT_OURS, OTHER_PAIR, OUTSIDE

GOOD = b"smartsbd: 50 C=1a SF=0,3 V=SHARED 1\n"
SPAN_NS = (10, 90)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"shared", NO_VERDICT_LINE),
        (b"smartsbd: 60 C=1a SF=0,3 V=SHARED 2", NO_VERDICT_LINE),
        (b"smartsbd: 60 C=1a SF=0,3 V=SHARED 1 ", NO_VERDICT_LINE),
        (b"smartsbd: -60 C=1a SF=0,3 V=SHARED 1", NO_VERDICT_LINE),
        (b"smartsbd: 60 C=1a SF=0 V=RTT 7", NO_VERDICT_LINE),
        (b"smartsbd: " + b"0" * 200 + b"60 C=1a SF=0,3 V=SHARED 0", NO_VERDICT_LINE),
        (b"\xff\x00", NO_VERDICT_LINE),
        (b"smartsbd: 60 C=1b SF=0,3 V=SHARED 0", NOT_OURS),
        (b"smartsbd: 60 C=1a SF=3,0 V=SHARED 0", OTHER_PAIR),
        (b"smartsbd: 60 C=1a SF=0,2 V=SHARED 0", OTHER_PAIR),
        (b"smartsbd: 9 C=1a SF=0,3 V=SHARED 0", OUTSIDE),
        (b"smartsbd: 91 C=1a SF=0,3 V=SHARED 0", OUTSIDE),
        (b"smartsbd: 49 C=1a SF=0,3 V=SHARED 0", BACKWARDS),
    ],
)
def test_what_does_not_fit_is_refused_and_the_rest_read(line: bytes, why: str) -> None:
    said, refused = verdict_lines.read(GOOD + line + b"\n\n", 0x1A, [0, 3], SPAN_NS)
    assert said == {(0, 3): OnPair((50,), (True,))}
    assert refused == {why: 1}


def test_of_one_time_the_last_verdict_counts_and_each_pair_is_by_itself() -> None:
    lines = b"50 C=1 SF=0,1 V=SHARED 1\r\n50 C=1 SF=0,1 V=SHARED -\n20 C=1 SF=1,2 V=SHARED 0"
    said, refused = verdict_lines.read(lines, 1, [0, 1, 2], SPAN_NS)
    assert not refused
    assert said == {(0, 1): OnPair((50,), (None,)), (0, 2): OnPair((), ()), (1, 2): OnPair((20,), (False,))}
