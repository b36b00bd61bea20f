"""Every generation of qlog says the same of two paths: drafts, the final schema, documents and sequences."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from smartsbd.traces import stored
from smartsbd.traces.bounds import Bounds
from smartsbd.traces.dialect import Dialect
from smartsbd.traces.formats import format_of, qlog, qlog_records
from smartsbd.traces.quarantine import UnreadableInputError
from smartsbd.traces.trace import Trace

GIVEN = Path(__file__).parents[1] / "samples/qlog"
#: Time and RTT of a path, in us.
SAMPLES = [(115_937 + 900 * step, step % 2, 24_511 + 250 * step) for step in range(12)]
FIELDS = ["relative_time", "path_id", "category", "event", "data"]
SEQUENTIAL = {
    "file_schema": "urn:ietf:params:qlog:file:sequential",
    "serialization_format": "application/qlog+json-seq",
    "trace": {
        "vantage_point": {"type": "server", "name": "x"},
        "common_fields": {
            "time_format": "relative_to_epoch",
            "reference_time": {"clock_type": "monotonic", "epoch": "unknown"},
        },
    },
}
OLDER = {"qlog_version": "0.3", "qlog_format": "JSON-SEQ", "trace": {"common_fields": {"time_format": "relative"}}}


def objects(
    name: str = "recovery:metrics_updated", path: str = "path_id", of: Callable[[int], Any] = int
) -> list[dict[str, Any]]:
    """Events as objects, which are in ms."""
    return [
        {"time": at_us / 1000, "name": name, path: of(number), "data": {"latest_rtt": rtt_us / 1000}}
        for at_us, number, rtt_us in SAMPLES
    ]


def arrays(category: str = "recovery", event: str = "metrics_updated", in_words: bool = False) -> list[list[Any]]:
    """Events as arrays, in us."""
    return [
        [str(at_us) if in_words else at_us, number, category, event, {"latest_rtt": rtt_us}]
        for at_us, number, rtt_us in SAMPLES
    ]


def sequence(header: dict[str, Any], events: Sequence[Any], sign: str = "\x1e", indent: int | None = None) -> str:
    return "".join(f"{sign}{json.dumps(one, indent=indent)}\n" for one in (header, *events))


def document(events: Sequence[Any], root: dict[str, Any], before: dict[str, Any], after: dict[str, Any]) -> str:
    return json.dumps({**root, "traces": [{**before, "events": events, **after}]})


UNIT = {"configuration": {"time_units": "us"}}
NAMED = {"event_fields": FIELDS}
DRAFT = {"qlog_version": "draft-00"}
FORMS = {
    "draft-00": document(arrays(), DRAFT, UNIT | NAMED, {}),
    "draft-00 in capitals": document(
        arrays("RECOVERY", "METRIC_UPDATE"), DRAFT, {**UNIT, "event_fields": [name.upper() for name in FIELDS]}, {}
    ),
    "draft-00 of mvfst": document(
        arrays("metric_update", "metric_update", in_words=True), {"title": "mvfst"}, UNIT | NAMED, {}
    )[:-1]
    + ', "qlog_version": "draft-00"}',
    "draft-01, the fields last": document(arrays(), {"qlog_version": "draft-01"}, UNIT, NAMED),
    "draft-01, the unit last": document(arrays(), {"qlog_version": "draft-01"}, NAMED, UNIT),
    "draft-02, the unit of the file": document(arrays(), {"qlog_version": "draft-02", **UNIT}, NAMED, {}),
    "draft-02, the unit of the file last": document(arrays(), {"qlog_version": "draft-02"}, NAMED, {})[:-1]
    + f", {json.dumps(UNIT)[1:]}",
    "draft-02, lines": sequence({**OLDER, "qlog_version": "draft-02", "qlog_format": "NDJSON"}, objects(), sign=""),
    "0.3": sequence(OLDER, objects()),
    "0.3, a document": document(objects(), {"qlog_version": "0.3", "qlog_format": "JSON"}, {}, {}),
    "0.3, a document over lines": json.dumps({"qlog_version": "0.3", "traces": [{"events": objects()}]}, indent=4),
    "0.3, the new name": sequence(OLDER, objects("quic:recovery_metrics_updated")),
    "0.3, lines without a format": sequence({"qlog_version": "0.3", "trace": {}}, objects(), sign=""),
    "0.3, records over lines": sequence(OLDER, objects(), indent=2),
    "0.3, records over lines that are not set in": sequence(OLDER, objects(), indent=0),
    "0.3, records over lines, without RS": sequence(OLDER, objects(), sign="", indent=1),
    "0.3, RS on its own line": sequence(OLDER, objects(), sign="\x1e\n"),
    "0.3, RS alone between records": sequence(OLDER, objects()).replace("\n", ""),
    "0.3, RS before the header alone": "\x1e" + sequence(OLDER, objects(), sign=""),
    "0.3, CRLF and a byte order mark": "\ufeff" + sequence(OLDER, objects(), sign="").replace("\n", "\r\n"),
    "0.4, path as text": sequence({**OLDER, "qlog_version": "0.4"}, objects(path="path", of=str)),
    "final": sequence(SEQUENTIAL, objects("quic:recovery_metrics_updated")),
    "final, capitals": sequence(SEQUENTIAL, objects("QUIC:RECOVERY_METRICS_UPDATED")),
    "final, tuples": sequence(SEQUENTIAL, objects("quic:recovery_metrics_updated", "tuple", lambda n: ["", "1"][n])),
    "final, a document": document(
        objects("quic:recovery_metrics_updated"),
        {"file_schema": "urn:ietf:params:qlog:file:contained", "serialization_format": "application/qlog+json"},
        {},
        {"common_fields": {"reference_time": {"epoch": "unknown"}, "time_format": "relative_to_epoch"}},
    ),
    "hexadecimal paths": sequence(OLDER, objects(of=lambda n: f"0x{n:x}")),
    "bytes as paths": sequence(OLDER, objects(of=lambda n: f"{n:02x}")),
    "times and RTTs as text": sequence(
        OLDER,
        [
            one | {"time": f"{one['time']:.3f}", "data": {"latest_rtt": str(one["data"]["latest_rtt"])}}
            for one in objects()
        ],
    ),
    "times from the event before, by their name": json.dumps(
        {
            **DRAFT,
            "traces": [
                {
                    **UNIT,
                    "event_fields": ["delta_time", *FIELDS[1:]],
                    "events": [
                        [at - before, *rest]
                        for (at, *rest), before in zip(arrays(), [0, *(at for at, *_ in arrays())], strict=False)
                    ],
                }
            ],
        }
    ),
}


def read(tmp_path: Path, text: str, most: Bounds | None = None) -> Trace:
    path = tmp_path / "a.qlog"
    path.write_text(text, newline="")
    assert format_of(path).source == "qlog"
    return qlog.read(path, Dialect(), *([most] if most else []))


def rows(trace: Trace) -> list[dict[int, list[tuple[int, int]]]]:
    """Time and RTT, in us, of each subflow of each connection."""
    return [
        {
            subflow.subflow_id: [
                (at // 1000, rtt) for at, rtt in zip(subflow.acks.time_ns, subflow.acks.rtt_us, strict=True)
            ]
            for subflow in connection.ordered()
        }
        for connection in trace.connections
    ]


EXPECTED = [{path: [(at, rtt) for at, number, rtt in SAMPLES if number == path] for path in (0, 1)}]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("block_bytes", [1 << 20, 100])
def test_every_form_has_the_same_samples(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str, block_bytes: int
) -> None:
    monkeypatch.setattr("smartsbd.traces.stored._BLOCK_BYTES", block_bytes)
    trace = read(tmp_path, FORMS[form])
    assert rows(trace) == EXPECTED
    assert (trace.records_in, trace.records_out, trace.refused(), trace.unused) == (12, 12, {}, {})


def given(name: str) -> Trace:
    path = GIVEN / name
    assert format_of(path).source == "qlog"
    return qlog.read(path, Dialect())


@pytest.mark.parametrize(
    "name", ["final.sqlog", "h03_newname.sqlog", "ndjson_noformat.sqlog", "path_str.sqlog", "time_str.sqlog"]
)
def test_a_given_sequence_is_read_as_its_plain_form(name: str) -> None:
    plain, (paths,) = given("base.sqlog"), rows(given(name))
    (expected,) = rows(plain)
    assert plain.records_in == given(name).records_out == 40
    assert {path: [rtt for _, rtt in own] for path, own in paths.items()} == {
        path: [rtt for _, rtt in own] for path, own in expected.items()
    }
    # Times as text have three digits.
    for path, own in paths.items():
        assert all(abs(at - other) <= 1 for (at, _), (other, _) in zip(own, expected[path], strict=True))


def test_given_records_over_lines_are_read_up_to_where_they_are_cut() -> None:
    (plain,), trace = rows(given("base.sqlog")), given("pretty_seq.sqlog")
    assert trace.refused() == {qlog.CUT: 1}
    assert {path: len(own) for path, own in rows(trace)[0].items()} == {0: 34, 1: 1}
    assert all(own == plain[path][: len(own)] for path, own in rows(trace)[0].items())


@pytest.mark.parametrize("name", ["draft00_upper.qlog", "units_after.qlog"])
def test_a_given_document_is_in_microseconds(name: str) -> None:
    (paths,) = rows(given(name))
    assert list(paths) == [0] and len(paths[0]) == 40
    assert (paths[0][0], paths[0][-1]) == ((0, 154_773), (369_529, 130_757))


@pytest.mark.parametrize("command", ["inspect", "detect"])
def test_a_given_log_without_metrics_says_so(capsys: pytest.CaptureFixture[str], command: str) -> None:
    from smartsbd.pipelines.__main__ import main

    assert main([command, str(GIVEN / "nometrics.sqlog")]) == 3
    said = "".join(capsys.readouterr())
    assert "a qlog of 19 events without any metrics_updated, so without RTTs" in said


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (sequence(OLDER, []), "a qlog without events"),
        (document([], DRAFT, UNIT, {}), "a qlog without events"),
        (
            sequence(OLDER, [{"time": at, "name": "recovery:packet_lost", "data": {}} for at in range(3)]),
            "a qlog of 3 events without any metrics_updated",
        ),
        (
            sequence(OLDER, [{"time": 1, "name": "recovery:metrics_updated", "data": {"min_rtt": 5}}]),
            "a qlog of 1 event whose metrics have no latest_rtt and no smoothed_rtt",
        ),
        (sequence(objects()[0], objects()[1:], sign=""), "events of qlog without the header that says their unit"),
        (
            document(arrays(), DRAFT, {"configuration": {"time_units": "fortnights"}, **NAMED}, {}),
            "a qlog of 12 events without any RTT that is read; refused: unit of time that is none of us, ms, s and ns",
        ),
        (
            document(arrays(), DRAFT, {"description": "x" * 70_000, **NAMED}, {}),
            "refused: its unit may be in a part of the header that is cut off or too long 12",
        ),
        (document(arrays(), DRAFT, {}, UNIT), "refused: not an event of qlog 12"),
    ],
)
def test_a_log_without_rtts_says_why(tmp_path: Path, text: str, why: str) -> None:
    with pytest.raises(UnreadableInputError) as error:
        read(tmp_path, text)
    assert why in error.value.why and "\n" not in error.value.why


def test_each_trace_has_its_own_unit(tmp_path: Path) -> None:
    late = {**NAMED, "events": arrays(), **UNIT}
    in_ms = [[at // 1000, path, *rest[:-1], {"latest_rtt": 24}] for at, path, *rest in arrays()]
    text = json.dumps({**DRAFT, "traces": [late, {**NAMED, "events": in_ms}, late]})
    first, second, third = rows(read(tmp_path, text))
    assert first == third == EXPECTED[0]
    assert {rtt for own in second.values() for _, rtt in own} == {24_000}


def test_what_comes_late_in_a_broken_first_reading_is_still_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("smartsbd.traces.trace.MOST_REFUSED", 4)
    assert rows(read(tmp_path, FORMS["draft-01, the fields last"])) == EXPECTED


def test_of_a_document_that_is_cut_off_no_unit_is_guessed(tmp_path: Path) -> None:
    whole = {**NAMED, "events": arrays(), **UNIT}
    text = json.dumps({**DRAFT, "traces": [whole, whole]})
    trace = read(tmp_path, text[: text.rindex(', "configuration"')])
    assert rows(trace) == EXPECTED and trace.refused() == {qlog.UNIT_CUT: 12}
    # Where the version has no other unit than ms, the events are read as far as they go.
    newer = json.dumps({"qlog_version": "0.3", "traces": [{"events": objects()}]})
    assert read(tmp_path, newer[:-4]).records_out == 12


def test_a_document_of_many_traces_is_refused(tmp_path: Path) -> None:
    text = json.dumps({**DRAFT, "traces": [{**UNIT, **NAMED, "events": arrays()}] * 4})
    assert len(read(tmp_path, text, Bounds(connections=4)).connections) == 4
    with pytest.raises(UnreadableInputError, match="more than 3 traces"):
        read(tmp_path, text, Bounds(connections=3))


def test_paths_with_names_keep_them_and_never_share_a_number(tmp_path: Path) -> None:
    paths: list[Any] = ["wifi", 0, "0x1", "01", "1", "lte\x1b[31m", None, "f" * 40]
    events = [one | {"path_id": path} for one, path in zip(itertools.cycle(objects()[:1]), paths, strict=False)]
    (connection,) = read(tmp_path, sequence(OLDER, events)).connections
    assert {subflow.subflow_id: (subflow.name, len(subflow.acks)) for subflow in connection.ordered()} == {
        0: ("wifi", 1),
        # Path 0, and events without a path: 0 has a name already.
        1: (None, 2),
        2: ("0x1", 1),
        3: ("01", 1),
        4: (None, 1),
        5: ("lte\\x1b[31m", 1),
        6: ("f" * 40, 1),
    }


def test_a_path_that_all_events_have_is_said_once(tmp_path: Path) -> None:
    header = {**OLDER, "trace": {"common_fields": {"reference_time": {"epoch": "x"}, "path": "7"}}}
    event = {"time": 5, "name": "recovery:metrics_updated", "data": {"latest_rtt": 24}}
    (connection,) = read(tmp_path, sequence(header, [event, event | {"path": "2"}])).connections
    assert sorted(connection.subflows) == [2, 7]


def test_a_refused_record_takes_no_number(tmp_path: Path) -> None:
    event = {"time": 5, "name": "recovery:metrics_updated", "path": "a", "data": {"latest_rtt": 0}}
    trace = read(tmp_path, sequence(OLDER, [event, event | {"path": "b", "data": {"latest_rtt": 24}}]))
    assert trace.connections[0].subflows[0].name == "b" and trace.refused() == {"value out of range": 1}


def test_more_paths_than_a_connection_may_have_are_counted(tmp_path: Path) -> None:
    event = {"time": 5, "name": "recovery:metrics_updated", "data": {"latest_rtt": 24}}
    trace = read(tmp_path, sequence(OLDER, [event | {"path": f"path {n}"} for n in range(70)]))
    assert (len(trace.connections[0].subflows), sum(trace.refused().values())) == (64, 6)


@pytest.mark.parametrize("key", ["group_id", "ODCID"])
def test_each_group_of_events_is_a_connection(tmp_path: Path, key: str) -> None:
    events = [one | {key: group} for one in objects() for group in ("a", {"b": [1.5]}, "c" * 500)]
    assert rows(read(tmp_path, sequence(OLDER, events))) == EXPECTED * 3


def test_logs_that_follow_each_other_are_a_connection_each(tmp_path: Path) -> None:
    assert rows(read(tmp_path, FORMS["0.3"] + FORMS["final"])) == EXPECTED * 2


def test_an_event_that_speaks_of_qlog_is_no_header(tmp_path: Path) -> None:
    odd = {"time": 1, "name": "info:message", "data": {"qlog_version": "0.3", "message": '"qlog_version": "0.3"'}}
    trace = read(tmp_path, sequence(OLDER, [*objects()[:6], odd, *objects()[6:]], sign=""))
    assert rows(trace) == EXPECTED and trace.unused == {qlog.OTHER: 1}


@pytest.mark.parametrize("sign", ["", "\x1e"])
@pytest.mark.parametrize("broken", ['{"time": 5, "data": {', '{"time": 5, "name": "', "damaged", "[", '{"x": "}}]]"}'])
def test_what_is_broken_does_not_take_the_next_record_with_it(tmp_path: Path, sign: str, broken: str) -> None:
    first, second = sequence(OLDER, objects()[:6], sign), sequence(OLDER, objects()[6:], sign).split("\n", 1)[1]
    trace = read(tmp_path, f"{first}{sign}{broken}\n{second}")
    assert rows(trace) == EXPECTED and sum(trace.refused().values()) == 1


def test_packets_lost_are_counted_as_mvfst_has_them(tmp_path: Path) -> None:
    lost = ["115938", 0, "loss", "packets_lost", {"largest_lost_packet_num": 9, "lost_bytes": 99, "lost_packets": 3}]
    events = [*arrays(in_words=True)[:1], lost, *arrays(in_words=True)[1:]]
    trace = read(tmp_path, document(events, DRAFT, UNIT | NAMED, {}))
    assert list(trace.connections[0].subflows[0].loss_packets) == [3]


def test_offsets_are_those_of_the_file(tmp_path: Path) -> None:
    text = sequence(OLDER, [*objects(), "damaged", "broken"])
    for one, block_bytes in itertools.product((text, text.replace("\n", "")), (1, 7, 1 << 20)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(stored, "_BLOCK_BYTES", block_bytes)
            refusals = read(tmp_path, one).refusals
        assert [one[refusal.offset :][:10] for refusal in refusals] == [
            '\x1e"damaged"',
            '\x1e"broken"\n' if "\n" in one else '\x1e"broken"',
        ]


def test_a_record_longer_than_allowed_is_refused_in_pieces_or_in_one(tmp_path: Path) -> None:
    long = {"time": 1, "name": "info:message", "data": {"frames": ["x" * 99] * 900}}
    for indent in (None, 1):
        trace = read(tmp_path, sequence(OLDER, [long, *objects()], indent=indent))
        assert rows(trace) == EXPECTED and trace.refused() == {qlog.TOO_LONG: 1}


@pytest.mark.parametrize("text", ['{"traces": 5}', '{"events": [', "[1]", '{"start": {"version": "iperf 3.12"}}', ""])
def test_other_json_is_no_qlog(text: str) -> None:
    assert not qlog_records.recognises(text.encode())
