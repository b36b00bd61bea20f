"""Workflows may read and no more, and run what is pinned by its digest."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))


def content(path: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load(path.read_text())
    return loaded


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_reads_and_takes_what_is_pinned(path: Path) -> None:
    workflow = content(path)
    assert workflow["permissions"] == {"contents": "read"}
    for job in workflow["jobs"].values():
        assert "permissions" not in job and job["timeout-minutes"]
        # What is installed there is signed by Debian, as the image's content is.
        assert job.get("container", "debian:bookworm") == "debian:bookworm"
        for step in job["steps"]:
            if "uses" in step:
                assert re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", step["uses"]), step["uses"]


def test_every_change_is_checked_and_what_is_run_is_there() -> None:
    # YAML reads the key `on` as true.
    on_change = [path for path in WORKFLOWS if "pull_request" in content(path).get(True, {})]  # type: ignore[call-overload]
    commands = {
        step["run"]
        for path in on_change
        for job in content(path)["jobs"].values()
        for step in job["steps"]
        if "run" in step
    }
    assert ".ci/run" in commands and (ROOT / ".ci/run").stat().st_mode & 0o100
    targets = re.findall(r"^([a-z]\w*):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    made = {word for command in commands for word in re.findall(r"\bmake (\w+)", command)}
    assert made <= set(targets)


def test_the_readme_s_commands_run_on_a_bare_machine_in_their_order() -> None:
    """Nothing is installed but what the page names, and who runs them is not root."""
    (job,) = [
        job for path in WORKFLOWS for job in content(path)["jobs"].values() if job.get("container") == "debian:bookworm"
    ]
    commands = [step["run"] for step in job["steps"] if "run" in step]
    (named,) = re.findall(r"`apt-get install ([^`]+)`", (ROOT / "docs/running.md").read_text())
    assert [one.partition("--no-install-recommends ")[2] for one in commands if "apt-get" in one] == [named]
    made = [found[1] for one in commands if (found := re.fullmatch(r'su reader --command "make (\w+)"', one))]
    assert made == re.findall(r"^make (\w+)", (ROOT / "README.md").read_text(), re.MULTILINE)
