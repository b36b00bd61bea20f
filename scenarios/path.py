"""Draws common to all datasets: access links, queues, the connection's own settings.

The constants are assumptions; each says what it rests on. What was changed after a first run, and why,
is in docs/experiments/.
"""

from __future__ import annotations

import numpy as np

from smartsbd.scenarios.scenario import CongestionControl, ConnectionSettings, Link, LteAccess, Place, WifiAccess

#: Payload of a segment: an Ethernet frame less the headers and MPTCP's options.
MSS_BYTES = 1400
#: A segment on the wire.
PACKET_BYTES = 1440
#: Largest receive buffer of Linux by default (tcp_rmem).
RECEIVE_BUFFER_BYTES = 6 << 20
#: Delay of a shaped link beside its queue.
LINK_DELAY_MS = 1.0
#: Frames an 802.11n sender aggregates into one transmission.
WIFI_BURST_PACKETS = (4, 16)
#: The LTE scheduler's rate: deviation of its logarithm, and how often it moves.
LTE_RATE_SIGMA = 0.3
LTE_RATE_STEP_MS = 100.0
#: Start of the connection; background starts before.
CONNECTION_START_S = 1.0
#: The second and further subflows follow the first one's handshake.
JOIN_DELAY_S = 0.1


#: An 802.11 sender gives a frame up after this many attempts (the usual retry limit).
WIFI_ATTEMPTS = 7
#: Frame error rates of links between good and poor.
WIFI_FRAME_ERRORS = (0.05, 0.35)


def wifi(rng: np.random.Generator, rate_mbit_s: float) -> WifiAccess:
    """Draw a WiFi access: short jitter, and the loss that is left when every attempt at a frame fails."""
    return WifiAccess(
        rate_mbit_s=round(rate_mbit_s, 3),
        queue_bytes=300_000,
        loss=round(rng.uniform(*WIFI_FRAME_ERRORS) ** WIFI_ATTEMPTS, 9),
        jitter_ms=round(rng.uniform(0.5, 4.0), 3),
        burst_packets=WIFI_BURST_PACKETS,
    )


def lte(rng: np.random.Generator, rate_mbit_s: float) -> LteAccess:
    """Draw an LTE access: no loss (its link layer repeats), more jitter, a deeper queue, a rate that wanders."""
    return LteAccess(
        rate_mbit_s=round(rate_mbit_s, 3),
        queue_bytes=900_000,
        loss=0.0,
        jitter_ms=round(rng.uniform(1.0, 8.0), 3),
        rate_sigma=LTE_RATE_SIGMA,
        rate_step_ms=LTE_RATE_STEP_MS,
    )


def shaped(place: Place, rate_mbit_s: float, queue_ms: float, *, marks: bool = False) -> Link:
    """Return a link of constant rate whose full queue takes `queue_ms` to drain, at least ten packets.

    With `marks`, packets are marked above a third of the queue.

    Parameters
    ----------
    place : Place
        Where on the path the link lies.
    rate_mbit_s : float, Mbit/s
    queue_ms : float, milliseconds
        How long the full queue takes to drain; below ten packets it holds ten.
    marks : bool
        The queue marks packets.

    Returns
    -------
    Link
        Its one-way delay is :data:`LINK_DELAY_MS`.
    """
    queue_bytes = max(10 * PACKET_BYTES, int(rate_mbit_s * queue_ms * 125))
    return Link(
        place=place,
        rate_mbit_s=((0.0, round(rate_mbit_s, 3)),),
        delay_ms=LINK_DELAY_MS,
        queue_bytes=queue_bytes,
        mark_bytes=queue_bytes // 3 if marks else None,
    )


def connection(
    rng: np.random.Generator,
    congestion_control: CongestionControl,
    *,
    bottleneck_mbit_s: float,
    ecn: bool = False,
) -> ConnectionSettings:
    """Draw the connection's own settings.

    Packets wait at the server for up to one packet time of the bottleneck, so that drop-tail queues
    do not lock on to a phase (Floyd and Jacobson, 1992).

    Parameters
    ----------
    rng : numpy.random.Generator
        Draws the token.
    congestion_control : CongestionControl
    bottleneck_mbit_s : float, Mbit/s
        Rate of the bottleneck, which decides the delay at the server.
    ecn : bool
        The connection negotiates ECN.

    Returns
    -------
    ConnectionSettings
        With the scheduler of smallest RTTs.
    """
    return ConnectionSettings(
        token=f"{rng.integers(1, 2**32):08x}",
        congestion_control=congestion_control,
        lia_counts="packets",
        scheduler="min_rtt",
        mss_bytes=MSS_BYTES,
        receive_buffer_bytes=RECEIVE_BUFFER_BYTES,
        ecn=ecn,
        host_delay_us=round(PACKET_BYTES * 8 / bottleneck_mbit_s, 1),
    )


def start_s(subflow: int) -> float:
    """Return when a subflow starts."""
    return round(CONNECTION_START_S + JOIN_DELAY_S * subflow, 6)


def seed(rng: np.random.Generator) -> int:
    """Draw the run's own seed."""
    return int(rng.integers(1, 2**31))
