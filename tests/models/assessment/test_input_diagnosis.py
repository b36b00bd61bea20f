"""What is found to be wrong with recordings that were made wrong."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

from smartsbd.contracts import tables
from smartsbd.detectors.event import Int64Array
from smartsbd.models.assessment.input_diagnosis import InputFinding, diagnosis
from smartsbd.models.labelled.labelled_connection import LabelledConnection, labelled

S, MS = 10**9, 10**6
LENGTH_S = 20


def made(times_ns: Mapping[int, Int64Array], rtts_us: Mapping[int, Int64Array], *, shared: bool) -> LabelledConnection:
    parts = [
        {"subflow_id": number, "time_ns": int(at_ns), "rtt_us": int(rtt_us)}
        for number in times_ns
        for at_ns, rtt_us in zip(times_ns[number], rtts_us[number], strict=True)
    ]
    null: dict[str, Any] = dict.fromkeys(("srtt_us", "is_dup", "newly_sacked_bytes", "ece", "owd_us", "data_ack"))
    rows = [
        {"connection_id": "", "ack_no": place, "acked_bytes": 0, **null, **part} for place, part in enumerate(parts)
    ]
    acks = tables.ACK.build({column.name: [row[column.name] for row in rows] for column in tables.ACK.columns})
    states, losses = (
        table.build({column.name: [] for column in table.columns}) for table in (tables.STATE, tables.LOSS)
    )
    truth = [{"subflow_a": 0, "subflow_b": 1, "shared": shared, "from_ns": 0}]
    one = labelled("made", "made", 1, (acks, states, losses), truth)
    assert one is not None
    return one


def queues(seed: int, *, common: bool) -> LabelledConnection:
    """Two subflows of other base RTTs: of one queue at the sender, or of one each."""
    rng = np.random.default_rng(seed)
    sent_ns = np.arange(0, LENGTH_S * S, 20 * MS)
    # Queues that fill and drain, with a memory of a fifth of a second.
    kept = 0.9 ** np.arange(100)
    walks = [np.abs(np.convolve(rng.normal(0, 5000, len(sent_ns)), kept, "same")).astype(np.int64) for _ in "ab"]
    rtts_us = {0: 20_000 + walks[0], 1: 90_000 + walks[0 if common else 1]}
    times_ns = {number: np.maximum.accumulate(sent_ns + rtt_us * 1000) for number, rtt_us in rtts_us.items()}
    return made(times_ns, rtts_us, shared=False)


def found(connections: list[LabelledConnection], backwards: int = 0) -> dict[str, InputFinding]:
    return {one.what: one for one in diagnosis(connections, backwards)}


def test_one_queue_before_the_paths_part_is_found() -> None:
    near = found([queues(seed, common=True) for seed in range(5)])["delays alike, not shared"]
    assert (near.count, near.of, near.suspect) == (5, 5, True)
    assert "one queue before the paths part" in near.sentence
    own = found([queues(seed, common=False) for seed in range(5)])["delays alike, not shared"]
    assert (own.count, own.of, own.suspect) == (0, 5, False)
    assert own.sentence.endswith("agree at lag 0.")


def taken(keep: Callable[[Int64Array], np.ndarray[tuple[int], np.dtype[np.bool_]]], *which: int) -> LabelledConnection:
    """Samples every 20 ms, of some subflows only those that are kept."""
    time_ns = np.arange(0, LENGTH_S * S, 20 * MS)
    times_ns = {number: time_ns[keep(time_ns)] if number in which else time_ns for number in (0, 1)}
    return made(times_ns, {number: np.full(len(own), 20_000) for number, own in times_ns.items()}, shared=True)


@pytest.mark.parametrize(
    ("connection", "suspects"),
    [
        (taken(lambda t: t >= 0), {}),
        (taken(lambda t: (t < 5 * S) | (t > 15 * S), 0), {"idle": 10}),
        (taken(lambda t: (t < 5 * S) | (t > 10 * S), 0, 1), {"idle": 10, "silence of all": 1}),
        (taken(lambda t: t % (200 * MS) == 0, 1), {"few samples": 1}),
    ],
    ids=["whole", "idle", "forward", "few"],
)
def test_what_is_missing_is_found_and_nothing_else(connection: LabelledConnection, suspects: dict[str, int]) -> None:
    assert {what: one.count for what, one in found([connection]).items() if one.suspect} == suspects


def test_time_that_runs_backwards_is_counted() -> None:
    assert found([taken(lambda t: t >= 0)], 7)["time runs backwards"].suspect
    assert found([taken(lambda t: t >= 0)], 7)["time runs backwards"].sentence.startswith("7 records ")
