"""Scenario files: what is refused, and the schema that describes them."""

import copy
import json
import re
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from smartsbd.scenarios.scenario import Scenario as Contract
from tests.simulator.contract import keys, outside, read_schema, set_value, value_at, walk
from tests.simulator.program import (
    PROGRAM,
    Scenario,
    access,
    agent_options,
    every_choice,
    execute,
    flow,
    given_by,
    link,
    network,
    program_for,
    separate,
    shared,
    subflow,
)


def refuse(directory: Path, text: str, place: str, program: Path = PROGRAM) -> None:
    """Run the program, which must refuse the scenario in one line that names the place."""
    result = execute(directory, text, program=program)
    assert result.returncode == 2, result
    assert result.stdout == ""
    assert result.stderr.startswith(f"scenario.json: {place}: "), result.stderr
    assert result.stderr.count("\n") == 1 and result.stderr.endswith("\n")
    assert [path.name for path in directory.iterdir()] == ["scenario.json"]


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("/surplus", 1),
        ("/subflows/1/access/surplus", 1),
        ("/seed", 17.5),
        ("/seed", "17"),
        ("/duration_s", "long"),
        ("/duration_s", True),
        ("/connection", []),
        ("/subflows", {}),
        ("/connection/token", "7F3A91C2"),
        ("/connection/token", 7),
        ("/connection/congestion_control", "ewtcp"),
        ("/connection/lia_counts", "bytes"),
        ("/connection/scheduler", "daps"),
        ("/connection/ecn", 1),
        ("/connection/host_delay_us", "none"),
        ("/connection/application", None),
        ("/links/0/place", "backbone"),
        ("/links/0/rate_mbit_s", 8.0),
        ("/links/0/rate_mbit_s", []),
        ("/links/0/rate_mbit_s/0", [0.0]),
        ("/links/0/rate_mbit_s/0/0", 1.0),
        ("/links/0/rate_mbit_s/0/1", 0.0),
        ("/links/0/mark_bytes", True),
        ("/background/0/kind", "lia"),
        ("/background/0/enters", "bottleneck"),
        ("/background/0/subflow", 2),
        ("/subflows/0/links", []),
        ("/subflows/0/links/0", 1),
        ("/subflows/0/bottleneck", 0),
        ("/subflows/0/bottleneck/0/1", 1),
        ("/subflows/0/path", "two words"),
        ("/subflows/0/start_s", 12.0),
        ("/subflows/0/access/kind", "satellite"),
        ("/subflows/0/access/burst_packets", 4),
        ("/subflows/0/access/burst_packets/1", 3),
        ("/background/0/start_s", 12.0),
        ("/subflows/1/access/loss", 1.5),
        ("/subflows/0/rtt_ms", 2.3),
        ("/background/0/rtt_ms", 0.1),
    ],
)
def test_wrong_value_is_refused_by_its_place(place: str, value: object, tmp_path: Path) -> None:
    """Unknown keys, wrong types, bad names, indices and times exit 2 and leave no file."""
    refuse(tmp_path, set_value(shared(), place, value), place)


@pytest.mark.parametrize(
    ("links", "place"),
    [
        ([0, 2], "/subflows/0/links/1"),
        ([1, 0], "/subflows/0/links/1"),
        ([1, 1], "/subflows/0/links/1"),
        ([0], "/links/1"),
    ],
)
def test_impossible_links_are_refused(links: list[int], place: str, tmp_path: Path) -> None:
    """A path has a server link and a client link at most, in this order; no link is unused."""
    scenario = network([link(8.0), link(8.0, place="client"), link(8.0)], [subflow(links, 60.0), subflow([2], 60.0)])
    scenario["subflows"][0]["bottleneck"] = [[0.0, 0]]
    refuse(tmp_path, json.dumps(scenario), place)


def test_changes_must_ascend(tmp_path: Path) -> None:
    """Two changes at one time have no order, and none comes after the end."""
    for times in ([0.0, 5.0, 5.0], [0.0, 12.0]):
        changes = [[time, 8.0] for time in times]
        text = set_value(shared(), "/links/0/rate_mbit_s", changes)
        refuse(tmp_path, text, f"/links/0/rate_mbit_s/{len(times) - 1}/0")
    for place in ("/subflows/0/delay_changes_ms", "/subflows/0/access/loss_changes"):
        for times in ([5.0, 5.0], [5.0, 12.0]):
            text = set_value(changing(), place, [[time, 0.5] for time in times])
            refuse(tmp_path, text, f"{place}/1/0")


