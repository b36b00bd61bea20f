"""Connections of captures, put together in plain Python from the flows of each: what the compiled parser is held to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path

from smartsbd.contracts.tables import OPEN
from smartsbd.traces import bounds
from smartsbd.traces.bounds import Bounds
from smartsbd.traces.connection import Connection, Subflow
from smartsbd.traces.endpoint import Endpoint, Pseudonyms
from smartsbd.traces.formats.capture import ELSEWHERE
from smartsbd.traces.recorded import (
    FORGOTTEN,
    IMPLAUSIBLE,
    End,
    Flow,
    Recorded,
    Refusals,
    Spool,
    StoredAcks,
    spools,
    write,
)
from smartsbd.traces.trace import Trace
from smartsbd.traces.vantage import SENDER, UNKNOWN


@dataclass(slots=True)
class _Member:
    """A flow in its connection: which capture it is in, and which of the connection's ends its end 0 is."""

    flow: Flow
    capture: int
    turned: bool = False


@dataclass(slots=True, eq=False)
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

    def may_have(self, tokens: tuple[int | None, int | None]) -> bool:
        """Tell whether the tokens of a flow are not other ones than those that are known."""
        return all(own is None or other is None or own == other for own, other in zip(self.tokens, tokens, strict=True))


class _Grouping:
    """Puts flows into connections."""

    def __init__(self) -> None:
        self.groups: list[_Group] = []
        self._by_token: dict[int, tuple[_Group, int]] = {}
        self._by_opening: dict[tuple[tuple[End, End], int], list[_Group]] = {}

    def opened(self, member: _Member) -> None:
        """Take a flow that opened a connection, or whose handshake is not known."""
        flow, tokens = member.flow, member.flow.tokens()
        opening = None if flow.first_syn is None else (flow.ends, flow.first_syn)
        alike = [] if opening is None else self._by_opening.setdefault(opening, [])
        group = next((one for one in alike if one.may_have(tokens)), None)
        for end, token in enumerate(tokens):
            known = None if token is None else self._by_token.get(token)
            if group is None and known is not None and known[1] == end:
                group = known[0]
        if group is None:
            group = _Group([None, None])
            self.groups.append(group)
        group.learn(flow)
        group.members.append(member)
        if opening is not None and group not in alike:
            alike.append(group)
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


def join(captures: Sequence[Recorded], most: Bounds = bounds.DEFAULT) -> list[Trace]:
    """Return what :func:`smartsbd.traces.formats.capture.join` does."""
    places = spools([one.spool for one in captures])
    paths = [one.path for one in captures]
    traces = [
        Trace(
            connections=[],
            records_in=one.records_in,
            unused=Counter(one.unused),
            refusals=Refusals(place, *one.refusals),
            beyond_bounds=+Counter({bounds.TOO_MANY_FLOWS: one.beyond_segments}),
            signals=Counter(one.signals),
        )
        for one, place in zip(captures, places, strict=True)
    ]
    found = _groups([one.flows() for one in captures])
    pseudonyms = _pseudonyms(found, len(captures))
    connections: list[list[Connection]] = [[] for _ in captures]
    for group in found:
        members, elsewhere = _nearest(group)
        for member in elsewhere:
            traces[member.capture].unused[ELSEWHERE] += member.flow.segments
        for member in members[most.subflows :]:
            traces[member.capture].beyond_bounds[bounds.TOO_MANY_SUBFLOWS] += member.flow.segments
        del members[most.subflows :]
        for member in members:
            trace = traces[member.capture]
            trace.records_out += member.flow.segments
            trace.signals.update(member.flow.signals)
            for name, count in (
                (IMPLAUSIBLE, sum(sender.implausible for sender in member.flow.senders)),
                (FORGOTTEN, sum(sender.forgotten for sender in member.flow.senders)),
            ):
                if count:
                    trace.signals[name] += count
        first = members[0].capture
        connections[first].append(_connection(group, members, pseudonyms[first], places, paths))
    for trace, own in zip(traces, connections, strict=True):
        trace.connections = own
    return traces


def _pseudonyms(groups: Sequence[_Group], captures: int) -> list[Pseudonyms]:
    """Return the names of each capture's addresses: captures that have a connection in common have them in common."""
    of = list(range(captures))
    for group in groups:
        own = {of[member.capture] for member in group.members}
        if len(own) > 1:
            of = [min(own) if one in own else one for one in of]
    names = [Pseudonyms() for _ in range(captures)]
    return [names[one] for one in of]


