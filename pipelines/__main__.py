"""``sbd``: one command for every stage, and for what stands beside the pipeline."""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Sequence
from pathlib import Path

from smartsbd.pipelines.commands import COMMANDS, Command
from smartsbd.pipelines.running import stage
from smartsbd.pipelines.running.dag import Stage, in_project, read_stages

log = logging.getLogger("sbd")

#: Of the command and the stage of that name, the command is the one that takes ``--out``.
_PARSE, _OUT = "parse", "--out"


def _run_stage(chosen: Stage, rest: Sequence[str]) -> int:
    """Run a stage as dvc.yaml has it, with the user's own arguments after."""
    parser = stage.VisibleParser(add_help=False)
    parser.add_argument("--dataset")
    known, _ = parser.parse_known_args(rest)
    program = stage.program(chosen.module)
    if "-h" in rest or "--help" in rest:
        return stage.main(chosen.name, program, ["--help"])
    from smartsbd.pipelines.params import read_params

    params = read_params()
    # Of an argument that is given twice, the last counts: --dataset and its paths, for one dataset of several.
    dataset = known.dataset
    if chosen.matrix and dataset is None:
        datasets = chosen.datasets(params)
        if len(datasets) > 1:
            log.error("sbd %s: name one --dataset of %s", chosen.name, datasets)
            return stage.EXIT_USAGE
        dataset = datasets[0]
    arguments = [*chosen.arguments(dataset or "", params), *rest]
    return stage.main(chosen.name, program, arguments)


def _run_command(command: Command, rest: Sequence[str], params_file: Path | None = None) -> int:
    return stage.main(command.name, stage.program(command.module), rest, params_file)


def _command(rest: Sequence[str]) -> Command | None:
    """Return the command that is asked for, if it is none of the stages."""
    command = next((command for command in COMMANDS if rest and command.name == rest[0]), None)
    if command is not None and command.name == _PARSE:
        has_out = any(argument == _OUT or argument.startswith(f"{_OUT}=") for argument in rest)
        return command if has_out or not in_project() else None
    return command


def _outside(rest: Sequence[str]) -> int:
    """Run a command that needs no project."""
    anywhere = tuple(command for command in COMMANDS if command.anywhere)
    command = _command(rest)
    if command is not None and command.anywhere:
        from smartsbd.pipelines.params import installed_file

        return _run_command(command, rest[1:], installed_file())
    if rest and not rest[0].startswith("-"):
        names = tuple(command.name for command in anywhere)
        log.error("%s: here is no project: run it in a project's folder; elsewhere there are %s", rest[0], names)
        return stage.EXIT_USAGE
    parser = stage.VisibleParser(
        prog="sbd",
        description="Say of an MPTCP connection's subflows whether they share a bottleneck, from a log or a capture.",
        epilog="Here is no project: in its folder there are more commands. " + stage.EXIT_CODES,
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for offered in anywhere:
        commands.add_parser(offered.name, help=offered.sentence, add_help=False)
    parser.parse_args(rest)
    return stage.EXIT_USAGE


def parser_of(stages: Sequence[Stage]) -> argparse.ArgumentParser:
    """Return the parser that lists the stages and commands; each of them parses its own arguments.

    Parameters
    ----------
    stages : sequence of Stage

    Returns
    -------
    argparse.ArgumentParser
    """
    parser = stage.VisibleParser(
        prog="sbd",
        description="Workbench for learning whether two MPTCP subflows share a bottleneck."
        " Run it in the project's folder.",
        epilog="A stage runs with the paths of dvc.yaml; arguments given here come after them. `dvc repro` runs what"
        " has changed. " + stage.EXIT_CODES,
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for entry in stages:
        commands.add_parser(entry.name, help=entry.description, add_help=False)
    for command in COMMANDS:
        if command.name not in {entry.name for entry in stages}:
            commands.add_parser(command.name, help=command.sentence, add_help=False)
    return parser


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


def _run(rest: list[str]) -> int:
    if not in_project():
        return _outside(rest)
    command = _command(rest)
    if command is not None:
        return _run_command(command, rest[1:])
    stages = {entry.name: entry for entry in read_stages()}
    if rest and rest[0] in stages:
        return _run_stage(stages[rest[0]], rest[1:])
    # The rest is a question for help, or a mistake: the parser ends both.
    parser_of(list(stages.values())).parse_args(rest)
    return stage.EXIT_USAGE


if __name__ == "__main__":
    sys.exit(main())
