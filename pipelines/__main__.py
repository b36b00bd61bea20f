"""``sbd``: commands in groups, and one command for every stage."""

from __future__ import annotations

import logging
import shutil
import sys
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from smartsbd.contracts.fault import UsageFault
from smartsbd.pipelines.commands import COMMANDS, GROUPS, REPLACED, STAGE, Command
from smartsbd.pipelines.front import page
from smartsbd.pipelines.front.suggestion import meant
from smartsbd.pipelines.running import stage
from smartsbd.pipelines.running.dag import Stage, in_project, read_stages
from smartsbd.pipelines.running.packages import remedy

if TYPE_CHECKING:
    from smartsbd.pipelines.front.completion import OfferedCommand

log = logging.getLogger("sbd")

_HELP, _VERSION, _COMPLETION, _PARSE = ("-h", "--help"), ("-V", "--version"), "--completion", "parse"
_ABOUT = (
    "Do two subflows of a Multipath TCP connection share a bottleneck? Ask a log or a capture, record your own, score"
    " detectors, and run the pipeline that makes them."
)
_PROGRAM = f"sbd {STAGE}"
_NO_PROJECT = "Here is no project: in its folder there are more commands."
_STAGES = "A stage runs with the paths of dvc.yaml; yours come after them. `dvc repro` runs what has changed."


class WhatToRunError(UsageFault):
    """The name after ``sbd`` is no command, or not of this folder."""


def _ending(examples: Sequence[str]) -> str:
    return "\n".join(["examples:", *(f"  {example}" for example in examples), "", stage.EXIT_CODES])


def examples_of(named: Stage) -> tuple[str, ...]:
    """Return the examples that the help of a stage shows."""
    dataset = " --dataset NAME" if named.matrix or named.each else ""
    return (f"sbd stage {named.name}{dataset}", f"dvc repro {named.name}")


def _stage_help(chosen: Stage) -> int:
    """Show the help of a stage, also where its packages are not installed."""
    ending = _ending(examples_of(chosen))
    try:
        program = stage.program(chosen.module)
    except ModuleNotFoundError as error:
        missing = remedy(error)
        if missing is None:
            raise
        stage.say(f"usage: sbd {STAGE} {chosen.name} [ARGUMENT ...]", "", chosen.description, "")
        stage.say(f"Its arguments can be shown, and it runs, once this is mended: {missing}", "", *ending.splitlines())
        return stage.EXIT_OK
    return stage.main(chosen.name, program, ["--help"], program_of=_PROGRAM, ending=ending)


def _run_stage(chosen: Stage, rest: Sequence[str]) -> int:
    """Run a stage as dvc.yaml has it, with the user's own arguments after."""
    if not {*_HELP}.isdisjoint(rest):
        return _stage_help(chosen)
    parser = stage.VisibleParser(add_help=False)
    parser.add_argument("--dataset")
    known, _ = parser.parse_known_args(rest)
    from smartsbd.pipelines.params import read_params

    params = read_params()
    # Of an argument that is given twice, the last counts: --dataset and its paths, for one dataset of several.
    dataset = known.dataset
    if chosen.matrix and dataset is None:
        datasets = chosen.datasets(params)
        if len(datasets) > 1:
            raise WhatToRunError(f"sbd {STAGE} {chosen.name}: name one --dataset of {datasets}")
        dataset = datasets[0]
    arguments = [*chosen.arguments(dataset or "", params), *rest]
    return stage.main(chosen.name, stage.program(chosen.module), arguments, program_of=_PROGRAM)


def _run_command(command: Command, rest: Sequence[str], params_file: Path) -> int:
    program = stage.program(command.module)
    return stage.main(command.name, program, rest, params_file, ending=_ending(command.examples))


def _is_given(option: str, rest: Sequence[str]) -> bool:
    return any(argument == option or argument.startswith(f"{option}=") for argument in rest)


def _command(name: str, rest: Sequence[str], *, project: bool) -> Command | None:
    """Return the command of a name; of `parse`, which a stage is called too, unless a dataset is named."""
    if name == _PARSE and project and _is_given("--dataset", rest) and not _is_given("--out", rest):
        return None
    return next((command for command in COMMANDS if command.name == name), None)


