"""Loss events of a sender, by its changes of congestion state."""

from __future__ import annotations

from collections.abc import Iterable

from smartsbd.contracts.tables import OPEN, RECOVERY


class LossEpisodes:
    """Finds the loss events of subflows: entries into Recovery or Loss from outside both.

    A sender counts one loss event per window: none before snd_una has passed the highest byte sent when the one before
    began (`recover` of NewReno). The tables do not have that byte, but the kernel keeps it (high_seq) and leaves
    Recovery and Loss when snd_una has reached it, or when it takes the entry back. So an episode is over when the state
    is left, and a change from Recovery to Loss belongs to the episode that it happens in.
    """

    def __init__(self, subflow_ids: Iterable[int]) -> None:
        self._ca_state = dict.fromkeys(subflow_ids, OPEN)

    def begins(self, subflow_id: int, ca_state: int) -> bool:
        """Take a subflow's change of state; return whether a loss event begins with it.

        Returns
        -------
        bool
            True at an entry into Recovery or Loss from outside both.

        Examples
        --------
        >>> episodes = LossEpisodes([0])
        >>> [episodes.begins(0, ca_state) for ca_state in (1, 3, 4, 0, 4)]
        [False, True, False, False, True]
        """
        before, self._ca_state[subflow_id] = self._ca_state[subflow_id], ca_state
        return ca_state >= RECOVERY > before
