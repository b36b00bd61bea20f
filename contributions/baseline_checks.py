"""One call that checks a baseline detector: what it states, and what it says of generated connections."""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from smartsbd.contributions.finding import ContributionError, Finding, first_of_each
from smartsbd.contributions.generated_connections import GeneratedConnection, generated_connections
from smartsbd.detectors.detector import Detector, DetectorKind, Opinion, replayed
from smartsbd.detectors.partition import Partition, numbered

_NS_PER_S = 1_000_000_000
#: How much later everything is in the check of the time's origin: an hour, and no whole number of any step.
_LATER_NS = 3_671 * _NS_PER_S + 437_000_003
#: At how many of a detector's own opinions the future is hidden from it.
_HIDDEN_AT = 6
#: Times that the same stretch has been replayed when memory is measured.
_FEW, _MANY = 3, 9
#: By what memory may grow in between.
_GROWN_SHARE, _GROWN_BYTES = 0.02, 1024
#: Silences, in powers of ten seconds, and the seconds of computing that one may cost.
_SILENCES = range(3, 9)
_SILENCE_CPU_S = 2.0


def check_baseline(kind: DetectorKind, except_for: Mapping[str, str] | None = None) -> None:
    """Check a baseline detector with each of its parameter sets; nothing is returned where nothing is broken.

    Each receives the connections of :func:`~smartsbd.contributions.generated_connections.generated_connections`. The
    checks, by the names that the error gives them:

    - ``stated``: names have no slash, evidence and source are there; parameter sets are frozen dataclasses of one type.
      The others follow once this is right.
    - ``builds``: each parameter set makes a detector.
    - ``kinds``: the kinds of events that it declares are those it handles, and stay the same.
    - ``raises``: it takes every connection.
    - ``opinions``: times ascend between the first event and the end; partitions have a place for each subflow, hold
      None or groups counted from 0, and change from one opinion to the next.
    - ``says``: it comes to an opinion on at least one connection.
    - ``deterministic``: another of the same parameters says the same.
    - ``separate``: it does not know what another, or itself before ``reset``, received.
    - ``causal``: what it said up to a time is the same when nothing comes later.
    - ``time_origin``: when all times are later by a constant, so are its opinions, and nothing else changes.
    - ``labels``: other numbers of the subflows, in another order too, give the same groups.
    - ``memory``: it does not grow with the events that it has received.
    - ``silence``: a long silence costs no time.

    Parameters
    ----------
    kind : DetectorKind
        It need not be in the list of detectors yet.
    except_for : mapping of str to str, optional
        Checks that the detector is known not to keep, and why. One that it keeps after all is a finding.

    Raises
    ------
    ContributionError
        With the first finding of every check that fails.

    Examples
    --------
    >>> from smartsbd.detectors.correlation import CORRELATION
    >>> check_baseline(CORRELATION)
    """
    known = except_for or {}
    findings = first_of_each(_stated(kind)) or first_of_each(_check_opinions(kind))
    failed = {finding.check for finding in findings}
    findings = [finding for finding in findings if finding.check not in known]
    kept = [check for check in known if check not in failed]
    findings += [Finding(check, "an exception is made, and it keeps the check") for check in kept]
    if findings:
        raise ContributionError(kind.name, findings)


def _stated(kind: DetectorKind) -> Iterator[Finding]:
    """Yield what is wrong with what the kind states."""
    for name in (kind.name, *kind.presets):
        if not name or "/" in name:
            yield Finding(
                "stated", f"the name {name!r} is empty or has a slash, which parts detector and parameter set"
            )
    if not (kind.evidence and kind.source):
        yield Finding("stated", "evidence or source is empty")
    if not kind.presets:
        yield Finding("stated", "there is no parameter set; the first is the default")
    for name, parameters in kind.presets.items():
        stated = getattr(parameters, "__dataclass_params__", None)
        if isinstance(parameters, type) or stated is None or not stated.frozen:
            yield Finding("stated", f"the parameter set {name!r} is no frozen dataclass, but {parameters!r}")
    if len({type(parameters) for parameters in kind.presets.values()}) > 1:
        yield Finding("stated", "the parameter sets are of several types")


