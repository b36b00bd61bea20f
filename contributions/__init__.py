"""One call checks a contribution: a feature of a window, or a baseline detector.

A contributor makes it of what is new; the tests make it of every feature in the catalogue and every detector.
"""

from smartsbd.contributions.baseline_checks import check_baseline
from smartsbd.contributions.feature_checks import check_feature
from smartsbd.contributions.finding import ContributionError, Finding

__all__ = ["ContributionError", "Finding", "check_baseline", "check_feature"]
