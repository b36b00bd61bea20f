"""``sbd``: one command for every stage, and for what stands beside the pipeline."""

from __future__ import annotations

import argparse
import importlib
import logging
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

from pipelines import stage
from pipelines.dag import DAG_FILE, Stage, in_project, read_stages
from pipelines.params import PARAMS_FILE, installed_file, read_params

log = logging.getLogger("sbd")

_DICTIONARY = Path("data/README.md")
#: Profiles whose tables are put into git, below reports/.
_PUBLISHED = frozenset({"full"})
#: Commands that need no project.
_ANYWHERE = ("inspect", "detect", "parse")
#: Commands beside the stages that are built like them: name, module, sentence. A new one is one line here.
_COMMANDS = (
    (
        "inspect",
        "inspect",
        "Show what a log or capture holds: connections, subflows, RTTs, losses, states, refused records.",
    ),
    (
        "detect",
        "detect",
        "Say of each pair of subflows in a log or capture, window by window, whether they share a bottleneck.",
    ),
    (
        "parse",
        "parse_inputs",
        "Write the tables of logs or captures: with --out; without, the stage of that name.",
    ),
    (
        "new-dataset",
        "new_dataset",
        "Make a dataset of a folder of logs or captures and a file of labels, and check it.",
    ),
    ("score", "score", "Score every stored model on a folder of labelled logs or captures."),
    (
        "score-locked",
        "score_locked",
        "Score the models on the locked half of the kernel's connections, once a release.",
    ),
)


def _run_stage(one: Stage, rest: Sequence[str]) -> int:
    """Run a stage as dvc.yaml has it, with the user's own arguments after."""
    own = argparse.ArgumentParser(add_help=False)
    own.add_argument("--dataset")
    known, _ = own.parse_known_args(rest)
    module = importlib.import_module(f"pipelines.{one.name}")
    if "-h" in rest or "--help" in rest:
        return stage.main(one.name, module.__doc__ or "", module.add_arguments, module.run, ["--help"])
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
    return stage.main(one.name, module.__doc__ or "", module.add_arguments, module.run, arguments)


def _dictionary(check: bool) -> int:
    from pipelines.dictionary import data_dictionary

    text = data_dictionary()
    if check:
        if not _DICTIONARY.exists() or _DICTIONARY.read_text() != text:
            log.error("%s is not what the tables say: run `sbd dictionary`", _DICTIONARY)
            return stage.EXIT_FAILED
        return stage.EXIT_OK
    _DICTIONARY.write_text(text)
    return stage.EXIT_OK


def _excerpts(check: bool) -> int:
    from pipelines import excerpts

    stale = []
    for path in excerpts.documents(Path.cwd()):
        text = path.read_text()
        fresh = excerpts.refreshed(text, Path.cwd())
        if fresh != text:
            stale.append(path)
            if not check:
                path.write_text(fresh)
    if check and stale:
        log.error("%s: not what the reports say: run `sbd excerpts`", ", ".join(path.name for path in stale))
        return stage.EXIT_FAILED
    return stage.EXIT_OK


def _repro(profile: str, stages_wanted: Sequence[str]) -> int:
    from pipelines import journal, publication, scratch
    from pipelines.environment import commit

    code = commit()
    target = Path() if profile == "default" else Path("build") / profile
    if profile != "default":
        scratch.prepare(Path.cwd(), profile, target)
    params, stages = read_params(target / PARAMS_FILE), read_stages(target / DAG_FILE)
    published = Path("reports") / profile
    if profile in _PUBLISHED:
        publication.write_contents(stages, params, published)

    def when_done(entry: journal.Entry) -> None:
        if profile in _PUBLISHED:
            publication.publish(entry, stages, params, target, published, code)

    before, began_s = len(journal.read(target / journal.JOURNAL)), time.time()
    exit_code = scratch.repro(target, *stages_wanted, when_done=when_done)
    print(journal.where_time_went(journal.read(target / journal.JOURNAL)[before:], time.time() - began_s))
    return stage.EXIT_OK if exit_code == 0 else stage.EXIT_FAILED


def _database(stages: Sequence[Stage]) -> Path:
    """Return MLflow's store, as dvc.yaml has it."""
    arguments = next(one.arguments("", read_params()) for one in stages if one.name == "track")
    return Path(arguments[arguments.index("--database") + 1])


def _found_run(given: str, stages: Sequence[Stage]) -> int:
    from pipelines import lookup

    print(lookup.report(_database(stages), given))
    return stage.EXIT_OK


def _ui(port: int, stages: Sequence[Stage]) -> NoReturn:
    from pipelines import ui

    ui.serve(_database(stages), read_params(), port)


