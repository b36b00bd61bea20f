"""Each reading of the paper does what it says; the default is what is exported."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from pydantic import ValidationError

from smartsbd.features import paper
from smartsbd.features.catalog import feature_names
from smartsbd.features.fixed import FEATURE_LIMIT, ONE_Q10
from smartsbd.features.pair import CONSTANT, pair_windows
from smartsbd.features.reading import DEFAULT, QUESTIONS, Reading, alternatives
from smartsbd.features.resample import denominator, pair_grid
from smartsbd.features.series import PairGrid, SubflowSignals, signals_of
from smartsbd.features.throughput import achieved_mbit_s
from smartsbd.features.window import LONG_GAP, NO_RATE, WIFI_UNKNOWN, Rejected, Window, geometry, tiled, triggered
from tests.features.test_against_naive import Events, signals

MS = 1_000_000
#: An RTT sample of 10 ms every 10 ms, and of 20 ms: T is a second.
FAST = [(t * 10 * MS, 10_000) for t in range(600)]
SLOW = [(t * 10 * MS, 20_000) for t in range(600)]
END_NS = 6_000 * MS


def starts(x: SubflowSignals, y: SubflowSignals, **choice: object) -> list[int]:
    found = triggered(x, y, END_NS, Reading.model_validate(choice))
    return [one.start_ns // MS for one in found if isinstance(one, Window)]


def pair(entries_x: list[int], entries_y: list[int]) -> tuple[SubflowSignals, SubflowSignals]:
    """Two subflows that are congested for a millisecond from each of these times, in ms."""

    def changes(entries: list[int]) -> Events:
        return [change for at in entries for change in ((at * MS, 3), ((at + 1) * MS, 0))]

    return signals(FAST, changes(entries_x)), signals(SLOW, changes(entries_y))


def test_defaults_are_those_of_the_parameters_file() -> None:
    from smartsbd.pipelines.params import read_params

    assert read_params().extract.reading == DEFAULT


def test_every_choice_has_a_question_and_an_alternative() -> None:
    found = alternatives(rate_weights=[0.05, 0.125], rate_taus_s=[1.0])
    assert {field for field, _ in found} == set(Reading.model_fields) == set(QUESTIONS)
    assert ("rate_weight", 0.125) not in found
    assert all(reading != DEFAULT for reading in found.values())


@pytest.mark.parametrize("numbers", [{"rate_weights": [2.0]}, {"rate_weights": [0.0]}, {"rate_taus_s": [-1.0]}])
def test_impossible_numbers_are_refused(numbers: dict[str, list[float]]) -> None:
    with pytest.raises(ValidationError):
        alternatives(**{"rate_weights": [], "rate_taus_s": [], **numbers})


def test_unknown_choices_are_refused() -> None:
    with pytest.raises(ValidationError):
        Reading.model_validate({"trigger": "sooner"})
    with pytest.raises(ValidationError):
        Reading.model_validate({"smoothing": 1})


def test_where_a_triggered_window_starts() -> None:
    # 100 and 1500 are more than T apart; 1500 and 1900 are not.
    x, y = pair([100, 1900], [1500])
    assert starts(x, y) == [1900]
    assert starts(x, y, trigger="earlier") == [1500]
    assert starts(x, y, trigger="any") == [1500]
    # Tiles of T from the first sample: the one from 1000 to 2000 holds both.
    assert starts(x, y, trigger="tile") == [2000]


def test_an_earlier_start_without_a_sample_is_passed_over() -> None:
    x, y = pair([100, 1900], [300, 2000])
    late = SubflowSignals(**{**vars(y), "rtt_time_ns": y.rtt_time_ns[20:], "rtt_us": y.rtt_us[20:]})
    assert starts(x, late) == [300]
    assert starts(x, late, trigger="earlier") == [1900]


def test_a_tile_that_holds_both_may_never_come() -> None:
    x, y = pair([100], [1500])
    assert triggered(x, y, END_NS, Reading(trigger="tile")) == [
        Rejected("triggered", "the subflows were never congested within T of each other")
    ]


def test_all_triggered_windows_do_not_overlap() -> None:
    x, y = pair([100, 600, 1300, 4000], [150, 700, 1400])
    assert starts(x, y) == [150]
    assert starts(x, y, triggered_windows="all") == [150, 1400]


def test_the_first_congestion_may_not_count() -> None:
    x, y = pair([100, 2000], [150, 2100])
    assert starts(x, y, first_congestion="skipped") == [2100]


def test_minimum_rtts_of_other_spans() -> None:
    early_low = signals([(0, 5_000), *FAST[1:]], [(10 * MS, 3)])
    late_low = signals([*SLOW[:-1], (END_NS - MS, 15_000)], [(20 * MS, 3)])

    def first(reading: Reading) -> tuple[int, int]:
        window = tiled(early_low, late_low, END_NS, reading)[0]
        assert isinstance(window, Window)
        return window.min_rtt_x_us, window.min_rtt_y_us

    assert first(DEFAULT) == (5_000, 20_000)
    assert first(Reading(min_rtt="whole")) == (5_000, 15_000)
    assert first(Reading(min_rtt="kernel")) == (5_000, 20_000)


def test_the_kernels_filter_forgets_after_300_s() -> None:
    x = signals([(0, 5_000), *((t * 100 * MS, 10_000) for t in range(1, 4000))], [(0, 3)])
    y = signals([(t * 100 * MS, 20_000) for t in range(4000)], [(350_000 * MS, 3)])
    (window,) = triggered(x, y, 400_000 * MS, Reading(min_rtt="kernel", trigger="any"))
    assert isinstance(window, Window)
    assert (window.min_rtt_x_us, window.start_ns) == (10_000, 350_000 * MS)


def rows(states: list[int], rtts: list[int | None]) -> tuple[pa.Table, pa.Table]:
    """Rows of one subflow: a state and an ACK of 1000 bytes every millisecond."""
    acks = pa.table(
        {
            "subflow_id": [0] * len(rtts),
            "time_ns": [t * MS for t in range(len(rtts))],
            "acked_bytes": [1000 * t for t in range(len(rtts))],
            "rtt_us": pa.array(rtts, pa.int64()),
            "data_ack": pa.array([2000 * t if t % 2 == 0 else None for t in range(len(rtts))], pa.int64()),
        }
    )
    changes = pa.table(
        {
            "subflow_id": [0] * len(states),
            "time_ns": [t * MS for t in range(len(states))],
            "ca_state": pa.array(states, pa.int8()),
        }
    )
    return acks, changes


@pytest.mark.parametrize(
    ("choice", "congested"),
    [("uncongested", [0, 0, 1, 0]), ("congested", [0, 1, 1, 1]), ("ignored", [0, 1])],
)
def test_cwr(choice: str, congested: list[int]) -> None:
    one = signals_of(*rows([0, 2, 3, 2], [9]), 0, Reading.model_validate({"cwr": choice}))
    assert one.congested.astype(int).tolist() == congested


def test_samples_taken_while_congested() -> None:
    states, rtts = [0, 0, 4, 0, 0], [10, 20, 30, None, 50]
    assert signals_of(*rows(states, rtts), 0).rtt_us.tolist() == [10, 20, 30, 50]
    dropped = signals_of(*rows(states, rtts), 0, Reading(rtt_while_congested="dropped"))
    assert dropped.rtt_us.tolist() == [10, 20, 50]


def test_smoothed_rtt() -> None:
    # tcp_rtt_estimator keeps eighths: 800, then 800 + 180 - 100 = 880, then 880 + 20 - 110 = 790.
    one = signals_of(*rows([0], [100, 180, 20]), 0, Reading(rtt="srtt"))
    assert one.rtt_us.tolist() == [100, 110, 98]


def test_throughput_of_the_subflow_and_of_the_connection() -> None:
    acks, states = rows([0], [9] * 5)
    assert signals_of(acks, states, 0).rate_mbit_s.tolist() == [8.0] * 4
    meta = signals_of(acks, states, 0, Reading(acked="meta"))
    assert meta.rate_time_ns.tolist() == [2 * MS, 4 * MS]
    assert meta.rate_mbit_s.tolist() == [16.0, 16.0]
    # What another subflow acknowledges at the data level counts at this one's next ACK.
    other = acks.slice(3, 1).set_column(0, "subflow_id", pa.array([1]))
    other = other.set_column(4, "data_ack", pa.array([5000], pa.int64()))
    both = signals_of(pa.concat_tables([acks, other]), states, 0, Reading(acked="meta"))
    assert both.rate_time_ns.tolist() == [2 * MS, 3 * MS, 4 * MS]
    assert both.rate_mbit_s.tolist()[0] == 16.0


def test_smoothing_of_the_throughput() -> None:
    time_ns, acked = np.array([0, MS, 2 * MS, 4 * MS]), np.array([0, 1000, 3000, 3000 + 1000])
    # Samples 8, 16 and 4 Mbit/s.
    assert achieved_mbit_s(time_ns, acked, weight=0.5)[1].tolist() == [8.0, 12.0, 8.0]
    by_time = achieved_mbit_s(time_ns, acked, weight=0.5, tau_s=0.001 / np.log(2))[1]
    # Of a half-life of 1 ms: 8, then half the way to 16, then three quarters of the way to 4.
    assert by_time.tolist() == pytest.approx([8.0, 12.0, 6.0])


def test_acks_that_tell_nothing_new_give_no_throughput() -> None:
    time_ns = np.array([0, MS, MS, 2 * MS, 3 * MS])
    acked = np.array([0, 500, 1000, 1000, 900])
    at_ns, rate_mbit_s = achieved_mbit_s(time_ns, acked, weight=0.125)
    assert (at_ns.tolist(), rate_mbit_s.tolist()) == ([MS], [8.0])


def test_a_subflow_without_throughput_has_no_window() -> None:
    x, y = signals(FAST, [(0, 3)], acks=[(0, 0)]), signals(SLOW, [(0, 3)])
    assert triggered(x, y, END_NS) == [Rejected("triggered", NO_RATE, 0, 1_000 * MS)]


def test_throughput_from_after_the_window_is_none() -> None:
    late = signals(FAST, [(0, 3)], acks=[(0, 0), (2_000 * MS, 1_000)])
    assert triggered(late, signals(SLOW, [(0, 3)]), END_NS) == [Rejected("triggered", NO_RATE, 0, 1_000 * MS)]


def with_gap() -> tuple[SubflowSignals, SubflowSignals]:
    gap = [(time, rtt) for time, rtt in FAST if not 200 * MS < time < 400 * MS]
    jump = [(time, rtt if time <= 200 * MS else rtt + 2_000) for time, rtt in gap]
    return signals(jump, [(0, 3)]), signals(SLOW, [(0, 3)])


def test_gaps_are_counted_held_or_refused() -> None:
    x, y = with_gap()
    found, _ = pair_windows(x, y, END_NS, ["triggered"])
    # Steps of 10 ms, a gap of 20: the 19 points strictly within it.
    assert found[0].bridged == 19
    rising = found[0].grid.rtt_b_us[20:41]
    assert rising[0] == 10_000 and rising[-1] == 12_000 and (np.diff(rising) > 0).all()
    held = pair_grid(x, y, found[0].window, Reading(gap="held")).rtt_b_us[20:41]
    assert held.tolist() == [10_000] * 20 + [12_000]
    refused = pair_windows(x, y, END_NS, ["triggered"], Reading(gap="rejected"))[1]
    assert refused == [Rejected("triggered", LONG_GAP, 0, 1_000 * MS)]


def test_a_gap_of_ten_steps_is_none() -> None:
    x = signals([(time, rtt) for time, rtt in FAST if not 200 * MS < time < 300 * MS], [(0, 3)])
    found, _ = pair_windows(x, signals(SLOW, [(0, 3)]), END_NS, ["triggered"])
    assert found[0].bridged == 0


def test_the_denominator_may_be_the_wifi_path() -> None:
    x, y = signals(FAST, [(0, 3)]), signals(SLOW, [(0, 3)])
    reading = Reading(denominator="wifi")
    assert triggered(x, y, END_NS, reading) == [Rejected("triggered", WIFI_UNKNOWN, 0, 1_000 * MS)]
    acks, states = rows([3], [20_000] * 10)
    wifi = signals_of(acks, states, 0, on_wifi=True)
    lte = signals_of(acks, states, 0, on_wifi=False)
    window = geometry("tiled", 0, 10_000, 20_000)
    assert denominator(wifi, window, reading) == 0
    assert denominator(lte, window, reading) == 1
    assert denominator(lte, window) == 0


A, B = [50_000, 51_000, 53_000, 50_000], [60_000, 60_000, 64_000, 61_000]


def grid(**choice: object) -> PairGrid:
    return PairGrid.of(
        rtt_a_us=A,
        rtt_b_us=B,
        congested_a=[True, False, False, False],
        rate_a_mbit_s=[1.0, 2.0, 2.0, 1.0],
        rate_b_mbit_s=[3.0, 3.0, 4.0, 4.0],
        reading=Reading.model_validate(choice),
    )


def test_distances_per_point() -> None:
    # Four points: half.
    for feature in (paper.rtt_ed_4us, paper.rtt_dtwd_4us):
        assert feature(grid(distance="per_point")) == feature(grid()) // 2
    assert paper.rate_ed(grid(distance="per_point")) == pytest.approx(paper.rate_ed(grid()) / 2)


def test_units_without_a_unit() -> None:
    # Differences 10, 9, 11 and 11 ms, over a common range of 14 ms.
    assert paper.rtt_ed_4us(grid()) == int(np.sqrt(10**2 + 9**2 + 11**2 + 11**2) * 1000 / 4)
    scaled = np.sqrt(10**2 + 9**2 + 11**2 + 11**2) / 14 * 1_000_000 / 4
    assert paper.rtt_ed_4us(grid(units="min_max")) == pytest.approx(scaled, abs=1)
    a, b = ((np.array(own) - np.mean(own)) / np.std(own) for own in (A, B))
    standard = np.sqrt(((a - b) ** 2).sum()) * 1_000_000 / 4
    assert paper.rtt_ed_4us(grid(units="z_score")) == pytest.approx(standard, abs=2)
    # In milliseconds a congested point weighs a millisecond.
    assert paper.cstate_ed_4us(grid()) == 250_000
    assert paper.cstate_ed_4us(grid(units="ms")) == 250


def test_a_ratio_over_nothing() -> None:
    assert paper.cstate_sd_ratio_q10(grid()) == FEATURE_LIMIT
    assert paper.cstate_sd_ratio_q10(grid(zero_deviation="epsilon")) == FEATURE_LIMIT
    assert paper.cstate_sd_ratio_q10(grid(zero_deviation="log")) == 14 * ONE_Q10
    nothing = PairGrid.of(rtt_a_us=A, reading=Reading(zero_deviation="epsilon"))
    assert paper.cstate_sd_ratio_q10(nothing) == 0
    assert paper.cstate_sd_ratio_q10(PairGrid.of(rtt_a_us=A)) == ONE_Q10
    equal = PairGrid.of(rtt_a_us=A, rtt_b_us=A, reading=Reading(zero_deviation="log"))
    assert paper.rtt_sd_ratio_q10(equal) == 7 * ONE_Q10


def test_a_window_over_nothing_may_be_refused() -> None:
    x, y = pair([100], [150])
    found, refused = pair_windows(x, y, END_NS, ["triggered"], Reading(zero_deviation="rejected"))
    assert (found, refused) == ([], [Rejected("triggered", CONSTANT, 150 * MS, 1_000 * MS)])


def rates(a: list[float], b: list[float], **choice: object) -> PairGrid:
    return PairGrid.of(rate_a_mbit_s=a, rate_b_mbit_s=b, reading=Reading.model_validate(choice))


def test_ratios_of_throughput() -> None:
    assert paper.rate_sd_ratio(rates([1.0, 3.0], [1.0, 2.0])) == 2.0
    log = paper.rate_sd_ratio(rates([1.0, 3.0], [1.0, 2.0], zero_deviation="log"))
    assert log == pytest.approx(np.log(2) + 7, abs=1e-3)
    assert paper.rate_sd_ratio(rates([1.0, 3.0], [2.0, 2.0])) == FEATURE_LIMIT / ONE_Q10
    assert paper.rate_sd_ratio(rates([1.0, 1.0], [2.0, 2.0])) == 1.0
    assert paper.rate_sd_ratio(rates([1.0, 1.0], [2.0, 2.0], zero_deviation="epsilon")) == 0.0


def test_no_reading_leaves_24_bits() -> None:
    opposed = np.arange(682) % 2 == 0
    one = PairGrid.of(
        rtt_a_us=np.where(opposed, 90_000, 50_000).tolist(),
        rtt_b_us=np.where(opposed, 50_000, 90_000).tolist(),
        congested_a=opposed.tolist(),
        congested_b=(~opposed).tolist(),
        reading=Reading(units="z_score"),
    )
    assert paper.rtt_cstate_ed_4us(one) == FEATURE_LIMIT


def sampled(seed: int) -> tuple[pa.Table, pa.Table]:
    """Rows of two subflows with whatever a reading may look at."""
    rng = np.random.default_rng(seed)
    acks, states = [], []
    for subflow, base_us in ((0, 20_000), (1, 9_000)):
        time_ns = np.sort(rng.integers(0, END_NS, size=2_000))
        acks.append(
            pa.table(
                {
                    "subflow_id": np.full(time_ns.size, subflow),
                    "time_ns": time_ns,
                    "acked_bytes": np.cumsum(rng.integers(0, 3_000, size=time_ns.size)),
                    "rtt_us": base_us + rng.integers(0, 9_000, size=time_ns.size),
                    "data_ack": np.cumsum(rng.integers(0, 3_000, size=time_ns.size)),
                }
            )
        )
        moments = np.sort(rng.integers(0, END_NS, size=80))
        states.append(
            pa.table(
                {
                    "subflow_id": np.full(moments.size, subflow),
                    "time_ns": moments,
                    "ca_state": pa.array(rng.integers(0, 5, size=moments.size), pa.int8()),
                }
            )
        )
    return pa.concat_tables(acks), pa.concat_tables(states)


def changed_features(reading: Reading) -> set[str]:
    """Features that any tiled window of a random connection has otherwise than by default."""
    acks, states = sampled(7)
    found = []
    for one in (DEFAULT, reading):
        x, y = (signals_of(acks, states, subflow, one, on_wifi=subflow == 0) for subflow in (0, 1))
        found.append(pair_windows(x, y, END_NS, ["tiled"], one)[0])
    assert [one.window for one in found[0]] == [one.window for one in found[1]]
    pairs = zip(*found, strict=True)
    return {name for one, other in pairs for name in one.features if one.features[name] != other.features[name]}


THROUGHPUT = {name for name in feature_names("table3") if name not in feature_names("paper")}
WARPED = {name for name in feature_names("table3") if "dtwd" in name}
DISTANCES = WARPED | {name for name in feature_names("table3") if "_ed" in name}
RATIOS = {"rtt_sd_ratio_q10", "cstate_sd_ratio_q10", "rate_sd_ratio"}
OF_TWO_UNITS = {name for name in DISTANCES if "cstate" in name or ("rtt" in name and "rate" in name)}


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ({"rate_weight": 0.5}, THROUGHPUT),
        ({"rate_tau_s": 0.1}, THROUGHPUT),
        ({"acked": "meta"}, THROUGHPUT),
        ({"distance": "per_point"}, DISTANCES),
        ({"dtw": "l1"}, WARPED),
        ({"dtw": "symmetric2"}, WARPED),
        ({"dtw": "band"}, WARPED),
        ({"units": "ms"}, OF_TWO_UNITS - {"cstate_rate_ed", "cstate_rate_dtwd"}),
        ({"units": "z_score"}, DISTANCES),
        ({"units": "min_max"}, DISTANCES - {"cstate_ed_4us", "cstate_dtwd_4us"}),
        ({"zero_deviation": "log"}, RATIOS),
        ({"denominator": "wifi"}, RATIOS | {"min_rtt_ratio_q10"}),
    ],
    ids=lambda part: ",".join(sorted(part)) if isinstance(part, set) else str(part),
)
def test_a_reading_changes_what_it_is_about_and_nothing_else(choice: dict[str, object], expected: set[str]) -> None:
    assert changed_features(Reading.model_validate(choice)) == expected
