"""A header as a judge: ours runs with our runtime alone, another only if it is trusted, and each of them ends."""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import signal
import sys
import time
from pathlib import Path

import pytest

from smartsbd.contracts.fault import printable
from smartsbd.detectors import bounded_process
from smartsbd.detectors.bounded_process import OverLimitError, ProcessLimits
from smartsbd.export import compilers, header_program
from smartsbd.export.compiled_header import HEADERS, SUMS, Compiled, NoHeaderError, UntrustedHeaderError
from smartsbd.export.compilers import CompileError
from smartsbd.export.header_program import Decision, ReplayError
from smartsbd.traces import recording
from smartsbd.traces.connection import Connection
from smartsbd.traces.dialect import Dialect
from smartsbd.traces.recording import Recording
from tests.night import few_now
from tests.processes import PATIENCE_S, runs, waited_for

ROOT = Path(__file__).parents[2]
NAMES = ("sbd_forest_invariant", "sbd_tree_invariant", "sbd_tree_paper")
SHORT = ProcessLimits(time_s=1, file_bytes=1 << 20)
#: For what ends by itself, on a machine that others share.
LONG = ProcessLimits(time_s=PATIENCE_S, file_bytes=1 << 20)
FOREIGN = "sbd_foreign"


@pytest.fixture(scope="module")
def connection() -> Connection:
    """A connection of a real kernel."""
    (recorded,) = recording.read_all([ROOT / "data/samples/kernel/inputs/101.state.csv.zst"], Dialect())
    assert isinstance(recorded, Recording)
    ((_, found),) = recorded.connections()
    return found


def constructor(body: str, name: str = FOREIGN) -> str:
    """A header of a model that does as the tree, and something before."""
    tree = (HEADERS / "sbd_tree_paper.h").read_text().replace("sbd_tree_paper", name)
    includes = "#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n"
    return f"{includes}{tree}\n__attribute__((constructor)) static void at_first(void) {{ {body} }}\n"


def foreign(folder: Path, body: str) -> Path:
    path = folder / f"{FOREIGN}.h"
    path.write_text(constructor(body))
    return path


def said_by(
    path: Path, connection: Connection, *, trusted: bool = False, limits: ProcessLimits | None = None
) -> list[Decision]:
    return Compiled(path, trusted=trusted, limits=limits).decisions(connection)


def line_of(error: pytest.ExceptionInfo[Exception]) -> str:
    """What is shown of an error: one line, and all of it printable."""
    line = str(error.value)
    assert line == printable(line) and 0 < len(line) < 600
    return line


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name == "sbd_tree_paper" else pytest.mark.slow) for name in NAMES]
)
def test_our_headers_run_as_they_are_wherever_they_stand(name: str, connection: Connection, tmp_path: Path) -> None:
    expected = said_by(HEADERS / f"{name}.h", connection)
    assert expected
    renamed = tmp_path / "renamed-by a.user.h"
    shutil.copy(HEADERS / f"{name}.h", renamed)
    assert said_by(renamed, connection) == expected
    link = tmp_path / "link.h"
    link.symlink_to(renamed)
    assert said_by(link, connection) == expected


