"""What every stage does around its work: arguments, logging, params, datasets, errors into exit codes."""

from __future__ import annotations

import argparse
import gc
import importlib
import io
import logging
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, NoReturn, Protocol, cast

from smartsbd.contracts import shortage
from smartsbd.contracts.fault import Fault, InputFault, UsageFault, printable
from smartsbd.pipelines.running import clone_lock, journal
from smartsbd.pipelines.running.ancestry import DVC_STAGE
from smartsbd.pipelines.running.packages import remedy
from smartsbd.pipelines.running.parallel import datasets_at_once, workers

if TYPE_CHECKING:
    from smartsbd.pipelines.params import Params

log = logging.getLogger("sbd")

EXIT_OK = 0
EXIT_FAILED = Fault.exit_code
EXIT_USAGE = UsageFault.exit_code
EXIT_BAD_INPUT = InputFault.exit_code

EXIT_CODES = """exit codes: 0 done; 1 a run or a check failed; 2 the command line or params.yaml
cannot be used; 3 an input, a table or a model cannot be used"""


class Program(Protocol):
    """A stage or command: a module with its docstring, its arguments and what it does."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Add its own arguments."""

    def run(self, arguments: argparse.Namespace, params: Params) -> int:
        """Do it; return the exit code."""


def program(module: str) -> Program:
    """Import the module of a stage or command."""
    return cast(Program, importlib.import_module(module))


#: In place of a dataset's name, in the command line of a stage that runs for each of several.
DATASET = "{dataset}"


class VisibleFormatter(logging.Formatter):
    """Makes a message one line on which everything can be seen: names and records may hold a terminal's codes."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's name
        """Return the message as a line."""
        return printable(super().formatMessage(record))

    def formatException(self, ei: Any) -> str:  # noqa: N802 - logging's name
        """Return a traceback as lines."""
        return "\n".join(map(printable, super().formatException(ei).split("\n")))


class VisibleParser(argparse.ArgumentParser):
    """Says what is wrong with a command line as messages say it."""

    def error(self, message: str) -> NoReturn:
        """Exit with the usage and the message, on one line."""
        super().error(printable(message))


def say(*lines: str, flush: bool = False) -> None:
    """Print lines on stdout as messages are formatted: in each, everything can be seen.

    Parameters
    ----------
    *lines : str
        Line ends in them are shown, not made.
    flush : bool
        Whether a reader has them at once.
    """
    for line in lines:
        print(printable(line), flush=flush)


def send_messages(level: int, form: str, *, force: bool = False) -> None:
    """Send messages to stderr.

    Parameters
    ----------
    level : int
        The lowest that is shown.
    form : str
        Of each, as logging has it.
    force : bool
        Whether this holds though messages have been sent somewhere before.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(VisibleFormatter(form))
    logging.basicConfig(handlers=[handler], level=level, force=force)


def add_verbosity(parser: argparse.ArgumentParser) -> None:
    """Add -v and -q."""
    parser.add_argument("-v", "--verbose", action="count", default=0, help="more messages on stderr")
    parser.add_argument("-q", "--quiet", action="store_true", help="errors only, no progress bar")


def _form(name: str) -> str:
    return f"%(levelname)s {name}: %(message)s"


def configure_logging(arguments: argparse.Namespace, name: str) -> None:
    """Send messages to stderr at the level -v and -q ask for, each with the command's name."""
    level = logging.ERROR if arguments.quiet else logging.DEBUG if arguments.verbose else logging.INFO
    send_messages(level, _form(name), force=True)
    for noisy in ("matplotlib", "PIL", "alembic", "mlflow", "sqlalchemy", "distributed"):
        logging.getLogger(noisy).setLevel(max(level, logging.WARNING))


