"""The subflows of a scenario in a log of ``sbd record``: their numbers, and how many RTT samples each has."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from smartsbd.scenarios.scenario import Scenario
from smartsbd.testbed.relay_network import server_address
from smartsbd.testbed.running_program import EmulationError

#: The recorder's comment on a subflow, and a sample.
_SUBFLOW = re.compile(r"^# sbd record: C=([0-9a-f]+) SF=(\d+) is ([0-9.]+):\d+ >", re.MULTILINE)
_SAMPLE = re.compile(r" SF=(\d+) V=RTT ")


@dataclass(frozen=True)
class LoggedSubflows:
    """What a log has of a connection.

    Attributes
    ----------
    token : str
        Of the connection, in hexadecimal.
    numbers : dict of int to int
        By the scenario's number of a subflow, the log's. A subflow without any event is not there.
    samples : list of int
        RTT samples of each subflow of the scenario.
    """

    token: str
    numbers: dict[int, int]
    samples: list[int]


def logged_subflows(log: str, scenario: Scenario) -> LoggedSubflows:
    r"""Return what a log has of the scenario's subflows.

    Parameters
    ----------
    log : str
        Event lines of ``sbd record``, with addresses.
    scenario : Scenario

    Returns
    -------
    LoggedSubflows

    Raises
    ------
    EmulationError
        If the connection's first subflow is not there, or the log numbers subflows in another order.

    Examples
    --------
    >>> from smartsbd.testbed.examples import example
    >>> log = "# sbd record: C=ab SF=1 is 10.0.0.1:4 > 10.1.0.1:5201\nsmartsbd: 7 C=ab SF=1 V=RTT 900\n"
    >>> logged_subflows(log, example("shared"))
    LoggedSubflows(token='ab', numbers={0: 1}, samples=[1, 0])
    """
    comments = _SUBFLOW.findall(log)
    by_address = {address: int(number) for _, number, address in comments}
    addresses = [server_address(subflow) for subflow in range(len(scenario.subflows))]
    numbers = {subflow: by_address[address] for subflow, address in enumerate(addresses) if address in by_address}
    if 0 not in numbers:
        raise EmulationError("the first subflow has no sample before the end: the connection was not established")
    if list(numbers.values()) != sorted(numbers.values()):
        raise EmulationError(f"the log numbers subflows {list(numbers)} as {list(numbers.values())}")
    counted = Counter(map(int, _SAMPLE.findall(log)))
    samples = [counted[numbers[subflow]] if subflow in numbers else 0 for subflow in range(len(addresses))]
    return LoggedSubflows(comments[0][0], numbers, samples)
