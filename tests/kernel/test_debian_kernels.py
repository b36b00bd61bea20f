"""The recorder and the controllers on Debian's kernels, in a virtual machine."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from smartsbd.traces import recording
from smartsbd.traces.dialect import Dialect
from smartsbd.traces.formats import event_log
from tests.kernel.conftest import BUILT, ROOT
from tests.kernel.controllers import MOST_INSTRUCTIONS
from tests.kernel.recorded import (
    Recorded,
    Told,
    assert_samples_are_those_told,
    assert_states_are_recorded_when_told,
    witnessed,
)
from tests.kernel.virtual_machine import UnavailableError, boot, unpacked

pytestmark = pytest.mark.slow

_LEAST_SAMPLES = 200
_MODEL = ROOT / "export/generated/forest_invariant.sbd"
_FENTRY = "samples from fentry/tcp_rate_gen"
_PROBE = "samples from tp_btf/tcp_probe in place of fentry/tcp_rate_gen, which was refused (--probe)"


@dataclass(frozen=True)
class Machine:
    """What a kernel's machine handed out."""

    out: Path

    def recorded(self, name: str) -> Recorded:
        return Recorded(self.out / f"{name}.log", (self.out / f"{name}.err").read_text().splitlines())

    def witnessed(self, kind: str) -> Told:
        ready, lines = (self.out / "witness.txt").read_text().split("\n", 1)
        assert ready == "ready"
        return witnessed(lines, kind)


@pytest.fixture(scope="module", params=["6.1", "6.12"])
def machine(request: pytest.FixtureRequest, recorder: Path, tmp_path_factory: pytest.TempPathFactory) -> Machine:
    release: str = request.param
    try:
        package = unpacked(release, BUILT / "debian")
        out = boot(package, [recorder, BUILT / "witness"], tmp_path_factory.mktemp("machine"))
    except UnavailableError as error:
        pytest.skip(str(error))
    assert (out / "release").read_text().startswith(f"{release}."), (out / "console").read_text()
    return Machine(out)


def test_fentry_samples_are_those_that_a_controller_is_told(machine: Machine) -> None:
    own, told = machine.recorded("client"), machine.witnessed("RTT")
    assert own.said[0] == f"sbd record: {_FENTRY}"
    assert {subflow for _, subflow in told} == {"1", "2", "3"}
    assert all(len(values) > _LEAST_SAMPLES for values in told.values())
    assert_samples_are_those_told(own, told)
    assert own.summary == (1, 3, sum(len(values) for values in told.values()), 0, 0)


def test_tcp_probe_samples_are_nearly_those(machine: Machine) -> None:
    own = machine.recorded("probe")
    assert own.said[0].startswith(f"sbd record: {_PROBE}")
    assert_samples_are_those_told(own, machine.witnessed("RTT"))


@pytest.mark.parametrize("name", ["client", "probe"])
def test_states_are_recorded_when_a_controller_is_told(machine: Machine, name: str) -> None:
    told = machine.witnessed("CA")
    assert sum(len(values) for values in told.values()) > 10
    assert_states_are_recorded_when_told(machine.recorded(name), told)


def test_a_subflow_that_is_made_anew_is_another(machine: Machine) -> None:
    """What was sent again is counted for each; by the ids of its addresses it would be the one before."""
    own = machine.recorded("client")
    ends = re.findall(r"SF=(\d) is (10\.77\.\d\.1):", own.text)
    assert ends == [("1", "10.77.1.1"), ("2", "10.77.2.1"), ("3", "10.77.2.1")]
    sent_again = sum(count for values in own.told("RTX").values() for _, count in values)
    assert 0 < sent_again < own.summary[2]


def test_both_ends_are_recorded_and_a_port_tells_them_apart(machine: Machine) -> None:
    both, client = machine.recorded("both"), machine.recorded("client")
    connections, _, samples, lost, _ = both.summary
    assert (connections, lost) == (2, 0)
    assert samples > client.summary[2]
    told = both.told("RTT")
    for key, values in client.told("RTT").items():
        assert [value for _, value in told[key]] == [value for _, value in values]


@pytest.mark.parametrize("name", ["client", "probe", "both"])
def test_the_log_is_read_without_a_refusal(machine: Machine, name: str) -> None:
    own = machine.recorded(name)
    assert event_log.recognises(own.out.read_bytes()[:4096])
    trace = recording.read(own.out, Dialect()).trace
    assert trace.refusals == []
    assert trace.messages_lost == 0
    assert len(trace.connections) == own.summary[0]


def _booted(release: str, controllers_loader: Path, folder: Path) -> Path:
    try:
        return boot(unpacked(release, BUILT / "debian"), [controllers_loader], folder, "controllers", [_MODEL])
    except UnavailableError as error:
        pytest.skip(str(error))


def test_the_controllers_run(controllers_loader: Path, tmp_path: Path) -> None:
    out = _booted("6.12", controllers_loader, tmp_path)
    assert (out / "release").read_text().startswith("6.12."), (out / "console").read_text()
    for name in ("common_lag", "checked", "model"):
        *lines, code = (out / f"{name}.loaded").read_text().splitlines()
        assert code == "0", lines
        counts = [int(line.split()[1]) for line in lines if line.endswith("instructions verified")]
        assert len(counts) > 5
        assert max(counts) <= MOST_INSTRUCTIONS
    for name, by in (("lia", "always"), ("common_lag", "common_lag"), ("checked", "common_lag"), ("model", "model")):
        told = json.loads((out / f"{name}.json").read_text().splitlines()[0])
        (connection,) = [one for one in told["connections"] if one["pairs"]]
        assert connection["by"] == by
        assert len(connection["subflows"]) == 2
        if by != "always":
            assert min(subflow["signals"] for subflow in connection["subflows"]) > 100
    assert (out / "changed").read_text() == "0\n"
    assert "sbd_" not in (out / "left").read_text()


def test_a_kernel_without_arenas_is_refused_in_one_line(controllers_loader: Path, tmp_path: Path) -> None:
    out = _booted("6.1", controllers_loader, tmp_path)
    assert (out / "release").read_text().startswith("6.1."), (out / "console").read_text()
    line, code = (out / "common_lag.loaded").read_text().splitlines()
    assert (line, code) == ("sbd kernel: this kernel has no BPF arenas (Linux 6.9)", "1")
    assert (out / "common_lag.err").read_text() == "sbd kernel: the controllers are not loaded\n"
