"""A scenario as ``smartsbd-sim`` reads it; the C++ side of it is simulator/scenario.schema.json."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from traces.fault import UsageFault


class ScenarioError(UsageFault):
    """A dataset that cannot be drawn: names what is unknown."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ConnectionSettings(_Part):
    """The MPTCP connection."""

    token: str
    congestion_control: Literal["lia", "reno"]
    mss_bytes: int
    receive_buffer_bytes: int


class Bottleneck(_Part):
    """A link meant to be the narrowest of the subflows that cross it; drop-tail queue."""

    rate_mbit_s: float
    delay_ms: float
    queue_bytes: int


class Access(_Part):
    """The last link before the client: random loss in both directions, jitter that keeps order."""

    rate_mbit_s: float
    queue_bytes: int
    loss: float
    jitter_ms: float


class SubflowPath(_Part):
    """One subflow: its bottleneck, its base RTT and its access link."""

    path: Literal["wifi", "lte"]
    bottleneck: int
    start_s: float
    rtt_ms: float
    access: Access


class Background(_Part):
    """A TCP flow that shares a subflow's links; rate None is bulk."""

    subflow: int
    enters: Literal["bottleneck", "access"]
    rate_mbit_s: float | None
    congestion_control: Literal["reno", "cubic"]
    start_s: float
    rtt_ms: float


class Scenario(_Part):
    """Everything a run depends on."""

    seed: int
    duration_s: float
    connection: ConnectionSettings
    bottlenecks: tuple[Bottleneck, ...]
    subflows: tuple[SubflowPath, ...]
    background: tuple[Background, ...]


class Run(_Part):
    """A scenario and what the truth table says of it beside the simulator's own truth."""

    scenario: Scenario
    site: str | None
    setting: str
