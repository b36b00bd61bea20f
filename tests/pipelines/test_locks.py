"""What is installed is locked with its digest, and so is what source distributions are built with."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LOCKS = sorted(ROOT.glob("requirements/*.txt"))
PIN = re.compile(r"^([a-z0-9][\w.-]*)(?:\[[\w,-]+\])?==(\S+)", re.MULTILINE)
#: What comes as a source distribution, by lock, with what builds it.
BUILT = {
    "main": {"antlr4-python3-runtime": {"setuptools"}},
    "auto-sklearn": {
        "auto-sklearn": {"setuptools"},
        "liac-arff": {"setuptools"},
        "pynisher": {"setuptools", "wheel"},
        "smac": {"setuptools"},
    },
}
BUILD_LOCKS = {"main": "main", "auto-sklearn": "auto-sklearn-build"}


def pins(lock: Path) -> dict[str, list[str]]:
    """Return a lock's packages with their digests."""
    found: dict[str, list[str]] = {}
    for entry in re.split(r"\n(?=\S)", lock.read_text()):
        if pin := PIN.match(entry):
            found[pin[1]] = re.findall(r"--hash=sha256:([0-9a-f]{64})\b", entry)
    return found


def installs() -> list[list[str]]:
    """Return every command of the set-up that installs packages, without its variables."""
    dry = [
        "make",
        "--dry-run",
        "--always-make",
        "setup",
        "core",
        "app",
        "audit",
        ".venv/bench/.installed",
        ".venv/docs/.installed",
        "GROUPS=train",
    ]
    shown = subprocess.run(dry, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    shown += (ROOT / "requirements/auto-sklearn.sh").read_text()
    commands = shown.replace("\\\n", " ").splitlines()
    return [shlex.split(one) for one in commands if re.search(r'(pip"?|uv"?) (pip )?(install|sync) ', one)]


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.stem)
def test_each_package_of_a_lock_has_its_digest(lock: Path) -> None:
    assert lock.read_text().count("==") >= len(pins(lock)) > 0
    assert [name for name, digests in pins(lock).items() if not digests] == []


@pytest.mark.parametrize("lock", BUILT)
def test_what_source_distributions_are_built_with_is_locked(lock: str) -> None:
    builders = pins(ROOT / f"requirements/{BUILD_LOCKS[lock]}.txt")
    for name, needed in BUILT[lock].items():
        assert name in pins(ROOT / f"requirements/{lock}.txt")
        assert all(builders[one] for one in needed)


def test_each_command_takes_wheels_alone_or_builds_with_what_is_locked() -> None:
    commands = installs()
    assert len(commands) >= 10
    for command in commands:
        ours = {"--no-build-isolation", "--no-deps", "--offline"} <= set(command)
        wheels = "--only-binary" in command and command[command.index("--only-binary") + 1] == ":all:"
        built = "--require-build-hashes" in command and "--build-constraints" in command
        assert ours or wheels or built, command
        assert ours or {"--require-hashes", "--verify-hashes"} & set(command), command


@pytest.mark.slow
@pytest.mark.parametrize(("change", "refused"), [("", False), ("changed", True), ("none", True)])
def test_a_builder_of_another_digest_is_refused(tmp_path: Path, change: str, refused: bool) -> None:
    """The real set-up's options build antlr4 of the main lock, with an empty cache."""
    uv = shutil.which("uv", path=str(Path(sys.executable).parent))
    assert uv is not None
    lock = (ROOT / "requirements/main.txt").read_text()
    entry = re.search(r"^setuptools==.*?(?=^\S)", lock, re.MULTILINE | re.DOTALL)
    assert entry is not None
    own = {"": entry[0], "changed": re.sub(r"sha256:[0-9a-f]{8}", "sha256:00000000", entry[0]), "none": ""}[change]
    builders = tmp_path / "builders.txt"
    builders.write_text(lock.replace(entry[0], own))
    [options] = re.findall(r"^BUILT_WITH := (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    python = ["--python", sys.executable, f"--target={tmp_path}/site", f"--cache-dir={tmp_path}/cache"]
    done = subprocess.run(
        [uv, "pip", "install", *python, "--no-deps", *options.split(), str(builders), "antlr4-python3-runtime==4.9.3"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode != 0) == refused, done.stderr
    assert (tmp_path / "site/antlr4").exists() != refused
    assert not refused or "setuptools" in done.stderr


def audited(tmp_path: Path, said: str, lock: str = "main.txt") -> tuple[int, list[str]]:
    """Run the look-up of vulnerabilities with a service that says this."""
    (tmp_path / "said").write_text(said)
    program = tmp_path / "pip-audit"
    program.write_text(f'#!/bin/sh\ncat "{tmp_path}/said"\necho "no route to the service" >&2\n')
    program.chmod(0o755)
    command = [sys.executable, str(ROOT / "requirements/audit.py"), str(program), lock]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return done.returncode, done.stdout.splitlines()


KNOWN = {"name": "one", "version": "1.0", "vulns": [{"id": "PYSEC-1", "fix_versions": ["1.1"], "aliases": []}]}
SAFE = {"name": "two", "version": "2.0", "vulns": []}
SKIPPED = {"name": "three", "skip_reason": "three is not found"}


def test_a_known_vulnerability_fails_and_what_is_not_looked_up_is_counted(tmp_path: Path) -> None:
    said = json.dumps({"dependencies": [KNOWN, SAFE, SKIPPED], "fixes": []})
    lines = [
        "one 1.0: PYSEC-1, mended in 1.1",
        "2 of 3 packages looked up, 1 with a known vulnerability",
        "1 could not be looked up, for instance: three is not found",
    ]
    assert audited(tmp_path, said) == (1, [f"main.txt: {line}" for line in lines])
    code, _ = audited(tmp_path, said, "auto-sklearn.txt")
    assert code == 0
    assert audited(tmp_path, json.dumps({"dependencies": [SAFE], "fixes": []}))[0] == 0


def test_who_cannot_ask_says_so(tmp_path: Path) -> None:
    assert audited(tmp_path, "") == (0, ["main.txt: no package could be looked up: no route to the service"])
