"""Headers: the model's text as it stands, the pieces it needs and no others, and one set of names for all."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from smartsbd.export import compilers, emit_c
from smartsbd.export.compilers import CompileError, Compiler
from smartsbd.export.fragment import FRAGMENTS, RBF, VOTES, fragments_of
from smartsbd.export.layout import LAYOUTS, Layout
from smartsbd.export.tree import NOT_SHARED, SHARED, Branch, ExportError, Forest, Leaf, from_fitted
from smartsbd.export.verify import row_values
from smartsbd.features.catalog import FEATURES
from tests.export import made

TREE = Forest(
    (Branch("rtt_sd_ratio_q10", 1000, Branch("rtt_correlation_q10", -7, NOT_SHARED, SHARED), NOT_SHARED),),
)
FOREST = Forest(
    (Branch("rtt_ed_4us", -1, Leaf(5), Leaf(7)), Branch("min_rtt_ratio_q10", 7, NOT_SHARED, SHARED), Leaf(9))
)

BANNER = """\
/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Generated from model 0123456789abcdef, trained on made
 *
 * 1 tree, 2 splits, 3 leaves, depth 2; nested.
 * Integers only; no state, no allocation.
 *
 * Do not edit: change the model, export/templates/model.h.j2 or export/fragments/.
 */
#ifndef SBD_FIRST_H
#define SBD_FIRST_H

#include "smartsbd.h"

#ifndef SBD_HAS_ABOVE
"""
NESTED = """\
/* Bits of the features it takes. */
enum {
	sbd_first_wanted =
		SBD_BIT(SBD_RTT_SD_RATIO_Q10) |
		SBD_BIT(SBD_RTT_CORRELATION_Q10)
};

/**
 * sbd_first() - decide by the features of a window
 * @x: the features, indexed by &enum sbd_feature; those it does not take may be any numbers
 *
 * Return: %SBD_SHARED or %SBD_NOT_SHARED.
 */
static inline enum sbd_verdict sbd_first(const sbd_s32 x[SBD_FEATURES])
{
	if (x[SBD_RTT_SD_RATIO_Q10] <= 1000) {
		if (x[SBD_RTT_CORRELATION_Q10] <= -7)
			return SBD_NOT_SHARED;
		return SBD_SHARED;
	}
	return SBD_NOT_SHARED;
}

/* Compute the features it takes, and nothing else. */
static inline void sbd_first_features(const struct sbd_window *window,
	struct sbd_scratch *scratch)
{
	const sbd_u32 wanted = sbd_first_wanted;

	sbd_above(window, scratch);
	sbd_queue(window, scratch);
	sbd_sd_ratio(window, wanted, scratch);
	sbd_correlation(window, wanted, scratch);
}

/**
 * sbd_first_judge() - for sbd_decide(), without a model of a file
 * @window: a complete window
 * @model: not used
 * @scratch: memory to compute in; holds the features afterwards
 */
static inline enum sbd_verdict sbd_first_judge(const struct sbd_window *window,
	const void *model, struct sbd_scratch *scratch)
{
	(void)model;
	sbd_first_features(window, scratch);
	return sbd_first(scratch->x);
}

#endif /* SBD_FIRST_H */
"""
TABLES = """\
SBD_TABLE(sbd_u64, sbd_second_node) = {
	0x3fffffff00000300, 0x4000000700000508, 0x8000000900000200, 0x8000000500000300,
	0x8000000700000400, 0x8000000000000500, 0x8100000000000600,
};

