"""What a stranger can make the check say, on logs whose answer is known."""

from __future__ import annotations

from typing import Any

import numpy as np

from smartsbd.detectors.active.dithered_pair import ActiveVerdict
from smartsbd.features.series import SubflowSignals
from studies.active import forged

RTT_US, SEGMENT_US, SYMBOLS = 40_000, 1_000, 400
HALF_NS = RTT_US * 500


def dithered(seed: int) -> tuple[dict[str, Any], SubflowSignals, SubflowSignals]:
    """Two subflows that share nothing: each delays itself by a millisecond for each segment of its symbols."""
    rng = np.random.default_rng(seed)
    symbols, samples = [], []
    for subflow in (0, 1):
        signs = rng.choice([-1, 1], SYMBOLS)
        begin_ns = 1_000_000_000 + 2 * HALF_NS * np.arange(SYMBOLS)
        symbols += [
            {
                "subflow": subflow,
                "begin_ns": int(begin),
                "middle_ns": int(begin) + HALF_NS,
                "end_ns": int(begin) + 2 * HALF_NS,
                "segments": int(sign),
            }
            for begin, sign in zip(begin_ns, signs, strict=True)
        ]
        sent_ns = np.arange(1_000_000_000, begin_ns[-1] + 2 * HALF_NS, HALF_NS // 8)
        half = (sent_ns - 1_000_000_000) // HALF_NS
        moved = signs[half // 2] * np.where(half % 2, -1, 1)
        rtt_us = RTT_US + 5_000 + SEGMENT_US * moved + rng.integers(-200, 200, sent_ns.size)
        samples.append(SubflowSignals.of_rtts(np.maximum.accumulate(sent_ns + rtt_us * 1000), rtt_us))
    symbols.sort(key=lambda symbol: int(symbol["end_ns"]))
    return {"begun": [{"m_us": RTT_US, "from_ns": 0}], "symbols": symbols}, samples[0], samples[1]


def test_whoever_copies_a_queue_forges_shared() -> None:
    for seed in range(3):
        record, x, y = dithered(seed)
        assert forged.verdict(record, x, y) is ActiveVerdict.APART
        assert forged.verdict(record, x, forged.copied(x, y)) is ActiveVerdict.SHARED


def test_whoever_fills_up_what_a_queue_lacks_takes_its_signs_away() -> None:
    """The second subflow passes the first one's queue; made flat, it shows none of its symbols."""
    record, x, y = dithered(4)
    behind = forged.copied(x, y)
    assert forged.verdict(record, x, behind) is ActiveVerdict.SHARED
    flat = forged.hidden(x, behind)
    assert np.std(flat.rtt_us) < np.std(behind.rtt_us)
    assert forged.verdict(record, x, flat) is not ActiveVerdict.SHARED


def test_acks_that_are_delayed_keep_their_order() -> None:
    y = SubflowSignals.of_rtts([1_000_000, 2_000_000], [100, 100])
    later = forged.delayed(y, np.array([5_000, 0]))
    assert later.rtt_us.tolist() == [5_100, 100]
    assert later.rtt_time_ns.tolist() == [6_000_000, 6_000_000]
