"""Where each dataset comes from: what it is, its licence, what may be wrong with its truth, what it is not for.

What can be counted or looked up is not here: a card takes it from the data, params.yaml and dvc.yaml. A new dataset is
one line of :data:`ORIGINS`; without it, nothing of the dataset is published.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Origin:
    """Facts about a dataset that its tables do not show.

    Attributes
    ----------
    what : str
        One sentence that needs no other card.
    licence : str
        SPDX expression; the text of each licence is in LICENSES/.
    made : tuple of str
        How its inputs came to be, beside the commands: one sentence each.
    doubts : tuple of str
        What may be wrong with the labels, or with the connections that they label.
    not_for : tuple of str
        What it must not be used for.
    """

    what: str
    licence: str
    made: tuple[str, ...]
    doubts: tuple[str, ...]
    not_for: tuple[str, ...]


#: As LICENSE has it of all that is not named there.
_OURS = "MIT"

_SIMULATED = (
    "Every packet is simulated by ns-3 (`smartsbd-sim`); the sender's own signals are what its socket knows when it"
    " takes an ACK.",
    "Links, background traffic and queues rest on assumptions: docs/datasets.md of the workbench lists them with their"
    " sources.",
)
_NAMESPACES = (
    "Linux 6.18 made every connection, over Multipath TCP v1 between network namespaces of one machine: links with"
    " fixed delay, random loss and order-preserving jitter, and token buckets with drop-tail queues.",
)
_NO_NETWORK = "It is a simulation. No radio, no operator's queue and no other people's traffic took part."
_ONE_MACHINE = (
    "Sender, links and receiver share one machine and its clock. No radio, no operator's queue and no other people's"
    " traffic took part."
)
_FILLED = (
    "A label is valid if the intended bottleneck was full. Shared and separate bottlenecks may be full in different"
    " shares of the connections: the counts are below."
)
_SEEN = (
    "The thresholds of the default detector were chosen with this dataset in view, so how often it is right here is no"
    " estimate of how often it will be."
)

_FOR_NONE = (
    "To learn from what tells the label without being a signal of the sender: `connection_id`, `dataset`, `site`,"
    " names and tokens, addresses and ports, and every column of `truth`.",
    "To put windows or tiles of one connection on both sides of a split: split by `connection_id`.",
    "To say how often paths share a bottleneck in the world: how often they do here is a setting.",
)
_TO_LEARN = _FOR_NONE
_TO_JUDGE = ("To train, rank or tune on it: it is for evaluation alone.", *_FOR_NONE)
_SAME_NETWORKS = (
    "The same networks are run again and again: their runs are no independent samples. Compare runs of one network,"
    " and resample networks."
)
_NUMBERS_TELL = (
    "Of the connections 101 to 124 the odd numbers share, and the number is in `connection_id` and in `name` of"
    " `capture`: neither may be seen by what is judged."
)
_EASY = "Plain correlation of the RTTs nearly separates the labels: the set is easy."

ORIGINS: dict[str, Origin] = {
    "sites": Origin(
        what="Bulk transfers to the four places of the SmartSBD paper's Table 2, over WiFi and LTE: one bottleneck at"
        " the server's uplink, or one on each access link.",
        licence=_OURS,
        made=_SIMULATED,
        doubts=(
            _NO_NETWORK,
            "Configured rates and queues of the bottlenecks tell the label, as they do in the paper. So a model may"
            " learn the setting in place of the sharing.",
            "A label is valid if the connection achieved more than a share of the best of its group. Which throughput"
            " counts as the best was changed after a first run: one outlier had dropped most of a group.",
            _SEEN,
        ),
        not_for=(*_TO_LEARN, "To claim that a detector carries over to networks with other rates."),
    ),
    "diverse": Origin(
        what="Connections of two subflows whose settings are drawn so that none of them tells the label.",
        licence=_OURS,
        made=_SIMULATED,
        doubts=(
            _NO_NETWORK,
            _FILLED,
            "As many flows meet at each bottleneck, so a shared one has one background flow fewer than a separate one.",
            "Where queues mark (ECN), subflows stay out of Recovery and Loss: such connections often have no window.",
            _SEEN,
        ),
        not_for=_TO_LEARN,
    ),
    "unseen": Origin(
        what="The ten settings of the SmartSBD paper's Table 6, on a Y of links: one common to both paths, one of each"
        " path's own.",
        licence=_OURS,
        made=_SIMULATED,
        doubts=(
            _NO_NETWORK,
            "The label is that of the topology built. The paper calls the first five cases not shared and the others"
            " shared; in a Y they are the reverse, so the paper's figure may show another topology.",
            "Queues, starts and the absence of background are ours: the paper does not state them.",
            _FILLED,
            _SEEN,
        ),
        not_for=_TO_JUDGE,
    ),
    "shift": Origin(
        what="Connections whose bottleneck moves: shared, then one on each access link, then shared again.",
        licence=_OURS,
        made=_SIMULATED,
        doubts=(
            _NO_NETWORK,
            "The label holds from `from_ns` on, and changes within a connection; a window over a change has no label.",
            "The bulk flow at the uplink follows the WiFi path to its end; in the paper it goes to another client.",
            _SEEN,
        ),
        not_for=(*_TO_JUDGE, "To count its pairs as independent: phases of one connection are of one drawing."),
    ),
    "groups": Origin(
        what="Connections of three to five subflows in random groups, each group with a bottleneck of its own;"
        " settings are drawn as in `diverse`.",
        licence=_OURS,
        made=_SIMULATED,
        doubts=(
            _NO_NETWORK,
            _FILLED,
            "Pairs of one connection are not independent: three subflows have three pairs and one partition.",
            _SEEN,
        ),
        not_for=_TO_JUDGE,
    ),
    "sensitivity": Origin(
        what="One plain setting, and settings that differ from it in one factor: loss, jitter, queue or controller.",
        licence=_OURS,
        made=_SIMULATED,
        doubts=(
            _NO_NETWORK,
            _FILLED,
            "RTTs, starts and seeds of a repetition are the same at every level of every factor and for both labels.",
            _SEEN,
        ),
        not_for=(*_TO_JUDGE, "To count levels of one repetition as independent: compare them pairwise."),
    ),
    "wide": Origin(
        what="Connections with few or no rivals, queues of 0.2 to 30 round trips, losses to 3 %, and senders that are"
        " bulk, on and off or limited in rate; settings are drawn once for both labels.",
        licence=_OURS,
        made=_SIMULATED,
        doubts=(_NO_NETWORK, _FILLED, _SEEN),
        not_for=(
            *_TO_LEARN,
            "To put the two connections of one drawing on both sides of a split: they have the same settings. In"
            " `truth` they agree in `bottleneck_a_mbit_s`, `queue_a_bytes`, `base_rtt_a_us` and `loss_a_ratio`.",
        ),
    ),
    "wild": Origin(
        what="Connections drawn as those of `wide`, with ranges outside of it, two and three subflows and 60 s each,"
        " by a seed that nobody could choose.",
        licence=_OURS,
        made=_SIMULATED,
        doubts=(_NO_NETWORK, _FILLED),
        not_for=(
            *_TO_JUDGE,
            "To choose anything by: the default detector was scored on it once, and the benchmark asks of it.",
        ),
    ),
    "wild_2": Origin(
        what="Connections of two and three subflows drawn as those of `wild`, over wider ranges, with queue"
        " disciplines, traffic on the way back, fewer ACKs, eight controllers, four schedulers and limited receive"
        " buffers, by a seed that nobody could choose.",
        licence=_OURS,
        made=_SIMULATED,
        doubts=(
            _NO_NETWORK,
            _FILLED,
            "A tenth of the senders is idle, which column `scenario` of `truth` says: no queue of theirs fills, and the"
            " label of their pairs is that of the topology.",
        ),
        not_for=(*_TO_JUDGE, "To choose anything by: a default is scored on it once."),
    ),
    "wide_linux": Origin(
        what="The simulated twins of the recordings `testbed`: drawn as `wide`, with what Linux has, Reno and CUBIC"
        " and the scheduler of smallest RTTs.",
        licence=_OURS,
        made=_SIMULATED,
        doubts=(_NO_NETWORK, _FILLED),
        not_for=_TO_JUDGE,
    ),
    "controllers": Origin(
        what="Networks drawn as those of `wide`, each run under every controller at the sender with the same seed,"
        " links, background and application.",
        licence=_OURS,
        made=_SIMULATED,
        doubts=(
            _NO_NETWORK,
            _SAME_NETWORKS,
            "Whether a label is valid depends on the controller: one that keeps queues short fills fewer bottlenecks.",
        ),
        not_for=_TO_JUDGE,
    ),
    "schedulers": Origin(
        what="Networks drawn as those of `wide`, each run with LIA under every scheduler and receive buffer.",
        licence=_OURS,
        made=_SIMULATED,
        doubts=(
            _NO_NETWORK,
            _SAME_NETWORKS,
            "Whether a label is valid depends on the receive buffer: with a small one, few bottlenecks are full.",
        ),
        not_for=_TO_JUDGE,
    ),
    "unseen_linux": Origin(
        what="The settings of Table 6 with Reno in place of LIA, which Linux has not: the simulated twins of"
        " `testbed_unseen`.",
        licence=_OURS,
        made=_SIMULATED,
        doubts=(_NO_NETWORK, _FILLED),
        not_for=_TO_JUDGE,
    ),
    "radio": Origin(
        what="Connections whose bottlenecks replay what four cellular links in the USA could carry while a car drove.",
        licence="MIT AND GPL-3.0-only",
        made=(
            *_SIMULATED,
            "The bottlenecks send at the moments of recordings of the mahimahi project (Winstein and others, NSDI 2013;"
            " GPL-3.0-only), of which scenarios/capacity_traces has four.",
        ),
        doubts=(
            "Capacity is that of real radio; its delays, its losses and the other users of its cells are not.",
            "The four recordings take 120 to 928 s, so parts of different connections overlap: connections are less"
            " independent than intervals by connection take them to be.",
            _FILLED,
        ),
        not_for=(*_TO_JUDGE, "To say how radio behaves elsewhere, or today: four links were recorded, years ago."),
    ),
    "kernel": Origin(
        what="Twelve bulk transfers of 20 s by a real kernel, from the sender's own log: six share one token bucket,"
        " six have two.",
        licence=_OURS,
        made=_NAMESPACES,
        doubts=(_ONE_MACHINE, _EASY, _NUMBERS_TELL, _SEEN),
        not_for=_TO_JUDGE,
    ),
    "kernel_captures": Origin(
        what="The twelve transfers of `kernel` once more, as captures of each subflow at the sender show them.",
        licence=_OURS,
        made=(*_NAMESPACES, "A capture has the first 96 bytes of each packet; losses and states are inferred from it."),
        doubts=(
            _ONE_MACHINE,
            _EASY,
            _NUMBERS_TELL,
            "They are the same connections as those of `kernel`: together the two are no larger sample.",
            _SEEN,
        ),
        not_for=_TO_JUDGE,
    ),
    "kernel_hard": Origin(
        what="64 bulk transfers of 25 s by a real kernel with deep and shallow queues, losses to 2 %, equal and"
        " unequal paths, and a rival on both, one or none of the paths.",
        licence=_OURS,
        made=_NAMESPACES,
        doubts=(_ONE_MACHINE, _FILLED, _SEEN),
        not_for=_TO_JUDGE,
    ),
    "testbed": Origin(
        what="100 connections of a real kernel, recorded from the scenarios of `wide_linux`.",
        licence=_OURS,
        made=(
            "`sbd testbed` recorded them on Linux 6.18 between network namespaces of one machine, four at once; a"
            " relay of our own shapes the links, and `sbd record` logs the sender.",
        ),
        doubts=(
            _ONE_MACHINE,
            "Other work ran on the machine's two cores. The relay was 40 to 180 us late (99th percentile), and 0.6 to"
            " 2.8 ms in the runs 00016 to 00019.",
            _FILLED,
        ),
        not_for=_TO_JUDGE,
    ),
    "idle": Origin(
        what="Connections whose senders leave their paths almost empty, so that nothing can be known of whether they"
        " share a bottleneck; one of four has a loaded path beside an idle one.",
        licence=_OURS,
        made=_SIMULATED,
        doubts=("The label is that of the topology, and no log can tell it: the right verdict is none.",),
        not_for=(*_TO_JUDGE, "To count verdicts that are right: it counts those that are not withheld."),
    ),
    "idle_2": Origin(
        what="Connections drawn as those of `idle`, by a seed that nobody could choose.",
        licence=_OURS,
        made=_SIMULATED,
        doubts=("The label is that of the topology, and no log can tell it: the right verdict is none.",),
        not_for=(*_TO_JUDGE, "To choose anything by: a default is scored on it once."),
    ),
    "idle_linux": Origin(
        what="40 connections of a real kernel that leave a bottleneck idle, so that nothing can be known of whether"
        " they share one.",
        licence=_OURS,
        made=(
            "`sbd testbed` recorded them on Linux 6.18 between network namespaces of one machine, three at once; a"
            " relay of our own shapes the links, and `sbd record` logs the sender.",
        ),
        doubts=(
            _ONE_MACHINE,
            "Other work ran on the machine's two cores. The relay was 90 to 320 us late (99th percentile).",
            "The label is that of the topology, and no log can tell it: the right verdict is none.",
        ),
        not_for=(*_TO_JUDGE, "To count verdicts that are right: it counts those that are not withheld."),
    ),
    "idle_2_linux": Origin(
        what="Connections drawn as those of `idle_linux`, by a seed that nobody could choose.",
        licence=_OURS,
        made=("`sbd testbed` records them between network namespaces of one machine.",),
        doubts=(_ONE_MACHINE, "The label is that of the topology, and no log can tell it: the right verdict is none."),
        not_for=(*_TO_JUDGE, "To choose anything by: a default is scored on it once."),
    ),
    "testbed_2": Origin(
        what="Connections of two and three subflows of a real kernel, with three controllers, two queue disciplines,"
        " traffic on the way back and limited receive buffers, by a seed that nobody could choose.",
        licence=_OURS,
        made=("`sbd testbed` records them between network namespaces of one machine.",),
        doubts=(
            _ONE_MACHINE,
            _FILLED,
            "A tenth of the senders is idle, which column `scenario` of `truth` says: the label of their pairs is that"
            " of the topology.",
        ),
        not_for=(*_TO_JUDGE, "To choose anything by: a default is scored on it once."),
    ),
    "testbed_unseen": Origin(
        what="The settings of Table 6 on a real kernel, with Reno: recorded from the scenarios of `unseen_linux`.",
        licence=_OURS,
        made=("`sbd testbed` recorded them between network namespaces of one machine.",),
        doubts=(_ONE_MACHINE, _FILLED),
        not_for=_TO_JUDGE,
    ),
}
