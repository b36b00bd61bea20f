"""The folder that stands in git: it holds what the models become, and every other content is found."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import pandas as pd
import pytest

from smartsbd.detectors import lag_excess
from smartsbd.detectors.verdict import default_detector
from smartsbd.detectors.verdict.common_lag import CommonLagRule
from smartsbd.export import compilers, header_folder
from smartsbd.export.compilers import Compiler
from smartsbd.export.exported_model import ExportedModel, load
from smartsbd.export.verify import VerifyError
from smartsbd.models.stored import store
from smartsbd.models.stored.stored_model import StoredModel
from tests.export import made

ROOT = Path(__file__).parents[2]
TREE, FOREST = "tree_paper", "forest_invariant"
SHARES = ("recall_shared", "recall_not_shared", "balanced")


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> list[ExportedModel]:
    folder = tmp_path_factory.mktemp("trained")
    fitted = {TREE: made.tree(1, 4, made.NAMES[:9]), FOREST: made.forest(3, 4, made.NAMES[9:], trees=5)}
    for name, one in fitted.items():
        store.save(one, folder / f"sites/{name}.skops")
    return [load(StoredModel.parse(f"sites/{name}"), folder, "tiled", "small", "nested") for name in fitted]


@pytest.fixture(scope="module")
def accuracy() -> pd.DataFrame:
    row: dict[str, object] = {"connections": 7, "windows": 70, "model": "tree", "feature_set": "paper"}
    row |= {f"{share}{end}": 0.5 for share in SHARES for end in ("", "_low", "_high")}
    places = [
        ("sites/tiled", "sites/tiled", "all", 11),
        ("sites/tiled", "diverse/tiled", "all", 22),
        ("sites/tiled", "sites/tiled", "lab", 33),
        ("diverse/tiled", "sites/tiled", "all", 44),
        ("sites/triggered", "sites/tiled", "all", 55),
    ]
    names = ("train_set", "test_set", "site", "windows")
    return pd.DataFrame([row | dict(zip(names, place, strict=True)) for place in places])


@pytest.fixture(scope="module")
def files(models: list[ExportedModel], accuracy: pd.DataFrame) -> dict[str, bytes]:
    return header_folder.contents(models, accuracy, f"sites/{FOREST}")


def test_a_card_has_the_accuracies_of_its_model_alone(models: list[ExportedModel], accuracy: pd.DataFrame) -> None:
    card = models[0].card(accuracy)
    held_out, _, elsewhere = card.partition("This model on datasets it was not trained on")
    assert "| sites/tiled | 7 | 11 |" in held_out
    assert "| diverse/tiled | 7 | 22 |" in elsewhere
    assert card.count("/tiled |") == 2
    assert models[1].card(accuracy).count("/tiled |") == 0


def test_checksums_are_of_every_file(files: dict[str, bytes]) -> None:
    lines = files["SHA256SUMS"].decode().splitlines()
    told = {name: digest for digest, name in (line.split("  ") for line in lines)}
    assert list(told) == sorted(told) == sorted(set(files) - {"SHA256SUMS"})
    assert all(hashlib.sha256(files[name]).hexdigest() == digest for name, digest in told.items())


def test_the_default_and_the_lag_excess_are_the_headers_that_are_proved(files: dict[str, bytes]) -> None:
    named = json.loads(files["default.json"])
    assert (named["detector"], named["parameters"]) == ("common-lag", vars(CommonLagRule()))
    assert named["sha256"] == hashlib.sha256(files["sbd_common_lag.h"]).hexdigest()
    for kind in (default_detector, lag_excess):
        header, card = kind.HEADER, kind.CARD
        assert files[header] == kind.SOURCE.read_bytes()
        assert hashlib.sha256(files[header]).hexdigest() in files[card].decode()
        for name in (header, card):
            assert files[name] == (ROOT / "export/generated" / name).read_bytes()
    assert files["default.json"] == (ROOT / "export/generated/default.json").read_bytes()


@pytest.mark.parametrize("compiler", compilers.installed(), ids=lambda one: one.name)
def test_the_sample_of_the_documentation_compiles_with_integers_alone(compiler: Compiler, tmp_path: Path) -> None:
    document = (ROOT / "docs/export.md").read_text()
    sample = re.search(r"```c\n(#include \"sbd_common_lag.h\"\n.*?)```", document, re.DOTALL)
    assert sample is not None
    head, _, body = sample[1].partition("\n\nsbd_common_init")
    source = tmp_path / "sender.c"
    source.write_text(
        f"{head}\n\nbool sender(int which, int64_t now_ns, uint32_t rtt_us);\n"
        f"bool sender(int which, int64_t now_ns, uint32_t rtt_us)\n{{\nbool couple = true;\nsbd_common_init{body}"
        "return couple;\n}\n"
    )
    headers = ["-I", str(ROOT / "export/generated"), "-mgeneral-regs-only", "-c"]
    compilers.compiled(compiler, source, tmp_path / "sender.o", headers)
    assert (tmp_path / "sender.o").exists()


def test_what_is_written_is_the_same_and_all_there_is(files: dict[str, bytes], tmp_path: Path) -> None:
    folder = tmp_path / "generated"
    folder.mkdir()
    (folder / "sbd_tree_old.h").touch()
    header_folder.write(files, folder)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == files
    header_folder.check_same(files, folder)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("sbd_tree_paper.h", b"other", "sbd_tree_paper.h differs from what is trained"),
        ("smartsbd.h", b"", "smartsbd.h differs from what is trained"),
        ("sbd_forest_invariant.md", b"other", "sbd_forest_invariant.md differs from what is trained"),
        ("SHA256SUMS", None, "SHA256SUMS differs from what is trained"),
        ("sbd_tree_old.h", b"", "sbd_tree_old.h is not of any model in params.yaml"),
    ],
)
def test_what_differs_is_found(
    name: str, content: bytes | None, message: str, files: dict[str, bytes], tmp_path: Path
) -> None:
    header_folder.write(files, tmp_path)
    path = tmp_path / name
    if content is None:
        path.unlink()
    else:
        path.write_bytes(content)
    with pytest.raises(VerifyError, match=message):
        header_folder.check_same(files, tmp_path)


def test_what_is_put_together_has_every_model_file_and_the_program(
    models: list[ExportedModel], files: dict[str, bytes], tmp_path: Path
) -> None:
    headers, folder = tmp_path / "headers", tmp_path / "sender"
    header_folder.write(files, headers)
    folder.mkdir()
    (folder / "old").touch()
    header_folder.put_together(models, headers, folder)
    assert {path.name for path in folder.iterdir()} == {*files, "replay.c", f"{TREE}.sbd", f"{FOREST}.sbd"}
    lines = (folder / "SHA256SUMS").read_text().splitlines()
    assert len(lines) == len(list(folder.iterdir())) - 1
    for digest, name in (line.split("  ") for line in lines):
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest
