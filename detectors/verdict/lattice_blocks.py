"""RTT samples of two subflows on a lattice of sixteen steps a round trip, in blocks that no later sample changes.

The lattice begins at the later subflow's tenth sample. Its round trip is the larger of both smallest RTTs so far; where
that falls below seven tenths, a new lattice begins. A block is known when both subflows have a later sample, or one has
been silent for so long that nothing that it sends can matter.

Silences of both subflows that end together, again and again, are stalls that both meet, of a radio or of the sender:
no queue. From the fourth on, what was sampled from where the earlier silence began, up to a round trip after the end,
is left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from smartsbd.detectors.verdict.change_signs import BLOCK_STEPS, LEAD_STEPS
from smartsbd.detectors.verdict.lag_agreement import STEPS_PER_RTT
from smartsbd.detectors.verdict.queue_evidence import CLOSE_STEPS, CloseSums
from smartsbd.detectors.verdict.sample_sums import SampleSums

#: Most that a round trip counts.
_CAP_US = 256_000
_FIRST_SAMPLES = 10
#: What an RTT is at most.
LIMIT_US = (1 << 24) - 1
#: A silence is longer than this; levels of silences are its doublings.
_SILENT_STEPS = 8
_LEVELS = 7
#: In a silence of this level or above delays are taken to have stayed.
_HELD_LEVEL = 6
#: A longer silence is as long as any.
_LONGEST_STEPS = 512
#: Steps that are kept: before a block, its own, and what may follow while a sample is waited for.
_WINDOW = LEAD_STEPS + BLOCK_STEPS + _LONGEST_STEPS + 2
_SLOT_STEPS = 8
_EXCISED_FROM = 4
_EXCISED_STEPS = 16
#: Empty blocks in a row after which nothing earlier is compared.
_FORGOTTEN = 8


@dataclass(frozen=True)
class LatticeBlock:
    """What is known of a block.

    Attributes
    ----------
    number : int
        From the lattice's start.
    delay_us, level : tuple of list of int
        Of each subflow, at the 255 steps before the block and its 256: the delay, and how many of 8, 16, ..., 512 steps
        the silence exceeds that the step lies in.
    reference_us : tuple of int
        Delays at the lattice's start.
    samples : SampleSums
    min_us : tuple of int, us
        Smallest delay of each subflow so far.
    silent : bool
        Whether it is known because a subflow has long been silent.
    skipped : int
        Blocks that went by before this one while both were silent.
    """

    number: int
    delay_us: tuple[list[int], list[int]]
    level: tuple[list[int], list[int]]
    reference_us: tuple[int, int]
    samples: SampleSums
    min_us: tuple[int, int]
    silent: bool
    skipped: int


@dataclass(frozen=True)
class _Chain:
    """The last sample of a subflow that is kept, and its probe of this half round trip."""

    time_ns: int
    rtt_us: int
    has_last: bool = False
    slot: int | None = None
    probe_ns: int = 0
    probe_us: int = 0
    crossing_ns: int | None = None
    crossing_us: int = 0


@dataclass(frozen=True)
class _Counted:
    """What was counted last, or what a sample of the same time may add: the later sample's time, and the delays."""

    time_ns: int
    delays_us: tuple[int, int, int]


@dataclass
class _Subflow:
    """What is kept of a subflow's samples."""

    chain: _Chain = _Chain(0, 0)
    #: The other's chain when the last sample came.
    beside: _Chain = _Chain(0, 0)
    #: Its own chain and the other's when its last silence began.
    before: tuple[_Chain, _Chain] = (_Chain(0, 0), _Chain(0, 0))
    adjacent: _Counted | None = None
    probes: _Counted | None = None
    adjacent_pending: _Counted | None = None
    probes_pending: _Counted | None = None
    silence_ns: tuple[int, int] | None = None
    raw_ns: int = 0
    raw_us: int = 0
    min_us: int = LIMIT_US
    samples: int = 0
    reference_us: int = 0
    #: From the 255th step before the block that is waited for.
    delay_us: list[int] = field(default_factory=list)
    level: list[int] = field(default_factory=list)


