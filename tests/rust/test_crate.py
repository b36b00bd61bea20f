"""The crate is whole: its own tests, its documents, its form, and what a package of it holds."""

from __future__ import annotations

import re
import shutil
import tomllib
from pathlib import Path

import pytest

from tests.rust.conftest import BUILT, CRATE, cargo

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_its_tests_and_examples_pass() -> None:
    """With checks of overflow: also random samples, times and windows; and the program of its README."""
    assert "README.md" in cargo("test", "--locked")


@pytest.mark.slow
def test_it_is_formatted_and_clippy_and_rustdoc_have_no_warning() -> None:
    cargo("fmt", "--check")
    cargo("clippy", "--locked", "--all-targets", "--", "--deny", "warnings")
    cargo("rustdoc", "--locked", "--lib", "--", "--deny", "warnings")


@pytest.mark.slow
def test_a_package_of_it_has_its_licences_and_nothing_beside() -> None:
    files = cargo("package", "--list", "--allow-dirty", "--quiet").split()
    assert {"LICENSE-GPL-2.0", "LICENSE-MIT", "README.md", "src/lib.rs"} <= set(files)
    assert all(re.fullmatch(r"(src|tests|examples)/(\w+/)?\w+\.rs|[\w.-]+", name) for name in files)
    cargo("package", "--no-verify", "--allow-dirty", "--quiet")


@pytest.mark.slow
def test_the_program_of_its_readme_is_whole_for_a_stranger(tmp_path: Path) -> None:
    """A project of its own that takes the package as it would be published, not this folder."""
    cargo("package", "--no-verify", "--allow-dirty", "--quiet")
    (package,) = (BUILT / "package").glob("smartsbd-*.crate")
    shutil.unpack_archive(package, tmp_path, "gztar", filter="data")
    program = re.search(r"```rust\n(.*?)```", (CRATE / "README.md").read_text(), re.DOTALL)
    assert program
    assert len(program[1].splitlines()) <= 30
    project = tmp_path / "stranger"
    (project / "src").mkdir(parents=True)
    manifest = (
        f'[package]\nname = "stranger"\nedition = "2024"\n[dependencies]\nsmartsbd = {{ path = "../{package.stem}" }}\n'
    )
    (project / "Cargo.toml").write_text(manifest)
    (project / "src/main.rs").write_text(f'fn main() {{\n{program[1]}println!("{{judgement:?}}");\n}}\n')
    said = cargo("run", "--quiet", "--manifest-path", str(project / "Cargo.toml"))
    assert "verdict: Shared" in said and "warning" not in said


def test_it_needs_nothing_and_is_safe() -> None:
    manifest = tomllib.loads((CRATE / "Cargo.toml").read_text())
    assert not {"dependencies", "dev-dependencies", "build-dependencies"} & manifest.keys()
    assert manifest["lints"]["rust"]["unsafe_code"] == "forbid"
    attributes = (CRATE / "src/lib.rs").read_text()
    assert "#![no_std]" in attributes and "#![forbid(unsafe_code)]" in attributes
    assert manifest["package"]["rust-version"] in (CRATE / "README.md").read_text()


def test_its_licences_are_those_of_the_project() -> None:
    for ours, theirs in (("LICENSE-GPL-2.0", "GPL-2.0-only.txt"), ("LICENSE-MIT", "MIT.txt")):
        assert (CRATE / ours).read_text() == (ROOT / "LICENSES" / theirs).read_text()
