/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Active check: whether the signs by which a sender moves the window of one subflow show in the
 * RTTs of another
 *
 * Twin of detectors/active/dithered_pair.py, to the last bit. Integers only, no allocation, no
 * library; a pair is a struct sbd_active_pair of 4 KB at most, 2 KB a subflow.
 *
 *	sbd_active_init(&pair, larger_min_rtt_us);
 *	sbd_active_on_symbol(&pair, which, begin_ns, middle_ns, end_ns, b * a);
 *	if (sbd_active_on_rtt(&pair, which, time_ns, rtt_us))
 *		pair.said;
 *
 * A symbol has two halves: the window is b * a segments above its base in the first, and as far
 * below in the second (b negative: the reverse). Signs have to be random, and secret.
 */
#ifndef SBD_ACTIVE_H
#define SBD_ACTIVE_H

#ifdef __KERNEL__
#include <linux/types.h>
#elif !defined(SBD_BPF)
#include <stdbool.h>
#include <stdint.h>
#endif

/*
 * How functions and loops are written so that the verifier of BPF accepts them: what a BPF program
 * defines before, see kernel/src/verifiable.h. For all others it is what stands here.
 */
#ifndef SBD_BPF
#define SBD_ALONE	static inline
#define SBD_ARENA
#define SBD_REACHED(pointer)	(pointer)
#define SBD_ZERO	0
#define SBD_WHILE(condition)	(condition)
#endif

#define SBD_ACTIVE_STEPS_PER_RTT	16	/* of M, the larger minimum RTT */
#define SBD_ACTIVE_LAGS			17	/* -M to M */
#define SBD_ACTIVE_LAG_STEPS		2	/* from one lag to the next */
#define SBD_ACTIVE_KEPT_STEPS		192	/* of RTT samples */
#define SBD_ACTIVE_STEP_SAMPLES		64	/* in a step at most; more are left out */
#define SBD_ACTIVE_HALF_STEPS		48	/* the longest half; longer ones are left out */
#define SBD_ACTIVE_LIMIT_US		((1 << 20) - 1)	/* most that a sample counts */
#define SBD_ACTIVE_AMPLITUDE		16	/* segments, at most */
#define SBD_ACTIVE_WAITING		8	/* symbols that wait for their samples */
#define SBD_ACTIVE_MOST_SYMBOLS		1024	/* then the older half counts half */
#define SBD_ACTIVE_LEAST_SYMBOLS	8	/* of both directions, for "shared" */
#define SBD_ACTIVE_LEAST_MEDIAN_US	20
#define SBD_ACTIVE_FIRST_MEDIANS	4	/* the largest so far stands for the median */
#define SBD_ACTIVE_EARLY_MEDIANS	16	/* it moves by a quarter, later by a sixteenth */
#define SBD_ACTIVE_GAIN_Q6		((1 << 26) - 1)	/* most that a segment delays, us */
#define SBD_ACTIVE_SHARED_Q8		4516	/* 4.2^2 */
#define SBD_ACTIVE_OWN_Q8		3136	/* 3.5^2 */
#define SBD_ACTIVE_QUIET_Q8		1600	/* 2.5^2 */
#define SBD_ACTIVE_APART_LLR		(-25600)	/* -4 in 1/6400 */
#define SBD_ACTIVE_LEAST_LLR		(-((int64_t)1 << 62))	/* less than any */

enum sbd_active_verdict {
	SBD_ACTIVE_APART,
	SBD_ACTIVE_SHARED,
	SBD_ACTIVE_UNKNOWN
};

/* RTT samples by the step in which their segment left: sums from the start, before each step. */
struct sbd_active_samples {
	uint64_t step;		/* the last one */
	uint32_t sum_us;	/* modulo 2^32 */
	uint16_t count;		/* modulo 2^16 */
	uint16_t in_step;	/* in the last one */
	uint32_t sum_before_us[SBD_ACTIVE_KEPT_STEPS];
	uint16_t count_before[SBD_ACTIVE_KEPT_STEPS];
};

struct sbd_active_symbol {
	uint64_t begin;		/* step; those of its middle and end follow */
	uint16_t first_steps, second_steps;
	int8_t amplitude;	/* segments, with the sign of the first half */
};

