"""The phases of a guided test, run one after the other; all that is recorded goes to a folder."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

from smartsbd.contracts.fault import Fault
from smartsbd.doctor import echoes
from smartsbd.doctor.byte_limit import ByteLimit
from smartsbd.doctor.guided_test import (
    BOTH,
    LOADED,
    MOST_WHY,
    TEST,
    GuidedTest,
    Phase,
    Settings,
    echoes_file,
    received_file,
)
from smartsbd.doctor.http_download import HttpDownload
from smartsbd.doctor.iperf3_test import Iperf3Test
from smartsbd.doctor.load import Load, LoadError
from smartsbd.doctor.received import Received
from smartsbd.doctor.standstill import StandstillWatch

_LOOK_S = 0.1
#: After a load the queues empty before the next phase.
_PAUSE_S = 1.0
_NS_PER_S = 10**9


class LoadLimitError(Fault):
    """As much has come as may, before both paths were loaded."""


def _load(settings: Settings, phase: str, number: int, folder: Path, limit: ByteLimit) -> Load:
    path = settings.paths[number]
    if settings.load == "http":
        return HttpDownload(path, settings.streams, limit)
    out = folder / f"{phase}.{number}.iperf3.json"
    return Iperf3Test(path, settings.streams, settings.seconds(phase), limit, out)


def _end_loads(loads: dict[int, Load]) -> tuple[dict[int, Received], str | None]:
    """End loads; return what came over each path, and why one has failed."""
    tables, broken = {}, None
    for number, load in loads.items():
        try:
            tables[number] = load.end()
        except LoadError as error:
            tables[number], broken = error.came, broken or str(error)
    return tables, broken


def _run(settings: Settings, phase: str, folder: Path, limit: ByteLimit) -> tuple[Phase, int]:
    """Run a phase; return it, and how many bytes of content its loads brought."""
    seconds = settings.seconds(phase)
    with ExitStack() as stack:
        pings = []
        for number, path in enumerate(settings.paths):
            out = folder / echoes_file(phase, number)
            pings.append(echoes.pinging(path, settings.echo_interval_ms, seconds, out))
            stack.callback(pings[-1].kill)
        begin_s, begin_ns = time.time(), time.monotonic_ns()
        end_ns = begin_ns + round(seconds * _NS_PER_S)
        loads: dict[int, Load] = {}
        for number in LOADED[phase]:
            loads[number] = _load(settings, phase, number, folder, limit)
            stack.callback(loads[number].kill)
        cut = False
        with suppress(LoadError):
            # It raises the same error again when it is ended.
            while time.monotonic_ns() < end_ns and not cut:
                time.sleep(_LOOK_S)
                for ping in pings:
                    echoes.look(ping)
                for load in loads.values():
                    load.look()
                cut = limit.is_reached()
        # The clock of the day may be set meanwhile.
        end_s = begin_s + (time.monotonic_ns() - begin_ns) / _NS_PER_S
        tables, broken = _end_loads(loads)
        for ping in pings:
            if cut or broken is not None:
                ping.kill()
            else:
                echoes.ended(ping)
    for number, table in tables.items():
        table.write(folder / received_file(phase, number))
    came = sum(table.octets[-1] for table in tables.values() if table.octets)
    done = {"name": phase, "begin_s": begin_s, "end_s": end_s, "cut": cut, "broken": broken and broken[:MOST_WHY]}
    return Phase.model_validate(done), came


def run(settings: Settings, folder: Path) -> Iterator[Phase]:
    """Run all phases of a test; yield each when it is over.

    A load that breaks off ends the test, and its phase is the last one.

    Parameters
    ----------
    settings : Settings
    folder : Path
        It is there and empty; when all is done it says so.

    Yields
    ------
    Phase

    Raises
    ------
    LoadError
        If nothing comes over a path that is loaded alone, since the load cannot be begun.
    ToolError
        If ping fails.
    LoadLimitError
        If as much has come as may before both paths were loaded.
    """
    watch = StandstillWatch()
    phases, limit = [], ByteLimit(settings.most_bytes)
    for phase in LOADED:
        if limit.is_reached():
            raise LoadLimitError(f"{settings.most_mb} MB came before phase {phase}: allow more (--most-mb)")
        done, octets = _run(settings, phase, folder, limit)
        if done.broken is not None and not octets and phase != BOTH:
            raise LoadError(done.broken)
        phases.append(done)
        yield done
        if done.broken is not None:
            break
        time.sleep(_PAUSE_S)
    test = GuidedTest(settings=settings, phases=tuple(phases), standstills=tuple(watch.end()))
    (folder / TEST).write_text(test.model_dump_json(indent=2) + "\n")