def test_bottleneck_is_a_link_of_the_subflow(tmp_path: Path) -> None:
    """The intended bottleneck lies on the path."""
    refuse(tmp_path, set_value(separate(), "/subflows/0/bottleneck/0/1", 1), "/subflows/0/bottleneck/0/1")


@pytest.mark.parametrize(("kind", "rate"), [("cbr", None), ("web", None), ("web", 51.0)])
def test_rate_must_suit_the_kind(kind: str, rate: float | None, tmp_path: Path) -> None:
    """Only TCP flows can be bulk transfers."""
    scenario = shared()
    scenario["background"][0].update(kind=kind, rate_mbit_s=rate)
    refuse(tmp_path, json.dumps(scenario), "/background/0/rate_mbit_s")


@pytest.mark.parametrize(
    ("application", "key"),
    [
        ({"kind": "bulk"}, "kind"),
        ({"kind": "rate", "rate_mbit_s": 1.0, "on_s": 1.0}, "on_s"),
        ({"kind": "transfer", "bytes": 1000, "rate_mbit_s": 1.0}, "rate_mbit_s"),
        ({"kind": "transfer", "bytes": 0}, "bytes"),
        ({"kind": "transfer", "bytes": 1000.5}, "bytes"),
    ],
)
def test_keys_belong_to_kinds_of_applications(application: dict[str, Any], key: str, tmp_path: Path) -> None:
    """A bulk transfer is one without an application, and a rate has no periods."""
    refuse(tmp_path, json.dumps(given_by(application)), f"/connection/application/{key}")


@pytest.mark.parametrize(
    ("kind", "key"),
    [
        ("wifi", "burst_packets"),
        *(("lte", key) for key in ("rate_sigma", "rate_step_ms")),
        *(("802.11n", key) for key in ("distance_m", "speed_m_s")),
    ],
)
def test_keys_belong_to_kinds_of_access(kind: str, key: str, tmp_path: Path) -> None:
    """What one kind needs is missed there and unknown elsewhere."""
    place = f"/subflows/0/access/{key}"
    scenario = shared()
    scenario["subflows"][0]["access"] = access(kind, rate=6.0)
    value = scenario["subflows"][0]["access"].pop(key)
    refuse(tmp_path, json.dumps(scenario), place, program_for(scenario))
    scenario["subflows"][0]["access"] = {**access(), key: value}
    refuse(tmp_path, json.dumps(scenario), place)


@pytest.mark.parametrize(
    ("chosen", "key"),
    [
        ({"counts": "acks"}, "/name"),
        ({"name": "lia", "surplus": 1}, "/surplus"),
        ({"name": "lia", "counts": "bytes"}, "/counts"),
        ({"name": "lia", "counts": 1}, "/counts"),
        ({"name": "reno", "counts": "acks"}, "/counts"),
        ({"name": "none"}, "/name"),
        (["lia"], ""),
    ],
)
def test_parameters_are_those_that_the_controller_declares(chosen: object, key: str, tmp_path: Path) -> None:
    """Unknown names, unknown parameters and wrong values are refused by their place."""
    scenario = shared()
    scenario["connection"]["congestion_control"] = chosen
    del scenario["connection"]["lia_counts"]
    refuse(tmp_path, json.dumps(scenario), f"/connection/congestion_control{key}")
    with pytest.raises(ValidationError):
        Contract.model_validate(scenario)


def test_a_mode_of_802_11n_is_one_of_ofdm(tmp_path: Path) -> None:
    scenario = shared()
    scenario["subflows"][0]["access"] = access("802.11n", rate=7.0)
    refuse(tmp_path, json.dumps(scenario), "/subflows/0/access/rate_mbit_s", program_for(scenario))
    with pytest.raises(ValidationError, match="7 is none of"):
        Contract.model_validate(scenario)


def test_what_lia_counts_is_said_once(tmp_path: Path) -> None:
    """The older key is for a name alone."""
    text = set_value(shared(), "/connection/congestion_control", {"name": "lia"})
    refuse(tmp_path, text, "/connection/lia_counts")
    with pytest.raises(ValidationError, match="parameters of its own"):
        Contract.model_validate_json(text)


def grouped() -> Scenario:
    """A connection whose subflows are of two groups."""
    scenario = shared()
    for group, one in enumerate(scenario["subflows"]):
        one["group"] = group
    return scenario


