"""What the kernel's controllers came to and what they took, from the tables of a testbed's folder."""

from __future__ import annotations

import math
from pathlib import Path

import pandas as pd
import pytest

from smartsbd.pipelines.closed_loop import comparison, kernel_cost, kernel_loop
from smartsbd.pipelines.params import read_params
from smartsbd.scenarios.closed_loop.loop_experiment import LoopNetwork, LoopRun
from smartsbd.testbed.examples import example

ROOT = Path(__file__).parents[3]
#: Name of a run, token, label, bytes of the connection in 10 s, bytes of its rivals in 8 s.
RUNS = (
    ("own-links-0-lia", "a0", False, 2_500_000, (3_000_000, 1_000_000)),
    ("own-links-0-reno", "a1", False, 5_000_000, (2_000_000, 1_000_000)),
    ("own-links-0-lag_excess", "a2", False, 4_000_000, (2_000_000, 1_000_000)),
    ("one-link-3-lia", "b0", True, 5_000_000, (4_000_000,)),
    ("one-link-3-reno", "b1", True, 6_000_000, (3_000_000,)),
    ("one-link-3-lag_excess", "b2", True, 5_500_000, (4_400_000,)),
)
#: What decided on groups of each that has any.
BY = {"a2": "lag_excess", "b2": "lag_excess", "b0": "always"}
#: Time between two rows of what was decided.
_STEP_NS = 500_000_000


def loops() -> dict[str, LoopRun]:
    """What each run is of the experiment; the largest base RTT is the example's."""
    found = {}
    for run, _, shared, *_ in RUNS:
        variant, number, control = ("one link" if shared else "own links"), int(run.split("-")[-2]), run.split("-")[-1]
        network = LoopNetwork(variant, "wired", number, example("shared" if shared else "separate"))
        found[run] = LoopRun("loop_kernel", network, control)
    return found


def decided() -> pd.DataFrame:
    """Coupled for a quarter of the time in one run, always in the other; the sockets stay after the last signal."""
    told = [("a2", 10, True), ("a2", 20, False), ("a2", 30, False), ("a2", 40, False), ("a2", 40, True)]
    told += [("b2", 5, True), ("b2", 6, True), ("b0", 3, True)]
    return pd.DataFrame(
        {
            "time_ns": place * _STEP_NS,
            "token": f"{token:0>8}",
            "by": BY[token],
            "signals": signals,
            "works": 2 * place,
            "work_ns": 1_000_000 * place,
            "work_most_ns": 30_000,
            "coupled": coupled,
            "subflow_a": 1,
            "subflow_b": 2,
            "verdicts": signals // 10,
            "shared": coupled,
        }
        for place, (token, signals, coupled) in enumerate(told)
    )


def received() -> pd.DataFrame:
    return pd.DataFrame(
        {"run": run, "flow": flow, "kind": "any", "sent_s": sent_s, "bytes": own}
        for run, _, _, connection, rivals in RUNS
        for flow, sent_s, own in (
            ("connection", 10.0, connection),
            *((f"background {number}", 8.0, rival) for number, rival in enumerate(rivals)),
        )
    )


def truth() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "input": f"{run}.log.zst",
            "token": token,
            "shared": shared,
            "scenario": "one link" if shared else "own links",
            "utilisation_a": 0.99,
            "utilisation_b": 0.97,
        }
        for run, token, shared, _, _ in RUNS
    )


def outcomes() -> pd.DataFrame:
    return kernel_loop.outcomes(loops(), received(), truth(), decided())


def test_goodput_is_what_came_over_the_time_it_was_sent() -> None:
    found = outcomes().set_index(["variant", "control"])
    assert list(found["goodput_mbit_s"]) == [2.0, 4.0, 3.2, 4.0, 4.8, 4.4]
    assert found.loc[("own links", "lia"), "rival_mbit_s"] == pytest.approx(2.0)
    assert found.loc[("one link", "reno"), "rival_mbit_s"] == pytest.approx(3.0)
    assert set(found["number"]) == {0, 3}
    assert (found["utilisation"] == 0.97).all()


