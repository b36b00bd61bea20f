"""The phases of a guided test, run one after the other; all that is recorded goes to a folder."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from contracts.fault import Fault
from doctor import echoes
from doctor.guided_test import LOADED, TEST, GuidedTest, Phase, Settings, echoes_file, received_file
from doctor.http_download import HttpDownload
from doctor.iperf3_test import Iperf3Test
from doctor.load import Load
from doctor.standstill import StandstillWatch

_LOOK_S = 0.1
#: After a load the queues empty before the next phase.
_PAUSE_S = 1.0
_NS_PER_S = 10**9


class LoadLimitError(Fault):
    """As much has come as may, before both paths were loaded."""


def _load(settings: Settings, phase: str, number: int, folder: Path) -> Load:
    path = settings.paths[number]
    if settings.load == "http":
        return HttpDownload(path, settings.streams)
    return Iperf3Test(path, settings.streams, settings.seconds(phase), folder / f"{phase}.{number}.iperf3.json")


def _run(settings: Settings, phase: str, folder: Path, left_bytes: int) -> tuple[Phase, int]:
    """Run a phase; return it, and how many bytes came."""
    seconds = settings.seconds(phase)
    with ExitStack() as stack:
        pings = []
        for number, path in enumerate(settings.paths):
            out = folder / echoes_file(phase, number)
            pings.append(echoes.pinging(path, settings.echo_interval_ms, seconds, out))
            stack.callback(pings[-1].kill)
        begin_s, begin_ns = time.time(), time.monotonic_ns()
        end_ns = begin_ns + round(seconds * _NS_PER_S)
        loads = {number: _load(settings, phase, number, folder) for number in LOADED[phase]}
        for load in loads.values():
            stack.callback(load.kill)
        octets, cut = 0, False
        while time.monotonic_ns() < end_ns and not cut:
            time.sleep(_LOOK_S)
            for ping in pings:
                echoes.look(ping)
            octets = sum(load.look() for load in loads.values())
            cut = bool(loads) and octets >= left_bytes
        # The clock of the day may be set meanwhile.
        end_s = begin_s + (time.monotonic_ns() - begin_ns) / _NS_PER_S
        tables = {number: load.end() for number, load in loads.items()}
        for ping in pings:
            if cut:
                ping.kill()
            else:
                echoes.ended(ping)
    for number, table in tables.items():
        table.write(folder / received_file(phase, number))
    came = sum(table.octets[-1] for table in tables.values() if table.octets)
    return Phase.model_validate({"name": phase, "begin_s": begin_s, "end_s": end_s, "cut": cut}), came


def run(settings: Settings, folder: Path) -> Iterator[Phase]:
    """Run all phases of a test; yield each when it is over.

    Parameters
    ----------
    settings : Settings
    folder : Path
        It is there and empty; when all is done it says so.

    Raises
    ------
    LoadError, ToolError
        If nothing can be loaded, or ping fails.
    LoadLimitError
        If as much has come as may before both paths were loaded.
    """
    watch = StandstillWatch()
    phases, left_bytes = [], settings.most_bytes
    for phase in LOADED:
        if left_bytes <= 0:
            raise LoadLimitError(f"{settings.most_mb} MB came before phase {phase}: allow more (--most-mb)")
        done, octets = _run(settings, phase, folder, left_bytes)
        left_bytes = max(0, left_bytes - octets)
        phases.append(done)
        yield done
        time.sleep(_PAUSE_S)
    idle, first, second, both = phases
    found = GuidedTest(settings=settings, phases=(idle, first, second, both), standstills=tuple(watch.end()))
    (folder / TEST).write_text(found.model_dump_json(indent=2) + "\n")
