"""An episode as its agent knows it: the simulator asks by a line and waits for an answer (``agents/asked-agent.h``)."""

from __future__ import annotations

import math
import subprocess
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Self, cast

import numpy as np

from smartsbd.contracts.lifetime import ending_with_this
from smartsbd.scenarios import simulator
from smartsbd.scenarios.scenario import Scenario
from studies.mplibra.agents.perceptron import Floats

#: Numbers of a question before the state.
_TOLD = 7


@dataclass(frozen=True)
class Question:
    """What the simulator asks: a subflow's last round trip, and the state of its agent.

    Attributes
    ----------
    subflow : int
    rtt_s : float
        Mean RTT.
    loss : float
        Share of bytes sent again.
    delivery_mbit_s : float
        Rate at which bytes arrived.
    state : array of float32
    """

    subflow: int
    rtt_s: float
    loss: float
    delivery_mbit_s: float
    state: Floats


def question_of(line: str) -> Question:
    """Return the question of a line.

    Parameters
    ----------
    line : str
        Time in ns, subflow, rate in bytes/s, mean and least RTT in s, loss, delivery rate in bytes/s, and the state.

    Raises
    ------
    ValueError
        If it is none.

    Examples
    --------
    >>> question_of("500 1 2500.0 0.12 0.1 0.5 125000 1 2").delivery_mbit_s
    1.0
    """
    numbers = [float(word) for word in line.split()]
    if len(numbers) <= _TOLD or not all(math.isfinite(number) for number in numbers):
        raise ValueError(f"{line[:80]!r} is no question")
    _, subflow, _, rtt_s, _, loss, delivery = numbers[:_TOLD]
    state = np.array(numbers[_TOLD:], np.float32)
    return Question(int(subflow), rtt_s, loss, delivery * 8 / 1e6, state)


class Conversation:
    """A run of the simulator that asks for each rate.

    Parameters
    ----------
    scenario : Scenario
        Its controller needs a learnt agent.

    Raises
    ------
    SimulatorError
        Later, by :meth:`question`: if the run fails.
    """

    def __init__(self, scenario: Scenario) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self._seed = scenario.seed
        folder = Path(self._folder.name)
        path = folder / "scenario.json"
        path.write_text(simulator.written(scenario) + "\n")
        self._log = (folder / "stderr").open("w+")
        command = [
            str(simulator.program()),
            f"--scenario={path}",
            f"--events={folder / 'events'}",
            f"--truth={folder / 'truth'}",
            "--agent=-",
        ]
        self._process = subprocess.Popen(
            ending_with_this(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._log, text=True
        )
        self._answers, self._questions = cast("IO[str]", self._process.stdin), cast("IO[str]", self._process.stdout)

    def question(self) -> Question | None:
        """Wait for the next question; return None at the end of the run.

        Raises
        ------
        SimulatorError
            If the run failed.
        """
        line = self._questions.readline()
        if line:
            return question_of(line)
        if self._process.wait() != 0:
            self._log.seek(0)
            raise simulator.SimulatorError(
                f"an episode (seed {self._seed}): exit {self._process.returncode}: {self._log.read(200).strip()}"
            )
        return None

    def answer(self, exponent: float) -> None:
        """Answer the last question: the rate is multiplied by 2 to the power of this."""
        self._answers.write(f"{exponent!r}\n")
        self._answers.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        for pipe in (self._answers, self._questions):
            # What a killed run did not take is of no account.
            with suppress(BrokenPipeError):
                pipe.close()
        self._process.wait()
        self._log.close()
        self._folder.cleanup()
