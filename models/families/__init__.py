"""The families of estimators a search may try. A new family is one module and one line here."""

from models.families.decision_tree import DECISION_TREE
from models.families.family import Family

__all__ = ["FAMILIES", "Family"]

FAMILIES: dict[str, Family] = {family.name: family for family in (DECISION_TREE,)}
