"""Broken files, each with what is expected of it: a reason or records, in bounded time and memory, and nothing else."""

from __future__ import annotations

import gzip
import hashlib
import json
import lzma
import os
import re
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zstandard

from smartsbd.contracts import tables
from smartsbd.contracts.contract import read_table
from smartsbd.features.pair import PairWindow
from smartsbd.models.labelled.window_verdicts import Verdicts
from smartsbd.models.stored import loaded_model
from smartsbd.pipelines.commands import detect
from smartsbd.pipelines.running import stage
from tests.fuzz import bounds, targets
from tests.fuzz.targets import CORPUS, ROOT
from tests.traces import packets

#: By how much any file of the corpus may raise the peak of memory, and the CPU time it may take.
MOST_BYTES, MOST_S = 64 << 20, 2.0

# What each file becomes; three dots stand for the rest, which is a library's wording or long.
EXPECTED = {
    "columnar": {
        "arrow-cut": "rtt_table: unreadable: cannot be read: ...",
        "cells-that-are-no-text": "rtt_table: 1 read, 1 refused: not a row of the header's columns",
        "columns-of-columns-and-others": "rtt_table: unreadable: looks like a table of RTTs, but column 'loss' is...",
        "good-arrow-file": "rtt_table: 2 read, 1 refused: neither an RTT nor bytes",
        "good-arrow-stream": "rtt_table: 2 read, 1 refused: neither an RTT nor bytes",
        "good-parquet": "rtt_table: 2 read, 1 refused: neither an RTT nor bytes",
        "parquet-cut": "rtt_table: unreadable: cannot be read: ...",
        "parquet-footer-of-4-gb": "rtt_table: unreadable: cannot be read: ...",
        "parquet-magic-only": "rtt_table: unreadable: cannot be read: ...",
    },
    "event_log": {
        "backwards-in-time": "event_log: 2 read, 1 refused: time runs backwards",
        "ca-state-9": "event_log: 1 read, 1 refused: value out of range",
        "cr-only": "event_log: 0 read, 1 refused: not an event line",
        "crlf": "event_log: 2 read",
        "crlf-kernel": "event_log: 2 read",
        "cut-record": "event_log: 1 read, 1 refused: not an event line",
        "digits-of-another-script": "event_log: 1 read, 1 refused: not an event line",
        "empty": "unknown: unreadable: is empty",
        "escape-sequences": "event_log: 1 read, 2 refused: not an event line",
        "form-feeds-and-vertical-tabs": "event_log: 1 read, 2 refused: not an event line",
        "glued-records": "event_log: 1 read, 2 refused: not an event line",
        "good-bare": "event_log: 6 read",
        "good-kernel": "event_log: 6 read, 2 refused: not an event line, 1 other lines, 2 gaps, 11 lost",
        "invalid-utf-8": "event_log: 2 read, 1 refused: not an event line",
        "journal-cut": "event_log: 1 read, 1 refused: a broken journal entry",
        "journal-key-twice": "event_log: 1 read",
        "journal-message-of-a-lone-surrogate": "event_log: 1 read",
        "journal-message-of-large-numbers": "event_log: 1 read, 1 refused: a broken journal entry",
        "journal-message-that-is-no-text": "event_log: 1 read, 1 refused: a broken journal entry, 1 other lines",
        "journal-nested-100000": "event_log: 1 read, 1 refused: a broken journal entry",
        "journal-nested-4000": "event_log: 1 read, 1 refused: a broken journal entry",
        "journal-number-of-5000-digits": "event_log: 1 read, 1 refused: a broken journal entry",
        "journal-time-of-another-script": "event_log: 1 read",
        "kernel-line-of-10-mb": "event_log: 2 read, 1 refused: not an event line",
        "kmsg-sequence-jumps": "event_log: 2 read, 1 gaps, 9999999997 lost",
        "line-of-10-mb": "event_log: 2 read, 1 refused: not an event line",
        "line-of-10-mb-without-end": "event_log: 1 read, 1 refused: not an event line",
        "marker-1000-times": "event_log: 1 read, 1000 refused: not an event line",
        "messages-lost-999999999": "event_log: 1 read, 3 other lines, 3 gaps, 2999999997 lost",
        "negative-time": "event_log: 1 read, 2 refused: not an event line",
        "no-event-line": "event_log: unreadable: no event line among 2 lines...",
        "nul-byte-in-a-record": "unknown: unreadable: no parser knows this content...",
        "nul-bytes-only": "unknown: unreadable: no parser knows this content...",
        "number-of-18-digits": "event_log: 2 read, 1 refused: time runs backwards",
        "number-of-5000-digits": "event_log: 1 read, 4 refused: not an event line",
        "one-byte": "event_log: unreadable: no event line among 1 lines...",
        "one-line-break": "event_log: unreadable: no event line among 1 lines...",
        "rtt-of-zero": "event_log: 1 read, 1 refused: value out of range",
        "subflow-70000": "event_log: 2 read, 2 refused: not an event line",
        "time-beyond-2116": "event_log: 3 read",
        "time-beyond-int64": "event_log: 1 read, 2 refused: not an event line",
        "token-beyond-32-bits": "event_log: 2 read, 1 refused: not an event line",
        "unknown-kind": "event_log: 1 read, 1 refused: unknown kind of event",
        "utf-16": "unknown: unreadable: no parser knows this content...",
        "utf-8-with-bom": "event_log: 1 read, 1 refused: not an event line",
    },
    "lab_log": {
        "field-with-escape-sequence": "event_log: 1 read, 2 refused: value out of range",
        "fields-empty": "event_log: 1 read, 1 refused: value out of range",
        "good": "event_log: 4 read",
        "nan-and-infinity": "event_log: 1 read, 5 refused: value out of range",
        "negative-numbers": "event_log: 1 read, 4 refused: value out of range",
        "no-time": "event_log: 1 read, 1 refused: neither the record nor its line's prefix has a time of microseconds",
        "number-of-5000-digits": "event_log: 1 read, 1 refused: not an event line, 3 refused: value out of range",
        "subflow-70000": "event_log: 1 read, 1 refused: value out of range",
        "time-without-end": "event_log: 1 read, 1 refused: value out of range",
        "token-beyond-32-bits": "event_log: 1 read, 1 refused: value out of range",
        "underscores-in-numbers": "event_log: 1 read, 1 refused: not an event line, 2 refused: value out of range",
    },
    "fping": {
        "backwards": "fping: 1 read, 1 refused: time runs backwards",
        "crlf": "fping: 1 read",
        "cut-line": "fping: 1 read, 1 refused: not a line of fping's",
        "good": "fping: 3 read, 1 unused: timed out",
        "good-objects": "fping: 1 read, 1 unused: timed out",
        "host-with-escape-sequence": "fping: 1 read",
        "nested-500": "fping: 1 read, 1 refused: not a line of fping's",
        "number-of-5000-digits": "fping: 1 read, 1 other lines",
        "object-of-a-number-of-400-digits": "fping: 1 read, 1 refused: not a line of fping's",
        "summary-only": "fping: unreadable: fping's output without a line for each echo: run fping...",
        "two-runs-mixed": "fping: unreadable: echoes over 192.0.2.1 have numbers that...",
        "without-times": "fping: unreadable: fping's output without times: run fping -D -l -p 10...",
    },
    "iperf3": {
        "cut-interval": "iperf3: 1 read, 1 refused: its end is cut off",
        "deep-stream": "iperf3: 8 read, 1 refused: not an interval of iperf3's",
        "end-negative": "iperf3: 8 read, 1 refused: value out of range",
        "end-of-1e999999": "iperf3: 1 read, 1 refused: not an interval of iperf3's",
        "end-of-400-digits": "iperf3: 8 read, 1 refused: not an interval of iperf3's",
        "end-of-a-million-years": "iperf3: 8 read, 1 refused: value out of range",
        "end-of-nan": "iperf3: 8 read, 1 unused: stream without an RTT",
        "escape-sequence-in-a-host": "iperf3: 1 read",
        "failed": "iperf3: unreadable: iperf3's JSON without an interval: the test failed, or...",
        "good": "iperf3: 4 read",
        "good-lines": "iperf3: 1 read",
        "port-70000-and-blank-in-a-host": "iperf3: 1 read",
        "receiver": "iperf3: unreadable: iperf3's JSON of the end that receives: only a sender...",
        "retransmits-negative": "iperf3: 1 read, 1 refused: value out of range",
        "rtt-of-1e999": "iperf3: 8 read, 1 unused: stream without an RTT",
        "streams-of-100-sockets": "iperf3: 64 read, 36 refused: more subflows than a connection may have",
        "without-begin": "iperf3: unreadable: iperf3's JSON of which nothing can be used: 2 no time...",
    },
    "irtt": {
        "backwards": "irtt: 1 read, 1 refused: time runs backwards",
        "cut-round-trip": "irtt: 1 read, 1 refused: its end is cut off",
        "good": "irtt: 2 read, 1 unused: lost",
        "lines": "irtt: unreadable: irtt's lines, which have no times: run irtt client -o...",
        "lost-only": "irtt: unreadable: irtt's JSON without a round trip: see that the server...",
        "nested-8000": "irtt: unreadable: irtt's JSON of which nothing can be used: 1 its end is cut off",
        "nul-bytes": "irtt: 2 read",
        "numbers-between": "irtt: 2 read, 1 refused: no object of a list",
        "rtt-of-0": "irtt: 1 read, 1 refused: value out of range",
        "rtt-of-1e999999999": "irtt: 1 read, 1 refused: not a round trip of irtt's",
        "rtt-of-5000-digits": "irtt: 1 read, 1 refused: not a round trip of irtt's",
        "without-wall-clock": "irtt: unreadable: irtt's JSON of which nothing can be used: 2 no wall...",
    },
    "labels": {
        "blank-lines": "missing columns ['input', 'shared'], unknown columns [], given []",
        "carriage-return-in-a-name": "2 labels",
        "cells-fewer": "line 2: 2 cells under 6 columns",
        "cells-more": "line 2: 7 cells under 6 columns",
        "column-missing": "missing columns ['shared'], unknown columns [], given ['input']",
        "column-twice": "missing columns [], unknown columns [], given ['input', 'shared', 'shared']",
        "column-unknown": "missing columns [], unknown columns ['colour'], given ['input', 'shared', 'colour']",
        "crlf": "1 labels",
        "empty": "missing columns ['input', 'shared'], unknown columns [], given []",
        "escape-sequence": "1 labels",
        "from-beyond-int64": "1 labels",
        "from-negative": "1 labels",
        "from-of-5000-digits": "1 labels",
        "good": "2 labels",
        "header-only": "holds no label",
        "invalid-utf-8": "cannot be read as CSV: 'utf-8' codec...",
        "label-of-an-input-without-one": "1 labels",
        "line-break-in-a-name": "1 labels",
        "name-that-is-a-path": "1 labels",
        "nul-byte-in-a-cell": "1 labels",
        "quote-without-end": "cannot be read as CSV: unexpected end of data",
        "shared-of-another-word": "1 labels",
        "shared-that-disagrees": "2 labels",
        "subflow-of-another-script": "1 labels",
        "subflows-in-reverse": "1 labels",
        "token-of-5000-digits": "1 labels",
        "token-of-nobody": "1 labels",
        "token-with-underscores": "1 labels",
        "utf-16": "cannot be read as CSV: 'utf-8' codec...",
        "utf-8-with-bom": "1 labels",
    },
    "pcap": {
        "captured-length-512-kib-and-1": "pcap: 7 read, 1 refused: length beyond any packet",
        "captured-length-of-zero": "pcap: 7 read, 3 refused: cut before its headers end",
        "captured-more-than-wire-length": "pcap: 7 read",
        "good-nanoseconds-big-endian": "pcap: 8 read",
        "good-version-0": "pcap: 34 read",
        "good-version-1-pcapng": "pcap: 34 read",
        "header-only": "pcap: 0 read",
        "huge-captured-length": "pcap: 7 read, 1 refused: length beyond any packet",
        "ip-fragments": "pcap: 7 read, 3 unused: IP fragment",
        "ip-header-of-0-words": "pcap: 7 read, 2 refused: bad IP",
        "ip-total-of-65535": "pcap: 8 read",
        "ip-total-shorter-than-header": "pcap: 7 read, 2 refused: bad IP, 1 refused: bad TCP",
        "ip-version-15": "pcap: 7 read, 1 refused: bad IP",
        "ipv6-cut": "pcap: 7 read, 1 refused: cut before its headers end",
        "ipv6-extension-beyond-packet": "pcap: 7 read, 2 refused: bad IP",
        "ipv6-extension-chain-long": "pcap: 7 read, 1 refused: cut before its headers end, 1 unused: TCP without MPTCP",
        "ipv6-extension-to-itself": "pcap: 7 read, 1 refused: bad IP",
        "ipv6-length-of-zero": "pcap: 7 read, 1 unused: TCP without MPTCP",
        "length-beyond-file": "pcap: 7 read, 1 refused: cut packet record",
        "link-type-with-check-sequence-bits": "pcap: 7 read",
        "magic-only": "pcap: unreadable: the pcap header is cut",
        "microseconds-beyond-a-second": "pcap: 8 read",
        "mptcp-capable-after-handshake": "pcap: 9 read",
        "mptcp-data-ack-of-2-to-the-64": "pcap: 10 read",
        "mptcp-dss-flags-without-fields": "pcap: 40 read",
        "mptcp-join-of-a-token-of-nobody": "pcap: 8 read",
        "mptcp-join-of-its-own-connection-60-times": "pcap: 63 read",
        "mptcp-option-length-2": "pcap: 9 read",
        "mptcp-option-length-3": "pcap: 23 read",
        "mptcp-subtype-unknown": "pcap: 14 read",
        "mptcp-version-15": "pcap: 0 read, 1 unused: TCP without MPTCP",
        "one-end-alone-in-90-segments": "pcap: 93 read",
        "option-kind-without-length": "pcap: 8 read",
        "option-length-0": "pcap: 9 read",
        "option-length-1": "pcap: 8 read",
        "option-length-255": "pcap: 9 read",
        "option-of-40-bytes-of-nops": "pcap: 8 read",
        "option-sack-of-3-bytes": "pcap: 9 read",
        "option-sack-reversed": "pcap: 9 read",
        "pcapng-1000-interfaces": "pcap: 1 read",
        "pcapng-big-endian-after-little": "pcap: 7 read, 7 unused: seen twice",
        "pcapng-block-cut": "pcap: 6 read, 1 refused: cut packet record",
        "pcapng-block-length-0": "pcap: 7 read, 1 refused: broken block",
        "pcapng-block-length-13": "pcap: 7 read, 1 refused: broken block",
        "pcapng-block-length-8": "pcap: 7 read, 1 refused: broken block",
        "pcapng-block-of-16-mib-claimed": "pcap: 7 read, 1 refused: cut packet record",
        "pcapng-block-of-4-gb": "pcap: 7 read, 1 refused: broken block",
        "pcapng-good": "pcap: 7 read",
        "pcapng-interface-4294967295": "pcap: 7 read, 1 refused: packet of an interface that was not described",
        "pcapng-interface-of-4-bytes": "pcap: 0 read, 1 refused: broken block",
        "pcapng-no-interface": "pcap: 0 read, 1 refused: packet of an interface that was not described",
        "pcapng-obsolete-packets": "pcap: 7 read",
        "pcapng-option-beyond-block": "pcap: 0 read, 1 refused: broken block",
        "pcapng-packet-longer-than-block": "pcap: 7 read, 1 refused: broken block",
        "pcapng-packet-of-16-bytes": "pcap: 7 read, 1 refused: broken block",
        "pcapng-second-section-wrong-byte-order": "pcap: 7 read, 1 refused: broken block",
        "pcapng-section-length-of-4-gb": "pcap: 7 read",
        "pcapng-section-only": "pcap: 0 read",
        "pcapng-simple-packets": "pcap: 0 read, 2 refused: packet without a time",
        "pcapng-ticks-of-2-to-the-64": "pcap: 7 read, 1 refused: value out of range",
        "pcapng-truncated-section": "pcap: unreadable: the section header is cut",
        "pcapng-tsoffset-moves-before-1970": "pcap: 0 read, 1 refused: value out of range",
        "pcapng-tsoffset-negative": "pcap: 0 read, 1 refused: value out of range",
        "pcapng-tsoffset-of-2-to-the-63": "pcap: 0 read, 1 refused: value out of range",
        "pcapng-tsresol-0": "pcap: 1 read",
        "pcapng-tsresol-192": "pcap: 1 read",
        "pcapng-tsresol-20": "pcap: 0 read, 1 refused: broken block",
        "pcapng-tsresol-255": "pcap: 0 read, 1 refused: broken block",
        "pcapng-two-lengths-differ": "pcap: 7 read, 1 refused: broken block",
        "pcapng-unknown-blocks": "pcap: 7 read",
        "pcapng-wrong-byte-order-magic": "pcap: unreadable: the section's byte-order magic is...",
        "sequence-numbers-jump": "pcap: 12 read",
        "tcp-all-flags": "pcap: 0 read, 2 unused: TCP without MPTCP, 10 unused: TCP, MPTCP offered and not answered",
        "tcp-from-itself-to-itself": "pcap: 9 read",
        "tcp-header-of-0-words": "pcap: 7 read, 3 refused: bad TCP",
        "tcp-port-0": "pcap: 8 read",
        "time-backwards": "pcap: 7 read",
        "time-of-the-year-2106": "pcap: 5 read",
        "times-all-zero": "pcap: 7 read",
        "truncated-header": "pcap: unreadable: the pcap header is cut",
        "truncated-record": "pcap: 6 read, 1 refused: cut packet record",
        "truncated-record-header": "pcap: 7 read, 1 refused: cut packet record",
        "two-captures-in-one-file": "pcap: 7 read, 1 refused: cut before its headers end, 1 refused: cut packet record",
        "unknown-link-type": "pcap: 0 read, 7 refused: link type 147 (USER0) is not read",
        "unknown-version": "pcap: 7 read",
        "vlan-nested-1000": "pcap: 8 read, 1 refused: cut before its headers end",
        "wire-length-of-4-gib": "pcap: 7 read",
        "zeros-after-header": "pcap: 0 read, 256 refused: cut before its headers end",
    },
    "socket_stats": {
        "acked-of-18-digits": "socket_stats: 2 read",
        "address-id-999": "socket_stats: 1 read",
        "address-that-is-a-path": "socket_stats: 1 read",
        "address-with-escape-sequence": "socket_stats: 1 read, 1 refused: an endpoint is no address and port",
        "backwards-in-time": "socket_stats: 1 read, 1 refused: time runs backwards",
        "continued-1000-times": "socket_stats: 2 read",
        "continued-before-any-entry": "socket_stats: 1 read, 1 other lines",
        "crlf": "socket_stats: 1 read",
        "dated-as-date-does": "socket_stats: 2 read, 3 other lines",
        "dated-line-by-line": "socket_stats: 2 read, 2 other lines",
        "dated-over-midnight": "socket_stats: 2 read, 1 refused: value out of range",
        "good": "socket_stats: 3 read",
        "idle-sockets": "socket_stats: unreadable: ss printed no RTTs: add -i...",
        "joined-to-one-line": "socket_stats: 3 read",
        "named-with-programs": "socket_stats: 1 read",
        "no-time": "socket_stats: 1 read, 1 refused: no line with a time before the sample",
        "nul-bytes": "socket_stats: 2 read",
        "number-of-5000-digits": "socket_stats: 2 read, 1 refused: longer than allowed",
        "one-line-without-states": (
            "socket_stats: 2 read, 1 unused: socket without rtt and bytes_acked, 3 other lines"
        ),
        "programs-200-times-without-an-end": "socket_stats: 1 read",
        "port-70000": "socket_stats: 1 read, 2 refused: an endpoint is no address and port",
        "rtt-of-zero": "socket_stats: 2 read",
        "time-before-1970": "socket_stats: 1 read, 1 refused: no line with a time before the sample, 1 other lines",
        "time-in-the-year-9999": "socket_stats: 1 read, 1 refused: value out of range",
        "time-of-5000-digits": "socket_stats: 1 read, 1 other lines",
        "time-that-is-no-date": "socket_stats: 1 read, 1 refused: no line with a time before the sample, 1 other lines",
        "time-zone-of-another-form": "socket_stats: 1 read",
        "token-beyond-32-bits": "socket_stats: 2 read",
        "token-of-zero": "socket_stats: 2 read",
        "token-that-moves": "socket_stats: 3 read",
    },
    "state_log": {
        "crlf": "state_log: 5 read, 1 unused: cwnd",
        "cut-row": "state_log: 1 read, 1 refused: not a row of t,sf,var,value",
        "empty-lines": "state_log: 1 read, 3 refused: not a row of t,sf,var,value",
        "good": "state_log: 5 read, 1 unused: cwnd",
        "header-of-10-mb": "state_log: 1 read",
        "header-of-more-columns": "state_log: 0 read, 1 refused: not a row of t,sf,var,value",
        "header-only": "state_log: 0 read",
        "header-twice": "state_log: 1 read, 1 refused: not a row of t,sf,var,value",
        "header-without-line-break": "state_log: 0 read",
        "invalid-utf-8": "state_log: 1 read, 1 refused: not a row of t,sf,var,value",
        "negative-time": "state_log: 1 read, 1 refused: not a row of t,sf,var,value",
        "nul-bytes": "state_log: 1 read, 1 refused: not a row of t,sf,var,value",
        "number-of-5000-digits": "state_log: 0 read, 4 refused: not a row of t,sf,var,value",
        "quoted-cells": "state_log: 0 read, 1 refused: not a row of t,sf,var,value",
        "semicolons": "state_log: 0 read, 1 refused: not a row of t,sf,var,value",
        "snd-una-beyond-32-bits": "state_log: 1 read, 1 refused: value out of range",
        "subflow-70000": "state_log: 1 read, 1 refused: not a row of t,sf,var,value",
        "time-of-10-digits": "state_log: 1 read, 1 refused: value out of range",
        "unknown-variable": "state_log: 1 read, 1 refused: unknown variable",
    },
    "stored": {
        "bzip2-200-empty-streams": "event_log: 40 read",
        "bzip2-bomb-of-zeros": "pcap: unreadable: cannot be read: expands...",
        "bzip2-cut": "unknown: unreadable: cannot be read: the bzip2 stream ends early",
        "bzip2-then-text": "unknown: unreadable: cannot be read...",
        "bzip2-two-streams": "event_log: 40 read",
        "bzip2-wrong-check": "unknown: unreadable: cannot be read...",
        "good-bzip2": "event_log: 40 read",
        "good-gzip": "event_log: 40 read",
        "good-xz": "event_log: 40 read",
        "good-zip": "event_log: 40 read",
        "good-zstd": "event_log: 40 read",
        "gzip-200-empty-members": "event_log: 40 read",
        "gzip-bomb-of-line-breaks": "event_log: unreadable: more than 131,072 records refused",
        "gzip-bomb-of-zeros": "pcap: unreadable: cannot be read: expands...",
        "gzip-cut": "unknown: unreadable: cannot be read...",
        "gzip-cut-in-its-header": "unknown: unreadable: cannot be read...",
        "gzip-extra-field-of-65535-bytes": "unknown: unreadable: cannot be read...",
        "gzip-magic-only": "unknown: unreadable: cannot be read...",
        "gzip-name-without-end": "unknown: unreadable: cannot be read...",
        "gzip-of-empty": "unknown: unreadable: is empty",
        "gzip-of-gzip": "unknown: unreadable: no parser knows this content...",
        "gzip-second-member-cut": "unknown: unreadable: cannot be read...",
        "gzip-then-text": "unknown: unreadable: cannot be read...",
        "gzip-then-zeros": "event_log: 40 read",
        "gzip-two-members": "event_log: 40 read",
        "gzip-unknown-method": "unknown: unreadable: cannot be read...",
        "gzip-without-its-check": "unknown: unreadable: cannot be read...",
        "gzip-wrong-check": "unknown: unreadable: cannot be read...",
        "gzip-wrong-length": "unknown: unreadable: cannot be read...",
        "lzma-alone": "unknown: unreadable: no parser knows this content...",
        "one-byte": "event_log: unreadable: no event line among 1 lines...",
        "xz-100-empty-streams": "event_log: 40 read",
        "xz-bomb-of-line-breaks": "event_log: unreadable: more than 131,072 records refused",
        "xz-bomb-of-zeros": "pcap: unreadable: cannot be read: expands...",
        "xz-cut": "unknown: unreadable: cannot be read: the xz stream ends early",
        "xz-cut-in-its-header": "unknown: unreadable: cannot be read: the xz stream ends early",
        "xz-dictionary-of-1.5-gib": "unknown: unreadable: cannot be read...",
        "xz-dictionary-of-4-gib": "unknown: unreadable: cannot be read...",
        "xz-magic-only": "unknown: unreadable: cannot be read: the xz stream ends early",
        "xz-padding-after": "event_log: 40 read",
        "xz-padding-between": "event_log: 42 read, 38 refused: time runs backwards",
        "xz-second-stream-broken": "unknown: unreadable: cannot be read...",
        "xz-second-stream-cut": "unknown: unreadable: cannot be read: the xz stream ends early",
        "xz-second-stream-of-another-kind": "unknown: unreadable: cannot be read...",
        "xz-then-text": "unknown: unreadable: cannot be read: the xz stream ends early",
        "xz-two-streams": "event_log: 40 read",
        "xz-wrong-check": "unknown: unreadable: cannot be read...",
        "zip": "unknown: unreadable: cannot be read: a zip archive that is cut or broken...",
        "zip-bomb-of-zeros": "pcap: unreadable: cannot be read: expands...",
        "zip-cut": "unknown: unreadable: cannot be read: a zip archive that is cut or broken...",
        "zip-list-of-2-gb": "unknown: unreadable: cannot be read: a zip archive that is cut or broken...",
        "zip-of-two-files": "unknown: unreadable: cannot be read: a zip archive of 2 files (a.log, b.log)...",
        "zip-password": "unknown: unreadable: cannot be read: a zip archive with a password...",
        "zip-sizes-of-4-gb": "event_log: 40 read",
        "zip-stored": "event_log: 40 read",
        "zip-without-a-file": "unknown: unreadable: cannot be read: a zip archive without a file",
        "zip-wrong-check": "unknown: unreadable: cannot be read...",
        "zstd-300-empty-frames": "event_log: 40 read",
        "zstd-bomb-of-line-breaks": "event_log: unreadable: more than 131,072 records refused",
        "zstd-bomb-of-zeros": "pcap: unreadable: cannot be read: expands...",
        "zstd-content-size-of-2-to-the-63": "unknown: unreadable: cannot be read...",
        "zstd-content-size-too-small": "unknown: unreadable: cannot be read...",
        "zstd-cut": "unknown: unreadable: cannot be read: the zstd stream ends early",
        "zstd-cut-in-its-header": "unknown: unreadable: cannot be read: the zstd stream ends early",
        "zstd-magic-only": "unknown: unreadable: cannot be read: the zstd stream ends early",
        "zstd-of-a-dictionary": "unknown: unreadable: cannot be read...",
        "zstd-of-pzstd": "event_log: 40 read",
        "zstd-skippable-frame-alone": "unknown: unreadable: is empty",
        "zstd-skippable-frame-between": "event_log: 42 read, 38 refused: time runs backwards",
        "zstd-skippable-frame-first": "event_log: 40 read",
        "zstd-skippable-frame-of-4-gib": "unknown: unreadable: cannot be read: the zstd stream ends early",
        "zstd-skippable-frame-of-4-gib-first": "unknown: unreadable: cannot be read: the zstd stream ends early",
        "zstd-then-text": "unknown: unreadable: cannot be read...",
        "zstd-two-frames": "event_log: 40 read",
        "zstd-window-of-128-mib": "event_log: 40 read",
        "zstd-window-of-2-tib": "unknown: unreadable: cannot be read...",
        "zstd-wrong-check": "unknown: unreadable: cannot be read...",
    },
    "stored_model": {
        "archive-cut": "no model of ours: File is not a zip file",
        "array-longer-than-file": "no model of ours: EOF: reading array data...",
        "array-of-objects": "no model of ours: Object arrays cannot be loaded...",
        "empty-archive": "no model of ours: ...",
        "good-logistic": "Pipeline",
        "good-svm-rbf": "Pipeline",
        "good-tree": "DecisionTreeClassifier",
        "magic-only": "no model of ours: File is not a zip file",
        "no-archive": "no model of ours: File is not a zip file",
        "part-missing": "no model of ours: ...",
        "scaled-to-infinity": "no model of ours: a scale is smaller than any of ours",
        "schema-cut": "no model of ours: Unterminated string...",
        "schema-missing": "no model of ours: ...",
        "schema-nested-4000": "no model of ours: maximum recursion depth exceeded...",
        "schema-of-numbers-of-5000-digits": "no model of ours: Exceeds the limit...",
        "type-of-another-library": "no model of ours: type os.DecisionTreeClassifier by ObjectNode is in...",
    },
    "tcp_probe": {
        "address-of-invalid-utf-8": "tcp_probe: 2 read",
        "address-that-is-a-path": "tcp_probe: 2 read",
        "address-with-escape-sequence": "tcp_probe: 2 read, 1 refused: an endpoint is no address and port",
        "crlf": "tcp_probe: 2 read",
        "cut-line": "tcp_probe: 1 read, 1 refused: not a line of tcp_probe",
        "events-lost-999999999": "tcp_probe: 1 read, 3 other lines, 3 gaps, 2999999997 lost",
        "good-17-fields": "tcp_probe: 3 read",
        "good-module": "tcp_probe: 3 read",
        "good-tracepoint": "tcp_probe: 2 read, 1 other lines, 1 gaps, 12 lost",
        "line-of-10-mb": "tcp_probe: 2 read, 1 refused: not a line of tcp_probe",
        "name-100-times-in-a-line": "tcp_probe: unreadable: tcp_probe: none of 1 lines can be used...",
        "negative-time": "tcp_probe: 1 read, 1 refused: not a line of tcp_probe",
        "nul-bytes": "tcp_probe: 2 read",
        "number-of-5000-digits": "tcp_probe: 1 read, 2 refused: not a line of tcp_probe, 1 other lines",
        "port-70000": "tcp_probe: 1 read, 3 refused: an endpoint is no address and port",
        "port-of-another-script": "tcp_probe: 1 read, 1 refused: an endpoint is no address and port",
        "snd-una-beyond-32-bits": "tcp_probe: 1 read, 1 refused: not a line of tcp_probe",
        "srtt-beyond-a-table": "tcp_probe: 1 read, 1 refused: value out of range",
        "time-without-a-point": "tcp_probe: unreadable: tcp_probe with times that have no unit...",
        "time-of-11-digits": "tcp_probe: 1 read, 1 refused: not a line of tcp_probe",
    },
    "packet_table": {
        "100-flows": "packet_table: 64 read, 72 refused: more subflows than a connection may have, 64...",
        "ack-beyond-32-bits": "packet_table: 1 read, 1 unused: packet that says nothing of a sender",
        "address-that-is-a-path": "packet_table: 0 read, 1 refused: not a row of the header's fields,...",
        "crlf": "packet_table: 1 read, 1 unused: packet that says nothing of a sender",
        "cut-row": "packet_table: 0 read, 1 refused: not a row of the header's fields, 1 unused: pack...",
        "ends-that-are-one": "packet_table: 0 read, 1 refused: not a row of the header's fields",
        "field-missing": "packet_table: unreadable: fields that are needed are missing: tcp.len; print them again...",
        "good-at-the-receiver": "packet_table: 2 read",
        "good-at-the-sender": "packet_table: 2 read, 2 unused: packet that says nothing of a sender",
        "header-only": "packet_table: 0 read",
        "nul-bytes": "packet_table: 0 read, 1 refused: not a row of the header's fields, 1 unused: pa...",
        "port-70000": "packet_table: 0 read, 1 refused: not a row of the header's fields, 1 unused: p...",
        "tabs": "packet_table: 1 read, 1 unused: packet that says nothing of a sender",
        "two-addresses-in-a-cell": "packet_table: 0 read, 2 unused: packet that says nothing of a sender",
    },
    "ping": {
        "100-addresses": "ping: 64 read, 36 refused: more subflows than a connection may have",
        "100-headers": "ping: 1 read, 100 other lines",
        "backwards": "ping: 1 read, 1 refused: time runs backwards",
        "crlf": "ping: 1 read",
        "cut-line": "ping: 1 read, 1 refused: not a line of ping's",
        "good": "ping: 2 read, 1 unused: no answer yet, 3 other lines",
        "good-busybox": "ping: 2 read, 1 other lines",
        "good-two-paths": "ping: 2 read, 1 other lines",
        "good-windows-utf-16": "ping: 2 read, 2 other lines",
        "header-only": "ping: unreadable: ping's output in which no echo is answered: see that the...",
        "host-with-escape-sequence": "ping: 1 read",
        "marks-300-times-in-a-line": "ping: 1 read, 1 refused: not a line of ping's",
        "nul-bytes": "ping: 1 read",
        "number-of-5000-digits": "ping: 1 read, 1 refused: not a line of ping's",
        "numbers-far-apart": "ping: 2 read, 1 refused: not a line of ping's",
        "rtt-of-0": "ping: 1 read, 1 refused: value out of range",
        "rtt-without-unit": "ping: 1 read, 1 refused: not a line of ping's",
        "time-of-11-digits": "ping: 1 read, 1 refused: not a line of ping's",
        "two-pings-mixed": "ping: unreadable: echoes to 192.0.2.1 have numbers that...",
        "utf-16-cut-in-a-letter": "ping: 1 read",
        "utf-16-lone-surrogates": "ping: 1 read, 1 other lines",
        "without-times": "ping: unreadable: ping's output of iputils without times that are read (2...",
    },
    "qlog": {
        "backwards": "qlog: 1 read, 1 refused: time runs backwards",
        "closed-too-often": "qlog: 1 read",
        "cut-event": "qlog: 1 read, 1 refused: its end is cut off",
        "cut-string": "qlog: 1 read, 1 refused: not an event of qlog",
        "event-of-100-kb": "qlog: 1 read, 1 refused: longer than allowed",
        "good": "qlog: 4 read, 1 unused: event of another kind",
        "good-lines": "qlog: 2 read",
        "groups-with-long-names": "qlog: 3 read, 1 refused: time runs backwards",
        "header-after-the-events": "qlog: 2 read",
        "header-after-the-events-cut": "qlog: 1 read, 1 refused: its end is cut off, 1 refused: its unit...",
        "header-only": "qlog: unreadable: a qlog without events: let the end...",
        "header-too-long": "qlog: unreadable: a qlog of 1 event without any RTT that is read; refused: its unit may...",
        "invalid-utf-8": "qlog: 1 read, 1 refused: not an event of qlog",
        "lists-of-events-in-no-object": "qlog: 3 read",
        "lists-of-events-in-one-object": "qlog: 2 read",
        "nested-5000": "qlog: unreadable: a qlog of 1 event without any RTT that is read; refused: not an event...",
        "no-header": "qlog: unreadable: events of qlog without the header that says their unit: give...",
        "not-a-number": "qlog: 1 read, 1 refused: not an event of qlog, 3 refused: value out of range",
        "number-of-5000-digits": "qlog: 1 read, 1 refused: not an event of qlog",
        "other-kinds-of-values": "qlog: unreadable: a qlog of 6 events without any RTT that is read; refused: not...",
        "path-70000": "qlog: 1 read, 2 refused: value out of range",
        "paths-with-names": "qlog: 5 read, 3 refused: not an event of qlog",
        "records-over-lines": "qlog: 2 read, 1 refused: its end is cut off, 2 refused: not an event of qlog",
        "strings-that-compensate-brackets": "qlog: 1 read, 1 unused: event of a...",
        "two-traces": "qlog: 2 read",
        "unit-unknown": "qlog: unreadable: a qlog of 1 event without any RTT that is read; refused: unit of time...",
        "without-metrics": "qlog: unreadable: a qlog of 2 events without any metrics_updated, so without RTTs: let...",
    },
    "rtt_table": {
        "100-paths": "rtt_table: 64 read, 36 refused: more subflows than a connection may have",
        "byte-order-mark-and-quotes": "rtt_table: 1 read",
        "column-twice": "rtt_table: unreadable: looks like a table of RTTs, but column 'path' is twice; columns...",
        "crlf": "rtt_table: 3 read",
        "good": "rtt_table: 3 read",
        "header-only": "rtt_table: 0 read",
        "invalid-utf-8": "rtt_table: 1 read",
        "line-of-20-kb": "rtt_table: 2 read, 1 refused: not a row of the header's columns",
        "not-a-number": "rtt_table: 0 read, 3 refused: not a row of the header's columns, 1 refused: v...",
        "nul-bytes": "rtt_table: 1 read",
        "number-of-5000-digits": "rtt_table: 1 read, 1 refused: not a row of the header's columns",
        "path-that-is-a-comma": "rtt_table: 1 read",
        "path-with-escape-sequence": "rtt_table: 1 read",
        "unknown-column": "rtt_table: unreadable: looks like a table of RTTs, but column 'loss' is...",
    },
    "truth": {
        "blank-lines": "line 6, column shared: 'yes' must be true or false",
        "cells-fewer": "line 3: 12 cells under 27 columns",
        "cells-more": "line 3: 28 cells under 27 columns",
        "cells-more-in-every-row": "line 2: 28 cells under 27 columns",
        "cr-only": "1 rows",
        "crlf": "1 rows",
        "empty": "missing columns ['background_a_mbit_s',...",
        "escape-sequence": "line 2, column shared: '\\x1b[2J' must be true or false",
        "from-beyond-int64": "1 rows",
        "from-negative": "1 rows",
        "good": "2 rows",
        "header-column-missing": "missing columns ['token'], unknown columns [], 26 columns",
        "header-column-twice": "missing columns [], unknown columns [], 28 columns",
        "header-only": "0 rows",
        "header-with-nul": "missing columns ['input'], unknown columns ['\\x00input'], 27 columns",
        "input-that-is-a-path": "2 rows",
        "invalid-utf-8": "cannot be read as CSV: 'utf-8' codec...",
        "nul-byte-in-a-cell": "1 rows",
        "number-of-5000-digits": "line 2, column from_ns: ...",
        "numbers-of-another-script": "line 2, column from_ns: '\u0661' is no number",
        "one-line-break": "missing columns ['background_a_mbit_s',...",
        "quote-within-a-cell": "cannot be read as CSV: ',' expected after '\"'",
        "quote-without-end": "cannot be read as CSV: unexpected end of data",
        "quoted-line-break": "line 4, column shared: 'yes' must be true or false",
        "rate-nan": "line 2, column bottleneck_a_mbit_s: 'NaN' must be finite",
        "rate-not-finite": "line 2, column bottleneck_a_mbit_s: '1e999' must be finite",
        "subflow-70000": "1 rows",
        "token-beyond-32-bits": "1 rows",
        "token-negative": "1 rows",
        "utf-16": "cannot be read as CSV: 'utf-8' codec...",
        "utf-8-with-bom": "1 rows",
    },
}
FILES = [(folder, name) for folder, expected in EXPECTED.items() for name in expected]


