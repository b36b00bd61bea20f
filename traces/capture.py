"""Captures of packets: MPTCP connections, with the signals of the end that sends, from one file or several.

A connection is known by the keys of its MP_CAPABLE, and by their tokens in the MP_JOIN of its other subflows, in
whatever file of one call they are. A MP_JOIN whose token no key of the inputs has makes a connection of what joined
with that token. A subflow without its handshake, known by its DSS options alone, is a connection of its own.

The end that sent more is the sender. Of a subflow that several files hold, the one recorded at the sender counts, or
else the fuller.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from ipaddress import ip_address
from pathlib import Path
from typing import Generic, TypeVar

from contracts.tables import OPEN
from traces import bounds
from traces.bounds import Bounds
from traces.connection import Connection, PacketFlow, Subflow
from traces.dialect import Dialect
from traces.endpoint import Endpoint, Pseudonyms
from traces.recorded import (
    FORGOTTEN,
    IMPLAUSIBLE,
    End,
    Flow,
    Recorded,
    Refusals,
    Spool,
    StoredAcks,
    record,
    spools,
    write,
)
from traces.trace import Trace
from traces.vantage import SENDER, UNKNOWN

__all__ = ["SOURCE", "Crossing", "crossings", "join", "read", "read_together", "recognises"]

SOURCE = "pcap"

#: What names a point of a network: a node, or the link from one to another.
Point = TypeVar("Point", bound=Hashable)

ELSEWHERE = "recorded in another input too, nearer to the sender or fuller"

# Addresses that are written out once: the subflows of a server are many.
_ADDRESSES = 1 << 12
_MAGICS = (b"\xa1\xb2\xc3\xd4", b"\xd4\xc3\xb2\xa1", b"\xa1\xb2\x3c\x4d", b"\x4d\x3c\xb2\xa1", b"\x0a\x0d\x0d\x0a")


def recognises(head: bytes) -> bool:
    """Tell by its first bytes whether an input is a capture."""
    return head[:4] in _MAGICS


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


class _Connections(Sequence[Connection]):
    """The connections of a capture; the rows of one are read when it is asked for, each time anew."""

    def __init__(self, spools: Sequence[Spool], paths: Sequence[Path]) -> None:
        self._spools = spools
        self._paths = paths
        self._found: list[tuple[_Group, list[_Member], Pseudonyms]] = []

    def add(self, group: _Group, members: list[_Member], pseudonyms: Pseudonyms) -> None:
        """Append one."""
        # In order of appearance, whatever is read first.
        sender = _sender(members)
        for member in members:
            for address, _ in _ends(member, sender):
                pseudonyms.of(_written(address))
        self._found.append((group, members, pseudonyms))

    def __len__(self) -> int:
        return len(self._found)

    def __getitem__(self, index: int) -> Connection:  # type: ignore[override]
        return _connection(*self._found[index], self._spools, self._paths)

    def __iter__(self) -> Iterator[Connection]:
        for one in self._found:
            yield _connection(*one, self._spools, self._paths)


def read(path: Path, _dialect: Dialect, most: Bounds = bounds.DEFAULT) -> Trace:
    """Read one capture, as :func:`read_together` does.

    Parameters
    ----------
    path : Path
    _dialect : Dialect
        Of logs alone.
    most : Bounds
    """
    return read_together([path], most)[0]


def read_together(paths: Sequence[Path], most: Bounds = bounds.DEFAULT) -> list[Trace]:
    """Read captures whose subflows may belong to the same connections.

    Parameters
    ----------
    paths : sequence of Path
        Each connection is in the trace of the input that has its first subflow.
    most : Bounds
        How many flows of each capture are held, and subflows of a connection. All segments of others are refused.

    Returns
    -------
    list of Trace
        One for each input.

    Raises
    ------
    UnreadableInputError
        If one cannot be read as a whole.
    """
    with tempfile.TemporaryDirectory(prefix="sbd-") as folder:
        return join([record(path, Path(folder), most) for path in paths], most)


def join(captures: Sequence[Recorded], most: Bounds = bounds.DEFAULT) -> list[Trace]:
    """Put the subflows of some captures into connections.

    The rows stay on disk until a connection is asked for.

    Parameters
    ----------
    captures : sequence of Recorded
    most : Bounds
        How many subflows of a connection are taken, by the time they begin.

    Returns
    -------
    list of Trace
        One for each capture; each connection is in the trace of the one that has its first subflow.
    """
    places = spools([one.spool for one in captures])
    paths = [one.path for one in captures]
    connections = [_Connections(places, paths) for _ in captures]
    traces = [
        Trace(
            connections=connections[number],
            records_in=one.records_in,
            unused=Counter(one.unused),
            refusals=Refusals(places[number], *one.refusals),
            beyond_bounds=+Counter({bounds.TOO_MANY_FLOWS: one.beyond_segments}),
            signals=Counter(one.signals),
        )
        for number, one in enumerate(captures)
    ]
    found = _groups([one.flows() for one in captures])
    pseudonyms = _pseudonyms(found, len(captures))
    for group in found:
        members, elsewhere = _nearest(group)
        for member in elsewhere:
            traces[member.capture].unused[ELSEWHERE] += member.flow.segments
        for member in members[most.subflows :]:
            traces[member.capture].beyond_bounds[bounds.TOO_MANY_SUBFLOWS] += member.flow.segments
        del members[most.subflows :]
        # What is kept is in the list of its own.
        group.members.clear()
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
        connections[first].add(group, members, pseudonyms[first])
    return traces


@dataclass(frozen=True)
class Crossing(Generic[Point]):
    """Where the subflows of one connection were captured.

    Attributes
    ----------
    tokens : (int or None, int or None)
        Of the end that opened the connection, and of the other.
    subflow_ids : list of int
        In order; those of :func:`read_together`.
    seen : dict of point to set of int
        Subflows captured at each point, whether there were any or not.
    """

    tokens: tuple[int | None, int | None]
    subflow_ids: list[int]
    seen: dict[Point, frozenset[int]]


def crossings(points: Mapping[Point, Sequence[Path]]) -> list[Crossing[Point]]:
    """Return where the subflows of each connection were captured, of captures taken at several points of a network.

    A subflow is known again by its addresses, ports and first number of sequence: between the points nothing may
    translate them. One whose SYN was not captured at a point is another connection there, without tokens.

    Parameters
    ----------
    points : mapping of point to sequence of Path
        Captures at each point, one or several.

    Raises
    ------
    UnreadableInputError
        If one cannot be read as a whole.
    """
    places = [(point, path) for point, paths in points.items() for path in paths]
    with tempfile.TemporaryDirectory(prefix="sbd-") as folder:
        flows = [record(path, Path(folder)).flows() for _, path in places]
    found = []
    for group in _groups(flows):
        seen: dict[Point, set[int]] = {point: set() for point in points}
        subflows = _subflows(group)
        for subflow_id, own in enumerate(subflows):
            for member in own:
                seen[places[member.capture][0]].add(subflow_id)
        found.append(
            Crossing(
                tokens=(group.tokens[0], group.tokens[1]),
                subflow_ids=list(range(len(subflows))),
                seen={point: frozenset(ids) for point, ids in seen.items()},
            )
        )
    return found


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


@lru_cache(_ADDRESSES)
def _written(address: bytes) -> str:
    return str(ip_address(address))


@lru_cache(_ADDRESSES)
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
        subflow.packets = PacketFlow(
            paths[member.capture], flow.number, end, sum(own.payload_bytes for own in flow.senders)
        )
        subflow.stored_acks = StoredAcks(spools[member.capture], flow, end, group.first_data[sender])
        connection.subflows[number] = subflow
    return connection