def _check_opinions(kind: DetectorKind) -> Iterator[Finding]:
    """Yield what is wrong with what it says, with one parameter set after the other."""
    connections = generated_connections()
    for name, parameters in kind.presets.items():
        try:
            built = kind.build(parameters)
        except Exception as error:  # whatever a contribution raises is a finding
            yield Finding("builds", f"{name}: {type(error).__name__}: {error}")
            continue
        if not isinstance(built, Detector):
            yield Finding("builds", f"{name} makes a {type(built).__name__}, no Detector")
            continue
        for check, defect in BaselineTrial(kind, parameters).findings(connections):
            yield Finding(check, f"{name}, {defect}")


@dataclass(frozen=True)
class BaselineTrial:
    """A detector with one parameter set, on trial."""

    kind: DetectorKind
    parameters: Any

    def opinions_on(self, connection: GeneratedConnection) -> list[Opinion]:
        """Return what a new detector says of a connection."""
        return self.opinions_by(self.kind.build(self.parameters), connection)

    @staticmethod
    def opinions_by(detector: Detector, connection: GeneratedConnection) -> list[Opinion]:
        """Return what a detector says of a connection."""
        return replayed(detector, connection.subflow_ids, connection.events, connection.end_ns)

    def findings(self, connections: Mapping[str, GeneratedConnection]) -> Iterator[tuple[str, str]]:
        """Yield what is wrong, by the name of the check."""
        kinds = self.kind.build(self.parameters).kinds
        wanted = {where: connection.of_kinds(kinds) for where, connection in connections.items()}
        opinions: dict[str, list[Opinion]] = {}
        try:
            for where, connection in wanted.items():
                opinions[where] = self.opinions_on(connection)
                defects = self._check_one(connection, opinions[where])
                yield from ((check, f"on {where}: {defect}") for check, defect in defects)
            if not any(opinions.values()):
                yield "says", "no opinion on any connection"
            where = "all connections"
            yield from self._check_several([*wanted.values()], [*opinions.values()])
        except Exception as error:  # whatever a contribution raises is a finding
            yield "raises", f"on {where}: {type(error).__name__}: {error}"

    def _check_one(self, connection: GeneratedConnection, opinions: Sequence[Opinion]) -> Iterator[tuple[str, str]]:
        """Yield what is wrong on one connection."""
        misshapen = [*_misshapen(connection, opinions)]
        if misshapen:
            yield "opinions", misshapen[0]
            return
        if self.opinions_on(connection) != opinions:
            yield "deterministic", "another of the same parameters says something else"
        for cut_ns in _cuts(connection, opinions):
            before = [opinion for opinion in opinions if opinion.time_ns <= cut_ns]
            if self.opinions_on(connection.until(cut_ns)) != before:
                yield "causal", f"what it says up to {cut_ns} ns depends on what comes after"
        later = [Opinion(opinion.time_ns + _LATER_NS, opinion.partition) for opinion in opinions]
        if self.opinions_on(connection.later(_LATER_NS)) != later:
            yield "time_origin", f"{_LATER_NS} ns later it says something else"
        for labels in _labels(connection):
            expected = [Opinion(opinion.time_ns, _relabelled(opinion.partition, labels)) for opinion in opinions]
            if self.opinions_on(connection.relabelled(labels)) != expected:
                yield "labels", f"with the subflows {labels} it makes other groups"

    def _check_several(
        self, connections: Sequence[GeneratedConnection], opinions: Sequence[Sequence[Opinion]]
    ) -> Iterator[tuple[str, str]]:
        """Yield what is wrong when several connections are replayed, or one at length."""
        detector = self.kind.build(self.parameters)
        kinds = detector.kinds
        for connection, expected in zip(connections, opinions, strict=True):
            if self.opinions_by(detector, connection) != expected:
                yield "separate", "after reset it says something else than a new one"
            if self.opinions_on(connection) != expected:
                yield "separate", "a new one says something else after others were told of connections"
        if not kinds or detector.kinds != kinds or {*detector.handlers()} != kinds:
            later, handled = sorted(detector.kinds), sorted(detector.handlers())
            yield "kinds", f"it declares {sorted(kinds)}, then {later}, and handles {handled}"
        stretch = connections[0]
        few, many = (self._bytes_after(stretch.repeated(times)) for times in (_FEW, _MANY))
        if many - few > _GROWN_SHARE * few + _GROWN_BYTES:
            yield "memory", f"{few} bytes after {_FEW} stretches are {many} after {_MANY}"
        for power in _SILENCES:
            began_s = time.process_time()
            self.opinions_on(stretch.repeated(2, silent_ns=10**power * _NS_PER_S))
            took_s = time.process_time() - began_s
            if took_s > _SILENCE_CPU_S:
                yield "silence", f"10^{power} s of silence cost {took_s:.1f} s"
                break

    def _bytes_after(self, connection: GeneratedConnection) -> int:
        detector = self.kind.build(self.parameters)
        self.opinions_by(detector, connection)
        return _held_bytes(detector)