def agrees(outcome: str, expected: str) -> bool:
    return outcome == expected or (expected.endswith("...") and outcome.startswith(expected.removesuffix("...")))


def environment(**more: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "0", **more}


def measured(paths: Sequence[Path]) -> dict[str, dict[str, Any]]:
    """Read files in a process of its own, with little memory; return what was said of each."""
    run = subprocess.run(
        [sys.executable, "-m", "tests.fuzz.bounds", *map(str, paths)],
        cwd=ROOT,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return {one["path"]: one for one in map(json.loads, run.stdout.splitlines())}


def test_every_file_of_the_corpus_is_expected() -> None:
    there = {(path.parent.name, path.name) for path in CORPUS.glob("*/*")}
    assert there == set(FILES)
    assert sum(path.stat().st_size for path in CORPUS.glob("*/*")) < 420_000


@pytest.mark.parametrize(("folder", "name"), FILES)
def test_a_broken_file_becomes_what_is_expected(folder: str, name: str) -> None:
    path = CORPUS / folder / name
    if folder in bounds.OTHERS:
        targets.TARGETS[folder].check(path.read_bytes())
    else:
        targets.check_inputs([path], targets.DIALECTS.get(folder, targets.OURS))
        targets.TARGETS["stored"].check(path.read_bytes())
    outcome = bounds.outcome(path)
    assert agrees(outcome, EXPECTED[folder][name]), outcome


@pytest.mark.slow
def test_all_of_them_in_little_time_and_memory() -> None:
    paths = [CORPUS / folder / name for folder, name in FILES]
    found = measured(paths)
    assert list(found) == [str(path) for path in paths]
    for path in paths:
        one = found[str(path)]
        assert agrees(one["outcome"], EXPECTED[path.parent.name][path.name])
        assert one["cpu_s"] < MOST_S, one
        assert one["grown_bytes"] < MOST_BYTES, one


# Bombs: a beginning, and a piece of 64 MiB that follows it again and again.

PIECE_BYTES = 64 << 20
LINE = b"1000 C=7f3a91c2 SF=0 V=ACK 1400\n"
PACKET_BYTES = 1 << 19
RECORD = struct.pack("<IIII", 5, 0, PACKET_BYTES - 16, PACKET_BYTES - 16) + bytes(PACKET_BYTES - 16)
BLOCK = packets.block(0xBAD, bytes((1 << 24) - 12))
CONTENTS = {
    "line": (LINE, b"7" * PIECE_BYTES, "event_log: 1 read, 1 refused: not an event line"),
    "kernel line": (b"smartsbd: " + LINE, b"7" * PIECE_BYTES, "event_log: 1 read, 1 refused: not an event line"),
    "header of a state log": (b"t,sf,var,value", b"," * PIECE_BYTES, "state_log: 0 read"),
    "table": (
        b"time_s,path,rtt_ms\n",
        b"7" * PIECE_BYTES,
        "rtt_table: 0 read, 1 refused: not a row of the header's columns",
    ),
    "qlog": (
        b'{"qlog_version": "draft-00", "events": [',
        b"7" * PIECE_BYTES,
        "qlog: unreadable: a qlog of 1 event without any RTT that is read; refused: not an event of qlog 1",
    ),
    "packets": (packets.pcap([]), RECORD * (PIECE_BYTES // PACKET_BYTES), "pcap: 0 read, 512 unused: not IP"),
    "blocks": (packets.section(), BLOCK * (PIECE_BYTES >> 24), "pcap: 0 read"),
}
PACKS: dict[str, Callable[[bytes], bytes]] = {
    # Expands 229 times at most: these are read to their end.
    "gzip -1": lambda content: gzip.compress(content, 1, mtime=0),
    "gzip": lambda content: gzip.compress(content, mtime=0),
    "xz": lambda content: lzma.compress(content, preset=0),
    "zstd": zstandard.ZstdCompressor().compress,
}
#: They inflate to 256 MiB.
PIECES = 4
MOST_OF_A_BOMB_BYTES = 128 << 20


@pytest.mark.parametrize(
    "pack", [pytest.param(name, marks=[] if name == "zstd" else pytest.mark.slow) for name in PACKS]
)
def test_a_bomb_is_refused_or_takes_no_more_memory_than_what_it_is_packed_in(tmp_path: Path, pack: str) -> None:
    zeros = tmp_path / "zeros"
    zeros.write_bytes(PACKS[pack](bytes(PIECE_BYTES)) * PIECES)
    expected = {str(zeros): "unknown: unreadable: no parser knows this content..."}
    for name, (begin, piece, outcome) in CONTENTS.items():
        path = tmp_path / name
        path.write_bytes(PACKS[pack](begin) + PACKS[pack](piece) * PIECES)
        assert path.stat().st_size < 2_000_000
        refused = outcome.partition(":")[0] + ": unreadable: cannot be read: expands..."
        expected[str(path)] = outcome if pack == "gzip -1" else refused
    found = measured([Path(name) for name in expected])
    assert list(found) == list(expected)
    for path_name, outcome in expected.items():
        assert agrees(found[path_name]["outcome"], outcome), found[path_name]
        assert found[path_name]["grown_bytes"] < MOST_OF_A_BOMB_BYTES, found[path_name]


# What an input says, or is called, is no path.

EVENTS = b"".join(b"%d C=7f3a91c2 SF=%d V=RTT 24511\n" % (1000 * step, step % 2) for step in range(1, 50))
NAMES = ["a\nb.log", "-rf", "\x1b[31mred.log", "$(touch touched).log", "..%2f..%2fa.log", ".gz", "...log", "~", "*"]
#: Outside of all that a test may write to; as long as an address may be.
ABSOLUTE = f"/tmp/sbd-{os.getpid()}"  # noqa: S108 - it must not come to be
PLACES = ["../../../outside/a", "../../outside/b", "~/c", ABSOLUTE, f"file://{ABSOLUTE}"]


def tree(folder: Path) -> dict[str, str]:
    """Return every file below a folder, with the digest of what is in it, and every folder."""
    assert not Path(ABSOLUTE).exists()
    return {
        str(path.relative_to(folder)): "" if path.is_dir() else hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
    }


@pytest.fixture
def sandbox(tmp_path: Path) -> Path:
    """A folder with inputs deep inside, whose contents and names look like paths to what lies around them."""
    inputs = tmp_path / "a/b/c/raw/inputs"
    inputs.mkdir(parents=True)
    for folder, name in FILES:
        if folder not in bounds.OTHERS:
            content = (CORPUS / folder / name).read_bytes()
            (inputs / f"{folder}-{name}.log").write_bytes(content)
    for number, name in enumerate(NAMES):
        (inputs / name).write_bytes(EVENTS + b"%d C=%x SF=0 V=RTT 1\n" % (10**6, number))
    for kind in ("outside", "home", "temporary"):
        (tmp_path / kind).mkdir()
    for number, place in enumerate(PLACES):
        socket = f"ESTAB 0 0 {place}:80 {place}:443 cubic rtt:1/1 bytes_acked:{number + 1}\n"
        (inputs / f"place-{number}.log").write_text(f"1700000000.25\n{socket}")
    limits = r"(max_quarantined|max_unreadable): [0-9.]+"
    params = re.sub(limits, r"\1: 1.0", (ROOT / "params.yaml").read_text())
    (tmp_path / "params.yaml").write_text(re.sub(r"(?m)^workers: \d+", "workers: 1", params))
    return tmp_path


def run(sandbox: Path, program: Sequence[str], *arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-B", "-m", *program, "--params", str(sandbox / "params.yaml"), *map(str, arguments)],
        cwd=sandbox / "a/b/c",
        env=environment(HOME=str(sandbox / "home"), TMPDIR=str(sandbox / "temporary")),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def test_parse_writes_nothing_but_its_tables(sandbox: Path) -> None:
    before = tree(sandbox)
    places = ("--raw", "raw", "--tables", "out/t", "--report", "out/report.json")
    parsed = run(sandbox, ("smartsbd.pipelines.stages", "parse"), "--dataset", "made", *places)
    assert parsed.returncode == stage.EXIT_OK, parsed.stderr
    assert "Traceback" not in parsed.stderr
    after = tree(sandbox)
    written = {name for name in after if name not in before}
    assert {name: digest for name, digest in after.items() if name in before} == before
    made = {f"a/b/c/out/t/{path.name}" for path in (sandbox / "a/b/c/out/t").iterdir()}
    assert written == made | {"a/b/c/out", "a/b/c/out/t", "a/b/c/out/report.json"}
    assert {Path(name).suffix for name in made} == {".parquet"}

    folder = sandbox / "a/b/c/out/t"
    captures = read_table(tables.CAPTURE, folder / "capture.parquet")
    assert set(captures["name"].to_pylist()) == {path.name for path in (sandbox / "a/b/c/raw/inputs").iterdir()}
    subflows = read_table(tables.SUBFLOW, folder / "subflow.parquet")
    addresses = {*subflows["local_address"].to_pylist(), *subflows["remote_address"].to_pylist()} - {None}
    assert addresses
    assert all(re.fullmatch(r"address \d+", address) for address in addresses)


@pytest.mark.slow
def test_inspect_writes_nothing_and_shows_nothing_but_text(sandbox: Path) -> None:
    before = tree(sandbox)
    inputs = sorted((sandbox / "a/b/c/raw/inputs").iterdir())
    shown = run(sandbox, ("pipelines", "inspect"), "--quiet", *inputs)
    assert shown.returncode == stage.EXIT_BAD_INPUT
    assert "Traceback" not in shown.stderr
    assert tree(sandbox) == before
    for text in (shown.stdout, shown.stderr):
        assert text
        assert all(letter.isprintable() for line in text.split("\n") for letter in line)


class Nobody:
    """A detector without an opinion of its own."""

    def judge(self, windows: Sequence[PairWindow]) -> Verdicts:
        return Verdicts(np.zeros(len(windows)), np.zeros(len(windows), dtype=bool))


@pytest.mark.slow
def test_detect_writes_nothing(
    sandbox: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = tree(sandbox)
    monkeypatch.chdir(sandbox / "a/b/c")
    monkeypatch.setenv("HOME", str(sandbox / "home"))
    monkeypatch.setattr(tempfile, "tempdir", str(sandbox / "temporary"))
    monkeypatch.setattr(loaded_model, "load_named", lambda *_: Nobody())
    arguments = ["--params", str(sandbox / "params.yaml"), "--quiet", "--json", "--model", "../../outside/model"]
    inputs = sorted((sandbox / "a/b/c/raw/inputs").iterdir())
    assert stage.main("detect", detect, [*arguments, *map(str, inputs)]) == (stage.EXIT_BAD_INPUT)
    assert tree(sandbox) == before
    said = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {one["input"] for one in said} == {str(path) for path in inputs}


# A short search for more, the same each time.
SEARCHED_RUNS = 500


@pytest.mark.slow
@pytest.mark.parametrize("name", targets.TARGETS)
def test_a_short_search_breaks_nothing(tmp_path: Path, name: str) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "tests.fuzz", "--folder", str(tmp_path), name, f"-runs={SEARCHED_RUNS}", "-seed=7"],
        cwd=ROOT,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert run.returncode == 0, run.stdout[-5000:] + run.stderr[-2000:]
    # What is known already is tried first, and all of it.
    (done,) = re.findall(r"Done (\d+) runs", run.stderr)
    assert int(done) >= SEARCHED_RUNS
    assert not [path for path in (tmp_path / name).iterdir() if path.name.startswith(("crash-", "oom-", "timeout-"))]
