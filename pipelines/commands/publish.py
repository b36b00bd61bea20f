"""Write the folder to deposit: every dataset with its card and metadata, licences, citation, digests of all files.

It goes to any place that keeps folders. What is left out is named, here and in the folder's README.md.
"""

from __future__ import annotations

import argparse
from datetime import UTC, datetime
from pathlib import Path

from smartsbd.pipelines.params import Params
from smartsbd.pipelines.publishing import deposit
from smartsbd.pipelines.publishing.croissant import Place
from smartsbd.pipelines.running import stage
from smartsbd.pipelines.running.written_path import written_folder


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("folder", metavar="DIR", type=written_folder, help="folder to write; it is not there, or empty")
    parser.add_argument("--url", help="where the folder will be found, if that is known: metadata then have addresses")


def run(arguments: argparse.Namespace, params: Params) -> int:
    """Run the command."""
    url = None if arguments.url is None else deposit.address(arguments.url)
    place = Place(published=datetime.now(UTC).date(), url=url)
    written = deposit.write(Path(), arguments.folder, place, params)
    size_bytes = sum(file.size_bytes for dataset in written.datasets for file in dataset.files)
    stage.say(
        f"{arguments.folder}: {len(written.datasets)} datasets, {size_bytes / 1e6:.1f} MB;"
        f" {len(written.left_out)} left out{': ' if written.left_out else ''}{', '.join(written.left_out)}"
    )
    return stage.EXIT_OK
