"""`sbd ui` shows the store at its own address, and nothing is written through it: the real server answers."""

from __future__ import annotations

import http.client
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import pytest

from smartsbd.pipelines.__main__ import main
from smartsbd.pipelines.tracking.read_only import is_passed_on
from tests.browser.served import Server, serving

pytestmark = pytest.mark.slow

API = "/ajax-api/2.0/mlflow"
SEARCHES = {
    f"/{api}/2.0/mlflow/{search}"
    for api in ("api", "ajax-api")
    for search in ("experiments/search", "runs/search", "logged-models/search")
} | {"/ajax-api/2.0/mlflow/experiments/search-datasets", "/graphql"}
#: Routes that MLflow adds to those of its Flask application.
MORE_ROUTES = (
    ("PUT", "/ajax-api/3.0/mlflow/assistant/config"),
    ("POST", "/ajax-api/3.0/mlflow/assistant/message"),
    ("PUT", "/api/2.0/mlflow-artifacts/artifacts/written.txt"),
    ("PUT", "/ajax-api/2.0/mlflow-artifacts/artifacts/written.txt"),
    ("POST", "/ajax-api/3.0/jobs/"),
    ("POST", "/gateway/one/mlflow/invocations"),
    ("POST", "/v1/traces"),
    ("OPTIONS", "/graphql"),
)
#: Lists MLflow's routes, and tries to write to the store as its application has it.
LIST_ROUTES = """
import sys; from pathlib import Path
from smartsbd.pipelines.tracking.mlflow_store import application
application(Path(sys.argv[1]))
from mlflow.server import app
for rule in app.url_map.iter_rules():
    for method in rule.methods - {"GET", "HEAD", "OPTIONS"}:
        print(method, rule.rule)
"""
WRITE = """
import sys; from pathlib import Path
from smartsbd.pipelines.tracking.mlflow_store import application
application(Path(sys.argv[1]))
from mlflow import MlflowClient
from mlflow.server.handlers import _get_model_registry_store, _get_tracking_store
for write in (
    lambda: _get_tracking_store().create_experiment("another"),
    lambda: _get_model_registry_store().create_registered_model("another"),
    lambda: MlflowClient().create_experiment("another"),
):
    try:
        write()
        print("written")
    except Exception as error:
        print("readonly" if "readonly database" in str(error) else repr(error))
"""


class Answer(NamedTuple):
    status: int
    body: bytes


class Served(NamedTuple):
    server: Server
    project: Path
    home: Path

    def ask(
        self, method: str, path: str, content: object = None, *, host: str | None = None, origin: str | None = None
    ) -> Answer:
        own = urlsplit(self.server.home).netloc
        body = content if isinstance(content, bytes) else json.dumps(content or {})
        headers = {"Host": own if host is None else host, "Content-Type": "application/json"}
        connection = http.client.HTTPConnection(own, timeout=60)
        try:
            connection.request(method, path, body, headers | ({"Origin": origin} if origin else {}))
            answer = connection.getresponse()
            return Answer(answer.status, answer.read())
        finally:
            connection.close()

    def runs(self) -> list[str]:
        found = json.loads(self.ask("POST", f"{API}/runs/search", {"experiment_ids": ["1"]}).body)
        return [run["info"]["run_id"] for run in found["runs"] if run["info"]["run_name"] == "sites tree paper"]

    def files(self) -> dict[str, str]:
        """Digest every file that the server could write."""
        return {
            str(path): sha256(path.read_bytes()).hexdigest()
            for folder in (self.project, self.home)
            for path in folder.rglob("*")
            if path.is_file()
        }


