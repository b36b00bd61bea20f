"""A test of two paths as it is asked for, and as it was done: phases, each with the paths that are loaded."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from smartsbd.contracts import regular_file
from smartsbd.contracts.fault import InputFault
from smartsbd.doctor.network_path import NetworkPath

#: The file of a folder that says what was done; it is written last.
TEST = "test.json"
_MOST_BYTES = 10 << 20
#: Of a phase that has been run.
_LEAST_PHASE_S, _MOST_PHASE_S = 0.05, 7200.0
_BYTES_PER_MB = 10**6
#: Letters of why a load broke off.
MOST_WHY = 1000
#: As ping lets a user ask without being root.
LEAST_ECHO_INTERVAL_MS = 2

IDLE, FIRST, SECOND, BOTH = "idle", "first", "second", "both"
#: Phases in their order, with the numbers of the paths that are loaded in each.
LOADED: dict[str, tuple[int, ...]] = {IDLE: (), FIRST: (0,), SECOND: (1,), BOTH: (0, 1)}

PhaseName = Literal["idle", "first", "second", "both"]
_Seconds = Annotated[float, Field(ge=1, le=3600)]
_Since1970 = Annotated[float, Field(ge=0, le=1e11, allow_inf_nan=False)]


class GuidedTestError(InputFault):
    """A folder that is not of a finished test."""


class Settings(BaseModel):
    """What is asked for.

    Attributes
    ----------
    paths : (NetworkPath, NetworkPath)
    load : str
        ``http`` or ``iperf3``.
    idle_s, alone_s, both_s : float, seconds
        How long no path is loaded, each path alone, and both.
    streams : int
        Connections over a path at once.
    echo_interval_ms : int
        From one echo to the next.
    most_mb : int
        A test ends its load when so many million bytes have come in all.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    paths: tuple[NetworkPath, NetworkPath]
    load: Literal["http", "iperf3"]
    idle_s: _Seconds
    alone_s: _Seconds
    both_s: _Seconds
    streams: Annotated[int, Field(ge=1, le=64)]
    echo_interval_ms: Annotated[int, Field(ge=LEAST_ECHO_INTERVAL_MS, le=1000)]
    most_mb: Annotated[int, Field(ge=1)]

    @property
    def names(self) -> tuple[str, str]:
        """What the paths are called: by where they begin, or by where they end if both begin at one place."""
        first, second = self.paths
        return (first.source, second.source) if first.source != second.source else (first.echo, second.echo)

    def seconds(self, phase: str) -> float:
        """Return how long a phase lasts."""
        return {IDLE: self.idle_s, BOTH: self.both_s}.get(phase, self.alone_s)

    @property
    def most_bytes(self) -> int:
        """How many bytes may come."""
        return self.most_mb * _BYTES_PER_MB

    def lines(self) -> list[str]:
        """Return what such a test does, in words: what is sent where, for how long, and how much may come."""
        first, second = self.names
        total_s = self.idle_s + 2 * self.alone_s + self.both_s
        by = {"http": "downloads", "iperf3": "iperf3 tests, sent by the server"}[self.load]
        return [
            f"{total_s:g} s: {self.idle_s:g} s without load, {self.alone_s:g} s with load on {first} alone,"
            f" {self.alone_s:g} s on {second} alone, {self.both_s:g} s on both",
            *(f"from {path.source}: {self.streams} {by} of {path.load} at once" for path in self.paths),
            *(f"from {path.source}: an echo to {path.echo} every {self.echo_interval_ms} ms" for path in self.paths),
            f"no more than {self.most_mb} MB come in all",
        ]


class Phase(BaseModel):
    """A phase that is over.

    Attributes
    ----------
    name : str
    begin_s, end_s : float
        Seconds since 1970.
    cut : bool
        It ended before its time, because as much had come as may.
    broken : str or None
        Why its load broke off. Such a phase is the last one.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: PhaseName
    begin_s: _Since1970
    end_s: _Since1970
    cut: bool = False
    broken: Annotated[str, Field(min_length=1, max_length=MOST_WHY)] | None = None


class GuidedTest(BaseModel):
    """What was done.

    Attributes
    ----------
    settings : Settings
    phases : tuple of Phase
        In their order: idle, first, second, both; up to the one whose load broke off.
    standstills : tuple of (float, float)
        When this host or its clock stood still, seconds since 1970.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    settings: Settings
    phases: Annotated[tuple[Phase, ...], Field(min_length=1, max_length=len(LOADED))]
    standstills: tuple[tuple[_Since1970, _Since1970], ...]

    @classmethod
    def read(cls, folder: Path) -> GuidedTest:
        """Read what was done in the test of a folder.

        Parameters
        ----------
        folder : Path

        Returns
        -------
        GuidedTest

        Raises
        ------
        GuidedTestError
            If there is no such file in it, or it is not of a finished test.
        """
        path = folder / TEST
        try:
            with regular_file.opened(path) as stream:
                text = stream.read(_MOST_BYTES + 1)
        except OSError as error:
            raise GuidedTestError(f"{folder} is not the folder of a finished test: {error.strerror}") from error
        if len(text) > _MOST_BYTES:
            raise GuidedTestError(f"{path} has more than {_MOST_BYTES} bytes")
        try:
            test = cls.model_validate_json(text)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(map(str, first["loc"]))
            raise GuidedTestError(f"{path}: {place}: {first['msg']}") from error
        test._check_phases(path)
        return test

    def _check_phases(self, path: Path) -> None:
        """Make sure that the phases are those of a test.

        Raises
        ------
        GuidedTestError
            If some are missing, if there are others, or if they are not one after the other.
        """
        *before, last = self.phases
        names = [phase.name for phase in self.phases]
        if (
            names != list(LOADED)[: len(names)]
            or any(phase.broken for phase in before)
            or (len(names) < len(LOADED) and last.broken is None)
            or not all(_LEAST_PHASE_S <= phase.end_s - phase.begin_s <= _MOST_PHASE_S for phase in self.phases)
        ):
            raise GuidedTestError(f"{path}: phases are {', '.join(LOADED)}, each of some length")
        for phase, following in itertools.pairwise(self.phases):
            if following.begin_s < phase.end_s:
                raise GuidedTestError(
                    f"{path}: phase {following.name} begins before phase {phase.name} has ended: phases do not overlap,"
                    " unless the clock was set back meanwhile"
                )


def echoes_file(phase: str, number: int) -> str:
    """Return the name of the file with the output of ping in a phase, in the folder of a test.

    Parameters
    ----------
    phase : str
    number : int
        Of the path, 0 or 1.

    Returns
    -------
    str
    """
    return f"{phase}.{number}.ping"


def received_file(phase: str, number: int) -> str:
    """Return the name of the file with what came in a phase, in the folder of a test."""
    return f"{phase}.{number}.received.csv"
