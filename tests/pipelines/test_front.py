"""The front door: groups of commands, examples, did-you-mean, completion, help without extras, exit statuses."""

from __future__ import annotations

import json
import logging
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

import pytest

from smartsbd.pipelines.__main__ import examples_of, main, typed
from smartsbd.pipelines.commands import COMMANDS, GROUPS
from smartsbd.pipelines.front import page
from smartsbd.pipelines.front.completion import SHELLS, script, whole_parser
from smartsbd.pipelines.running import stage
from smartsbd.pipelines.running.dag import DAG_FILE, read_stages
from smartsbd.pipelines.running.packages import GROUP_OF

ROOT = Path(__file__).parents[2]
STAGES = read_stages(ROOT / DAG_FILE)
LOG = "data/samples/kernel/inputs/101.state.csv.zst"
#: Examples that take little, need nothing but the checkout, and change nothing in it.
RUN = re.compile(
    rf"sbd (detect {LOG}|inspect \S+zst|doctor .* --plan|benchmark list|stage|stage rank --help|\w+ --check)$"
)
#: Brought by packages of extras, and not there without.
BROUGHT = ("alembic", "ruamel", "sqlalchemy", "starlette", "uvicorn")


@pytest.fixture(autouse=True)
def _in_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    # Of an earlier test: its stream is closed.
    for handler in logging.getLogger().handlers[:]:
        if isinstance(handler.formatter, stage.VisibleFormatter):
            logging.getLogger().removeHandler(handler)


def status(arguments: Sequence[str]) -> int:
    """The exit status of a command line."""
    try:
        return main(list(arguments))
    except SystemExit as ended:
        return int(ended.code or 0)


def test_the_first_page_has_the_groups_and_fits_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["--help"]) == stage.EXIT_OK
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    assert [line for line in lines if line in GROUPS] == list(GROUPS)
    # Each in one line: what it does, beside its name.
    for command in COMMANDS:
        assert [line.split(maxsplit=1) for line in lines if line.startswith(f"  {command.name} ")] == [
            [command.name, command.sentence]
        ]
    assert main([]) == stage.EXIT_USAGE
    shown = capsys.readouterr()
    assert not shown.out and shown.err.splitlines() == lines


def test_outside_of_a_project_the_page_has_what_works_there(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["--help"]) == stage.EXIT_OK
    listed = set(re.findall(r"^  ([a-z-]+)  ", capsys.readouterr().out, re.MULTILINE))
    assert {command.name for command in COMMANDS if command.anywhere} == listed


class Terminal:
    """A stream that is a terminal, or none."""

    def __init__(self, *, is_terminal: bool) -> None:
        self._is_terminal = is_terminal

    def isatty(self) -> bool:
        return self._is_terminal


@pytest.mark.parametrize(
    ("is_terminal", "environment", "bold"),
    [
        (True, {"TERM": "xterm"}, True),
        (False, {"TERM": "xterm"}, False),
        (True, {"TERM": "xterm", "NO_COLOR": "1"}, False),
        (True, {"TERM": "dumb"}, False),
        (True, {}, False),
    ],
)
def test_colours_are_for_terminals_that_want_them(is_terminal: bool, environment: dict[str, str], bold: bool) -> None:
    assert page.takes_colours(Terminal(is_terminal=is_terminal), environment) is bold  # type: ignore[arg-type]
    lines = page.page_lines({"Ask": [("ui", "Serve.")]}, "About.", [], columns=80, bold=bold)
    assert ("\033[" in "".join(lines)) is bold


def test_the_version_is_said_without_what_takes_time() -> None:
    code = (
        "import sys; from smartsbd.pipelines.__main__ import main; main(['--version']);"
        " print(sorted({'numpy', 'pandas', 'sklearn', 'scipy', 'mlflow', 'matplotlib'} & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [f"sbd {metadata.version('smartsbd')}", "[]"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["detct"], "did you mean `sbd detect`?"),
        (["serch"], "did you mean `sbd stage search`?"),
        (["stage", "extrct"], "did you mean `sbd stage extract`?"),
        (["scorecard", "cat"], "that is `sbd score --detector` now"),
        (["score-locked"], "that is `sbd score --locked` now"),
        (["zzz"], "`sbd --help` lists them"),
        (["stage", "zzz"], "`sbd stage` lists them"),
        (["--zzz"], "`sbd --help` lists them"),
        (["--completion", "csh"], "bash, zsh, fish"),
    ],
)
def test_what_was_meant_is_asked(words: list[str], said: str, caplog: pytest.LogCaptureFixture) -> None:
    assert main(words) == stage.EXIT_USAGE
    (record,) = caplog.records
    assert said in record.getMessage()