@pytest.fixture(scope="module")
def served(searched: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    project, home = tmp_path_factory.mktemp("served") / "project", tmp_path_factory.mktemp("home")
    shutil.copytree(searched, project)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(project)
        assert main(["track"]) == 0
        patch.setenv("HOME", str(home))
        with serving(project) as server:
            yield Served(server, project, home)


def of_the_application(program: str, project: Path) -> list[str]:
    database = project / "data/mlflow.db"
    done = subprocess.run(
        [sys.executable, "-c", program, str(database)], capture_output=True, text=True, check=True, env=os.environ
    )
    return done.stdout.splitlines()


@pytest.mark.parametrize(
    "host", ["rebound.example", "192.168.1.7", "10.0.0.1:5000", "localhost", "127.0.0.1", "127.0.0.1:1", ""]
)
def test_what_names_another_host_reads_nothing(served: Served, host: str) -> None:
    [run, *_] = served.runs()
    figure = f"/get-artifact?path=figures/accuracy.png&run_uuid={run}"
    for method, path in (("GET", "/"), ("GET", figure), ("POST", f"{API}/runs/search"), ("POST", "/graphql")):
        assert served.ask(method, path, {"experiment_ids": ["1"]}, host=host).status in (400, 403), path


def test_a_figure_is_shown_without_the_proxy_of_artifacts(served: Served) -> None:
    [run, *_] = served.runs()
    shown = served.ask("GET", f"/get-artifact?path=figures/accuracy.png&run_uuid={run}")
    assert shown.status == 200
    assert shown.body == (served.project / f"data/mlflow_artifacts/{run}/artifacts/figures/accuracy.png").read_bytes()
    for path in ("artifacts?path=", f"artifacts/{run}/artifacts/figures/accuracy.png"):
        proxied = served.ask("GET", f"/api/2.0/mlflow-artifacts/{path}")
        assert proxied.status == 503 and b"PNG" not in proxied.body


def test_nothing_is_written_by_whoever_may_connect(served: Served) -> None:
    [run, *_] = served.runs()
    before = served.files()
    writes = [
        ("PUT", "/api/2.0/mlflow-artifacts/artifacts/written.txt", b"written"),
        ("POST", f"{API}/upload-artifact?run_uuid={run}&path=written.txt", b"written"),
        ("PUT", "/ajax-api/3.0/mlflow/assistant/config", {"providers": {"claude_code": {"selected": True}}}),
        ("POST", "/api/2.0/mlflow/experiments/create", {"name": "another"}),
        ("POST", f"{API}/runs/set-tag", {"run_id": run, "key": "model_digest", "value": "another"}),
        ("POST", f"{API}/runs/delete", {"run_id": run}),
        ("POST", f"{API}/registered-models/alias", {"name": "smartsbd-small", "alias": "exportable", "version": "2"}),
        ("DELETE", f"{API}/registered-models/delete", {"name": "smartsbd-small"}),
    ]
    own = served.server.home.rstrip("/")
    for method, path, content in writes:
        for origin in (None, own, "http://rebound.example", "http://localhost:8888"):
            assert served.ask(method, path, content, origin=origin).status == 403, path
    assert served.files() == before


def test_no_search_is_answered_to_another_site(served: Served) -> None:
    asked = ("POST", f"{API}/runs/search", {"experiment_ids": ["1"]})
    assert served.ask(*asked).status == 200
    assert served.ask(*asked, origin="http://rebound.example").status == 403


@pytest.mark.parametrize("path", ["config", "providers", "sessions/one/stream", "providers/claude_code/health"])
def test_the_assistant_is_not_there(served: Served, path: str) -> None:
    assert served.ask("GET", f"/ajax-api/3.0/mlflow/assistant/{path}").status == 403


def test_of_the_routes_that_are_not_got_the_searches_alone_are_passed_on(served: Served) -> None:
    listed = [line.split(" ", 1) for line in of_the_application(LIST_ROUTES, served.project)]
    assert len(listed) > 100
    routes = [(method, re.sub("<[^>]*>", "one", rule)) for method, rule in listed]
    passed_on = {path for method, path in [*routes, *MORE_ROUTES] if is_passed_on(method, path)}
    assert passed_on == SEARCHES


def test_the_store_itself_is_opened_to_be_read_alone(served: Served) -> None:
    assert of_the_application(WRITE, served.project) == ["readonly"] * 3


def test_docker_is_not_asked(served: Served) -> None:
    assert served.server.asked() == ["watching"]
