"""Real servers on loopback, and chromium that looks at them and keeps every address it asks for."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import BrowserContext, Page, sync_playwright

ROOT = Path(__file__).parents[2]
LOOPBACK = "127.0.0.1"
CHROMIUM = shutil.which("chromium")
_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
_START_S = 120
#: What a reader has clicked once: the panel of the assistant away, pages of model training in place of language models.
_CLICKED_AWAY = """
localStorage.setItem("mlflow.assistant.fab.autoOpenedOnFirstLoad_v1", "true");
localStorage.setItem("mlflow.assistant.panelOpen_v1", "false");
localStorage.setItem("mlflow.workflowType_v1", '"machine_learning"');
"""
#: Every Python process of the server writes down whom it connects to.
_WATCH = """
import os, sys
def watch(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.sendto"):
        with open(os.environ["ASKED"], "a") as file:
            print(event, arguments[-1] if event == "socket.connect" else arguments[0], file=file)
sys.addaudithook(watch)
with open(os.environ["ASKED"], "a") as file:
    print("watching", file=file)
"""


@dataclass(frozen=True)
class Server:
    """A running server: the address it printed, and the file in which its connections are."""

    address: str
    connections: Path

    @property
    def home(self) -> str:
        return self.address.split("#")[0]

    def asked(self) -> list[str]:
        """Return whom its processes connected to, one of ``watching`` a process."""
        return self.connections.read_text().splitlines()


def free_port() -> int:
    with socket.socket() as one:
        one.bind((LOOPBACK, 0))
        port: int = one.getsockname()[1]
        return port


def _wait_until_it_answers(address: str, process: subprocess.Popen[str]) -> None:
    until = time.monotonic() + _START_S
    while time.monotonic() < until:
        if process.poll() is not None:
            raise RuntimeError(f"the server ended with {process.returncode}")
        try:
            with urllib.request.urlopen(address, timeout=5) as answer:  # noqa: S310 - http, on loopback
                if answer.status == 200:
                    return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.5)
    raise TimeoutError(f"{address}: no answer within {_START_S} s")


@contextmanager
def watched(command: list[str], folder: Path, health: str, printed: Callable[[str], str]) -> Iterator[Server]:
    """Run a server whose Python processes write down whom they connect to, until it answers.

    Parameters
    ----------
    command : list of str
    folder : Path
        Where it runs.
    health : str
        What answers, below the address's root.
    printed : callable
        From the first line it prints to its address.
    """
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        (place / "sitecustomize.py").write_text(_WATCH)
        connections = place / "asked.txt"
        path = os.pathsep.join([str(place), str(ROOT), str(ROOT / "packets")])
        environment = {key: value for key, value in os.environ.items() if not key.startswith(("MLFLOW", "DO_NOT"))}
        with (place / "log.txt").open("w") as log_file:
            process = subprocess.Popen(
                command,
                cwd=folder,
                env=environment | {"PYTHONPATH": path, "ASKED": str(connections)},
                stdout=subprocess.PIPE,
                stderr=log_file,
                text=True,
                start_new_session=True,
            )
            try:
                assert process.stdout is not None
                server = Server(printed(process.stdout.readline().strip()), connections)
                _wait_until_it_answers(f"{server.home}{health}", process)
                yield server
            finally:
                os.killpg(process.pid, signal.SIGTERM)
                process.wait(timeout=30)


def serving(project: Path) -> AbstractContextManager[Server]:
    """Run ``sbd ui`` in a project on a free port."""
    command = [sys.executable, "-m", "pipelines", "ui", "--port", str(free_port())]
    return watched(command, project, "health", str)


@dataclass
class Browser:
    """Chromium with an empty profile."""

    context: BrowserContext
    page: Page
    asked: list[str] = field(default_factory=list)

    def hosts(self) -> set[str]:
        """Return the hosts that were asked for anything so far; of what is no request to a host, the scheme."""
        parts = [urlsplit(url) for url in self.asked]
        return {part.hostname or part.scheme for part in parts if part.scheme not in ("data", "blob")}


@contextmanager
def browsing(width: int = 1440, height: int = 900) -> Iterator[Browser]:
    """Start chromium; nothing but what the pages ask for goes out."""
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as profile:
        context = playwright.chromium.launch_persistent_context(
            profile,
            executable_path=CHROMIUM,
            headless=True,
            args=_ARGUMENTS,
            viewport={"width": width, "height": height},
        )
        context.add_init_script(_CLICKED_AWAY)
        browser = Browser(context, context.new_page())
        context.on("request", lambda request: browser.asked.append(request.url))
        yield browser
        context.close()


def open_runs(page: Page, server: Server, name: str) -> None:
    """Open the address that was printed, and wait until a run is listed."""
    page.goto(server.address)
    page.get_by_role("link", name=name, exact=True).first.wait_for(timeout=60_000)


def compare(page: Page, names: tuple[str, str]) -> None:
    """Tick a run of each name in the list, press Compare, and hide what does not differ."""
    for number, name in enumerate(names):
        row = page.get_by_role("row").filter(has=page.get_by_role("link", name=name, exact=True))
        row.nth(names[:number].count(name)).get_by_label("toggle row selection").check()
    page.get_by_role("button", name="Compare").click()
    page.get_by_text("Comparing 2 Runs").wait_for()
    parameters = page.get_by_text("Show diff only").first
    parameters.wait_for()
    parameters.click()


def open_figure(page: Page, name: str) -> None:
    """From a run's page, open a figure among its artifacts, and wait until it is drawn."""
    page.get_by_role("tab", name="Artifacts").click()
    page.get_by_text("figures", exact=True).click()
    page.get_by_text(name, exact=True).click()
    image = page.locator("img[src^='blob:'], img[src*='get-artifact']").first
    image.wait_for(timeout=30_000)
    page.wait_for_function("image => image.complete && image.naturalWidth > 0", arg=image.element_handle())
