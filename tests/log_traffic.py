"""Logs of MPTCP connections that transfer data, of every kind that is read line by line, of any length.

Every connection has two subflows. An ACK is some lines: what it acknowledges, its RTT sample and what the kind of log
says beside them; now and then there are losses and states. Among them are lines that are not the sender's, where a log
has such, and as many broken ones as are asked for.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

#: When a log begins: since the machine was started, and since 1970.
UPTIME_NS, START_NS = 91 * 10**9, 1_795_231_448 * 10**9
SUBFLOWS = 2
SEGMENT_BYTES = 1420
#: Of so many lines one is not the sender's, in a kernel's log.
OTHER_EVERY = 50
BUFFER_LINES = 20_000
_WRAP = 1 << 32
_OTHER = ("eth0: Link is Up - 1Gbps/Full - flow control rx/tx", "audit: type=1400 apparmor=DENIED operation=open")


class Event(NamedTuple):
    """One of the sender's records."""

    time_ns: int
    token: int
    subflow: int
    kind: str
    value: int


def events(connections: int, seed: int = 1) -> Iterator[Event]:
    """Yield events without end, in order of time."""
    draw = random.Random(seed)  # noqa: S311 - the same each time
    tokens = [draw.randrange(1, _WRAP) for _ in range(connections)]
    places = [(token, subflow) for token in tokens for subflow in range(SUBFLOWS)]
    acked = [0] * len(places)
    time_ns = UPTIME_NS
    while True:
        time_ns += draw.randrange(1_000, 200_000)
        number = draw.randrange(len(places))
        place = (time_ns, *places[number])
        if draw.random() < 0.01:
            yield Event(*place, "DUP", SEGMENT_BYTES)
            yield Event(*place, "CA", 3)
            yield Event(*place, "LOSS", 1)
            yield Event(*place, "RTX", 1)
            continue
        if draw.random() < 0.01:
            yield Event(*place, "CA", 0)
        acked[number] += SEGMENT_BYTES * draw.randrange(1, 4)
        yield Event(*place, "ACK", acked[number])
        yield Event(*place, "RTT", draw.randrange(20_000, 90_000))
        yield Event(*place, "OWD", draw.randrange(10_000, 45_000))
        yield Event(*place, "DACK", acked[number])


def _seconds(time_ns: int, digits: int) -> str:
    return f"{time_ns // 10**9}.{time_ns % 10**9:09d}"[: digits - 9 or None]


def _record(one: Event) -> str:
    return f"{one.time_ns} C={one.token:x} SF={one.subflow} V={one.kind} {one.value}"


def _dmesg(one: Event, _number: int, text: str) -> str:
    return f"[{_seconds(one.time_ns, 6):>12}] {text}"


def _syslog(one: Event, _number: int, text: str) -> str:
    return f"Nov 28 12:00:00 sender kernel: [{_seconds(one.time_ns, 6):>12}] {text}"


def _kmsg(one: Event, number: int, text: str) -> str:
    return f"6,{number},{one.time_ns // 1000},-;{text}"


def _journal(one: Event, number: int, text: str) -> str:
    return (
        f'{{"__CURSOR":"s=8a1c;i={number:x};b=1f0e;m={number:x};t=5c;x=9","__REALTIME_TIMESTAMP":"{one.time_ns}"'
        f',"__MONOTONIC_TIMESTAMP":"{number}","_BOOT_ID":"1f0e6a3c57a84d2c8f9b6d1e2a3b4c5d","PRIORITY":"6"'
        f',"SYSLOG_FACILITY":"0","SYSLOG_IDENTIFIER":"kernel","_TRANSPORT":"kernel","_HOSTNAME":"sender"'
        f',"_SOURCE_MONOTONIC_TIMESTAMP":"{number}","MESSAGE":"{text}"}}'
    )


def _of_kernel(prefixed: Callable[[Event, int, str], str]) -> Callable[[int], Iterator[str]]:
    def lines(connections: int) -> Iterator[str]:
        number = 0
        for one in events(connections):
            if number % OTHER_EVERY == OTHER_EVERY - 1:
                yield prefixed(one, number, _OTHER[number % len(_OTHER)])
                number += 1
            yield prefixed(one, number, f"smartsbd: {_record(one)}")
            number += 1

    return lines


def _bare(connections: int) -> Iterator[str]:
    return map(_record, events(connections))


def _state(connections: int) -> Iterator[str]:
    """Yield rows of one connection, whatever is asked for."""
    del connections
    yield "t,sf,var,value"
    for one in events(1):
        begin = f"{_seconds(START_NS + one.time_ns, 6)},{one.subflow}"
        if one.kind == "ACK":
            yield f"{begin},ack,{one.value % _WRAP}"
        elif one.kind in _VARIABLES:
            yield f"{begin},{_VARIABLES[one.kind]},{one.value}"


def _ends(one: Event) -> tuple[str, str]:
    port = 1024 + one.token % 60_000
    return f"10.{one.token >> 24}.{one.token >> 16 & 255}.{one.subflow}:{port}", "10.9.8.7:5201"


def _module(connections: int) -> Iterator[str]:
    for one in events(connections):
        if one.kind == "ACK":
            local, remote = _ends(one)
            yield (
                f"{_seconds(one.time_ns, 9)} {local} {remote} 32 {hex(one.value % _WRAP)}"
                f" {hex(one.value % _WRAP)} 45 45 204032 25700 26884"
            )


def _tracepoint(connections: int) -> Iterator[str]:
    for one in events(connections):
        if one.kind == "ACK":
            local, remote = _ends(one)
            yield (
                f"          <idle>-0       [004] ..s7.  {_seconds(one.time_ns, 6)}: tcp_probe: family=AF_INET"
                f" src={local} dest={remote} mark=0x0 data_len=32 snd_nxt={hex(one.value % _WRAP)}"
                f" snd_una={hex(one.value % _WRAP)} snd_cwnd=10 ssthresh=2147483647 snd_wnd=28960 srtt=19604"
                f" rcv_wnd=29312 sock_cookie=ab41"
            )


_VARIABLES = {"RTT": "rtt_us", "CA": "ca_state", "RTX": "retrans", "OWD": "cwnd"}
#: Lines without end, by the kind of log; each takes the number of connections.
KINDS: dict[str, Callable[[int], Iterator[str]]] = {
    "event lines": _bare,
    "dmesg": _of_kernel(_dmesg),
    "syslog": _of_kernel(_syslog),
    "/dev/kmsg": _of_kernel(_kmsg),
    "journal": _of_kernel(_journal),
    "state": _state,
    "tcp_probe": _module,
    "tcp_probe, traced": _tracepoint,
}


def _broken(line: str, draw: random.Random) -> str:
    """Return a line that is cut, of another's making, or changed in one place."""
    at = draw.randrange(len(line))
    return draw.choice((line[:at], line[at:], f"{line[:at]}?{line[at + 1 :]}", f"{line[:at]} {line}", "", "no record"))


def write_log(path: Path, kind: str, lines: int, connections: int, broken: float = 0.0) -> None:
    """Write a log of so many lines, of which a share is broken."""
    draw = random.Random(2)  # noqa: S311 - the same each time
    source = KINDS[kind](connections)
    with path.open("w") as stream:
        for first in range(0, lines, BUFFER_LINES):
            some = [next(source) for _ in range(min(BUFFER_LINES, lines - first))]
            if broken:
                some = [
                    _broken(line, draw) if draw.random() < broken and first + place else line
                    for place, line in enumerate(some)
                ]
            stream.write("".join(f"{line}\n" for line in some))
