"""Test two of your own paths: each loaded alone, then both, and say whether they share a bottleneck.

Nothing is sent unless --download or --iperf3 names where the load comes from. Three witnesses are heard: the sum of the
rates, the delay of one path under load on the other, and the detector's verdict under load on both. The majority of
those that can tell counts. All that was recorded is kept in a folder.
"""

from __future__ import annotations

import argparse
import json
import logging
from pathlib import Path

from pydantic import ValidationError

from smartsbd.contracts.fault import UsageFault
from smartsbd.contracts.whole_file import write_whole
from smartsbd.doctor import http_download, network_path, observed, phases
from smartsbd.doctor.answer import answer
from smartsbd.doctor.guided_test import Settings
from smartsbd.doctor.iperf3_test import Iperf3Server
from smartsbd.doctor.network_path import NetworkPath
from smartsbd.doctor.observed import Observed
from smartsbd.pipelines.params import Params
from smartsbd.pipelines.running import stage
from smartsbd.pipelines.running.unfinished_folder import unfinished
from smartsbd.pipelines.running.written_path import written_file, written_folder
from smartsbd.traces import recording

log = logging.getLogger(__name__)

_PATHS = 2
_PICTURE, _ANSWER = "paths.png", "answer.json"
#: Of the time with load on both.
_ALONE_PART, _IDLE_PART = 4, 8
_LEAST_ALONE_S, _LEAST_IDLE_S = 5.0, 3.0


#: The option that sets each setting, and which texts and numbers it takes.
_TEXTS = {
    "source": "--path takes an interface or an address of this host",
    "load": "--download takes an address of at most 2000 letters, all of ASCII",
    "echo": "what is pinged (--ping) must be the name or address of a host",
}
_NUMBERS = {
    "idle_s": "--seconds",
    "alone_s": "--seconds",
    "both_s": "--seconds",
    "streams": "--streams",
    "echo_interval_ms": "--echo-interval-ms",
    "most_mb": "--most-mb",
}


