"""The JSON that iperf3 writes of a test, as far as it says how much has come. A server has a part in what it holds."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from smartsbd.contracts.fault import printable
from smartsbd.doctor.load import LoadError
from smartsbd.doctor.received import MOST_OCTETS, Received

_MOST_BYTES = 128 << 20
#: Of a text that a server may have written.
_MOST_REPEATED = 200
#: Seconds since 1970, up to the year 5138; and of a test, a year.
_MOST_S, _MOST_LENGTH_S = 1e11, 366 * 86_400.0

_COUNTED = Field(ge=0, le=MOST_OCTETS)
_Seconds = Annotated[float, Field(ge=0, le=_MOST_LENGTH_S, allow_inf_nan=False)]


class _Part(BaseModel):
    """What else is in the JSON, as the rows of single streams, is left out."""

    model_config = ConfigDict(strict=True, frozen=True)


class _Sum(_Part):
    end: _Seconds
    # iperf3 writes large numbers as 1.5e+16.
    bytes: Annotated[int, _COUNTED] | Annotated[float, _COUNTED]


class _Interval(_Part):
    sum: _Sum


class _Timestamp(_Part):
    timesecs: float = Field(ge=0, le=_MOST_S, allow_inf_nan=False)


class _Start(_Part):
    timestamp: _Timestamp | None = None


class Iperf3Report(_Part):
    """What is read of iperf3's JSON.

    Attributes
    ----------
    start : _Start
        When the test began; not there if it did not.
    intervals : list of _Interval
        Ends in seconds from the beginning, and bytes that came in each.
    error : str
        Why it ended, if of itself; empty otherwise.
    """

    start: _Start = _Start()
    intervals: list[_Interval] = []
    error: str = ""

    @classmethod
    def read(cls, out: Path) -> Iperf3Report:
        """Read the output of iperf3.

        Parameters
        ----------
        out : Path
            An empty file is an empty report.

        Returns
        -------
        Iperf3Report

        Raises
        ------
        LoadError
            If it is too long, no JSON, or has values that no test can have.
        """
        size_bytes = out.stat().st_size
        if size_bytes > _MOST_BYTES:
            raise LoadError(f"{out} has more than {_MOST_BYTES} bytes")
        return cls.parsed(out.read_bytes() or b"{}")

    @classmethod
    def parsed(cls, text: bytes) -> Iperf3Report:
        """Return the report of a text of JSON.

        Raises
        ------
        LoadError
            If it is no JSON, or has values that no test can have.

        Examples
        --------
        >>> Iperf3Report.parsed(b'{"intervals": [], "error": "the server is busy"}').why()
        'iperf3: the server is busy'
        """
        try:
            return cls.model_validate_json(text)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            place = "/".join(map(str, first["loc"]))
            why = printable(f"{place}: {first['msg']}" if place else first["msg"])
            raise LoadError(f"the output of iperf3 is not as expected: {why}") from error

    def why(self) -> str:
        """Return why the test ended, in one line that is not long."""
        return f"iperf3: {printable(self.error[:_MOST_REPEATED]) or 'the server ended the test'}"

    def received(self, started_s: float) -> Received:
        """Return what has come.

        Parameters
        ----------
        started_s : float
            When iperf3 was started, seconds since 1970: the beginning in its report is in whole seconds.

        Returns
        -------
        Received
            A row for the beginning and one for each interval.

        Raises
        ------
        LoadError
            If it failed before anything was sent, does not say when it began, or more came than can be counted.
        """
        if self.error and not self.intervals:
            raise LoadError(self.why())
        if self.start.timestamp is None:
            raise LoadError("the output of iperf3 is not as expected: it does not say when the test began")
        begin_s = max(self.start.timestamp.timesecs, started_s)
        table = Received([begin_s], [0])
        for interval in self.intervals:
            end_s = begin_s + interval.sum.end
            # Where it breaks off, it has the last interval twice.
            if end_s > table.times_s[-1]:
                table.times_s.append(end_s)
                table.octets.append(table.octets[-1] + int(interval.sum.bytes))
        if table.octets[-1] > MOST_OCTETS:
            raise LoadError(f"the output of iperf3 is not as expected: more than {MOST_OCTETS} bytes")
        return table
