"""Model files: their bytes, and that whatever is not one is refused before any of it is used."""

from __future__ import annotations

import re
import struct
import subprocess
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path
from random import Random

import numpy as np
import numpy.typing as npt
import pytest

from smartsbd.export import compilers, header_program, model_file
from smartsbd.export.compilers import Compiler
from smartsbd.export.emit_c import EXPORTABLE
from smartsbd.export.model_file import ModelFileError
from smartsbd.export.tree import NOT_SHARED, SHARED, Branch, Forest, Leaf, from_fitted
from tests.export import made

LOADED, NOT_A_MODEL, OTHER_VERSION, DAMAGED, UNKNOWN_FEATURE, TOO_LARGE, BAD_NODE = range(7)
WHY = {
    NOT_A_MODEL: "no model file",
    OTHER_VERSION: "a model file of another version",
    DAMAGED: "damaged: its length or its checksum is wrong",
    UNKNOWN_FEATURE: "a model of features this program does not know",
    TOO_LARGE: "too large a model",
    BAD_NODE: "damaged: a node leads nowhere, back, or to no feature",
}
SMALL = Forest(
    (
        Branch("rtt_sd_ratio_q10", -2, SHARED, Branch("rtt_ed_4us", 7, NOT_SHARED, SHARED)),
        Branch("rtt_ed_4us", 9, NOT_SHARED, Leaf(5)),
    )
)
NAMES = ("rtt_ed_4us", "rtt_sd_ratio_q10")
BY_HAND = bytes.fromhex(
    "53 42 44 4d 4f 44 45 4c"  # SBDMODEL
    " 01 00 00 00  02 00 00 00  02 00 00 00  08 00 00 00"  # version, features, trees, words
    " 72 74 74 5f 65 64 5f 34 75 73"
    + " 00" * 22  # rtt_ed_4us
    + " 72 74 74 5f 73 64 5f 72 61 74 69 6f 5f 71 31 30"
    + " 00" * 16  # rtt_sd_ratio_q10
    + " 00 00 00 00  03 00 00 00"  # where the trees begin
    " 01 01 00 00 fe ff ff 3f"  # rtt_sd_ratio_q10 <= -2: word 1, else word 2
    " 00 01 00 00 00 00 00 81"  # word 1: shared
    " 00 04 00 00 07 00 00 40"  # rtt_ed_4us <= 7: word 4, else word 5
    " 00 06 00 00 09 00 00 40"  # rtt_ed_4us <= 9: word 6, else word 7
    " 00 04 00 00 00 00 00 80"  # word 4: not shared
    " 00 05 00 00 00 00 00 81"
    " 00 06 00 00 00 00 00 80"
    " 00 07 00 00 05 00 00 80"
)


def sealed(body: bytes) -> bytes:
    return body + struct.pack("<I", zlib.crc32(body))


def split(name: int, threshold: int, low: int) -> int:
    return (threshold + (1 << 30)) << 32 | low << 8 | name


def leaf(place: int, vote: int = 0, name: int = 0) -> int:
    return 1 << 63 | vote << 32 | place << 8 | name


def file_of(
    words: Iterable[int],
    names: Iterable[str | bytes] = NAMES,
    roots: Iterable[int] = (0,),
    *,
    version: int = 1,
    counts: tuple[int | None, int | None, int | None] = (None, None, None),
) -> bytes:
    """Return a file with a correct checksum and any content; what is counted may be told otherwise."""
    words, names, roots = list(words), list(names), list(roots)
    there = (len(names), len(roots), len(words))
    told = [own if count is None else count for own, count in zip(there, counts, strict=True)]
    parts = [b"SBDMODEL", struct.pack("<4I", version, *told)]
    parts += [struct.pack("<32s", name.encode() if isinstance(name, str) else name) for name in names]
    parts += [struct.pack("<I", root) for root in roots]
    parts += [struct.pack("<Q", word) for word in words]
    return sealed(b"".join(parts))


