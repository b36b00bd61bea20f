"""The replay program: what is no event is counted and refused, and nothing that is read breaks it."""

from __future__ import annotations

import itertools
import subprocess
import time
from pathlib import Path
from random import Random

import numpy as np
import pytest

from smartsbd.export import emit_c, header_program
from smartsbd.export.compilers import Compiler
from smartsbd.export.emit_c import EXPORTABLE
from smartsbd.export.tree import from_fitted
from tests.export import made, streams
from tests.export.streams import replayed

#: Windows of 50 us; each event is accepted.
GOOD = b"".join(
    f"{time_us}000 C=ab SF={subflow} V={what}\n".encode()
    for time_us, what in [(0, "CA 3"), (0, "RTT 1"), (0, "ACK 0"), (1, "ACK 9"), (60, "RTT 1"), (110, "RTT 1")]
    for subflow in (0, 1)
)
FINE = {"lines": 12, "left out": 0, "refused": 0, "decided": 2, "rejected": 0, "missed": 0}

REFUSED = {
    "nothing": b"",
    "a space": b" ",
    "words": b"replay: no event",
    "no time": b"C=ab SF=0 V=RTT 1",
    "a time below zero": b"-1 C=ab SF=0 V=RTT 1",
    "a time with a sign": b"+200000 C=ab SF=0 V=RTT 1",
    "a time behind a space": b" 200000 C=ab SF=0 V=RTT 1",
    "a time of 64 bits and one": b"18446744073709551616 C=ab SF=0 V=RTT 1",
    "a time that a window could not end after": b"4611686018427387904 C=ab SF=0 V=RTT 1",
    "a time that runs back": b"109999 C=ab SF=0 V=RTT 1",
    "a token that is no number": b"200000 C=xy SF=0 V=RTT 1",
    "a token beyond 64 bits": b"200000 C=10000000000000000 SF=0 V=RTT 1",
    "no token": b"200000 C= SF=0 V=RTT 1",
    "a subflow beyond 32 bits": b"200000 C=ab SF=4294967296 V=RTT 1",
    "a subflow that is no number": b"200000 C=ab SF=x V=RTT 1",
    "no kind": b"200000 C=ab SF=0 V= 1",
    "no value": b"200000 C=ab SF=0 V=RTT",
    "an empty value": b"200000 C=ab SF=0 V=RTT ",
    "a value with a fraction": b"200000 C=ab SF=0 V=RTT 1.5",
    "a value and more": b"200000 C=ab SF=0 V=RTT 1 2",
    "a value and a carriage return": b"200000 C=ab SF=0 V=RTT 1\r",
    "a kind of many letters": b"200000 C=ab SF=0 V=WINDOWED 1",
    "an RTT of nothing": b"200000 C=ab SF=0 V=RTT 0",
    "an RTT beyond 32 bits": b"200000 C=ab SF=0 V=RTT 4294967296",
    "bytes beyond 64 bits": b"200000 C=ab SF=0 V=ACK 18446744073709551616",
    "a state that is none": b"200000 C=ab SF=0 V=CA 5",
    "a window of a subflow and itself": b"110000 C=ab SF=0 V=WINDOW 0",
    "a window of a subflow without a sample": b"110000 C=ab SF=0 V=WINDOW 7",
    "a window of a subflow beyond 32 bits": b"200000 C=ab SF=0 V=WINDOW 4294967296",
    "an end that runs back": b"109999 C=ab SF=0 V=END 0",
    "a zero inside": b"200000 C=ab SF=0 V=RTT 1\x00",
    "a zero before": b"\x00200000 C=ab SF=0 V=RTT 1",
    "a long line": b"200000 C=ab SF=0 V=RTT 1" + b" " * 300,
    "a long line that ends as an event": b"x" * 255 + b"200000 C=ab SF=0 V=RTT 1",
    "a long line with a zero that ends as an event": b"x\x00" + b"x" * 253 + b"200000 C=ab SF=0 V=RTT 1",
    "leading zeros that make it long": b"0" * 300 + b"200000 C=ab SF=0 V=RTT 1",
}


