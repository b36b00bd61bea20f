"""The proof of a header: it holds for what is right, and fails for what is not."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from smartsbd.export import compilers, emit_c, header_program, model_file, verify
from smartsbd.export.compilers import CompileError, Compiler
from smartsbd.export.layout import LAYOUTS, Layout
from smartsbd.export.probe import probing_rows
from smartsbd.export.tree import NOT_SHARED, SHARED, Branch, Forest, Leaf, Tree, from_fitted
from smartsbd.export.verify import VerifyError, build_everywhere, prove
from smartsbd.features.catalog import feature, feature_names
from smartsbd.models.families.fitted import Fitted
from tests.export import made

NAME = "sbd_made"
TARGETS = {target.name: target for target in verify.TARGETS}
#: A compiler and a target it knows.
PLACES = [
    pytest.param(compiler.values[0], target.name, marks=compiler.marks, id=f"{compiler.values[0]}, {target.name}")
    for target in verify.TARGETS
    for compiler in made.COMPILERS
    if compiler.values[0] in target.compilers
]
PART = {
    name: emit_c.render_model(Forest((Branch(name, 3, NOT_SHARED, SHARED),)), made.header(NAME))
    for name in ("rtt_ed_4us", "rtt_correlation_q10")
}


def write_header(folder: Path, text: str) -> Path:
    made.write_runtime(folder)
    (folder / f"{NAME}.h").write_text(text)
    return folder


def programs_of(
    folder: Path, gcc: Compiler, fitted: Fitted, layout: Layout, loaded: Path
) -> list[tuple[str, Path, Path | None]]:
    forest = from_fitted(fitted)
    write_header(folder, emit_c.render_model(forest, made.header(NAME, layout)))
    file = folder / "made.sbd"
    file.write_bytes(model_file.content(forest))
    return [("the header", header_program.build(folder, folder, NAME, gcc, ["-O0"]), None), ("the file", loaded, file)]


@pytest.mark.parametrize("feature_set", ["paper", "both"])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    ("kind", "seed", "depth"),
    [("tree", 0, None), ("tree", 1, 15), ("tree", 2, 3), ("forest", 3, 15), ("forest", 4, 5)],
    ids=str,
)
def test_model_header_and_file_agree_on_every_leaf_and_threshold(
    kind: str,
    seed: int,
    depth: int | None,
    layout: Layout,
    feature_set: str,
    gcc: Compiler,
    loaded: Path,
    tmp_path: Path,
) -> None:
    names = feature_names(feature_set)
    fitted = made.tree(seed, depth, names) if kind == "tree" else made.forest(seed, depth, names)
    rows = probing_rows(from_fitted(fitted), rows=20_000, seed=seed)
    verdicts = prove(fitted, programs_of(tmp_path, gcc, fitted, layout, loaded), rows)
    assert 0.05 < verdicts.mean() < 0.95


@pytest.mark.parametrize("seed", range(3))
def test_probing_rows_visit_every_leaf_and_hit_every_threshold(seed: int) -> None:
    forest = from_fitted(made.forest(seed, depth=8, trees=5))
    rows = probing_rows(forest, rows=20_000, seed=seed)
    assert len(rows) >= 20_000
    for name in forest.features():
        assert rows[name].between(feature(name).low, feature(name).high).all()
    seen: set[tuple[int, ...]] = set()
    met: set[tuple[tuple[int, ...], int]] = set()

    def walk(tree: Tree, path: tuple[int, ...], row: dict[str, int]) -> None:
        if isinstance(tree, Leaf):
            seen.add(path)
            return
        value = row[tree.feature]
        if value in (tree.threshold, tree.threshold + 1):
            met.add((path, value - tree.threshold))
        walk(tree.low if value <= tree.threshold else tree.high, (*path, int(value > tree.threshold)), row)

    for row in rows.to_dict("records"):
        for number, tree in enumerate(forest.trees):
            walk(tree, (number,), {str(name): int(value) for name, value in row.items()})
    splits, leaves, _ = forest.size()
    assert len(seen) == leaves
    assert len(met) == 2 * splits


SMALL = made.taught(
    [[8, 1000], [7, 1000], [8, 1001], [90, 1001]],
    [True, False, False, True],
    "rtt_ed_4us",
    "rtt_sd_ratio_q10",
)


def swapped_verdict(text: str) -> str:
    return re.sub(r"return SBD_SHARED;", "return SBD_NOT_SHARED;", text, count=1)


def next_threshold(text: str) -> str:
    return re.sub(r"<= (\d+)\)", lambda found: f"<= {int(found[1]) + 1})", text, count=1)


def changed_word(change: Callable[[int], int], place: int = 0) -> Callable[[str], str]:
    """Return what changes a word of a table."""

    def changed(text: str) -> str:
        found = re.findall(r"0x[0-9a-f]{16}", text)[place]
        return text.replace(found, f"0x{change(int(found, 16)):016x}", 1)

    return changed


BREAKS: dict[str, tuple[Layout, Callable[[str], str]]] = {
    "less, not at most": ("nested", lambda text: text.replace("] <= ", "] < ", 1)),
    "less deep inside": ("nested", lambda text: "] < ".join(text.rsplit("] <= ", 1))),
    "another threshold": ("nested", next_threshold),
    "a verdict swapped": ("nested", swapped_verdict),
    "another feature": ("nested", lambda text: text.replace("x[SBD_RTT_ED_4US] <=", "x[SBD_RTT_SD_RATIO_Q10] <=", 1)),
    "another threshold in a word": ("packed", changed_word(lambda word: word + (1 << 32))),
    "another feature in a word": ("packed", changed_word(lambda word: word ^ 6)),
    "other sides of a word": ("packed", changed_word(lambda word: word + (1 << 8))),
    "another vote": ("packed", changed_word(lambda word: word ^ 1 << 56, -1)),
    "less in the walk": ("packed", lambda text: text.replace("- SBD_BIAS -", "- SBD_BIAS - 1 -")),
    "a walk that ends early": ("packed", lambda text: text.replace("level < depth", "level + 1 < depth")),
}


@pytest.mark.parametrize("case", BREAKS)
def test_a_broken_header_is_found(case: str, gcc: Compiler, tmp_path: Path) -> None:
    layout, change = BREAKS[case]
    forest = from_fitted(SMALL)
    assert forest.size()[0] >= 3
    rows = probing_rows(forest, rows=200, seed=0)
    text = emit_c.render_model(forest, made.header(NAME, layout))
    broken = change(text)
    assert broken != text
    write_header(tmp_path, text)
    prove(SMALL, [("the header", header_program.build(tmp_path, tmp_path, NAME, gcc, ["-O0"]), None)], rows)
    write_header(tmp_path, broken)
    with pytest.raises(VerifyError, match=r"the header differs from the model on \d+ of \d+ rows"):
        prove(SMALL, [("the header", header_program.build(tmp_path, tmp_path, NAME, gcc, ["-O0"]), None)], rows)


def test_a_file_of_another_model_is_found(loaded: Path, tmp_path: Path) -> None:
    fitted, other = made.tree(1, depth=4), made.tree(2, depth=4)
    rows = probing_rows(from_fitted(fitted), rows=500, seed=0)
    file = tmp_path / "other.sbd"
    file.write_bytes(model_file.content(from_fitted(other)))
    with pytest.raises(VerifyError, match="the file differs from the model on"):
        prove(fitted, [("the file", loaded, file)], rows)


def test_rows_are_taken_in_the_catalogues_order() -> None:
    rows = made.frame(made.rows_of(0, 5))
    values = verify.row_values(rows[list(reversed(made.NAMES))].drop(columns="rtt_sd_ratio_q10"))
    assert values[:, 6].tolist() == [0] * 5
    assert values[:, 7].tolist() == rows["cstate_sd_ratio_q10"].tolist()


@pytest.mark.parametrize("value", [2**24, -(2**24), 2**32 + 1])
def test_rows_beyond_what_features_are_are_refused(value: int, loaded: Path, all_features: Path) -> None:
    rows = made.rows_of(0, 2)
    rows[1, 3] = value
    with pytest.raises(ValueError, match="beyond 16777215"):
        header_program.verdicts(loaded, rows, all_features)


def test_every_compiler_builds_for_every_target_it_knows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verify, "_built", lambda _headers, model, compiler, target: (model, compiler.name, target.name))
    found = compilers.installed()
    built: list[object] = [*build_everywhere(tmp_path, NAME, found)]
    known = {(NAME, compiler.name, target.name) for compiler in found for target in verify.TARGETS}
    assert set(built) == known - {(NAME, "gcc", "bpf")}


@pytest.mark.parametrize(("compiler", "target"), PLACES)
@pytest.mark.parametrize(
    "model", [pytest.param(None, id="loaded", marks=pytest.mark.slow), pytest.param(NAME, id="header")]
)
def test_headers_compile_everywhere(
    model: str | None, compiler: str, target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    forest = from_fitted(made.forest(0, depth=4))
    write_header(tmp_path, emit_c.render_model(forest, made.header(NAME, "packed")))
    own = [one for one in compilers.installed() if one.name == compiler]
    monkeypatch.setattr(verify, "TARGETS", (TARGETS[target],))
    (built,) = build_everywhere(tmp_path, model, own)
    assert (built.compiler, built.target) == (compiler, target)
    assert 1_000 < built.code_bytes < 100_000
    assert 0 < built.stack_bytes <= TARGETS[target].stack_bytes


def refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compiler: str, target: str) -> None:
    """Build for one place alone."""
    monkeypatch.setattr(verify, "TARGETS", (TARGETS[target],))
    build_everywhere(tmp_path, NAME, [one for one in compilers.installed() if one.name == compiler])


@pytest.mark.parametrize(("compiler", "target"), PLACES)
def test_a_call_outside_is_refused(compiler: str, target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = PART["rtt_ed_4us"].replace("#include", "extern int outside(void);\n#include", 1)
    write_header(tmp_path, text)
    refused(tmp_path, monkeypatch, compiler, target)
    write_header(tmp_path, text.replace("return SBD_SHARED;", "return outside() ? SBD_SHARED : SBD_NOT_SHARED;"))
    with pytest.raises(VerifyError, match=f"{NAME}.h for {target} by {compiler} calls outside: it must stand alone"):
        refused(tmp_path, monkeypatch, compiler, target)


@pytest.mark.parametrize(("compiler", "target"), PLACES)
def test_float_arithmetic_is_refused(
    compiler: str, target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    half = "return (sbd_s32)((double)x[0] * 0.5) > x[1] ? SBD_SHARED : SBD_NOT_SHARED;"
    write_header(tmp_path, PART["rtt_ed_4us"].replace("return SBD_SHARED;", half))
    with pytest.raises((CompileError, VerifyError), match=r"SSE|x87|floating|error|calls __"):
        refused(tmp_path, monkeypatch, compiler, target)


@pytest.mark.parametrize(("compiler", "target"), PLACES)
def test_a_division_of_64_bits_is_the_kernels(
    compiler: str, target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    divided = "return (sbd_s64)((sbd_u64)(sbd_u32)x[0] << 20) / x[1] > 9 ? SBD_SHARED : SBD_NOT_SHARED;"
    write_header(tmp_path, PART["rtt_ed_4us"].replace("return SBD_SHARED;", divided))
    if target in {"x86-64", "x86-64 kernel"}:
        refused(tmp_path, monkeypatch, compiler, target)
        return
    with pytest.raises((CompileError, VerifyError), match=r"calls __divdi3|signed division|error"):
        refused(tmp_path, monkeypatch, compiler, target)


@pytest.mark.parametrize(("compiler", "target"), PLACES)
def test_too_much_stack_is_refused(compiler: str, target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    most = TARGETS[target].stack_bytes
    large = "volatile sbd_u8 room[{0}];\n\troom[x[0] & 3] = 1;\n\treturn room[x[1] & 3] ? SBD_SHARED : SBD_NOT_SHARED;"
    write_header(tmp_path, PART["rtt_ed_4us"].replace("return SBD_SHARED;", f"{{ {large.format(most - 300)} }}"))
    refused(tmp_path, monkeypatch, compiler, target)
    write_header(tmp_path, PART["rtt_ed_4us"].replace("return SBD_SHARED;", f"{{ {large.format(most + 200)} }}"))
    with pytest.raises((VerifyError, CompileError), match=f"the limit is {most}|stack"):
        refused(tmp_path, monkeypatch, compiler, target)


@pytest.mark.parametrize(("compiler", "target"), PLACES)
def test_a_warning_is_an_error(compiler: str, target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_header(tmp_path, PART["rtt_ed_4us"].replace("return SBD_SHARED;", "int left_over; return SBD_SHARED;"))
    with pytest.raises(CompileError, match="left_over"):
        refused(tmp_path, monkeypatch, compiler, target)


def test_a_compiler_that_is_needed_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("gcc", "clang"):
        (tmp_path / name).touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert [one.name for one in compilers.installed(all_of_them=True)] == ["gcc", "clang"]
    (tmp_path / "clang").unlink()
    assert [one.name for one in compilers.installed()] == ["gcc"]
    with pytest.raises(CompileError, match="clang is not installed"):
        compilers.installed(all_of_them=True)
    (tmp_path / "gcc").unlink()
    with pytest.raises(CompileError, match="gcc is not installed"):
        compilers.installed()