def test_jain_is_of_one_link_alone() -> None:
    found = outcomes().set_index(["variant", "control"])["jain"]
    assert found["own links"].isna().all()
    assert found["one link", "lia"] == pytest.approx(1.0)
    assert found["one link", "reno"] == pytest.approx(7.8**2 / (2 * (4.8**2 + 3.0**2)))


def test_groups_are_judged_until_the_last_signal() -> None:
    found = {(row["variant"], row["control"]): row for row in outcomes().to_dict("records")}
    apart = found["own links", "lag_excess"]
    assert (apart["apart_share"], apart["right_share"], apart["right_at_end"]) == (0.75, 0.75, 1.0)
    coupled = found["one link", "lag_excess"]
    assert (coupled["apart_share"], coupled["right_share"], coupled["right_at_end"]) == (0.0, 1.0, 1.0)
    for control in ("lia", "reno"):
        assert math.isnan(found["one link", control]["right_share"])


def test_what_comes_after_the_transfer_does_not_count() -> None:
    """Timeouts of a socket whose network is gone are signals too."""
    table = received().assign(sent_s=1.0)
    apart = kernel_loop.outcomes(loops(), table, truth(), decided()).set_index(["variant", "control"])
    assert apart.loc[("own links", "lag_excess"), "apart_share"] == pytest.approx(2 / 3)
    own = kernel_cost.costs(loops(), table, truth(), decided(), 1_000_000.0).set_index("variant").loc["own links"]
    assert (own["seconds"], own["signals"], own["works"]) == (1.0, 20, 4)


def test_verdicts_are_judged_by_what_was_in_force_before_them() -> None:
    """Of the run on links of their own three more verdicts are seen, the first of which parts subflows."""
    found = comparison.accuracy_by_force(kernel_loop.judged(loops(), received(), truth(), decided()))
    assert set(found["control"]) == {"lag_excess"} and not found["shared"].any()
    assert list(zip(found["in_force"], found["verdicts"], found["right"], strict=True)) == [
        ("apart", 2, 1.0),
        ("coupled", 1, 1.0),
    ]


def test_networks_are_compared_with_themselves() -> None:
    shown = {
        (row["variant"], row["control"]): row
        for row in kernel_loop.compared(outcomes(), read_params(ROOT / "params.yaml"))
    }
    assert shown["own links", "lag_excess"]["over_lia"] == "1.600"
    assert shown["own links", "lag_excess"]["over_reno"] == "0.800"
    assert shown["one link", "lag_excess"]["over_lia"] == "1.100"
    assert shown["one link", "lia"]["over_lia"] == "1.000"


def test_jain_is_of_more_than_one_flow() -> None:
    table = received()
    alone = table[table["flow"] == "connection"]
    assert kernel_loop.outcomes(loops(), alone, truth(), decided())["jain"].isna().all()


def test_a_run_takes_what_its_acks_and_its_work_take() -> None:
    found = kernel_cost.costs(loops(), received(), truth(), decided(), 1_000_000.0).set_index("variant")
    # Those under LIA and Reno have no verdicts, so they take nothing for them.
    assert set(found["control"]) == {"lag_excess"}
    own = found.loc["own links"]
    # Three rows of half a second after the first, until the last signal; 1 ms of work in each, and 1 ms for an ACK.
    assert own["seconds"] == 1.5
    assert (own["signals"], own["works"]) == (30, 6)
    assert own["work_percent"] == pytest.approx(0.2)
    assert own["hook_percent"] == pytest.approx(2.0)
    largest_ms = max(subflow.rtt_ms for subflow in example("separate").subflows)
    assert own["ms_per_window"] == pytest.approx(0.022 * 50 * largest_ms)
    assert own["work_most_ms"] == 0.03


def test_what_was_not_counted_is_not_there() -> None:
    found = kernel_cost.costs(loops(), received(), truth(), decided(), math.nan)
    assert found["percent"].isna().all()
    assert found["work_percent"].notna().all()
    (row,) = kernel_cost.summed(found)
    assert (row["runs"], row["percent"]) == (2, "nan")
    assert list(kernel_cost.summed(kernel_cost.costs(loops(), received(), truth(), decided()[:0], 1.0))) == []