def _has_inputs(rest: Sequence[str]) -> bool:
    """Tell the command `parse` from the stage of that name."""
    return any(one == "--out" or one.startswith("--out=") for one in rest)


def _run_command(name: str, rest: Sequence[str], params_file: Path) -> int:
    def work() -> int:
        module = importlib.import_module(f"pipelines.{next(file for own, file, _ in _COMMANDS if own == name)}")
        return stage.main(name, module.__doc__ or "", module.add_arguments, module.run, rest, params_file)

    return stage.guarded(work)


def _outside(rest: Sequence[str]) -> int:
    """Run a command that needs no project."""
    if rest and rest[0] in _ANYWHERE:
        return _run_command(rest[0], rest[1:], installed_file())
    if rest and not rest[0].startswith("-"):
        log.error("%s: here is no project: run it in a project's folder; elsewhere there are %s", rest[0], _ANYWHERE)
        return stage.EXIT_USAGE
    parser = argparse.ArgumentParser(
        prog="sbd",
        description="Say of an MPTCP connection's subflows whether they share a bottleneck, from a log or a capture.",
        epilog="Here is no project: in its folder there are more commands. " + stage.EXIT_CODES,
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, _, sentence in _COMMANDS:
        if name in _ANYWHERE:
            commands.add_parser(name, help=sentence, add_help=False)
    parser.parse_args(rest)
    return stage.EXIT_USAGE


def _parser(stages: Sequence[Stage]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="sbd",
        description="Workbench for learning whether two MPTCP subflows share a bottleneck."
        " Run it in the project's folder.",
        epilog="A stage runs with the paths of dvc.yaml; arguments given here come after them. `dvc repro` runs what"
        " has changed. " + stage.EXIT_CODES,
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for one in stages:
        commands.add_parser(one.name, help=one.description, add_help=False)
    for name, _, sentence in _COMMANDS:
        if name not in {one.name for one in stages}:
            commands.add_parser(name, help=sentence, add_help=False)
    dictionary = commands.add_parser("dictionary", help="Write data/README.md from the tables.")
    dictionary.add_argument("--check", action="store_true", help="write nothing; fail if the file differs")
    stage.add_verbosity(dictionary)
    excerpts = commands.add_parser("excerpts", help="Refresh the reports' excerpts in README.md and docs/.")
    excerpts.add_argument("--check", action="store_true", help="write nothing; fail if a document differs")
    stage.add_verbosity(excerpts)
    repro = commands.add_parser("repro", help="Run the pipeline with DVC, and say where the time went.")
    repro.add_argument(
        "profile",
        nargs="?",
        default="default",
        help="default, or a file in params/, for instance quick, whose run is apart, under build/ (%(default)s)",
    )
    repro.add_argument(
        "stages",
        nargs="*",
        metavar="STAGE",
        help="run what these need and no more, for instance automl@sites (everything)",
    )
    stage.add_verbosity(repro)
    found_run = commands.add_parser("run", help="Show the run in MLflow that made a header's model.")
    found_run.add_argument("given", metavar="HEADER_OR_DIGEST", help="header, .skops file, or the digest in the banner")
    stage.add_verbosity(found_run)
    ui = commands.add_parser("ui", help="Serve MLflow's page on loopback, and print the address of the runs.")
    ui.add_argument("--port", type=int, default=5000, help="(default: %(default)s)")
    stage.add_verbosity(ui)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run ``sbd``."""
    rest = list(sys.argv[1:] if argv is None else argv)
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")
    if not in_project():
        return _outside(rest)
    if rest and rest[0] in {name for name, _, _ in _COMMANDS} and (rest[0] != "parse" or _has_inputs(rest)):
        return _run_command(rest[0], rest[1:], PARAMS_FILE)
    stages = read_stages()
    by_name = {one.name: one for one in stages}
    if rest and rest[0] in by_name:
        return stage.guarded(lambda: _run_stage(by_name[rest[0]], rest[1:]))
    arguments = _parser(stages).parse_args(rest)
    stage.configure_logging(arguments, arguments.command)
    work: dict[str, Callable[[], int]] = {
        "dictionary": lambda: _dictionary(arguments.check),
        "excerpts": lambda: _excerpts(arguments.check),
        "run": lambda: _found_run(arguments.given, stages),
        "repro": lambda: _repro(arguments.profile, arguments.stages),
        "ui": lambda: _ui(arguments.port, stages),
    }
    return stage.guarded(work[arguments.command])


if __name__ == "__main__":
    sys.exit(main())
