"""Captures of packets: MPTCP connections, with the signals of the end that sends, from one file or several.

A connection is known by the keys of its MP_CAPABLE, and by their tokens in the MP_JOIN of its other subflows, in
whatever file of one call they are. A MP_JOIN whose token no key of the inputs has makes a connection of what joined
with that token. A subflow without its handshake, known by its DSS options alone, is a connection of its own.

The end that sent more is the sender. Of a subflow that several files hold, the one recorded at the sender counts, or
else the fuller.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path

from traces import mptcp
from traces.assembly import MAX_SUBFLOW, MAX_TIME_NS, OUT_OF_RANGE
from traces.congestion import OPEN
from traces.connection import Connection, Subflow
from traces.dialect import Dialect
from traces.endpoint import Endpoint, Pseudonyms
from traces.flow import End, Flow
from traces.pcap import Frame, frames, recognises
from traces.quarantine import RAW_BYTES, Refusal
from traces.segment import SYN, UnusableError, segment
from traces.trace import Trace
from traces.vantage import SENDER, UNKNOWN

__all__ = ["SOURCE", "read", "read_together", "recognises", "tokens"]

SOURCE = "pcap"

PLAIN = "TCP without MPTCP"
IMPLAUSIBLE = "number beyond any window"
NOT_ANSWERED = "TCP, MPTCP offered and not answered"
ELSEWHERE = "recorded in another input too, nearer to the sender or fuller"
TOO_MANY = "more subflows than a table can number"
# Packets written out of order within so many are put in order; those later than that run backwards.
_OUT_OF_ORDER_PACKETS = 64


@dataclass
class _Member:
    """A flow in its connection: which capture it is in, and which of the connection's ends its end 0 is."""

    flow: Flow
    capture: int
    turned: bool = False


@dataclass
class _Group:
    """The flows of one connection; end 0 is the one that opened the first, end 1 the one with the token joined with."""

    tokens: list[int | None]
    version: int | None = None
    first_data: list[int | None] = field(default_factory=lambda: [None, None])
    members: list[_Member] = field(default_factory=list)

    def learn(self, flow: Flow) -> None:
        """Take what a flow that opened the connection tells and was not known: a capture may lack a part of it."""
        self.version = flow.version if self.version is None else self.version
        for end, token in enumerate(flow.tokens()):
            if self.tokens[end] is None:
                self.tokens[end], self.first_data[end] = token, flow.first_data(end)


class _Grouping:
    """Puts flows into connections."""

    def __init__(self) -> None:
        self.groups: list[_Group] = []
        self._by_token: dict[int, tuple[_Group, int]] = {}
        self._by_opening: dict[tuple[tuple[End, End], int], _Group] = {}

    def opened(self, member: _Member) -> None:
        """Take a flow that opened a connection, or whose handshake is not known."""
        flow = member.flow
        opening = None if flow.first_syn is None else (flow.ends, flow.first_syn)
        group = None if opening is None else self._by_opening.get(opening)
        for end, token in enumerate(flow.tokens()):
            known = None if token is None else self._by_token.get(token)
            if group is None and known is not None and known[1] == end:
                group = known[0]
        if group is None:
            group = _Group([None, None])
            self.groups.append(group)
        group.learn(flow)
        group.members.append(member)
        if opening is not None:
            self._by_opening.setdefault(opening, group)
        for end, token in enumerate(group.tokens):
            if token is not None:
                self._by_token.setdefault(token, (group, end))

    def joined(self, member: _Member, token: int) -> None:
        """Take a flow that joined the connection of a token; all that opened one are known."""
        if token not in self._by_token:
            group = _Group([None, token])
            self.groups.append(group)
            self._by_token[token] = (group, 1)
        group, end = self._by_token[token]
        member.turned = end == 0
        group.members.append(member)


def read(path: Path, _dialect: Dialect) -> Trace:
    """Read one capture, as :func:`read_together` does."""
    return read_together([path])[0]