@pytest.mark.parametrize(
    ("case", "place"),
    [(case, place) for case, line in REFUSED.items() for place in ("inside", "last", "cut") if line or place != "cut"],
)
def test_what_is_no_event_is_counted_and_changes_nothing(
    case: str, place: str, checked: Path, all_features: Path
) -> None:
    good = replayed(checked, GOOD, "-f", all_features)
    assert (good.exit_code, good.counts) == (0, FINE)
    between = GOOD.splitlines(keepends=True)
    at = 8 if place == "inside" else len(between)
    line = REFUSED[case] + (b"" if place == "cut" else b"\n")
    if place == "inside":
        # Later than what follows would be out of order for that.
        line = line.replace(b"200000 ", b"1000 ").replace(b"110000 ", b"1000 ").replace(b"109999 ", b"999 ")
    found = replayed(checked, b"".join([*between[:at], line, *between[at:]]), "-f", all_features)
    assert found.exit_code == 2
    assert found.counts == FINE | {"lines": 13, "refused": 1}
    assert (found.windows, found.verdicts) == (good.windows, good.verdicts)


@pytest.mark.parametrize(
    "line",
    [
        b"4611686018427387903 C=ab SF=0 V=RTT 4294967295",
        b"200000 C=AB SF=0 V=RTT 1",
        b"200000 C=ffffffffffffffff SF=4294967295 V=ACK 18446744073709551615",
        b"00200000 C=0ab SF=00 V=CA 04",
        b"200000 C=ab SF=1 V=WINDOW 0",
    ],
)
def test_what_is_just_an_event_is_taken(line: bytes, checked: Path, all_features: Path) -> None:
    if b"=AB" in line:
        assert replayed(checked, GOOD + line + b"\n", all_features).exit_code == 2
        return
    found = replayed(checked, GOOD + line + b"\n", all_features)
    assert found.exit_code == 0 and found.counts["lines"] == 13


def test_the_last_line_needs_no_end(checked: Path, all_features: Path) -> None:
    assert replayed(checked, GOOD[:-1], "-f", all_features) == replayed(checked, GOOD, "-f", all_features)


@pytest.mark.parametrize("size", [253, 254, 255, 256, 257, 509, 510, 511, 512])
def test_a_line_is_taken_whole_or_not_at_all(size: int, checked: Path, all_features: Path) -> None:
    start, end = b"1000 C=ab SF=0 V=ACK ", b"9\n"
    line = start + b"0" * (size - len(start) - len(end) + 1) + end
    assert len(line) == size + 1
    found = replayed(checked, GOOD + b"110000 C=ab SF=0 V=ACK 9\n" + line.replace(b"1000 ", b"110000 "), all_features)
    fits = size + 2 < 256
    assert found.counts["lines"] == 14
    assert found.counts["refused"] == (0 if fits else 1)


def test_unknown_kinds_are_counted_as_left_out(checked: Path, all_features: Path) -> None:
    lines = GOOD + b"".join(
        b"%d C=ab SF=%d V=%b 5\n" % (time_ns, subflow, kind)
        for time_ns, subflow, kind in [
            (110_000, 0, b"UNA"),
            (110_000, 1, b"LOSS"),
            (0, 5, b"DUP"),
            (110_000, 0, b"rtt"),
        ]
    )
    found = replayed(checked, lines, "-f", all_features)
    assert found.exit_code == 0
    assert found.counts == FINE | {"lines": 16, "left out": 4}
    # A subflow of which nothing else is known belongs to the connection.
    assert found.groups[0xAB] == {0: "0", 1: "1", 5: "-"}


def test_an_unknown_kind_moves_no_window(checked: Path, all_features: Path) -> None:
    between = GOOD.splitlines(keepends=True)
    far = b"4000000000000 C=ab SF=0 V=UNA 1\n"
    found = replayed(checked, b"".join([*between[:8], far, *between[8:]]), "-f", all_features)
    assert found.windows == replayed(checked, GOOD, "-f", all_features).windows


def test_more_than_eight_subflows_are_refused(checked: Path, all_features: Path) -> None:
    lines = b"".join(b"%d C=1 SF=%d V=RTT 5\n" % (time_ns, one) for time_ns in (1, 2) for one in range(11))
    found = replayed(checked, lines, "-f", all_features)
    assert found.exit_code == 2
    assert found.counts["refused"] == 6
    assert set(found.groups[1]) == set(range(8))


