"""The pictures of docs/mlflow.md: ``make screenshots``, in a project whose store is full."""

from __future__ import annotations

import sys
from pathlib import Path

from playwright.sync_api import Page

from tests.browser.served import CHROMIUM, browsing, compare, open_figure, open_runs, serving

FOLDER = Path("docs/images")
RUN, OTHER = "sites tree paper", "sites tree invariant"
_DRAWN_MS = 2000  # charts are drawn after what they are of is there


def _keep(page: Page, name: str) -> None:
    page.mouse.move(0, 0)
    page.wait_for_timeout(_DRAWN_MS)
    path = FOLDER / f"mlflow_{name}.png"
    page.screenshot(path=path)
    print(f"{path}: {path.stat().st_size // 1000} kB")


def main() -> int:
    """Write every picture."""
    if CHROMIUM is None:
        print("chromium is not on the path", file=sys.stderr)
        return 1
    FOLDER.mkdir(parents=True, exist_ok=True)
    with serving(Path.cwd()) as server, browsing(width=1280, height=800) as browser:
        page = browser.page
        open_runs(page, server, RUN)
        _keep(page, "runs")
        compare(page, (RUN, OTHER))
        page.get_by_text("Show diff only").nth(1).click()
        page.get_by_text("Parameters", exact=True).scroll_into_view_if_needed()
        page.get_by_text("Parameters", exact=True).evaluate("element => element.scrollIntoView()")
        _keep(page, "compared")
        open_runs(page, server, RUN)
        page.get_by_role("link", name=RUN, exact=True).first.click()
        page.get_by_text("accuracy, nested estimate").wait_for()
        _keep(page, "run")
        open_figure(page, "accuracy.png")
        _keep(page, "figure")
        page.goto(f"{server.home}#/models/smartsbd-default")
        page.get_by_text("has the alias").wait_for()
        page.get_by_role("link", name="Version").last.click()
        page.get_by_text("accuracy, nested estimate").wait_for()
        _keep(page, "model")
    return 0


if __name__ == "__main__":
    sys.exit(main())
