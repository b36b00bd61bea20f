"""The families of estimators a search may try. A new family is one module and one line here."""

from smartsbd.contracts.fault import UsageFault
from smartsbd.models.families.boosting import BOOSTING
from smartsbd.models.families.decision_tree import DECISION_TREE
from smartsbd.models.families.family import Family, Scaling
from smartsbd.models.families.logistic import LOGISTIC
from smartsbd.models.families.random_forest import RANDOM_FOREST
from smartsbd.models.families.svm_linear import SVM_LINEAR
from smartsbd.models.families.svm_rbf import SVM_RBF

__all__ = ["FAMILIES", "Family", "Scaling", "family_of"]

FAMILIES: dict[str, Family] = {
    family.name: family for family in (DECISION_TREE, RANDOM_FOREST, SVM_LINEAR, SVM_RBF, LOGISTIC, BOOSTING)
}


class FamilyError(UsageFault):
    """A family of estimators that is not registered."""


def family_of(name: str) -> Family:
    """Return a family by name.

    Returns
    -------
    Family
        One of :data:`FAMILIES`.

    Raises
    ------
    FamilyError
        If there is none of that name.
    """
    if name not in FAMILIES:
        raise FamilyError(f"family {name!r} is unknown, known are {sorted(FAMILIES)}")
    return FAMILIES[name]
