"""A real sender's connection, written as other recorders would have: the same RTTs, in the words of each kind."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from smartsbd.traces import recording
from smartsbd.traces.connection import NOT_OBSERVED
from smartsbd.traces.dialect import Dialect

_NS = 1_000_000_000
_EIGHTHS = 3


@dataclass(frozen=True)
class Samples:
    """RTT samples of a subflow, and the smoothed RTT after each as Linux keeps it."""

    time_ns: npt.NDArray[np.int64]
    rtt_us: npt.NDArray[np.int64]
    acked_bytes: npt.NDArray[np.int64]

    def srtt_us(self) -> list[int]:
        """The smoothed RTT after each sample."""
        found: list[int] = []
        eighths = 0
        for rtt_us in self.rtt_us.tolist():
            eighths = rtt_us << _EIGHTHS if not found else eighths + rtt_us - (eighths >> _EIGHTHS)
            found.append(eighths >> _EIGHTHS)
        return found

    def at(self, time_ns: int) -> int:
        """Number of the last sample at a time, -1 before the first."""
        return int(np.searchsorted(self.time_ns, time_ns, side="right")) - 1


def samples_of(path: Path) -> list[Samples]:
    """Return the samples of the subflows of a sender's log."""
    (connection,) = recording.read(path, Dialect()).trace.connections
    found = []
    for subflow in connection.ordered():
        acks = subflow.all_acks()
        rtt_us = np.array(acks.rtt_us)
        known = rtt_us != NOT_OBSERVED
        found.append(Samples(np.array(acks.time_ns)[known], rtt_us[known], np.array(acks.acked_bytes)[known]))
    return found


def _stamp(time_ns: int) -> str:
    return f"{time_ns // _NS}.{time_ns % _NS:09d}"


def _merged(subflows: Sequence[Samples]) -> Iterator[tuple[int, int, int]]:
    """Yield time, number of the subflow and number of the sample, in order of time."""
    yield from sorted((at, place, n) for place, own in enumerate(subflows) for n, at in enumerate(own.time_ns.tolist()))


def _grid(subflows: Sequence[Samples], every_s: float) -> range:
    start_ns = max(int(own.time_ns[0]) for own in subflows)
    return range(start_ns, max(int(own.time_ns[-1]) for own in subflows), round(every_s * _NS))


def socket_stats(subflows: Sequence[Samples], every_s: float, *, has_tokens: bool = True) -> str:
    """What `ss -tinO` prints in a loop; without tokens each socket is on its own."""
    lines, smoothed = [], [own.srtt_us() for own in subflows]
    named = " tcp-ulp-mptcp flags:Mec token:0000(id:0)/5b1(id:0)" if has_tokens else ""
    for at_ns in _grid(subflows, every_s):
        lines.append(_stamp(at_ns))
        for place, own in enumerate(subflows):
            last = own.at(at_ns)
            lines.append(
                f"ESTAB 0 0 192.0.2.{place}:4000{place} 198.51.100.1:443 cubic rto:201"
                f" rtt:{smoothed[place][last] / 1000:.3f}/0.5 mss:1448 bytes_acked:{own.acked_bytes[last]}{named}"
            )
    return "\n".join([*lines, ""])


def tcp_probe(subflows: Sequence[Samples]) -> str:
    """What the tracepoint prints for each segment that arrives."""
    smoothed = [own.srtt_us() for own in subflows]
    return "".join(
        f"  <idle>-0  [004] ..s7 {at_ns // _NS}.{at_ns % _NS // 1000:06d}: tcp_probe: src=192.0.2.{place}:4000{place}"
        f" dest=198.51.100.1:443 mark=0x0 data_len=32 snd_nxt=0x9"
        f" snd_una={hex(int(subflows[place].acked_bytes[n]) % 2**32)} snd_cwnd=10 ssthresh=9 snd_wnd=9"
        f" srtt={smoothed[place][n]} rcv_wnd=9\n"
        for at_ns, place, n in _merged(subflows)
    )


def ping(own: Samples, every_s: float) -> str:
    """What `ping -D` prints on the path of a subflow; three digits of each RTT, as ping has them."""
    lines = ["PING 198.51.100.1 (198.51.100.1) 56(84) bytes of data."]
    for number, at_ns in enumerate(_grid([own], every_s), 1):
        ms = own.rtt_us[own.at(at_ns)] / 1000
        shown = f"{ms:.0f}" if ms >= 100 else f"{ms:.1f}" if ms >= 10 else f"{ms:.2f}"
        stamp = f"{at_ns // _NS}.{at_ns % _NS // 1000:06d}"
        lines.append(f"[{stamp}] 64 bytes from 198.51.100.1: icmp_seq={number} ttl=57 time={shown} ms")
    return "\n".join([*lines, ""])


def rtt_table(subflows: Sequence[Samples]) -> str:
    """A table of every sample."""
    rows = (
        f"{_stamp(at_ns)},path{place},{subflows[place].rtt_us[n] / 1000:.3f},{subflows[place].acked_bytes[n]}\n"
        for at_ns, place, n in _merged(subflows)
    )
    return "time_s,path,rtt_ms,bytes\n" + "".join(rows)


def packet_table(own: Samples) -> str:
    """What tshark prints of a subflow at the sender: an ACK for each sample, and data that the receiver answers."""
    ends = "192.0.2.1,198.51.100.1,40000,443", "198.51.100.1,192.0.2.1,443,40000"
    rows = [f"{_stamp(int(own.time_ns[0]) - 1000)},{ends[0]},1,1448,0.000050000\n"]
    for at_ns, rtt_us, acked in zip(own.time_ns.tolist(), own.rtt_us.tolist(), own.acked_bytes.tolist(), strict=True):
        rows.append(f"{_stamp(at_ns)},{ends[1]},{acked},0,{rtt_us / 1e6:.9f}\n")
    fields = "frame.time_epoch,ip.src,ip.dst,tcp.srcport,tcp.dstport,tcp.ack,tcp.len,tcp.analysis.ack_rtt\n"
    return fields + "".join(rows)


def qlog(subflows: Sequence[Samples]) -> str:
    """What a QUIC sender would log, in the form of picoquic."""
    start_ns = min(int(own.time_ns[0]) for own in subflows)
    fields = ["relative_time", "path_id", "category", "event", "data"]
    events = [
        [
            (at_ns - start_ns) // 1000,
            place,
            "recovery",
            "metrics_updated",
            {"latest_rtt": int(subflows[place].rtt_us[n])},
        ]
        for at_ns, place, n in _merged(subflows)
    ]
    trace = {"event_fields": fields, "configuration": {"time_units": "us"}, "events": events}
    return json.dumps({"qlog_version": "draft-00", "title": "made", "traces": [trace]})


def write_all(log: Path, folder: Path) -> None:
    """Write a sender's log into a folder as every kind, under the names that docs/questions.md has."""
    subflows = samples_of(log)
    (folder / "ss.log").write_text(socket_stats(subflows, 0.02))
    (folder / "ss-without-tokens.log").write_text(socket_stats(subflows, 0.02, has_tokens=False))
    (folder / "tcp_probe.txt").write_text(tcp_probe(subflows))
    (folder / "rtts.csv").write_text(rtt_table(subflows))
    (folder / "server.qlog").write_text(qlog(subflows))
    for name, own in zip(("wlan0", "wwan0"), subflows, strict=True):
        (folder / f"{name}.ping").write_text(ping(own, 0.01))
        (folder / f"{name}.csv").write_text(packet_table(own))