/* Where each tree begins. */
SBD_TABLE(sbd_u32, sbd_second_root) = {
	0, 1, 2,
};
"""


def piece_names(text: str) -> list[str]:
    return [name.lower() for name in re.findall(r"#define SBD_HAS_(\w+)", text)]


def enum_of(text: str, name: str) -> list[str]:
    (body,) = re.findall(rf"^enum {name} \{{\n(.*?)^\}};", text, re.MULTILINE | re.DOTALL)
    return re.findall(r"\w+", body)


def test_the_text_of_a_nested_tree() -> None:
    text = emit_c.render_model(TREE, made.header("sbd_first"))
    assert text.startswith(BANNER)
    assert text[text.index("/* Bits of") :] == NESTED
    assert text.isascii() and not re.search(r"[ \t]$", text, re.MULTILINE)


def test_the_tables_of_a_packed_forest() -> None:
    text = emit_c.render_model(FOREST, made.header("sbd_second", "packed"))
    assert TABLES in text
    assert "3 trees, 2 splits, 5 leaves, depth 1; packed." in text
    tables = "(const sbd_u64 *)sbd_second_node, (const sbd_u32 *)sbd_second_root"
    assert f"sbd_u64 votes = sbd_votes({tables},\n\t\t\t\t  3, 1, x);" in text
    assert "return votes > 3 * 8388608ULL ? SBD_SHARED : SBD_NOT_SHARED;" in text


def test_a_packed_tree_that_stands_alone_has_no_table_of_roots() -> None:
    text = emit_c.render_model(TREE, made.header("sbd_first", "packed"))
    assert "sbd_first_root" not in text
    assert "\treturn sbd_vote((const sbd_u64 *)sbd_first_node, 0, 2, x) ? SBD_SHARED : SBD_NOT_SHARED;\n" in text


def test_a_nested_forest_adds_its_trees_votes() -> None:
    text = emit_c.render_model(FOREST, made.header("sbd_second"))
    function = "static inline sbd_u32 sbd_second_tree0(const sbd_s32 x[SBD_FEATURES])"
    assert f"{function}\n{{\n\tif (x[SBD_RTT_ED_4US] <= -1)\n" in text
    assert text.count("\tvotes += sbd_second_tree") == 3
    assert "return 16777216;" in text


@pytest.mark.parametrize("feature", [one.name for one in emit_c.EXPORTABLE])
def test_a_header_has_the_pieces_it_needs_and_no_others(feature: str) -> None:
    nested = emit_c.render_model(Forest((Branch(feature, 3, NOT_SHARED, SHARED),)), made.header("sbd_first"))
    needed = [one.name for one in fragments_of([feature])]
    assert piece_names(nested) == needed
    # Without one of them it would not do.
    own = next(one for one in FRAGMENTS if feature in one.features)
    assert needed == [one.name for one in FRAGMENTS if one == own or one.name in own.needs]
    packed = emit_c.render_model(Forest((Branch(feature, 3, NOT_SHARED, SHARED),)), made.header("sbd_first", "packed"))
    assert piece_names(packed) == [*needed, VOTES.name]


@pytest.mark.parametrize("feature", [one.name for one in emit_c.EXPORTABLE])
def test_each_feature_alone_compiles(feature: str, headers: Path, gcc: Compiler, tmp_path: Path) -> None:
    text = emit_c.render_model(Forest((Branch(feature, 3, NOT_SHARED, SHARED),)), made.header("sbd_first"))
    (tmp_path / "sbd_first.h").write_text(text)
    source = tmp_path / "alone.c"
    source.write_text(
        '#include "sbd_first.h"\nsbd_judge *judge(void);\nsbd_judge *judge(void) { return sbd_first_judge; }\n'
    )
    compilers.compiled(gcc, source, tmp_path / "alone.o", ["-c", "-I", str(headers), "-I", str(tmp_path)])


def test_every_exportable_feature_has_one_piece() -> None:
    computed = [name for one in FRAGMENTS for name in one.features]
    assert sorted(computed) == sorted(one.name for one in FEATURES if one.exportable)
    with pytest.raises(ExportError, match="rate_ed: no fragment computes it"):
        fragments_of(["rtt_ed_4us", "rate_ed"])


def test_pieces_come_after_what_they_need_and_no_file_is_left_over() -> None:
    names = [one.name for one in FRAGMENTS]
    for place, one in enumerate(FRAGMENTS):
        assert set(one.needs) <= set(names[:place])
        assert one.features or any(one.name in other.needs for other in FRAGMENTS)
    folder = Path(emit_c.__file__).parent / "fragments"
    assert {path.stem for path in folder.iterdir()} == {*names, VOTES.name, RBF.name}


def test_the_enum_is_the_catalogue() -> None:
    text = emit_c.render_runtime()
    features = [one for one in FEATURES if one.exportable]
    assert enum_of(text, "sbd_feature") == [*(f"SBD_{one.name.upper()}" for one in features), "SBD_FEATURES"]
    for one in features:
        assert f" * @SBD_{one.name.upper()}: {one.meaning}\n" in text
    names = re.findall(r'^\t"(\w+)",$', emit_c.render_loaded(), re.MULTILINE)
    assert names == [one.name for one in features]
    # A bit for each in a word, and a number for each in a node.
    assert len(features) <= 32


@pytest.mark.parametrize("text", [emit_c.render_runtime(), emit_c.render_loaded()], ids=["smartsbd", "sbd_loaded"])
def test_headers_hold_no_floats_and_no_calls_outside(text: str) -> None:
    code = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    assert not re.search(r"\b(float|double|malloc|free|memcpy|memset|printf)\b", code)
    assert re.findall(r'#include ["<](.*)[">]', code) in (
        ["linux/compiler.h", "linux/math64.h", "linux/types.h", "stdint.h"],
        ["smartsbd.h"],
    )


def two_built(compiler: str, headers: Path, folder: Path) -> Path:
    """Compile the two models of a folder into one program."""
    chosen = next(one for one in compilers.installed() if one.name == compiler)
    program, source = folder / "two", Path(__file__).with_name("two_models.c")
    compilers.compiled(chosen, source, program, ["-I", str(headers), "-I", str(folder), *made.SANITIZERS])
    return program


def two_say(program: Path, x: npt.NDArray[np.int64]) -> list[list[bool]]:
    """Return what the two models of a program say of rows."""
    done = subprocess.run(
        [program], input=row_values(made.frame(x)).astype("<i4").tobytes(), capture_output=True, check=True
    )
    return [[bool(one) for one in row] for row in np.frombuffer(done.stdout, dtype=np.uint8).reshape(-1, 2).tolist()]


@pytest.mark.parametrize("compiler", made.COMPILERS)
def test_two_headers_in_one_file(compiler: str, headers: Path, tmp_path: Path) -> None:
    models = (from_fitted(made.tree(1, depth=6)), from_fitted(made.forest(2, depth=5)))
    layouts: tuple[Layout, Layout] = ("nested", "packed")
    for name, forest, layout in zip(("sbd_first", "sbd_second"), models, layouts, strict=True):
        (tmp_path / f"{name}.h").write_text(emit_c.render_model(forest, made.header(name, layout)))
    x = made.rows_of(7, 500)
    said = two_say(two_built(compiler, headers, tmp_path), x)
    expected = [
        [made.shared(forest, dict(zip(made.NAMES, row, strict=True))) for forest in models] for row in x.tolist()
    ]
    assert said == expected
    assert len({tuple(row) for row in expected}) == 4


@pytest.mark.parametrize("trees", [1, 2, 10, 13])
def test_features_that_are_not_taken_may_be_any_numbers(trees: int, headers: Path, tmp_path: Path) -> None:
    names = made.NAMES[2:-1]
    forest = from_fitted(made.forest(5, depth=4, names=names, trees=trees))
    for name, layout in zip(("sbd_first", "sbd_second"), LAYOUTS, strict=True):
        (tmp_path / f"{name}.h").write_text(emit_c.render_model(forest, made.header(name, layout)))
    x = made.rows_of(9, 400)
    expected = [[made.shared(forest, dict(zip(made.NAMES, row, strict=True)))] * 2 for row in x.tolist()]
    others = [place for place, name in enumerate(made.NAMES) if name not in forest.features()]
    assert {0, 1, len(made.NAMES) - 1} <= set(others)
    program = two_built("gcc", headers, tmp_path)
    for value in (2**31 - 1, 2**30, -(2**30) - 1, -(2**31)):
        x[:, others] = value
        assert two_say(program, x) == expected


def test_without_acknowledged_bytes_a_model_of_rates_does_not_compile(
    headers: Path, gcc: Compiler, tmp_path: Path
) -> None:
    source = tmp_path / "model.c"
    source.write_text('#define SBD_WITH_ACKED 0\n#include "sbd_first.h"\nint main(void) { return !sbd_first_judge; }\n')
    folders = ["-Wno-address", "-I", str(headers), "-I", str(tmp_path)]
    for feature in ("rate_correlation_q10", "rtt_ed_4us"):
        text = emit_c.render_model(Forest((Branch(feature, 3, NOT_SHARED, SHARED),)), made.header("sbd_first"))
        (tmp_path / "sbd_first.h").write_text(text)
        if feature == "rtt_ed_4us":
            compilers.compiled(gcc, source, tmp_path / "model", folders)
        else:
            with pytest.raises(CompileError, match="SBD_WITH_ACKED must be 1"):
                compilers.compiled(gcc, source, tmp_path / "model", folders)