def roaming() -> Scenario:
    """A subflow over 802.11n, with losses that change."""
    own = subflow([0], 60.0, kind="802.11n", rate=6.0)
    own["access"]["loss_changes"] = [[4.0, 0.01]]
    return own


def crowded() -> Scenario:
    """A flow that comes and goes, and leaves early, a series, and losses that change."""
    scenario = separate()
    scenario["background"] = [
        flow("cbr", 1.0) | {"on_s": 1.0, "off_s": 2.0, "stop_s": 9.0, "leaves": "first_link"},
        flow("bbr", None, "client", 80.0, on=1),
        flow("vegas", 1.0, "access", on=1),
    ]
    scenario["series_s"] = 1.0
    for one in scenario["subflows"]:
        one["access"]["loss_changes"] = [[2.0, 0.01]]
    return scenario


def changing() -> Scenario:
    """One subflow alone, whose path changes, and a transfer that ends."""
    scenario = given_by({"kind": "transfer", "bytes": 30_000})
    scenario["background"] = scenario["background"][:1]
    scenario["subflows"] = [
        {
            **subflow([0], 60.0),
            "delay_changes_ms": [[2.0, 30.0], [4.5, 0.0]],
            "access": {**access(), "loss_changes": [[3.0, 0.5], [4.0, 0.0]]},
        }
    ]
    return scenario


def accompanied() -> Scenario:
    """Two connections beside the observed one, which between them have every key."""
    scenario = network([link(8.0), link(8.0)], [subflow([0], 60.0)])
    own = {"links": [1], "start_s": 0.5, "rtt_ms": 60.0, "access": access("lte")}
    changing_path = {**own, "links": [1], "group": 1, "delay_changes_ms": [[2.0, 30.0]], "access": access("wifi")}
    connection = {"congestion_control": "olia", "scheduler": "round_robin", "subflows": [own]}
    parameters = {"congestion_control": {"name": "lia", "counts": "acks"}, "scheduler": {"name": "min_rtt"}}
    finite = {"application": {"kind": "transfer", "bytes": 30_000}, "stop_s": 9.0}
    scenario["further_connections"] = [connection, {**parameters, "subflows": [changing_path], **finite}]
    return scenario


def reinjecting() -> Scenario:
    """A connection with every rule of the meta queue, whose truth has its details."""
    scenario = shared()
    rules = {"reinject": True, "opportunistic": True, "penalise": True, "half_window": False}
    scenario["connection"] |= {"meta_queue": rules, "delivery_details": True}
    return scenario


def replaying() -> Scenario:
    """A link whose line sends at recorded moments, four of 1500 bytes every 6 ms: 8 Mbit/s in the mean."""
    recorded = {**link(8.0), "opportunities_ms": [1, 2, 2, 6]}
    return network([recorded], [subflow([0], 60.0), subflow([0], 60.0)])


def hindered() -> Scenario:
    """A queue that is managed, a way back that others use, and ACKs for several segments."""
    managed = {**link(8.0), "queue_discipline": "codel", "back": {"rate_mbit_s": 8.0, "queue_bytes": 60_000}}
    scenario = network([managed], [subflow([0], 60.0), subflow([0], 60.0)], segments_per_ack=4)
    scenario["background"] = [flow("reno", None) | {"leaves": "first_link", "direction": "back"}]
    return scenario


#: Between them they have every key.
TRIED = {
    "bulk": shared(),
    "plain": network([link(8.0)], [subflow([0], 60.0), subflow([0], 60.0)]),
    "radio": network([link(8.0)], [roaming(), subflow([0], 60.0)]),
    "on_off": given_by({"kind": "on_off", "on_s": 2.0, "off_s": 1.0}),
    "rate": given_by({"kind": "rate", "rate_mbit_s": 2.0}),
    "groups": grouped(),
    "crowded": crowded(),
    "changing": changing(),
    "accompanied": accompanied(),
    "meta_queue": reinjecting(),
    "replaying": replaying(),
    "hindered": hindered(),
    **every_choice(),
}


def test_every_key_of_the_schema_is_tried() -> None:
    """What no scenario here has, the program could pass over."""
    schema = read_schema()
    tried = {
        (part["description"], key)
        for scenario in TRIED.values()
        for place, part in walk(schema, scenario, "")
        if "properties" in part
        for key in value_at(scenario, place)
    }
    assert tried == set(keys(schema))