@pytest.fixture(scope="module")
def load(headers: Path, gcc: Compiler, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program that reads many files at once."""
    program = tmp_path_factory.mktemp("load") / "load"
    source = Path(__file__).with_name("load.c")
    compilers.compiled(gcc, source, program, ["-I", str(headers), *made.SANITIZERS])
    return program


def refusals(load: Path, files: Iterable[bytes], *, seal: bool = False) -> list[int]:
    """Return why each file is refused."""
    given = b"".join(struct.pack("<I", len(one)) + one for one in files)
    done = subprocess.run([load, *(["-s"] if seal else [])], input=given, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return list(done.stdout)


def test_the_bytes_of_a_small_file() -> None:
    assert model_file.content(SMALL) == sealed(BY_HAND)
    assert file_of(struct.unpack("<8Q", BY_HAND[-64:]), roots=(0, 3)) == sealed(BY_HAND)


def test_more_features_may_be_named(loaded: Path, tmp_path: Path) -> None:
    names = [feature.name for feature in EXPORTABLE]
    content = model_file.content(SMALL, names)
    assert content[12:16] == struct.pack("<I", len(names))
    file = tmp_path / "made.sbd"
    x = made.rows_of(0, 300)
    x[:, 0] += np.arange(300) % 12
    x[:, 6] -= 600
    expected = [made.shared(SMALL, dict(zip(made.NAMES, row, strict=True))) for row in x.tolist()]
    for one in (content, model_file.content(SMALL), model_file.content(SMALL, NAMES[::-1])):
        file.write_bytes(one)
        assert header_program.verdicts(loaded, x, file).tolist() == expected
    assert len(set(expected)) == 2


def test_the_checked_program_takes_it(checked: Path, tmp_path: Path) -> None:
    file = tmp_path / "made.sbd"
    file.write_bytes(sealed(BY_HAND))
    x = made.rows_of(0, 100)
    expected = [made.shared(SMALL, dict(zip(made.NAMES, row, strict=True))) for row in x.tolist()]
    assert header_program.verdicts(checked, x, file).tolist() == expected


def test_every_change_of_a_byte_and_every_cut_is_refused(load: Path) -> None:
    good = sealed(BY_HAND)
    assert refusals(load, [good]) == [LOADED]
    files = [
        good[:place] + bytes([other]) + good[place + 1 :]
        for place, byte in enumerate(good)
        for other in range(256)
        if other != byte
    ]
    files += [good[:size] for size in range(len(good))]
    files += [good + bytes(more) for more in range(1, 70)]
    said = refusals(load, files)
    assert len(said) == len(files) and LOADED not in said
    # A checksum of its own does not make a shorter or longer file a model.
    assert LOADED not in refusals(load, [sealed(good[:size]) for size in range(len(good) - 4)])


def test_every_word_of_a_file_counts(load: Path) -> None:
    """With a correct checksum each change of a bit is refused, or is another model."""
    good = sealed(BY_HAND)
    bits = [(place, bit) for place in range(len(good) - 4) for bit in range(8)]
    files = [good[:place] + bytes([good[place] ^ 1 << bit]) + good[place + 1 :] for place, bit in bits]
    said = refusals(load, files, seal=True)
    taken = {place for (place, _), why in zip(bits, said, strict=True) if why == LOADED}
    head = 24 + 2 * 32
    # Where trees begin, thresholds, votes, features and low sides may be others.
    assert min(taken) >= head
    assert said[: 8 * 8] == [NOT_A_MODEL] * 64
    assert set(said[8 * 8 : 8 * 12]) == {OTHER_VERSION}
    assert set(said[8 * 24 : 8 * head]) == {UNKNOWN_FEATURE}


BAD: dict[str, tuple[bytes, int]] = {
    "nothing": (b"", NOT_A_MODEL),
    "too short": (b"SBDMODEL" + bytes(19), NOT_A_MODEL),
    "another magic": (sealed(b"SBDMODEM" + BY_HAND[8:]), NOT_A_MODEL),
    "another version": (file_of([leaf(0)], version=2), OTHER_VERSION),
    "version 0": (file_of([leaf(0)], version=0), OTHER_VERSION),
    "a wrong checksum": (BY_HAND + bytes(4), DAMAGED),
    "no checksum": (BY_HAND, DAMAGED),
    "no trees": (file_of([leaf(0)], roots=()), DAMAGED),
    "no words": (file_of([]), DAMAGED),
    "a word too few": (file_of([leaf(0)], counts=(None, None, 2)), DAMAGED),
    "a word too many": (file_of([leaf(0), leaf(1)], counts=(None, None, 1)), DAMAGED),
    "a tree too many": (file_of([leaf(0)], counts=(None, 2, None)), DAMAGED),
    "sizes that make up for each other": (file_of([leaf(0)] * 4, names=(), counts=(1, None, None)), DAMAGED),
    "more trees than there is room for": (file_of([leaf(0)], roots=[0] * 257), TOO_LARGE),
    "more words than there is room for": (file_of(map(leaf, range(65_537))), TOO_LARGE),
    "huge trees": (file_of([leaf(0)], counts=(None, 1 << 30, None)), TOO_LARGE),
    "huge words": (file_of([leaf(0)], counts=(None, None, 1 << 29)), TOO_LARGE),
    "counts of all ones": (file_of([leaf(0)], counts=(None, 0xFFFFFFFF, 0xFFFFFFFF)), TOO_LARGE),
    "huge features": (file_of([leaf(0)], counts=(0xFFFFFFFF, None, None)), UNKNOWN_FEATURE),
    "a feature too many": (file_of([leaf(0)], names=[NAMES[0]] * 21), UNKNOWN_FEATURE),
    "an unknown feature": (file_of([leaf(0)], names=["rtt_ed_4us", "rtt_ed_5us"]), UNKNOWN_FEATURE),
    "a name and more": (file_of([leaf(0)], names=[b"rtt_ed_4us\0x"]), UNKNOWN_FEATURE),
    "half a name": (file_of([leaf(0)], names=["rtt_ed"]), UNKNOWN_FEATURE),
    "a name without an end": (file_of([leaf(0)], names=["x" * 32]), UNKNOWN_FEATURE),
    "no name": (file_of([leaf(0)], names=[b""]), UNKNOWN_FEATURE),
    "a feature that C does not compute": (file_of([leaf(0)], names=["rate_ed"]), UNKNOWN_FEATURE),
    "a tree that begins nowhere": (file_of([leaf(0)], roots=[1]), BAD_NODE),
    "a second tree that begins nowhere": (file_of([leaf(0)], roots=[0, 0xFFFFFFFF]), BAD_NODE),
    "a split to itself": (file_of([split(0, 1, 0), leaf(1)]), BAD_NODE),
    "a split back": (file_of([leaf(0), split(0, 1, 0), leaf(2)], roots=[1]), BAD_NODE),
    "a cycle": (file_of([split(0, 1, 1), split(0, 1, 0), leaf(2)]), BAD_NODE),
    "a low side that is not there": (file_of([split(0, 1, 2), leaf(1)]), BAD_NODE),
    "a high side that is not there": (file_of([split(0, 1, 1), leaf(1)]), BAD_NODE),
    "a side far away": (file_of([split(0, 1, 0xFFFFFF), leaf(1), leaf(2)]), BAD_NODE),
    "a leaf that leads on": (file_of([leaf(1), leaf(1)]), BAD_NODE),
    "a leaf that leads back": (file_of([split(0, 1, 1), leaf(0), leaf(2)]), BAD_NODE),
    "a leaf of more than all": (file_of([leaf(0, (1 << 24) + 1)]), BAD_NODE),
    "a leaf of far more than all": (file_of([leaf(0, (1 << 31) - 1)]), BAD_NODE),
    "a leaf of a feature that is not named": (file_of([leaf(0, 0, 2)]), BAD_NODE),
    "a split by a feature that is not named": (file_of([split(2, 1, 1), leaf(1), leaf(2)]), BAD_NODE),
    "a split by feature 255": (file_of([split(255, 1, 1), leaf(1), leaf(2)]), BAD_NODE),
    "a split without any feature": (file_of([split(0, 1, 1), leaf(1), leaf(2)], names=()), BAD_NODE),
    "a word that no tree reaches": (file_of([leaf(0), split(0, 1, 1)]), BAD_NODE),
    "a tree of depth 256": (
        file_of([split(0, 1, place + 1) for place in range(256)] + [leaf(256), leaf(257)]),
        BAD_NODE,
    ),
}
GOOD: dict[str, bytes] = {
    "a leaf": file_of([leaf(0)], names=()),
    "a leaf of all": file_of([leaf(0, 1 << 24)]),
    "a tree of depth 255": file_of([split(0, 1, place + 1) for place in range(255)] + [leaf(255), leaf(256)]),
    "as many trees as there is room for": file_of([leaf(0)], roots=[0] * 256),
    "as many words as there is room for": file_of(map(leaf, range(65_536)), roots=[65_535]),
    "every feature": file_of([leaf(0)], names=[feature.name for feature in EXPORTABLE]),
    "a feature twice": file_of([split(1, 1, 1), leaf(1), leaf(2)], names=[NAMES[0]] * 2),
    "sides that are shared": file_of([split(0, 1, 1), split(1, 3, 2), leaf(2), leaf(3)]),
    "the smallest and the largest threshold": file_of(
        [split(0, -(1 << 30), 1), split(1, (1 << 30) - 1, 2), leaf(2), leaf(3)]
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_file_is_refused_and_said_why(case: str, checked: Path, load: Path, tmp_path: Path) -> None:
    content, why = BAD[case]
    assert refusals(load, [content]) == [why]
    file = tmp_path / "bad.sbd"
    file.write_bytes(content)
    done = subprocess.run([checked, "-x", file], input=b"", capture_output=True, check=False)
    assert (done.returncode, done.stderr.decode()) == (1, f"replay: {file}: refused, {WHY[why]}\n")


@pytest.mark.parametrize("case", BAD)
def test_python_refuses_it_for_the_same_reason(case: str) -> None:
    content, why = BAD[case]
    with pytest.raises(ModelFileError, match=f"^{re.escape(WHY[why])}"):
        model_file.read(content)


@pytest.mark.parametrize("case", GOOD)
def test_what_is_just_a_model_is_taken(case: str, load: Path) -> None:
    assert refusals(load, [GOOD[case]]) == [LOADED]
    model_file.read(GOOD[case])


def taken_by_python(content: bytes) -> bool:
    try:
        model_file.read(content)
    except ModelFileError:
        return False
    return True


def judged_by_python(content: bytes, x: npt.NDArray[np.int64]) -> list[bool]:
    found = model_file.read(content)
    place = [made.NAMES.index(name) for name in found.feature_names]
    return [bool(one) for one in found.shares(x[:, place]) > 0.5]


def test_a_loaded_model_knows_its_features(loaded: Path, tmp_path: Path) -> None:
    """Sides differ by the second name alone: places among the names become numbers of the catalogue."""
    file = tmp_path / "made.sbd"
    file.write_bytes(file_of([split(1, 5, 1), leaf(1), leaf(2, 1 << 24)], names=["rtt_ed_4us", "rate_correlation_q10"]))
    x = made.rows_of(0, 2)
    x[:, -1] = [5, 6]
    assert header_program.verdicts(loaded, x, file).tolist() == [False, True]


def random_words(random: Random) -> bytes:
    """A file whose words are good, but for some of them."""
    size = random.choice([1, 2, 3, 5, 20, 300])
    words = []
    for place in range(size):
        if place + 2 < size and random.random() < 0.5:
            words.append(split(random.randrange(2), random.randrange(-9, 9), random.randrange(place + 1, size - 1)))
        else:
            words.append(leaf(place, random.randrange((1 << 24) + 1), random.randrange(2)))
    for _ in range(random.choice([0, 0, 1, 1, 2, 9])):
        place = random.randrange(size)
        changes: list[Callable[[int], int]] = [
            lambda word: word ^ 1 << random.randrange(64),
            lambda word: word & ~0xFFFFFF00 | random.randrange(size + 2) << 8,
            lambda word: word & ~0xFF | random.randrange(4),
            lambda _: random.getrandbits(64),
        ]
        words[place] = random.choice(changes)(words[place])
    roots = [random.randrange(size + (random.random() < 0.1)) for _ in range(random.choice([1, 2, 9, 10, 13, 256]))]
    return file_of(words, roots=roots)


@pytest.mark.parametrize("seed", range(4))
def test_random_words_are_refused_or_walked(seed: int, load: Path) -> None:
    random = Random(seed)  # noqa: S311 - nothing secret
    said = refusals(load, [random_words(random) for _ in range(1_500)])
    assert set(said) == {LOADED, BAD_NODE}
    assert 300 < said.count(LOADED) < 1_200


def test_python_takes_what_c_takes_and_judges_as_c_does(load: Path, loaded: Path, tmp_path: Path) -> None:
    random = Random(9)  # noqa: S311 - nothing secret
    files = [random_words(random) for _ in range(300)]
    said = refusals(load, files)
    assert [taken_by_python(one) for one in files] == [why == LOADED for why in said]
    x = made.rows_of(1, 200)
    x[:, [0, 6]] %= 20
    file = tmp_path / "made.sbd"
    seen = set()
    for content in [one for one, why in zip(files, said, strict=True) if why == LOADED][:20]:
        file.write_bytes(content)
        expected = header_program.verdicts(loaded, x, file).tolist()
        assert judged_by_python(content, x) == expected
        seen |= set(expected)
    assert seen == {True, False}


def test_a_trained_forest_is_one_of_them(load: Path) -> None:
    assert refusals(load, [model_file.content(from_fitted(made.forest(0, depth=12, trees=30)))]) == [LOADED]


def test_a_trained_forest_from_its_file_judges_as_it_does(loaded: Path, tmp_path: Path) -> None:
    fitted = made.forest(0, depth=12, trees=30)
    content = model_file.content(from_fitted(fitted))
    x = made.rows_of(2, 2_000)
    (tmp_path / "made.sbd").write_bytes(content)
    said = judged_by_python(content, x)
    assert said == header_program.verdicts(loaded, x, tmp_path / "made.sbd").tolist()
    assert set(said) == {True, False}
    names = [made.NAMES.index(name) for name in fitted.feature_names]
    verdicts = fitted.judge(x[:, names].astype(np.float64))
    found = model_file.read(content)
    shares = found.shares(x[:, [made.NAMES.index(name) for name in found.feature_names]])
    np.testing.assert_allclose(shares, verdicts.score, rtol=0, atol=1e-12)
