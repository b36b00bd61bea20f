"""The page of a run: in the paper's order, beside its numbers, of one file, and all there where much is left out."""

from __future__ import annotations

import base64
import json
import re
import shutil
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path

import pandas as pd
import pytest
import yaml

from smartsbd.models.automl import engine_of
from smartsbd.models.automl.environment import remedy
from smartsbd.pipelines.__main__ import main
from smartsbd.pipelines.params import Params, overlaid, read_params
from smartsbd.pipelines.reporting import published as paper
from smartsbd.pipelines.reporting.findings import findings
from smartsbd.pipelines.reporting.page import LONG, Page, text
from smartsbd.pipelines.reporting.published import TABLE3_NATS
from smartsbd.pipelines.reporting.run_page import SECTIONS, TABLES, render
from smartsbd.pipelines.reporting.tables.cell import Results

ROOT = Path(__file__).parents[2]
HEADERS = ROOT / "export/generated"
#: A row of each table by what stands in its cells, in the order of its columns.
Table = list[dict[str, str]]


@dataclass
class Read(HTMLParser):
    """What a page holds."""

    sections: list[str] = field(default_factory=list)
    ids: set[str] = field(default_factory=set)
    #: By the name of the attribute.
    references: dict[str, list[str]] = field(default_factory=lambda: {"src": [], "href": []})
    alts: list[str] = field(default_factory=list)
    tags: set[str] = field(default_factory=set)
    scopes: set[str | None] = field(default_factory=set)
    #: By the caption.
    tables: dict[str, Table] = field(default_factory=dict)
    _caption: str = ""
    _lines: list[list[str]] = field(default_factory=list)
    _into: str = ""

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.tags.add(tag)
        self.ids |= {name for name in [found.get("id")] if name}
        if tag == "section" and found.get("id"):
            self.sections.append(str(found["id"]))
        for name in self.references.keys() & found.keys():
            self.references[name].append(str(found[name]))
        if tag == "img":
            self.alts.append(str(found.get("alt")))
        if tag in ("figcaption", "summary"):
            self._caption, self._into = "", "caption"
        if tag == "table":
            self._lines = []
        if tag == "tr":
            self._lines.append([])
        if tag in ("td", "th"):
            self._lines[-1].append("")
            self._into = "cell"
        if tag == "th":
            self.scopes.add(found.get("scope"))

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th", "figcaption", "summary"):
            self._into = ""
        if tag == "table":
            head, *lines = self._lines
            self.tables[self._caption] = [dict(zip(head, line, strict=True)) for line in lines]

    def handle_data(self, data: str) -> None:
        if self._into == "caption":
            self._caption += data
        if self._into == "cell":
            self._lines[-1][-1] += data

    def table(self, name: str) -> Table:
        """The one whose caption says this."""
        (found,) = [table for caption, table in self.tables.items() if name in caption]
        return found


def read(page: str) -> Read:
    found = Read()
    found.feed(page)
    return found


