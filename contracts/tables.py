"""The tables: grain, key, columns, units, sources. The data dictionary is generated from here.

Null means not observed; zero is a measurement. Times are the input's own clock.
"""

from __future__ import annotations

import pyarrow as pa

from smartsbd.contracts.contract import Column, Table

CA_STATES = ("Open", "Disorder", "CWR", "Recovery", "Loss")
OPEN, DISORDER, CWR, RECOVERY, LOSS_STATE = range(len(CA_STATES))
PAIR_KEY = ("connection_id", "subflow_a", "subflow_b")
WINDOW_KEY = (*PAIR_KEY, "rule", "window_start_ns")
WINDOW_RULES = ("triggered", "tiled")
TILE_KEY = (*PAIR_KEY, "memory", "tile_no", "steps")

_CONNECTION_ID = Column(
    "connection_id",
    pa.string(),
    "dataset, input and ordinal of the connection; hidden from learners",
    source="dataset/input#ordinal",
)
_CAPTURE_ID = Column("capture_id", pa.string(), "first 16 hex digits of the input file's BLAKE3")
_SUBFLOW_ID = Column("subflow_id", pa.int16(), "number of the subflow in its connection", low=0)
_TIME = Column("time_ns", pa.int64(), "when it happened, input's clock", unit="ns", low=0)
_PAIR = (
    _CONNECTION_ID,
    Column("subflow_a", pa.int16(), "the pair's lower subflow number", low=0),
    Column("subflow_b", pa.int16(), "the pair's higher subflow number", low=1),
)
_WINDOW = (
    *_PAIR,
    Column(
        "rule",
        pa.string(),
        "how the window was placed: after a coincidence of congestion, or back to back",
        source="SmartSBD section 3.2 (triggered), 3.5 (tiled)",
        choices=WINDOW_RULES,
    ),
    Column("window_start_ns", pa.int64(), "start of the window, input's clock", unit="ns", low=0),
)

CAPTURE = Table(
    "capture",
    "one input file",
    ("capture_id",),
    (
        _CAPTURE_ID,
        Column("source", pa.string(), "what kind of input it is: a name in traces/formats/__init__.py, or unknown"),
        Column("name", pa.string(), "file name in data/raw/<dataset>/inputs"),
        Column("size_bytes", pa.int64(), "size of the file as stored", unit="bytes", low=0),
        Column("parser_version", pa.string(), "version of the code that read it"),
    ),
)

CONNECTION = Table(
    "connection",
    "one MPTCP connection",
    ("connection_id",),
    (
        _CONNECTION_ID,
        Column(
            "token",
            pa.uint32(),
            "MPTCP token of the connection at the sender",
            source="RFC 8684 section 3.2",
            nullable=True,
        ),
        Column(
            "remote_token",
            pa.uint32(),
            "MPTCP token of the connection at the receiver: the one the sender joins subflows with",
            source="RFC 8684 section 3.2",
            nullable=True,
        ),
        Column(
            "mptcp_version",
            pa.int8(),
            "MPTCP version",
            source="RFC 6824 (0), RFC 8684 (1)",
            nullable=True,
            low=0,
            high=1,
        ),
        Column("start_ns", pa.int64(), "first record", unit="ns", low=0),
        Column("end_ns", pa.int64(), "last record", unit="ns", low=0),
        Column("congestion_control", pa.string(), "controller of the sender, as the input names it", nullable=True),
    ),
)

CONNECTION_CAPTURE = Table(
    "connection_capture",
    "a connection in a capture",
    ("connection_id", "capture_id"),
    (
        _CONNECTION_ID,
        _CAPTURE_ID,
        Column(
            "vantage",
            pa.string(),
            "where the input was recorded",
            choices=("sender", "receiver", "unknown"),
        ),
    ),
)

SUBFLOW = Table(
    "subflow",
    "one TCP subflow",
    ("connection_id", "subflow_id"),
    (
        _CONNECTION_ID,
        _SUBFLOW_ID,
        Column("path", pa.string(), "kind of access link", nullable=True, choices=("wifi", "lte")),
        Column("loc_id", pa.int16(), "local address id", source="RFC 8684 section 3.2", nullable=True, low=0, high=255),
        Column(
            "rem_id", pa.int16(), "remote address id", source="RFC 8684 section 3.2", nullable=True, low=0, high=255
        ),
        Column("family", pa.int8(), "IP version", nullable=True, choices=(4, 6)),
        Column("local_address", pa.string(), "pseudonym of the sender's address", nullable=True),
        Column("remote_address", pa.string(), "pseudonym of the receiver's address", nullable=True),
        Column("local_port", pa.int32(), "sender's port", nullable=True, low=0, high=65535),
        Column("remote_port", pa.int32(), "receiver's port", nullable=True, low=0, high=65535),
        Column("min_rtt_us", pa.int64(), "smallest RTT sample", unit="us", nullable=True, low=1),
        Column("retransmissions", pa.int64(), "segments sent again", unit="packets", nullable=True, low=0),
        Column("start_ns", pa.int64(), "first record", unit="ns", low=0),
        Column("end_ns", pa.int64(), "last record", unit="ns", low=0),
    ),
)

ACK = Table(
    "ack",
    "one ACK that reached the sender",
    ("connection_id", "subflow_id", "ack_no"),
    (
        _CONNECTION_ID,
        _SUBFLOW_ID,
        Column("ack_no", pa.int32(), "number of the ACK in its subflow", low=0),
        _TIME,
        Column(
            "acked_bytes",
            pa.int64(),
            "bytes acknowledged so far (snd_una); from the first ACK on, where the input does not tell the start",
            unit="bytes",
            low=0,
        ),
        Column(
            "rtt_us",
            pa.int64(),
            "RTT sample taken from this ACK",
            unit="us",
            source="tcp_ack_update_rtt",
            nullable=True,
            low=1,
        ),
        Column(
            "srtt_us",
            pa.int64(),
            "smoothed RTT the sender logged with this ACK",
            unit="us",
            source="tcp_rtt_estimator",
            nullable=True,
            low=1,
        ),
        Column("is_dup", pa.bool_(), "it acknowledged nothing new while data was outstanding", nullable=True),
        Column(
            "newly_sacked_bytes",
            pa.int64(),
            "bytes it SACKed first",
            unit="bytes",
            source="RFC 2018",
            nullable=True,
            low=0,
        ),
        Column("ece", pa.bool_(), "ECN echo", source="RFC 3168", nullable=True),
        Column(
            "owd_us",
            pa.int64(),
            "one-way delay of the segment that gave the RTT sample; in captures, and the mean way back",
            unit="us",
            source="RFC 7323",
            nullable=True,
        ),
        Column(
            "data_ack",
            pa.int64(),
            "data-level bytes acknowledged",
            unit="bytes",
            source="RFC 8684 section 3.3",
            nullable=True,
            low=0,
        ),
    ),
)

STATE = Table(
    "state",
    "one change of congestion state",
    ("connection_id", "subflow_id", "state_no"),
    (
        _CONNECTION_ID,
        _SUBFLOW_ID,
        Column("state_no", pa.int32(), "number of the change in its subflow", low=0),
        _TIME,
        Column(
            "ca_state",
            pa.int8(),
            "0 Open, 1 Disorder, 2 CWR, 3 Recovery, 4 Loss",
            source="icsk_ca_state",
            choices=(0, 1, 2, 3, 4),
        ),
        Column("inferred", pa.bool_(), "derived from packets, not logged by the sender"),
    ),
)

LOSS = Table(
    "loss",
    "one loss event",
    ("connection_id", "subflow_id", "loss_no"),
    (
        _CONNECTION_ID,
        _SUBFLOW_ID,
        Column("loss_no", pa.int32(), "number of the event in its subflow", low=0),
        _TIME,
        Column("kind", pa.string(), "fast retransmit, timeout or tail loss probe", choices=("fast", "rto", "tlp")),
        Column("packets", pa.int32(), "segments marked lost", unit="packets", low=1),
    ),
)

