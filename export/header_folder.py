"""The folder of headers, cards and checksums that is in git, and the one that is put together for a sender."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from smartsbd.contracts.whole_file import write_whole
from smartsbd.detectors import lag_excess
from smartsbd.detectors.verdict import default_detector
from smartsbd.export import emit_c, header_program, shipped
from smartsbd.export.card import render_detector_card, render_lag_excess_card
from smartsbd.export.exported_model import ExportedModel, sha256
from smartsbd.export.verify import VerifyError

_SUMS = "SHA256SUMS"


def _default() -> dict[str, bytes]:
    """Return the files of the default detector, by name."""
    content = default_detector.described()
    card = render_detector_card(default_detector.Default(**json.loads(content)))
    return {
        default_detector.NAMED: content,
        default_detector.HEADER: default_detector.SOURCE.read_bytes(),
        default_detector.CARD: card.encode(),
    }


def _lag_excess() -> dict[str, bytes]:
    """Return the files of the lag excess, by name."""
    header = lag_excess.SOURCE.read_bytes()
    card = render_lag_excess_card(lag_excess.HEADER, sha256(header))
    return {lag_excess.HEADER: header, lag_excess.CARD: card.encode()}


def _shipped(models: Sequence[ExportedModel], chosen: str) -> dict[str, bytes]:
    """Return the files of the model that is shipped, by name."""
    (model,) = (exported for exported in models if str(exported.stored) == chosen)
    named = shipped.Named(chosen, model.file_name(), model.card_name(), sha256(model.file))
    return {shipped.NAMED: shipped.described(named), model.file_name(): model.file}


def _sums(files: Mapping[str, bytes]) -> bytes:
    return "".join(f"{sha256(content)}  {name}\n" for name, content in sorted(files.items())).encode()


def contents(models: Sequence[ExportedModel], accuracy: pd.DataFrame, chosen: str) -> dict[str, bytes]:
    """Return the files that are in git, by name.

    Parameters
    ----------
    models : sequence of ExportedModel
    accuracy : DataFrame
        Accuracies of all models, for the cards.
    chosen : str
        The model that is shipped, as ``dataset/family_set``.

    Returns
    -------
    dict of str to bytes
        Headers, cards, the shipped model file, descriptions and checksums.
    """
    texts = {"smartsbd.h": emit_c.render_runtime(), "sbd_loaded.h": emit_c.render_loaded()}
    for model in models:
        texts[model.header_name()] = model.text
        texts[model.card_name()] = model.card(accuracy)
    files = {name: text.encode() for name, text in texts.items()} | _shipped(models, chosen)
    files |= _default() | _lag_excess()
    return files | {_SUMS: _sums(files)}


def check_same(files: Mapping[str, bytes], folder: Path) -> None:
    """Check that a folder holds some files as they would be written, and nothing else.

    Raises
    ------
    VerifyError
        If a file is missing or differs, or there is another one.
    """
    for name, content in files.items():
        path = folder / name
        if not path.exists() or path.read_bytes() != content:
            raise VerifyError(f"{path} differs from what is trained: run `sbd stage export` and commit it")
    more = sorted(path.name for path in folder.iterdir() if path.name not in files)
    if more:
        raise VerifyError(f"{folder / more[0]} is not of any model in params.yaml: run `sbd stage export`")


def write(files: Mapping[str, bytes], folder: Path) -> None:
    """Write some files into a folder, in place of all that it holds."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, content in files.items():
        write_whole(content, folder / name)


def put_together(models: Sequence[ExportedModel], headers: Path, folder: Path) -> None:
    """Put together what a sender needs, with checksums of all.

    Parameters
    ----------
    models : sequence of ExportedModel
        Their model files go with it.
    headers : Path
        Folder of the headers.
    folder : Path
        Folder to write, in place of all that it holds.
    """
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(headers, folder)
    shutil.copy(header_program.SOURCE, folder)
    for model in models:
        write_whole(model.file, folder / model.file_name())
    (folder / _SUMS).unlink()
    write_whole(_sums({path.name: path.read_bytes() for path in folder.iterdir()}), folder / _SUMS)
