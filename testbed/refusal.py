"""What of a scenario the testbed refuses: what this kernel does not have, and what no network has."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from smartsbd.contracts import regular_file
from smartsbd.contracts.fault import InputFault
from smartsbd.scenarios.scenario import FiniteTransfer, RadioAccess, Scenario
from smartsbd.testbed.relay_network import backbone_ns, only_links, source_link_ns

_BULK = ("reno", "cubic", "bbr", "vegas")
#: What only the simulator has.
_ONLY_SIMULATED = ("stop_s", "on_s", "off_s")
#: What becomes of packets that come too fast, beside drop-tail.
_DISCIPLINES = ("codel", "policer")
#: What flows can be whose data go back.
_BACK = ("reno", "cubic", "bbr", "web")


class RefusedScenarioError(InputFault):
    """A scenario that does not go; the details name every key."""

    def __init__(self, message: str, details: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.details = tuple(details)

    @classmethod
    def of(cls, name: object, what: str, problems: Sequence[str]) -> RefusedScenarioError:
        """Return a refusal of a file: one problem is in the message, several are lines that each name the file.

        Parameters
        ----------
        name : object
            Of the file or the run.
        what : str
        problems : sequence of str
            At least one.

        Returns
        -------
        RefusedScenarioError
        """
        if len(problems) == 1:
            return cls(f"{name}: {what}: {problems[0]}")
        return cls(f"{name}: {what}, for {len(problems)} reasons:", [f"{name}: {problem}" for problem in problems])


def read_scenario(path: Path) -> Scenario:
    """Read a scenario of the simulator.

    Returns
    -------
    Scenario
        It keeps the scenarios' contract.

    Raises
    ------
    NoRegularFileError
        If the file is a pipe, a device or a folder.
    RefusedScenarioError
        If it cannot be read, or breaks the scenarios' contract.
    """
    try:
        with regular_file.opened(path) as stream:
            return Scenario.model_validate_json(stream.read())
    except OSError as error:
        raise RefusedScenarioError(f"{path}: cannot be read: {error.strerror}") from error
    except ValidationError as error:
        problems = [
            ": ".join(filter(None, ("/".join(map(str, fault["loc"])), fault["msg"]))) for fault in error.errors()
        ]
        raise RefusedScenarioError.of(path, "is no scenario", problems) from error


def _ascending(place: str, changes: Sequence[tuple[float, Any]], duration_s: float) -> Iterator[str]:
    times = [at for at, _ in changes]
    if times[0] != 0 or times != sorted(set(times)) or times[-1] >= duration_s:
        yield f"{place}: times must be 0 first, ascend, and be less than duration_s"


def _simulated_only(scenario: Scenario) -> Iterator[str]:
    asked = {
        "series_s": scenario.series_s is not None,
        "further_connections": scenario.further_connections is not None,
        "connection/application/bytes": isinstance(scenario.connection.application, FiniteTransfer),
        "connection/meta_queue": scenario.connection.meta_queue is not None,
        "connection/delivery_details": scenario.connection.delivery_details is not None,
        # How many segments an ACK is for is Linux's own decision.
        "connection/segments_per_ack": scenario.connection.segments_per_ack is not None,
    }
    for number, link in enumerate(scenario.links):
        asked[f"links/{number}/queue_discipline"] = link.queue_discipline not in (None, *_DISCIPLINES)
    for number, path in enumerate(scenario.subflows):
        asked[f"subflows/{number}/group"] = path.group is not None
        asked[f"subflows/{number}/delay_changes_ms"] = path.delay_changes_ms is not None
        asked[f"subflows/{number}/access/loss_changes"] = path.access.loss_changes is not None
        asked[f"subflows/{number}/access/kind"] = isinstance(path.access, RadioAccess)
    yield from (f"{key}: only the simulator has this" for key, asks in asked.items() if asks)
    if len(scenario.subflows) == 1:
        yield "subflows: a connection of one has no pair to judge, only the simulator has it"


def _path_refusals(scenario: Scenario) -> Iterator[str]:
    for number, path in enumerate(scenario.subflows):
        place = f"subflows/{number}"
        yield from _ascending(f"{place}/bottleneck", path.bottleneck, scenario.duration_s)
        if any(link >= len(scenario.links) for link in path.links):
            yield f"{place}/links: there are {len(scenario.links)} links"
            continue
        places = [scenario.links[link].place for link in path.links]
        if places not in (["server"], ["client"], ["server", "client"]):
            yield f"{place}/links: must be at most one server link and then at most one client link"
        if any(link not in path.links for _, link in path.bottleneck):
            yield f"{place}/bottleneck: must be one of the subflow's links"
        if backbone_ns(scenario, path) < 0:
            yield f"{place}/rtt_ms: is too short for the delays of its links"
        if path.start_s >= scenario.duration_s:
            yield f"{place}/start_s: must be less than duration_s"
        if number and path.start_s < scenario.subflows[number - 1].start_s:
            yield f"{place}/start_s: is before that of the subflow before; Linux numbers subflows as they start"


def _background_refusals(scenario: Scenario) -> Iterator[str]:
    for number, flow in enumerate(scenario.background):
        place = f"background/{number}"
        for key in _ONLY_SIMULATED:
            if getattr(flow, key) is not None:
                yield f"{place}/{key}: only the simulator has this"
        if flow.subflow >= len(scenario.subflows):
            yield f"{place}/subflow: there are {len(scenario.subflows)} subflows"
            continue
        if flow.direction is not None and flow.kind not in _BACK:
            yield f"{place}/direction: only the simulator has {flow.kind} that goes back"
        if flow.leaves is not None and not only_links(scenario, flow):
            yield f"{place}/leaves: there is no link behind which it could leave"
            continue
        if flow.rate_mbit_s is None and flow.kind not in _BULK:
            yield f"{place}/rate_mbit_s: {flow.kind} needs a rate"
        if source_link_ns(scenario, flow) < 0:
            yield f"{place}/rtt_ms: is too short for the delays of the links it shares"
        if flow.start_s >= scenario.duration_s:
            yield f"{place}/start_s: must be less than duration_s"


def background_controllers(scenario: Scenario) -> dict[int, str]:
    """Return the controllers that background flows need, by the number of the flow; a flow of UDP needs none.

    Returns
    -------
    dict of int to str
        As the kernel names them.
    """
    return {
        number: "cubic" if flow.kind == "web" else flow.kind
        for number, flow in enumerate(scenario.background)
        if flow.kind != "cbr"
    }


def refusals(scenario: Scenario, controller: str, available: Collection[str]) -> list[str]:
    """Return what does not go, each with the key that asks for it.

    Parameters
    ----------
    scenario : Scenario
    controller : str
        Congestion controller of the connection: the scenario's, or the one in its place.
    available : collection of str
        Controllers that the kernel has.

    Returns
    -------
    list of str
        Empty if the scenario goes here.

    Examples
    --------
    >>> from smartsbd.testbed.examples import example
    >>> refusals(example("shared"), "lia", {"reno", "cubic"})
    ['connection/congestion_control: this kernel has no lia, it has cubic, reno: choose by --congestion-control']
    """
    reasons = []
    if controller not in available:
        known = ", ".join(sorted(available))
        reasons.append(
            f"connection/congestion_control: this kernel has no {controller}, it has {known}:"
            " choose by --congestion-control"
        )
    if scenario.connection.scheduler_name != "min_rtt":
        reasons.append(f"connection/scheduler: Linux has no {scenario.connection.scheduler_name}, only min_rtt goes")
    reasons += _simulated_only(scenario)
    for number, needed in background_controllers(scenario).items():
        if needed not in available:
            reasons.append(f"background/{number}/kind: this kernel has no {needed}")
    for number, link in enumerate(scenario.links):
        reasons += _ascending(f"links/{number}/rate_mbit_s", link.rate_mbit_s, scenario.duration_s)
        if not any(number in path.links for path in scenario.subflows):
            reasons.append(f"links/{number}: no subflow crosses this link")
    paths = list(_path_refusals(scenario))
    # With wrong links there is no telling what is left for a rival.
    return reasons + paths + ([] if paths else list(_background_refusals(scenario)))
