"""The delays of a pair of subflows: those of an input, and their part of a figure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from matplotlib.axes import Axes

from smartsbd.contracts.fault import printable
from smartsbd.detectors.partition import pairs_of
from smartsbd.features import judged_rtts
from smartsbd.features.reading import Reading
from smartsbd.features.series import SubflowSignals
from smartsbd.pipelines.reporting.figures import style
from smartsbd.traces.recording import Recording

_NS_PER_S = 1e9
_US_PER_MS = 1e3


@dataclass(frozen=True)
class PairDelays:
    """A pair of subflows with RTTs of both.

    Attributes
    ----------
    title : str
    x, y : SubflowSignals
        The pair, lower subflow number first.
    names : (str, str)
        Of its subflows.
    refused : str or None
        Why its RTTs allow no verdict.
    """

    title: str
    x: SubflowSignals
    y: SubflowSignals
    names: tuple[str, str]
    refused: str | None = None

    @property
    def start_ns(self) -> int:
        """Time of the first RTT."""
        return min(int(signals.rtt_time_ns[0]) for signals in (self.x, self.y))

    def seconds(self, time_ns: int) -> float:
        """Return a time in seconds since the first RTT."""
        return (time_ns - self.start_ns) / _NS_PER_S


def pairs_of_input(
    recorded: Recording, reading: Reading, rule: judged_rtts.VerdictRule = judged_rtts.RULE
) -> Iterator[PairDelays]:
    """Yield every pair of subflows with RTTs of both.

    Parameters
    ----------
    recorded : Recording
    reading : Reading
        How signals are read.
    rule : VerdictRule
        Which RTTs allow a verdict.

    Yields
    ------
    PairDelays
    """
    for connection_id, connection in recorded.connections():
        judged = judged_rtts.judged(connection, reading)
        for a, b in pairs_of(judged):
            x, y = judged[a].signals, judged[b].signals
            if min(x.rtt_us.size, y.rtt_us.size):
                title = f"{printable(connection_id)}: subflows {a} and {b}"
                refused = rule.refused(judged[a], judged[b])
                yield PairDelays(title, x, y, (f"subflow {a}", f"subflow {b}"), refused)


def draw_delays(axes: Axes, delays: PairDelays, span_ns: tuple[int, int] | None = None) -> None:
    """Draw the RTTs of both over time.

    Parameters
    ----------
    axes : Axes
    delays : PairDelays
    span_ns : (int, int), optional
        From when to when there is what a verdict rests on.
    """
    for signals, name, colour in zip((delays.x, delays.y), delays.names, ("black", style.SUBFLOWS[3]), strict=True):
        time_s = (signals.rtt_time_ns - delays.start_ns) / _NS_PER_S
        axes.plot(time_s, signals.rtt_us / _US_PER_MS, lw=0.6, color=colour, label=name)
    if span_ns is not None:
        span_s = [delays.seconds(time_ns) for time_ns in span_ns]
        axes.axvspan(*span_s, color=style.GREY, alpha=0.25, lw=0, label="what the verdict rests on")
    axes.set_xlabel("time, s")
    axes.set_ylabel("RTT, ms")
    axes.legend(fontsize=6, frameon=False, loc="lower right", bbox_to_anchor=(1, 0.98), ncols=3)
    axes.set_title(delays.title, fontsize=8, loc="left")


def draw_nothing(axes: Axes, why: str | None) -> None:
    """Say in place of a drawing why there is no verdict."""
    axes.text(0.02, 0.5, f"no verdict: {why}", fontsize=7, wrap=True, transform=axes.transAxes)
    axes.set_axis_off()
