"""A scenario as ``smartsbd-sim`` reads it; the C++ side of it is simulator/scenario.schema.json."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from contracts.fault import UsageFault

CongestionControl = Literal["lia", "reno", "cubic"]
Place = Literal["server", "client"]
#: What a dataset draws from, by name.
Names = Annotated[list[str], Field(min_length=1)]


class ScenarioError(UsageFault):
    """A dataset that cannot be drawn; the message names what is unknown."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class OnOff(_Part):
    """An application with data in some periods and none in others; both are exponential, these are their means."""

    kind: Literal["on_off"] = "on_off"
    on_s: float
    off_s: float


class Rate(_Part):
    """An application whose data come at a constant rate."""

    kind: Literal["rate"] = "rate"
    rate_mbit_s: float


class ConnectionSettings(_Part):
    """The MPTCP connection; without an application it is a bulk transfer."""

    token: str
    congestion_control: CongestionControl
    lia_counts: Literal["packets", "acks"]
    scheduler: Literal["min_rtt", "round_robin"]
    mss_bytes: int
    receive_buffer_bytes: int
    ecn: bool
    host_delay_us: float
    application: OnOff | Rate | None = None


class Link(_Part):
    """A link whose rate is shaped, before (server) or after (client) the backbone.

    The rate is a list of (from when, in s; Mbit/s); with ``mark_bytes`` the queue marks above it.
    """

    place: Place
    rate_mbit_s: tuple[tuple[float, float], ...]
    delay_ms: float
    queue_bytes: int
    mark_bytes: int | None

    def rate_at_mbit_s(self, at_s: float) -> float:
        """Return the rate in force at a time."""
        return [rate for from_s, rate in self.rate_mbit_s if from_s <= at_s][-1]


class Access(_Part):
    """The last link before the client: random loss in both directions, jitter that keeps order."""

    kind: Literal["plain", "wifi", "lte"]
    rate_mbit_s: float
    queue_bytes: int
    loss: float
    jitter_ms: float


class WifiAccess(Access):
    """Data packets leave in bursts."""

    kind: Literal["wifi"] = "wifi"
    burst_packets: tuple[int, int]


class LteAccess(Access):
    """The rate wanders about its mean."""

    kind: Literal["lte"] = "lte"
    rate_sigma: float
    rate_step_ms: float


class SubflowPath(_Part):
    """One subflow: its links, which of them is meant to be its bottleneck when, its access."""

    path: str
    links: tuple[int, ...]
    bottleneck: tuple[tuple[float, int], ...]
    start_s: float
    rtt_ms: float
    access: WifiAccess | LteAccess | Access

    def bottleneck_at(self, at_s: float) -> int:
        """Return the link meant to be the bottleneck at a time."""
        return [link for from_s, link in self.bottleneck if from_s <= at_s][-1]


class Background(_Part):
    """Other traffic on a subflow's links, from where it enters to the client; rate None is bulk."""

    kind: Literal["reno", "cubic", "cbr", "web"]
    subflow: int
    enters: Literal["server", "client", "access"]
    rate_mbit_s: float | None
    start_s: float
    rtt_ms: float


class Scenario(_Part):
    """Everything a run depends on."""

    seed: int
    duration_s: float
    connection: ConnectionSettings
    links: tuple[Link, ...]
    subflows: tuple[SubflowPath, ...]
    background: tuple[Background, ...]


class Run(_Part):
    """A scenario, and what the truth table says of it in addition to the simulator's own truth."""

    scenario: Scenario
    site: str | None
    setting: str