def rendered(reports: Path, automl: Path, params: Params | None = None) -> str:
    results = Results(reports, params or read_params(ROOT / "params.yaml"))
    return render(results, (ROOT / "params.yaml").read_text(), HEADERS, automl)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The page of the reports in git; what AutoML found is not among them."""
    return rendered(ROOT / "reports", tmp_path_factory.mktemp("automl"))


@pytest.fixture
def reports(tmp_path: Path) -> Path:
    return Path(shutil.copytree(ROOT / "reports", tmp_path / "reports"))


def test_every_section_stands_in_its_order_and_the_contents_lead_there(page: str) -> None:
    found = read(page)
    assert found.sections == list(SECTIONS)
    assert found.references["href"][: len(SECTIONS)] == [f"#{name}" for name in SECTIONS]
    assert {target.removeprefix("#") for target in found.references["href"]} <= found.ids


def test_accuracy_beside_the_paper_comes_first_and_box_plots_are_folded(page: str) -> None:
    assert "Table 1 (paper: Table 5)" in page
    unfolded = re.sub(r'<details class="plots">.*?</details>', "", page, flags=re.DOTALL)
    assert page.count('alt="RTT samples in ') == 10
    for words in ("RTT samples in ", "throughput over", "distribution of"):
        assert f'alt="{words}' not in unfolded


def test_the_page_is_one_file(page: str) -> None:
    found = read(page)
    assert found.references["src"]
    assert all(source.startswith("data:image/png;base64,") for source in found.references["src"])
    assert all(target.startswith("#") for target in found.references["href"])
    assert not found.tags & {"script", "link", "iframe", "object", "embed", "base"}
    (style,) = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    assert "@import" not in style
    assert "url(" not in style


def test_what_a_reader_without_eyes_needs(page: str) -> None:
    found = read(page)
    assert '<html lang="en">' in page
    assert found.scopes == {"col", "row"}
    assert all(len(alt) > len("figure") for alt in found.alts)


def test_every_table_is_asked_for_by_a_section() -> None:
    templates = (ROOT / "pipelines/reporting/templates").rglob("*.j2")
    asked = {name for one in templates for name in re.findall(r"\brows\.(\w+)", one.read_text())}
    # Of the paper's Table 5 a part is of AutoML, which is no report.
    assert {rows_of.__name__ for rows_of in TABLES} | {"table5"} == asked


def test_every_figure_of_the_run_is_on_it_once(page: str) -> None:
    shown = [source.partition(",")[2] for source in read(page).references["src"]]
    paths = sorted((ROOT / "reports/figures").rglob("*.png"))
    stored = [base64.b64encode(path.read_bytes()).decode() for path in paths]
    assert len(stored) > 20
    assert sorted(shown) == sorted(stored)


@pytest.mark.slow
def test_a_figure_of_no_section_stands_at_the_end(reports: Path, tmp_path: Path) -> None:
    shutil.copy(reports / "figures/unseen.png", reports / "figures/something_new.png")
    found = read(rendered(reports, tmp_path))
    assert found.sections == [*SECTIONS, "figures"]
    assert found.alts[-1] == "something new"


def test_table_3_stands_beside_ours(page: str) -> None:
    rows = read(page).table("(paper: Table 3). Mutual information of the features")
    named = {row["Table 3"]: row["paper: nats (rank)"] for row in rows if row["Table 3"]}
    ranked = sorted(TABLE3_NATS, key=lambda name: -TABLE3_NATS[name])
    assert named == {name: f"{TABLE3_NATS[name]:.3f} ({ranked.index(name) + 1})" for name in TABLE3_NATS}
    ours = pd.read_csv(ROOT / "reports/relevance/sites.csv").set_index("feature")["mutual_information_nats"]
    assert all(row["sites: nats (rank of 18)"].startswith(f"{ours[row['feature']]:.3f}") for row in rows)


def test_table_4_stands_beside_the_nine_features_of_its_counterpart(page: str) -> None:
    rows = read(page).table("Settings chosen")
    beside = {row["model"]: row["paper: best mean accuracy"] for row in rows if row["paper: best mean accuracy"]}
    assert beside == {name: model.accuracy for name, model in paper.TABLE4.items()}
    assert {(row["trained on"], row["features"]) for row in rows if row["paper: setting"]} == {("sites", "paper")}


def test_table_5_stands_beside_ours(page: str) -> None:
    rows = read(page).table("(paper: Table 5).")
    found = {
        (row["site"], row["paper: scheme"]): (row["paper: both"], row["paper: shared, not"])
        for row in rows
        if row["dataset"] == "sites"
    }
    assert found == {
        (site, f"SmartSBD ({scheme})" if paper.SCHEMES[scheme][1] == "paper" else scheme): (
            f"{one.both:.3f}",
            f"{one.shared:.3f}, {one.not_shared:.3f}",
        )
        for site, schemes in paper.TABLE5.items()
        for scheme, one in schemes.items()
    }
    assert not any(row["paper: both"] for row in rows if row["dataset"] != "sites")
    ours = {row["detector"]: row["both"] for row in rows if (row["dataset"], row["site"]) == ("sites", "frankfurt")}
    judged, timed = (pd.read_csv(ROOT / f"reports/baselines/sites/{form}.csv") for form in ("all", "time"))
    tree = judged.query("detector == 'tree' and parameters == 'paper' and site == 'frankfurt'")
    dwc = timed.query("detector == 'dwc-r' and parameters == 'default' and site == 'frankfurt'")
    assert ours["tree, paper"] == f"{tree['balanced'].item():.3f}"
    assert ours["dwc-r, default"] == f"{dwc.loc[dwc['on'] == 'all connections', 'balanced'].item():.3f}"
    # AutoML's part of the run is not there.
    assert not ours["auto-sklearn, paper"]


def test_tables_2_6_and_7_stand_beside_ours(page: str) -> None:
    found = read(page)
    sites = {row["site"]: row for row in found.table("Settings of the sites") if row["dataset"] == "sites"}
    assert list(sites) == list(paper.TABLE2)
    assert all(row["paper: run, s"] == row["run, s"] for row in sites.values())
    assert sites["frankfurt"]["valid shared / not"] == "44 / 47"
    first, *models = found.table("Accuracy per case and model")
    assert first["model"] == "SmartSBD (the paper's)"
    assert first["mean (95 % over cases)"].startswith("0.858 ")
    assert len(models) == pd.read_csv(ROOT / "reports/unseen.csv").groupby(["model", "feature_set"]).ngroups
    cases = {row["paper: case"]: row["label by the links"] for row in found.table("Path parameters")}
    assert cases["NSB1"] == "shared" and cases["SB5"] == "not shared"
    cost = {row["what"]: row["paper: time, mean / largest"] for row in found.table("(paper: Table 7).")}
    assert cost["computing the features"] == "2.23 / 4.41 ms"
    assert cost["sbd_tree_paper"] == "4.47 / 6.26 ms"


@pytest.mark.parametrize("site", paper.TABLE5)
def test_table_5_agrees_with_itself(site: str) -> None:
    for scheme, one in paper.TABLE5[site].items():
        assert one.both == pytest.approx((one.shared + one.not_shared) / 2, abs=0.0011)
        over = [paper.TABLE5[name][scheme] for name in paper.TABLE2]
        for place in range(3):
            assert paper.TABLE5["all"][scheme][place] == pytest.approx(sum(row[place] for row in over) / 4, abs=0.0011)


@pytest.mark.slow
def test_refused_records_are_shown_by_reason(reports: Path, tmp_path: Path) -> None:
    path = reports / "parse/kernel.json"
    parsed = json.loads(path.read_text())
    path.write_text(
        json.dumps(parsed | {"records_quarantined": 7, "quarantined_by_reason": {"not a number": 4, "no <time>": 3}})
    )
    content = rendered(reports, tmp_path)
    rows = {row["dataset"]: row for row in read(content).table("Records and inputs refused")}
    assert rows["kernel"]["records refused"] == "7"
    assert rows["kernel"]["share refused"] == f"{100 * 7 / parsed['records_in']:.3f} %"
    assert rows["kernel"]["why"] == "not a number: 4; no <time>: 3"
    assert rows["sites"]["records refused"] == "0"
    assert "<b>Refused records:</b> 7 of all records" in content
    assert "no <time>" not in content
    head = {row["dataset"]: row["records refused"] for row in read(content).table("Datasets of this run")}
    assert head["kernel"] == "7"


def test_windows_not_made_are_shown_by_reason(page: str) -> None:
    rows = read(page).table("Windows that were not made")
    extracted = json.loads((ROOT / "reports/extract/groups.json").read_text())
    counts = {f"{row['of']}: {row['reason']}": row["count"] for row in rows if row["dataset"] == "groups"}
    assert extracted["rejected_by_reason"].items() <= {name: int(count) for name, count in counts.items()}.items()


def test_main_results_are_computed(reports: Path) -> None:
    results = Results(reports, read_params(ROOT / "params.yaml"))
    path = reports / "accuracy.csv"
    table = pd.read_csv(path)
    wanted = (table["test_set"] == "kernel/tiled") & (table["model"] == "tree") & (table["feature_set"] == "paper")
    table.loc[wanted, "balanced"] = 0.114
    table.to_csv(path, index=False)
    (kernel,) = [one for one in findings(results) if one.startswith("On `kernel`")]
    assert "0.11 to " in kernel
    detector = reports / "detector.json"
    detector.write_text(json.dumps({"model": "sites/novel", "chosen_on": None}))
    assert "is `sites/novel`: it is the best on what was tested on. `sbd detect` judges" in findings(results)[-1]


#: Words in the names of what the profile `quick` has not.
LEFT_OUT = {"diverse", "unseen", "shift", "sensitivity", "captures", "wide", "hard"}


@pytest.mark.slow
def test_a_profile_that_leaves_much_out_has_a_page(reports: Path, tmp_path: Path) -> None:
    whole = yaml.safe_load(overlaid(ROOT / "params.yaml", ROOT / "params/quick.yaml"))
    quick = tmp_path / "params.yaml"
    quick.write_text(yaml.safe_dump(whole))
    params = read_params(quick)
    for path in sorted(reports.rglob("*")):
        words = set(re.split(r"[_.]", path.stem))
        left_out = words & LEFT_OUT
        of_a_dataset = path.parent.name in {"rtt", "rate"}
        if left_out and path.exists() and (of_a_dataset or path.stem not in ("unseen", "unseen_cases")):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    content = rendered(reports, tmp_path, params)
    found = read(content)
    assert found.sections == list(SECTIONS)
    missing = re.findall(r'<p class="missing">Not in this run: (.*?)\.</p>', content)
    assert "how long after a change detectors are right" in missing
    assert "balanced accuracy by factor and level" in missing
    assert [row["dataset"] for row in found.table("Datasets of this run")] == params.datasets
    assert params.datasets == ["sites", "groups", "kernel"]
    assert {row["trained on"] for row in found.table("Settings chosen")} == {"sites"}
    assert "SmartSBD (the paper's)" not in content


@pytest.mark.slow
def test_what_automl_found_stands_on_the_page_of_the_stage(searched: Path, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    arguments = [f"--reports={ROOT / 'reports'}", f"--headers={HEADERS}", f"--automl={searched / 'data/automl'}"]
    assert main(["report", f"--params={ROOT / 'params.yaml'}", *arguments, f"--page={page}"]) == 0
    found = read(page.read_text())
    rows = found.table("Engines, families and students on sites")
    accuracy = {(row["model, whose labels"], row["features"]): row["accuracy"] for row in rows}
    table = pd.read_csv(searched / "data/automl/sites/accuracy.csv")
    flaml = table.query("model == 'flaml' and site == 'all' and test_set == 'sites/tiled'")
    assert accuracy["flaml", "invariant"].startswith(f"{flaml['overall'].item():.3f} (")
    (note,) = [row["made of; limits that acted"] for row in rows if row["model, whose labels"] == "auto-sklearn"]
    assert remedy(engine_of("auto-sklearn")).replace("`", "") in note
    (every,) = [rows for caption, rows in found.tables.items() if "every kind of window, with sites, sites" in caption]
    assert len(every) == len(table)


def test_without_automl_the_page_says_what_to_run(page: str) -> None:
    assert "Nothing was found on sites: run <code>sbd automl --dataset sites</code>." in page


def test_long_tables_are_folded_and_what_print_leaves_out_is_named(page: str, tmp_path: Path) -> None:
    made = Page(tmp_path)
    rows = [{"feature": "`a<b`", "both": "0.5 (0.4 to 0.6)"}] * (LONG + 1)
    assert made.table(rows[1:], "short").startswith('<figure class="table">')
    folded = made.table(rows, "long", "Table 9")
    assert folded.startswith('<details class="table"><summary id="table-2"><b>Table 2 (paper: Table 9).</b> Long.')
    assert "<code>a&lt;b</code>" in folded
    assert made.table(rows, "long", unfolded=True).startswith('<details class="table" open>')
    assert made.table([], "none") == '<p class="missing">Not in this run: none.</p>'
    assert made.figure("none", "none") == '<p class="missing">Not in this run: none.</p>'
    notes = re.findall(r'<p class="printed">Left out in print: (.*?)</p>', page)
    assert len(notes) == page.count('<details class="whole">') + 1
    rows_of_accuracy = len(pd.read_csv(ROOT / "reports/accuracy.csv"))
    assert f"every row of accuracy, with sites, {rows_of_accuracy} rows of reports/accuracy.csv." in notes


def test_text_is_escaped_between_what_is_marked() -> None:
    assert text("x < `a&b` (0.1 to 0.2)") == ('x &lt; <code>a&amp;b</code> <span class="interval">(0.1 to 0.2)</span>')
    assert text("`") == "`"
