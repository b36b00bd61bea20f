"""CPU time of the simulator by what is in flight: two subflows under CUBIC, each alone on its link.

make bench WHAT="simulator --settings 10:60 --seconds 5". A setting is a link's rate in Mbit/s and the RTT in ms. The
queue has room for one bandwidth-delay product, so up to two of them are in flight.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
from pathlib import Path

from smartsbd.scenarios.closed_forms import PACKET_BYTES, TOPOLOGIES
from smartsbd.scenarios.scenario import Run, Scenario
from smartsbd.scenarios.simulator import simulate

SETTINGS = ("10:60", "50:120", "100:120", "100:240", "200:120")


def two_links(rate_mbit_s: float, rtt_ms: float, seconds: float) -> Scenario:
    """Return two separate links, a subflow on each and nothing beside."""
    usual = TOPOLOGIES["own_2"].scenario
    link = usual.links[0].model_copy(
        update={"rate_mbit_s": ((0.0, rate_mbit_s),), "queue_bytes": round(rate_mbit_s * rtt_ms * 125)}
    )
    connection = usual.connection.model_copy(update={"congestion_control": "cubic", "receive_buffer_bytes": 1 << 26})
    paths = []
    for own in usual.subflows:
        access = own.access.model_copy(update={"rate_mbit_s": 1000.0, "queue_bytes": 10_000_000})
        paths.append(own.model_copy(update={"rtt_ms": rtt_ms, "access": access}))
    return usual.model_copy(
        update={
            "duration_s": seconds,
            "connection": connection,
            "links": (link, link),
            "subflows": tuple(paths),
            "background": (),
        }
    )


def cpu_s() -> float:
    """Return the CPU time of the processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--settings", nargs="+", default=SETTINGS, metavar="MBIT_S:MS")
    parser.add_argument("--seconds", type=float, default=20.0, help="of simulated time (default: %(default)s)")
    settings = parser.parse_args()
    print("| Mbit/s, ms | packets in a bandwidth-delay product | link in use | CPU s of a simulated second |")
    print("|---|---:|---:|---:|")
    for setting in settings.settings:
        rate_mbit_s, rtt_ms = map(float, setting.split(":"))
        run = Run(scenario=two_links(rate_mbit_s, rtt_ms, settings.seconds), site=None, setting="speed")
        before = cpu_s()
        with tempfile.TemporaryDirectory() as folder:
            truth = simulate(run, Path(folder) / "scenario.json").truth
        each = (cpu_s() - before) / settings.seconds
        used = min(line["utilisation"] for line in truth["links"])
        product = round(rate_mbit_s * rtt_ms * 125 / PACKET_BYTES)
        print(f"| {rate_mbit_s:g}, {rtt_ms:g} | {product:,} | {used:.2f} | {each:.3f} |", flush=True)


if __name__ == "__main__":
    main()