TRUTH = Table(
    "truth",
    "a pair of subflows from a moment on",
    (*PAIR_KEY, "from_ns"),
    (
        *_PAIR,
        Column("from_ns", pa.int64(), "from when on it holds", unit="ns", low=0),
        Column("shared", pa.bool_(), "the two subflows share their bottleneck"),
        Column("site", pa.string(), "where the paths lead", nullable=True),
        Column("scenario", pa.string(), "the setting it was drawn from"),
        Column("congestion_control", pa.string(), "controller configured at the sender"),
        *(
            Column(f"{name}_{side}{suffix}", dtype, f"{meaning}, subflow {side}", unit=unit, low=low, nullable=True)
            for side in ("a", "b")
            for name, suffix, dtype, meaning, unit, low in (
                ("path", "", pa.string(), "kind of access link", "", None),
                ("bottleneck", "_mbit_s", pa.float64(), "configured bottleneck rate", "Mbit/s", 0),
                ("queue", "_bytes", pa.int64(), "configured bottleneck queue", "bytes", 0),
                ("base_rtt", "_us", pa.int64(), "configured propagation RTT", "us", 0),
                ("loss", "_ratio", pa.float64(), "configured random loss per packet and direction", "", 0),
                ("jitter", "_us", pa.int64(), "configured mean jitter", "us", 0),
                (
                    "background",
                    "_mbit_s",
                    pa.float64(),
                    "configured background traffic at its bottleneck, null with bulk flows",
                    "Mbit/s",
                    0,
                ),
                ("utilisation", "", pa.float64(), "measured utilisation of its bottleneck", "", 0),
                (
                    "drop_share",
                    "",
                    pa.float64(),
                    "share of its queue drops and marks at its bottleneck",
                    "",
                    0,
                ),
            )
        ),
        Column("valid", pa.bool_(), "the intended bottleneck was the bottleneck", source="SmartSBD section 3.1"),
        Column("why", pa.string(), "why it is valid or not"),
    ),
)

SERIES = Table(
    "series",
    "one grid point of one window",
    (*WINDOW_KEY, "k"),
    (
        *_WINDOW,
        Column("k", pa.int16(), "number of the grid point", low=0),
        Column("time_ns", pa.int64(), "when it is, input's clock", unit="ns", low=0),
        *(
            Column(f"{name}_{side}{suffix}", dtype, f"{meaning}, subflow {side}", unit=unit, low=low)
            for side in ("a", "b")
            for name, suffix, dtype, meaning, unit, low in (
                ("rtt", "_us", pa.int64(), "resampled RTT", "us", 1),
                ("congested", "", pa.bool_(), "in Recovery or Loss", "", None),
                ("acked", "_bytes", pa.int64(), "bytes acknowledged so far", "bytes", 0),
                ("rate", "_mbit_s", pa.float64(), "achieved throughput, smoothed and resampled", "Mbit/s", 0),
            )
        ),
    ),
)

#: The columns of ``pair_window`` that are not features; ``smartsbd.features.catalog`` appends its own.
PAIR_WINDOW_BASE = Table(
    "pair_window",
    "two subflows, one window",
    WINDOW_KEY,
    (
        *_WINDOW,
        Column("window_ns", pa.int64(), "length T of the window", unit="ns", low=1),
        Column("step_ns", pa.int64(), "step of the grid", unit="ns", low=1),
        Column("n", pa.int16(), "grid points", low=2, high=682),
        Column("min_rtt_a_us", pa.int64(), "smallest RTT sample up to the start, subflow a", unit="us", low=1),
        Column("min_rtt_b_us", pa.int64(), "smallest RTT sample up to the start, subflow b", unit="us", low=1),
        Column("denominator", pa.int16(), "subflow that is the denominator of ratios", low=0),
        Column("coarsened", pa.bool_(), "the step is longer than the smaller minimum RTT, to keep n <= 682"),
        Column("saturated", pa.int16(), "grid points whose RTT was clamped", low=0),
        Column("bridged", pa.int16(), "grid points in a gap of more than ten steps between RTT samples", low=0),
        Column(
            "shared",
            pa.bool_(),
            "label; null where no valid truth holds over the whole window",
            nullable=True,
        ),
        Column("dataset", pa.string(), "dataset it belongs to"),
        Column("site", pa.string(), "site of the truth", nullable=True),
    ),
)

#: The columns of ``pair_tile`` that are not features; ``smartsbd.features.catalog`` appends its own.
PAIR_TILE_BASE = Table(
    "pair_tile",
    "two subflows at half of a tile, or at its end, with what is kept of the tiles before",
    TILE_KEY,
    (
        *_PAIR,
        Column("memory", pa.string(), "how much is kept of the tiles before (features/lag_excess/memory.py)"),
        Column("tile_no", pa.int32(), "number of the tile", low=0),
        Column("steps", pa.int16(), "steps of it that have passed", low=1),
        Column("decided_ns", pa.int64(), "when a sender knows it, input's clock", unit="ns", low=0),
        Column("start_ns", pa.int64(), "first time of what is kept, input's clock", unit="ns", low=0),
        Column("min_rtt_us", pa.int64(), "larger of both subflows' smallest RTTs when tiles begin", unit="us", low=1),
        Column("said", pa.bool_(), "verdict of the default detector's rule; null: none", nullable=True),
        Column(
            "score_q10", pa.int32(), "what that rule judges by; null: no band says anything", "1/1024", nullable=True
        ),
        Column("reason", pa.string(), "why it says nothing", nullable=True),
        Column(
            "shared",
            pa.bool_(),
            "label; null where no valid truth holds from the start up to the decision",
            nullable=True,
        ),
    ),
)

