"""Run a stage as dvc.yaml has it, with arguments of your own after its own; without a NAME, list the stages.

`sbd stage NAME --help` shows a stage's arguments. `dvc repro` and `sbd repro` run what has changed, in order.
"""

from __future__ import annotations

import argparse
import shutil

from smartsbd.pipelines.front.page import entry_lines
from smartsbd.pipelines.params import Params
from smartsbd.pipelines.running import stage
from smartsbd.pipelines.running.dag import read_stages


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments: a NAME and what follows it are taken before."""
    parser.usage = "%(prog)s [-h] [NAME [ARGUMENT ...]]"


def run(_arguments: argparse.Namespace, _params: Params) -> int:
    """List the stages."""
    entries = [(named.name, named.description) for named in read_stages()]
    stage.say(*entry_lines(entries, shutil.get_terminal_size().columns))
    return stage.EXIT_OK
