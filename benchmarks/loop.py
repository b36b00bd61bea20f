"""What a detector costs a sender in the loop: ns for each signal, us for each decision, and share of one core.

make bench WHAT="loop --networks 1 --seconds 20". Networks are those of ``loop_nsb`` with bulk rivals, two
subflows each. The clock is read before and after each signal and decision; what that takes itself is in the figures.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from smartsbd.contracts.whole_file import write_whole
from smartsbd.scenarios.closed_loop import EXPERIMENTS, loop_program
from smartsbd.scenarios.closed_loop.sender_control import CONTROLS
from smartsbd.scenarios.scenario import Scenario
from smartsbd.scenarios.simulator import written
from smartsbd.scenarios.sites import SITES

JUDGED = ("lag_excess", "tree_paper", "tree_invariant", "forest_invariant", "rfc8382", "mptcp_sbd", "dwc_r", "ton20_r")
_SEED = 20230119


@dataclass
class Cost:
    """Signals or decisions of one source, over all networks."""

    count: int = 0
    sum_ns: int = 0
    worst_ns: list[int] = field(default_factory=list)

    def add(self, own: dict[str, int]) -> None:
        self.count += own["count"]
        self.sum_ns += own["sum_ns"]
        self.worst_ns.append(own["worst_ns"])

    @property
    def mean_ns(self) -> float:
        return self.sum_ns / self.count if self.count else float("nan")


def networks(each: int, seconds: float) -> Iterator[Scenario]:
    """Yield so many networks of each site."""
    for one in EXPERIMENTS["loop_nsb"].draw(sites=list(SITES), runs=each, seed=_SEED):
        if one.variant == "bulk":
            yield one.scenario.model_copy(update={"duration_s": seconds})


def costs(program: Path, scenario: Scenario, folder: Path) -> dict[str, dict[str, int]]:
    """Run one scenario; return what its signals and decisions took."""
    place, verdicts = folder / "scenario.json", folder / "verdicts.json"
    write_whole(written(scenario).encode(), place)
    command = [str(program), f"--scenario={place}", f"--verdicts={verdicts}", "--cost"]
    subprocess.run([*command, f"--events={folder / 'events'}", f"--truth={folder / 'truth'}"], check=True)
    told: dict[str, dict[str, dict[str, int]]] = json.loads(verdicts.read_text())
    return told["cost"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--networks", type=int, default=3, help="of each site (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=60.0, help="of simulated time (default: %(default)s)")
    parser.add_argument("--sources", nargs="+", choices=JUDGED, default=JUDGED)
    settings = parser.parse_args()
    program = loop_program.build()
    drawn = list(networks(settings.networks, settings.seconds))
    print(
        "| source | signals | ns a signal | longest, us | decisions | us a decision | longest, us | share of a core |"
    )
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    for source in settings.sources:
        signals, decisions = Cost(), Cost()
        with tempfile.TemporaryDirectory() as folder:
            for scenario in drawn:
                own = costs(program, CONTROLS[source].applied(scenario), Path(folder))
                signals.add(own["signals"])
                decisions.add(own["decisions"])
        share = (signals.sum_ns + decisions.sum_ns) / 1e9 / (settings.seconds * len(drawn))
        one = f"| {signals.count:,} | {signals.mean_ns:.0f} | {max(signals.worst_ns) / 1e3:.0f} "
        two = f"| {decisions.count:,} | {decisions.mean_ns / 1e3:.2f} | {max(decisions.worst_ns) / 1e3:.0f} "
        print(f"| {source} {one}{two}| {100 * share:.4f} % |", flush=True)


if __name__ == "__main__":
    main()