def test_more_than_256_connections_at_one_time_are_refused(checked: Path, all_features: Path) -> None:
    lines = b"".join(b"1 C=%x SF=0 V=RTT 5\n" % token for token in range(300))
    found = replayed(checked, lines, all_features)
    assert found.exit_code == 2 and found.counts["refused"] == 44
    assert set(found.groups) == set(range(256))
    # Once one has ended, there is room for another.
    ended = b"".join(b"2 C=%x SF=0 V=END 0\n" % token for token in range(44))
    more = b"".join(b"3 C=%x SF=0 V=RTT 5\n" % token for token in range(300, 345))
    found = replayed(checked, lines + ended + more, all_features)
    assert found.counts["refused"] == 44 + 1
    assert len(found.groups) == 256 + 44


def test_a_token_may_be_used_again_after_its_end(checked: Path, all_features: Path) -> None:
    twice = GOOD + b"150000 C=ab SF=0 V=END 0\n" + GOOD
    done = subprocess.run([checked, "-f", all_features], input=twice, capture_output=True, check=False)
    assert done.returncode == 0
    said = done.stdout.decode().splitlines()
    # The second time it ends with its last event.
    assert [line.split()[1] for line in said] == ["SF=0,1", "SF=0,1", "SF=0,1", "GROUPS", "SF=0,1", "SF=0,1", "GROUPS"]
    assert said[0] == said[4] and said[1] == said[5]


def test_an_end_of_what_never_began_is_a_connection_without_subflows(checked: Path, all_features: Path) -> None:
    found = replayed(checked, b"5 C=9 SF=0 V=END 0\n", all_features)
    assert (found.exit_code, found.groups) == (0, {9: {}})


def test_connections_do_not_disturb_each_other(checked: Path, all_features: Path) -> None:
    made_of = [streams.made(np.random.default_rng(seed), streams.KINDS["silent"]) for seed in range(6)]
    alone = [one.lines(token) for token, one in enumerate(made_of)]
    mixed = [
        line for own in itertools.zip_longest(*(one.splitlines(keepends=True) for one in alone)) for line in own if line
    ]
    assert mixed != b"".join(alone).splitlines(keepends=True)
    one, other = (replayed(checked, lines, "-f", all_features) for lines in (b"".join(alone), b"".join(mixed)))
    assert one.windows == other.windows and one.groups == other.groups and one.counts == other.counts


def run(program: Path, *arguments: str | Path, given: bytes = b"") -> tuple[int, bytes, str]:
    done = subprocess.run([program, *arguments], input=given, capture_output=True, check=False)
    return done.returncode, done.stdout, done.stderr.decode()


def test_a_row_that_is_cut_off_is_refused(checked: Path, all_features: Path) -> None:
    row = bytes(4 * len(EXPORTABLE))
    assert run(checked, "-x", all_features, given=3 * row) == (0, bytes(3), "")
    for size in (1, len(row) - 1):
        assert run(checked, "-x", all_features, given=2 * row + row[:size]) == (
            2,
            bytes(2),
            "replay: the last row is cut off\n",
        )
    assert run(checked, "-x", all_features) == (0, b"", "")


@pytest.mark.parametrize("value", [1 << 24, -(1 << 24), (1 << 31) - 1, -(1 << 31)])
def test_a_row_that_no_window_has_is_refused(value: int, checked: Path, all_features: Path) -> None:
    row = np.zeros((2, len(EXPORTABLE)), dtype="<i4")
    row[1, 7] = value
    code, said, why = run(checked, "-x", all_features, given=row.tobytes())
    assert (code, said, why) == (2, bytes(1), "replay: a value that no feature has\n")
    row[1, 7] = np.clip(value, -(1 << 24) + 1, (1 << 24) - 1)
    assert run(checked, "-x", all_features, given=row.tobytes()) == (0, bytes(2), "")


def test_a_model_file_is_needed(checked: Path, tmp_path: Path) -> None:
    assert run(checked) == (1, b"", "replay: a model file is needed\n")
    missing = tmp_path / "none.sbd"
    assert run(checked, missing) == (1, b"", f"replay: {missing}: No such file or directory\n")
    assert run(checked, tmp_path)[:2] == (1, b"")
    missing.touch()
    assert run(checked, missing) == (1, b"", f"replay: {missing}: refused, no model file\n")
    missing.write_bytes(b"SBDMODEM" + bytes(100))
    assert run(checked, missing) == (1, b"", f"replay: {missing}: refused, no model file\n")
    with missing.open("wb") as stream:
        stream.truncate((1 << 24) + 1)
    assert run(checked, missing) == (1, b"", f"replay: {missing}: refused, too large a model\n")


