"""Whether the signs by which a sender moves the window of one subflow show in the RTTs of another.

**Symbols.** The window of a subflow is `a` segments above its base in the first half of a symbol and `a` below in the
second if its sign `b` is 1; if it is -1, the reverse. So a mean and a ramp cancel. Signs are drawn at random.

**Differences.** For each symbol, `d` is the mean RTT of the segments that left in its first half less that of those in
its second. With the median ``m`` of the sizes of `d` so far, ``s`` is 1.48 `m` and `c` is `d` within 2.5 `s`. If B
passes the queue that A fills, B's RTTs follow A's symbols at the lag at which B's segments leave to meet A's there, and
A's follow B's at the opposite lag. All lags from -M to M by M/8 are looked at; M is the larger minimum RTT.

**Shared.** If B's RTTs do not depend on A's signs, ``S = sum a b c / s^2`` is a sum of random signs whatever else moves
them, and exceeds ``z sqrt(V)`` with probability below ``exp(-z^2 / 2)``, ``V = sum (a c / s^2)^2``. Both directions
are summed. *Shared* is said if `z` is 4.2 at some lag, after eight symbols.

The two directions are not independent. A's RTTs follow A's signs and B's follow B's, so that the product of a sign of
A and one of B that are sent together is in both sums. The part ``r`` of the squares of a subflow's differences that its
signs explain is its ``z^2`` at its symbols, over their number. So `V` is taken ``1 + (r_A + r_B) / 2`` times.

**Apart.** What a segment of its window delays a subflow, its gain ``g``, is measured by its symbols in its RTTs at
lag 0, as ``S / 2P`` with ``P = sum a^2 / s^2``. *Apart* is said if no lag shows 0.6 of that: if the logarithm of the
likelihood ratio of 0.6 `g` against none, ``2 k g S - 2 k^2 g^2 P`` with ``k = 0.6``, is at most -4 at all lags, while
the subflows' answers to their own symbols have ``z`` of 3.5 together, and no lag has 2.5.

Neither is said otherwise, and what was said last holds. After 1,024 symbols of a direction, what is old counts half,
again and again. Time is in steps of M/16. Integers throughout; the twin in C is ``sbd_active.h``.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from smartsbd.detectors.active.step_samples import StepSamples

#: Steps of M, the larger minimum RTT.
STEPS_PER_RTT = 16
#: Lags in steps.
LAGS = range(-STEPS_PER_RTT, STEPS_PER_RTT + 1, 2)
#: Steps whose samples a sender keeps.
KEPT_STEPS = 192
#: The longest half of a symbol.
HALF_STEPS = 48
#: Most segments by which a window moves.
AMPLITUDE = 16
#: Symbols of a subflow that may wait for their samples.
WAITING = 8
#: Symbols of a direction after which those that are there count half.
MOST_SYMBOLS = 1024
_LEAST_SYMBOLS = 8
_LEAST_MEDIAN_US = 20
#: So many differences in which the largest so far stands for the median, and in which the median moves fast.
_FIRST_MEDIANS, _EARLY_MEDIANS = 4, 16
_GAIN_Q6 = (1 << 26) - 1
#: Squares of deviations, Q8: 4.2, 3.5 and 2.5.
SHARED_Q8, OWN_Q8, QUIET_Q8 = 4516, 3136, 1600
#: -4, in 1/6400.
APART_LLR = -25_600


class ActiveVerdict(Enum):
    """What is said of a pair, by the number that the twin in C has for it."""

    APART = 0
    SHARED = 1
    UNKNOWN = 2


class Symbol(NamedTuple):
    """A symbol by its steps: the first of each half, and the one after its end.

    Parameters
    ----------
    begin, middle, end : int, steps
    amplitude : int, segments
        With the sign of the first half.
    """

    begin: int
    middle: int
    end: int
    amplitude: int


@dataclass
class Response:
    """How the differences of halves go with the signs.

    Parameters
    ----------
    agreement : int
        Sum of ``a b c / s^2``, in 2^-30 per us.
    squares : int
        Sum of the squares of what is summed in `agreement`, in 2^-48.
    information : int
        Sum of ``a^2 / s^2``, in 2^-44 per square us.
    median_us : int
        Running median of the differences without their signs.
    differences : int
        How many there were.
    """

    agreement: int = 0
    squares: int = 0
    information: int = 0
    median_us: int = 0
    differences: int = 0

    def _move_median(self, size_us: int) -> None:
        """Move the median towards a difference."""
        step_us = (self.median_us >> (2 if self.differences < _EARLY_MEDIANS else 4)) + 1
        if self.differences < _FIRST_MEDIANS:
            self.median_us = max(self.median_us, size_us)
        elif size_us > self.median_us:
            self.median_us += step_us
        elif size_us < self.median_us:
            self.median_us -= step_us
        self.median_us = max(self.median_us, _LEAST_MEDIAN_US)
        self.differences += 1

    def add(self, samples: StepSamples, symbol: Symbol, lag_steps: int) -> None:
        """Add a symbol.

        Parameters
        ----------
        samples : StepSamples
            Of the subflow that may have answered.
        symbol : Symbol
        lag_steps : int
            How much later the answer is looked for.
        """
        begin, middle, end = (step + lag_steps for step in symbol[:3])
        first_us, second_us = samples.mean_us(begin, middle), samples.mean_us(middle, end)
        if first_us is None or second_us is None:
            return
        difference_us = first_us - second_us
        self._move_median(abs(difference_us))
        scale_us = self.median_us * 95 >> 6
        amplitude = abs(symbol.amplitude)
        term = (amplitude * min(abs(difference_us), scale_us * 5 >> 1) << 30) // scale_us**2
        self.agreement += term if (difference_us > 0) == (symbol.amplitude > 0) else -term
        self.squares += (term**2 >> 12) + 1
        self.information += (amplitude**2 << 44) // scale_us**2

    def halve(self) -> None:
        """Let what there is count half."""
        self.agreement >>= 1
        self.squares >>= 2
        self.information >>= 1

    def gain_q6(self) -> int:
        """Return how much a segment of the window delays the subflow that answers, Q6 in us; 0 or more."""
        if self.agreement <= 0 or not self.information:
            return 0
        return min((self.agreement << 19) // self.information, _GAIN_Q6)

    def llr(self, gain_q6: int) -> int:
        """Return the logarithm of how much likelier 0.6 of a gain is than none, in 1/6400."""
        linear_q8 = _scaled(abs(self.agreement), gain_q6, 28)
        square_q8 = min(_scaled(_scaled(self.information, gain_q6, 20), gain_q6, 28), 1 << 56)
        return 30 * (linear_q8 if self.agreement > 0 else -linear_q8) - 18 * square_q8


def _scaled(x: int, gain_q6: int, shift: int) -> int:
    """Return ``x gain 2^-shift``, with the 37 highest bits of a larger `x`."""
    fewer = min(shift, max(x.bit_length() - 37, 0))
    return (x >> fewer) * gain_q6 >> shift - fewer


def deviations_q8(agreement: int, squares: int) -> int:
    """Return the square of how many deviations a sum of random signs is above 0.

    Parameters
    ----------
    agreement : int
        The sum, in 2^-30.
    squares : int
        Sum of the squares of its terms, in 2^-48.

    Returns
    -------
    int
        Q8; 0 for a sum that is not above 0.

    Examples
    --------
    >>> deviations_q8(6 << 30, 4 << 48), deviations_q8(-6 << 30, 4 << 48)
    (2304, 0)
    """
    total = max(agreement, 0)
    while total >> 31:
        total >>= 1
        squares >>= 2
    return (total**2 >> 4) // max(squares, 1)


class ActiveEvidence(NamedTuple):
    """What all symbols of a pair say together.

    Parameters
    ----------
    symbols : int
        How many there were; fewer when older ones count half.
    shared_q8 : int
        Square of the deviations at the best lag.
    own_q8 : int
        Squares of the deviations of the subflows' answers to their own symbols, summed.
    llr : int
        Logarithm of the likelihood ratio of an answer like the own one, at the best lag, in 1/6400.
    """

    symbols: int
    shared_q8: int
    own_q8: int
    llr: int

    def judge(self) -> ActiveVerdict:
        """Return what the evidence says."""
        if self.symbols >= _LEAST_SYMBOLS and self.shared_q8 >= SHARED_Q8:
            return ActiveVerdict.SHARED
        if self.llr <= APART_LLR and self.own_q8 >= OWN_Q8 and self.shared_q8 < QUIET_Q8:
            return ActiveVerdict.APART
        return ActiveVerdict.UNKNOWN


@dataclass
class Direction:
    """The symbols of one subflow, and the answers to them.

    Parameters
    ----------
    lags : list of Response
        In the RTTs of the other subflow, at each of :data:`LAGS`.
    same : Response
        In the RTTs of the same subflow.
    waiting : deque of Symbol
        Those whose samples are not all there.
    symbols : int
        Those that were taken.
    """

    lags: list[Response] = field(default_factory=lambda: [Response() for _ in LAGS])
    same: Response = field(default_factory=Response)
    waiting: deque[Symbol] = field(default_factory=deque)
    symbols: int = 0

    def own_q8(self) -> int:
        """Return the square of the deviations of the subflow's answer to its own symbols, Q8."""
        return deviations_q8(self.same.agreement, self.same.squares)

    def own_share_q8(self) -> int:
        """Return the part of the squares of the subflow's differences that its own signs explain, Q8."""
        return min(self.own_q8() // self.symbols, 256) if self.symbols else 0

    def halve(self) -> None:
        """Let what there is count half."""
        self.symbols >>= 1
        for response in (*self.lags, self.same):
            response.halve()


class DitheredPair:
    """Two subflows whose windows a sender moves.

    Parameters
    ----------
    m_us : int, microseconds
        The larger of their minimum RTTs.
    """

    def __init__(self, m_us: int) -> None:
        self.step_ns: int = max(m_us * 1000 // STEPS_PER_RTT, 1)
        self.samples: tuple[StepSamples, StepSamples] = StepSamples(), StepSamples()
        self.directions: tuple[Direction, Direction] = Direction(), Direction()
        #: Symbols that were too long or too old, or too many at a time.
        self.left_out: int = 0
        self.verdict: ActiveVerdict = ActiveVerdict.UNKNOWN

    def on_symbol(self, which: int, begin_ns: int, middle_ns: int, end_ns: int, amplitude: int) -> None:
        """Take a symbol that has ended. Symbols of a subflow come in order of time.

        Parameters
        ----------
        which : int
            The subflow whose window moved, 0 or 1.
        begin_ns, middle_ns, end_ns : int, nanoseconds
            When its halves began, and when it ended.
        amplitude : int, segments
            By how much the window was above its base in the first half; at most :data:`AMPLITUDE`, not 0.
        """
        begin, middle, end = (
            (time_ns + self.step_ns // 2) // self.step_ns for time_ns in (begin_ns, middle_ns, end_ns)
        )
        symbol = Symbol(begin, middle, end, amplitude)
        halves = (symbol.middle - symbol.begin, symbol.end - symbol.middle)
        waiting = self.directions[which].waiting
        if (
            len(waiting) == WAITING
            or not all(0 < half <= HALF_STEPS for half in halves)
            or symbol.begin < STEPS_PER_RTT
        ):
            self.left_out += 1
            return
        waiting.append(symbol)

    def on_rtt(self, which: int, time_ns: int, rtt_us: int) -> bool:
        """Take an RTT sample. Samples of a pair come in order of time.

        Parameters
        ----------
        which : int
            The subflow, 0 or 1.
        time_ns : int, nanoseconds
            When the ACK came.
        rtt_us : int, microseconds

        Returns
        -------
        bool
            Whether symbols were judged; `verdict` is what holds then.
        """
        self.samples[which].add(max(time_ns - rtt_us * 1000, 0) // self.step_ns, rtt_us)
        taken = [self._take_ready(subflow) for subflow in (0, 1)]
        if not any(taken):
            return False
        judged = self.evidence().judge()
        if judged is not ActiveVerdict.UNKNOWN:
            self.verdict = judged
        return True

    def evidence(self) -> ActiveEvidence:
        """Return what all symbols say together."""
        a, b = self.directions
        gain_a_q6, gain_b_q6 = a.same.gain_q6(), b.same.gain_q6()
        lags = list(zip(a.lags, b.lags, strict=True))
        alone_q8 = max(deviations_q8(x.agreement + y.agreement, x.squares + y.squares) for x, y in lags)
        spread_q9 = 512 + a.own_share_q8() + b.own_share_q8()
        return ActiveEvidence(
            a.symbols + b.symbols,
            (alone_q8 << 9) // spread_q9,
            a.own_q8() + b.own_q8(),
            max(x.llr(gain_a_q6) + y.llr(gain_b_q6) for x, y in lags),
        )

    def _take_ready(self, which: int) -> bool:
        """Take the symbols of a subflow whose samples are all there; return whether there was one."""
        direction = self.directions[which]
        earlier, later = sorted(samples.last_step for samples in self.samples)
        taken = False
        while direction.waiting and earlier >= direction.waiting[0].end + STEPS_PER_RTT:
            symbol = direction.waiting.popleft()
            if later >= symbol.begin - STEPS_PER_RTT + KEPT_STEPS:
                self.left_out += 1
                continue
            self._take(which, symbol)
            taken = True
        return taken

    def _take(self, which: int, symbol: Symbol) -> None:
        """Take a symbol whose samples are all there."""
        direction = self.directions[which]
        # What B shows of A's symbols at a lag, A shows of B's at the opposite one.
        for lag_steps, response in zip(LAGS, direction.lags, strict=True):
            response.add(self.samples[1 - which], symbol, -lag_steps if which else lag_steps)
        direction.same.add(self.samples[which], symbol, 0)
        direction.symbols += 1
        if direction.symbols >= MOST_SYMBOLS:
            direction.halve()
