"""Put congestion controllers that couple MPTCP's subflows by verdicts into this machine's kernel, and see what they do.

``load`` registers sbd_lia and sbd_smart, ``status`` shows every connection and why its subflows are coupled or not,
``checks`` shows what its checks were given, ``couple``, ``uncouple`` and ``auto`` switch sbd_smart by hand, ``model``
changes its model, ``unload`` takes both away. The program is built by ``make kernel`` and is run as root; docs/host.md
says how it is tried on a host, and kernel/README.md on which kernels it runs.
"""

from __future__ import annotations

import argparse
import os

from smartsbd.pipelines.params import Params
from smartsbd.testbed import machine

#: Each action and its help; the program checks the values.
ACTIONS: tuple[tuple[str, str], ...] = (
    ("load", "register sbd_lia and sbd_smart, which asks the common lag, or a model"),
    ("unload", "take them away; connections that have one keep it, coupled, until they end"),
    ("status", "show connections, what couples their subflows, and why"),
    ("checks", "show what checks were given since it was last asked"),
    ("couple", "couple all subflows, whatever verdicts say, also of connections that there are"),
    ("uncouple", "couple none"),
    ("auto", "couple as verdicts say again"),
    ("model", "change the model of sbd_smart; windows that end from then on are judged by it"),
)

#: Actions that switch sbd_smart by hand.
SWITCHES = ("couple", "uncouple", "auto")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    # An error is one line, as the program says it.
    parser.usage = argparse.SUPPRESS
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    made = {name: actions.add_parser(name, help=sentence) for name, sentence in ACTIONS}
    for action in made.values():
        action.usage = argparse.SUPPRESS
    made["load"].add_argument("--model", metavar="FILE", help="a .sbd file: sbd_smart asks this model")
    made["load"].add_argument("--connections", metavar="N", help="room for N connections at once (default: 4096)")
    made["load"].add_argument("--plain", metavar="NAME", help="cubic or reno, for sockets that are no subflow")
    made["load"].add_argument(
        "--check", action="store_true", help="check verdicts of a shared bottleneck by moving windows"
    )
    made["load"].add_argument("--log-checks", action="store_true", help="keep what checks are given, for checks")
    made["load"].add_argument(
        "--by-odds", metavar="PERCENT", help="mix LIA and Reno so that a rival is expected to lose at most so much"
    )
    for name in ("load", *SWITCHES):
        made[name].add_argument("--cgroup", metavar="FOLDER", help="for sockets of this cgroup alone")
    made["load"].add_argument("--verbose", action="store_true", help="show what libbpf and the kernel's verifier say")
    made["status"].add_argument("--json", action="store_true", help="the same as JSON")
    made["model"].add_argument("file", metavar="FILE", help="a .sbd file")


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
    >>> command_line(parser.parse_args(["load", "--connections=8"]))[1:]
    ['load', '--connections', '8']
    >>> command_line(parser.parse_args(["load", "--check", "--log-checks"]))[1:]
    ['load', '--check', '--log-checks']
    >>> command_line(parser.parse_args(["uncouple", "--cgroup", "/sys/fs/cgroup/trial"]))[1:]
    ['uncouple', '--cgroup', '/sys/fs/cgroup/trial']
    """
    words = [str(machine.CONTROLLERS_LOADER), arguments.action]
    for name in ("model", "connections", "cgroup", "plain", "by-odds"):
        value = getattr(arguments, name.replace("-", "_"), None)
        if value is not None:
            words += [f"--{name}", value]
    for name in ("check", "log-checks", "verbose", "json"):
        words += [f"--{name}"] if getattr(arguments, name.replace("-", "_"), False) else []
    return words + ([arguments.file] if arguments.action == "model" else [])


def run(arguments: argparse.Namespace, _params: Params) -> int:
    """Become the program: signals and exit code are its own."""
    machine.check_built(machine.CONTROLLERS_LOADER)
    words = command_line(arguments)
    os.execv(words[0], words)