def disagreements_tried(scenario: Scenario, places: Iterable[tuple[str, Any]], folder: Path) -> int:
    """Break every rule that the schema has for some places, each of which the program must notice; return how many."""
    program, checks = program_for(scenario), 0
    for place, part in places:
        for value in outside(part) if place else ():
            refuse(folder, set_value(scenario, place, value), place, program)
            checks += 1
        if part.get("type") == "object":
            assert part["additionalProperties"] is False
            for key in part["required"]:
                changed = copy.deepcopy(scenario)
                del value_at(changed, place)[key]
                refuse(folder, json.dumps(changed), f"{place}/{key}", program)
                checks += 1
    return checks


def test_schema_and_program_agree_on_a_plain_network(tmp_path: Path) -> None:
    places = {id(part): (place, part) for place, part in walk(read_schema(), TRIED["plain"], "")}
    assert disagreements_tried(TRIED["plain"], places.values(), tmp_path) > 50


@pytest.mark.slow
def test_schema_and_program_agree(tmp_path: Path) -> None:
    """Each key the schema requires is missed and each limit it states is enforced, once, so each key is read."""
    schema = read_schema()
    tried: set[int] = set()
    checks = 0
    for scenario in TRIED.values():
        places = [(place, part) for place, part in walk(schema, scenario, "") if id(part) not in tried]
        tried |= {id(part) for _, part in places}
        # The same part at several places of a scenario is one rule.
        checks += disagreements_tried(scenario, {id(part): (place, part) for place, part in places}.values(), tmp_path)
    assert checks > 300


@pytest.mark.slow
@pytest.mark.parametrize("scenario", TRIED.values(), ids=TRIED)
def test_schema_and_program_agree_wherever_a_rule_holds(scenario: Scenario, tmp_path: Path) -> None:
    assert disagreements_tried(scenario, walk(read_schema(), scenario, ""), tmp_path) > 150


def test_every_name_of_the_schema_is_understood(tmp_path: Path) -> None:
    """What is refused after the scenario was read is that the output cannot be written."""
    schema = read_schema()
    scenario = shared()
    # A rate suits every kind of background, a long way every entry.
    scenario["background"][1].update(rate_mbit_s=1.0, rtt_ms=200.0)
    names = [(place, name) for place, part in walk(schema, scenario, "") for name in part.get("enum", ())]
    assert ("/background/0/kind", "web") in names
    command = [str(PROGRAM), "--scenario=scenario.json", "--events=no/such/e", "--truth=t"]
    for place, name in names:
        text = set_value(scenario, place, name)
        (tmp_path / "scenario.json").write_text(text)
        told = [*command, *agent_options(json.loads(text))]
        result = subprocess.run(told, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert result.returncode == 1, (place, name)
        assert "no/such/e" in result.stderr, (place, name, result.stderr)


STRANGE = "\x9b31m\u202e\x7f"


@pytest.mark.parametrize(
    "text",
    [
        b'{"\xff": 1}',
        b'["' + b"a" * 5000 + b"\x9b\x7f",
        b"1" * 5000 + b"e9",
        json.dumps({"k" * 5000: 1}).encode(),
        json.dumps({STRANGE * 20: 1}, ensure_ascii=False).encode(),
        json.dumps({**shared(), "seed": STRANGE * 20}, ensure_ascii=False).encode(),
    ],
    ids=["no UTF-8", "no end", "number", "key", "strange key", "strange value"],
)
def test_a_message_is_one_short_line_of_ascii(text: bytes, tmp_path: Path) -> None:
    (tmp_path / "scenario.json").write_bytes(text)
    command = [str(PROGRAM), "--scenario=scenario.json", "--events=events", "--truth=truth.json"]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    assert (result.returncode, result.stdout) == (2, b"")
    message = result.stderr.decode("ascii").removesuffix("\n")
    assert message.startswith("scenario.json: ") and message.isprintable() and len(message) < 1000


@pytest.mark.parametrize("text", ["", json.dumps(shared())[:200], json.dumps(shared()) + "]"])
def test_broken_json_is_refused_by_its_line(text: str, tmp_path: Path) -> None:
    """A truncated or overlong file exits 2 and names line and column."""
    (tmp_path / "scenario.json").write_text(text)
    result = execute(tmp_path, text)
    assert result.returncode == 2
    assert re.fullmatch(r"scenario\.json: .*line 1, column \d+.*\n", result.stderr)
    assert [path.name for path in tmp_path.iterdir()] == ["scenario.json"]
