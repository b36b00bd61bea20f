"""The lag excess that a sender includes, in C: every judgement is the pipeline's, and nothing overflows."""

from __future__ import annotations

import ctypes
import subprocess
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from export.compiled_detectors import CompiledDetector, event_array
from features import connection_pairs
from features.lag_excess import gate
from features.reading import DEFAULT
from features.series import SubflowSignals
from models.detectors import replayed
from models.detectors.event import Event
from models.detectors.lag_excess import LAG_EXCESS, MOST_TILES, Judgement, Rule, judgements
from pipelines import recording
from tests.features.delays_made import pair
from traces.dialect import Dialect

ROOT = Path(__file__).parents[2]
KERNEL = sorted((ROOT / "data/samples/kernel/inputs").iterdir())
#: As enum sbd_lag_said.
SAID = ["apart", "shared", gate.BETWEEN, gate.IDLE, gate.TOO_SPARSE, gate.STALLED, gate.STILL, gate.TOO_DEEP]
#: Bytes that a pair may take in a kernel.
PAIR_BYTES = 16 << 10
SOURCE = """
#include <stddef.h>
#include "sbd_lag_excess.h"

struct judgement {
	int64_t decided_ns;
	int32_t said, score_q10;
};

size_t pair_bytes(void)
{
	return sizeof(struct sbd_lag_pair);
}

size_t judged(const int64_t *time_ns, const int32_t *which, const uint32_t *rtt_us, size_t size,
		int32_t shared_above_q10, int32_t apart_below_q10, int32_t tiles, int32_t compares,
		struct judgement *found)
{
	static struct sbd_lag_pair pair;
	size_t i, n = 0;

	sbd_lag_init(&pair, (struct sbd_lag_rule){ shared_above_q10, apart_below_q10, tiles, compares });
	for (i = 0; i < size; i++) {
		if (!sbd_lag_on_rtt(&pair, which[i], time_ns[i], rtt_us[i]))
			continue;
		found[n].decided_ns = pair.decided_ns;
		found[n].said = pair.said;
		found[n++].score_q10 = pair.has_score ? pair.score_q10 : INT32_MIN;
	}
	return n;
}
"""
FOUND = np.dtype([("decided_ns", np.int64), ("said", np.int32), ("score_q10", np.int32)])
NO_SCORE = np.iinfo(np.int32).min


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    """Compile what a sender includes, such that an overflow ends the process."""
    folder = tmp_path_factory.mktemp("lag_excess")
    (folder / "judged.c").write_text(SOURCE)
    flags = ["-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared"]
    trap = ["-fsanitize=undefined", "-fsanitize-undefined-trap-on-error"]
    includes = f"-I{ROOT / 'export/baselines'}"
    path = folder / "judged.so"
    subprocess.run(["gcc", *flags, *trap, includes, str(folder / "judged.c"), "-o", str(path)], check=True)
    loaded = ctypes.CDLL(str(path))
    loaded.judged.restype = loaded.pair_bytes.restype = ctypes.c_size_t
    return loaded


def judged(library: ctypes.CDLL, x: SubflowSignals, y: SubflowSignals, rule: Rule) -> list[tuple[int, str, int | None]]:
    """Return the judgements of the C, by time, words and score."""
    time_ns = np.concatenate([x.rtt_time_ns, y.rtt_time_ns])
    which = np.repeat(np.array([0, 1], dtype=np.int32), [x.rtt_us.size, y.rtt_us.size])
    order = np.lexsort((which, time_ns))
    columns = (
        np.ascontiguousarray(time_ns[order]),
        np.ascontiguousarray(which[order]),
        np.ascontiguousarray(np.concatenate([x.rtt_us, y.rtt_us])[order].astype(np.uint32)),
    )
    found = np.empty(order.size, dtype=FOUND)
    size = library.judged(
        *(ctypes.c_void_p(own.ctypes.data) for own in columns),
        ctypes.c_size_t(order.size),
        rule.shared_above_q10,
        rule.apart_below_q10,
        rule.tiles,
        int(rule.compares),
        ctypes.c_void_p(found.ctypes.data),
    )
    return [
        (decided_ns, SAID[said], None if score_q10 == NO_SCORE else score_q10)
        for decided_ns, said, score_q10 in found[:size].tolist()
    ]


def in_words(one: Judgement) -> str:
    """Return a judgement as the C says it."""
    return one.reason or ("shared" if one.shared else "apart")


def assert_equals(library: ctypes.CDLL, x: SubflowSignals, y: SubflowSignals, rule: Rule) -> Counter[str]:
    """Compare every judgement; return how often what was said."""
    expected = [(one.decided_ns, in_words(one), one.score_q10) for one in judgements(x, y, rule)]
    assert judged(library, x, y, rule) == expected
    return Counter(words for _, words, _ in expected)


def test_every_judgement_on_made_delays_is_the_pipelines(library: ctypes.CDLL) -> None:
    said: Counter[str] = Counter()
    for seed in range(50):
        x, y, _ = pair(seed)
        for tiles in {1, 1 + seed % MOST_TILES}:
            said += assert_equals(library, x, y, Rule(tiles=tiles))
            said += assert_equals(library, x, y, Rule(tiles=tiles, compares=False))
    assert said.keys() == set(SAID)


def test_the_detector_of_three_subflows_is_its_twin() -> None:
    """Two of them may meet one queue; they are judged pair by pair."""
    changes = 0
    for seed in range(4, 64, 5):
        x, y, _ = pair(seed)
        z, _, _ = pair(seed + 100)
        columns = np.concatenate(
            [
                np.stack([own.rtt_time_ns, np.full(own.rtt_us.size, number), np.full(own.rtt_us.size, 4), own.rtt_us])
                for number, own in enumerate((x, y, z))
            ],
            axis=1,
        )
        columns = columns[:, np.lexsort((columns[1], columns[0]))]
        end_ns = int(columns[0].max())
        expected = replayed(LAG_EXCESS.build(Rule()), [0, 1, 2], map(Event._make, columns.T.tolist()), end_ns)
        found = CompiledDetector("lag-excess", vars(Rule())).opinions(event_array(columns, [0, 1, 2]), 3, end_ns)
        assert found == expected
        changes += len(found)
    assert changes > 12


def test_every_judgement_on_a_kernels_connections_is_the_pipelines(library: ctypes.CDLL) -> None:
    said: Counter[str] = Counter()
    for path in KERNEL:
        for connection in recording.read(path, Dialect()).trace.connections:
            found = connection_pairs.signals(connection, DEFAULT)
            said += assert_equals(library, found[0], found[1], Rule())
    assert {"shared", "apart"} <= said.keys()


def test_the_order_of_the_subflows_turns_the_lags_alone(library: ctypes.CDLL) -> None:
    x, y, _ = pair(3)
    found = judged(library, x, y, Rule())
    assert found == judged(library, y, x, Rule())
    assert found


def test_a_pair_is_small(library: ctypes.CDLL) -> None:
    assert library.pair_bytes() <= PAIR_BYTES
