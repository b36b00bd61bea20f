"""What the loop said of a run, beside what replays say of the run's own event log: nothing may differ."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from smartsbd.detectors import compiled_detectors
from smartsbd.detectors.bounded_process import run as run_bounded
from smartsbd.export import compilers, header_program
from smartsbd.export.header_program import Decision

#: What ``sbd-baselines`` prints of a connection.
_OPINION = re.compile(r"C=[0-9a-f]+ ([0-9]+)((?: [0-9]+:(?:[0-9]+|-))+)")


class LoopReplays:
    """The replay programs of exported headers and of the baseline detectors.

    Parameters
    ----------
    headers : Path
        Folder with the headers.
    names : collection of str
        Sources of verdicts that are headers, without ``sbd_``.
    """

    def __init__(self, headers: Path, names: tuple[str, ...]) -> None:
        self._place = tempfile.TemporaryDirectory()
        compiler = compilers.installed()[0]
        self._programs = {
            name: header_program.build(Path(self._place.name), headers, f"sbd_{name}", compiler) for name in names
        }

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._place.cleanup()

    @property
    def headers(self) -> tuple[str, ...]:
        """The sources of verdicts that are headers."""
        return tuple(self._programs)

    def decisions(self, name: str, events: bytes) -> list[Decision]:
        """Return what a header says of each window of a log, with its features.

        Parameters
        ----------
        name : str
            Of :attr:`headers`.
        events : bytes
            The event log.
        """
        return header_program.run(self._programs[name], [events], with_features=True).decisions

    def opinions(self, detector: str, events: bytes) -> list[tuple[int, list[int | None]]]:
        """Return what a baseline detector says of a log: from when on, and the group of each subflow.

        Parameters
        ----------
        detector : str
            Its name in :mod:`smartsbd.detectors`.
        events : bytes
            The event log.

        Raises
        ------
        ReplayError
            If the program fails, or says what it should not.
        """
        program = Path(compiled_detectors.__file__).parents[1] / "native" / "sbd-baselines"
        with tempfile.TemporaryFile() as stream:
            stream.write(events)
            stream.seek(0)
            done = run_bounded([str(program), detector], header_program.limits_for(len(events)), stream)
        if done.exit_code:
            raise header_program.ReplayError(
                f"{program.name} failed ({done.exit_code}): {done.errors.decode(errors='replace')}"
            )
        found = []
        for line in done.output.decode().splitlines():
            if (said := _OPINION.fullmatch(line)) is None:
                raise header_program.ReplayError(f"{program.name} said {line[:200]!r}, which is no opinion")
            groups = [one.partition(":")[2] for one in said[2].split()]
            found.append((int(said[1]), [None if group == "-" else int(group) for group in groups]))
        return found

    def same(self, source: str, told: Mapping[str, Any], events: bytes) -> bool:
        """Tell whether a replay of a run's log says what the source said in the run.

        Parameters
        ----------
        source : str
            The source of verdicts: a header, or a baseline detector. Others are not replayed.
        told : mapping
            What the run wrote of its verdicts.
        events : bytes
            The run's event log.
        """
        if source in self._programs:
            expected = [
                (one.subflow_a, one.subflow_b, one.start_ns, one.window_ns, one.shared, one.features)
                for one in self.decisions(source, events)
            ]
            names = ("subflow_a", "subflow_b", "window_start_ns", "window_ns", "shared", "features")
            return [tuple(one[name] for name in names) for one in told["verdicts"]] == expected
        found = [(one["from_ns"], one["groups"]) for one in told["verdicts"]]
        return found == self.opinions(source.replace("_", "-"), events)
