"""Log the subflows of MPTCP connections on this machine as event lines, whatever their congestion controller.

The program that records is built by ``make kernel``; it needs CAP_BPF and CAP_PERFMON. It stops on SIGINT or SIGTERM,
or after --seconds, and says on stderr what was recorded, lost and dropped. kernel/README.md says where it runs.
"""

from __future__ import annotations

import argparse
import os

from smartsbd.pipelines.params import Params
from smartsbd.testbed import machine

#: Option, name of its value, and help; the program checks the values.
OPTIONS: tuple[tuple[str, str, str], ...] = (
    ("format", "FORMAT", "events (default), lines with token and subflow; state, a CSV file for each connection"),
    ("out", "PATH", "file of events (default: standard output), or for --format state a folder that is made or empty"),
    ("seconds", "S", "stop after S seconds"),
    ("token", "HEX", "this connection only"),
    ("port", "N", "subflows with this port at either end"),
    ("local-port", "N", "subflows with this port here"),
    ("remote-port", "N", "subflows with this port at the other end"),
    ("netns", "FILE", "subflows of this network namespace, such as /run/netns/NAME"),
    ("rotate-mib", "N", "begin a new part of --out after N MiB: PATH.0, PATH.1, and so on"),
    ("rotate-seconds", "S", "begin a new part after S seconds"),
    ("keep", "N", "keep the last N parts only"),
    ("ring-kib", "N", "size of the ring buffer, a power of two from 4 (default: 4096)"),
    ("btf", "FILE", "the kernel's types (default: those the kernel shows)"),
)
FLAGS: tuple[tuple[str, str], ...] = (
    ("no-addresses", "neither addresses nor ports in the output"),
    ("probe", "use the tracepoint tcp_probe even where fentry works"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    # An error is one line, as the program says it.
    parser.usage = argparse.SUPPRESS
    for name, value, sentence in OPTIONS:
        parser.add_argument(f"--{name}", metavar=value, help=sentence)
    for name, sentence in FLAGS:
        parser.add_argument(f"--{name}", action="store_true", help=sentence)


def command_line(arguments: argparse.Namespace) -> list[str]:
    """Return the program's command line.

    Returns
    -------
    list of str
        The program, then its arguments.

    Examples
    --------
    >>> parser = argparse.ArgumentParser()
    >>> add_arguments(parser)
    >>> command_line(parser.parse_args(["--port=5201", "--no-addresses"]))[1:]
    ['--port', '5201', '--no-addresses']
    """
    words = [str(machine.RECORDER)]
    for name, *_ in OPTIONS:
        value = getattr(arguments, name.replace("-", "_"))
        if value is not None:
            words += [f"--{name}", value]
    flags = [f"--{name}" for name, _ in FLAGS if getattr(arguments, name.replace("-", "_"))]
    return words + flags + ["--verbose"] * bool(getattr(arguments, "verbose", False))


def run(arguments: argparse.Namespace, _params: Params) -> int:
    """Become the program: signals and exit code are its own."""
    machine.check_built(machine.RECORDER)
    words = command_line(arguments)
    os.execv(words[0], words)
