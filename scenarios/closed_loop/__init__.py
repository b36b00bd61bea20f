"""Experiments with the loop closed: verdicts decide, while a connection runs, which of its subflows are coupled.

An experiment is one file that draws networks, and one line here. Each network is run once under every control of the
experiment (:mod:`smartsbd.scenarios.closed_loop.sender_control`), with the same seed, links, background and
application, so controls are compared network by network. Nothing is trained, tuned or chosen on any of them.
"""

from __future__ import annotations

from smartsbd.scenarios.closed_loop import (
    beside_one_flow,
    kernel_paths,
    many_subflows,
    moving_bottleneck,
    separate_links,
    shared_link,
    table6_paths,
)
from smartsbd.scenarios.closed_loop.loop_experiment import LoopExperiment

EXPERIMENTS: dict[str, LoopExperiment] = {
    "loop_nsb": separate_links.EXPERIMENT,
    "loop_sb": shared_link.EXPERIMENT,
    "loop_shift": moving_bottleneck.EXPERIMENT,
    "loop_unseen": table6_paths.EXPERIMENT,
    "loop_groups": many_subflows.EXPERIMENT,
    "loop_harm": beside_one_flow.EXPERIMENT,
    "loop_kernel": kernel_paths.EXPERIMENT,
}
