"""What is set in a run, drawn from its cause and seed alone (docs/experiments/why-protocol.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from smartsbd.scenarios.path import MSS_BYTES, RECEIVE_BUFFER_BYTES
from smartsbd.scenarios.scenario import Access, ConnectionSettings, Link, Rate, Scenario, SubflowPath

NOT_JOINED, BACKUP, RESET = "not joined", "backup", "reset"
SHARED, SEPARATE, LOSSES = "shared bottleneck", "own bottleneck", "losses without a queue"
WINDOW, HEAD_OF_LINE, SENDER, PACED = "receive window", "head-of-line waiting", "sender", "paced"

#: What lies between the start of the run and the connection's, and between that and the second subflow.
_START_S, _JOIN_S = 0.2, 0.3
_DURATION_S = 14.0
_WIDE_MBIT_S, _WIDE_QUEUE_BYTES = 40.0, 300_000
_LINK_DELAY_MS = 1.0
_BITS = 8
_KB = 1000
_PATHS = 2

SecondSubflow = Literal["open", "dropped", "none", "backup", "backup later", "refused", "killed"]


@dataclass(frozen=True)
class LimitedRun:
    """A run whose limit is set.

    Attributes
    ----------
    cause : str
        One of :data:`CAUSES`.
    seed : int
    scenario : Scenario
        Network, receive buffer and application.
    second : str
        What becomes of the second subflow.
    second_s : float, seconds
        When that becomes of it, since its connection began.
    send_buffer_bytes : int or None
        Of the connection; None: the kernel's.
    shaper_mbit_s : tuple of float
        Of the sending host for each address; empty: none.
    """

    cause: str
    seed: int
    scenario: Scenario
    second: SecondSubflow = "open"
    second_s: float = 0.0
    send_buffer_bytes: int | None = None
    shaper_mbit_s: tuple[float, ...] = ()

    @property
    def name(self) -> str:
        """Of its files."""
        return f"{self.cause.replace(' ', '-')}-{self.seed:04d}"


def _link(rate_mbit_s: float, queue_bytes: float) -> Link:
    return Link(
        place="client",
        rate_mbit_s=((0.0, round(rate_mbit_s, 3)),),
        delay_ms=_LINK_DELAY_MS,
        queue_bytes=round(queue_bytes),
        mark_bytes=None,
    )


def _wide() -> Link:
    return _link(_WIDE_MBIT_S, _WIDE_QUEUE_BYTES)


def _product_bytes(rate_mbit_s: float, rtt_ms: float, draw: np.random.Generator) -> float:
    """Return a queue of 0.8 to 1.6 bandwidth-delay products."""
    return float(draw.uniform(0.8, 1.6) * rate_mbit_s * _KB * rtt_ms / _BITS)


def _scenario(
    draw: np.random.Generator,
    seed: int,
    links: Iterable[Link],
    rtt_ms: Iterable[float],
    *,
    loss: float = 0.0,
    receive_buffer_bytes: int = RECEIVE_BUFFER_BYTES,
    application: Rate | None = None,
) -> Scenario:
    links = tuple(links)
    places = [min(number, len(links) - 1) for number in range(_PATHS)]
    return Scenario(
        seed=seed,
        duration_s=_DURATION_S,
        connection=ConnectionSettings(
            token="00000001",  # noqa: S106 - of a connection
            congestion_control=str(draw.choice(["reno", "cubic"])),
            lia_counts="packets",
            scheduler="min_rtt",
            mss_bytes=MSS_BYTES,
            receive_buffer_bytes=receive_buffer_bytes,
            ecn=False,
            host_delay_us=500.0,
            application=application,
        ),
        links=links,
        subflows=tuple(
            SubflowPath(
                path=f"path{number}",
                links=(place,),
                bottleneck=((0.0, place),),
                start_s=_START_S + _JOIN_S * number,
                rtt_ms=round(of_path_ms, 3),
                access=Access(rate_mbit_s=100.0, queue_bytes=_WIDE_QUEUE_BYTES, loss=loss, jitter_ms=0.0),
            )
            for number, (place, of_path_ms) in enumerate(zip(places, rtt_ms, strict=True))
        ),
        background=(),
    )


def _rtts(draw: np.random.Generator) -> list[float]:
    return [float(rtt_ms) for rtt_ms in draw.uniform(16, 60, _PATHS)]


def _separate(draw: np.random.Generator, seed: int) -> Scenario:
    rtts, rates = _rtts(draw), draw.uniform(3, 9, _PATHS)
    links = [_link(rate, _product_bytes(rate, rtt_ms, draw)) for rate, rtt_ms in zip(rates.tolist(), rtts, strict=True)]
    return _scenario(draw, seed, links, rtts)


def _not_joined(draw: np.random.Generator, seed: int) -> LimitedRun:
    return LimitedRun(NOT_JOINED, seed, _separate(draw, seed), "dropped" if seed % 2 else "none")


def _backup(draw: np.random.Generator, seed: int) -> LimitedRun:
    at_s = float(draw.uniform(1, 2))
    return LimitedRun(BACKUP, seed, _separate(draw, seed), "backup" if seed % 2 else "backup later", at_s)


def _reset(draw: np.random.Generator, seed: int) -> LimitedRun:
    at_s = float(draw.uniform(2, 4))
    return LimitedRun(RESET, seed, _separate(draw, seed), "refused" if seed % 2 else "killed", at_s)


def _shared(draw: np.random.Generator, seed: int) -> LimitedRun:
    rtts, rate = _rtts(draw), float(draw.uniform(6, 14))
    link = _link(rate, _product_bytes(rate, max(rtts), draw))
    return LimitedRun(SHARED, seed, _scenario(draw, seed, [link], rtts))


def _own(draw: np.random.Generator, seed: int) -> LimitedRun:
    return LimitedRun(SEPARATE, seed, _separate(draw, seed))


def _losses(draw: np.random.Generator, seed: int) -> LimitedRun:
    loss = float(draw.uniform(0.01, 0.03))
    return LimitedRun(LOSSES, seed, _scenario(draw, seed, [_wide(), _wide()], _rtts(draw), loss=loss))


def _window(draw: np.random.Generator, seed: int) -> LimitedRun:
    room, rtt_ms = int(draw.uniform(48, 96) * _KB), float(draw.uniform(30, 60))
    scenario = _scenario(draw, seed, [_wide(), _wide()], [rtt_ms] * _PATHS, receive_buffer_bytes=room)
    return LimitedRun(WINDOW, seed, scenario)


def _head_of_line(draw: np.random.Generator, seed: int) -> LimitedRun:
    room = int(draw.uniform(100, 200) * _KB)
    fast, slow = float(draw.uniform(15, 25)), float(draw.uniform(0.5, 1))
    rtts = [float(draw.uniform(16, 30)), float(draw.uniform(16, 60))]
    links = [_link(fast, _WIDE_QUEUE_BYTES), _link(slow, draw.uniform(200, 400) * _KB)]
    return LimitedRun(HEAD_OF_LINE, seed, _scenario(draw, seed, links, rtts, receive_buffer_bytes=room))


def _sender(draw: np.random.Generator, seed: int) -> LimitedRun:
    piece, rate = int(draw.uniform(8, 64) * _KB), float(draw.uniform(1, 3))
    room = int(draw.uniform(16, 32) * _KB)
    application = Rate(rate_mbit_s=rate, piece_bytes=piece) if seed % 2 else None
    scenario = _scenario(draw, seed, [_wide(), _wide()], _rtts(draw), application=application)
    return LimitedRun(SENDER, seed, scenario, send_buffer_bytes=None if seed % 2 else room)


def _paced(draw: np.random.Generator, seed: int) -> LimitedRun:
    rates = tuple(float(rate) for rate in draw.uniform(1, 4, _PATHS))
    return LimitedRun(PACED, seed, _scenario(draw, seed, [_wide(), _wide()], _rtts(draw)), shaper_mbit_s=rates)


_DRAWN: Mapping[str, Callable[[np.random.Generator, int], LimitedRun]] = {
    NOT_JOINED: _not_joined,
    BACKUP: _backup,
    RESET: _reset,
    SHARED: _shared,
    SEPARATE: _own,
    LOSSES: _losses,
    WINDOW: _window,
    HEAD_OF_LINE: _head_of_line,
    SENDER: _sender,
    PACED: _paced,
}
#: Causes that are set, in the order of the protocol.
CAUSES = tuple(_DRAWN)
#: Seeds that rules are made with, and those that were set aside: for the first rules, and for that of pacing anew.
SEEDS: Mapping[str, Sequence[int]] = {
    "design": range(1, 5),
    "set-aside": range(1001, 1013),
    "set-aside-2": range(2001, 2013),
}


def draw_run(cause: str, seed: int) -> LimitedRun:
    """Return a run by its cause and its seed.

    Parameters
    ----------
    cause : str
        One of :data:`CAUSES`.
    seed : int

    Returns
    -------
    LimitedRun

    Examples
    --------
    >>> run = draw_run("reset", 1001)
    >>> run.name, run.second, run == draw_run("reset", 1001)
    ('reset-1001', 'refused', True)
    """
    return _DRAWN[cause](np.random.default_rng([CAUSES.index(cause), seed]), seed)


def settings_of(run: LimitedRun) -> dict[str, Any]:
    """Return what a run has beside its scenario, as JSON takes it."""
    return {
        "second": run.second,
        "second_s": run.second_s,
        "send_buffer_bytes": run.send_buffer_bytes,
        "shaper_mbit_s": list(run.shaper_mbit_s),
    }
