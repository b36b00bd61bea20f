"""Where tshark has a field, the analysis of a capture has the same number: of every packet, and of every series.

Tables of tshark 4.0.17 stand beside the samples; where tshark is installed it is asked too, also of all captures that
``SBD_CAPTURES`` names.
"""

from __future__ import annotations

import os
import subprocess
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path

import pytest
import zstandard

from smartsbd.pipelines.reporting.analysis_numbers import numbers_of, with_deliveries
from smartsbd.traces.capture_analysis import analysed
from smartsbd.traces.formats import capture
from tests.traces import tshark
from tests.traces.tshark import ACK, DSS, FIN, RST, Packet

SAMPLES = Path(__file__).parent / "samples/captures"
KERNEL = Path(__file__).parents[2] / "data/samples/kernel_captures/inputs"
_ALL = os.environ.get("SBD_CAPTURES")
MORE = [path for path in sorted(Path(_ALL).iterdir()) if ".pcap" in path.name] if _ALL is not None else []
STORED = sorted(path for path in SAMPLES.iterdir() if path.suffix == ".pcap")
#: Where an RTT is what the sender sees.
RECORDED_AT_THE_SENDER = ("107.sf0.pcap.zst", "112.sf1.pcap.zst")
needs_tshark = pytest.mark.skipif(tshark.program() is None, reason="tshark is not installed")
#: An ACK that the capture has earlier than the SYN/ACK it answers, by their times: tshark takes the order of the file.
EARLY_ACKS = {"teto-client_2.pcap.gz": 4}
_EVENTS = {0: "MP_CAPABLE", 1: "MP_JOIN", 4: "REMOVE_ADDR", 5: "MP_PRIO", 6: "MP_FAIL", 7: "MP_FASTCLOSE"}


def plain(path: Path, folder: Path) -> Path:
    """A capture that tshark reads."""
    if path.suffix != ".zst":
        return path
    found = folder / path.stem
    found.write_bytes(zstandard.ZstdDecompressor().decompressobj().decompress(path.read_bytes()))
    return found


def assert_packets_are_equal(ours: Sequence[Packet], theirs: Sequence[Packet], early_acks: int = 0) -> None:
    # TCP without MPTCP is in tshark's list alone.
    places = Counter((one.time_ns, one.source, one.port, one.seq) for one in ours)
    theirs = [one for one in theirs if (one.time_ns, one.source, one.port, one.seq) in places]
    assert len(ours) == len(theirs)
    differing = 0
    for own, other in zip(sorted(ours, key=lambda one: one[:6]), sorted(theirs, key=lambda one: one[:6]), strict=True):
        differing += own.window != other.window
        assert own._replace(window=0) == other._replace(window=0)
    assert differing == early_acks


def packets_of(rows: list[dict[str, str]]) -> list[Packet]:
    return [tshark.packet(row) for row in rows]


@pytest.mark.parametrize("path", STORED, ids=lambda path: path.stem)
def test_every_packet_is_as_tshark_printed_it(path: Path, tmp_path: Path) -> None:
    stored = packets_of(tshark.stored_rows(SAMPLES / f"packets-{path.stem}.csv"))
    assert len(stored) > 10
    assert_packets_are_equal(list(tshark.ours(path, tmp_path)), stored)


@needs_tshark
@pytest.mark.parametrize(
    "path", [*STORED, *(KERNEL / name for name in RECORDED_AT_THE_SENDER), *MORE], ids=lambda path: path.name
)
def test_every_packet_is_as_tshark_prints_it(path: Path, tmp_path: Path) -> None:
    rows = tshark.printed(plain(path, tmp_path))
    if path in STORED:
        assert rows == tshark.stored_rows(SAMPLES / f"packets-{path.stem}.csv")
    ours = list(tshark.ours(path, tmp_path))
    assert_packets_are_equal(ours, packets_of(rows), EARLY_ACKS.get(path.name, 0))