REJECTED = Table(
    "rejected",
    "a window that was looked for in vain: there is no verdict",
    (*PAIR_KEY, "rule", "rejected_no"),
    (
        *_PAIR,
        Column("rule", pa.string(), "how the window was to be placed", choices=WINDOW_RULES),
        Column("rejected_no", pa.int32(), "number of the rejection in its pair and rule", low=0),
        Column("reason", pa.string(), "why there is none"),
        Column("window_start_ns", pa.int64(), "where it would start", unit="ns", nullable=True, low=0),
        Column("window_ns", pa.int64(), "how long it would be", unit="ns", nullable=True, low=1),
        Column(
            "shared",
            pa.bool_(),
            "label, if one valid truth holds over it; over the connection, where it has no place",
            nullable=True,
        ),
        Column("dataset", pa.string(), "dataset it belongs to"),
        Column("site", pa.string(), "site of the truth", nullable=True),
    ),
)

PREDICTION = Table(
    "prediction",
    "one model on one pair_window",
    (*WINDOW_KEY, "model", "feature_set", "train_set", "fold"),
    (
        *_WINDOW,
        Column("model", pa.string(), "name of the model"),
        Column("feature_set", pa.string(), "features it may use"),
        Column("train_set", pa.string(), "dataset and window rule it was trained on"),
        Column("test_set", pa.string(), "dataset and kind of window it is tested on"),
        Column("fold", pa.int16(), "number of the split", low=0),
        Column("score", pa.float64(), "probability of a shared bottleneck", low=0, high=1),
        Column("shared_pred", pa.bool_(), "verdict"),
        Column("shared", pa.bool_(), "label"),
        Column("site", pa.string(), "site of the window", nullable=True),
    ),
)

_DETECTOR = (
    Column("detector", pa.string(), "name of the detector"),
    Column("preset", pa.string(), "its parameter set"),
)

GROUPING = Table(
    "grouping",
    "a detector's opinion of one subflow from a moment on",
    ("connection_id", "detector", "preset", "time_ns", "subflow_id"),
    (
        _CONNECTION_ID,
        *_DETECTOR,
        _TIME,
        _SUBFLOW_ID,
        Column(
            "group",
            pa.int16(),
            "subflows with the same number share a bottleneck; null: no opinion",
            nullable=True,
            low=0,
        ),
    ),
)

OPINION = Table(
    "opinion",
    "a replayed detector on one pair_window",
    (*WINDOW_KEY, "detector", "preset"),
    (
        *_WINDOW,
        *_DETECTOR,
        Column(
            "shared_pred",
            pa.bool_(),
            "opinion in force at the window's end; null: none",
            nullable=True,
        ),
        Column("shared", pa.bool_(), "label"),
        Column("site", pa.string(), "site of the window", nullable=True),
    ),
)

TIME_SHARE = Table(
    "time_share",
    "a replayed detector on the scored time of a pair, under one truth",
    (*PAIR_KEY, "from_ns", "detector", "preset"),
    (
        *_PAIR,
        Column("from_ns", pa.int64(), "from when on the truth holds", unit="ns", low=0),
        *_DETECTOR,
        Column("scored_ns", pa.int64(), "scored time", unit="ns", low=1),
        Column("together_ns", pa.int64(), "of it, held to share", unit="ns", low=0),
        Column("apart_ns", pa.int64(), "of it, held not to share", unit="ns", low=0),
        Column("last_pred", pa.bool_(), "opinion in force at its end; null: none", nullable=True),
        Column("shared", pa.bool_(), "label"),
        Column("site", pa.string(), "site of the truth", nullable=True),
    ),
)

QUARANTINE = Table(
    "quarantine",
    "one refused record",
    ("capture_id", "offset", "reason"),
    (
        _CAPTURE_ID,
        Column("offset", pa.int64(), "where the record starts in the decompressed input", unit="bytes", low=0),
        Column("reason", pa.string(), "why it was refused"),
        Column("stage", pa.string(), "stage that refused it"),
        Column("detail", pa.string(), "what was wrong with it"),
        Column("raw", pa.binary(), "its first 64 bytes"),
    ),
)

