r"""What steers a terminal, in names and records: every command shows it as text, such as ``\x1b``."""

from __future__ import annotations

import ast
import json
import logging
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from smartsbd.contracts.fault import printable
from smartsbd.pipelines.running import stage
from smartsbd.pipelines.running.stage import EXIT_BAD_INPUT, EXIT_OK, EXIT_USAGE, VisibleFormatter, VisibleParser, say
from tests.pipelines.test_new_dataset import log_of

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
#: A colour, a bell, a line end, C1's CSI, DEL, and what turns the direction of writing.
HOSTILE = "a\x1b[31m\a\nERROR\r\x9b1m\x7f\u202egol"
SHOWN = r"a\x1b[31m\x07\nERROR\r\x9b1m\x7f\u202egol"
#: A byte that is no UTF-8, as Python has it.
LONE = "\udcff"


def hostile_log() -> bytes:
    """A log that is read, with records that are refused: in the value, in the kind, and in the name of the sender."""
    bad = [
        b"smartsbd: 5 C=1 SF=0 V=RTT \x1b]0;title\x07",
        b"smartsbd: 5 C=1 SF=0 V=\x9b\x7f 7",
        b"smartsbd: \xe2\x80\xae",
    ]
    return b"\n".join([log_of(True, 1).encode().rstrip(b"\n"), *bad, b""])


def socket_stats() -> bytes:
    """Sockets as `ss` prints them, of which one has an end that steers."""
    return (
        b"1700000000.5\nState Recv-Q Send-Q Local Peer\n"
        + b"ESTAB 0 0 1.2.3.4:5 \x1b[2J\xc2\x9b:6 \n\t cubic rtt:20.5/3 bytes_acked:77\n"
    )


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("dvc.yaml", "params.yaml"):
        shutil.copy(ROOT / name, name)
    (tmp_path / "logs").mkdir()
    return tmp_path


def run(*arguments: object) -> tuple[int, str, str]:
    """Run a command; check that nothing but text, line ends and tabs comes out of it."""
    done = subprocess.run(
        [sys.executable, "-m", "pipelines", *map(str, arguments)],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        check=False,
        stdin=subprocess.DEVNULL,
        timeout=120,
    )
    out, err = done.stdout.decode(), done.stderr.decode()
    for text in (out, err):
        assert all(letter.isprintable() or letter in "\n\t" for letter in text), text
        assert "Traceback" not in text, text
        # Nobody wrote a line of ours.
        assert not any(line.startswith("ERROR\\r") or line == "ERROR" for line in text.split("\n")), text
    return done.returncode, out, err


def write(folder: Path) -> list[Path]:
    """Write inputs with hostile names: a log, sockets, what no parser knows, and one whose name is no UTF-8."""
    contents = {
        f"{HOSTILE}.log": hostile_log(),
        f"{HOSTILE}2.ss": socket_stats(),
        f"{HOSTILE}3.bin": b"\0\x1b[31m",
        f"{HOSTILE}{LONE}4.log": log_of(False, 2).encode(),
    }
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    return [folder / name for name in contents]


@pytest.mark.parametrize("more", [(), ("-v",)])
@pytest.mark.parametrize("command", ["inspect", "detect"])
def test_inspect_and_detect(project: Path, command: str, more: tuple[str, ...]) -> None:
    code, out, err = run(command, *more, *write(project / "logs"))
    assert code == EXIT_BAD_INPUT
    assert f"logs/{SHOWN}.log: " in out
    assert f"logs/{SHOWN}\\udcff4.log: " in out
    assert f"logs/{SHOWN}3.bin: " in err


def test_detect_in_json(project: Path) -> None:
    paths = write(project / "logs")
    code, out, _ = run("detect", "--json", *paths)
    assert code == EXIT_BAD_INPUT
    assert {json.loads(line)["input"] for line in out.splitlines()} == set(map(str, paths))


def test_parse_into_a_folder(project: Path) -> None:
    *paths, nameless = write(project / "logs")
    code, _, err = run("parse", *paths, "--out", "tables", "--name", HOSTILE)
    assert code == EXIT_BAD_INPUT
    assert f"logs/{SHOWN}.log: at byte " in err
    assert "1 of 3 inputs cannot be read" in err
    code, _, err = run("parse", nameless, "--out", "tables")
    assert code == EXIT_BAD_INPUT
    assert f"{SHOWN}\\udcff4.log: has a name that is no UTF-8: rename it" in err
    code, _, err = run("parse", nameless.with_name(f"{HOSTILE}{LONE}"), "--out", "tables")
    assert code == EXIT_BAD_INPUT
    assert f"{SHOWN}\\udcff: no such file" in err
    code, _, err = run("parse", paths[0], "--out", "logs")
    assert code == EXIT_USAGE
    assert f"logs holds {SHOWN}" in err


def test_the_stage_parse(project: Path) -> None:
    (project / "raw\x1b/inputs").mkdir(parents=True)
    write(project / "raw\x1b/inputs")[-1].unlink()
    places = ("--dataset", "sites", "--raw", "raw\x1b", "--tables", "tables", "--report", "report.json")
    code, _, err = run("parse", *places)
    assert code == stage.EXIT_FAILED
    assert f"inputs/{SHOWN}.log: at byte " in err
    assert "raw\\x1b: 1 of 3 inputs cannot be read" in err


