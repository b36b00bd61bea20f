"""Whatever judges has one protocol: opinions on a pair follow one another, from the start to the end."""

from __future__ import annotations

from pathlib import Path

import pytest

from smartsbd.detectors import DETECTORS, UnknownDetectorError
from smartsbd.detectors.judges import detector_judge
from smartsbd.detectors.pair_opinion import Judge, PairOpinion
from smartsbd.export.compiled_header import Compiled
from smartsbd.export.shipped import FOLDER, load
from smartsbd.features.reading import DEFAULT
from smartsbd.models.stored.model_judge import ModelJudge
from smartsbd.traces import recording
from smartsbd.traces.connection import Connection
from smartsbd.traces.dialect import Dialect

LOG = Path(__file__).parents[2] / "data/samples/kernel/inputs/101.state.csv.zst"


@pytest.fixture(scope="module")
def connection() -> Connection:
    return recording.only_connection([LOG], Dialect())


def opinions_of(judge: Judge, connection: Connection) -> list[PairOpinion]:
    return list(judge.opinions(connection))


@pytest.mark.parametrize("name", DETECTORS)
def test_a_detector_speaks_of_all_the_time(name: str, connection: Connection) -> None:
    opinions = opinions_of(detector_judge(name, DEFAULT), connection)
    assert {(opinion.subflow_a, opinion.subflow_b) for opinion in opinions} == {(0, 1)}
    start_ns, end_ns = connection.span_ns()
    times_ns = [opinion.start_ns for opinion in opinions]
    ends_ns = [(opinion.start_ns or 0) + (opinion.span_ns or 0) for opinion in opinions]
    assert times_ns[0] == start_ns and ends_ns[-1] == end_ns
    assert times_ns[1:] == ends_ns[:-1]
    assert all((opinion.shared is None) == (opinion.reason is not None) for opinion in opinions)


@pytest.mark.parametrize("name", DETECTORS)
def test_a_connection_of_one_time_has_a_reason_for_each_pair(name: str, tmp_path: Path) -> None:
    table = tmp_path / "rtts.csv"
    rows = [f"1.5,{path},{rtt_ms}" for rtt_ms in range(10, 60) for path in "abc"]
    table.write_text("\n".join(["time_s,path,rtt_ms", *rows]))
    opinions = opinions_of(detector_judge(name, DEFAULT), recording.only_connection([table], Dialect()))
    assert [(opinion.subflow_a, opinion.subflow_b) for opinion in opinions] == [(0, 1), (0, 2), (1, 2)]
    assert all(opinion.shared is None and opinion.reason and not opinion.span_ns for opinion in opinions)


def test_the_header_and_the_model_in_git_say_the_same(connection: Connection) -> None:
    """One is compiled C, the other reads the model file; both judge the same windows."""
    named, model = load()
    of_model = opinions_of(ModelJudge(model, "tiled", DEFAULT), connection)
    of_header = opinions_of(Compiled(FOLDER / f"{Path(named.file).stem}.sbd"), connection)
    placed = [(opinion.start_ns, opinion.span_ns, opinion.shared) for opinion in of_model if opinion.shared is not None]
    assert placed
    assert placed == [
        (opinion.start_ns, opinion.span_ns, opinion.shared) for opinion in of_header if opinion.shared is not None
    ]


def test_a_preset_that_is_not_there_is_refused() -> None:
    with pytest.raises(UnknownDetectorError, match="preset 'none' of wavelet is unknown"):
        detector_judge("wavelet/none", DEFAULT)
