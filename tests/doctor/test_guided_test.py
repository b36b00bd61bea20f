"""What a folder says was done, and what it may not say."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from smartsbd.doctor.guided_test import TEST, GuidedTest, GuidedTestError, Settings
from smartsbd.doctor.network_path import NetworkPath

SAMPLES = Path(__file__).parent / "samples"


def changed(folder: Path, change: Any) -> Path:
    """A sample with something else in its file."""
    shutil.copytree(SAMPLES / "shared", folder, dirs_exist_ok=True)
    whole = json.loads((folder / TEST).read_text())
    change(whole)
    (folder / TEST).write_text(json.dumps(whole))
    return folder


def test_a_finished_test_is_read() -> None:
    found = GuidedTest.read(SAMPLES / "shared")
    assert [one.name for one in found.phases] == ["idle", "first", "second", "both"]
    assert found.settings.names == ("10.0.0.1", "10.0.1.1")


def test_a_folder_without_a_test_is_refused(tmp_path: Path) -> None:
    with pytest.raises(GuidedTestError, match="is not the folder of a finished test: No such file"):
        GuidedTest.read(tmp_path)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda whole: whole["phases"].reverse(), "phases are idle, first, second, both"),
        (lambda whole: whole["phases"].pop(), "phases"),
        (lambda whole: whole.update(phases=whole["phases"][:3]), "phases are idle, first, second, both"),
        (lambda whole: whole["phases"][1].update(broken="refused"), "phases are idle, first, second, both"),
        (lambda whole: whole["phases"][3].update(broken=""), "phases.3.broken"),
        (
            lambda whole: whole["phases"][2].update(begin_s=whole["phases"][1]["end_s"] - 0.01),
            "test.json: phase second begins before phase first has ended: phases do not overlap",
        ),
        (lambda whole: whole["phases"][0].update(end_s=0), "each of some length"),
        (lambda whole: whole["phases"][0].update(begin_s=float("nan")), "phases.0.begin_s"),
        (lambda whole: whole.update(more=1), "more: Extra inputs"),
        (lambda whole: whole["settings"].update(load="ftp"), "settings.load"),
        (lambda whole: whole["settings"]["paths"][0].update(source="a b"), "settings.paths.0.source"),
        (lambda whole: whole["settings"].update(both_s=-1), "settings.both_s"),
    ],
)
def test_what_no_test_has_is_refused(tmp_path: Path, change: Any, why: str) -> None:
    with pytest.raises(GuidedTestError, match=why):
        GuidedTest.read(changed(tmp_path, change))


def test_a_test_may_end_with_a_load_that_broke_off(tmp_path: Path) -> None:
    def broken(whole: Any) -> None:
        whole.update(phases=whole["phases"][:3])
        whole["phases"][2].update(broken="refused")

    found = GuidedTest.read(changed(tmp_path, broken))
    assert [one.broken for one in found.phases] == [None, None, "refused"]


def test_no_json_and_too_much_of_it_are_refused(tmp_path: Path) -> None:
    (tmp_path / TEST).write_text("{")
    with pytest.raises(GuidedTestError, match="Invalid JSON"):
        GuidedTest.read(tmp_path)
    (tmp_path / TEST).write_bytes(b" " * (11 << 20))
    with pytest.raises(GuidedTestError, match="more than 10485760 bytes"):
        GuidedTest.read(tmp_path)


def test_names_are_where_paths_differ() -> None:
    def settings(*sources: str) -> Settings:
        one, other = (
            NetworkPath(source=source, load="http://a/", echo=echo)
            for source, echo in zip(sources, ("192.0.2.1", "192.0.2.2"), strict=True)
        )
        return Settings(
            paths=(one, other),
            load="http",
            idle_s=3,
            alone_s=5,
            both_s=20,
            streams=4,
            echo_interval_ms=20,
            most_mb=1,
        )

    assert settings("wlan0", "wwan0").names == ("wlan0", "wwan0")
    assert settings("lo", "lo").names == ("192.0.2.1", "192.0.2.2")
    assert settings("wlan0", "wwan0").lines()[0].startswith("33 s: 3 s without load, 5 s with load on wlan0 alone")