def _misshapen(connection: GeneratedConnection, opinions: Sequence[Opinion]) -> Iterator[str]:
    """Yield what is wrong with the form of opinions."""
    first_ns = connection.events[0].time_ns if connection.events else connection.end_ns
    for opinion in opinions:
        if type(opinion.time_ns) is not int or not first_ns <= opinion.time_ns <= connection.end_ns:
            yield f"{opinion.time_ns!r} is no time from {first_ns} to {connection.end_ns}"
        if not isinstance(opinion.partition, tuple) or len(opinion.partition) != len(connection.subflow_ids):
            yield f"{opinion.partition!r} has no place for each of {connection.subflow_ids}"
        elif any(group is not None and type(group) is not int for group in opinion.partition):
            yield f"{opinion.partition!r} holds something else than numbers and None"
        elif numbered(opinion.partition) != opinion.partition:
            yield f"the groups of {opinion.partition} are not counted from 0 as they come"
    for before, after in pairwise(opinions):
        if not before.time_ns < after.time_ns:
            yield f"the opinion of {after.time_ns} ns follows that of {before.time_ns} ns"
        if before.partition == after.partition:
            yield f"{after.partition} at {after.time_ns} ns is no change"


def _cuts(connection: GeneratedConnection, opinions: Sequence[Opinion]) -> list[int]:
    """Return times to hide the future at: those of opinions, and some in between."""
    places = np.linspace(0, len(opinions) - 1, min(_HIDDEN_AT, len(opinions))).astype(int)
    opinions_ns = [opinions[place].time_ns for place in places]
    return sorted({*opinions_ns, connection.end_ns // 3, 2 * connection.end_ns // 3})


def _labels(connection: GeneratedConnection) -> list[dict[int, int]]:
    """Return other numbers of the subflows, in the same order and, where nothing depends on the order, in reverse."""
    ids = connection.subflow_ids
    same = {subflow_id: 5 * subflow_id + 3 for subflow_id in ids}
    turned = dict(zip(ids, reversed(ids), strict=True))
    return [same] if connection.tied else [same, turned]


def _relabelled(partition: Partition, labels: Mapping[int, int]) -> Partition:
    """Return a partition of subflows in order of their numbers, in order of other numbers."""
    group = dict(zip((labels[subflow_id] for subflow_id in sorted(labels)), partition, strict=True))
    return numbered([group[label] for label in sorted(group)])


def _held_bytes(detector: Detector) -> int:
    """Return the bytes of everything that a detector refers to except types, code and opinions."""
    seen: set[int] = set()
    waiting: list[object] = [detector]
    size = 0
    while waiting:
        held = waiting.pop()
        if id(held) in seen or isinstance(held, (type, ModuleType, Opinion)):
            continue
        seen.add(id(held))
        if isinstance(held, FunctionType):
            # Its globals are the module's.
            waiting += held.__closure__ or ()
            continue
        if not (isinstance(held, list) and held and all(isinstance(entry, Opinion) for entry in held)):
            size += sys.getsizeof(held)
        waiting += gc.get_referents(held)
        if isinstance(held, np.ndarray) and held.base is not None:
            waiting.append(held.base)
    return size
