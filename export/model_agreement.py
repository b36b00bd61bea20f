"""An exported model decides as the model does: its header and its model file, on windows and on generated rows."""

from __future__ import annotations

import logging
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from smartsbd.contracts.tables import WINDOW_KEY
from smartsbd.export import header_program, verify
from smartsbd.export.compilers import Compiler
from smartsbd.export.exported_model import ExportedModel
from smartsbd.export.verify import VerifyError

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class AgreementRows:
    """Rows on which a model and what it becomes in C must decide alike.

    Attributes
    ----------
    windows : DataFrame
        Windows of all datasets, with their features.
    generated : DataFrame
        Feature values beside the model's thresholds.
    predictions : DataFrame
        Windows that the stored model was tested on, with its verdict ``shared_pred``.
    """

    windows: pd.DataFrame
    generated: pd.DataFrame
    predictions: pd.DataFrame

    @classmethod
    def of(
        cls, model: ExportedModel, windows: pd.DataFrame, predictions: pd.DataFrame, generated: pd.DataFrame
    ) -> AgreementRows:
        """Return the rows for a model.

        Parameters
        ----------
        model : ExportedModel
        windows : DataFrame of the ``pair_window`` table
        predictions : DataFrame of the ``prediction`` table
            Of all models.
        generated : DataFrame
            As :func:`~smartsbd.export.probe.probing_rows` makes them of the model.

        Returns
        -------
        AgreementRows
            Its predictions are those of this model, with their features.

        Raises
        ------
        VerifyError
            If the model was tested on a window that is none of `windows`.
        """
        key = list(WINDOW_KEY)
        tested = model.rows_of(predictions)[[*key, "shared_pred"]]
        joined = tested.merge(windows, on=key, how="left", validate="one_to_one", indicator=True)
        if (joined["_merge"] != "both").any():
            raise VerifyError(f"{model.stored.name}: predictions of windows that are in no table of features")
        return cls(windows, generated, joined)

    def counts(self) -> dict[str, int]:
        """Return how many there are of each."""
        return {
            "windows": len(self.windows),
            "generated": len(self.generated),
            "predictions": len(self.predictions),
        }


def agreeing(
    model: ExportedModel, rows: AgreementRows, headers: Path, loaded: Path, compiler: Compiler
) -> pd.DataFrame:
    """Compile a model's header, and have a program read its model file; both must agree with it on all rows.

    Parameters
    ----------
    model : ExportedModel
    rows : AgreementRows
    headers : Path
        Folder with the header.
    loaded : Path
        Program that reads model files.
    compiler : Compiler

    Returns
    -------
    DataFrame
        Each window's key, the header's name as ``model``, and its verdict ``shared_pred``.

    Raises
    ------
    VerifyError
        If any row is decided otherwise.
    """
    name = model.header.name
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        file = place / model.file_name()
        file.write_bytes(model.file)
        programs = [
            (model.header_name(), header_program.build(place, headers, name, compiler), None),
            (file.name, loaded, file),
        ]
        verdicts = verify.prove(model.fitted, programs, rows.windows)
        verify.prove(model.fitted, programs, rows.generated)
        of_predictions = verify.prove(model.fitted, programs, rows.predictions)
    different = int((of_predictions != rows.predictions["shared_pred"]).sum())
    if different:
        raise VerifyError(f"{name} differs from its predictions in {different} rows")
    log.info("%s: all rows agree: %s", name, rows.counts())
    return rows.windows[list(WINDOW_KEY)].assign(model=name, shared_pred=verdicts)
