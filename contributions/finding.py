"""What the checks find, and the one error that says all of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """Something that is broken.

    Attributes
    ----------
    check : str
        Name of the check that found it.
    found : str
        What is broken, and where.
    """

    check: str
    found: str


class ContributionError(Exception):
    """A contribution does not keep what is asked of its kind.

    Parameters
    ----------
    name : str
        Of the contribution.
    findings : iterable of Finding

    Examples
    --------
    >>> print(ContributionError("queue_us", [Finding("examples", "none"), Finding("bounds", "-1 is below 0")]))
    queue_us breaks 2 checks
      examples: none
      bounds: -1 is below 0
    """

    def __init__(self, name: str, findings: Iterable[Finding]) -> None:
        self.findings = tuple(findings)
        count = f"{len(self.findings)} check{'s' if len(self.findings) > 1 else ''}"
        super().__init__(
            "\n  ".join([f"{name} breaks {count}", *(f"{one.check}: {one.found}" for one in self.findings)])
        )


def first_of_each(findings: Iterable[Finding]) -> list[Finding]:
    """Return the first finding of every check.

    Examples
    --------
    >>> [one.found for one in first_of_each([Finding("bounds", "1"), Finding("bounds", "2"), Finding("name", "3")])]
    ['1', '3']
    """
    found: dict[str, Finding] = {}
    for one in findings:
        found.setdefault(one.check, one)
    return [*found.values()]