/* How the differences of the halves go with the signs. */
struct sbd_active_response {
	int64_t agreement;	/* sum of a b c / s^2, in 2^-30 per us */
	uint64_t squares;	/* of what is summed there, in 2^-48 */
	uint64_t information;	/* sum of a^2 / s^2, in 2^-44 per square us */
	uint32_t median_us;	/* of the differences without their signs */
	uint32_t differences;
};

/* The symbols of one subflow, in the RTTs of the other, and in those of the same. */
struct sbd_active_direction {
	struct sbd_active_response lag[SBD_ACTIVE_LAGS];
	struct sbd_active_response same;
	struct sbd_active_symbol waiting[SBD_ACTIVE_WAITING];
	uint32_t first, waits;	/* of those that wait */
	uint32_t symbols;	/* taken; fewer when older ones count half */
};

struct sbd_active_pair {
	uint64_t step_ns;
	struct sbd_active_samples samples[2];
	struct sbd_active_direction direction[2];
	uint32_t left_out;	/* symbols: too long, too old, or too many */
	uint8_t said;		/* enum sbd_active_verdict; what was said last holds */
};

/* What all symbols say together. */
struct sbd_active_evidence {
	uint64_t shared_q8;	/* largest square of a deviation with the right sign */
	uint64_t own_q8;	/* of the subflows' answers to their own symbols, summed */
	int64_t llr;		/* largest, in 1/6400: of an answer like the own one against none */
	uint32_t symbols;
};

/*
 * @pair: zeros
 * @m_us: the larger of the minimum RTTs of the two subflows
 */
static inline void sbd_active_init(struct sbd_active_pair *pair, uint32_t m_us)
{
	pair->step_ns = (uint64_t)m_us * 1000 / SBD_ACTIVE_STEPS_PER_RTT;
	if (!pair->step_ns)
		pair->step_ns = 1;
	pair->said = SBD_ACTIVE_UNKNOWN;
}

/* One that left before the last one is taken to have left with it. */
SBD_ALONE int sbd_active_add_sample(struct sbd_active_samples *of SBD_ARENA, uint64_t step,
				    uint32_t rtt_us)
{
	struct sbd_active_samples *samples = SBD_REACHED(of);
	uint32_t i;

	if (step > samples->step) {
		uint64_t steps = step - samples->step;

		for (i = SBD_ZERO; SBD_WHILE(i < SBD_ACTIVE_KEPT_STEPS && i < steps); i++) {
			uint32_t place = (uint32_t)((step - i) % SBD_ACTIVE_KEPT_STEPS);

			samples->sum_before_us[place] = samples->sum_us;
			samples->count_before[place] = samples->count;
		}
		samples->step = step;
		samples->in_step = 0;
	}
	if (samples->in_step == SBD_ACTIVE_STEP_SAMPLES)
		return 0;
	samples->in_step++;
	samples->count++;
	samples->sum_us += rtt_us < SBD_ACTIVE_LIMIT_US ? rtt_us : SBD_ACTIVE_LIMIT_US;
	return 0;
}

/*
 * The mean RTT of the samples that left from one step on, before another.
 *
 * Return: false if there are none.
 */
static inline bool sbd_active_mean(const struct sbd_active_samples *samples, uint64_t from,
				   uint64_t to, uint32_t *mean_us)
{
	uint32_t i = (uint32_t)(from % SBD_ACTIVE_KEPT_STEPS);
	uint32_t j = (uint32_t)(to % SBD_ACTIVE_KEPT_STEPS);
	uint16_t count = (uint16_t)(samples->count_before[j] - samples->count_before[i]);

	if (!count)
		return false;
	*mean_us = (samples->sum_before_us[j] - samples->sum_before_us[i]) / count;
	return true;
}

static inline void sbd_active_move_median(struct sbd_active_response *response, uint32_t size_us)
{
	uint32_t shift = response->differences < SBD_ACTIVE_EARLY_MEDIANS ? 2 : 4;
	uint32_t step_us = (response->median_us >> shift) + 1;

	if (response->differences < SBD_ACTIVE_FIRST_MEDIANS) {
		if (size_us > response->median_us)
			response->median_us = size_us;
	} else if (size_us > response->median_us) {
		response->median_us += step_us;
	} else if (size_us < response->median_us) {
		response->median_us -= step_us;
	}
	if (response->median_us < SBD_ACTIVE_LEAST_MEDIAN_US)
		response->median_us = SBD_ACTIVE_LEAST_MEDIAN_US;
	response->differences++;
}

