"""How the exported C is written for the verifier of BPF: a few macros, which mean nothing elsewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from smartsbd.detectors import lag_excess
from smartsbd.export import common_lag_judgements, emit_c

ROOT = Path(__file__).parents[2]
SHIM = (ROOT / "kernel/src/verifiable.h").read_text()
RUNTIME = emit_c.render_runtime()
LAG_EXCESS = lag_excess.SOURCE.read_text()
COMMON_LAG = common_lag_judgements.HEADER.read_text()
LOADED = emit_c.render_loaded()
_BLOCK = re.compile(r"#ifndef SBD_BPF\n(.*?)#endif\n", re.DOTALL)
_MACRO = re.compile(r"^#define (SBD_\w+)(.*)$", re.MULTILINE)


def macros(text: str) -> dict[str, str]:
    """What a header defines where SBD_BPF is not defined."""
    (block,) = _BLOCK.findall(text)
    return dict(_MACRO.findall(block))


def test_elsewhere_the_macros_are_plain_c() -> None:
    assert macros(RUNTIME) == {
        "SBD_ALONE": "\tstatic inline",
        "SBD_ARENA": "",
        "SBD_REACHED": "(pointer)\t(pointer)",
        "SBD_ZERO": "\t0",
        "SBD_WHILE": "(condition)\t(condition)",
        "SBD_BELOW": "(k, points)\t((k) < SBD_POINTS && (k) < (points))",
        "SBD_TABLE": "(type, name)\tstatic const type name[]",
    }
    # One file may include both.
    assert macros(LAG_EXCESS).items() <= macros(RUNTIME).items()
    assert macros(COMMON_LAG).items() <= macros(RUNTIME).items()


@pytest.mark.parametrize(
    "text", [RUNTIME, LAG_EXCESS, COMMON_LAG], ids=["smartsbd", "sbd_lag_excess", "sbd_common_lag"]
)
def test_a_bpf_program_defines_each_of_them(text: str) -> None:
    defined = set(re.findall(r"^#define (SBD_\w+)", SHIM, re.MULTILINE))
    assert macros(text).keys() <= defined
    assert "SBD_BPF" in defined


def test_each_is_explained_where_the_runtime_has_it() -> None:
    for name in macros(RUNTIME):
        assert re.search(rf"^ \* {name}\b.*\t", RUNTIME, re.MULTILINE), name


def test_loops_over_points_leave_their_bound_to_the_macro() -> None:
    for text in (RUNTIME, LOADED):
        code = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
        loops = re.findall(r"\bfor \([^;]*;[^;]*;[^;]*\)", code)
        over_points = [loop for loop in loops if re.search(r"\bpoints\b", loop)]
        assert over_points
        assert [loop for loop in over_points if not re.search(r"SBD_(BELOW|WHILE)\(", loop)] == []
        assert code.count("< SBD_POINTS") == macros(RUNTIME)["SBD_BELOW"].count("< SBD_POINTS") * (text is RUNTIME)