def _groups(flows: Sequence[Sequence[Flow]]) -> list[_Group]:
    """Return the connections, in order of their first subflow."""
    grouping = _Grouping()
    joins: list[tuple[_Member, int]] = []
    for capture, own in enumerate(flows):
        for flow in own:
            member = _Member(flow, capture)
            if flow.join_token is not None:
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


def _ends(member: _Member, sender: int) -> tuple[End, End]:
    """Return the sender's end of a flow, and its receiver's."""
    end = _flow_end(member, sender)
    return member.flow.ends[end], member.flow.ends[1 - end]


def _written(address: bytes) -> str:
    return str(ip_address(address))


def _family(address: bytes) -> int | None:
    return Endpoint(_written(address), 0).family


def _sender(members: Sequence[_Member]) -> int:
    """Return which end of a connection sent more; the one that opened it, where both sent as much."""
    sent = [sum(member.flow.senders[_flow_end(member, end)].payload_bytes for member in members) for end in (0, 1)]
    return int(sent[1] > sent[0])


def _subflows(group: _Group) -> list[list[_Member]]:
    """Return a connection's subflows, each with all that was recorded of it."""
    same: dict[tuple[object, ...], list[_Member]] = {}
    for member in group.members:
        flow = member.flow
        # Two connections of one file are two, even between the same ports.
        unique = (member.capture, flow.start_ns) if flow.first_syn is None else ()
        mark = (flow.ends, flow.first_syn, unique)
        same.setdefault(mark, []).append(member)
    return list(same.values())


def _nearest(group: _Group) -> tuple[list[_Member], list[_Member]]:
    """Return a connection's subflows, and what was recorded of them a second time."""
    sender = _sender(group.members)
    members, elsewhere = [], []
    for own in _subflows(group):
        # At the sender first, then the fuller: one may be a fragment.
        own.sort(key=lambda member: (member.flow.vantage(_flow_end(member, sender)) != SENDER, -member.flow.segments))
        members.append(own[0])
        elsewhere += own[1:]
    return members, elsewhere


def _vantages(members: Sequence[_Member], sender: int) -> dict[int, str]:
    """Return where each capture was taken: what its subflows say, unknown where they do not agree."""
    found: dict[int, set[str]] = {}
    for member in members:
        found.setdefault(member.capture, set()).add(member.flow.vantage(_flow_end(member, sender)))
    known = {capture: said - {UNKNOWN} for capture, said in found.items()}
    return {capture: said.pop() if len(said) == 1 else UNKNOWN for capture, said in known.items()}


def _connection(
    group: _Group,
    members: Sequence[_Member],
    pseudonyms: Pseudonyms,
    spools: Sequence[Spool],
    paths: Sequence[Path],
) -> Connection:
    sender = _sender(members)
    connection = Connection(
        token=group.tokens[sender],
        remote_token=group.tokens[1 - sender],
        vantages=_vantages(members, sender),
        states_inferred=True,
        mptcp_version=group.version,
        first_data=(group.first_data[sender], group.first_data[1 - sender]),
    )
    for number, member in enumerate(members):
        flow, end = member.flow, _flow_end(member, sender)
        local, remote = _ends(member, sender)
        opened = flow.join_token is None and flow.keys[0] is not None
        subflow = Subflow(
            subflow_id=number,
            start_ns=flow.start_ns,
            end_ns=flow.end_ns,
            loc_id=0 if opened else flow.address_ids[end],
            rem_id=0 if opened else flow.address_ids[1 - end],
            family=_family(local[0]),
            local_address=pseudonyms.of(_written(local[0])),
            remote_address=pseudonyms.of(_written(remote[0])),
            local_port=local[1],
            remote_port=remote[1],
        )
        if flow.first_syn is not None:
            # A socket starts in Open.
            subflow.state_time_ns.append(flow.start_ns)
            subflow.state_ca_state.append(OPEN)
        write(spools[member.capture], flow, end, subflow)
        subflow.packets = flow.packets(paths[member.capture], end)
        subflow.stored_acks = StoredAcks(spools[member.capture], flow, end, group.first_data[sender])
        connection.subflows[number] = subflow
    return connection
