"""Completion in the shell: a script for bash, zsh or fish, made of what every command takes."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import shtab

from smartsbd.pipelines.params import PARAMS_FILE
from smartsbd.pipelines.running import stage
from smartsbd.pipelines.running.packages import remedy
from smartsbd.pipelines.running.written_path import written_file, written_folder

SHELLS = ("bash", "zsh", "fish")


@dataclass(frozen=True)
class OfferedCommand:
    """What can be typed after ``sbd``, or after a command of it.

    Attributes
    ----------
    name, sentence : str
    module : str
        Of its arguments.
    below : tuple of OfferedCommand
        What can be typed after it.
    """

    name: str
    sentence: str
    module: str
    below: tuple[OfferedCommand, ...] = ()


def _add_arguments(parser: argparse.ArgumentParser, module: str) -> None:
    parser.add_argument("--params", type=Path, default=PARAMS_FILE, help="parameters")
    stage.add_verbosity(parser)
    try:
        program = stage.program(module)
    except ModuleNotFoundError as error:
        # Of a stage whose packages are not installed, the name can be completed all the same.
        if remedy(error) is None:
            raise
        return
    program.add_arguments(parser)


def _add_files(parser: argparse.ArgumentParser) -> None:
    """Complete files and folders where a path is taken."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                _add_files(below)
        elif action.type in (Path, written_file, written_folder):
            is_folder = isinstance(action.metavar, str) and action.metavar.startswith("DIR")
            action.complete = shtab.DIRECTORY if is_folder else shtab.FILE  # type: ignore[attr-defined]


def _add_below(parser: argparse.ArgumentParser, offered: Iterable[OfferedCommand], metavar: str) -> None:
    commands = parser.add_subparsers(dest=metavar.lower(), metavar=metavar)
    for typed in offered:
        below = commands.add_parser(typed.name, help=typed.sentence, conflict_handler="resolve")
        if typed.below:
            _add_below(below, typed.below, "NAME")
        else:
            _add_arguments(below, typed.module)


def whole_parser(offered: Iterable[OfferedCommand]) -> argparse.ArgumentParser:
    """Return a parser of every command with all of its arguments.

    Parameters
    ----------
    offered : iterable of OfferedCommand

    Returns
    -------
    argparse.ArgumentParser
    """
    parser = argparse.ArgumentParser(prog="sbd")
    parser.add_argument("-V", "--version", action="store_true", help="show the version")
    parser.add_argument("--completion", choices=SHELLS, help="print a completion script")
    _add_below(parser, offered, "COMMAND")
    _add_files(parser)
    return parser


def script(offered: Iterable[OfferedCommand], shell: str) -> str:
    """Return the completion script for a shell.

    Parameters
    ----------
    offered : iterable of OfferedCommand
    shell : str
        Of :data:`SHELLS`.

    Returns
    -------
    str
    """
    return shtab.complete(whole_parser(offered), shell)
