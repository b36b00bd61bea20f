"""What controls a sender in the loop: a controller, and what tells it which subflows share a bottleneck."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from smartsbd.scenarios.scenario import Scenario


@dataclass(frozen=True)
class Control:
    """What controls a sender.

    Attributes
    ----------
    controller : str
        Its name in :mod:`smartsbd.scenarios.registry`; coupled ones couple the subflows that share.
    parameters : mapping of str to str or float
        Of the controller; others have their defaults.
    verdicts : str, optional
        The source of verdicts. Without one, all subflows are of one group for the whole run.
    verdict_parameters : mapping of str to str or float
        Of the source; others have their defaults.
    alone : bool
        Only the first subflow is there: a connection of one path.
    """

    controller: str
    parameters: Mapping[str, str | float] = field(default_factory=dict)
    verdicts: str | None = None
    verdict_parameters: Mapping[str, str | float] = field(default_factory=dict)
    alone: bool = False

    def applied(self, scenario: Scenario) -> Scenario:
        """Return a scenario under this control.

        Parameters
        ----------
        scenario : Scenario

        Returns
        -------
        Scenario
            Checked against the contract.

        Raises
        ------
        pydantic.ValidationError
            If the simulator has no such controller, parameter or source of verdicts.
        """
        named = {"name": self.controller, **self.parameters} if self.parameters else self.controller
        told = {"name": self.verdicts, **self.verdict_parameters} if self.verdict_parameters else self.verdicts
        changed = {"congestion_control": named, "lia_counts": None, "verdicts": told}
        whole = scenario.model_dump()
        subflows = whole["subflows"][:1] if self.alone else whole["subflows"]
        return Scenario.model_validate(
            {**whole, "connection": {**whole["connection"], **changed}, "subflows": subflows}
        )


#: Counts what the paper's kernel counts.
_ACKS = {"counts": "acks"}
#: One line for each; a switched one is named by its source of verdicts.
CONTROLS: dict[str, Control] = {
    "lia": Control("lia"),
    "lia acks": Control("lia", _ACKS),
    "olia": Control("olia"),
    "balia": Control("balia"),
    "wvegas": Control("wvegas"),
    "mpcc": Control("mpcc"),
    "mpol": Control("mpol"),
    "reno": Control("reno"),
    "one path": Control("reno", alone=True),
    "oracle": Control("lia", verdicts="oracle"),
    "oracle acks": Control("lia", _ACKS, "oracle"),
    "lag_excess": Control("lia", verdicts="lag_excess"),
    "lag_excess acks": Control("lia", _ACKS, "lag_excess"),
    "common_lag": Control("lia", verdicts="common_lag"),
    "common_lag odds": Control("lia", verdicts="common_lag", verdict_parameters={"coupling": "odds"}),
    "tree_paper": Control("lia", verdicts="tree_paper"),
    "tree_paper acks": Control("lia", _ACKS, "tree_paper"),
    "tree_invariant": Control("lia", verdicts="tree_invariant"),
    "tree_invariant acks": Control("lia", _ACKS, "tree_invariant"),
    "forest_invariant": Control("lia", verdicts="forest_invariant"),
    "rfc8382": Control("lia", verdicts="rfc8382"),
    "mptcp_sbd": Control("olia", verdicts="mptcp_sbd"),
    "mptcp_sbd lia": Control("lia", verdicts="mptcp_sbd"),
    "dwc_r": Control("lia", verdicts="dwc_r"),
    "ton20_r": Control("lia", verdicts="ton20_r"),
    "correlation": Control("lia", verdicts="correlation"),
}
#: Those that the paper compares, and BALIA, wVegas and both ways to count of LIA.
UNSWITCHED = ("lia", "lia acks", "olia", "balia", "wvegas", "mpcc", "reno")
SWITCHED = tuple(name for name, control in CONTROLS.items() if control.verdicts)
#: Of each kind of detector one, for experiments whose runs take long.
FEW = (
    "lia",
    "mpcc",
    "reno",
    "oracle",
    "lag_excess",
    "common_lag",
    "tree_paper",
    "tree_invariant",
    "forest_invariant",
    "mptcp_sbd",
)


def coupled_twin(name: str) -> str:
    """Return the control that a switched one equals while all its subflows are coupled.

    Parameters
    ----------
    name : str
        A name in :data:`CONTROLS`.

    Returns
    -------
    str
        A name in :data:`CONTROLS`, of a control without verdicts.

    Examples
    --------
    >>> coupled_twin("oracle acks"), coupled_twin("mptcp_sbd"), coupled_twin("reno")
    ('lia acks', 'olia', 'reno')
    """
    control = CONTROLS[name]
    return next(
        other
        for other, candidate in CONTROLS.items()
        if (candidate.controller, candidate.parameters) == (control.controller, control.parameters)
        and not candidate.verdicts
    )
