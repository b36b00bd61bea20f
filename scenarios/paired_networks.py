"""Networks drawn as those of ``wide``, each run under every one of several choices at the sender.

For each number there is a network whose subflows meet at one bottleneck, and one whose subflows have a bottleneck each,
with the same settings (:mod:`smartsbd.scenarios.wide`). Each is run once under every choice, with the same seed, links,
background and application: runs of one network differ in the choice, in the token, and in nothing else. Rates and
queues end lower than those of ``wide``: ns-3's transmit buffer takes time quadratic in the window, and a run of
8.7 Mbit/s and a queue of 2.5 s had not ended after 50 CPU s.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from smartsbd.scenarios import wide
from smartsbd.scenarios.choice import Choice
from smartsbd.scenarios.scenario import Run

RANGES = replace(wide.RANGES, rate_mbit_s=(1.0, 8.0), longest_queue_ms=1000.0)
#: What was drawn, how the sender has data, and the choice.
_SETTING = re.compile(r"(?P<base>base \d+), \w+, (?P<choice>.+)")


def parts_of(setting: str) -> tuple[str, str]:
    """Return the base scenario and the choice that a setting of the truth table names.

    Parameters
    ----------
    setting : str
        Column ``scenario``.

    Returns
    -------
    (str, str)
        Base scenario and choice.

    Raises
    ------
    ValueError
        If it is none of such a dataset.

    Examples
    --------
    >>> parts_of("base 017, bulk, lia counts acks")
    ('base 017', 'lia counts acks')
    """
    parts = _SETTING.fullmatch(setting)
    if parts is None:
        raise ValueError(f"{setting!r} names no base scenario and no choice")
    return parts["base"], parts["choice"]


def _under_each(
    choices: Sequence[Choice], number: int, groups: list[int], seed: int, duration_s: float
) -> Iterator[Run]:
    """Yield a network's run under each choice."""
    base = wide.draw([seed, number], groups, RANGES, number=number, duration_s=duration_s, setting=f"base {number:03d}")
    for choice in choices:
        # Where a controller never acts, logs are the same except for the token; the same file twice is refused.
        rng = np.random.default_rng([seed, number, *groups, *choice.name.encode()])
        token = {"token": f"{rng.integers(1, 2**32):08x}"}
        changed = {"connection": choice.applied(base.scenario.connection).model_copy(update=token)}
        yield Run(
            scenario=base.scenario.model_copy(update=changed), site=None, setting=f"{base.setting}, {choice.name}"
        )


def draw_runs(choices: Sequence[Choice], *, connections_per_label: int, duration_s: float, seed: int) -> list[Run]:
    """Draw as many networks with a shared bottleneck as without, and every choice on each.

    Parameters
    ----------
    choices : sequence of Choice
        Of different names.
    connections_per_label : int
        Networks with a shared bottleneck, and as many without; each is run as often as there are choices.
    duration_s : float, seconds
        Length of each transfer.
    seed : int

    Returns
    -------
    list of Run
        Network by network, a run for each choice.
    """
    return [
        run
        for groups in ([0, 0], [0, 1])
        for number in range(connections_per_label)
        for run in _under_each(choices, number, groups, seed, duration_s)
    ]