def read_together(paths: Sequence[Path]) -> list[Trace]:
    """Read captures whose subflows may belong to the same connections.

    Parameters
    ----------
    paths : sequence of Path
        Each connection is in the trace of the input that has its first subflow.

    Returns
    -------
    list of Trace
        One an input.

    Raises
    ------
    CaptureError
        If one cannot be read as a whole.
    """
    traces = [Trace() for _ in paths]
    flows = [_flows(path, trace) for path, trace in zip(paths, traces, strict=True)]
    pseudonyms = Pseudonyms()
    for group in _groups(flows, traces):
        members, elsewhere = _nearest(group)
        for member in elsewhere:
            traces[member.capture].unused[ELSEWHERE] += member.flow.segments
        for member in members[MAX_SUBFLOW + 1 :]:
            traces[member.capture].unused[TOO_MANY] += member.flow.segments
        del members[MAX_SUBFLOW + 1 :]
        for member in members:
            traces[member.capture].records_out += member.flow.segments
            traces[member.capture].signals.update(member.flow.signals)
            implausible = sum(sender.implausible for sender in member.flow.senders)
            if implausible:
                traces[member.capture].signals[IMPLAUSIBLE] += implausible
        connection = _connection(group, members, pseudonyms)
        connection.vantages = _vantages(members)
        traces[members[0].capture].connections.append(connection)
    return traces


def tokens(path: Path) -> set[int]:
    """Return the tokens that the handshakes in a capture tell: inputs with one in common are to be read together.

    Raises
    ------
    CaptureError
        If it cannot be read as a whole.
    """
    found: set[int] = set()
    for frame in frames(path):
        if isinstance(frame, Refusal):
            continue
        try:
            one = segment(frame)
        except UnusableError:
            continue
        for body in one.options.mptcp:
            try:
                option = mptcp.option(body, syn=bool(one.flags & SYN))
            except mptcp.MalformedOptionError:
                continue
            if isinstance(option, mptcp.Capable):
                found |= {mptcp.token(key, option.version) for key in option.keys}
            elif isinstance(option, mptcp.Join) and option.token is not None:
                found.add(option.token)
    return found


def _flows(path: Path, trace: Trace) -> list[Flow]:
    """Return the TCP connections of a capture, in order of their first segment; count its records."""
    current: dict[frozenset[End], Flow] = {}
    found = []
    for frame in _in_time_order(frames(path)):
        trace.records_in += 1
        if isinstance(frame, Refusal):
            trace.refusals.append(frame)
            continue
        try:
            one = segment(frame)
        except UnusableError as error:
            if error.refused:
                trace.refusals.append(_refusal(frame, error.reason, error.detail))
            else:
                trace.unused[error.reason] += 1
            continue
        if not 0 <= one.time_ns <= MAX_TIME_NS:
            trace.refusals.append(_refusal(frame, OUT_OF_RANGE, f"time {one.time_ns}"))
            continue
        key = frozenset((one.source, one.destination))
        flow = current.get(key)
        if flow is None or flow.begins_anew(one):
            flow = current[key] = Flow(one)
            found.append(flow)
        why = flow.take(one)
        if why is not None:
            trace.refusals.append(_refusal(frame, why, f"{one.time_ns} follows {flow.end_ns}"))
    return found


def _in_time_order(found: Iterable[Frame | Refusal]) -> Iterator[Frame | Refusal]:
    """Yield packets in order of time, where they were written a little out of order, as several processors do."""
    waiting: list[tuple[int, int, Frame]] = []
    for number, frame in enumerate(found):
        if isinstance(frame, Refusal):
            yield frame
            continue
        heapq.heappush(waiting, (frame.time_ns, number, frame))
        if len(waiting) > _OUT_OF_ORDER_PACKETS:
            yield heapq.heappop(waiting)[2]
    while waiting:
        yield heapq.heappop(waiting)[2]


def _refusal(frame: Frame, reason: str, detail: str) -> Refusal:
    return Refusal(frame.offset, reason, detail, frame.data[:RAW_BYTES])


