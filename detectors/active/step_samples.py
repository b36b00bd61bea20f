"""RTT samples of a subflow by the step in which their segment left, and the mean RTT of some steps."""

from __future__ import annotations

from dataclasses import dataclass, field

#: Most samples of a step; more are left out.
STEP_SAMPLES = 64
#: Most that an RTT counts, in us.
LIMIT_US = (1 << 20) - 1


@dataclass
class StepSamples:
    """RTT samples of a subflow.

    Parameters
    ----------
    last_step : int
        The last step in which a segment left.
    rtts_us : dict of int to list of int
        RTTs of the segments that left in a step.
    """

    last_step: int = 0
    rtts_us: dict[int, list[int]] = field(default_factory=dict)

    def add(self, step: int, rtt_us: int) -> None:
        """Add a sample. One that left before the last one is taken to have left with it."""
        self.last_step = max(self.last_step, step)
        samples = self.rtts_us.setdefault(self.last_step, [])
        if len(samples) < STEP_SAMPLES:
            samples.append(min(rtt_us, LIMIT_US))

    def mean_us(self, from_step: int, to_step: int) -> int | None:
        """Return the mean RTT of the samples that left from one step on and before another, rounded down.

        Returns
        -------
        int or None, microseconds
            None without samples.

        Examples
        --------
        >>> samples = StepSamples()
        >>> for step, rtt_us in [(1, 100), (2, 200), (1, 301), (5, 900)]:
        ...     samples.add(step, rtt_us)
        >>> samples.mean_us(2, 5), samples.mean_us(3, 5)
        (250, None)
        """
        rtts_us = [rtt_us for step in range(from_step, to_step) for rtt_us in self.rtts_us.get(step, ())]
        return sum(rtts_us) // len(rtts_us) if rtts_us else None
