"""Weights of learnt agents: which file a connection's controller asks for, and whether it is there.

A controller whose parameter ``agent`` is ``learnt`` decides with weights that were trained before. They lie in a folder
of their own, one file for each controller, and the simulator receives its path by ``--agent``.
"""

from __future__ import annotations

from pathlib import Path

from smartsbd.contracts.fault import Fault
from smartsbd.scenarios import registry
from smartsbd.scenarios.scenario import ConnectionSettings

_SUFFIX = ".agent"
_LEARNT = "learnt"
_OF_SUBFLOW = "mplibra"


class AgentMissingError(Fault):
    """The weights that a controller asks for are not there; the message names them. Nothing replaces them."""


def weights_name(connection: ConnectionSettings) -> str | None:
    """Return the name of the file with the weights that a connection's controller asks for; None if it asks for none.

    Parameters
    ----------
    connection : ConnectionSettings

    Returns
    -------
    str or None
        Without its folder.
    """
    chosen = connection.congestion_control
    if registry.parameter("congestion_control", chosen, "agent") != _LEARNT:
        return None
    # An agent alone that sees its own subflow is MPLibra's.
    sees = registry.parameter("congestion_control", chosen, "sees")
    return f"{_OF_SUBFLOW if sees == 'subflow' else connection.controller}{_SUFFIX}"


def options(connection: ConnectionSettings, agents: Path | None) -> list[str]:
    """Return the simulator's options for weights: none under a controller that asks for none.

    Parameters
    ----------
    connection : ConnectionSettings
    agents : Path, optional
        Folder with the weights.

    Returns
    -------
    list of str
        At most one, ``--agent`` with an absolute path.

    Raises
    ------
    AgentMissingError
        If weights are asked for that are not there.
    """
    name = weights_name(connection)
    if name is None:
        return []
    if agents is None or not (agents / name).is_file():
        raise AgentMissingError(f"{name} is not there")
    return [f"--agent={(agents / name).absolute()}"]