@pytest.mark.parametrize("path", STORED, ids=lambda path: path.stem)
def test_the_numbers_of_a_connection_are_tsharks(path: Path) -> None:
    """Mappings, data acknowledgements, windows and events, as `--json` has them: of both ends, over all subflows."""
    (trace,) = capture.read_together([path])
    found = analysed([("a", one) for one in trace.connections])
    (numbers,) = map(numbers_of, with_deliveries(found))
    stored = packets_of(tshark.stored_rows(SAMPLES / f"packets-{path.stem}.csv"))
    start_ns = numbers["start_ns"]
    # Addresses have pseudonyms: it is the ports that tell the ends apart.
    ports = {own["local_port"] for own in numbers["subflows"]}
    assert not ports & {own["remote_port"] for own in numbers["subflows"]}
    for end, name in enumerate(("sender", "receiver")):
        data = numbers["data"][name]
        first = int(data["first_data_seq"], 16)
        sent = [one for one in stored if (one.port in ports) == (end == 0)]
        heard = [one for one in stored if one not in sent and one.flags & ACK and not one.flags & RST]
        bits = 2**64 if max(one.data_seq or 0 for one in sent) >= 2**32 else 2**32
        mapped = [
            (one.time_ns - start_ns, (one.data_seq - first) % bits, (one.data_bytes or 0) - one.is_data_fin)
            for one in sent
            if one.data_seq is not None and (one.data_bytes or 0) > one.is_data_fin
        ]
        # Handshakes of version 1 that carry data map them from the first byte on.
        mapped += [(one.time_ns - start_ns, 0, one.data_bytes) for one in sent if 0 in one.subtypes and one.data_bytes]
        mappings = data["mappings"]
        assert sorted(mapped) == sorted(zip(mappings["time_ns"], mappings["data_seq"], mappings["bytes"], strict=True))
        assert [
            (one.time_ns - start_ns, None if one.data_ack is None else (one.data_ack - first) % bits, one.window)
            for one in heard
        ] == list(zip(data["acks"]["time_ns"], data["acks"]["data_ack"], data["acks"]["window"], strict=True))
    events = {kind: points["count"] for kind, points in numbers["events"].items()}
    subtypes = Counter(subtype for one in stored for subtype in one.subtypes if subtype != DSS)
    assert {kind: subtypes[subtype] for subtype, kind in _EVENTS.items() if subtypes[subtype]} == {
        kind: count for kind, count in events.items() if kind in _EVENTS.values()
    }
    assert events.get("ADD_ADDR", 0) + events.get("ADD_ADDR echo", 0) == subtypes[3]
    assert events.get("DATA_FIN", 0) == sum(one.is_data_fin for one in stored)
    assert events.get("FIN", 0) == sum(bool(one.flags & FIN) for one in stored)
    assert events.get("RST", 0) == sum(bool(one.flags & RST) for one in stored)


@needs_tshark
@pytest.mark.parametrize("name", RECORDED_AT_THE_SENDER)
def test_rtt_samples_are_tsharks_until_something_is_lost(name: str, tmp_path: Path) -> None:
    """From then on, and where something is SACKed, the rules differ, as docs/formats.md says."""
    path = KERNEL / name
    (trace,) = capture.read_together([path])
    found = analysed([("a", one) for one in trace.connections])
    (numbers,) = map(numbers_of, with_deliveries(found))
    (subflow,) = numbers["subflows"]
    rtt = subflow["rtt"]
    assert rtt["every"] == 1 and numbers["recorded_at"] == ["sender"]
    heard = f"tcp.srcport == {subflow['remote_port']} && tcp.flags.syn == 0"
    capture_file = plain(path, tmp_path)

    def of_tshark(only: str) -> list[tuple[int, str]]:
        return [
            (int(Decimal(row["frame.time_epoch"]) * 10**9) - numbers["start_ns"], row["tcp.analysis.ack_rtt"])
            for row in tshark.printed(capture_file, f"{heard} && {only}")
        ]

    first_sack_ns = of_tshark("tcp.options.sack_le")[0][0]
    until_ns = min(first_sack_ns, *numbers["events"]["sent again"]["time_ns"])
    theirs = of_tshark("tcp.analysis.ack_rtt")
    early = [(at_ns, int(Decimal(rtt_s) * 10**6)) for at_ns, rtt_s in theirs if at_ns < until_ns]
    assert len(early) > 50
    ours = zip(rtt["time_ns"], rtt["rtt_us"], strict=True)
    assert early == [one for one in ours if one[0] < until_ns]


@needs_tshark
@pytest.mark.skipif(not MORE, reason="SBD_CAPTURES names no folder of captures")
@pytest.mark.parametrize("path", MORE, ids=lambda path: path.name)
def test_reinjections_are_those_that_tshark_finds(path: Path) -> None:
    """tshark names each packet of a reinjected mapping, ours is the mapping; it looks at other subflows alone."""
    options = ("mptcp.analyze_mappings:TRUE", "mptcp.intersubflows_retransmission:TRUE")
    fields = ("frame.time_epoch", "tcp.stream", "tcp.options.mptcp.rawdataseqno", "tcp.options.mptcp.subflowseqno")
    command = ["tshark", "-r", str(path), *(one for option in options for one in ("-o", option)), "-T", "fields"]
    command += [*(one for field in (*fields, "mptcp.reinjection_of") for one in ("-e", field))]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    seen, theirs = set(), []
    for line in done.stdout.splitlines():
        time_s, *mapping, reinjection = line.split("\t")
        if mapping[1] and tuple(mapping) not in seen:
            seen.add(tuple(mapping))
            if reinjection:
                theirs.append(int(Decimal(time_s) * 10**9))
    (trace,) = capture.read_together([path])
    ours = []
    for one in analysed([(str(n), one) for n, one in enumerate(trace.connections)]).connections.values():
        for direction in one.directions:
            again = direction.reinjections
            assert again.every == 1
            elsewhere = again.column("subflow") != again.column("first_subflow")
            ours += again.column("time_ns")[elsewhere].tolist()
    assert sorted(ours) == sorted(theirs)
