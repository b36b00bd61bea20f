"""Networks that shaped links alone limit, as several papers draw them: a sender, links, and access links left open."""

from __future__ import annotations

from typing import Any

import numpy as np

from smartsbd.scenarios import path
from smartsbd.scenarios.scenario import Access, ConnectionSettings, Link, Place

#: Headers of a segment on a link: TCP, IP, PPP.
HEADER_BYTES = 42
#: A packet on a link.
PACKET_BYTES = path.MSS_BYTES + HEADER_BYTES
_OPEN_MBIT_S = 1000.0
_OPEN_QUEUE_BYTES = 2_000_000
_FEWEST_PACKETS = 3


def open_access(loss: float = 0.0, changes: tuple[tuple[float, float], ...] | None = None) -> Access:
    """Return an access link that is no bottleneck and may lose packets at random.

    Parameters
    ----------
    loss : float
        Probability.
    changes : tuple of (float, float), optional
        From when, in s, and what probability.

    Returns
    -------
    Access
        Of 1 Gbit/s, without jitter.
    """
    return Access(
        rate_mbit_s=_OPEN_MBIT_S,
        queue_bytes=_OPEN_QUEUE_BYTES,
        loss=loss,
        jitter_ms=0.0,
        loss_changes=changes,
    )


def round_trip_bytes(rate_mbit_s: float, rtt_ms: float) -> int:
    """Return what a link carries in a round trip, three segments at least: a queue of 1 BDP.

    Parameters
    ----------
    rate_mbit_s, rtt_ms : float

    Returns
    -------
    int, bytes

    Examples
    --------
    >>> round_trip_bytes(5, 120)
    75000
    """
    return max(path.MSS_BYTES * _FEWEST_PACKETS, round(rate_mbit_s * 1e3 / 8 * rtt_ms))


def drop_tail(
    rates_mbit_s: tuple[tuple[float, float], ...],
    queue_bytes: int,
    *,
    place: Place = "server",
    delay_ms: float = path.LINK_DELAY_MS,
) -> Link:
    """Return a link whose queue drops what finds it full.

    Parameters
    ----------
    rates_mbit_s : tuple of (float, float)
        From when, in s, and what rate in Mbit/s.
    queue_bytes : int
    place : Place
    delay_ms : float
        One way.

    Returns
    -------
    Link
        Without marks.
    """
    return Link(place=place, rate_mbit_s=rates_mbit_s, delay_ms=delay_ms, queue_bytes=queue_bytes, mark_bytes=None)


def sender(
    rng: np.random.Generator, controller: str, *, rate_mbit_s: float, receive_buffer_bytes: int, **more: Any
) -> ConnectionSettings:
    """Return the settings of a sender that has no ECN and no phase effects.

    Parameters
    ----------
    rng : numpy.random.Generator
        Draws the token.
    controller : str
        Controller until a choice is applied.
    rate_mbit_s : float
        Rate of the bottleneck: a packet waits at the server for up to what it takes there.
    receive_buffer_bytes : int
    **more
        Other keys of the settings.

    Returns
    -------
    ConnectionSettings
        With the scheduler of smallest RTTs.
    """
    return ConnectionSettings.model_validate(
        {
            "token": f"{rng.integers(1, 2**32):08x}",
            "congestion_control": controller,
            "scheduler": "min_rtt",
            "mss_bytes": path.MSS_BYTES,
            "receive_buffer_bytes": receive_buffer_bytes,
            "ecn": False,
            "host_delay_us": round(PACKET_BYTES * 8 / rate_mbit_s, 3),
            **more,
        }
    )
