"""A model that a search has stored: its name and its file.

The name is ``dataset/family_set``: what it was trained on, its family, its set of features, for instance
``sites/svm_linear_paper``.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from smartsbd.contracts.fault import UsageFault
from smartsbd.features.feature_set import SETS

# A warning of tslearn, for a file format that is not used here. Nearest neighbours import it where they are fitted or
# loaded, and this module comes before both.
warnings.filterwarnings("ignore", message="h5py not installed")

#: Families without a grid, and what they have in place of sets of features: nearest neighbours of a view of the series,
#: and one threshold on plain correlation.
NEIGHBOURS, VIEWS = "knn_dtw", ("rtt_series", "queue_series")
CORRELATION, PLAIN = "correlation", "plain"
#: The inputs of nearest neighbours: both subflows' RTTs, columns of the ``series`` table.
SERIES = ("rtt_a_us", "rtt_b_us")
#: What a name may end with.
FEATURE_SETS = (*SETS, *VIEWS, PLAIN)
#: What the name of its file ends with.
SUFFIX = ".skops"


class ModelNameError(UsageFault, ValueError):
    """A name that no stored model can have; the message says what it lacks."""


@dataclass(frozen=True, order=True)
class StoredModel:
    """One model by name.

    Attributes
    ----------
    dataset : str
        What it was trained on.
    family : str
        One of :data:`smartsbd.models.families.FAMILIES`, nearest neighbours or plain correlation.
    feature_set : str
        One of :data:`FEATURE_SETS`.
    """

    dataset: str
    family: str
    feature_set: str

    @classmethod
    def parse(cls, name: str) -> StoredModel:
        """Return the model of a name.

        Returns
        -------
        StoredModel
            Whose ``str`` is the name.

        Raises
        ------
        ModelNameError
            If the name is not ``dataset/family_set`` with a set of :data:`FEATURE_SETS`.

        Examples
        --------
        >>> StoredModel.parse("sites/svm_linear_paper")
        StoredModel(dataset='sites', family='svm_linear', feature_set='paper')
        """
        dataset, _, family_and_set = name.partition("/")
        for feature_set in FEATURE_SETS:
            family = family_and_set.removesuffix(f"_{feature_set}")
            if dataset and family and family != family_and_set:
                return cls(dataset, family, feature_set)
        raise ModelNameError(f"model {name!r} is not dataset/family_set, with a set of {', '.join(FEATURE_SETS)}")

    def __str__(self) -> str:
        return f"{self.dataset}/{self.name}"

    @property
    def name(self) -> str:
        """Its name among the models of its dataset."""
        return f"{self.family}_{self.feature_set}"

    def path(self, models: Path) -> Path:
        """Return its file below a folder that has one folder for each dataset."""
        return models / self.dataset / f"{self.name}{SUFFIX}"


def searched(dataset: str, families: Sequence[str], feature_sets: Sequence[str]) -> list[StoredModel]:
    """Return the models that the search of a dataset stores: neighbours, the families, plain correlation.

    Parameters
    ----------
    dataset : str
    families, feature_sets : sequence of str
        Every family is searched on every set of features.

    Returns
    -------
    list of StoredModel
        In that order; their files need not be there.
    """
    named = [
        *((NEIGHBOURS, view) for view in VIEWS),
        *itertools.product(families, feature_sets),
        (CORRELATION, PLAIN),
    ]
    return [StoredModel(dataset, family, feature_set) for family, feature_set in named]


def on_disk(models: Path) -> list[StoredModel]:
    """Return the models below a folder that has one folder for each dataset, by name.

    Returns
    -------
    list of StoredModel
        In order of their names.

    Raises
    ------
    ModelNameError
        If a file there has the name of no model.
    """
    names = sorted(f"{path.parent.name}/{path.name.removesuffix(SUFFIX)}" for path in models.glob(f"*/*{SUFFIX}"))
    return [StoredModel.parse(name) for name in names]
