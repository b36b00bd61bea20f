"""Baseline detectors compiled from C (detectors/in_c/): the same opinions as those of detectors/."""

from __future__ import annotations

import ctypes
import errno
import os
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from smartsbd.contracts.fault import Fault, UsageFault
from smartsbd.detectors import Opinion
from smartsbd.detectors.event import Int64Array, Kind
from smartsbd.detectors.partition import Partition

#: As ``struct sbd_event``.
EVENT = np.dtype([("time_ns", np.int64), ("place", np.int32), ("kind", np.int32), ("value", np.int64)])
EventArray = npt.NDArray[np.void]
_TEXT_BYTES = 64


class CompiledDetectorError(Fault):
    """The library of compiled detectors is missing, or one of its calls failed."""


class ParameterError(UsageFault):
    """A parameter that a compiled detector does not have, or a value that it cannot take."""


class _Parameter(ctypes.Structure):
    """``struct sbd_parameter``."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("type", ctypes.c_int),
        ("offset", ctypes.c_size_t),
        ("choices", ctypes.POINTER(ctypes.c_char_p)),
    )


class _Baseline(ctypes.Structure):
    """``struct sbd_baseline`` up to the members that only C calls."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("parameters", ctypes.POINTER(_Parameter)),
        ("parameters_size", ctypes.c_size_t),
        ("defaults", ctypes.c_void_p),
        ("possible", ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p)),
        ("wanted", ctypes.CFUNCTYPE(ctypes.c_uint32, ctypes.c_void_p)),
    )


class _Opinions(ctypes.Structure):
    """``struct sbd_opinions``."""

    _fields_ = (
        ("subflows", ctypes.c_uint),
        ("size", ctypes.c_size_t),
        ("time_ns", ctypes.POINTER(ctypes.c_int64)),
        ("group", ctypes.POINTER(ctypes.c_int16)),
        ("error", ctypes.c_int),
        ("capacity", ctypes.c_size_t),
        ("held", ctypes.c_void_p),
        ("drawn", ctypes.c_void_p),
    )


@cache
def _library() -> ctypes.CDLL:
    path = Path(__file__).parents[1] / "native" / "libsbd-detectors.so"
    if not path.is_file():
        raise CompiledDetectorError(f"there is no {path}: `make setup` builds it, and so does `make core`")
    library = ctypes.CDLL(str(path))
    baseline, text = ctypes.POINTER(_Baseline), ctypes.c_char_p
    opinions = ctypes.POINTER(_Opinions)
    signatures: dict[str, tuple[Any, tuple[Any, ...]]] = {
        "sbd_baseline_of": (baseline, (text,)),
        "sbd_set": (ctypes.c_int, (baseline, ctypes.c_void_p, text, text)),
        "sbd_print": (None, (ctypes.POINTER(_Parameter), ctypes.c_void_p, text)),
        "sbd_opinions_init": (ctypes.c_int, (opinions, ctypes.c_uint)),
        "sbd_opinions_free": (None, (opinions,)),
        "sbd_replay": (
            ctypes.c_int,
            (baseline, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int64, opinions),
        ),
    }
    for name, (result, arguments) in signatures.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


def _text_of(value: object) -> str:
    """Return a value as the library reads it; the shortest text of a float is read as the same float.

    Examples
    --------
    >>> [_text_of(value) for value in (None, True, 0.1, 3, "rtt")]
    ['none', 'true', '0.1', '3', 'rtt']
    """
    if value is None or isinstance(value, bool):
        return str(value).lower()
    return value if isinstance(value, str) else repr(value)


def is_compiled(name: str) -> bool:
    """Tell whether a detector is among the compiled ones."""
    return bool(_library().sbd_baseline_of(name.encode()))


def default_parameters(name: str) -> dict[str, str]:
    """Return the names of a compiled detector's parameters and its default values, as texts."""
    library = _library()
    baseline = library.sbd_baseline_of(name.encode())
    defaults = {}
    text = ctypes.create_string_buffer(_TEXT_BYTES)
    place = 0
    while (parameter := baseline.contents.parameters[place]).name:
        library.sbd_print(ctypes.byref(parameter), baseline.contents.defaults, text)
        defaults[parameter.name.decode()] = text.value.decode()
        place += 1
    return defaults


