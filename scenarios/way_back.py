"""The way back of bottlenecks, and receive buffers, as ``wild_2`` and ``testbed_2`` draw them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from smartsbd.scenarios import wide
from smartsbd.scenarios.scenario import Background, BackLine, Link, Scenario

#: Receive buffers that limit, over the sum of the paths' bandwidth-delay products.
BUFFER_PRODUCTS = (0.5, 4.0)
#: A scenario has room for 32 flows, and there may be three bottlenecks with rivals in both directions.
MOST_RIVALS = 3
#: The least receive buffer that a scenario can have.
_LEAST_BUFFER_BYTES = 1 << 14
_BYTES_PER_MBIT_S_AND_MS = 125


def as_narrow(link: Link) -> BackLine:
    """Return a way back with the rate and the queue that a bottleneck has in the data direction.

    Parameters
    ----------
    link : Link

    Returns
    -------
    BackLine
        Of constant rate.
    """
    return BackLine(rate_mbit_s=link.rate_at_mbit_s(0), queue_bytes=link.queue_bytes)


def background(scenario: Scenario, rivals: Sequence[Sequence[wide.Rival]]) -> Iterator[Background]:
    """Yield the flows of rivals that go back.

    Parameters
    ----------
    scenario : Scenario
        With the links, and the subflows that cross them.
    rivals : sequence of sequence of Rival
        On the way back of each link; none where there are fewer.

    Yields
    ------
    Background
        Link by link.
    """
    for number, (link, on_link) in enumerate(zip(scenario.links, rivals, strict=False)):
        member = next(index for index, subflow in enumerate(scenario.subflows) if number in subflow.links)
        web_mbit_s = round(link.rate_at_mbit_s(0) / (len(on_link) + 1), 3)
        for rival in on_link:
            yield Background(
                kind=rival.kind,
                subflow=member,
                enters=link.place,
                rate_mbit_s=web_mbit_s if rival.kind == "web" else None,
                start_s=rival.start_s,
                rtt_ms=rival.rtt_ms,
                leaves="first_link",
                direction="back",
            )


def receive_buffer_bytes(scenario: Scenario, products: float, most_bytes: int) -> int:
    """Return a receive buffer of so many bandwidth-delay products of all paths.

    Parameters
    ----------
    scenario : Scenario
        With the links, and the subflows that cross them.
    products : float
    most_bytes : int
        The largest.

    Returns
    -------
    int, bytes
        At least what a scenario must have, at most `most_bytes`.
    """
    sum_bytes = sum(
        scenario.links[subflow.links[0]].rate_at_mbit_s(0) * subflow.rtt_ms * _BYTES_PER_MBIT_S_AND_MS
        for subflow in scenario.subflows
    )
    return round(min(max(products * sum_bytes, _LEAST_BUFFER_BYTES), most_bytes))
