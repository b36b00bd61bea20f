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
            "\n  ".join([f"{name} breaks {count}", *(f"{finding.check}: {finding.found}" for finding in self.findings)])
        )


def first_of_each(findings: Iterable[Finding]) -> list[Finding]:
    """Return the first finding of every check.

    Returns
    -------
    list of Finding
        In the order of `findings`.

    Examples
    --------
    >>> findings = [Finding("bounds", "1"), Finding("bounds", "2"), Finding("name", "3")]
    >>> [finding.found for finding in first_of_each(findings)]
    ['1', '3']
    """
    first: dict[str, Finding] = {}
    for finding in findings:
        first.setdefault(finding.check, finding)
    return [*first.values()]