def _groups(flows: Sequence[Sequence[Flow]], traces: Sequence[Trace]) -> list[_Group]:
    """Return the connections, in order of their first subflow; count what belongs to none."""
    grouping = _Grouping()
    joins: list[tuple[_Member, int]] = []
    for capture, own in enumerate(flows):
        for flow in own:
            member = _Member(flow, capture)
            if flow.refused or not (flow.offered or flow.has_data_signal):
                traces[capture].unused[NOT_ANSWERED if flow.offered else PLAIN] += flow.segments
            elif flow.join_token is not None:
                joins.append((member, flow.join_token))
            else:
                grouping.opened(member)
    for member, token in joins:
        grouping.joined(member, token)
    for group in grouping.groups:
        group.members.sort(key=lambda member: (member.flow.join_token is not None, member.flow.start_ns))
    return sorted(grouping.groups, key=lambda group: (group.members[0].capture, group.members[0].flow.start_ns))


def _flow_end(member: _Member, end: int) -> int:
    """Return which end of a flow is the connection's `end`."""
    return 1 - end if member.turned else end


def _sender(members: Sequence[_Member]) -> int:
    """Return which end of a connection sent more; the one that opened it, where both sent as much."""
    sent = [sum(member.flow.senders[_flow_end(member, end)].payload_bytes for member in members) for end in (0, 1)]
    return int(sent[1] > sent[0])


def _nearest(group: _Group) -> tuple[list[_Member], list[_Member]]:
    """Return a connection's subflows, and what was recorded of them a second time."""
    sender = _sender(group.members)
    same: dict[tuple[object, ...], list[_Member]] = {}
    for member in group.members:
        flow = member.flow
        # Two connections of one file are two, even between the same ports.
        unique = (member.capture, flow.start_ns) if flow.first_syn is None else ()
        mark = (flow.ends, flow.first_syn, unique)
        same.setdefault(mark, []).append(member)
    members, elsewhere = [], []
    for own in same.values():
        # At the sender first, then the fuller: one may be a fragment.
        own.sort(
            key=lambda member: (
                member.flow.answers.vantage(_flow_end(member, sender)) != SENDER,
                -member.flow.segments,
            )
        )
        members.append(own[0])
        elsewhere += own[1:]
    return members, elsewhere


def _vantages(members: Sequence[_Member]) -> dict[int, str]:
    """Return where each capture was taken: what its subflows say, unknown where they do not agree."""
    sender = _sender(members)
    found: dict[int, set[str]] = {}
    for member in members:
        found.setdefault(member.capture, set()).add(member.flow.answers.vantage(_flow_end(member, sender)))
    known = {capture: said - {UNKNOWN} for capture, said in found.items()}
    return {capture: said.pop() if len(said) == 1 else UNKNOWN for capture, said in known.items()}


def _connection(group: _Group, members: Sequence[_Member], pseudonyms: Pseudonyms) -> Connection:
    sender = _sender(members)
    connection = Connection(
        token=group.tokens[sender],
        remote_token=group.tokens[1 - sender],
        vantages={},
        states_inferred=True,
        mptcp_version=group.version,
    )
    for number, member in enumerate(members):
        flow, end = member.flow, _flow_end(member, sender)
        local, remote = flow.ends[end], flow.ends[1 - end]
        subflow = Subflow(
            subflow_id=number,
            start_ns=flow.start_ns,
            end_ns=flow.end_ns,
            loc_id=0 if flow.join_token is None and flow.keys[0] else flow.address_ids[end],
            rem_id=0 if flow.join_token is None and flow.keys[0] else flow.address_ids[1 - end],
            family=Endpoint(str(ip_address(local[0])), local[1]).family,
            local_address=pseudonyms.of(str(ip_address(local[0]))),
            remote_address=pseudonyms.of(str(ip_address(remote[0]))),
            local_port=local[1],
            remote_port=remote[1],
        )
        if flow.first_syn is not None:
            # A socket starts in Open.
            subflow.state_time_ns.append(flow.start_ns)
            subflow.state_ca_state.append(OPEN)
        flow.senders[end].write(subflow, group.first_data[sender])
        connection.subflows[number] = subflow
    return connection
