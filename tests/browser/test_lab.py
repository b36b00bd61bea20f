"""JupyterLab as `make lab` starts it shows a notebook, on loopback, and asks nothing of any other machine."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.served import CHROMIUM, LOOPBACK, Server, browsing, free_port, watched

ROOT = Path(__file__).parents[2]
TOKEN = secrets.token_hex()

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="chromium is not on the path"),
]


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    command = (ROOT / "Makefile").read_text().split("\nlab: setup\n")[1].split("\n")[0]
    words = command[command.index("jupyter lab") :].replace("$(LAB_PORT)", str(free_port())).split()[2:]
    port = words[words.index("--port") + 1]
    own = [f"--IdentityProvider.token={TOKEN}", f"--LabApp.workspaces_dir={tmp_path_factory.mktemp('spaces')}"]
    script = (
        f"print('http://{LOOPBACK}:{port}/', flush=True);"
        "from jupyterlab.labapp import main; import sys; sys.argv[0] = 'jupyter-lab'; main()"
    )
    with watched([sys.executable, "-c", script, *words, *own], ROOT, "api", str) as server:
        yield server


def test_a_notebook_is_shown_and_nobody_else_is_asked(lab: Server) -> None:
    with browsing() as browser:
        page = browser.page
        page.goto(f"{lab.home}lab/tree/notebooks/01_connection.ipynb?token={TOKEN}")
        page.get_by_role("heading", name="1. A connection up close").first.wait_for(timeout=120_000)
        page.wait_for_function("[...document.images].filter(one => one.naturalWidth > 500).length > 0", timeout=60_000)
        assert len(browser.asked) > 5
        assert browser.hosts() == {LOOPBACK}
        assert page.get_by_text("Would you like to").count() == 0
    asked = [line for line in lab.asked() if line != "watching"]
    assert "watching" in lab.asked()
    assert [line for line in asked if LOOPBACK not in line and "::1" not in line and " /" not in line] == []