/* Add a symbol, as seen a number of steps later. */
SBD_ALONE int sbd_active_add_symbol(struct sbd_active_response *to SBD_ARENA,
				    const struct sbd_active_samples *of SBD_ARENA,
				    const struct sbd_active_symbol *added SBD_ARENA,
				    int32_t lag_steps)
{
	struct sbd_active_response *response = SBD_REACHED(to);
	const struct sbd_active_samples *samples = SBD_REACHED(of);
	const struct sbd_active_symbol *symbol = SBD_REACHED(added);
	uint64_t begin = symbol->begin + (uint64_t)(int64_t)lag_steps;
	uint64_t middle = begin + symbol->first_steps;
	uint32_t first_us, second_us, size_us, scale_us, most_us, amplitude;
	uint64_t square, term;
	bool agrees;

	if (!sbd_active_mean(samples, begin, middle, &first_us) ||
	    !sbd_active_mean(samples, middle, middle + symbol->second_steps, &second_us))
		return 0;
	agrees = (first_us > second_us) == (symbol->amplitude > 0);
	amplitude = (uint32_t)(symbol->amplitude > 0 ? symbol->amplitude : -symbol->amplitude);
	size_us = first_us > second_us ? first_us - second_us : second_us - first_us;
	sbd_active_move_median(response, size_us);
	/* The deviation of a normal distribution is 1.48 times its median. */
	scale_us = response->median_us * 95 >> 6;
	most_us = scale_us * 5 >> 1;
	if (size_us > most_us)
		size_us = most_us;
	square = (uint64_t)scale_us * scale_us;
	term = ((uint64_t)amplitude * size_us << 30) / square;
	response->agreement += agrees ? (int64_t)term : -(int64_t)term;
	/* Rounded up, so that no deviation is too large. */
	response->squares += (term * term >> 12) + 1;
	response->information += ((uint64_t)(amplitude * amplitude) << 44) / square;
	return 0;
}

/* A weight of a half: squares have it twice. */
static inline void sbd_active_halve(struct sbd_active_response *response)
{
	response->agreement >>= 1;
	response->squares >>= 2;
	response->information >>= 1;
}

/* Take a symbol whose samples are all there. */
static inline void sbd_active_take(struct sbd_active_pair *pair, uint32_t which,
				   const struct sbd_active_symbol *symbol)
{
	struct sbd_active_direction *direction = &pair->direction[which];
	int32_t i, lag_steps;

	/* What B shows of A's symbols at a lag, A shows of B's at the opposite one. */
	for (i = SBD_ZERO; SBD_WHILE(i < SBD_ACTIVE_LAGS); i++) {
		lag_steps = (i - SBD_ACTIVE_LAGS / 2) * SBD_ACTIVE_LAG_STEPS;
		sbd_active_add_symbol(&direction->lag[i], &pair->samples[!which], symbol,
				      which ? -lag_steps : lag_steps);
	}
	sbd_active_add_symbol(&direction->same, &pair->samples[which], symbol, 0);
	if (++direction->symbols < SBD_ACTIVE_MOST_SYMBOLS)
		return;
	direction->symbols >>= 1;
	for (i = SBD_ZERO; SBD_WHILE(i < SBD_ACTIVE_LAGS); i++)
		sbd_active_halve(&direction->lag[i]);
	sbd_active_halve(&direction->same);
}

/*
 * The square of how many deviations a sum of random signs is above 0.
 *
 * Return: Q8; 0 for a sum that is not above 0.
 */
SBD_ALONE uint64_t sbd_active_deviations_q8(int64_t agreement, uint64_t squares)
{
	uint64_t sum = agreement > 0 ? (uint64_t)agreement : 0;
	uint32_t i;

	for (i = SBD_ZERO; SBD_WHILE(i < 16 && sum >> 31); i++) {
		sum >>= 1;
		squares >>= 2;
	}
	return (sum * sum >> 4) / (squares ? squares : 1);
}

/* x * gain_q6 >> shift, with fewer bits of a large x. */
SBD_ALONE uint64_t sbd_active_scaled(uint64_t x, uint32_t gain_q6, uint32_t shift)
{
	uint32_t i;

	for (i = SBD_ZERO; SBD_WHILE(i < shift && x >> 37); i++)
		x >>= 1;
	return x * gain_q6 >> (shift - i);
}

