"""``sbd kernel load --check``: windows are moved while a "shared" is checked; the kernel finds what its twin finds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from smartsbd.detectors.active.dithered_pair import AMPLITUDE, DitheredPair
from smartsbd.scenarios.closed_loop.checked_paths import SHARED, TWIN, draw
from smartsbd.scenarios.simulator import written
from tests.kernel.conftest import ROOT
from tests.kernel.controllers import Controllers, emulated, loaded
from tests.processes import PATIENCE_S

_EXAMPLES = ROOT / "testbed/examples"
#: From the beginning of a run; the examples last 26 s.
_LONGEST_S = 40
_PAGE_BYTES = 4096


def _checks(told: dict[str, Any]) -> list[dict[str, Any]]:
    """The last check of each pair that has one."""
    pairs = (pair for one in told["connections"] for pair in one["pairs"])
    return [pair["check"] for pair in pairs if pair["check"]]


def _found(lines: list[str]) -> list[tuple[str, str]]:
    """What the kernel found by each check, and what its twin finds of the same symbols and samples."""
    pairs: dict[tuple[str, ...], DitheredPair] = {}
    found = []
    for line in lines:
        token, earlier, later, what, *values = line.split()
        key = (token, earlier, later)
        if what == "begin":
            pairs[key] = DitheredPair(int(values[1]))
        elif what == "end":
            found.append((values[1], pairs.pop(key).verdict.name.lower()))
        elif what == "symbol":
            which, begin_ns, middle_ns, end_ns, amplitude = map(int, values)
            pairs[key].on_symbol(which, begin_ns, middle_ns, end_ns, amplitude)
        else:
            which, time_ns, rtt_us = map(int, values)
            pairs[key].on_rtt(which, time_ns, rtt_us)
    return found


def _assert_symbols_are_by_the_rules(lines: list[str]) -> None:
    symbols = [list(map(int, line.split()[4:])) for line in lines if " symbol " in line]
    assert len(symbols) > 20
    assert {which for which, *_ in symbols} == {0, 1}
    assert {amplitude > 0 for *_, amplitude in symbols} == {True, False}
    for _, begin_ns, middle_ns, end_ns, amplitude in symbols:
        assert begin_ns < middle_ns < end_ns
        assert 1 <= abs(amplitude) <= AMPLITUDE


def _ended(own: Controllers, seconds: float) -> dict[str, Any]:
    """What is told once a check has ended."""
    return own.await_status(
        lambda now: any(check["state"] != "running" for check in _checks(now)),
        seconds,
    )


@pytest.mark.usefixtures("allowed")
def test_one_link_is_checked_and_the_kernel_finds_what_its_twin_finds(
    controllers_allowed: Path, tmp_path: Path
) -> None:
    with loaded(controllers_allowed, "--check", "--log-checks") as own:
        with emulated(tmp_path, _EXAMPLES / "shared.json"):
            # Memory is read before pairs are: a moment later it is that of a check.
            told = own.await_status(lambda now: any(check["took_s"] > 1 for check in _checks(now)), _LONGEST_S)
            while_on_bytes = told["memory_bytes"]
            assert _checks(told)[0]["state"] == "running"
            _ended(own, _LONGEST_S)
            told = own.await_status(lambda now: now["memory_bytes"] < while_on_bytes, PATIENCE_S)
        (check,) = _checks(told)
        # What is right is counted by the study: here it has to be what the twin finds.
        assert check["state"] in {"shared", "apart", "unknown"}
        assert 0 < check["took_s"] < _LONGEST_S
        assert check["symbols"] > 0
        assert told["memory_bytes"] == while_on_bytes - _PAGE_BYTES
        counts = told["counts"]
        assert counts["check_events_lost"] == 0
        assert counts["checks"] >= counts[f"checks_{check['state']}"] >= 1
        assert f"check {check['state']}, begun" in own.asked("status").stdout
        lines = own.asked("checks").stdout.splitlines()
        assert own.asked("checks").stdout == ""
    assert (check["state"], check["state"]) in _found(lines)
    # A check that the common lag ended itself has found nothing.
    assert all(kernel == twin for kernel, twin in _found(lines) if kernel != "none")
    _assert_symbols_are_by_the_rules(lines)


@pytest.mark.slow
@pytest.mark.usefixtures("allowed")
def test_links_whose_capacity_moves_together_are_told_apart(controllers_allowed: Path, tmp_path: Path) -> None:
    """Three pairs of links without other flows: each was told apart in 8 of 8 when it was measured."""
    networks = [own for own in draw(9, 32.0, 20261201) if own.label == TWIN and own.number in {2, 6, 8}]
    files = [tmp_path / f"{network.name}.json" for network in networks]
    for network, file in zip(networks, files, strict=True):
        file.write_text(written(network.scenario))
    with loaded(controllers_allowed, "--check", "--log-checks") as own:
        with emulated(tmp_path, *files):
            told = own.await_status(lambda now: any(check["state"] == "apart" for check in _checks(now)), _LONGEST_S)
            vetoed = [
                pair
                for one in told["connections"]
                for pair in one["pairs"]
                if pair["check"] and pair["check"]["state"] == "apart" and pair["shared"]
            ]
            assert all(pair["check"]["took_s"] < _LONGEST_S for pair in vetoed)
        lines = own.asked("checks").stdout.splitlines()
        assert own.status()["counts"]["checks_shared"] == 0
    assert all(kernel == twin for kernel, twin in _found(lines) if kernel != "none")


@pytest.mark.usefixtures("allowed")
def test_without_it_no_window_is_moved(controllers_allowed: Path, tmp_path: Path) -> None:
    counts = {}
    for options in ((), ("--check",)):
        with loaded(controllers_allowed) as own:
            own.asked("unload")
            said = own.asked("load", "--verbose", *options)
            assert said.returncode == 0, said.stderr
        verified = [line.split() for line in said.stderr.splitlines() if line.endswith("instructions verified")]
        counts[options] = {name.rstrip(":"): int(count) for name, count, *_ in verified}
    # The verifier leaves out what a setting that is fixed never reaches.
    assert counts[()]["any_cong_avoid"] < counts[("--check",)]["any_cong_avoid"]
    shared = next(own for own in draw(1, 12.0, 20261201) if own.label == SHARED)
    (tmp_path / "shared.json").write_text(written(shared.scenario))
    with loaded(controllers_allowed) as own, emulated(tmp_path, tmp_path / "shared.json"):
        told = own.await_status(
            lambda now: any(pair["shared"] for one in now["connections"] for pair in one["pairs"]), _LONGEST_S
        )
        assert told["checks"] is False
        assert _checks(told) == []
        assert told["counts"]["checks"] == 0
        assert own.asked("checks").stdout == ""
