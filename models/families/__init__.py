"""The families of estimators a search may try. A new family is one module and one line here."""

from models.families.decision_tree import DECISION_TREE
from models.families.family import Family
from traces.fault import UsageFault

__all__ = ["FAMILIES", "Family", "family_of"]

FAMILIES: dict[str, Family] = {family.name: family for family in (DECISION_TREE,)}


class FamilyError(UsageFault):
    """A family of estimators that is not registered."""


def family_of(name: str) -> Family:
    """Return a family by name.

    Raises
    ------
    FamilyError
        If there is none of that name.
    """
    if name not in FAMILIES:
        raise FamilyError(f"family {name!r} is unknown, known are {sorted(FAMILIES)}")
    return FAMILIES[name]
