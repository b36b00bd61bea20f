"""What the README and the page show of the reports."""

from __future__ import annotations

from pathlib import Path

from studies.twins import section

STUDY = Path(__file__).parents[1]
REPORTS = STUDY / "reports"


def test_the_readme_has_the_signals_of_the_reports() -> None:
    text = (STUDY / "README.md").read_text()
    rows = section.twin_signals(REPORTS)
    assert len(rows) == 6
    for row in rows:
        assert f"| {' | '.join(str(cell) for cell in row.values())} |" in text


def test_every_detector_is_shown_except_those_for_time() -> None:
    rows = section.twins(REPORTS)
    assert "lag-excess, default" in {row["detector"] for row in rows}
    assert {row["dataset"] for row in rows} == {"testbed"}
    assert not any(row["detector"].endswith(" for time") for row in rows)
    assert section.figures(REPORTS) == [{"dataset": "testbed"}]


def test_without_reports_there_are_no_rows(tmp_path: Path) -> None:
    assert section.twins(tmp_path) == section.twin_signals(tmp_path) == section.figures(tmp_path) == []
