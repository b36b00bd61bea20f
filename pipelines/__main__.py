"""``sbd``: one command for every stage, and for what stands beside the pipeline."""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Sequence
from pathlib import Path

from smartsbd.pipelines.commands import COMMANDS, Command
from smartsbd.pipelines.params import PARAMS_FILE, installed_file, read_params
from smartsbd.pipelines.running import stage
from smartsbd.pipelines.running.dag import Stage, in_project, read_stages

log = logging.getLogger("sbd")

#: Of the command and the stage of that name, the command is the one that is told where to write.
_PARSE, _OUT = "parse", "--out"


def _run_stage(one: Stage, rest: Sequence[str]) -> int:
    """Run a stage as dvc.yaml has it, with the user's own arguments after."""
    own = stage.VisibleParser(add_help=False)
    own.add_argument("--dataset")
    known, _ = own.parse_known_args(rest)
    program = stage.program(one.module)
    if "-h" in rest or "--help" in rest:
        return stage.main(one.name, program, ["--help"])
    params = read_params()
    # Of what is given twice the last counts: for one dataset of several, --dataset and its paths.
    dataset = known.dataset
    if one.matrix and dataset is None:
        datasets = one.datasets(params)
        if len(datasets) > 1:
            log.error("sbd %s: name one --dataset of %s", one.name, datasets)
            return stage.EXIT_USAGE
        dataset = datasets[0]
    arguments = [*one.arguments(dataset or "", params), *rest]
    return stage.main(one.name, program, arguments)


def _run_command(command: Command, rest: Sequence[str], params_file: Path) -> int:
    return stage.main(command.name, stage.program(command.module), rest, params_file)


def _command(rest: Sequence[str]) -> Command | None:
    """Return the command that is asked for, if it is none of the stages."""
    found = next((one for one in COMMANDS if rest and one.name == rest[0]), None)
    if found is not None and found.name == _PARSE:
        has_out = any(one == _OUT or one.startswith(f"{_OUT}=") for one in rest)
        return found if has_out or not in_project() else None
    return found


def _outside(rest: Sequence[str]) -> int:
    """Run a command that needs no project."""
    anywhere = tuple(one for one in COMMANDS if one.anywhere)
    command = _command(rest)
    if command is not None and command.anywhere:
        return _run_command(command, rest[1:], installed_file())
    if rest and not rest[0].startswith("-"):
        names = tuple(one.name for one in anywhere)
        log.error("%s: here is no project: run it in a project's folder; elsewhere there are %s", rest[0], names)
        return stage.EXIT_USAGE
    parser = stage.VisibleParser(
        prog="sbd",
        description="Say of an MPTCP connection's subflows whether they share a bottleneck, from a log or a capture.",
        epilog="Here is no project: in its folder there are more commands. " + stage.EXIT_CODES,
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for one in anywhere:
        commands.add_parser(one.name, help=one.sentence, add_help=False)
    parser.parse_args(rest)
    return stage.EXIT_USAGE


def parser_of(stages: Sequence[Stage]) -> argparse.ArgumentParser:
    """Return what tells the stages and commands; their own arguments they tell themselves.

    Parameters
    ----------
    stages : sequence of Stage
    """
    parser = stage.VisibleParser(
        prog="sbd",
        description="Workbench for learning whether two MPTCP subflows share a bottleneck."
        " Run it in the project's folder.",
        epilog="A stage runs with the paths of dvc.yaml; arguments given here come after them. `dvc repro` runs what"
        " has changed. " + stage.EXIT_CODES,
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for own in stages:
        commands.add_parser(own.name, help=own.description, add_help=False)
    for one in COMMANDS:
        if one.name not in {own.name for own in stages}:
            commands.add_parser(one.name, help=one.sentence, add_help=False)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run ``sbd``.

    Parameters
    ----------
    argv : sequence of str, optional
        Command line without the program.
    """
    rest = list(sys.argv[1:] if argv is None else argv)
    stage.begin()
    stage.send_messages(logging.INFO, "%(levelname)s %(name)s: %(message)s")
    return stage.guarded(lambda: _run(rest))


def _run(rest: list[str]) -> int:
    if not in_project():
        return _outside(rest)
    command = _command(rest)
    if command is not None:
        return _run_command(command, rest[1:], PARAMS_FILE)
    stages = {one.name: one for one in read_stages()}
    if rest and rest[0] in stages:
        return _run_stage(stages[rest[0]], rest[1:])
    # What is left is a question, or a mistake: both end here.
    parser_of(list(stages.values())).parse_args(rest)
    return stage.EXIT_USAGE


if __name__ == "__main__":
    sys.exit(main())