/* How much a segment of the own window delays a subflow, Q6 in us. */
static inline uint32_t sbd_active_gain_q6(const struct sbd_active_response *same)
{
	uint64_t gain_q6;

	if (same->agreement <= 0 || !same->information)
		return 0;
	gain_q6 = ((uint64_t)same->agreement << 19) / same->information;
	return gain_q6 < SBD_ACTIVE_GAIN_Q6 ? (uint32_t)gain_q6 : SBD_ACTIVE_GAIN_Q6;
}

/* Logarithm of how much likelier 0.6 of the own answer is than none, in 1/6400. */
SBD_ALONE int64_t sbd_active_llr(const struct sbd_active_response *of SBD_ARENA, uint32_t gain_q6)
{
	const struct sbd_active_response *response = SBD_REACHED(of);
	bool agrees = response->agreement > 0;
	uint64_t size = (uint64_t)(agrees ? response->agreement : -response->agreement);
	uint64_t linear_q8 = sbd_active_scaled(size, gain_q6, 28);
	uint64_t square_q8 = sbd_active_scaled(response->information, gain_q6, 20);

	square_q8 = sbd_active_scaled(square_q8, gain_q6, 28);
	if (square_q8 >> 56)
		square_q8 = (uint64_t)1 << 56;
	return 30 * (agrees ? (int64_t)linear_q8 : -(int64_t)linear_q8) - 18 * (int64_t)square_q8;
}

/*
 * The share of the squares of a subflow's differences that its own signs explain.
 *
 * @own_q8: square of the deviations of its answer to them
 *
 * Return: Q8, 256 at most.
 */
static inline uint32_t sbd_active_own_share_q8(uint64_t own_q8, uint32_t symbols)
{
	uint64_t share_q8 = symbols ? own_q8 / symbols : 0;

	return share_q8 < 256 ? (uint32_t)share_q8 : 256;
}

static inline void sbd_active_weigh(const struct sbd_active_pair *pair,
				    struct sbd_active_evidence *evidence)
{
	const struct sbd_active_direction *a = &pair->direction[0], *b = &pair->direction[1];
	uint32_t gain_a_q6 = sbd_active_gain_q6(&a->same), gain_b_q6 = sbd_active_gain_q6(&b->same);
	uint64_t own_a_q8 = sbd_active_deviations_q8(a->same.agreement, a->same.squares);
	uint64_t own_b_q8 = sbd_active_deviations_q8(b->same.agreement, b->same.squares);
	uint32_t i, spread_q9;

	evidence->symbols = a->symbols + b->symbols;
	evidence->own_q8 = own_a_q8 + own_b_q8;
	evidence->shared_q8 = 0;
	evidence->llr = SBD_ACTIVE_LEAST_LLR;
	for (i = SBD_ZERO; SBD_WHILE(i < SBD_ACTIVE_LAGS); i++) {
		const struct sbd_active_response *x = &a->lag[i], *y = &b->lag[i];
		int64_t llr = sbd_active_llr(x, gain_a_q6) + sbd_active_llr(y, gain_b_q6);
		uint64_t square_q8 = sbd_active_deviations_q8(x->agreement + y->agreement,
							      x->squares + y->squares);

		if (square_q8 > evidence->shared_q8)
			evidence->shared_q8 = square_q8;
		if (llr > evidence->llr)
			evidence->llr = llr;
	}
	/* What both show of themselves has the same products of signs in both directions. */
	spread_q9 = 512 + sbd_active_own_share_q8(own_a_q8, a->symbols) +
		   sbd_active_own_share_q8(own_b_q8, b->symbols);
	evidence->shared_q8 = (evidence->shared_q8 << 9) / spread_q9;
}

static inline uint8_t sbd_active_judge(const struct sbd_active_evidence *evidence)
{
	if (evidence->symbols >= SBD_ACTIVE_LEAST_SYMBOLS &&
	    evidence->shared_q8 >= SBD_ACTIVE_SHARED_Q8)
		return SBD_ACTIVE_SHARED;
	if (evidence->llr <= SBD_ACTIVE_APART_LLR && evidence->own_q8 >= SBD_ACTIVE_OWN_Q8 &&
	    evidence->shared_q8 < SBD_ACTIVE_QUIET_Q8)
		return SBD_ACTIVE_APART;
	return SBD_ACTIVE_UNKNOWN;
}

