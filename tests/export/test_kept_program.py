"""Programs that are kept: compiled once for the same sources, and anew for others."""

from __future__ import annotations

import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from smartsbd.export.compilers import Compiler, compiled, installed
from smartsbd.export.kept_program import kept


def build(place: Path, source: Path, compiler: Compiler, built: list[str]) -> Path:
    built.append(source.read_text())
    compiled(compiler, source, place / "program", [])
    return place / "program"


def exit_code(program: Path) -> int:
    return subprocess.run([program], check=False).returncode


def test_a_program_is_compiled_once_until_its_source_changes(tmp_path: Path) -> None:
    source, folder, built = tmp_path / "a.c", tmp_path / "programs", list[str]()
    (compiler, *_) = installed()

    def program() -> Path:
        return kept(folder, "a", compiler, [source], lambda place: build(place, source, compiler, built))

    source.write_text("int main(void) { return 3; }\n")
    with ThreadPoolExecutor(4) as pool:
        programs = {each.result() for each in [pool.submit(program) for _ in range(4)]}
    assert [exit_code(each) for each in programs] == [3]
    assert len(built) == 1
    source.write_text("int main(void) { return 4; }\n")
    assert exit_code(program()) == 4
    assert len(built) == 2
    assert sorted(path.name[:2] for path in folder.iterdir()) == ["a-", "a."]
