"""FMBBR's detection by topology: two subflows share a bottleneck where their paths have something in common.

Evidence: T for the rule of nodes, R for the rule of links.

Captures at several points of a network tell which subflows pass each: a controller of a software-defined network gets
the packets that open them, and the token of MP_JOIN, the upper 32 bits of the hash of the listener's key, says to which
connection a subflow belongs (:func:`smartsbd.traces.formats.capture.crossings`). What two subflows share is read off
the points alone: no delay, no loss, no rate.

- T, :func:`by_nodes`: the path of a subflow is the set of nodes that saw it; two share where the sets intersect. In
  the paper's own network all subflows pass the switch before the receiver, where "no bottleneck issues occur": there,
  everything shares.
- R, :func:`by_links`: links instead of nodes, each from one node to another, without those among access nodes. A link
  from elsewhere into an access node counts: in the paper's network it may be the bottleneck.

Sharing a link is not sharing a bottleneck: both rules are an upper bound. Where every link that may be a bottleneck is
a point, no shared bottleneck is missed (recall 1), and pairs with a common link that is none are called shared
(precision below 1). As a detector this is no baseline but an oracle: it is told what end hosts cannot see.

References
----------
FMBBR, SDN Based Bottleneck Detection and Table I; RFC 6824 and RFC 8684 section 3.2.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from smartsbd.detectors.partition import Partition, pairs_of, partition_of

Node = str
#: From one node to another, in this direction.
Link = tuple[Node, Node]


class UnknownSubflowError(ValueError):
    """A subflow was seen that is none of the connection's."""


def by_nodes(
    subflow_ids: Sequence[int], seen: Mapping[Node, Collection[int]], access: Collection[Node] = ()
) -> Partition:
    """Return the groups of subflows whose paths have a node in common; of links, give :func:`ends_of` them.

    Parameters
    ----------
    subflow_ids : sequence of int
        In order.
    seen : mapping of node to collection of int
        Subflows that each node saw.
    access : collection of node
        Nodes that do not count; none in the paper.

    Returns
    -------
    Partition
        The connected components; None for a subflow that no node saw, and for one that alone was seen.

    Raises
    ------
    UnknownSubflowError

    Examples
    --------
    >>> seen = {"access": {0, 1, 2}, "west": {0, 1}, "east": {2}}
    >>> by_nodes([0, 1, 2], seen), by_nodes([0, 1, 2, 3], seen, access=["access"])
    ((0, 0, 0), (0, 0, 1, None))
    """
    counted = [saw for node, saw in seen.items() if node not in access]
    return _sharing(subflow_ids, seen.values(), counted)


def by_links(
    subflow_ids: Sequence[int], seen: Mapping[Link, Collection[int]], access: Collection[Node] = ()
) -> Partition:
    """Return the groups of subflows whose paths have a link in common, in one direction.

    Parameters
    ----------
    subflow_ids : sequence of int
        In order.
    seen : mapping of link to collection of int
        Subflows that passed each link.
    access : collection of node
        Links between two of these do not count; ends of the connection are such nodes too.

    Returns
    -------
    Partition
        The connected components; None for a subflow that was seen on no link, and for one that alone was seen.

    Raises
    ------
    UnknownSubflowError

    Examples
    --------
    >>> seen = {("west", "access"): {0}, ("east", "access"): {1, 2}, ("access", "client"): {0, 1, 2}}
    >>> by_links([0, 1, 2], seen), by_links([0, 1, 2], seen, access=["access", "client"])
    ((0, 0, 0), (0, 1, 1))
    """
    counted = [saw for link, saw in seen.items() if not set(link) <= set(access)]
    return _sharing(subflow_ids, seen.values(), counted)


def ends_of(seen: Mapping[Link, Collection[int]]) -> dict[Node, frozenset[int]]:
    """Return the subflows that each node saw, from those that passed each link.

    Examples
    --------
    >>> {node: sorted(saw) for node, saw in ends_of({("a", "b"): {0}, ("b", "c"): {1}}).items()}
    {'a': [0], 'b': [0, 1], 'c': [1]}
    """
    found: dict[Node, frozenset[int]] = {}
    for link, saw in seen.items():
        for node in link:
            found[node] = found.get(node, frozenset()).union(saw)
    return found


def _sharing(
    subflow_ids: Sequence[int], seen: Collection[Collection[int]], counted: Collection[Collection[int]]
) -> Partition:
    """Return the connected components of subflows that a point that counts saw together."""
    observed = {subflow_id for saw in seen for subflow_id in saw}
    if strange := observed - set(subflow_ids):
        raise UnknownSubflowError(f"subflows {sorted(strange)} were seen, the connection has {list(subflow_ids)}")
    return partition_of(subflow_ids, {pair: any({*pair} <= {*saw} for saw in counted) for pair in pairs_of(observed)})