class WhatToTestError(UsageFault):
    """The paths to test, or the recordings to judge, are not named, or are named twice."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.usage = argparse.SUPPRESS
    parser.add_argument(
        "--path", metavar="SOURCE", action="append", default=[], help="an interface or address of this host; twice"
    )
    load = parser.add_mutually_exclusive_group()
    load.add_argument(
        "--download", metavar="URL", action="append", default=[], help="load by HTTP; once, or once for each path"
    )
    load.add_argument(
        "--iperf3",
        metavar="HOST[:PORT]",
        action="append",
        default=[],
        help="load by iperf3: its servers send. Named once, it is for the first path, and the second one has the next"
        " port, since a server takes one test at a time",
    )
    parser.add_argument(
        "--ping",
        metavar="HOST",
        action="append",
        default=[],
        help="what answers echoes; once, or once for each path (default: where the load comes from)",
    )
    parser.add_argument("--out", metavar="DIR", type=written_folder, help="folder to make")
    parser.add_argument("--seconds", type=float, default=40.0, help="time with load on both (default: 40)")
    parser.add_argument("--streams", type=int, default=4, help="connections over a path at once (default: 4)")
    parser.add_argument(
        "--echo-interval-ms", metavar="MS", type=int, default=20, help="from one echo to the next (default: 20)"
    )
    parser.add_argument(
        "--most-mb", metavar="MB", type=int, default=2000, help="million bytes that may come in all (default: 2000)"
    )
    parser.add_argument("--plan", action="store_true", help="say what would be sent, and do nothing")
    parser.add_argument(
        "--from",
        dest="recordings",
        metavar="PLACE",
        type=Path,
        nargs="+",
        help=f"send nothing; judge the folder of a test, or recordings of two paths, each a {recording.INPUTS}",
    )
    parser.add_argument("--plot", metavar="FILE.png", type=written_file, help="with --from alone: draw rates and RTTs")
    parser.add_argument("--json", action="store_true", help="one JSON object in place of text")


def _each(values: list[str], what: str) -> tuple[str, str]:
    """Return a value for each path, of one for both or of two."""
    if not 1 <= len(values) <= _PATHS:
        raise WhatToTestError(f"{what}: once, or once for each path")
    return values[0], values[-1]


def _loads(arguments: argparse.Namespace) -> tuple[str, str]:
    """Return where the load of each path comes from."""
    if not arguments.iperf3:
        return _each(arguments.download, "--download")
    first, second = _each(arguments.iperf3, "--iperf3")
    if len(arguments.iperf3) < _PATHS:
        second = str(Iperf3Server.parsed(first).following())
    return first, second


def _host(load: str, *, by_iperf3: bool) -> str:
    """Return the host that a load comes from."""
    return Iperf3Server.parsed(load).host if by_iperf3 else http_download.parsed(load).hostname or ""


def _refusal(error: ValidationError) -> str:
    """Return what is wrong with a setting, by the option that sets it."""
    first = error.errors()[0]
    name = str(first["loc"][-1])
    if name in _TEXTS:
        return f"{_TEXTS[name]}, not {first['input']}"
    bounds = Settings.model_fields[name].metadata
    (least,) = (bound.ge for bound in bounds if hasattr(bound, "ge"))
    most = [bound.le for bound in bounds if hasattr(bound, "le")]
    return f"{_NUMBERS[name]} must be {f'from {least} to {most[0]}' if most else f'at least {least}'}"


def _settings(arguments: argparse.Namespace) -> Settings:
    """Return the settings of the test."""
    if len(arguments.path) != _PATHS:
        raise WhatToTestError("name two paths: --path wlan0 --path wwan0; or what was recorded: --from")
    if not arguments.download and not arguments.iperf3:
        raise WhatToTestError("name where the load comes from: --download or --iperf3; nothing is sent without")
    by_iperf3 = bool(arguments.iperf3)
    loads = _loads(arguments)
    hosts = [_host(load, by_iperf3=by_iperf3) for load in loads]
    pinged = _each(arguments.ping or hosts, "--ping")
    try:
        first, second = (
            NetworkPath(source=source, load=load, echo=echo)
            for source, load, echo in zip(arguments.path, loads, pinged, strict=True)
        )
        if (first.source, first.echo) == (second.source, second.echo):
            raise WhatToTestError("both paths begin and end at the same place")
        return Settings(
            paths=(first, second),
            load="iperf3" if by_iperf3 else "http",
            idle_s=max(_LEAST_IDLE_S, arguments.seconds / _IDLE_PART),
            alone_s=max(_LEAST_ALONE_S, arguments.seconds / _ALONE_PART),
            both_s=arguments.seconds,
            streams=arguments.streams,
            echo_interval_ms=arguments.echo_interval_ms,
            most_mb=arguments.most_mb,
        )
    except ValidationError as error:
        raise WhatToTestError(_refusal(error)) from error


def _draw(seen: Observed, path: Path) -> None:
    # Slow to import, and not installed with the core.
    from smartsbd.pipelines.reporting.figures import style, two_paths

    style.save(two_paths.two_paths(seen, answer(seen)), path)


def _tell(seen: Observed, *, as_json: bool) -> None:
    answered = answer(seen)
    stage.say(*([json.dumps(answered.as_json())] if as_json else answered.lines()))


def _judged(arguments: argparse.Namespace) -> int:
    """Judge the recordings."""
    if arguments.path or arguments.download or arguments.iperf3 or arguments.ping or arguments.out or arguments.plan:
        raise WhatToTestError("--from judges what was recorded, and nothing is tested then")
    places: list[Path] = arguments.recordings
    if len(places) > 1 and any(place.is_dir() for place in places):
        raise WhatToTestError("--from takes one folder of a test, or recordings")
    seen = observed.of_test(places[0]) if places[0].is_dir() else observed.of_recordings(places)
    _tell(seen, as_json=arguments.json)
    if arguments.plot:
        _draw(seen, arguments.plot)
    return stage.EXIT_OK


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the command."""
    if arguments.recordings:
        return _judged(arguments)
    if arguments.plot:
        raise WhatToTestError(f"--plot draws what --from judges; a test draws {_PICTURE} in its folder by itself")
    settings = _settings(arguments)
    if arguments.plan:
        stage.say(*settings.lines())
        return stage.EXIT_OK
    if arguments.out is None:
        raise WhatToTestError("name the folder to make: --out")
    first, second = settings.paths
    if network_path.are_one(first, second):
        raise WhatToTestError(f"{first.source} to {first.echo} and {second.source} to {second.echo} are one path")
    for line in settings.lines():
        log.info("%s", line)
    with unfinished(arguments.out) as part:
        for phase in phases.run(settings, part):
            length_s = phase.end_s - phase.begin_s
            log.info("%s: done in %.1f s%s", phase.name, length_s, ", cut short" if phase.cut else "")
            if phase.broken is not None:
                log.warning("%s: the load broke off, and the test ends: %s", phase.name, phase.broken)
    # The recordings are kept, whatever becomes of the rest.
    seen = observed.of_test(arguments.out)
    write_whole((json.dumps(answer(seen).as_json(), indent=2) + "\n").encode(), arguments.out / _ANSWER)
    try:
        _draw(seen, arguments.out / _PICTURE)
    except ModuleNotFoundError as error:
        log.warning("no picture: %s is not installed", error.name)
    _tell(seen, as_json=arguments.json)
    return stage.EXIT_OK