@pytest.mark.parametrize("command", [("new-dataset", "--name", "mine"), ("score",)])
def test_labelled_inputs(project: Path, command: tuple[str, ...]) -> None:
    write(project / "logs")
    (project / "logs" / f"below{HOSTILE}").mkdir()
    labels = project / f"labels{HOSTILE}.csv"
    labels.write_text(f'input,shared\n"{HOSTILE}.log",true\nnone\x1b.log,maybe\x9b\n')
    code, _, err = run(*command, "logs", "--labels", labels)
    assert code == EXIT_BAD_INPUT
    assert f": {SHOWN}.log: its name is not printable" in err
    assert f": below{SHOWN}: is no file: left out" in err
    assert r"'none\x1b.log': there is no such input" in err
    labels.write_text(f"input,{HOSTILE.replace(chr(10), '')}\n")
    code, _, err = run(*command, "logs", "--labels", labels)
    assert code == EXIT_BAD_INPUT
    assert f"labels{SHOWN}.csv: missing columns" in err
    code, _, err = run(*command, "logs", "--labels", "labels.csv", f"--{HOSTILE}")
    assert code == EXIT_USAGE
    assert f"unrecognized arguments: --{SHOWN}" in err


def test_a_dataset_is_made_of_what_has_a_good_name(project: Path) -> None:
    (project / "logs/a.log").write_bytes(hostile_log())
    (project / "labels.csv").write_text("input,shared\na.log,true\n")
    raw = f"raw{HOSTILE}"
    code, out, err = run("new-dataset", "logs", "--labels", "labels.csv", "--name", "mine", "--raw", raw)
    assert code == EXIT_OK, err
    assert out.startswith(f"raw{SHOWN}/mine: 1 inputs;")
    assert len(out.splitlines()) > 5
    assert "records refused" in err


@pytest.mark.parametrize(
    "arguments", [(HOSTILE,), ("run", HOSTILE), ("repro", HOSTILE), ("rank", "--dataset", HOSTILE)]
)
def test_what_else_is_asked_for(project: Path, arguments: tuple[str, ...]) -> None:
    code, _, err = run(*arguments)
    assert code != EXIT_OK
    assert err


def test_outside_a_project(project: Path) -> None:
    (project / "dvc.yaml").unlink()
    code, _, err = run(HOSTILE)
    assert code == EXIT_USAGE
    assert f"{SHOWN}: here is no project" in err


def test_a_message_is_a_line_and_a_traceback_is_lines() -> None:
    try:
        raise ValueError(HOSTILE)
    except ValueError:
        record = logging.LogRecord("sbd", logging.ERROR, __file__, 1, "%s: %s", (HOSTILE, LONE), sys.exc_info())
    first, *rest = VisibleFormatter("%(levelname)s %(message)s").format(record).split("\n")
    assert first == rf"ERROR {SHOWN}: \udcff"
    assert rest[0].startswith("Traceback")
    assert all(line.isprintable() for line in rest)


def test_lines_are_said_as_they_are_but_for_what_steers(capsys: pytest.CaptureFixture[str]) -> None:
    say("Übertragung → 7", HOSTILE, "")
    assert capsys.readouterr().out == f"Übertragung → 7\n{SHOWN}\n\n"


def test_a_wrong_command_line_is_said_in_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        VisibleParser(prog="sbd").parse_args([HOSTILE])
    assert capsys.readouterr().err.endswith(f"sbd: error: unrecognized arguments: {SHOWN}\n")


def test_what_is_printable_stays() -> None:
    every = "".join(map(chr, range(sys.maxunicode + 1)))
    assert printable(every).isprintable()
    kept = "".join(letter for letter in every if letter.isprintable())
    assert printable(kept) == kept
    assert printable(printable(every)) == printable(every)


def test_everything_is_printed_at_one_place() -> None:
    """Nothing else in pipelines/ prints, or makes a handler or a parser: it would not be seen what it shows."""
    found = set()
    for path in (ROOT / "pipelines").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call):
                called = ast.unparse(node.func)
                if called.split(".")[-1] in {"print", "basicConfig", "StreamHandler", "ArgumentParser"}:
                    found.add((str(path.relative_to(ROOT / "pipelines")), called))
    assert found == {
        ("running/stage.py", "print"),
        ("running/stage.py", "logging.basicConfig"),
        ("running/stage.py", "logging.StreamHandler"),
        # Says which stages there are; the name that was asked for is in quotation marks, as Python writes it.
        ("stages/__main__.py", "print"),
        # Versions, the page of commands and what a shell completes: all of it is ours.
        ("entry.py", "print"),
        ("__main__.py", "print"),
        # These only hold what there is to complete, or defaults; no command line is parsed by them.
        ("front/completion.py", "argparse.ArgumentParser"),
        ("commands/score/__init__.py", "argparse.ArgumentParser"),
        # A line of DVC as it is, on the same terminal.
        ("commands/repro.py", "print"),
        # To the process that began it, which shows what it takes of it.
        ("benchmark/table_check.py", "print"),
    }