@pytest.mark.parametrize("name", NAMES)
def test_one_changed_byte_makes_a_header_a_foreign_one(name: str, tmp_path: Path) -> None:
    content = bytearray((HEADERS / f"{name}.h").read_bytes())
    content[len(content) // 2] ^= 1
    changed = tmp_path / f"{name}.h"
    changed.write_bytes(content)
    with pytest.raises(UntrustedHeaderError, match=r"--trust-header .* \.sbd files") as refused:
        Compiled(changed)
    line_of(refused)
    assert refused.value.exit_code == 3


def test_sums_beside_a_header_do_not_vouch_for_it(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    path = foreign(tmp_path, f'fclose(fopen("{mark}", "w"));')
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    (tmp_path / SUMS).write_text(f"{digest}  {path.name}\n")
    with pytest.raises(UntrustedHeaderError):
        Compiled(path)
    link = tmp_path / "sbd_tree_paper.h"
    link.symlink_to(path)
    with pytest.raises(UntrustedHeaderError):
        Compiled(link)
    assert not mark.exists()


@pytest.mark.slow
def test_what_a_foreign_header_brings_is_run_only_if_it_is_trusted(connection: Connection, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    path = foreign(tmp_path, f'fclose(fopen("{mark}", "w"));')
    with pytest.raises(UntrustedHeaderError):
        Compiled(path)
    assert not mark.exists()
    assert said_by(path, connection, trusted=True) == said_by(HEADERS / "sbd_tree_paper.h", connection)
    assert mark.exists()


@pytest.mark.slow
def test_a_poisoned_runtime_beside_our_header_is_not_used(connection: Connection, tmp_path: Path) -> None:
    """Unless the header is trusted: then what stands beside it goes with it."""
    mark = tmp_path / "mark"
    shutil.copy(HEADERS / "sbd_tree_paper.h", tmp_path)
    ours = (HEADERS / "smartsbd.h").read_text()
    poison = f'__attribute__((constructor)) static void first(void) {{ fclose(fopen("{mark}", "w")); }}\n'
    (tmp_path / "smartsbd.h").write_text(f"#ifndef ONCE\n#define ONCE\n#include <stdio.h>\n{ours}\n{poison}#endif\n")
    (tmp_path / "sbd_loaded.h").write_text(f'#error "{tmp_path}"\n')
    expected = said_by(HEADERS / "sbd_tree_paper.h", connection)
    assert said_by(tmp_path / "sbd_tree_paper.h", connection) == expected
    assert not mark.exists()
    (tmp_path / "sbd_loaded.h").unlink()
    assert said_by(tmp_path / "sbd_tree_paper.h", connection, trusted=True) == expected
    assert mark.exists()


@pytest.mark.parametrize(
    "include", ['#include "{}"\n', '#include "{}"\n#error \x1b[2J\n'], ids=["include", "and escapes"]
)
def test_the_compilers_message_shows_nothing_that_is_included(include: str, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("alice:hunter2:0:0\n")
    path = tmp_path / f"{FOREIGN}.h"
    path.write_text(include.format(secret) + constructor(""))
    for trusted, kind in ((False, UntrustedHeaderError), (True, CompileError)):
        with pytest.raises(kind) as refused:
            Compiled(path, trusted=trusted)
        assert "hunter2" not in line_of(refused) and "alice" not in line_of(refused)
    assert "does not compile" in line_of(refused)


def test_a_failing_tool_is_told_in_one_line(tmp_path: Path) -> None:
    source = tmp_path / "a\x1b[2J.c"
    source.write_text("int main(void)\n{\n\treturn \x1b[31mnowhere;\n}\n")
    with pytest.raises(CompileError, match="failed") as failed:
        compilers.compiled(compilers.installed()[0], source, tmp_path / "a", [])
    assert "error" in line_of(failed)


@pytest.mark.slow
@pytest.mark.parametrize("body", ["for (;;) { }", "for (;;) pause();"], ids=["busy", "asleep"])
def test_an_endless_program_ends(body: str, connection: Connection, tmp_path: Path) -> None:
    path = foreign(tmp_path, body)
    judge = Compiled(path, trusted=True, limits=SHORT)
    began_s = time.monotonic()
    with pytest.raises(OverLimitError, match="did not end within 1 s") as ended:
        judge.decisions(connection)
    assert time.monotonic() - began_s < PATIENCE_S
    line_of(ended)
    assert ended.value.exit_code == 1


@pytest.mark.slow
@pytest.mark.parametrize("after", ["for (;;) pause();", ""], ids=["over time", "in time"])
def test_what_a_program_has_started_ends_with_it(after: str, connection: Connection, tmp_path: Path) -> None:
    child = tmp_path / "child"
    body = (
        f'if (!fork()) {{ FILE *f = fopen("{child}.new", "w"); fprintf(f, "%d", (int)getpid()); fclose(f);'
        f' rename("{child}.new", "{child}"); for (;;) pause(); }} while (access("{child}", F_OK)) usleep(1000); {after}'
    )
    judge = Compiled(foreign(tmp_path, body), trusted=True, limits=SHORT if after else LONG)
    if after:
        with pytest.raises(OverLimitError):
            judge.decisions(connection)
    else:
        assert judge.decisions(connection)
    process = int(child.read_text())
    if not waited_for(lambda: not runs(process)):
        os.kill(process, signal.SIGKILL)
        pytest.fail("what the program had started still runs")


def test_a_process_of_its_own_session_has_its_cpu_time_limited() -> None:
    """It is not followed, but it does not run for ever."""
    done = bounded_process.run(["sh", "-c", "setsid sh -c 'ulimit -S -t; ulimit -H -t'"], ProcessLimits(7.9, 1 << 20))
    assert done.output.split() == [b"7", b"12"]


def test_a_lower_limit_of_the_user_stays() -> None:
    limits = "ProcessLimits(60, 9999)"
    within = f"from smartsbd.detectors.bounded_process import *; print(run(['sh', '-c', 'ulimit -t'], {limits}))"
    command = ["sh", "-c", f'ulimit -t 20; exec {shlex.quote(sys.executable)} -c "{within}"']
    done = bounded_process.run(command, ProcessLimits(100, 1 << 20))
    assert b"exit_code=0, output=b'20\\n'" in done.output


def test_an_endless_output_ends(connection: Connection, tmp_path: Path) -> None:
    path = foreign(tmp_path, 'for (;;) puts("C=0 GROUPS");')
    with pytest.raises(OverLimitError, match="wrote more than") as ended:
        said_by(path, connection, trusted=True, limits=ProcessLimits(60, 1 << 20))
    line_of(ended)


@pytest.mark.parametrize(
    "body",
    few_now(
        [
            r'puts("\033[2J\377"); fflush(stdout);',
            r'printf("C=0 SF=0,1 %0*d 1 SB\n", 9999, 1);',
            r"for (int i = 0; i < 9999; i++) putchar(97);",
            r'fputs("\033[2J\r\nline\n", stderr); _exit(1);',
            "abort();",
        ],
        now=["abort();"],
    ),
)
def test_whatever_a_program_says_is_one_line(body: str, connection: Connection, tmp_path: Path) -> None:
    with pytest.raises(ReplayError) as failed:
        said_by(foreign(tmp_path, body), connection, trusted=True)
    line_of(failed)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("include", "said"), [("/dev/zero", "does not compile|did not end"), ("/dev/stdin", "does not compile")]
)
def test_an_endless_include_ends(include: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / f"{FOREIGN}.h"
    path.write_text(f'#include "{include}"\n')
    with pytest.raises((CompileError, OverLimitError), match=said) as ended:
        Compiled(path, trusted=True, compiler_limits=ProcessLimits(10, 1 << 20, 1 << 29))
    line_of(ended)


@pytest.mark.slow
def test_a_compiler_that_takes_for_ever_ends(tmp_path: Path) -> None:
    """Ten macros of ten each, ten deep."""
    path = tmp_path / f"{FOREIGN}.h"
    macros = [f"#define M{depth} {' '.join([f'M{depth - 1}'] * 10)}" for depth in range(1, 11)]
    path.write_text("\n".join(["#define M0 int x;", *macros, "M10\n"]))
    with pytest.raises(OverLimitError, match="did not end within 1 s"):
        Compiled(path, trusted=True, compiler_limits=SHORT)


@pytest.mark.parametrize("name", ["smartsbd", "sbd_loaded", "sbd_lag_excess", "sbd_common_lag"])
def test_a_header_of_ours_without_a_model_is_no_judge(name: str) -> None:
    with pytest.raises(NoHeaderError, match="holds no model"):
        Compiled(HEADERS / f"{name}.h")


def test_a_header_is_called_as_its_model(tmp_path: Path) -> None:
    path = tmp_path / "a b\x1b.h"
    path.write_text(constructor(""))
    with pytest.raises(NoHeaderError, match="letters, digits") as refused:
        Compiled(path, trusted=True)
    line_of(refused)


def test_limits_grow_with_the_input() -> None:
    small, large = header_program.limits_for(0), header_program.limits_for(10_000_000)
    assert (small.time_s, large.time_s) == (60, 160)
    assert large.file_bytes == small.file_bytes + 640_000_000
