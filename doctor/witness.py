"""What a witness says of two paths: shared, not shared, or why it cannot tell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Witness:
    """What one kind of evidence says.

    Attributes
    ----------
    name : str
    shared : bool or None
        Whether the paths share a bottleneck; None if it cannot tell.
    grounds : str
        Why, in a sentence or two with the figures.
    counts_alone : bool
        Its verdict is enough where no other witness can tell.
    """

    name: str
    shared: bool | None
    grounds: str
    counts_alone: bool = False

    def as_json(self) -> dict[str, Any]:
        """Return it as a JSON object."""
        return {"name": self.name, "shared": self.shared, "said": self.grounds, "counts_alone": self.counts_alone}