def event_array(columns: Int64Array, subflow_ids: Sequence[int]) -> EventArray:
    """Return events as the compiled detectors take them.

    Parameters
    ----------
    columns : (4, events) int64
        As :func:`smartsbd.detectors.event.event_columns` returns them.
    subflow_ids : sequence of int
        All subflows of the connection, in order.

    Returns
    -------
    (events,) EVENT
        In the same order.

    Raises
    ------
    ValueError
        If an event is of another subflow.
    """
    time_ns, subflow_id, kind, value = columns
    places = np.searchsorted(subflow_ids, subflow_id)
    if np.any(np.asarray(subflow_ids, dtype=np.int64).take(places, mode="clip") != subflow_id):
        raise ValueError(f"an event is of none of the subflows {list(subflow_ids)}")
    events = np.empty(len(time_ns), dtype=EVENT)
    events["time_ns"], events["place"], events["kind"], events["value"] = time_ns, places, kind, value
    return events


class CompiledDetector:
    """A compiled detector with its parameters; it may be sent to another process.

    Parameters
    ----------
    name : str
        Of the detector.
    parameters : mapping of str to its value
        All or some of them; the others are the default ones.

    Raises
    ------
    ParameterError
        If it has no such parameter, or cannot take a value.
    """

    def __init__(self, name: str, parameters: Mapping[str, Any]) -> None:
        self.name = name
        self._values = dict(parameters)
        library = _library()
        self._baseline = library.sbd_baseline_of(name.encode())
        if not self._baseline:
            raise CompiledDetectorError(f"detector {name!r} is not compiled")
        size = self._baseline.contents.parameters_size
        self._parameters = ctypes.create_string_buffer(ctypes.string_at(self._baseline.contents.defaults, size), size)
        for key, value in parameters.items():
            text = _text_of(value)
            error = library.sbd_set(self._baseline, self._parameters, key.encode(), text.encode())
            if error:
                what = "has no such parameter" if error == -errno.ENOENT else "cannot take this value"
                raise ParameterError(f"{key}={text}: {name}, compiled, {what}")
        possible = self._baseline.contents.possible
        if possible and not possible(ctypes.addressof(self._parameters)):
            raise ParameterError(f"{name}, compiled, cannot work with {self._values}")
        wanted = self._baseline.contents.wanted(ctypes.addressof(self._parameters))
        #: Kinds of events that it wants.
        self.kinds = frozenset(kind for kind in Kind if wanted >> kind & 1)

    def __reduce__(self) -> tuple[Any, ...]:
        """Return how to make it anew: the address of its parameters is valid in this process alone."""
        return CompiledDetector, (self.name, self._values)

    def opinions(self, events: EventArray, subflows: int, end_ns: int) -> list[Opinion]:
        """Return the changes of opinion on a connection, as :func:`smartsbd.detectors.replayed` does.

        Parameters
        ----------
        events : (n,) EVENT
            In time order; those of kinds that it does not want are passed over.
        subflows : int
            How many there are.
        end_ns : int
            End of the connection.

        Returns
        -------
        list of Opinion
            In time order; before the first there is no opinion.

        Raises
        ------
        CompiledDetectorError
            If an event is not possible, or there is no memory.
        ValueError
            If the events are of another type, or do not lie one after the other in memory.
        """
        if events.dtype != EVENT or not events.flags.c_contiguous:
            raise ValueError(f"events are {events.dtype}, must be {EVENT}, one after the other")
        library = _library()
        opinions = _Opinions()
        failed = library.sbd_opinions_init(ctypes.byref(opinions), subflows)
        try:
            failed = failed or library.sbd_replay(
                self._baseline, self._parameters, events.ctypes.data, len(events), end_ns, ctypes.byref(opinions)
            )
            if failed:
                raise CompiledDetectorError(f"{self.name}, compiled: {os.strerror(-failed)}")
            times_ns, groups = opinions.time_ns[: opinions.size], opinions.group[: opinions.size * subflows]
        finally:
            library.sbd_opinions_free(ctypes.byref(opinions))
        return [
            Opinion(time_ns, _partition(groups[place * subflows : (place + 1) * subflows]))
            for place, time_ns in enumerate(times_ns)
        ]


def _partition(groups: Sequence[int]) -> Partition:
    return tuple(None if group < 0 else group for group in groups)
