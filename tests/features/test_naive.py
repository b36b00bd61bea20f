"""Values derived by hand from the text."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pytest

from tests.naive import (
    CAP,
    INTEGER_NAMES,
    REAL_NAMES,
    Grid,
    Signals,
    acked_at,
    bits,
    change,
    congested_at,
    correlation,
    delivered,
    deviation,
    doubled_ranks,
    dtw,
    ed_4us,
    entries_ns,
    features,
    folded,
    geometry,
    integer_features,
    isqrt,
    jaccard_excess,
    lagged_correlation,
    min_rtt_us,
    per_point,
    ratio,
    real_features,
    resampled,
    rtt_at,
    triggered_start_ns,
    widened,
)

MS = 1_000_000


def ints(*values: int) -> npt.NDArray[np.int64]:
    return np.array(values, np.int64)


def test_roots_near_perfect_squares() -> None:
    roots = {0, 1, 2, 3, 3_037_000_498, 3_037_000_499}
    for power in range(2, 32):
        roots |= {2**power - 1, 2**power, 2**power + 1}
    rng = np.random.default_rng(1)
    roots |= {int(root) for root in rng.integers(0, 2**31, 20_000)}
    for root in roots:
        for v in (root * root - 1, root * root, root * root + 1, root * root + 2 * root):
            if 0 <= v < 2**63:
                assert isqrt(v) == math.isqrt(v)
                assert isqrt.py_func(v) == math.isqrt(v)
    assert isqrt(2**63 - 1) == 3_037_000_499  # 3037000500^2 is 2^63 + 145224192


def test_rtt_between_samples() -> None:
    time, rtt = ints(0, 10, 10, 13), ints(100, 50, 93, 83)
    # Toward 93 (the last at 10): 100 - 7*5/10 = 100 - trunc(3.5) = 97.
    assert rtt_at(time, rtt, 5) == 97
    # From 93: -10*1/3 = -3.33 -> -3; -10*2/3 = -6.67 -> -6.
    assert [rtt_at(time, rtt, t) for t in (-1, 0, 10, 11, 12, 13, 99)] == [100, 100, 93, 90, 87, 83, 83]
    # Before the first time the last of several there counts.
    assert rtt_at(ints(4, 4), ints(1, 2), 0) == 2
    # Half way of 2^80 from 0, in plain Python.
    assert rtt_at.py_func([0, 2**70], [0, 2**80], 2**69) == 2**79
    with pytest.raises(ValueError, match="no RTT sample"):
        rtt_at(ints(), ints(), 0)


def test_other_signals() -> None:
    # The later of two changes at 5 is "not congested".
    assert [congested_at(ints(5, 5, 8), np.array([True, False, True]), t) for t in (4, 5, 7, 8)] == [0, 0, 0, 1]
    assert congested_at.py_func([5, 8], [1, 0], 6) == 1
    assert [acked_at(ints(5, 5, 8), ints(10, 20, 30), t) for t in (4, 5, 7, 8)] == [0, 20, 20, 30]
    assert [min_rtt_us(ints(5, 5, 8), ints(30, 20, 10), t) for t in (5, 7, 8)] == [20, 20, 10]
    # Into congested at 1 (from nothing) and at 4; 2 stays congested.
    assert entries_ns(ints(1, 2, 3, 4), np.array([1, 1, 0, 1], np.uint8)) == [1, 4]


def test_geometry() -> None:
    # Equal 10 ms: T 500 ms, step 10 ms, 51 points.
    assert geometry(10_000, 10_000) == (500 * MS, 10 * MS, 51)
    # 100 ms and 1 ms: T = 5e9; 5e9/681 = 7342143.9 -> step 7342144; 681*7342144 = 5000000064 > 5e9, so 680 + 1 points.
    assert geometry(1_000, 100_000) == (5_000 * MS, 7_342_144, 681)
    # 681 us and 50 us: T = 34050000 = 681 * 50000, the step is just the minimum: 682 points.
    assert geometry(681, 50) == (34_050_000, 50_000, 682)


def test_ratio() -> None:
    assert (ratio(0, 0), ratio(5, 0), ratio(0, 5), ratio(2, 3), ratio(10**9, 1)) == (1024, CAP, 0, 682, CAP)
    assert (folded(3, 2), folded(2, 3), folded(0, 0), folded(0, 1)) == (682, 682, 1024, 0)
    assert (bits(0), bits(1), bits(2**52 - 1), bits(2**52)) == (0, 1, 52, 53)


def test_distances() -> None:
    # (0-4)^2 + (0-8)^2 = 80; 80/16 = 5; root 2.
    assert ed_4us(ints(0, 0).reshape(-1, 1), ints(4, 8).reshape(-1, 1)) == 2
    # 0 5 1 against 0 0 4: 0,0 free; 5-4 costs 1; 1-4 costs 9: least is 10 (5-0 would cost 25).
    assert dtw(ints(0, 5, 1).reshape(-1, 1), ints(0, 0, 4).reshape(-1, 1)) == 10
    # One point against three of two dimensions: 1+4, 0, 9+0 all on the only path: 14.
    assert dtw(ints(1, 2).reshape(1, 2), np.array([[0, 0], [1, 2], [4, 2]])) == 14
    # 10*10/3 = 33, root 5.
    assert per_point(10, 3) == 5


def test_correlation() -> None:
    # 3*(0+1+4) - 9 = 6, root 2.
    assert deviation(ints(0, 1, 2)) == 2
    # u = 0 1 2, v = 0 0 3: N = 3*6 - 3*3 = 9; su = 2; sv = isqrt(27 - 9) = 4; 9*1024/8 = 1152 -> 1024.
    assert correlation(ints(0, 1, 2), ints(0, 0, 3)) == 1024
    # u = 0 3 0 1, v = 2 0 2 1: N = 4*1 - 4*5 = -16; su = isqrt(40-16) = 4; sv = isqrt(36-25) = 3; 16384/12 -> 1024 cap.
    assert correlation(ints(0, 3, 0, 1), ints(2, 0, 2, 1)) == -1024
    # u = 9 0 0, v = 0 9 0: N = -81; su = sv = isqrt(243-81) = isqrt(162) = 12; 81*1024/144 = 576.
    assert correlation(ints(9, 0, 0), ints(0, 9, 0)) == -576
    # Times 10^8: N = -81e16; s = isqrt(162e16) = 1272792206; P = 1619999999654018436, in 2^60..2^61: 61 bits, shift 9.
    # 81e16 >> 9 = 1582031250000000; times 1024 over (P >> 9) = 3164062499324254 is 512.0000001 -> 512.
    assert correlation(ints(9 * 10**8, 0, 0), ints(0, 9 * 10**8, 0)) == -512
    assert correlation(ints(1, 1), ints(0, 1)) == 0
    assert correlation(ints(), ints()) == 0
    # 5: 2*1 + 2 + 1; 1: 0 + 1 + 1; 7: 2*3 + 1 + 1.
    assert doubled_ranks(ints(5, 1, 5, 7)).tolist() == [5, 2, 5, 8]


def test_lags() -> None:
    # v is u one later: at d = -1, u[0:3] = 0 4 0 and v[1:4] = 0 4 0:
    # N = 3*16-16 = 32; s = isqrt(32) = 5; 32*1024/25 -> 1024.
    u, v = ints(0, 4, 0, 0), ints(0, 0, 4, 0)
    assert lagged_correlation(u, v, 1) == 1024
    # Without the lag: N = -16; s = isqrt(64-16) = 6; -16*1024/36 = -455.1.
    assert lagged_correlation(u, v, 0) == -455
    # An empty overlap has 0, which is more than the -1024 of d = 0; at |d| = 1 both are constant, 0 as well.
    assert lagged_correlation(ints(0, 4), ints(4, 0), 5) == 0


def test_congestion_overlap() -> None:
    u, v = ints(1, 1, 0, 0, 0), ints(0, 1, 1, 0, 0)
    # 1 of 3: 341; by chance 4*1024/(5*4-4) = 256.
    assert jaccard_excess(u, v) == 85
    assert jaccard_excess(u, ints(0, 0, 0, 0, 0)) == 0
    # Apart: 0 - 2*1*1024/(5*3-2) = 2048/13 = 157.5 -> 157.
    assert jaccard_excess(u, ints(0, 0, 0, 0, 1)) == -157
    assert widened(v, 1).tolist() == [1, 1, 1, 1, 0]
    assert widened(ints(1, 0, 0, 0, 1), 0).tolist() == [1, 0, 0, 0, 1]


def test_delivered() -> None:
    assert change(ints(1, 4, 9), 1).tolist() == [3, 5]
    assert change(ints(1, 4, 9), 3).tolist() == []
    # The largest, 2^22, has 23 bits: every value is shifted by 2.
    assert delivered(ints(0, 7, 7 + 2**22), 1).tolist() == [1, 2**20]
    # 2^21 - 1 has 21 bits: no shift.
    assert delivered(ints(0, 7, 6 + 2**21), 1).tolist() == [7, 2**21 - 1]


def test_all_integer_features_of_a_small_grid() -> None:
    grid = Grid(
        r_a=ints(20, 28, 20),
        r_b=ints(10, 10, 18),
        c_a=ints(0, 1, 0),
        c_b=ints(0, 0, 1),
        k_a=ints(0, 1, 2),
        k_b=ints(0, 1, 2),
        m_a=3,
        m_b=2,
        step_ns=3_000,  # L = 1
    )
    values = integer_features(grid).tolist()
    found = dict(zip(INTEGER_NAMES, values[:20], strict=True))
    assert values[20] == 0
    assert found == {
        # above: 10 18 10 and 0 0 8: 100 + 324 + 4 = 428; 26; 5.
        "rtt_ed_4us": 5,
        # Two points differ: 2e12/16 = 1.25e11, root 353553.39.
        "cstate_ed_4us": 353_553,
        # (2e12 + 428)/16 = 125000000026; 353553^2 = 124999723809, 353554^2 = 125000430916.
        "rtt_cstate_ed_4us": 353_553,
        # 10 18 10 against 0 0 8. Both ends are forced: 100 and 4. Between: (1,1) 324; (0,1),(1,2) 100+100;
        # (1,0).. 324 and more. Least 100+100+100+4 = 304; 304/16 = 19; 4.
        "rtt_dtwd_4us": 4,
        # 0 1 0 and 0 0 1: (0,0),(0,1),(1,2) free, (2,2) 1: 1e12/16 = 6.25e10; 250000.
        "cstate_dtwd_4us": 250_000,
        # The same path: (1e12 + 304)/16 = 62500000019; 250000.
        "rtt_cstate_dtwd_4us": 250_000,
        # Both have 8 above twice their floor: 3*64 - 64 = 128 for either, 11/11.
        "rtt_sd_ratio_q10": 1024,
        "cstate_sd_ratio_q10": 1024,
        "min_rtt_ratio_q10": 1536,
        # q: 0 8 0 and 0 0 8: 128/16 = 8; 2; 4/3 = 1; 1.
        "queue_ed_4us": 1,
        # The path above: 0 + 0 + 0 + 64 = 64; 4; 2; 4/3 = 1; 1.
        "queue_dtwd_4us": 1,
        # isqrt(128)/isqrt(128).
        "queue_ed_ratio_q10": 1024,
        # N = -64; s = 11; 64*1024/121 = 541.6.
        "rtt_correlation_q10": -541,
        # Ranks 3 6 3 and 3 3 6: N = 3*(9+18+18) - 144 = -9; s = isqrt(162 - 144) = 4; 9*1024/16 = 576.
        "rtt_rank_correlation_q10": -576,
        # d = -1: 0 8 and 0 8: N = 2*64 - 64 = 64; s = 8; 1024.
        "rtt_lagged_correlation_q10": 1024,
        # One value only: constant.
        "rtt_change_correlation_q10": 0,
        "queue_mean_ratio_q10": 1024,
        "queue_sd_ratio_q10": 1024,
        # 0 - 1*1024/(3*2-1) = 204.8 -> 204.
        # Widened 1 1 1 and 0 1 1: 2/3 = 682; by chance 6*1024/(3*5-6) = 682.
        "cstate_near_jaccard_excess_q10": 0,
        # 5 steps are more than there are.
        "rate_correlation_q10": 0,
    }


def test_clamped_points() -> None:
    # Above 5: 2^21 - 1 is just not clamped, 2^21 and 2^22 are.
    one = ints(5, 5 + 2**21 - 1, 5 + 2**21)
    other = ints(6, 5 + 2**22, 6)
    none = ints(0, 0, 0)
    values = integer_features(Grid(one, other, none, none, none, none, 1, 1, 1_000))
    assert values[20] == 2
    # Differences 1, 0 (both at the limit) and 2097150; sum 4398038122501, /16 = 274877382656.3; root 524287.5.
    assert values[0] == 524_287


def subflow(rtt_us: int, congested_ns: int, rate: int) -> Signals:
    """A constant RTT, one change into congested, `rate` bytes acknowledged every ms."""
    ack_ns = np.arange(0, 1_000 * MS, MS, dtype=np.int64)
    return Signals(ints(0), ints(rtt_us), ints(congested_ns), np.array([True]), ack_ns, ack_ns // MS * rate)


def test_window_of_two_constant_subflows() -> None:
    x, y = subflow(10_000, 95 * MS, 1_000), subflow(10_000, 200 * MS, 3_000)
    # 105 ms apart, T is 500 ms.
    assert triggered_start_ns(x, y) == 200 * MS
    # 501 ms apart.
    assert triggered_start_ns(x, subflow(10_000, 596 * MS, 1)) is None
    assert triggered_start_ns(x, subflow(10_000, 595 * MS, 1)) == 595 * MS
    # A pair before y's first RTT sample.
    assert triggered_start_ns(x, y._replace(rtt_time_ns=ints(201 * MS))) is None
    grid = resampled(x, y, 0)
    # A tie: b is x. Steps of 10 ms: x is congested from the 10th on, 41 points; y from the 20th on, 31.
    assert (len(grid.r_a), grid.step_ns, grid.m_a, grid.m_b) == (51, 10 * MS, 10_000, 10_000)
    assert (int(grid.c_b.sum()), int(grid.c_a.sum())) == (41, 31)
    assert (grid.k_b[7], grid.k_a[7]) == (70_000, 210_000)
    found, clamped = features(x, y, 0)
    assert clamped == 0
    # 31/41 = 774.2 -> 774; by chance 1271*1024/(51*72-1271) = 1301504/2401 = 542.07 -> 542.
    assert found["rtt_correlation_q10"] == 0
    assert found["queue_ed_ratio_q10"] == 1024
    # sd of y (51*31-961 = 620, 24) over sd of x (51*41-1681 = 410, 20): 1228.8.
    assert found["cstate_sd_ratio_q10"] == 1228
    # A subflow with the larger minimum is a.
    assert resampled(subflow(20_000, 1, 1), x, 0).m_a == 20_000


def test_real_features_of_two_constant_rates() -> None:
    x, y = subflow(10_000, 95 * MS, 1_000), subflow(10_000, 200 * MS, 3_000)
    found = real_features(x, y, 0)
    assert tuple(found) == REAL_NAMES
    # 1000 bytes per ms are 8 Mbit/s, 3000 are 24: 16 apart at 51 points; 10 points differ in congestion.
    assert found["rate_ed"] == pytest.approx(16 * math.sqrt(51))
    assert found["rtt_rate_ed"] == pytest.approx(16 * math.sqrt(51))
    assert found["cstate_rate_ed"] == pytest.approx(math.sqrt(256 * 51 + 10))
    assert found["rtt_cstate_rate_ed"] == pytest.approx(math.sqrt(256 * 51 + 10))
    # The diagonal is the shortest path, and every warp costs another 256.
    assert found["rate_dtwd"] == pytest.approx(16 * math.sqrt(51))
    assert found["rtt_cstate_rate_dtwd"] == pytest.approx(math.sqrt(256 * 51 + 10))
    assert found["rate_sd_ratio"] == 1
    # x: an ACK of 0 at 0, merged 1000 at 1 ms (8 Mbit/s), a repeat at 2 ms that does not count, 3000 at 3 ms:
    # 2000*8000/2e6 = 8 Mbit/s again, then 4000 at 4 ms; 5 ms with 11000: 56 Mbit/s -> 7/8*8 + 56/8 = 14, held after.
    acks = x._replace(
        ack_time_ns=ints(0, MS, MS, 2 * MS, 3 * MS, 4 * MS, 5 * MS),
        acked_bytes=ints(0, 500, 1_000, 1_000, 3_000, 4_000, 11_000),
    )
    # Points at 0 (8), then 10 ms and on (14), against 24: 256 + 50*100.
    assert real_features(acks, y, 0)["rate_ed"] == pytest.approx(math.sqrt(256 + 50 * 100))
    # From 4.5 ms: half way between 8 and 14 is 11, then 14: 169 + 5000.
    assert real_features(acks, y, 4_500_000)["rate_ed"] == pytest.approx(math.sqrt(169 + 50 * 100))
    # a is y (constant), b is x (not): 0; the other way round the cap.
    assert real_features(acks, y, 0)["rate_sd_ratio"] == 0
    assert real_features(y, acks, 0)["rate_sd_ratio"] == CAP / 1024