def test_a_stage_runs_by_its_name_alone_too() -> None:
    """Scripts of before go on; `parse` is the stage where a dataset is named."""
    for words in (["stage", "rank"], ["rank"], ["stage", "parse"], ["parse"]):
        assert main([*words, "--dataset", "kernel_locked", "--params", "none.yaml"]) == stage.EXIT_USAGE


EXAMPLES = [(command.name, example) for command in COMMANDS for example in command.examples]


def test_every_command_and_stage_has_examples_that_can_be_parsed() -> None:
    parser = whole_parser(typed(STAGES))
    assert {name for name, _ in EXAMPLES} == {command.name for command in COMMANDS}
    for name, example in [*EXAMPLES, *((named.name, examples_of(named)[0]) for named in STAGES)]:
        program, *words = shlex.split(example)
        assert program == "sbd" and name in words[:2], example
        if words[0] == "stage":
            # With the arguments of dvc.yaml before them, stages are parsed in test_command.py.
            assert {*words[1:2]} <= {known.name for known in STAGES}
        else:
            parser.parse_args(words)
    assert sum(bool(RUN.match(example)) for _, example in EXAMPLES) >= 7


@pytest.mark.parametrize("example", [example for _, example in EXAMPLES if RUN.match(example)])
def test_examples_run(example: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert status(shlex.split(example)[1:]) == stage.EXIT_OK
    assert capsys.readouterr().out or "--check" in example


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_help_shows_the_examples(command: object, capsys: pytest.CaptureFixture[str]) -> None:
    (known,) = [other for other in COMMANDS if other is command]
    assert status([known.name, "--help"]) == stage.EXIT_OK
    shown = capsys.readouterr().out
    assert all(f"\n  {example}\n" in shown for example in known.examples)
    assert "exit codes: 0 done" in shown


@pytest.mark.parametrize("shell", SHELLS)
def test_completion_knows_commands_stages_and_options(shell: str, tmp_path: Path) -> None:
    text = script(typed(STAGES), shell)
    for word in ("detect", "new-dataset", "sensitivity", "evaluate", "together"):
        assert word in text
    (tmp_path / "completion").write_text(text)
    if shutil.which(shell):
        subprocess.run([shell, "-n", str(tmp_path / "completion")], check=True)


def test_bash_completes() -> None:
    asked = """
        eval "$SBD_SCRIPT"
        COMP_WORDS=(sbd stage sens) COMP_CWORD=2 COMP_LINE="sbd stage sens" COMP_POINT=14
        "$(complete -p sbd | sed 's/.*-F \\([^ ]*\\).*/\\1/')" sbd sens stage
        echo "${COMPREPLY[@]}"
    """
    environment = os.environ | {"SBD_SCRIPT": script(typed(STAGES), "bash")}
    done = subprocess.run(["bash", "-c", asked], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["sensitivity"]


#: Every extra is hidden from the process; then each help is asked for.
_WITHOUT_EXTRAS = """
import json, sys

class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {hidden}:
            raise ModuleNotFoundError(name, name=name)

sys.meta_path.insert(0, Hidden())
from smartsbd.pipelines.__main__ import main
for words in json.loads(sys.argv[1]):
    try:
        code = main(words)
    except SystemExit as ended:
        code = ended.code
    print("STATUS", code, *words, file=sys.stderr)
"""


def test_help_needs_no_extra_and_a_command_says_which_it_needs(tmp_path: Path) -> None:
    helps = [[command.name, "--help"] for command in COMMANDS] + [["stage", named.name, "--help"] for named in STAGES]
    (tmp_path / "data").mkdir()
    (tmp_path / "data/mlflow.db").touch()
    runs = {("ui",): "track", ("stage", "rank", "--dataset", "sites"): "train"}
    for name in ("dvc.yaml", "params.yaml", "params"):
        (tmp_path / name).symlink_to(ROOT / name)
    done = subprocess.run(
        [sys.executable, "-c", _WITHOUT_EXTRAS.format(hidden={*GROUP_OF, *BROUGHT}), json.dumps([*helps, *runs])],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    ended = [line.split()[1:] for line in done.stderr.splitlines() if line.startswith("STATUS")]
    assert ended == [["0", *words] for words in helps] + [["1", *words] for words in runs], done.stderr
    assert done.stdout.count("\nexamples:\n") == len(helps)
    said = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
    assert [re.findall(r"smartsbd\[(\w+)\]", line) for line in said] == [[group] for group in runs.values()]


# Exit statuses.


@pytest.fixture
def garbage(tmp_path: Path) -> dict[str, str]:
    """Places by name: an empty file, a binary one, one that is not there, a folder, and one below a file."""
    (tmp_path / "empty").touch()
    (tmp_path / "binary").write_bytes(bytes(range(256)) * 8)
    (tmp_path / "folder").mkdir()
    shutil.copy(ROOT / LOG, tmp_path / "folder")
    (tmp_path / "labels.csv").write_text("input,shared\n101.state.csv.zst,true\n")
    places = ("empty", "binary", "missing", "folder", "labels.csv")
    return {name: str(tmp_path / name) for name in places} | {"below": str(tmp_path / "empty/x"), "log": LOG}


@pytest.mark.parametrize("name", ["empty", "binary", "missing"])
@pytest.mark.parametrize(
    "words",
    [
        ["detect", "{}"],
        ["inspect", "{}"],
        ["parse", "{}", "--out", "{folder}/tables"],
        ["doctor", "--from", "{}"],
        ["testbed", "{}", "--out", "{folder}/made"],
        ["new-dataset", "{folder}", "--labels", "{}", "--name", "mine"],
        ["score", "{folder}", "--labels", "{}"],
        ["score", "{folder}", "--labels", "{}", "--detector", "cat"],
        ["benchmark", "run", "kernel-1", "lag-excess", "--folder", "{}"],
        ["detect", "--model", "{}.skops", "{log}"],
    ],
    ids=" ".join,
)
def test_an_input_that_cannot_be_used_is_3(
    words: list[str], name: str, garbage: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert status([word.format(garbage[name], **garbage) for word in words]) == stage.EXIT_BAD_INPUT
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_an_option_that_is_none_is_2(command: object, capsys: pytest.CaptureFixture[str]) -> None:
    (known,) = [other for other in COMMANDS if other is command]
    assert status([known.name, "--no-such-option"]) == stage.EXIT_USAGE
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [
        ["detect", "{log}", "--plot", "{below}.png"],
        ["detect", "{log}", "--plot", "{folder}"],
        ["inspect", "{log}", "--plot", "{empty}"],
        ["inspect", "{log}", "--plot", "{below}"],
        ["doctor", "--from", "{log}", "--plot", "{folder}"],
        ["parse", "{log}", "--out", "{empty}"],
        ["parse", "{log}", "--out", "{below}"],
        ["testbed", "testbed/examples/shared.json", "--out", "{below}"],
        ["new-dataset", "{folder}", "--labels", "{labels.csv}", "--name", "mine", "--raw", "{below}"],
        ["score", "--detector", "cat", "--html", "{folder}"],
        ["score", "--detector", "cat", "--json", "{below}"],
        ["score", "{folder}", "--labels", "{labels.csv}", "--report", "{below}"],
        ["benchmark", "folder", "kernel-1", "--out", "{below}"],
        ["publish", "{below}"],
        ["publish", "{empty}"],
        ["ui", "--port", "70000"],
        ["detect", "{log}", "--params", "{missing}"],
        ["detect", "{log}", "--params", "{binary}"],
        ["run", "{missing}"],
        ["repro", "huge"],
        ["score"],
        ["score", "--locked", "--detector", "cat"],
        ["score", "--locked", "--html", "{missing}"],
    ],
    ids=" ".join,
)
def test_a_command_line_that_cannot_be_used_is_2(
    words: list[str], garbage: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    plain = [re.sub(r"{([\w.]+)}", lambda match: garbage[match[1]], word) for word in words]
    assert status(plain) == stage.EXIT_USAGE
    shown = capsys.readouterr().err
    assert "Traceback" not in shown
    assert len([line for line in shown.splitlines() if "rror" in line.partition(":")[0] or "ERROR" in line]) <= 1


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (PermissionError(13, "Permission denied", "{log}"), stage.EXIT_FAILED),
        (PermissionError(13, "Permission denied", "{missing}"), stage.EXIT_FAILED),
        (IsADirectoryError(21, "Is a directory", "{folder}"), stage.EXIT_BAD_INPUT),
        (FileExistsError(17, "File exists", "{empty}"), stage.EXIT_USAGE),
    ],
    ids=["written", "made", "read", "there"],
)
def test_what_may_not_be_written_is_1_and_what_is_in_the_way_2(
    error: OSError, code: int, garbage: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    name = str(error.filename).format(**{key: value for key, value in garbage.items() if "." not in key})

    def work() -> int:
        raise type(error)(error.errno, error.strerror, name)

    with caplog.at_level(logging.ERROR):
        assert stage.guarded(work) == code
    assert [record.getMessage() for record in caplog.records] == [f"{name}: {error.strerror}"]
