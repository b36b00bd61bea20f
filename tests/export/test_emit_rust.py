"""Trees in Rust are those of the headers."""

from __future__ import annotations

from pathlib import Path

import pytest

from smartsbd.export import emit_rust
from smartsbd.export.emit_c import render_model
from smartsbd.export.tree import NOT_SHARED, SHARED, Branch, ExportError


def header_text(name: str) -> str:
    return (emit_rust.HEADERS / f"{name}.h").read_text()


def test_the_file_in_git_is_of_the_headers_in_git() -> None:
    assert emit_rust.main(["--check"]) == 0


@pytest.mark.parametrize("name", emit_rust.TREES)
def test_what_is_read_of_a_header_is_all_that_it_was_written_from(name: str) -> None:
    assert render_model(*emit_rust.read_header(header_text(name), name)) == header_text(name)


def test_a_file_that_differs_is_written_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    written = tmp_path / "trees.rs"
    written.write_text(emit_rust.render().replace("358", "359"))
    monkeypatch.setattr(emit_rust, "WRITTEN", written)
    assert emit_rust.main(["--check"]) == 1
    assert "differs from the headers" in capsys.readouterr().err
    assert emit_rust.main([]) == 0
    assert written.read_text() == emit_rust.render()


def test_a_lower_side_follows_its_split_and_the_higher_side_has_its_number() -> None:
    low = Branch("queue_ed_4us", -3, SHARED, NOT_SHARED)
    assert emit_rust.nodes_of(Branch("rtt_ed_4us", 7, low, SHARED)) == [
        "Node::Split(Feature::RttEd4us, 7, 4)",
        "Node::Split(Feature::QueueEd4us, -3, 3)",
        "Node::Leaf(Verdict::Shared)",
        "Node::Leaf(Verdict::Apart)",
        "Node::Leaf(Verdict::Shared)",
    ]


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        ("enum sbd_verdict sbd_tree_paper(", "enum sbd_verdict sbd_tree(", "no header of a tree"),
        ("return SBD_SHARED;", "return 2;", "no statement of a nested tree"),
        ("x[SBD_RTT_ED_4US]", "x[SBD_RTT_ED_5US]", "no statement of a nested tree"),
        ("\t}\n", "", "is not closed"),
        ("\treturn SBD_NOT_SHARED;\n}", "}", "breaks off|no statement"),
    ],
)
def test_a_header_of_anything_else_is_refused(before: str, after: str, why: str) -> None:
    text = header_text("sbd_tree_paper")
    assert before in text
    with pytest.raises(ExportError, match=why):
        emit_rust.read_header(text.replace(before, after), "sbd_tree_paper")
