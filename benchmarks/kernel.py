"""What sbd_smart costs an ACK in this machine's kernel, and whether signals are lost.

make bench WHAT="kernel --mbit-s 100 --seconds 8 --model FILE", as root, after `make kernel`. Two paths in network
namespaces of their own, each with its own bottleneck. Segments leave one by one, so that there is an ACK for every
two. The kernel counts (kernel.bpf_stats_enabled, set for as long as it takes); its clock is in the figures.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

from smartsbd.pipelines.closed_loop.kernel_cost import hook_ns
from smartsbd.pipelines.reporting.text_table import aligned
from smartsbd.testbed import machine
from tests.kernel.controllers import Controllers, counting, loaded
from tests.kernel.two_paths import run, two_paths

#: Slow start is over.
_BEGUN_S = 2.0


def _programs(before: dict[str, Any], after: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"name": one["name"]} | {key: one[key] - other[key] for key in ("runs", "run_ns")}
        for other, one in zip(before["programs"], after["programs"], strict=True)
    ]


def measured(own: Controllers, mbit_s: float, seconds: float) -> dict[str, str]:
    """Send for some seconds over two paths of a rate; return what ACKs took."""
    with two_paths(mbit_s) as paths:
        for path in (1, 2):
            run("ip", "-n", paths.client, "link", "set", f"c{path}", "gso_max_segs", "1")
        with paths.sending(_BEGUN_S + seconds + 1, "sbd_smart"):
            time.sleep(_BEGUN_S)
            before = own.status()
            time.sleep(seconds)
            after = own.status()
    (first,), (last,) = ([one for one in told["connections"] if one["pairs"]] for told in (before, after))
    lasted_s = (after["now_ns"] - before["now_ns"]) / 1e9
    programs = _programs(before, after)
    mean_ns = {one["name"]: one["run_ns"] / one["runs"] for one in programs if one["runs"]}
    works = last["works"] - first["works"]
    rates = [
        (late["signals"] - early["signals"]) / lasted_s
        for early, late in zip(first["subflows"], last["subflows"], strict=True)
    ]
    return {
        "mbit_s": f"{mbit_s:g}",
        "acks_per_s": ", ".join(f"{rate:.0f}" for rate in rates),
        "pkts_acked_ns": f"{mean_ns['smart_pkts_acked']:.0f}",
        "cong_avoid_ns": f"{mean_ns['any_cong_avoid']:.0f}",
        "ack_ns": f"{hook_ns(programs):.0f}",
        "lost": str(sum(subflow["lost"] for subflow in last["subflows"])),
        "works_per_s": f"{works / lasted_s:.0f}",
        "work_us": f"{(last['work_ns'] - first['work_ns']) / works / 1e3:.1f}",
        "most_work_us": f"{last['work_most_ns'] / 1e3:.0f}",
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mbit-s", type=float, nargs="+", default=[5, 20, 50, 100], help="rate of each path")
    parser.add_argument("--seconds", type=float, default=8, help="how long it is watched, after slow start")
    parser.add_argument("--model", type=Path, help="a .sbd file to ask in place of the common lag")
    parser.add_argument("--check", action="store_true", help="load with --check: no check is on beside these paths")
    arguments = parser.parse_args()
    machine.check_built(machine.CONTROLLERS_LOADER)
    options = ["--model", arguments.model] if arguments.model else []
    options += ["--check"] if arguments.check else []
    with loaded(machine.CONTROLLERS_LOADER, *options) as own, counting():
        rows = [measured(own, rate, arguments.seconds) for rate in arguments.mbit_s]
    print(*aligned(rows), sep="\n")


if __name__ == "__main__":
    main()
