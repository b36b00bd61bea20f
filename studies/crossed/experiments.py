"""Controllers crossed with schedulers: networks drawn as those of ``wide``, with transfers of several sizes.

Each network is run under every pair of a controller and a scheduler. SmartSBD is LIA that verdicts of the lag excess
switch. What is run, and why, was written down in experiments.md first.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from smartsbd.scenarios import wide
from smartsbd.scenarios.choice import Choice
from smartsbd.scenarios.scenario import FiniteTransfer, Scenario
from studies.transfers.transfer_experiment import Experiment, Experiments

RANGES = replace(wide.RANGES, rate_mbit_s=(2.0, 8.0), longest_queue_ms=500.0, bulk=1.0, rivals=1)
#: Bottleneck of each subflow.
_GROUPS = {"shared": (0, 0), "separate": (0, 1)}
_KB = 1000
_BULK = "bulk"
_CONTROLLERS = {"lia": Choice("lia"), "mpcc": Choice("mpcc"), "smartsbd": Choice("lia", verdicts="lag_excess")}
_SCHEDULERS = ("min_rtt", "blest", "olaps")
#: One for each controller and scheduler; the first is what the others are compared with.
CHOICES: dict[str, Choice] = {
    f"{name}, {scheduler}": replace(choice, scheduler=scheduler)
    for name, choice in _CONTROLLERS.items()
    for scheduler in _SCHEDULERS
}
BASE = next(iter(CHOICES))


class CrossedExperiment(Experiment):
    """Transfers over networks with a shared bottleneck, and over networks with one for each subflow."""

    bottlenecks: list[Literal["shared", "separate"]] = Field(min_length=1)
    buffers_kb: list[Annotated[float, Field(ge=17, le=100_000)]] = Field(min_length=1)
    sizes_mb: list[Annotated[float, Field(ge=0.01, le=1000)]] = Field(description="Files; each is a task of its own.")
    longest_s: Annotated[float, Field(ge=5, le=600)] = Field(description="How long a file is watched.")
    bulk_s: Annotated[float, Field(ge=5, le=600)] = Field(description="Length of a transfer that always has data.")

    def _choices(self) -> dict[str, Choice]:
        return CHOICES

    def _by_setting(self) -> dict[str, tuple[tuple[int, int], float, float | None]]:
        tasks = {_BULK: None} | {f"{size:g} MB": size for size in self.sizes_mb}
        return {
            f"{bottleneck}, {buffer:g} kB, {task}": (_GROUPS[bottleneck], buffer, size)
            for bottleneck in self.bottlenecks
            for buffer in self.buffers_kb
            for task, size in tasks.items()
        }

    def _settings(self) -> list[str]:
        return list(self._by_setting())

    def _drawn(self, setting: str, rng: np.random.Generator) -> Scenario:
        groups, buffer_kb, size_mb = self._by_setting()[setting]
        number = int(rng.integers(2**32))
        duration_s = self.bulk_s if size_mb is None else self.longest_s
        drawn = wide.draw([number], groups, RANGES, number=number, duration_s=duration_s, setting=setting).scenario
        changed = {
            "receive_buffer_bytes": round(buffer_kb * _KB),
            "delivery_details": True,
            "application": None if size_mb is None else FiniteTransfer(bytes=round(size_mb * 1e6)),
        }
        return drawn.model_copy(update={"connection": drawn.connection.model_copy(update=changed)})


class CrossedExperiments(Experiments):
    """All experiments."""

    transfers: CrossedExperiment