_NAMED = Column("connection", pa.string(), "name of the connection: a hash (docs/benchmark.md)")
_ROW = Column("row", pa.int32(), "number of the row", low=0)
_LABEL_NO = Column("label", pa.int32(), "number of the label that is judged", low=0)
_SINCE_START = "the connection's first record is at 1 s"

BENCHMARK_LABEL = Table(
    "benchmark_label",
    "a label that a benchmark task judges: a pair of subflows, for as long as it holds",
    ("label",),
    (
        _LABEL_NO,
        _NAMED,
        *_PAIR[1:],
        Column("from_ns", pa.int64(), f"from when on it holds; {_SINCE_START}", unit="ns", low=0),
        Column("until_ns", pa.int64(), "when it ends: the verdict just before is judged", unit="ns", low=1),
        Column("shared", pa.bool_(), "the label"),
    ),
)

#: The columns of ``benchmark_train`` and ``benchmark_test`` that are not features; ``smartsbd.features.catalog``
#: appends these.
BENCHMARK_TRAIN_BASE = Table(
    "benchmark_train",
    "a moment of a pair that a benchmark task learns from; as many of each pair, some twice where there are fewer",
    ("row",),
    (
        _ROW,
        _NAMED,
        *_PAIR[1:],
        Column("at_ns", pa.int64(), f"when a sender knows it; {_SINCE_START}", unit="ns", low=0),
        Column("shared", pa.bool_(), "the label"),
    ),
)

BENCHMARK_TEST_BASE = Table(
    "benchmark_test",
    "a moment at which something can be said of a label that a benchmark task judges, in order of time",
    ("row",),
    (
        _ROW,
        _LABEL_NO,
        Column("at_ns", pa.int64(), f"when a sender knows it; {_SINCE_START}", unit="ns", low=0),
    ),
)

BENCHMARK_SIGNAL = Table(
    "benchmark_signal",
    "what a sender saw of a connection that a benchmark task judges: an ACK, a change of state, or a loss",
    ("connection", "row"),
    (
        _NAMED,
        _ROW,
        _SUBFLOW_ID,
        Column("time_ns", pa.int64(), f"when it happened; {_SINCE_START}", unit="ns", low=0),
        Column("acked_bytes", pa.int64(), "of an ACK: bytes acknowledged so far", unit="bytes", nullable=True, low=0),
        Column("rtt_us", pa.int64(), "of an ACK: RTT sample", unit="us", nullable=True, low=1),
        Column("srtt_us", pa.int64(), "of an ACK: smoothed RTT the sender logged", unit="us", nullable=True, low=1),
        Column("is_dup", pa.bool_(), "of an ACK: nothing new, while data was outstanding", nullable=True),
        Column("newly_sacked_bytes", pa.int64(), "of an ACK: bytes SACKed first", unit="bytes", nullable=True, low=0),
        Column("ece", pa.bool_(), "of an ACK: ECN echo", nullable=True),
        Column("owd_us", pa.int64(), "of an ACK: one-way delay of the segment sampled", unit="us", nullable=True),
        Column("data_ack", pa.int64(), "of an ACK: data-level bytes so far", unit="bytes", nullable=True, low=0),
        Column(
            "ca_state",
            pa.int8(),
            "of a change of state: 0 Open, 1 Disorder, 2 CWR, 3 Recovery, 4 Loss",
            nullable=True,
            choices=(0, 1, 2, 3, 4),
        ),
        Column("packets", pa.int32(), "of a loss: segments marked lost", unit="packets", nullable=True, low=1),
    ),
)

TABLES: tuple[Table, ...] = (
    CAPTURE,
    CONNECTION,
    CONNECTION_CAPTURE,
    SUBFLOW,
    ACK,
    STATE,
    LOSS,
    TRUTH,
    SERIES,
    PAIR_WINDOW_BASE,
    PAIR_TILE_BASE,
    REJECTED,
    PREDICTION,
    GROUPING,
    OPINION,
    TIME_SHARE,
    QUARANTINE,
    BENCHMARK_LABEL,
    BENCHMARK_TRAIN_BASE,
    BENCHMARK_TEST_BASE,
    BENCHMARK_SIGNAL,
)