class LatticeBlocks:
    """Takes samples, and yields what they complete.

    Examples
    --------
    >>> blocks = LatticeBlocks()
    >>> for place in range(2_400):
    ...     assert not list(blocks.on_rtt(place % 2, place * 1_000_000, 160_000)) or place > 2_000
    >>> [block.number for block in blocks.finish()], blocks.step_ns
    ([], 10000000)
    """

    def __init__(self) -> None:
        self.step_ns = 0
        self.round_trip_us = 0
        #: Lattices begun.
        self.lattices = 0
        #: Of each subflow, on this lattice; the judge of the pair lets them fade.
        self.close = (CloseSums(), CloseSums())
        self._start_ns = 0
        self._number = 0
        self._complete_ns: int | None = None
        self._settled_ns: int | None = None
        self._void_run = 0
        self._skipped = 0
        self._ended_together = 0
        self._cuts: list[tuple[int, int]] = []
        self._subflows = (_Subflow(), _Subflow())
        self._waiting: dict[int, SampleSums] = {}

    def on_rtt(self, which: int, time_ns: int, rtt_us: int) -> Iterator[LatticeBlock]:
        """Take a sample of subflow 0 or 1, none older than the one before; yield the blocks that it completes.

        Parameters
        ----------
        which : int
        time_ns : int, nanoseconds
        rtt_us : int, us
            More than :data:`LIMIT_US` counts as that.

        Yields
        ------
        LatticeBlock
            In order; numbers begin anew with a lattice.
        """
        subflow = self._subflows[which]
        rtt_us = min(rtt_us, LIMIT_US)
        before_ns = subflow.raw_ns
        subflow.min_us = min(subflow.min_us, rtt_us)
        subflow.samples += 1
        if self.lattices:
            yield from self._caught_up(time_ns, others_follow=True)
            if time_ns - before_ns > _SILENT_STEPS * self.step_ns:
                self._end_silence(which, before_ns, time_ns)
            if not self._cuts or time_ns >= self._cuts[-1][1]:
                self._take(which, time_ns, rtt_us)
        self._note(which, time_ns, rtt_us)
        if self._is_outgrown():
            yield from self.finish(time_ns)
            self._begin(time_ns)
            if time_ns - before_ns > _SILENT_STEPS * self.step_ns:
                self._end_silence(which, before_ns, time_ns)
            self._take(which, time_ns, rtt_us)
            self._note(which, time_ns, rtt_us)

    def finish(self, time_ns: int | None = None) -> Iterator[LatticeBlock]:
        """Yield what is complete, when no sample follows, on this lattice or at all."""
        if self.lattices:
            last_ns = max(subflow.raw_ns for subflow in self._subflows) if time_ns is None else time_ns
            yield from self._caught_up(last_ns, others_follow=False)

    def tell_void(self, void: bool) -> None:
        """Take whether the block that was yielded last is void: nothing was counted in it, and a subflow was silent."""
        self._void_run = self._void_run + 1 if void else 0

    def _min_rtt_us(self) -> int:
        return min(max(subflow.min_us for subflow in self._subflows), _CAP_US)

    def _is_outgrown(self) -> bool:
        if any(subflow.samples < _FIRST_SAMPLES for subflow in self._subflows):
            return False
        return not self.lattices or 10 * self._min_rtt_us() < 7 * self.round_trip_us

    def _begin(self, time_ns: int) -> None:
        self.lattices += 1
        self.round_trip_us = max(1, self._min_rtt_us())
        self.step_ns = self.round_trip_us * 1_000 // STEPS_PER_RTT
        self._start_ns, self._number = time_ns, 0
        self._complete_ns = self._settled_ns = None
        self._void_run = self._skipped = self._ended_together = 0
        self._cuts, self._waiting = [], {}
        self.close = (CloseSums(), CloseSums())
        for subflow in self._subflows:
            subflow.chain = _Chain(subflow.raw_ns, subflow.raw_us)
            subflow.adjacent = subflow.probes = subflow.adjacent_pending = subflow.probes_pending = None
            subflow.silence_ns = None
            subflow.delay_us, subflow.level = [0] * LEAD_STEPS, [0] * LEAD_STEPS
        for which, subflow in enumerate(self._subflows):
            subflow.beside = self._subflows[not which].chain

    def _first_ns(self) -> int:
        """Return the time of the first step that is kept."""
        return self._start_ns + (self._number * BLOCK_STEPS - LEAD_STEPS) * self.step_ns

    def _end_ns(self) -> int:
        return self._start_ns + (self._number + 1) * BLOCK_STEPS * self.step_ns

    def _caught_up(self, time_ns: int, others_follow: bool) -> Iterator[LatticeBlock]:
        """Yield blocks that samples before a time have completed.

        While others may follow, each subflow must have a sample that is no older than the one that completed the block,
        and be half a step further: by then, no silences can turn out to have ended together whose samples, if left out,
        would make the block incomplete again. That is waited for as long as a sender's window has room.
        """
        while True:
            end_ns = self._end_ns()
            latest_ns, waits_for_ns = end_ns, []
            fallen_silent = 0
            for subflow in self._subflows:
                known_ns = subflow.chain.time_ns
                silent = time_ns - known_ns > _LONGEST_STEPS * self.step_ns
                if known_ns >= end_ns:
                    latest_ns = max(latest_ns, known_ns)
                    waits_for_ns += [] if silent else [known_ns]
                elif time_ns >= end_ns and silent:
                    self._fill(subflow, time_ns, subflow.chain.rtt_us)
                    fallen_silent += 1
                else:
                    return
            if self._complete_ns is None:
                self._complete_ns, self._settled_ns = latest_ns, None
            if self._settled_ns is None and all(at_ns >= self._complete_ns for at_ns in waits_for_ns):
                self._settled_ns = latest_ns
            has_room = time_ns <= end_ns + _LONGEST_STEPS * self.step_ns
            settles = self._settled_ns is None or time_ns <= self._settled_ns + self.step_ns // 2
            if others_follow and has_room and settles:
                return
            yield self._pass_block(fallen_silent > 0)
            if fallen_silent == len(self._subflows) and self._void_run >= _FORGOTTEN:
                # Nothing of these blocks differs from the last ones.
                blocks = max(0, (time_ns - self._end_ns()) // (BLOCK_STEPS * self.step_ns))
                self._skipped += blocks
                self._number += blocks
                # Steps from that time on are not known.
                known = (time_ns - self._first_ns() - 1) // self.step_ns + 1
                for subflow in self._subflows:
                    del subflow.delay_us[known:], subflow.level[known:]

    def _pass_block(self, silent: bool) -> LatticeBlock:
        a, b = self._subflows
        block = LatticeBlock(
            number=self._number,
            delay_us=(a.delay_us[: LEAD_STEPS + BLOCK_STEPS], b.delay_us[: LEAD_STEPS + BLOCK_STEPS]),
            level=(a.level[: LEAD_STEPS + BLOCK_STEPS], b.level[: LEAD_STEPS + BLOCK_STEPS]),
            reference_us=(a.reference_us, b.reference_us),
            samples=self._waiting.pop(self._number, SampleSums()),
            min_us=(a.min_us, b.min_us),
            silent=silent,
            skipped=self._skipped,
        )
        self._skipped = 0
        for subflow in self._subflows:
            del subflow.delay_us[:BLOCK_STEPS], subflow.level[:BLOCK_STEPS]
        self._number += 1
        self._complete_ns = None
        return block

    def _level(self, gap_ns: int) -> int:
        return sum(gap_ns > (_SILENT_STEPS << level) * self.step_ns for level in range(_LEVELS))

    def _fill(self, subflow: _Subflow, time_ns: int, rtt_us: int) -> None:
        """Note the delays at the steps from a subflow's last sample up to a time, which is excluded."""
        first_ns, last_ns, last_us = self._first_ns(), subflow.chain.time_ns, subflow.chain.rtt_us
        gap_ns, rise_us = time_ns - last_ns, rtt_us - last_us
        gap_level = self._level(gap_ns)
        while len(subflow.delay_us) < _WINDOW:
            at_ns = first_ns + len(subflow.delay_us) * self.step_ns
            if at_ns >= time_ns:
                break
            delay_us, level = last_us, gap_level
            if at_ns == last_ns:
                level = 0
            elif gap_level < _HELD_LEVEL:
                by_us = abs(rise_us) * (at_ns - last_ns) // gap_ns
                delay_us += by_us if rise_us >= 0 else -by_us
            if any(from_ns < at_ns < to_ns for from_ns, to_ns in self._cuts):
                level = _LEVELS
            subflow.delay_us.append(delay_us)
            subflow.level.append(level)
            if at_ns == self._start_ns:
                subflow.reference_us = delay_us

    def _sums_at(self, time_ns: int) -> SampleSums:
        number = (time_ns - self._start_ns) // (BLOCK_STEPS * self.step_ns)
        return self._waiting.setdefault(number, SampleSums())

    def _count_adjacent(self, which: int, counted: _Counted, by: int = 1) -> None:
        before_us, _, after_us = counted.delays_us
        sums = self._sums_at(counted.time_ns).adjacent[which]
        sums.add(before_us, after_us, self._subflows[which].reference_us, by)

    def _count_probe(self, which: int, counted: _Counted, by: int = 1) -> None:
        its_us, other_us = self._subflows[which].reference_us, self._subflows[not which].reference_us
        self._sums_at(counted.time_ns).probes[which].add(counted.delays_us, (its_us, other_us, its_us), by)

    def _take(self, which: int, time_ns: int, rtt_us: int) -> None:
        """Take a sample that is kept."""
        subflow = self._subflows[which]
        self._fill(subflow, time_ns, rtt_us)
        self._cross(which, time_ns, rtt_us)
        self._adjoin(which, time_ns, rtt_us)
        self._probe(which, time_ns, rtt_us)
        chain = subflow.chain
        if chain.has_last and time_ns - chain.time_ns <= CLOSE_STEPS * self.step_ns:
            self.close[which].add(chain.rtt_us, rtt_us, subflow.reference_us)
        subflow.chain = replace(subflow.chain, time_ns=time_ns, rtt_us=rtt_us, has_last=True)

    def _cross(self, which: int, time_ns: int, rtt_us: int) -> None:
        """Take a sample as what lies behind the other subflow's probe, or between two of its samples that end now."""
        other = self._subflows[not which]
        if other.adjacent_pending is not None and other.adjacent_pending.time_ns == time_ns:
            other.adjacent, other.adjacent_pending = other.adjacent_pending, None
            self._count_adjacent(not which, other.adjacent)
        if other.probes_pending is not None and other.probes_pending.time_ns == time_ns:
            probe_us, _, following_us = other.probes_pending.delays_us
            other.probes, other.probes_pending = _Counted(time_ns, (probe_us, rtt_us, following_us)), None
            self._count_probe(not which, other.probes)
        chain = other.chain
        if chain.slot is not None and chain.crossing_ns is None and time_ns > chain.probe_ns:
            other.chain = replace(chain, crossing_ns=time_ns, crossing_us=rtt_us)

    def _adjoin(self, which: int, time_ns: int, rtt_us: int) -> None:
        """Count a sample with the one before, if one of the other subflow lies between."""
        subflow = self._subflows[which]
        chain = subflow.chain
        if not chain.has_last or time_ns == chain.time_ns:
            return
        counted = _Counted(time_ns, (chain.rtt_us, 0, rtt_us))
        subflow.adjacent_pending = None
        if self._subflows[not which].chain.time_ns > chain.time_ns:
            subflow.adjacent = counted
            self._count_adjacent(which, counted)
        else:
            subflow.adjacent_pending = counted

    def _probe(self, which: int, time_ns: int, rtt_us: int) -> None:
        """Take a sample as a probe if it is the first in its half round trip."""
        subflow = self._subflows[which]
        chain = subflow.chain
        slot = (time_ns - self._start_ns) // (_SLOT_STEPS * self.step_ns)
        if slot == chain.slot:
            return
        subflow.probes_pending = None
        counted = _Counted(time_ns, (chain.probe_us, chain.crossing_us, rtt_us))
        if chain.crossing_ns is not None:
            subflow.probes = counted
            self._count_probe(which, counted)
        elif chain.slot is not None:
            subflow.probes_pending = counted
        subflow.chain = replace(chain, slot=slot, probe_ns=time_ns, probe_us=rtt_us, crossing_ns=None)

    def _note(self, which: int, time_ns: int, rtt_us: int) -> None:
        """Note the sample itself, kept or not."""
        subflow, other = self._subflows[which], self._subflows[not which]
        subflow.raw_ns, subflow.raw_us, subflow.beside = time_ns, rtt_us, other.chain
        if other.raw_ns == time_ns:
            other.beside = subflow.chain

    def _end_silence(self, which: int, begin_ns: int, time_ns: int) -> None:
        subflow, other = self._subflows[which], self._subflows[not which]
        subflow.before = (subflow.chain, subflow.beside)
        if other.silence_ns is not None and time_ns - other.silence_ns[1] <= self.step_ns // 2:
            self._excise(which, begin_ns, other.silence_ns[0], time_ns)
        subflow.silence_ns = (begin_ns, time_ns)

    def _excise(self, which: int, begin_ns: int, other_begin_ns: int, time_ns: int) -> None:
        """Leave out what was sampled around two silences, the second of which ends here."""
        subflow, other = self._subflows[which], self._subflows[not which]
        self._ended_together += 1
        if self._ended_together < _EXCISED_FROM:
            return
        from_ns = min(begin_ns, other_begin_ns)
        if other_begin_ns <= begin_ns:
            other.chain, subflow.chain = other.before
        else:
            other.chain = subflow.beside
        for place in range(len(self._subflows)):
            self._go_back(place, from_ns)
        # Older cuts lie among steps that are known already.
        self._cuts = [*self._cuts[-7:], (from_ns, time_ns + _EXCISED_STEPS * self.step_ns)]
        subflow.beside, other.beside = other.chain, subflow.chain
        self._complete_ns = None

    def _go_back(self, which: int, from_ns: int) -> None:
        """Forget a subflow's samples after a time; the next sample that is kept makes later steps known again."""
        subflow = self._subflows[which]
        if subflow.adjacent is not None and subflow.adjacent.time_ns > from_ns:
            self._count_adjacent(which, subflow.adjacent, -1)
        if subflow.probes is not None and subflow.probes.time_ns > from_ns:
            self._count_probe(which, subflow.probes, -1)
        if subflow.chain.crossing_ns is not None and subflow.chain.crossing_ns > from_ns:
            subflow.chain = replace(subflow.chain, crossing_ns=None)
        subflow.adjacent = subflow.probes = subflow.adjacent_pending = subflow.probes_pending = None
        # What was judged stays.
        known = max((subflow.chain.time_ns - self._first_ns()) // self.step_ns + 1, LEAD_STEPS)
        del subflow.delay_us[known:], subflow.level[known:]
