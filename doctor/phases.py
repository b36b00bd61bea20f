"""The phases of a guided test, run one after the other; all that is recorded goes to a folder."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

from contracts.fault import Fault
from doctor import echoes
from doctor.guided_test import BOTH, LOADED, MOST_WHY, TEST, GuidedTest, Phase, Settings, echoes_file, received_file
from doctor.http_download import HttpDownload
from doctor.iperf3_test import Iperf3Test
from doctor.load import Load, LoadError
from doctor.received import Received
from doctor.standstill import StandstillWatch

_LOOK_S = 0.1
#: After a load the queues empty before the next phase.
_PAUSE_S = 1.0
_NS_PER_S = 10**9


class LoadLimitError(Fault):
    """As much has come as may, before both paths were loaded."""


def _load(settings: Settings, phase: str, number: int, folder: Path, left_bytes: int) -> Load:
    path = settings.paths[number]
    if settings.load == "http":
        return HttpDownload(path, settings.streams)
    # How much has come is known when it has ended. So each of two has a half.
    most_bytes = max(1, left_bytes // len(LOADED[phase]))
    out = folder / f"{phase}.{number}.iperf3.json"
    return Iperf3Test(path, settings.streams, settings.seconds(phase), most_bytes, out)


def _is_full(loads: Iterable[Load], left_bytes: int) -> bool:
    """Tell whether as much has come as may.

    Raises
    ------
    LoadError
        If a load has failed.
    """
    return sum([load.look() for load in loads]) >= left_bytes or any(load.spent() for load in loads)


def _ended(loads: dict[int, Load]) -> tuple[dict[int, Received], str | None]:
    """End loads; return what came over each path, and why one has failed."""
    tables, broken = {}, None
    for number, load in loads.items():
        try:
            tables[number] = load.end()
        except LoadError as error:
            tables[number], broken = error.came, broken or str(error)
    return tables, broken


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
        loads = {number: _load(settings, phase, number, folder, left_bytes) for number in LOADED[phase]}
        for load in loads.values():
            stack.callback(load.kill)
        cut = False
        with suppress(LoadError):
            # It says so again when it is ended.
            while time.monotonic_ns() < end_ns and not cut:
                time.sleep(_LOOK_S)
                for ping in pings:
                    echoes.look(ping)
                cut = _is_full(loads.values(), left_bytes)
        # The clock of the day may be set meanwhile.
        end_s = begin_s + (time.monotonic_ns() - begin_ns) / _NS_PER_S
        tables, broken = _ended(loads)
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
    phases, left_bytes = [], settings.most_bytes
    for phase in LOADED:
        if left_bytes <= 0:
            raise LoadLimitError(f"{settings.most_mb} MB came before phase {phase}: allow more (--most-mb)")
        done, octets = _run(settings, phase, folder, left_bytes)
        if done.broken is not None and not octets and phase != BOTH:
            raise LoadError(done.broken)
        left_bytes = 0 if done.cut else max(0, left_bytes - octets)
        phases.append(done)
        yield done
        if done.broken is not None:
            break
        time.sleep(_PAUSE_S)
    found = GuidedTest(settings=settings, phases=tuple(phases), standstills=tuple(watch.end()))
    (folder / TEST).write_text(found.model_dump_json(indent=2) + "\n")
