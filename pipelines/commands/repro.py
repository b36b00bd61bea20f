"""Run the pipeline with DVC, and print the time of each stage.

The default profile runs here, any other one in a clone under build/.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from smartsbd.pipelines.params import PARAMS_FILE, Params, read_params
from smartsbd.pipelines.reporting import publication
from smartsbd.pipelines.reporting.times import where_time_went
from smartsbd.pipelines.running import clone_lock, journal, profile, stage, stored_outputs
from smartsbd.pipelines.running.automl_environments import searched_otherwise
from smartsbd.pipelines.running.countdown import Countdown, run_reached, runs, typical_seconds
from smartsbd.pipelines.running.dag import DAG_FILE, read_stages, read_studies
from smartsbd.pipelines.running.environment import commit

_DEFAULT = "default"
#: Profiles whose tables are put into git, below reports/.
_PUBLISHED = frozenset({"full"})


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "profile",
        nargs="?",
        default=_DEFAULT,
        help="profile: default, or the name of a file in params/ such as quick; other profiles run in a clone under"
        " build/ (default: %(default)s)",
    )
    parser.add_argument(
        "stages",
        nargs="*",
        metavar="STAGE",
        help="run only what these stages need, for instance automl@sites or studies/olaps/dvc.yaml (default: all stages"
        " of the main road)",
    )
    parser.add_argument("--studies", action="store_true", help="run the studies too (dvc repro --all-pipelines)")


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the command."""
    name: str = arguments.profile
    target = Path() if name == _DEFAULT else Path("build") / name
    if name != _DEFAULT:
        profile.check(Path.cwd(), name)
    with clone_lock.held(target):
        clone_lock.check_no_dvc(target)
        return _alone(name, target, [*arguments.stages, *(["--all-pipelines"] if arguments.studies else [])])


def _shown(countdown: Countdown, began_s: float) -> Callable[[str], None]:
    """Return what prints a line of DVC, with how far the run is where a stage begins."""

    def shown(line: str) -> None:
        print(line, flush=True)
        reached = run_reached(line)
        if reached is None:
            return
        run, begins = reached
        if begins:
            stage.say(countdown.line(run, time.monotonic() - began_s), flush=True)
        else:
            countdown.skip(run)

    return shown


def _alone(name: str, target: Path, wanted: Sequence[str]) -> int:
    """Run the pipeline in a clone that no other process runs it in."""
    code = commit()
    if name != _DEFAULT:
        profile.prepare(Path.cwd(), name, target)
    params = read_params(target / PARAMS_FILE)
    for searched in searched_otherwise(target, params):
        stage.say(f"{searched}: another environment is there than was searched in, so it is searched again")
        searched.unlink()
    stages = [*read_stages(target / DAG_FILE), *read_studies(target)]
    published = Path("reports") / name
    if name in _PUBLISHED:
        publication.write_contents(stages, params, published)

    taken: dict[str, journal.Entry] = {}

    def when_done(entry: journal.Entry) -> None:
        if name in _PUBLISHED:
            # A stage of several commands has an entry for each.
            taken[entry.stage] = entry.after(taken.get(entry.stage))
            publication.publish(taken[entry.stage], stages, params, target, published, code)

    earlier, began_s = journal.read(target / journal.JOURNAL), time.monotonic()
    # What DVC makes of a list of stages is not known before it has run them.
    all_planned = not wanted and sys.stdout.isatty()
    when_said = _shown(Countdown(runs(read_stages(target / DAG_FILE), params), typical_seconds(name, earlier)), began_s)
    exit_code = profile.repro(target, *wanted, when_done=when_done, when_said=when_said if all_planned else None)
    stage.say(
        *where_time_went(journal.read(target / journal.JOURNAL)[len(earlier) :], time.monotonic() - began_s).split("\n")
    )
    if exit_code != 0:
        return stage.EXIT_FAILED
    stored_outputs.store(target)
    return stage.EXIT_OK
