"""A Dask scheduler's workers give the same bytes as this machine's processes, even if one of them is killed."""

from __future__ import annotations

import hashlib
import os
import signal
import threading
import time
from functools import partial
from pathlib import Path

import pytest
import yaml
import zstandard

from smartsbd.pipelines.__main__ import main
from smartsbd.pipelines.running import scheduler, stage
from tests.dask_cluster import cluster

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
DATASETS = ("kernel", "kernel_captures")


def project(folder: Path, address: str | None) -> Path:
    """Make a project of the recordings in git, on a scheduler's workers if there is an address."""
    folder.mkdir()
    whole = yaml.safe_load((ROOT / "params.yaml").read_text())
    whole |= {"workers": 1, "scheduler": address}
    (folder / "params.yaml").write_text(yaml.safe_dump(whole))
    for name in ("dvc.yaml", "data/samples"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).symlink_to(ROOT / name)
    return folder


def run_to_extract(monkeypatch: pytest.MonkeyPatch, folder: Path) -> dict[str, str]:
    """Run the stages from parse to extract; return the digest of each file they wrote."""
    monkeypatch.chdir(folder)
    for dataset in DATASETS:
        for name in ("parse", "validate", "extract"):
            assert main([name, "--dataset", dataset, "--quiet"]) == stage.EXIT_OK
    written = [path for top in ("data/tables", "data/features", "reports") for path in sorted(Path(top).rglob("*"))]
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in written if path.is_file()}


def cut_an_input(folder: Path) -> None:
    """Leave the first half of a log's lines."""
    log = folder / "data/raw/kernel/inputs/101.state.csv.zst"
    text = zstandard.ZstdDecompressor().stream_reader(log.read_bytes()).read()
    log.write_bytes(zstandard.compress(text[: text.index(b"\n", len(text) // 2) + 1]))


def test_the_same_bytes_as_without_a_scheduler(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with cluster(tmp_path / "dask", workers=2) as made:
        here, there = project(tmp_path / "here", None), project(tmp_path / "there", made.address)
        for folder in (here, there):
            monkeypatch.chdir(folder)
            assert all(main(["collect", "--dataset", dataset, "--quiet"]) == stage.EXIT_OK for dataset in DATASETS)
        expected = run_to_extract(monkeypatch, here)
        assert {"data/tables/kernel_captures/ack.parquet", "data/features/kernel/pair_window.parquet"} <= set(expected)
        assert run_to_extract(monkeypatch, there) == expected
        # The workers have the tables of the first run open; what they read now is the second one's.
        for folder in (here, there):
            cut_an_input(folder)
        second = run_to_extract(monkeypatch, here)
        assert second["data/features/kernel/series.parquet"] != expected["data/features/kernel/series.parquet"]
        assert run_to_extract(monkeypatch, there) == second


def slow_square(number: int) -> int:
    time.sleep(0.05)
    return number * number


def failing(number: int) -> int:
    if number == 3:
        raise ValueError("three")
    return number


def deadly(number: int, victim: int) -> int:
    os.kill(victim, signal.SIGKILL)
    return number


def process_of(number: int, folder: Path) -> int:
    """Write down which process does this item; take a while."""
    (folder / f"{number}.{os.getpid()}").touch()
    time.sleep(0.1)
    return number


def test_a_killed_worker_changes_nothing_but_time(tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    seen.mkdir()
    with cluster(tmp_path / "dask", workers=2) as made:
        victim = made.processes[-1]

        def kill_at_work() -> None:
            while not list(seen.glob(f"*.{victim.pid}")):
                time.sleep(0.01)
            victim.send_signal(signal.SIGKILL)

        killer = threading.Thread(target=kill_at_work)
        killer.start()
        results = list(scheduler.mapped(partial(process_of, folder=seen), range(30), made.address))
        killer.join()
        assert victim.wait() == -signal.SIGKILL
    assert results == list(range(30))
    by_victim = {path.name.split(".")[0] for path in seen.glob(f"*.{victim.pid}")}
    by_both = by_victim & {path.name.split(".")[0] for path in seen.iterdir() if not path.match(f"*.{victim.pid}")}
    assert by_both, "nothing the killed worker had begun was done again"


def test_order_errors_and_what_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with cluster(tmp_path / "dask", workers=1) as made:
        assert list(scheduler.mapped(slow_square, range(10), made.address)) == [number**2 for number in range(10)]
        with pytest.raises(ValueError, match="three"):
            list(scheduler.mapped(failing, range(10), made.address))
        monkeypatch.setattr(scheduler, "code_sha256", lambda: "of another checkout")
        with pytest.raises(scheduler.OtherCodeError, match="other code"):
            list(scheduler.mapped(slow_square, range(3), made.address))
        monkeypatch.undo()
        monkeypatch.setattr(scheduler, "_LOOK_S", 0.5)
        with pytest.raises(scheduler.WorkersLostError, match="no worker is left"):
            list(scheduler.mapped(partial(deadly, victim=made.processes[-1].pid), range(3), made.address))
        monkeypatch.setattr(scheduler, "_HAS_A_WORKER_S", 1)
        with pytest.raises(scheduler.SchedulerError, match="has no worker"):
            list(scheduler.mapped(slow_square, range(3), made.address))
    monkeypatch.setattr(scheduler, "_ANSWERS_S", 1)
    with pytest.raises(scheduler.SchedulerError, match="does not answer"):
        list(scheduler.mapped(slow_square, range(3), made.address))