def _show(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Show an error that nothing has taken: it is one of the program."""
    if issubclass(kind, KeyboardInterrupt):
        log.error("interrupted")
    else:
        log.critical("an error of the program:", exc_info=(kind, error, trace))


def begin() -> None:
    """Prepare a program's output: letters that its terminal does not have, and errors of its own."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    sys.excepthook = _show


def _flushed(work: Callable[[], int]) -> int:
    """Do `work`, and write its output: only now may it show that there is no room."""
    try:
        code = work()
    except SystemExit:
        print(end="", flush=True)
        raise
    print(end="", flush=True)
    return code


def _close_stdout() -> None:
    """Send Python's last output nowhere, if it cannot be written."""
    try:
        print(end="", flush=True)
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _code_of_place(error: OSError) -> int:
    """Return the exit code of an error about a place: that of an input, unless it was to be written."""
    if isinstance(error, FileExistsError):
        # Only what makes a place finds that it is there.
        return EXIT_USAGE
    if not isinstance(error, PermissionError) or not isinstance(error.filename, str | bytes | os.PathLike):
        return EXIT_BAD_INPUT
    path = Path(os.fsdecode(error.filename))
    # What may be read was to be written; so was what is not there, in a folder that may be searched.
    may_be_read = os.access(path, os.R_OK) if path.exists() else os.access(path.absolute().parent, os.X_OK)
    return EXIT_FAILED if may_be_read else EXIT_BAD_INPUT


def _code_and_lines(error: Exception) -> tuple[int, Sequence[object]] | None:
    """Return the exit code and the lines of an error that its reader can mend, None of any other."""
    if isinstance(error, Fault):
        return error.exit_code, [error, *error.details]
    if isinstance(error, BrokenPipeError):
        # The reader of stdout has seen enough.
        return EXIT_OK, []
    if isinstance(error, IsADirectoryError | NotADirectoryError | PermissionError | FileExistsError):
        return _code_of_place(error), [f"{error.filename}: {error.strerror}"]
    if isinstance(error, FileNotFoundError):
        return EXIT_BAD_INPUT, [f"{error.filename}: no such file: run the stage that makes it, or `dvc repro`"]
    what_to_do = remedy(error) if isinstance(error, ModuleNotFoundError) else shortage.said_of(error)
    return None if what_to_do is None else (EXIT_FAILED, [what_to_do])


def guarded(work: Callable[[], int]) -> int:
    """Do `work`; turn faults, and shortages of the machine, into one line on stderr and an exit code."""
    if not gc.get_freeze_count():
        # Imported modules stay: no collection need look at them.
        gc.freeze()
    try:
        return _flushed(work)
    except Exception as error:
        shown = _code_and_lines(error)
        if shown is None:
            raise
        code, lines = shown
        for line in lines:
            log.error("%s", line)
        log.debug("it came from:", exc_info=error)
    # This thread releases what the error held: a pool's own thread could not wait for itself.
    gc.collect()
    _close_stdout()
    return code


def of_dataset(argv: Sequence[str], dataset: str) -> list[str]:
    """Return the command line for one dataset: its name in place of :data:`DATASET`, and as ``--dataset``.

    Returns
    -------
    list of str

    Examples
    --------
    >>> of_dataset(["--tables", "data/tables/{dataset}"], "sites")
    ['--tables', 'data/tables/sites', '--dataset', 'sites']
    """
    return [*(text.replace(DATASET, dataset) for text in argv), "--dataset", dataset]


def _make_folders(argv: Sequence[str]) -> None:
    """Make the folders of each dataset's own files, so that they are there even if no dataset is listed."""
    for text in argv:
        before, marker, _ = text.partition(DATASET)
        if marker:
            Path(f"{before}x").parent.mkdir(parents=True, exist_ok=True)


def _each(parameter: str, argv: Sequence[str], work: Callable[[Sequence[str]], int], *, at_once: bool) -> int:
    """Do every dataset that a parameter lists, one after the other or several at once."""
    from smartsbd.pipelines.params import PARAMS_FILE, read_params

    parser = VisibleParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--params", type=Path, default=PARAMS_FILE)
    params = read_params(parser.parse_known_args(argv)[0].params, whole=False)
    _make_folders(argv)
    datasets = params.value(parameter)
    tasks = [partial(work, of_dataset(argv, dataset)) for dataset in datasets]
    codes = datasets_at_once(tasks, workers(params)) if at_once else [task() for task in tasks]
    for place, code in enumerate(codes):
        if code < 0:
            log.error("%s: its process was killed by signal %d, for lack of memory perhaps", datasets[place], -code)
            codes[place] = EXIT_FAILED
    # Each dataset is done, though one before has failed.
    return next((code for code in codes if code != EXIT_OK), EXIT_OK)


def main(
    name: str,
    program: Program,
    argv: Sequence[str],
    params_file: Path | None = None,
    program_of: str = "sbd",
    ending: str = EXIT_CODES,
) -> int:
    """Run one stage or command.

    Parameters
    ----------
    name : str
        As it is typed.
    program : Program
        Its module.
    argv : sequence of str
        Its command line, without the name.
    params_file : Path, optional
        Parameters, unless the command line names others. By default those of the project.
    program_of : str
        The program that is typed before the name.
    ending : str
        What the help ends with.

    Returns
    -------
    int
        Exit code.
    """
    # Whoever asks `sbd` for help alone does not wait for it.
    from smartsbd.pipelines.params import PARAMS_FILE, read_params

    send_messages(logging.INFO, _form(name))
    parser = VisibleParser(
        prog=f"{program_of} {name}",
        description=program.__doc__,
        epilog=ending,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--params", type=Path, default=params_file or PARAMS_FILE, help="parameters (default: %(default)s)"
    )
    several = VisibleParser(add_help=False, allow_abbrev=False)
    several.add_argument("--each", metavar="PARAMETER")
    several.add_argument("--at-once", action="store_true")
    asked, rest = several.parse_known_args(argv)
    program.add_arguments(parser)
    add_verbosity(parser)

    def work(command_line: Sequence[str]) -> int:
        arguments = parser.parse_args(command_line)
        configure_logging(arguments, name)
        return guarded(lambda: program.run(arguments, read_params(arguments.params, whole=False)))

    def alone() -> int:
        # A stage that DVC has not started writes to the paths of its arguments, not to the pipeline's results.
        with clone_lock.held(Path()) if DVC_STAGE in os.environ else nullcontext():
            if asked.each is None:
                return work(argv)
            return _each(asked.each, rest, work, at_once=asked.at_once)

    with journal.measured() as clock:
        clock.exit_code = guarded(alone)
    return clock.exit_code