def typed(stages: Sequence[Stage], *, anywhere: bool = False) -> list[OfferedCommand]:
    """Return what can be typed after ``sbd``.

    Parameters
    ----------
    stages : sequence of Stage
    anywhere : bool
        Whether that is meant where no project is.

    Returns
    -------
    list of OfferedCommand
    """
    from smartsbd.pipelines.front.completion import OfferedCommand

    below = tuple(OfferedCommand(named.name, named.description, named.module) for named in stages)
    return [
        OfferedCommand(command.name, command.sentence, command.module, below if command.name == STAGE else ())
        for command in COMMANDS
        if command.anywhere or not anywhere
    ]


def _page(*, project: bool) -> list[str]:
    groups = {
        title: [(command.name, command.sentence) for command in group if project or command.anywhere]
        for title, group in GROUPS.items()
    }
    ending = [_STAGES if project else _NO_PROJECT, stage.EXIT_CODES]
    columns = shutil.get_terminal_size().columns
    return page.page_lines(groups, _ABOUT, ending, columns=columns, bold=page.takes_colours(sys.stdout))


def _answer_option(option: str, rest: Sequence[str], *, project: bool) -> int:
    """Answer an option that is typed in place of a command."""
    if option in _HELP:
        print(*_page(project=project), sep="\n")
    elif option in _VERSION:
        print(f"sbd {metadata.version('smartsbd')}")
    elif option.partition("=")[0] == _COMPLETION:
        # Imports every command.
        from smartsbd.pipelines.front.completion import SHELLS, script

        shell = option.partition("=")[2] or "".join(rest[:1])
        if shell not in SHELLS:
            raise WhatToRunError(f"{_COMPLETION} takes one of {', '.join(SHELLS)}")
        print(script(typed(read_stages() if project else [], anywhere=not project), shell))
    else:
        raise WhatToRunError(f"{option}: no such option; `sbd --help` lists them")
    return stage.EXIT_OK


def _refusal(name: str, names: Sequence[str], *, project: bool) -> str:
    """Return why a name is not run, and what was meant perhaps."""
    if name in REPLACED:
        return f"{name}: that is `sbd {REPLACED[name]}` now"
    question = meant(name, names)
    if not project and not question:
        there = ", ".join(command.name for command in COMMANDS if command.anywhere)
        return f"{name}: here is no project: run it in a project's folder; elsewhere there are {there}"
    return f"{name}: no such command; {question or '`sbd --help` lists them, `sbd stage` the stages'}"


def _run_named_stage(rest: Sequence[str]) -> int:
    """Run the stage that follows ``sbd stage``."""
    stages = {named.name: named for named in read_stages()}
    name = rest[0]
    if name not in stages:
        question = meant(name, [f"{STAGE} {known}" for known in stages])
        raise WhatToRunError(f"{name}: no such stage; {question or f'`sbd {STAGE}` lists them'}")
    return _run_stage(stages[name], rest[1:])


def _run(rest: Sequence[str]) -> int:
    project = in_project()
    if not rest:
        print(*_page(project=project), sep="\n", file=sys.stderr)
        return stage.EXIT_USAGE
    name = rest[0]
    if name.startswith("-"):
        return _answer_option(name, rest[1:], project=project)
    command = _command(name, rest[1:], project=project)
    if command is not None and (project or command.anywhere):
        if command.name == STAGE and rest[1:] and not rest[1].startswith("-"):
            return _run_named_stage(rest[1:])
        from smartsbd.pipelines.params import PARAMS_FILE, installed_file

        return _run_command(command, rest[1:], PARAMS_FILE if project else installed_file())
    stages = {named.name: named for named in read_stages()} if project else {}
    if name in stages:
        return _run_stage(stages[name], rest[1:])
    names = [known.name for known in COMMANDS if project or known.anywhere]
    raise WhatToRunError(_refusal(name, [*names, *(f"{STAGE} {known}" for known in stages)], project=project))


def main(argv: Sequence[str] | None = None) -> int:
    """Run ``sbd``.

    Parameters
    ----------
    argv : sequence of str, optional
        Command line without the program.

    Returns
    -------
    int
        Exit code.
    """
    rest = list(sys.argv[1:] if argv is None else argv)
    stage.begin()
    stage.send_messages(logging.INFO, "%(levelname)s %(name)s: %(message)s")
    return stage.guarded(lambda: _run(rest))


if __name__ == "__main__":
    sys.exit(main())