@pytest.mark.parametrize("option", ["-h", "--help", "-fx", "-"])
def test_other_options_are_refused(option: str, checked: Path) -> None:
    code, _, why = run(checked, option)
    assert code == 1 and why.startswith("usage: replay ")


def test_a_header_is_replaced_by_a_file(gcc: Compiler, all_features: Path, tmp_path: Path) -> None:
    forest = from_fitted(made.tree(3, depth=2))
    made.write_runtime(tmp_path)
    (tmp_path / "sbd_made.h").write_text(emit_c.render_model(forest, made.header("sbd_made")))
    program = header_program.build(tmp_path, tmp_path, "sbd_made", gcc)
    own, other = replayed(program, GOOD, "-f"), replayed(program, GOOD, "-f", all_features)
    assert set(own.windows[0xAB][0].features) == set(forest.features())
    assert len(other.windows[0xAB][0].features) == len(EXPORTABLE)
    x = made.rows_of(0, 50)
    expected = [made.shared(forest, dict(zip(made.NAMES, row, strict=True))) for row in x.tolist()]
    assert header_program.verdicts(program, x).tolist() == expected and any(expected)
    assert not header_program.verdicts(program, x, all_features).any()


WORDS = [
    b"RTT",
    b"ACK",
    b"CA",
    b"WINDOW",
    b"END",
    b"UNA",
    b"C=",
    b"SF=",
    b"V=",
    b" ",
    b"\n",
    b"\0",
    b"18446744073709551616",
]
NUMBERS = [0, 1, 2, 3, 5, 49, 50, 51, 10**6, 2**31, 2**32 - 1, 2**32, 2**61, 2**62 - 1, 2**62, 2**63, 2**64 - 1, 2**64]


def broken(random: Random, lines: bytes) -> bytes:
    """Return lines with some of their bytes, numbers and lines changed."""
    content = bytearray(lines)
    for _ in range(random.choice([1, 3, 30, 300])):
        at = random.randrange(len(content) + 1)
        how = random.randrange(7)
        if how == 0 and content:
            content[at - 1] = random.randrange(256)
        elif how == 1:
            del content[at : at + random.choice([1, 1, 2, 30])]
        elif how == 2:
            content[at:at] = random.choice(WORDS)
        elif how == 3:
            content[at:at] = b"%d" % random.choice(NUMBERS)
        elif how == 4:
            other = random.randrange(len(content) + 1)
            content[at:at] = content[other : other + random.choice([5, 30, 300])]
        elif how == 5:
            space = content.find(b" V=", at)
            value = content.find(b" ", space + 3)
            end = content.find(b"\n", value)
            if -1 < space < value < end:
                content[value + 1 : end] = b"%d" % random.choice(NUMBERS)
        else:
            begin = content.find(b"\n", at) + 1
            content[begin : content.find(b" ", begin)] = b"%d" % random.choice(NUMBERS)
    return bytes(content)


@pytest.mark.slow
def test_no_bytes_break_the_program(checked: Path, all_features: Path) -> None:
    """As many as ten seconds allow, and more than fifty; what breaks it is said by its seed."""
    kinds = [streams.KINDS[name] for name in ("on the grid", "sparse", "many", "hours")]
    good = [
        b"".join(streams.made(np.random.default_rng(seed), kind).lines(token)[:20_000] for token in range(2))
        for seed, kind in enumerate(kinds)
    ]
    end_s, seed, codes = time.monotonic() + 10, 0, set()
    while seed <= 50 or time.monotonic() < end_s:
        random = Random(seed)  # noqa: S311 - nothing secret
        given = broken(random, random.choice(good))
        code, _, why = run(checked, "-f", all_features, given=given)
        assert code in (0, 2) and "runtime error" not in why, f"seed {seed}: {why}"
        assert "AddressSanitizer" not in why, f"seed {seed}: {why}"
        codes.add(code)
        seed += 1
    assert codes == {0, 2}
