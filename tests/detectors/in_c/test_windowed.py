"""Compiled detectors of delays in a window: their opinions are those of their Python twins, at the same times."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from scipy.stats import rankdata

from smartsbd.detectors import DETECTORS, Opinion, replayed
from smartsbd.detectors.compiled_detectors import CompiledDetector, ParameterError, default_parameters, event_array
from smartsbd.detectors.correlation import coefficient
from smartsbd.detectors.event import Event, Int64Array, Kind, event_columns
from smartsbd.detectors.grid import points
from smartsbd.features import connection_pairs
from smartsbd.traces import recording
from smartsbd.traces.dialect import Dialect
from tests.detectors.queues_made import MS, ONE_QUEUE, OTHER_QUEUE, Trace, delays

ROOT = Path(__file__).parents[3]
#: The smaller ones: the Python detectors take their time.
KERNEL = sorted((ROOT / "data/samples/kernel/inputs").iterdir(), key=lambda path: path.stat().st_size)[:4]
GRIDS = yaml.safe_load((ROOT / "params.yaml").read_text())["replay"]["grids"]
NAMES = ("correlation", "rubenstein-r", "wavelet", "svd-r", "trend-line")
S = 1000 * MS
#: As in detectors/in_c/delays.h.
POINTS_LIMIT = 8192


@dataclasses.dataclass(frozen=True)
class Setting:
    """A detector and its parameters."""

    name: str
    parameters: Any

    @property
    def kind(self) -> Kind:
        return Kind.RTT if self.parameters.delay == "rtt" else Kind.OWD

    def altered(self, **parameters: object) -> Setting:
        return Setting(self.name, dataclasses.replace(self.parameters, **parameters))

    def expected(self, events: Int64Array, subflow_ids: Sequence[int], end_ns: int) -> list[Opinion]:
        """What the Python detector says."""
        detector = DETECTORS[self.name].build(self.parameters)
        return replayed(detector, subflow_ids, map(Event._make, events.T.tolist()), end_ns)

    def found(self, events: Int64Array, subflow_ids: Sequence[int], end_ns: int) -> list[Opinion]:
        """What the compiled one says."""
        detector = CompiledDetector(self.name, vars(self.parameters))
        return detector.opinions(event_array(events, subflow_ids), len(subflow_ids), end_ns)


def settings() -> Iterator[Setting]:
    """Every preset, and every point of the grids."""
    for name in NAMES:
        kind = DETECTORS[name]
        for parameters in (*kind.presets.values(), *points(kind, GRIDS[name]).values()):
            yield Setting(name, parameters)


def default(name: str, **parameters: object) -> Setting:
    kind = DETECTORS[name]
    return Setting(name, kind.presets[kind.default]).altered(**parameters)


def events_from(traces: Mapping[int, Trace], kind: Kind = Kind.RTT) -> Int64Array:
    """Delays of subflows as events, in order of time: (4, events)."""
    parts = [
        np.stack([times_ns, np.full(len(values), subflow_id), np.full(len(values), kind), values])
        for subflow_id, (times_ns, values) in traces.items()
    ]
    events = np.concatenate(parts, axis=1).astype(np.int64)
    return events[:, np.lexsort((events[1], events[0]))]


def values_drawn(rng: np.random.Generator, times_ns: Int64Array, queue_us: Int64Array) -> Int64Array:
    """Delays: of one value, of a few, or of a queue with more or less of one's own."""
    style = rng.integers(0, 5)
    if style == 0:
        return np.full(len(times_ns), rng.integers(1_000, 100_000))
    if style == 1:
        return rng.integers(1_000, 1_000 + rng.integers(2, 6), len(times_ns))
    alone_us = np.cumsum(rng.normal(0, 1_000, len(times_ns)))
    share = rng.uniform(0, 1)
    queued = np.abs(share * queue_us[np.minimum(times_ns // (10 * MS), len(queue_us) - 1)] + (1 - share) * alone_us)
    values = rng.integers(20_000, 120_000) + queued.astype(np.int64)
    return values // 5_000 * 5_000 if rng.random() < 0.3 else values


def trace_drawn(rng: np.random.Generator, queue_us: Int64Array) -> Trace:
    """Delays of a subflow, with silences, several at one time, a jump of time; maybe a single one, maybe none."""
    samples = 1 if rng.random() < 0.1 else rng.integers(2, 2_000)
    times_ns = np.sort(rng.integers(rng.integers(0, 2 * S), rng.integers(8 * S, 25 * S), samples))
    if rng.random() < 0.3:
        times_ns = times_ns // (10 * MS) * 10 * MS
    values = values_drawn(rng, times_ns, queue_us)
    for _ in range(rng.integers(0, 3)):
        begin_ns = rng.integers(0, 20 * S)
        kept = (times_ns < begin_ns) | (times_ns > begin_ns + rng.integers(S // 2, 10 * S))
        times_ns, values = times_ns[kept], values[kept]
    if rng.random() < 0.2:
        times_ns = np.where(times_ns > 12 * S, times_ns + rng.choice([10, 1_000, 1_000_000]) * S, times_ns)
    return times_ns, values


def drawn(seed: int) -> tuple[dict[int, Trace], int]:
    """Two to five subflows, and the connection's end."""
    rng = np.random.default_rng(seed)
    queue_us = np.cumsum(rng.normal(0, 1_000, 4_000)).astype(np.int64)
    start_ns = rng.choice([0, S, 4 * 10**18])
    traces = {}
    for number in range(rng.integers(2, 6)):
        times_ns, values = trace_drawn(rng, queue_us)
        traces[3 * number + 1] = start_ns + times_ns, values
    last_ns = max(int(times_ns.max(initial=0)) for times_ns, _ in traces.values())
    return traces, last_ns + int(rng.integers(0, 3)) * S


@pytest.mark.parametrize("seed", range(4))
def test_opinions_on_drawn_delays(seed: int) -> None:
    traces, end_ns = drawn(seed)
    events = {kind: events_from(traces, kind) for kind in (Kind.RTT, Kind.OWD)}
    for setting in settings():
        own = events[setting.kind], sorted(traces), end_ns
        assert setting.found(*own) == setting.expected(*own), setting


@pytest.mark.parametrize("path", KERNEL, ids=lambda path: path.name)
def test_opinions_on_what_a_kernel_recorded(path: Path) -> None:
    opinions = 0
    for _, connection in recording.read(path, Dialect()).connections():
        rows, (_, end_ns) = connection_pairs.rows(connection), connection.span_ns()
        events = {kind: event_columns(*rows, [kind]) for kind in (Kind.RTT, Kind.OWD)}
        for setting in settings():
            own = events[setting.kind], sorted(connection.subflows), end_ns
            expected = setting.expected(*own)
            assert setting.found(*own) == expected, setting
            opinions += len(expected)
    assert opinions


OTHERS = [
    *(default("correlation", points=count) for count in (2, 3, 127, 129, 300)),
    default("correlation", of="spearman", points=300, step_ms=130, window_ms=3_000),
    *(default("wavelet", points=100, wavelet=name, threshold=0.7) for name in ("haar", "db2", "db3")),
    *(default("wavelet", points=count) for count in (14, 15, 64, 77, 301)),
    default("wavelet", points=9, wavelet="haar"),
    default("svd-r", points=5, least_cosine=0.9),
    default("rubenstein-r", slot_ms=35, least_probes=1, window_ms=1_000),
    default("rubenstein-r", slot_rtts=3, window_ms=None, window_rtts=70),
    default("trend-line", mean="arithmetic", smoothed_over=1, group_ms=37, skipped_groups=0, window_groups=3),
    default("trend-line", smoothed_over=7, longest_run=2, close_groups=2, rising_groups=40),
]


@pytest.mark.parametrize("setting", OTHERS, ids=str)
def test_other_parameters(setting: Setting) -> None:
    traces = {
        0: delays(ONE_QUEUE, 40_000, 5, 16_000),
        1: delays(OTHER_QUEUE, 50_000, 6, 16_000),
        5: delays(ONE_QUEUE, 90_000, 7, 16_000, start_ms=1_030),
    }
    own = events_from(traces), sorted(traces), 16 * S
    expected = setting.expected(*own)
    assert expected and setting.found(*own) == expected


@pytest.mark.parametrize("seed", range(10))
def test_the_threshold_itself_is_shared(seed: int) -> None:
    """Ranks and sums of their products are exact, so that a coefficient of ranks is one double on every machine."""
    rng = np.random.default_rng(seed)
    times_ns = np.arange(0, 10 * S + 1, 10 * MS)
    queue_us = np.cumsum(rng.normal(0, 1_000, len(times_ns)))
    noisy_us = (queue_us + rng.normal(0, 4_000, (2, len(times_ns)))).astype(np.int64) // 1_000 + 200
    # The last delays are at the first step with a full window.
    grid_ns = np.linspace(0, 10 * S, 126).astype(np.int64)
    found = coefficient(*(rankdata(np.interp(grid_ns, times_ns, values)) for values in noisy_us))
    assert found is not None and 0.1 < found < 0.99
    own = events_from({number: (times_ns, values) for number, values in enumerate(noisy_us)}), [0, 1], 10 * S
    for threshold, partition in ((found, (0, 0)), (np.nextafter(found, 1), (0, 1))):
        setting = default("correlation", of="spearman", window_ms=10_000, threshold=float(threshold))
        assert setting.found(*own) == setting.expected(*own) == [Opinion(10 * S, partition)]


def test_many_subflows() -> None:
    """Of 40, through four queues."""
    queues = (ONE_QUEUE, OTHER_QUEUE, (1_330, 40_000), (2_100, 70_000))
    traces = {number: delays(queues[number % 4], 30_000 + 911 * number, 9, 5_000) for number in range(40)}
    own = events_from(traces), sorted(traces), 5 * S
    setting = default("svd-r", window_ms=4_000)
    assert setting.found(*own) == setting.expected(*own) != []


@pytest.mark.parametrize("name", NAMES)
def test_parameters_are_those_of_the_twin(name: str) -> None:
    # YAML takes no number of C's without a point, such as 1e+04.
    read = {
        key: float(text) if "e+" in text else yaml.safe_load(text) for key, text in default_parameters(name).items()
    }
    none = {key: None for key, value in read.items() if value == "none"}
    assert {**read, **none} == vars(default(name).parameters)


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("correlation", {"delay": "owd"}),
        ("correlation", {"step_ms": 0}),
        ("correlation", {"window_rtts": 0}),
        ("correlation", {"window_ms": 0}),
        ("correlation", {"window_ms": 2**62}),
        ("correlation", {"points": 1}),
        ("correlation", {"points": POINTS_LIMIT + 1}),
        ("correlation", {"of": "kendall"}),
        ("wavelet", {"points": 1}),
        ("wavelet", {"wavelet": "sym8"}),
        ("svd-r", {"delay": "owd", "window_ms": None}),
        ("svd-r", {"points": 0}),
        ("rubenstein-r", {"delay": "owd"}),
        ("rubenstein-r", {"slot_ms": 0}),
        ("rubenstein-r", {"slot_rtts": 0}),
        ("rubenstein-r", {"least_probes": 0}),
        ("trend-line", {"delay": "owd"}),
        ("trend-line", {"smoothed_over": 0}),
        ("trend-line", {"smoothed_over": 2**40}),
        ("trend-line", {"group_ms": 0}),
        ("trend-line", {"window_groups": -1}),
        ("trend-line", {"skipped_groups": 2**62}),
    ],
)
def test_what_cannot_be_is_refused(name: str, parameters: dict[str, object]) -> None:
    with pytest.raises(ParameterError):
        CompiledDetector(name, parameters)
