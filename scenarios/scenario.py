"""The contract of a scenario: every key that ``smartsbd-sim`` reads, with its unit, range, choices and meaning.

It is in this file alone, except for what is chosen by name: controllers, schedulers and sources of verdicts
(:mod:`smartsbd.scenarios.registry`).
simulator/src/scenario.schema.json is written from it (:mod:`smartsbd.scenarios.schema`), and the simulator takes types,
limits and choices from that file. What concerns several keys at once, such as times that ascend, is in a
description and checked by the simulator.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Literal, Self

from pydantic import Field, model_validator
from pydantic.json_schema import SkipJsonSchema

from smartsbd.contracts.fault import UsageFault
from smartsbd.scenarios import registry
from smartsbd.scenarios.part import Part

if TYPE_CHECKING:
    CongestionControl = str
    ChosenController = str | registry.NamedChoice
    ChosenScheduler = str | registry.NamedChoice
    ChosenVerdicts = str | registry.NamedChoice
else:
    # What there is to choose is known when the list has been read (:mod:`smartsbd.scenarios.registry`).
    CongestionControl = registry.name_type("congestion_control")
    ChosenController = registry.chosen_type("congestion_control")
    ChosenScheduler = registry.chosen_type("scheduler")
    ChosenVerdicts = registry.chosen_type("verdicts")
Place = Literal["server", "client"]
#: What a dataset draws from, by name.
Names = Annotated[list[str], Field(min_length=1)]

_MOST_BYTES = 1_000_000_000
_MOST_S = 3600
#: Of what can be drawn anew each second.
_MOST_CHANGES = 1000
#: Bytes of IP packets that a recorded link sends at one of its moments.
OPPORTUNITY_BYTES = 1500
_MOST_OPPORTUNITIES = 1_000_000
#: Share of the mean rate of its moments by which a recorded link's rate_mbit_s may be off.
_MEAN_ROUNDED = 0.01

#: Keys that occur more than once: their ranges, and their meanings where these are the same.
_RateMbitS = Annotated[float, Field(ge=0.01, le=1000)]
_DelayMs = Annotated[float, Field(ge=0, le=10_000)]
_RttMs = Annotated[float, Field(gt=0, le=10_000)]
_PeriodS = Annotated[float, Field(gt=0, le=_MOST_S)]
_QueueBytes = Annotated[int, Field(ge=3000, le=_MOST_BYTES)]
_StartS = Annotated[float, Field(ge=0)]
#: A controller of this machine's kernel, as Linux writes it (sbd testbed); whether there is one is known there.
_KernelController = Annotated[str, Field(pattern="^[A-Za-z0-9_.-]{1,64}$")]
_BurstPackets = Annotated[int, Field(ge=1, le=64)]
_Index = Annotated[int, Field(ge=0)]
_ChangeS = Annotated[
    float, Field(ge=0, description="In s; the first is 0, the others ascend and are less than duration_s.")
]
_LaterS = Annotated[float, Field(gt=0, description="In s; they ascend and are less than duration_s.")]


class ScenarioError(UsageFault):
    """A dataset that cannot be drawn; the message names what is unknown."""


class OnOff(Part):
    """There is more in some periods, the first from the handshake on, and none between; both are exponential."""

    kind: Literal["on_off"] = "on_off"
    on_s: _PeriodS = Field(description="Mean of the periods with data, in s.")
    off_s: _PeriodS = Field(description="Mean of those without, in s.")


class Rate(Part):
    """A constant rate."""

    kind: Literal["rate"] = "rate"
    rate_mbit_s: _RateMbitS = Field(description="Payload in Mbit/s.")
    piece_bytes: SkipJsonSchema[Annotated[int, Field(ge=1, le=1 << 16)] | None] = Field(
        default=None,
        description="Bytes that are there at once, written segment by segment; then none until their time at the rate "
        "is over. Without it: one segment. sbd testbed alone has it.",
    )


class FiniteTransfer(Part):
    """So many bytes, all there when the connection is established; the truth says when the client has them."""

    kind: Literal["transfer"] = "transfer"
    bytes: int = Field(ge=1, le=_MOST_BYTES, description="Payload in bytes; it is rounded up to whole segments.")


#: What gives a connection its data.
_Application = Annotated[OnOff | Rate | FiniteTransfer, Field(discriminator="kind")]
_ALWAYS_MORE = "What gives the connection its data; without it there is always more."


class MetaQueueRules(Part):
    """What the connection does with segments that went out and that no DATA_ACK covers, as the MPTCP kernel v0.96."""

    reinject: bool = Field(
        description="Whether segments of a subflow whose retransmission timer ran out go out again, before all else, "
        "each on a subflow that has not sent it."
    )
    opportunistic: bool = Field(
        description="Whether, with the receive window used up, the oldest segment goes out again on the fastest "
        "subflow with room, if one that sent it has a window of 4 segments or less, or 4 times its RTT."
    )
    penalise: bool = Field(
        description="Whether, with the receive window used up, slower subflows that sent the oldest segment have their "
        "windows halved, at most once in an RTT of the fastest subflow with room."
    )
    half_window: bool = Field(
        description="Whether the client tells half of receive_buffer_bytes as its window, as Linux with "
        "tcp_adv_win_scale 1."
    )


class ConnectionSettings(Part):
    """The MPTCP connection: a transfer from the server to the client."""

    token: str = Field(pattern="^[0-9a-f]{8}$", description="Connection token, as the event lines show it.")
    # The simulator knows its own alone; sbd testbed also takes the name of any that the kernel has.
    congestion_control: ChosenController | SkipJsonSchema[_KernelController] = Field(
        description="Controller of the subflows: its name, or an object with its name and parameters."
    )
    lia_counts: Literal["packets", "acks"] | None = Field(
        default=None,
        description="Parameter counts of lia, where congestion_control is a name alone; of no effect on others.",
    )
    scheduler: ChosenScheduler = Field(
        description="What chooses the subflow of the next segment: its name, or an object with its name and parameters."
    )
    # With MPTCP options (24 bytes on data) a packet still fits into 1500 bytes.
    mss_bytes: int = Field(
        ge=536, le=1436, description="Payload of every data segment, background traffic included, in bytes."
    )
    receive_buffer_bytes: int = Field(
        ge=1 << 14, le=1 << 28, description="Receive buffer that the subflows share, in bytes."
    )
    ecn: bool = Field(description="Whether the subflows negotiate ECN (RFC 3168). Background traffic never does.")
    host_delay_us: float = Field(
        ge=0,
        le=100_000,
        description="Each packet leaves the server or a background source after a random delay, uniform over "
        "[0, this], in us; the order stays. 0: no delay. About the time a packet takes on the bottleneck avoids "
        "phase effects of drop-tail queues.",
    )
    application: _Application | None = Field(default=None, description=_ALWAYS_MORE)
    meta_queue: MetaQueueRules | None = Field(
        default=None,
        description="What the connection does with segments already sent; without it no subflow sends a segment of "
        "another one unless its scheduler says so, and the window is the whole buffer.",
    )
    delivery_details: bool | None = Field(
        default=None,
        description="Whether the truth tells what was sent more than once and how long segments waited at the client "
        "for those before them.",
    )
    verdicts: ChosenVerdicts | None = Field(
        default=None,
        description="What says during the run which subflows share a bottleneck and are coupled: its name, or an "
        "object with its name and parameters. Without it subflows are coupled by their group. smartsbd-sim has fixed, "
        "oracle and paths, smartsbd-loop all.",
    )

    segments_per_ack: Annotated[int, Field(ge=1, le=64)] | None = Field(
        default=None,
        description="Segments that the client acknowledges at once; it waits for them for 40 ms at most, and not where "
        "one is missing. Of this connection and of further ones; sinks of background traffic have 2. Without it: 2.",
    )

    @model_validator(mode="after")
    def _check_counts(self) -> Self:
        if self.lia_counts is not None and not isinstance(self.congestion_control, str):
            raise ValueError("lia_counts: congestion_control has parameters of its own")
        return self

    @property
    def scheduler_name(self) -> str:
        """Name of the scheduler."""
        return self.scheduler if isinstance(self.scheduler, str) else self.scheduler.name

    @property
    def controller(self) -> str:
        """Name of the controller."""
        return self.congestion_control if isinstance(self.congestion_control, str) else self.congestion_control.name


def mean_mbit_s(opportunities_ms: Sequence[int]) -> float:
    """Return what a recorded link carries in the mean.

    Parameters
    ----------
    opportunities_ms : sequence of int, milliseconds
        As a link has them.

    Returns
    -------
    float, Mbit/s

    Examples
    --------
    >>> mean_mbit_s([1, 1, 3, 4])
    12.0
    """
    return OPPORTUNITY_BYTES * 8e-3 * len(opportunities_ms) / opportunities_ms[-1]


class BackLine(Part):
    """The ACK direction of a link: a drop-tail queue and a line."""

    rate_mbit_s: _RateMbitS = Field(description="Line rate in Mbit/s, in the ACK direction, at all times.")
    queue_bytes: _QueueBytes = Field(description="Limit of its queue in bytes, link headers included.")


class Link(Part):
    """A link."""

    place: Place = Field(description="server: before the backbone; client: after it.")
    rate_mbit_s: tuple[
        Annotated[
            tuple[
                _ChangeS,
                Annotated[_RateMbitS, Field(description="Line rate in Mbit/s, in the data direction.")],
            ],
            Field(description="From when, and what."),
        ],
        ...,
    ] = Field(
        min_length=1,
        max_length=100,
        description="Line rate over time. Where more than 1,000 segments are in flight, a run takes longer than "
        "what it simulates.",
    )
    delay_ms: _DelayMs = Field(description="One way propagation delay in ms.")
    queue_bytes: _QueueBytes = Field(description="Limit of the queue in bytes, link headers included.")
    mark_bytes: Annotated[int, Field(ge=0, le=_MOST_BYTES)] | None = Field(
        description="ECN-capable packets that find more bytes than this in the queue are marked; "
        "others, and a full queue, are as with null: drop-tail."
    )
    opportunities_ms: tuple[Annotated[int, Field(ge=0, le=_MOST_S * 1000)], ...] | None = Field(
        default=None,
        min_length=1,
        max_length=_MOST_OPPORTUNITIES,
        description="The moments, in ms, at which the line sends, as mahimahi's traces have them: they do not descend, "
        "and at the last, which is not 0, the trace begins again. Each carries 1500 bytes of IP packets that came "
        "before it, of one after another; a packet leaves at the moment that carries its last byte. Bytes that nobody "
        "waits for are lost. rate_mbit_s is then one rate, that of all moments in the mean (within 1 %), and decides "
        "nothing; the truth's utilisation is the share of the bytes that was used. Without it: at any time.",
    )
    queue_discipline: Literal["red", "codel", "fq_codel", "policer"] | None = Field(
        default=None,
        description="What becomes of packets that come faster than the line sends. red, codel, fq_codel: ns-3's, and "
        "none marks; red has its thresholds at a sixth and at half of queue_bytes, drops 0.1 at most between them and "
        "all at queue_bytes; fq_codel counts queue_bytes in packets of mss_bytes and their headers. policer: a token "
        "bucket of queue_bytes that lets rate_mbit_s through and drops the rest; the line behind it is ten times as "
        "fast, and the truth's utilisation is the share of the time in which the bucket is not full. Not with "
        "mark_bytes or opportunities_ms. Without it: drop-tail.",
    )
    back: BackLine | None = Field(
        default=None,
        description="What the ACK direction has. Without it 1 Gbit/s and 16 MB, which nothing fills.",
    )

    @model_validator(mode="after")
    def _check_discipline(self) -> Self:
        if self.queue_discipline is not None and (self.mark_bytes is not None or self.opportunities_ms is not None):
            raise ValueError("queue_discipline: a link that marks or sends at given moments is drop-tail")
        return self

    @model_validator(mode="after")
    def _check_opportunities(self) -> Self:
        if self.opportunities_ms is None:
            return self
        if any(later < earlier for earlier, later in pairwise(self.opportunities_ms)):
            raise ValueError("opportunities_ms: one is before the one before it")
        if self.opportunities_ms[-1] == 0:
            raise ValueError("opportunities_ms: the last is at 0, so the trace takes no time")
        mean = mean_mbit_s(self.opportunities_ms)
        if len(self.rate_mbit_s) != 1 or abs(self.rate_mbit_s[0][1] - mean) > _MEAN_ROUNDED * mean:
            raise ValueError(f"rate_mbit_s: opportunities_ms carry {mean:g} Mbit/s in the mean")
        return self

    def rate_at_mbit_s(self, at_s: float) -> float:
        """Return the rate in force at a time."""
        return [rate for from_s, rate in self.rate_mbit_s if from_s <= at_s][-1]


#: Rates of the modes of OFDM.
_OFDM_MBIT_S = (6, 9, 12, 18, 24, 36, 48, 54)


class _AccessLink(Part):
    """What the last link before the client has, of whatever kind it is."""

    kind: Literal["plain", "wifi", "lte", "802.11n"]
    rate_mbit_s: _RateMbitS = Field(
        description="Line rate in Mbit/s, in the data direction; for lte its mean; for 802.11n that of the OFDM mode "
        "in which all data go out: 6, 9, 12, 18, 24, 36, 48 or 54."
    )
    queue_bytes: _QueueBytes = Field(
        description="Limit of the drop-tail queue in bytes, link headers included; for 802.11n of what waits "
        "for the air or is in it, at both ends."
    )
    loss: float = Field(
        ge=0, lt=1, description="Probability that a packet is lost at random, the same for data and for ACKs."
    )
    jitter_ms: float = Field(
        ge=0,
        le=1000,
        description="Mean extra delay in the data direction in ms; it varies over [0, twice the mean] "
        "and keeps the packets' order.",
    )
    loss_changes: (
        tuple[
            Annotated[
                tuple[_LaterS, Annotated[float, Field(ge=0, lt=1, description="Probability, as loss.")]],
                Field(description="From when, and what."),
            ],
            ...,
        ]
        | None
    ) = Field(
        default=None,
        min_length=1,
        max_length=_MOST_CHANGES,
        description="Loss over time: loss holds until the first change. Without it: always.",
    )


class Access(_AccessLink):
    """A link of constant rate."""

    kind: Literal["plain"] = Field(default="plain", description="Constant rate.")


class WifiAccess(_AccessLink):
    """A WiFi-like link."""

    kind: Literal["wifi"] = Field(default="wifi", description="Packets go out in bursts, as 802.11 aggregates frames.")
    burst_packets: tuple[
        Annotated[_BurstPackets, Field(description="Fewest packets.")],
        Annotated[_BurstPackets, Field(description="Most packets.")],
    ] = Field(
        description="Fewest and most packets of a burst; the size of each is uniform between them. "
        "A burst leaves when it is complete or its first packet has waited for 4 ms."
    )


class LteAccess(_AccessLink):
    """An LTE-like link."""

    kind: Literal["lte"] = Field(
        default="lte",
        description="The rate is rate_mbit_s * exp(x - sigma^2 / 2), "
        "where x is an AR(1) process with correlation 0.9 per step.",
    )
    rate_sigma: float = Field(ge=0, le=1, description="Standard deviation sigma of x.")
    rate_step_ms: float = Field(ge=1, le=10_000, description="Time between changes of the rate in ms.")


class RadioAccess(_AccessLink):
    """An 802.11n link of ns-3 with a station that moves."""

    kind: Literal["802.11n"] = Field(
        default="802.11n",
        description="An access point and a station on a channel of 20 MHz in the 5 GHz band, which nobody else uses; "
        "all else as ns-3 has it by default. smartsbd-radio alone has it.",
    )
    distance_m: float = Field(ge=0, le=1000, description="Metres between the two at the time 0.")
    speed_m_s: float = Field(ge=0, le=100, description="Metres in a second that the station walks away from there.")

    @model_validator(mode="after")
    def _check_mode(self) -> Self:
        if self.rate_mbit_s not in _OFDM_MBIT_S:
            raise ValueError(f"rate_mbit_s: {self.rate_mbit_s:g} is none of {_OFDM_MBIT_S}")
        return self


#: An access link of any kind.
AnyAccess = Annotated[Access | WifiAccess | LteAccess | RadioAccess, Field(discriminator="kind")]

#: Keys that a subflow has, of whichever connection.
_Links = Annotated[
    tuple[Annotated[_Index, Field(description="Index of the link.")], ...],
    Field(
        min_length=1,
        max_length=2,
        description="The shaped links it crosses: at most one server link and then at most one client link.",
    ),
]
_SubflowStartS = Annotated[
    _StartS,
    Field(
        description="When the SYN is sent, in s; less than duration_s. The subflow that starts first opens "
        "the connection; another one does not start before that is established."
    ),
]
_SubflowRttMs = Annotated[
    _RttMs,
    Field(
        description="Base propagation round trip time in ms: the sum of the delays of all links, both ways, "
        "without host delay, jitter, bursts and serialisation. "
        "At least 0.4 ms plus twice the delay of its links."
    ),
]
_LastLink = Annotated[AnyAccess, Field(description="The last link before the client.")]
_DelayChangesMs = Annotated[
    tuple[
        Annotated[
            tuple[_LaterS, Annotated[_DelayMs, Field(description="Extra delay in ms.")]],
            Field(description="From when, and what."),
        ],
        ...,
    ],
    Field(
        min_length=1,
        max_length=_MOST_CHANGES,
        description="Extra delay over time, on the access link, in the data direction alone; rtt_ms is without it. "
        "There is none until the first change. The order of packets stays: when the delay falls, those behind wait "
        "for those before. Without it: never any.",
    ),
]
_Group = Annotated[int, Field(ge=0, le=4)]


class SubflowPath(Part):
    """A subflow and its path."""

    path: str = Field(pattern="^[a-z0-9-]{1,32}$", description="Name of the path.")
    links: _Links
    bottleneck: tuple[
        Annotated[
            tuple[_ChangeS, Annotated[_Index, Field(description="Index of the link, one of the subflow's.")]],
            Field(description="From when, and what."),
        ],
        ...,
    ] = Field(
        min_length=1,
        max_length=100,
        description="The link that is meant to limit the subflow, over time; the truth's labels follow from it.",
    )
    start_s: _SubflowStartS
    rtt_ms: _SubflowRttMs
    access: _LastLink
    delay_changes_ms: _DelayChangesMs | None = None
    group: _Group | None = Field(
        default=None,
        description="Coupled controllers couple the subflows of one group; alone in its group, a subflow is under "
        "Reno. Without it: group 0. Not beside the connection's verdicts, which decide on groups.",
    )
    ack_every: SkipJsonSchema[Annotated[int, Field(ge=2, le=64)] | None] = Field(
        default=None,
        description="Of how many pure ACKs of this subflow one goes on; the others are dropped where they leave the "
        "client. Without it: all go on. sbd testbed alone has it.",
    )

    def bottleneck_at(self, at_s: float) -> int:
        """Return the link meant to be the bottleneck at a time."""
        return [link for from_s, link in self.bottleneck if from_s <= at_s][-1]


class Background(Part):
    """A source of traffic."""

    kind: Literal["reno", "cubic", "bbr", "vegas", "cbr", "web"] = Field(
        description="reno, cubic, bbr (version 1), vegas: a TCP flow, under ns-3's controllers; its Vegas is given the "
        "smoothed RTT in place of samples; cbr: UDP packets of mss_bytes at a constant rate; "
        "web: TCP transfers (CUBIC) of Pareto distributed sizes (shape 1.2, 8 kB to 1 MB, mean 29.8 kB) "
        "that begin after exponential pauses."
    )
    subflow: _Index = Field(description="Index of the subflow whose access link the flow crosses.")
    enters: Literal["server", "client", "access"] = Field(
        description="server: before the subflow's server link, so that it crosses everything the subflow does; "
        "client: after the backbone, before its client link if it has one; access: the access link only."
    )
    rate_mbit_s: _RateMbitS | None = Field(
        description="Payload the application offers, in Mbit/s: for web the mean, at most 50. "
        "null, for reno, cubic, bbr and vegas: a bulk transfer."
    )
    start_s: _StartS = Field(description="When it begins, in s; less than duration_s.")
    rtt_ms: _RttMs = Field(
        description="Base propagation round trip time in ms. "
        "At least twice the delay of the links the flow shares with the subflow."
    )
    stop_s: _StartS | None = Field(
        default=None,
        description="When its source falls silent, in s: what it has not sent by then is never sent. After start_s and "
        "less than duration_s. Without it: never.",
    )
    on_s: _PeriodS | None = Field(
        default=None,
        description="cbr: mean of the periods with packets, in s; they and those without are exponential, and the flow "
        "begins with one without. Together with off_s.",
    )
    off_s: _PeriodS | None = Field(default=None, description="cbr: mean of the periods without packets, in s.")
    leaves: Literal["first_link"] | None = Field(
        default=None,
        description="first_link: the flow leaves after the server link (enters server) or the client link (enters "
        "client), for a host of its own, and crosses no access link. Without it, its sink is the client.",
    )
    direction: Literal["back"] | None = Field(
        default=None,
        description="back: the flow's data go the other way, from the host at which it would leave to where it would "
        "enter, over what the link has as back. Together with leaves. Without it: in the data direction.",
    )

    @model_validator(mode="after")
    def _check_direction(self) -> Self:
        if self.direction is not None and self.leaves is None:
            raise ValueError("direction: only a flow that leaves can go back")
        return self


class FurtherSubflow(Part):
    """A subflow of a further connection, with an access link of its own."""

    links: _Links
    start_s: _SubflowStartS
    rtt_ms: _SubflowRttMs
    access: _LastLink
    delay_changes_ms: _DelayChangesMs | None = None
    group: _Group | None = Field(
        default=None, description="As for the observed connection: its controller couples those of one group."
    )


class FurtherConnection(Part):
    """An MPTCP connection beside the observed one, from a server of its own to a client of its own."""

    congestion_control: ChosenController = Field(
        description="Controller of its subflows, which knows of no other connection's: its name, or an object with its "
        "name and parameters."
    )
    scheduler: ChosenScheduler = Field(
        description="Its scheduler: its name, or an object with its name and parameters."
    )
    subflows: tuple[FurtherSubflow, ...] = Field(min_length=1, max_length=5, description="Its subflows.")
    application: _Application | None = Field(default=None, description=_ALWAYS_MORE)
    stop_s: _StartS | None = Field(
        default=None,
        description="When its server falls silent, in s: what it has not sent by then is never sent. After the first "
        "start_s of its subflows and less than duration_s. Without it: never.",
    )


class Scenario(Part):
    """One MPTCP connection, its paths and the traffic beside it. All keys are required, unknown ones refused."""

    seed: int = Field(ge=1, le=2**32 - 1, description="Seed of every random stream.")
    duration_s: float = Field(gt=0, le=_MOST_S, description="Simulated time in s.")
    connection: ConnectionSettings
    links: tuple[Link, ...] = Field(
        min_length=1,
        max_length=10,
        description="The links whose rates are shaped: any may be a bottleneck. "
        "At least one subflow, of whichever connection, crosses each of them.",
    )
    subflows: tuple[SubflowPath, ...] = Field(
        min_length=1, max_length=5, description="The connection's subflows. With one alone there are no pairs."
    )
    background: tuple[Background, ...] = Field(
        max_length=32,
        description="Traffic beside the connection. Its sinks are on the client, behind the access link of a subflow, "
        "unless it leaves before.",
    )
    series_s: Annotated[float, Field(ge=0.1, le=_MOST_S)] | None = Field(
        default=None,
        description="Interval in s of the truth's series: what the connection, its subflows and the background came to "
        "in each. Without it: no series.",
    )
    further_connections: tuple[FurtherConnection, ...] | None = Field(
        default=None,
        min_length=1,
        max_length=8,
        description="MPTCP connections beside the observed one, over the same links. What is not said of them is as "
        "the observed one has it: mss_bytes, receive_buffer_bytes, ecn, host_delay_us and segments_per_ack. Nothing "
        "observes them: event lines, captures and labels are the observed connection's, and the truth says what they "
        "came to.",
    )


class Run(Part):
    """A scenario, and what the truth table says of it in addition to the simulator's own truth."""

    scenario: Scenario
    site: str | None
    setting: str
