"""What a reader sees of a small real store in MLflow's page, in chromium; all of it stays on the machine."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from smartsbd.models.stored import store
from smartsbd.pipelines.__main__ import main
from smartsbd.pipelines.reporting.report_files import read_json
from tests.browser.served import (
    CHROMIUM,
    LOOPBACK,
    Browser,
    Server,
    browsing,
    compare,
    open_figure,
    open_runs,
    serving,
)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="chromium is not on the path"),
]

RUN, OTHER = "sites tree paper", "sites tree invariant"


def retrain(project: Path) -> None:
    """Change the parameters as a reader would, and run what depends on them."""
    path = project / "params.yaml"
    params = yaml.safe_load(path.read_text())
    params["search"]["families"]["tree"]["max_depth"] = [1]
    path.write_text(yaml.safe_dump(params))
    for stage in (["search", "--dataset", "sites"], ["evaluate"], ["export"], ["track"]):
        assert main(stage) == 0


@pytest.fixture(scope="module")
def tracked(searched: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    project = tmp_path_factory.mktemp("seen") / "project"
    shutil.copytree(searched, project)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(project)
        assert main(["track"]) == 0
        yield project


@pytest.fixture(scope="module")
def server(tracked: Path) -> Iterator[Server]:
    with serving(tracked) as one:
        yield one


@pytest.fixture
def browser(server: Server) -> Iterator[Browser]:
    with browsing() as one:
        yield one
        assert len(one.asked) > 5
        assert one.hosts() == {LOOPBACK}


def test_the_printed_address_lists_the_models_with_their_accuracy(
    server: Server, browser: Browser, tracked: Path
) -> None:
    page = browser.page
    open_runs(page, server, RUN)
    listed = page.get_by_role("link", name=re.compile("^(sites|diverse) ")).all_inner_texts()
    assert {RUN, OTHER, "diverse boosting paper"} <= set(listed)
    assert not [name for name in listed if "flaml" in name]
    assert page.get_by_role("link", name=re.compile("^top ")).count() == 0
    headings = page.get_by_role("columnheader").all_inner_texts()
    assert {"nested/overall", "nested/overall_low", "nested/overall_high", "header"} <= {
        text.strip() for text in headings
    }
    accuracy = read_json(tracked / "reports/chosen/sites.json")["tree_paper"]["nested_accuracy"]
    row = page.get_by_role("row").filter(has_text="sbd_tree_paper")
    assert f"{accuracy:.6g}" in " ".join(row.all_inner_texts())
    assert "A run is a dataset, a family of models and a set of features" in page.inner_text("body")


@pytest.mark.parametrize(("view", "shown"), [("automl", "sites flaml invariant"), ("settings", "top 3, max_depth 2")])
def test_the_other_views_show_what_the_first_hides(server: Server, browser: Browser, view: str, shown: str) -> None:
    browser.page.goto(server.address.replace("viewStateShareKey=models", f"viewStateShareKey={view}"))
    browser.page.get_by_role("link", name=shown, exact=True).first.wait_for(timeout=60_000)
    assert browser.page.get_by_role("link", name=RUN, exact=True).count() == 0


def test_two_runs_compared_show_what_differs_and_no_more(server: Server, browser: Browser) -> None:
    open_runs(browser.page, server, RUN)
    compare(browser.page, (RUN, OTHER))
    row = browser.page.get_by_role("row").filter(has=browser.page.get_by_text("feature_set", exact=True))
    assert row.last.inner_text().split() == ["feature_set", "paper", "invariant"]
    assert "test_share" not in browser.page.inner_text("body")
    metrics = browser.page.inner_text("body")
    assert "nested/overall_low" in metrics


def test_a_run_says_what_it_is_and_its_figure_is_drawn(server: Server, browser: Browser, tracked: Path) -> None:
    page = browser.page
    open_runs(page, server, RUN)
    page.get_by_role("link", name=RUN, exact=True).first.click()
    page.get_by_text("accuracy, nested estimate").wait_for()
    body = page.inner_text("body")
    assert store.digest(tracked / "data/trained/sites/tree_paper.skops") in body
    assert body.index("nested/overall") < body.index("nested/site_s0/overall")
    open_figure(page, "accuracy.png")


def test_a_run_is_not_deleted_through_the_page_which_says_so(server: Server, browser: Browser) -> None:
    page = browser.page
    open_runs(page, server, RUN)
    page.get_by_role("link", name=RUN, exact=True).first.click()
    page.get_by_text("accuracy, nested estimate").wait_for()
    page.get_by_test_id("overflow-menu-trigger").click()
    page.get_by_text("Delete", exact=True).first.click()
    page.get_by_role("button", name="Delete").last.click()
    page.get_by_text("this server only shows what sbd track wrote").wait_for()
    open_runs(page, server, RUN)


def test_the_models_pages_say_what_the_model_is(server: Server, browser: Browser, tracked: Path) -> None:
    page = browser.page
    digest = store.digest(tracked / "data/trained/sites/tree_paper.skops")
    page.goto(f"{server.home}#/models/smartsbd-small")
    page.get_by_text("has the alias").wait_for()
    assert "exportable" in page.inner_text("body")
    page.get_by_role("link", name="Version 1").click()
    page.get_by_text(f"model {digest}, exported as sbd_tree_paper").wait_for()
    page.get_by_role("link", name="sites_tree_paper").first.click()
    page.get_by_text("About this logged model").wait_for()
    page.get_by_text(f"model {digest}, exported as sbd_tree_paper").wait_for()


def test_a_changed_parameter_puts_a_run_beside_the_old_one(server: Server, browser: Browser, tracked: Path) -> None:
    open_runs(browser.page, server, RUN)
    assert browser.page.get_by_role("link", name=RUN, exact=True).count() == 1
    retrain(tracked)
    open_runs(browser.page, server, RUN)
    browser.page.reload()
    browser.page.get_by_role("link", name=RUN, exact=True).nth(1).wait_for(timeout=60_000)
    assert browser.page.get_by_role("link", name=RUN, exact=True).count() == 2
    compare(browser.page, (RUN, RUN))
    row = browser.page.get_by_role("row").filter(has=browser.page.get_by_text("grid_max_depth", exact=True))
    assert sorted(row.last.inner_text().split("\t")[1:], key=len) == ["1", "1, 2"]


def test_no_process_of_the_server_asks_for_another_machine(server: Server, browser: Browser) -> None:
    open_runs(browser.page, server, RUN)
    asked = server.asked()
    assert "watching" in asked
    assert [line for line in asked if line != "watching" and LOOPBACK not in line] == []
