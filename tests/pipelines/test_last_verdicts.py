"""The default detector's last verdicts on labelled recordings."""

from __future__ import annotations

from pathlib import Path

from smartsbd.pipelines.judging.last_verdicts import LastVerdict, counted, last_verdicts
from smartsbd.pipelines.params import read_params
from smartsbd.traces.truth import read_csv

ROOT = Path(__file__).parents[2]
KERNEL = ROOT / "data/samples/kernel"


def kernel(utilisation: float | None = None) -> list[LastVerdict]:
    """Last verdicts on connections 101 to 103; of the first, a utilisation in place of the measured one."""
    rows = [row for row in read_csv(KERNEL / "truth.csv") if row["input"] < "104"]
    if utilisation is not None:
        rows[0]["utilisation_b"] = utilisation
    return list(last_verdicts(KERNEL / "inputs", rows, read_params(ROOT / "params.yaml")))


def test_they_are_those_that_detect_says() -> None:
    said = kernel()
    assert [one.input for one in said] == [f"{number}.state.csv.zst" for number in (101, 102, 103)]
    assert [one.shared for one in said] == [True, False, True]
    assert [one.verdict for one in said] == [True, False, True]
    # docs/own-traces.md shows what `sbd detect` says of the first.
    assert said[0].score is not None
    assert round(said[0].score, 2) == 6.08
    assert {one.reason for one in said} == {None}


def test_a_label_counts_where_bottlenecks_were_full() -> None:
    for utilisation, filled in ((0.9, True), (0.89, False)):
        said = kernel(utilisation)
        assert [one.filled for one in said] == [filled, True, True]
        assert [row["pairs"] for row in counted(said)] == [1 + filled, 1]
        assert [row["not filled"] for row in counted(said)] == [1 - filled, 0]


def test_a_pair_that_the_input_has_not_has_no_verdict() -> None:
    rows = read_csv(KERNEL / "truth.csv")[:1]
    said = list(
        last_verdicts(KERNEL / "inputs", [row | {"subflow_b": 7} for row in rows], read_params(ROOT / "params.yaml"))
    )
    assert [(one.subflow_b, one.verdict, one.reason) for one in said] == [(7, None, "not seen")]