/*
 * A symbol has ended. Symbols of a subflow come in order of time.
 *
 * @which: the subflow whose window moved, 0 or 1
 * @amplitude: segments above the base in the first half, -SBD_ACTIVE_AMPLITUDE to
 *	       SBD_ACTIVE_AMPLITUDE, not 0
 */
static inline void sbd_active_on_symbol(struct sbd_active_pair *pair, uint32_t which,
					uint64_t begin_ns, uint64_t middle_ns, uint64_t end_ns,
					int32_t amplitude)
{
	struct sbd_active_direction *direction = &pair->direction[which];
	uint64_t half_ns = pair->step_ns / 2;
	uint64_t begin = (begin_ns + half_ns) / pair->step_ns;
	uint64_t first = (middle_ns + half_ns) / pair->step_ns - begin;
	uint64_t second = (end_ns + half_ns) / pair->step_ns - begin - first;
	struct sbd_active_symbol *symbol;

	if (direction->waits == SBD_ACTIVE_WAITING || !first || !second ||
	    first > SBD_ACTIVE_HALF_STEPS || second > SBD_ACTIVE_HALF_STEPS ||
	    begin < SBD_ACTIVE_STEPS_PER_RTT) {
		pair->left_out++;
		return;
	}
	symbol = &direction->waiting[(direction->first + direction->waits) % SBD_ACTIVE_WAITING];
	direction->waits++;
	symbol->begin = begin;
	symbol->first_steps = (uint16_t)first;
	symbol->second_steps = (uint16_t)second;
	symbol->amplitude = (int8_t)amplitude;
}

/*
 * Take the symbols whose samples are all there.
 *
 * Return: 1 if there was one.
 */
SBD_ALONE int sbd_active_take_ready(struct sbd_active_pair *of SBD_ARENA, uint32_t which)
{
	struct sbd_active_pair *pair = SBD_REACHED(of);
	struct sbd_active_direction *direction = &pair->direction[which];
	uint64_t a = pair->samples[0].step, b = pair->samples[1].step;
	uint64_t earlier = a < b ? a : b, later = a < b ? b : a;
	int taken = 0;
	uint32_t i;

	for (i = SBD_ZERO; SBD_WHILE(i < SBD_ACTIVE_WAITING && direction->waits); i++) {
		uint32_t place = direction->first % SBD_ACTIVE_WAITING;
		const struct sbd_active_symbol *symbol = &direction->waiting[place];
		uint64_t end = symbol->begin + symbol->first_steps + symbol->second_steps;

		if (earlier < end + SBD_ACTIVE_STEPS_PER_RTT)
			break;
		if (later >= symbol->begin - SBD_ACTIVE_STEPS_PER_RTT + SBD_ACTIVE_KEPT_STEPS) {
			pair->left_out++;
		} else {
			sbd_active_take(pair, which, symbol);
			taken = 1;
		}
		direction->first = (place + 1) % SBD_ACTIVE_WAITING;
		direction->waits--;
	}
	return taken;
}

/*
 * An RTT sample has come. Samples of a pair come in order of time.
 *
 * @which: the subflow, 0 or 1
 * @time_ns: when the ACK came
 *
 * Return: whether symbols were judged; pair->said is what holds then.
 */
static inline bool sbd_active_on_rtt(struct sbd_active_pair *pair, uint32_t which,
				     uint64_t time_ns, uint32_t rtt_us)
{
	uint64_t rtt_ns = (uint64_t)rtt_us * 1000;
	uint64_t sent_ns = time_ns > rtt_ns ? time_ns - rtt_ns : 0;
	struct sbd_active_evidence evidence;
	int first, second;
	uint8_t judged;

	sbd_active_add_sample(&pair->samples[which], sent_ns / pair->step_ns, rtt_us);
	first = sbd_active_take_ready(pair, 0);
	second = sbd_active_take_ready(pair, 1);
	if (!first && !second)
		return false;
	sbd_active_weigh(pair, &evidence);
	judged = sbd_active_judge(&evidence);
	if (judged != SBD_ACTIVE_UNKNOWN)
		pair->said = judged;
	return true;
}

#endif
