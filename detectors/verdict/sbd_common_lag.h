/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Common lag: whether two subflows share a bottleneck, by their RTT samples alone
 *
 * Twin of detectors/verdict/common_lag.py and what it sums, to the last bit, as the samples
 * come. Integers only, no allocation, no library; a pair is a struct sbd_common_pair. A block is
 * judged by the call of sbd_common_on_rtt() after which no sample can change it, with memory that
 * the caller lends for the call.
 */
#ifndef SBD_COMMON_LAG_H
#define SBD_COMMON_LAG_H

#ifdef __KERNEL__
#include <linux/string.h>
#include <linux/types.h>
#elif !defined(SBD_BPF)
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
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

/* Part of what calls it where eight functions at most may call one another. */
#ifdef SBD_BPF
#define SBD_COMMON_WITHIN	static __always_inline
#else
#define SBD_COMMON_WITHIN	static inline
#endif

/* What a caller does with each judgement; the pair holds the last. */
#ifndef SBD_COMMON_JUDGED
#define SBD_COMMON_JUDGED(pair, evidence)	((void)(pair))
#endif

#define SBD_COMMON_STEPS_PER_RTT	16
#define SBD_COMMON_CAP_US		256000	/* most that a round trip counts */
#define SBD_COMMON_FIRST_SAMPLES	10
#define SBD_COMMON_LIMIT_US		((1 << 24) - 1)
#define SBD_COMMON_BLOCK		256	/* steps */
#define SBD_COMMON_LEAD			255	/* steps before a block that its first changes reach back to */
#define SBD_COMMON_SPANNED		(SBD_COMMON_LEAD + SBD_COMMON_BLOCK)
#define SBD_COMMON_LONGEST_STEPS	512	/* a longer silence is as long as any */
#define SBD_COMMON_WINDOW		(SBD_COMMON_SPANNED + SBD_COMMON_LONGEST_STEPS + 2)
#define SBD_COMMON_SILENT_STEPS		8	/* the shortest silence, and the first of the levels */
#define SBD_COMMON_LEVELS		7
#define SBD_COMMON_STEPS_BITS		9	/* of a count of SBD_COMMON_SPANNED steps */
#define SBD_COMMON_EACH_LEVEL		0x40201008040201	/* 1 in such a count of each level */
#define SBD_COMMON_HELD_LEVEL		6	/* delays do not rise or fall in such a silence */
#define SBD_COMMON_LEVEL_LIMIT		4	/* of steps whose delays are compared as they are */
#define SBD_COMMON_BANDS		8
#define SBD_COMMON_NULL_LAGS		20	/* on either side */
#define SBD_COMMON_LAGS			422	/* of all bands */
#define SBD_COMMON_WORDS		5	/* 64 bits of earlier blocks, and those of a block */
#define SBD_COMMON_DECIMATION		4	/* steps from one delay that is compared to the next */
#define SBD_COMMON_LEVEL_LAGS		4
#define SBD_COMMON_LEVEL_POINTS		(SBD_COMMON_BLOCK / SBD_COMMON_DECIMATION + SBD_COMMON_LEVEL_LAGS)
#define SBD_COMMON_DEVIATION_US		((1 << 20) - 1)
#define SBD_COMMON_SPREAD_US		((1 << 22) - 1)
#define SBD_COMMON_MOST_ADJACENT	8192	/* in a block */
#define SBD_COMMON_SLOT_STEPS		8	/* a probe in each */
#define SBD_COMMON_EXCISED_FROM		4	/* silences that end together */
#define SBD_COMMON_EXCISED_STEPS	16
#define SBD_COMMON_CUTS			8	/* that steps may lie in that are not known yet */
#define SBD_COMMON_WAITING		4	/* blocks that may wait for a sample, and the one that goes on */
#define SBD_COMMON_MOST_VOID		64	/* blocks without anything that are made up for */
#define SBD_COMMON_FORGOTTEN		8	/* blocks after which nothing earlier is compared */
#define SBD_COMMON_PARTS_LOG		4	/* of a count, where sums fade */
#define SBD_COMMON_SAMPLE_PARTS_LOG	8
#define SBD_COMMON_SLOW_LOSS		1	/* eighths that sums lose at each block */
#define SBD_COMMON_FAST_LOSS		3
#define SBD_COMMON_LEAST_SAMPLES	(8 << SBD_COMMON_SAMPLE_PARTS_LOG)
#define SBD_COMMON_FLIP_Q10		2048
#define SBD_COMMON_FLIP_BLOCKS		2
#define SBD_COMMON_FLIP_AGE		4
#define SBD_COMMON_FLIPPED_AGE		3
#define SBD_COMMON_CLOSE_STEPS		2	/* from a sample to one that is close to it */
#define SBD_COMMON_MOST_CLOSE		(65536 << SBD_COMMON_SAMPLE_PARTS_LOG)
#define SBD_COMMON_HIGH_US		56000	/* rises of the mean delay over the smallest */
#define SBD_COMMON_VARYING_US		32000
#define SBD_COMMON_RISEN_US		10000
#define SBD_COMMON_DEVIATIONS_Q4	49	/* square of how many of chance a correlation exceeds */

/* What is said of a pair. */
enum sbd_common_said {
	SBD_COMMON_APART,
	SBD_COMMON_SHARED,
	SBD_COMMON_UNSAID,
	SBD_COMMON_NO_QUEUE	/* a path shows no sign of one: nothing can be known */
};

struct sbd_common_rule {
	bool holds;	/* the last verdict, where the score allows none */
	bool flips;	/* fast sums that contradict take over */
	bool needs_queues;	/* nothing is said while a path shows no sign of a queue */
};

#define SBD_COMMON_RULE	{ true, true, true }

/* Delays of probes, of the other subflow's next samples, of the next probes. */
enum sbd_common_delay {
	SBD_COMMON_PROBE,
	SBD_COMMON_CROSSING,
	SBD_COMMON_FOLLOWING,
	SBD_COMMON_DELAYS
};

/* Deviations of two samples of a subflow in a row, with one of the other between. */
struct sbd_common_adjacent {
	int64_t before_squares, after_squares, products;
	int32_t count;
};

/* The same less the delay at the start, while the mean is not known. */
struct sbd_common_raw_adjacent {
	int64_t before, after;
	struct sbd_common_adjacent sums;
};

struct sbd_common_probes {
	int64_t total[SBD_COMMON_DELAYS];
	int64_t squares[SBD_COMMON_DELAYS];
	int64_t products[SBD_COMMON_DELAYS - 1];	/* of the others with the probes' delays */
	int32_t count;
};

/* What samples themselves say. */
struct sbd_common_samples {
	struct sbd_common_adjacent adjacent[2];
	struct sbd_common_probes probes[2];
};

/* What those of a block say that is not known yet. */
struct sbd_common_waiting {
	struct sbd_common_raw_adjacent adjacent[2];
	struct sbd_common_probes probes[2];
};

/* Sums that fade; counts in parts. */
struct sbd_common_sums {
	int64_t level_products[2 * SBD_COMMON_LEVEL_LAGS + 1];
	int64_t level_squares[2];
	int32_t level_counted[2 * SBD_COMMON_LEVEL_LAGS + 1];
	int32_t level_both;
	struct sbd_common_samples samples;
	int32_t agreement[SBD_COMMON_LAGS];
	uint16_t counted[SBD_COMMON_LAGS];
};

/* Where a subflow's samples have come to, of those that are kept. */
struct sbd_common_chain {
	int64_t time_ns;
	int64_t probe_ns, crossing_ns;
	uint32_t rtt_us;
	uint32_t probe_us, crossing_us;
	bool has_last;			/* since the start */
	bool has_probe, has_crossing;
};

/* What was counted last, in case it is excised; or what a sample of the same time may add. */
struct sbd_common_counted {
	int64_t time_ns;		/* of the later sample */
	uint32_t delay_us[SBD_COMMON_DELAYS];
	bool is_there;
};

/* Changes of earlier blocks in a band. */
struct sbd_common_earlier {
	uint64_t above, counted;	/* the last 64, the latest in the highest bit */
	int64_t total[2];		/* of the two blocks before */
};

/* Samples of a subflow that are close to the one before, less the delay at the start. */
struct sbd_common_close {
	int64_t total, squares;		/* of the earlier ones */
	int64_t differences;		/* squares */
	int32_t count;			/* in parts */
};

struct sbd_common_side {
	struct sbd_common_chain chain;
	struct sbd_common_chain beside;		/* the other's, when this one's last sample came */
	struct sbd_common_chain before[2];	/* its own and the other's, when its last silence began */
	struct sbd_common_counted adjacent, probes;
	struct sbd_common_counted adjacent_pending, probes_pending;
	int64_t raw_ns;				/* last sample, kept or not */
	int64_t silence_end_ns, silence_begin_ns;
	struct sbd_common_close close;
	uint32_t total[2];			/* of the delays of the two blocks before */
	int32_t mean_us;			/* at the last block */
	int32_t next;				/* step whose delay is not known yet, from the window's first */
	uint32_t raw_us;
	uint32_t min_us;
	uint32_t reference_us;			/* delay at the start */
	uint16_t samples;			/* up to SBD_COMMON_FIRST_SAMPLES */
	bool was_silent;
	int16_t points[SBD_COMMON_BANDS][2];	/* that counted, as totals */
	struct sbd_common_earlier earlier[SBD_COMMON_BANDS];
	uint32_t point[SBD_COMMON_WINDOW];	/* delay in 24 bits, above it the level of the silence */
};

/* What is excised: samples and steps between two times. */
struct sbd_common_cut {
	int64_t from_ns, to_ns;
};

struct sbd_common_pair {
	int64_t start_ns, step_ns;
	int64_t number;			/* of the block that is waited for */
	int64_t complete_ns;		/* since when both know it; SBD_COMMON_NEVER if they do not */
	int64_t settled_ns;		/* since when both have a sample that is no older than that */
	int32_t void_blocks;		/* without anything, to be made up for */
	int32_t void_run;
	uint32_t min_rtt_us;		/* 0 before the first lattice */
	int32_t age;			/* blocks since sums began */
	int32_t cuts;			/* since the start */
	int32_t score_q10;		/* of the last judgement */
	struct sbd_common_rule rule;
	uint8_t said;			/* enum sbd_common_said */
	uint8_t contrary;		/* blocks in which the fast sums contradict */
	uint8_t ended_together;		/* silences, up to SBD_COMMON_EXCISED_FROM */
	int64_t cut_to_ns;		/* samples before are excised */
	struct sbd_common_cut cut[SBD_COMMON_CUTS];	/* the last ones */
	struct sbd_common_side side[2];
	struct sbd_common_waiting waiting[SBD_COMMON_WAITING];
	struct sbd_common_sums slow, fast;
};

/* What sums say, Q10; counts of samples in parts. */
struct sbd_common_evidence {
	int32_t lag_q10, level_q10, own_q10, lead_q10;
	int32_t memory_q10[2];	/* of each subflow: of probes with the next ones; or SBD_COMMON_NO_VALUE */
	int32_t bands, samples, probes;
	bool has_level, has_own, has_lead;
	bool queue[2];		/* each path shows a sign of one; set where it is needed */
};

/* Signs of a subflow's changes in a band: bits of earlier blocks, then those of the block. */
struct sbd_common_signs {
	uint64_t above[SBD_COMMON_WORDS], counted[SBD_COMMON_WORDS];
};

/* A subflow's delays that are compared, from those of just before the block on. */
struct sbd_common_deviations {
	int32_t deviation_us[SBD_COMMON_LEVEL_POINTS];	/* 0 of what does not count */
	uint64_t counted[2];				/* as signs: before the block, and in it */
};

/* How many changes agree, less those that do not, at a lag. */
struct sbd_common_agreed {
	int16_t agreement;
	uint16_t counted;
};

/* What a block says. */
struct sbd_common_block {
	int64_t level_products[2 * SBD_COMMON_LEVEL_LAGS + 1];
	int64_t level_squares[2];
	int32_t level_counted[2 * SBD_COMMON_LEVEL_LAGS + 1];
	int32_t level_both;
	struct sbd_common_samples samples;
	struct sbd_common_agreed agreed[SBD_COMMON_LAGS];
};

/*
 * Memory of a call: nothing stays in it for the next. All pairs that are not told of samples at the
 * same time may share it, in a kernel those of a processor.
 */
struct sbd_common_scratch {
	uint64_t silent[SBD_COMMON_SPANNED + 1];	/* steps up to each, of each level */
	uint32_t delays_us[SBD_COMMON_SPANNED + 1];	/* up to each step, modulo 2^32 */
	struct sbd_common_signs signs[2][SBD_COMMON_BANDS];
	struct sbd_common_deviations level[2];
	struct sbd_common_block block;
	int64_t earlier_mean_us[2];
	struct sbd_common_evidence evidence, recent;	/* of slow and of fast sums */
	int32_t own_q10[2 * SBD_COMMON_STEPS_PER_RTT + 1];	/* excess of a band at each of its lags */
	int32_t excess_q10[2 * SBD_COMMON_STEPS_PER_RTT + 1];	/* and of all, at each step */
};

#define SBD_COMMON_NEVER	INT64_MAX
#define SBD_COMMON_NO_VALUE	INT32_MIN	/* less than any */

static inline int sbd_common_span(int band)
{
	return 2 << band;
}

static inline int sbd_common_stride_log(int band)
{
	return band < 2 ? 0 : band - 1;
}

static inline int sbd_common_possible(int band)
{
	return SBD_COMMON_STEPS_PER_RTT >> sbd_common_stride_log(band);
}

static inline int sbd_common_first_null(int band)
{
	return sbd_common_possible(band) + (band ? 4 : 2) + 1;
}

static inline int sbd_common_lags(int band)
{
	return 2 * (sbd_common_possible(band) + SBD_COMMON_NULL_LAGS) + 1;
}

/* Changes of a band that begin in a block. */
static inline int sbd_common_changes(int band)
{
	return SBD_COMMON_BLOCK >> sbd_common_stride_log(band);
}

static inline int sbd_common_popcount(uint64_t word)
{
#ifdef __POPCNT__
	return __builtin_popcountll(word);
#else
	word -= (word >> 1) & 0x5555555555555555;
	word = (word & 0x3333333333333333) + ((word >> 2) & 0x3333333333333333);
	word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0f;
	return (int)((word * 0x0101010101010101) >> 56);
#endif
}

/* A root and what is left of the square, of its first digits. */
struct sbd_common_digits {
	uint64_t root;
	int64_t rest;
};

/* As many bits of the root again: a division of what is left, which may be one too many. */
static inline void sbd_common_more_digits(struct sbd_common_digits *of, uint64_t next, int bits)
{
	uint64_t mask = ((uint64_t)1 << bits) - 1;
	uint64_t left = (uint64_t)of->rest << bits | next >> bits;
	uint64_t digits = left / (2 * of->root);

	of->rest = (int64_t)((left - digits * 2 * of->root) << bits | (next & mask)) -
		   (int64_t)(digits * digits);
	of->root = (of->root << bits) + digits;
	if (of->rest < 0) {
		of->root--;
		of->rest += (int64_t)(2 * of->root + 1);
	}
}

/*
 * The root, rounded down: that of the first 16 bits bit by bit, and from there twice as many bits
 * by a division (Zimmermann, Karatsuba Square Root, 1999).
 */
SBD_ALONE int64_t sbd_common_root(int64_t square)
{
	uint64_t value = (uint64_t)square, first, trial, bit;
	struct sbd_common_digits digits;
	int shift = 0;

	if (!value)
		return 0;
	/* Up to the highest two bits, by an even number. */
	if (!(value >> 32)) {
		value <<= 32;
		shift = 16;
	}
	if (!(value >> 48)) {
		value <<= 16;
		shift += 8;
	}
	if (!(value >> 56)) {
		value <<= 8;
		shift += 4;
	}
	if (!(value >> 60)) {
		value <<= 4;
		shift += 2;
	}
	if (!(value >> 62)) {
		value <<= 2;
		shift++;
	}
	first = value >> 48;
	digits.root = SBD_ZERO;
	for (bit = 128 | SBD_ZERO; SBD_WHILE(bit); bit >>= 1) {
		trial = digits.root | bit;
		digits.root = trial * trial <= first ? trial : digits.root;
	}
	digits.rest = (int64_t)(first - digits.root * digits.root);
	sbd_common_more_digits(&digits, value >> 32 & 0xffff, 8);
	sbd_common_more_digits(&digits, value & 0xffffffff, 16);
	return (int64_t)(digits.root >> shift);
}

static inline int64_t sbd_common_clamped(int64_t value, int64_t least, int64_t most)
{
	return value < least ? least : value > most ? most : value;
}

static inline int64_t sbd_common_deviation(int64_t delay_us, int64_t from_us)
{
	return sbd_common_clamped(delay_us - from_us, -SBD_COMMON_DEVIATION_US,
				  SBD_COMMON_DEVIATION_US);
}

static inline int64_t sbd_common_delay_us(uint32_t point)
{
	return (int64_t)(point & SBD_COMMON_LIMIT_US);
}

/*
 * Sum a subflow's delays up to each step that changes of the block span, and count silent steps: of
 * each level and longer, in SBD_COMMON_STEPS_BITS each.
 */
SBD_ALONE int sbd_common_sum_steps(const struct sbd_common_side *of SBD_ARENA,
				   struct sbd_common_scratch *to SBD_ARENA)
{
	const uint32_t *point = SBD_REACHED(of)->point;
	struct sbd_common_scratch *scratch = SBD_REACHED(to);
	uint32_t delays_us = SBD_ZERO;
	uint64_t silent = SBD_ZERO;
	int i;

	for (i = SBD_ZERO; SBD_WHILE(i < SBD_COMMON_SPANNED); i++) {
		int bits = (int)(point[i] >> 24) * SBD_COMMON_STEPS_BITS;

		scratch->delays_us[i] = delays_us;
		scratch->silent[i] = silent;
		delays_us += (uint32_t)sbd_common_delay_us(point[i]);
		/* One in each level up to that of the step. */
		silent += SBD_COMMON_EACH_LEVEL & ~(~(uint64_t)0 << bits);
	}
	scratch->delays_us[i] = delays_us;
	scratch->silent[i] = silent;
	return 0;
}

/* Changes of a band that a word has bits of. */
static inline int sbd_common_word_changes(int band)
{
	int n = sbd_common_changes(band);

	return n < 64 ? n : 64;
}

/* Step up to which sums reach where the first change of a word of a band ends. */
static inline int64_t sbd_common_word_end(int band, int word)
{
	return SBD_COMMON_LEAD + 1 + ((int64_t)word << (6 + sbd_common_stride_log(band)));
}

/* Steps between two sums that are silent for longer than changes of a band may be. */
static inline uint64_t sbd_common_silent_steps(const uint64_t *end, int64_t steps, int band)
{
	return (end[0] - end[-steps]) >> (band ? band - 1 : 0) * SBD_COMMON_STEPS_BITS &
	       ((1 << SBD_COMMON_STEPS_BITS) - 1);
}

/* Which changes of a word of a band count: those silent for half of their steps at most. */
SBD_ALONE uint64_t sbd_common_count_word(const struct sbd_common_scratch *of SBD_ARENA, int band,
					 int word)
{
	const uint64_t *end = SBD_REACHED(of)->silent + sbd_common_word_end(band, word);
	int64_t span = sbd_common_span(band), stride = (int64_t)1 << sbd_common_stride_log(band);
	int n = sbd_common_word_changes(band), i;
	int64_t reach = span + (n - 1) * stride;
	uint64_t silent = sbd_common_silent_steps(end + (n - 1) * stride, reach, band);
	uint64_t bits = SBD_ZERO;

	if (!silent)
		return ~(uint64_t)0 >> (64 - n);
	if (silent == (uint64_t)reach)
		return 0;
	/* The last one first: a bit comes by the carry of a comparison, to the lowest place. */
	end += (n - 1) * stride;
	for (i = SBD_ZERO; SBD_WHILE(i < n); i++, end -= stride)
		bits += bits + (sbd_common_silent_steps(end, span, band) < (uint64_t)span / 2 + 1);
	return bits;
}

/* Note which changes of a band count; return how many do. */
static inline int sbd_common_counted(const struct sbd_common_scratch *scratch, int band,
				     bool is_first_block, struct sbd_common_signs *signs)
{
	int words = (sbd_common_changes(band) + 63) >> 6, points = SBD_ZERO, i;

	for (i = SBD_ZERO; SBD_WHILE(i < words); i++)
		signs->counted[i + 1] = sbd_common_count_word(scratch, band, i);
	if (is_first_block) {
		/* A change may not begin before the start: four at most do. */
		int stride_log = sbd_common_stride_log(band);

		signs->counted[1] &= ~(uint64_t)0
				     << ((sbd_common_span(band) - 2 + (1 << stride_log)) >>
					 stride_log);
	}
	for (i = SBD_ZERO; SBD_WHILE(i < words); i++)
		points += sbd_common_popcount(signs->counted[i + 1]);
	return points;
}

/* A change of half a span to the next: 128 delays less 128 others at most, which 32 bits hold. */
static inline uint32_t sbd_common_change_us(const uint32_t *end_us, int64_t half)
{
	return end_us[0] - 2 * end_us[-half] + end_us[-2 * half];
}

/* The place of the lowest bit of a word that has one. */
static inline int sbd_common_lowest(uint64_t word)
{
	return sbd_common_popcount((word & -word) - 1);
}

/*
 * The sum of those changes of a word of a band that count. A change that ends half a span later
 * begins where this one has its middle: of a run of them, what is between cancels out.
 */
SBD_ALONE int64_t sbd_common_total_word(const struct sbd_common_scratch *of SBD_ARENA, int band,
					int word, uint64_t counted)
{
	const uint32_t *end_us = SBD_REACHED(of)->delays_us + sbd_common_word_end(band, word);
	int64_t half = sbd_common_span(band) / 2, total = SBD_ZERO, at;
	int stride_log = sbd_common_stride_log(band);

	while (SBD_WHILE(counted)) {
		uint64_t beyond = counted + (counted & -counted);
		const uint32_t *first_us =
		    end_us + ((int64_t)sbd_common_lowest(counted) << stride_log);
		const uint32_t *next_us =
		    end_us + ((int64_t)(beyond ? sbd_common_lowest(beyond) : 64) << stride_log);

		for (at = SBD_ZERO - half; SBD_WHILE(at < 0); at += (int64_t)1 << stride_log)
			total += (int64_t)(next_us[at] - next_us[at - half]) -
				 (int64_t)(first_us[at] - first_us[at - half]);
		counted &= beyond;
	}
	return total;
}

/* Which changes of a word of a band are above their mean. */
SBD_ALONE uint64_t sbd_common_above_word(const struct sbd_common_scratch *of SBD_ARENA, int band,
					 int word, int64_t mean_us)
{
	const uint32_t *end_us = SBD_REACHED(of)->delays_us + sbd_common_word_end(band, word);
	int64_t half = sbd_common_span(band) / 2, stride = (int64_t)1 << sbd_common_stride_log(band);
	/* From the least of 32 bits on, such that they compare without a sign. */
	uint32_t sign = (uint32_t)1 << 31, from_us = (uint32_t)mean_us + sign;
	int n = sbd_common_word_changes(band), i;
	uint64_t bits = SBD_ZERO;

	end_us += (n - 1) * stride;
	for (i = SBD_ZERO; SBD_WHILE(i < n); i++, end_us -= stride)
		bits += bits + (from_us < sbd_common_change_us(end_us, half) + sign);
	return bits;
}

/* Keep what the next block compares with. */
static inline void sbd_common_keep(struct sbd_common_earlier *earlier,
				   const struct sbd_common_signs *signs, int n)
{
	if (n >= 64) {
		earlier->above = signs->above[n >> 6];
		earlier->counted = signs->counted[n >> 6];
	} else {
		earlier->above = earlier->above >> n | signs->above[1] << (64 - n);
		earlier->counted = earlier->counted >> n | signs->counted[1] << (64 - n);
	}
}

/* The signs of a subflow's changes in a band. */
SBD_ALONE int sbd_common_sign_band(struct sbd_common_side *of SBD_ARENA,
				   struct sbd_common_scratch *in SBD_ARENA,
				   struct sbd_common_signs *to SBD_ARENA, int band,
				   int is_first_block)
{
	struct sbd_common_scratch *scratch = SBD_REACHED(in);
	struct sbd_common_side *side = SBD_REACHED(of);
	struct sbd_common_signs *signs = SBD_REACHED(to);
	struct sbd_common_earlier *earlier = &side->earlier[band];
	int16_t *earlier_points = side->points[band];
	int points = sbd_common_counted(scratch, band, is_first_block, signs);
	int n = sbd_common_changes(band), words = (n + 63) >> 6, i;
	int64_t count = earlier_points[0] + earlier_points[1] + points;
	int64_t total = SBD_ZERO, sum, mean_us = 0;

	for (i = SBD_ZERO; SBD_WHILE(i < words); i++)
		if (signs->counted[i + 1])
			total += sbd_common_total_word(scratch, band, i, signs->counted[i + 1]);
	sum = earlier->total[0] + earlier->total[1] + total;
	/* More than the mean is more than what it is rounded down to. */
	if (count)
		mean_us = sum / count - (sum % count < 0);
	for (i = SBD_ZERO; SBD_WHILE(i < words); i++) {
		uint64_t counted = signs->counted[i + 1];

		signs->above[i + 1] = 0;
		if (counted)
			signs->above[i + 1] = counted &
					      sbd_common_above_word(scratch, band, i, mean_us);
	}
	signs->above[0] = earlier->above;
	signs->counted[0] = earlier->counted;
	sbd_common_keep(earlier, signs, n);
	earlier->total[0] = earlier->total[1];
	earlier->total[1] = total;
	earlier_points[0] = earlier_points[1];
	earlier_points[1] = (int16_t)points;
	return 0;
}

/* The mean delay over the block that is known and the two before. */
static inline void sbd_common_mean(struct sbd_common_side *side, const uint32_t *delays_us,
				   int64_t number)
{
	/* 256 delays of 24 bits are below 2^32. */
	int64_t total = delays_us[SBD_COMMON_SPANNED] - delays_us[SBD_COMMON_LEAD];

	side->mean_us = (int32_t)((total + side->total[0] + side->total[1]) /
				  (SBD_COMMON_BLOCK * (number < 2 ? number + 1 : 3)));
	side->total[0] = side->total[1];
	side->total[1] = (uint32_t)total;
}

/* Note the mean delay of a subflow, and the signs of its changes in all bands. */
static inline void sbd_common_sign(struct sbd_common_pair *pair, int which,
				   struct sbd_common_scratch *scratch)
{
	struct sbd_common_side *side = &pair->side[which];
	int band;

	sbd_common_sum_steps(side, scratch);
	scratch->earlier_mean_us[which] = side->mean_us;
	sbd_common_mean(side, scratch->delays_us, pair->number);
	for (band = SBD_ZERO; SBD_WHILE(band < SBD_COMMON_BANDS); band++)
		sbd_common_sign_band(side, scratch, &scratch->signs[which][band], band,
				     !pair->number);
}

/* Word i of a block's bits that were as many strides earlier: 0 to 63. */
static inline uint64_t sbd_common_earlier_word(const uint64_t *words, int i, int by)
{
	return words[i + 1] << by | words[i] >> 1 >> (63 - by);
}

/* How many of a band's changes of both subflows were counted, in the block and just before. */
enum sbd_common_covered {
	SBD_COMMON_NONE,
	SBD_COMMON_SOME,
	SBD_COMMON_ALL
};

static inline enum sbd_common_covered sbd_common_coverage(const struct sbd_common_signs *a,
							const struct sbd_common_signs *b, int n)
{
	uint64_t all = a->counted[0] & b->counted[0], any_a = a->counted[0],
		 any_b = b->counted[0], last = n < 64 ? ((uint64_t)1 << n) - 1 : ~(uint64_t)0;
	int i;

	for (i = SBD_ZERO; SBD_WHILE(i < (n + 63) >> 6); i++) {
		all &= (a->counted[i + 1] & b->counted[i + 1]) | ~last;
		any_a |= a->counted[i + 1];
		any_b |= b->counted[i + 1];
	}
	return !~all ? SBD_COMMON_ALL : any_a && any_b ? SBD_COMMON_SOME : SBD_COMMON_NONE;
}

/*
 * Note what agrees, and how many were counted, of a subflow's changes with the other's that were as
 * many strides earlier; return the latter. The caller knows whether all were counted, and how many
 * words there are: the compiler makes of each case what is fast.
 */
static inline int sbd_common_correlate(const struct sbd_common_signs *of,
				       const struct sbd_common_signs *with, int by, int words,
				       uint64_t last, bool all, struct sbd_common_agreed *to)
{
	int both = SBD_ZERO, different = SBD_ZERO, i;

	for (i = SBD_ZERO; SBD_WHILE(i < words); i++) {
		uint64_t mask = last;

		if (!all) {
			if (!of->counted[i + 1])
				continue;
			mask &= of->counted[i + 1] & sbd_common_earlier_word(with->counted, i, by);
			both += sbd_common_popcount(mask);
		}
		different += sbd_common_popcount(
		    (of->above[i + 1] ^ sbd_common_earlier_word(with->above, i, by)) & mask);
	}
	if (all)
		both = words > 1 ? words * 64 : sbd_common_popcount(last);
	to->agreement = (int16_t)(both - 2 * different);
	to->counted = (uint16_t)both;
	return both;
}

/* Correlate a band at all its lags, around a place; return whether any changes were counted. */
static inline int sbd_common_correlate_lags(const struct sbd_common_signs *signs, int band,
					    int words, bool all, struct sbd_common_agreed *zero)
{
	const struct sbd_common_signs *a = signs, *b = signs + SBD_COMMON_BANDS;
	uint64_t last = ~(uint64_t)0 >> (64 - sbd_common_word_changes(band));
	int possible = sbd_common_possible(band), any = SBD_ZERO, place;
	int beyond = sbd_common_first_null(band) - possible - 1;

	for (place = SBD_ZERO; SBD_WHILE(place <= possible + SBD_COMMON_NULL_LAGS); place++) {
		int by = place <= possible ? place : place + beyond;

		any |= sbd_common_correlate(a, b, by, words, last, all, zero + place);
		any |= sbd_common_correlate(b, a, by, words, last, all, zero - place);
	}
	return any;
}

/* The correlogram of a band, from a place on among those of all bands; return whether any count. */
SBD_ALONE int sbd_common_correlate_band(struct sbd_common_scratch *in SBD_ARENA, int band, int at)
{
	struct sbd_common_scratch *scratch = SBD_REACHED(in);
	const struct sbd_common_signs *signs = &scratch->signs[0][band];
	int n = sbd_common_changes(band), lags = sbd_common_lags(band);
	struct sbd_common_agreed *agreed = scratch->block.agreed + at, *zero = agreed + lags / 2;
	enum sbd_common_covered covered =
	    sbd_common_coverage(signs, signs + SBD_COMMON_BANDS, n);

	switch (covered) {
	case SBD_COMMON_ALL:
		if (n == 256)
			return sbd_common_correlate_lags(signs, band, 4, true, zero);
		if (n == 128)
			return sbd_common_correlate_lags(signs, band, 2, true, zero);
		return sbd_common_correlate_lags(signs, band, 1, true, zero);
	case SBD_COMMON_SOME:
		if (n == 256)
			return sbd_common_correlate_lags(signs, band, 4, false, zero);
		if (n == 128)
			return sbd_common_correlate_lags(signs, band, 2, false, zero);
		return sbd_common_correlate_lags(signs, band, 1, false, zero);
	default:
		memset(agreed, 0, (size_t)lags * sizeof(*agreed));
		return 0;
	}
}

/* Note what the signs of a block's changes say; return whether anything was counted. */
static inline bool sbd_common_correlogram(struct sbd_common_scratch *scratch)
{
	int any = SBD_ZERO, at = SBD_ZERO, band;

	for (band = SBD_ZERO; SBD_WHILE(band < SBD_COMMON_BANDS); band++) {
		any |= sbd_common_correlate_band(scratch, band, at);
		at += sbd_common_lags(band);
	}
	return any;
}

/* Note a subflow's delays as deviations, from just before the block on; 0 if not counted. */
SBD_ALONE int sbd_common_deviate(const struct sbd_common_side *of SBD_ARENA,
				 int64_t earlier_mean_us, int has_earlier,
				 struct sbd_common_deviations *to SBD_ARENA)
{
	struct sbd_common_deviations *level = SBD_REACHED(to);
	const struct sbd_common_side *side = SBD_REACHED(of);
	const uint32_t *point = side->point + SBD_COMMON_LEAD -
				SBD_COMMON_LEVEL_LAGS * SBD_COMMON_DECIMATION;
	uint64_t word = SBD_ZERO, sign = (uint64_t)1 << 63;
	int i;

	for (i = SBD_ZERO; SBD_WHILE(i < SBD_COMMON_LEVEL_POINTS); i++) {
		bool is_earlier = i < SBD_COMMON_LEVEL_LAGS;
		uint32_t own = point[(int64_t)i * SBD_COMMON_DECIMATION];
		bool counts = own >> 24 < SBD_COMMON_LEVEL_LIMIT && (!is_earlier || has_earlier);
		int64_t deviation_us = sbd_common_deviation(
		    sbd_common_delay_us(own), is_earlier ? earlier_mean_us : side->mean_us);

		level->deviation_us[i] = counts ? (int32_t)deviation_us : 0;
		word = word >> 1 | (counts ? sign : 0);
		if (i == SBD_COMMON_LEVEL_LAGS - 1)
			level->counted[0] = word;
	}
	level->counted[1] = word;
	return 0;
}

/* The sum of products of a block's deviations with others, which begin at some place. */
SBD_ALONE int64_t sbd_common_products(const struct sbd_common_deviations *of SBD_ARENA,
				      const struct sbd_common_deviations *with SBD_ARENA, int from)
{
	const int32_t *own_us = SBD_REACHED(of)->deviation_us + SBD_COMMON_LEVEL_LAGS;
	const int32_t *other_us = SBD_REACHED(with)->deviation_us + from;
	int64_t sum = SBD_ZERO;
	int i;

	for (i = SBD_ZERO; SBD_WHILE(i < SBD_COMMON_LEVEL_POINTS - SBD_COMMON_LEVEL_LAGS); i++)
		sum += (int64_t)own_us[i] * other_us[i];
	return sum;
}

/* Squares of a subflow's deviations where the other's count too. */
SBD_ALONE int64_t sbd_common_squares(const struct sbd_common_deviations *of SBD_ARENA,
				     uint64_t counted)
{
	const int32_t *own_us = SBD_REACHED(of)->deviation_us + SBD_COMMON_LEVEL_LAGS;
	int64_t sum = SBD_ZERO;
	int i;

	for (i = SBD_ZERO; SBD_WHILE(i < SBD_COMMON_LEVEL_POINTS - SBD_COMMON_LEVEL_LAGS); i++) {
		int64_t counts = -(int64_t)(counted >> i & 1);

		sum += counts & (int64_t)own_us[i] * own_us[i];
	}
	return sum;
}

/* Note what a block's delays themselves say; return whether anything was counted. */
static inline bool sbd_common_levels(const struct sbd_common_pair *pair,
				     struct sbd_common_scratch *scratch)
{
	struct sbd_common_deviations *level = scratch->level;
	struct sbd_common_block *block = &scratch->block;
	uint64_t both, any = SBD_ZERO;
	int way, lag;

	for (way = SBD_ZERO; SBD_WHILE(way < 2); way++)
		sbd_common_deviate(&pair->side[way], scratch->earlier_mean_us[way], !!pair->number,
				 &level[way]);
	both = level[0].counted[1] & level[1].counted[1];
	block->level_both = sbd_common_popcount(both) << SBD_COMMON_PARTS_LOG;
	for (way = SBD_ZERO; SBD_WHILE(way < 2); way++) {
		block->level_squares[way] = sbd_common_squares(&level[way], both);
		for (lag = SBD_ZERO + way; SBD_WHILE(lag <= SBD_COMMON_LEVEL_LAGS); lag++) {
			int at = SBD_COMMON_LEVEL_LAGS + (way ? -lag : lag);
			uint64_t counted = level[way].counted[1] &
					   sbd_common_earlier_word(level[!way].counted, 0, lag);

			block->level_products[at] = sbd_common_products(
			    &level[way], &level[!way], SBD_COMMON_LEVEL_LAGS - lag);
			block->level_counted[at] = sbd_common_popcount(counted)
						   << SBD_COMMON_PARTS_LOG;
			any |= counted;
		}
	}
	return any != 0;
}

static inline int64_t sbd_common_faded(int64_t sum, int parts)
{
	return sum < 0 ? sum + (-sum * parts >> 3) : sum - (sum * parts >> 3);
}

static inline void sbd_common_fade_samples(struct sbd_common_samples *samples, int parts)
{
	int i, j;

	for (i = SBD_ZERO; SBD_WHILE(i < 2); i++) {
		struct sbd_common_adjacent *adjacent = &samples->adjacent[i];
		struct sbd_common_probes *probes = &samples->probes[i];

		adjacent->count = (int32_t)sbd_common_faded(adjacent->count, parts);
		adjacent->before_squares = sbd_common_faded(adjacent->before_squares, parts);
		adjacent->after_squares = sbd_common_faded(adjacent->after_squares, parts);
		adjacent->products = sbd_common_faded(adjacent->products, parts);
		probes->count = (int32_t)sbd_common_faded(probes->count, parts);
		for (j = SBD_ZERO; SBD_WHILE(j < SBD_COMMON_DELAYS); j++) {
			probes->total[j] = sbd_common_faded(probes->total[j], parts);
			probes->squares[j] = sbd_common_faded(probes->squares[j], parts);
			if (j)
				probes->products[j - 1] = sbd_common_faded(probes->products[j - 1],
									   parts);
		}
	}
}

/* Let sums lose eighths: those of levels and samples. */
SBD_ALONE int sbd_common_fade(struct sbd_common_sums *of SBD_ARENA, int parts)
{
	struct sbd_common_sums *sums = SBD_REACHED(of);
	int i;

	for (i = SBD_ZERO; SBD_WHILE(i < 2 * SBD_COMMON_LEVEL_LAGS + 1); i++) {
		sums->level_products[i] = sbd_common_faded(sums->level_products[i], parts);
		sums->level_counted[i] = (int32_t)sbd_common_faded(sums->level_counted[i], parts);
	}
	sums->level_squares[0] = sbd_common_faded(sums->level_squares[0], parts);
	sums->level_squares[1] = sbd_common_faded(sums->level_squares[1], parts);
	sums->level_both = (int32_t)sbd_common_faded(sums->level_both, parts);
	sbd_common_fade_samples(&sums->samples, parts);
	return 0;
}

/* Less some eighths, rounded to zero, of what is below 2^28. */
static inline int32_t sbd_common_less(int32_t sum, int32_t parts)
{
	int32_t lost = sum * parts;

	return sum - ((lost + (lost >> 31 & 7)) >> 3);
}

/*
 * Let the sums of all lags lose eighths, an eighth of the slow and three of the fast, and add those
 * of a block in parts; 0 parts for a block without anything. Counts stay below 2^16 then, and what
 * agrees is no more.
 */
SBD_ALONE int sbd_common_renew_lags(struct sbd_common_pair *in SBD_ARENA,
				    const struct sbd_common_block *of SBD_ARENA, int parts)
{
	const struct sbd_common_agreed *agreed = SBD_REACHED(of)->agreed;
	struct sbd_common_pair *pair = SBD_REACHED(in);
	struct sbd_common_sums *slow = &pair->slow, *fast = &pair->fast;
	int i;

	for (i = SBD_ZERO; SBD_WHILE(i < SBD_COMMON_LAGS); i++) {
		int32_t agreement = agreed[i].agreement * parts;
		int32_t counted = agreed[i].counted * parts;

		slow->agreement[i] = sbd_common_less(slow->agreement[i], SBD_COMMON_SLOW_LOSS) +
				     agreement;
		fast->agreement[i] = sbd_common_less(fast->agreement[i], SBD_COMMON_FAST_LOSS) +
				     agreement;
		slow->counted[i] = (uint16_t)(
		    slow->counted[i] - (slow->counted[i] * SBD_COMMON_SLOW_LOSS >> 3) + counted);
		fast->counted[i] = (uint16_t)(
		    fast->counted[i] - (fast->counted[i] * SBD_COMMON_FAST_LOSS >> 3) + counted);
	}
	return 0;
}

/*
 * Note what a block's samples say: delays of adjacent ones as deviations from the mean; return
 * whether there are any.
 */
SBD_ALONE int sbd_common_samples(const struct sbd_common_waiting *of SBD_ARENA,
				 const struct sbd_common_pair *in SBD_ARENA,
				 struct sbd_common_samples *to SBD_ARENA)
{
	const struct sbd_common_waiting *own = SBD_REACHED(of);
	const struct sbd_common_side *side = SBD_REACHED(in)->side;
	struct sbd_common_samples *block = SBD_REACHED(to);
	bool any = false;
	int i;

	for (i = SBD_ZERO; SBD_WHILE(i < 2); i++) {
		const struct sbd_common_raw_adjacent *adjacent = &own->adjacent[i];
		int64_t by = (int64_t)side[i].mean_us - side[i].reference_us, n = adjacent->sums.count;
		struct sbd_common_adjacent *into = &block->adjacent[i];

		/* What is taken away from a block that was judged makes a count negative. */
		into->count = adjacent->sums.count * (1 << SBD_COMMON_SAMPLE_PARTS_LOG);
		into->before_squares = adjacent->sums.before_squares - 2 * by * adjacent->before +
				       n * by * by;
		into->after_squares = adjacent->sums.after_squares - 2 * by * adjacent->after +
				      n * by * by;
		into->products = adjacent->sums.products -
				 by * (adjacent->before + adjacent->after) + n * by * by;
		block->probes[i] = own->probes[i];
		block->probes[i].count = own->probes[i].count * (1 << SBD_COMMON_SAMPLE_PARTS_LOG);
		any |= n || own->probes[i].count;
	}
	return any;
}

static inline void sbd_common_add_samples(struct sbd_common_samples *to,
					  const struct sbd_common_samples *block)
{
	int i, j;

	for (i = SBD_ZERO; SBD_WHILE(i < 2); i++) {
		to->adjacent[i].count += block->adjacent[i].count;
		to->adjacent[i].before_squares += block->adjacent[i].before_squares;
		to->adjacent[i].after_squares += block->adjacent[i].after_squares;
		to->adjacent[i].products += block->adjacent[i].products;
		to->probes[i].count += block->probes[i].count;
		for (j = SBD_ZERO; SBD_WHILE(j < SBD_COMMON_DELAYS); j++) {
			to->probes[i].total[j] += block->probes[i].total[j];
			to->probes[i].squares[j] += block->probes[i].squares[j];
			if (j)
				to->probes[i].products[j - 1] += block->probes[i].products[j - 1];
		}
	}
}

/* Add what a block says to sums: of levels and samples. */
SBD_ALONE int sbd_common_add(struct sbd_common_sums *to SBD_ARENA,
			     const struct sbd_common_block *of SBD_ARENA)
{
	const struct sbd_common_block *block = SBD_REACHED(of);
	struct sbd_common_sums *sums = SBD_REACHED(to);
	int i;

	for (i = SBD_ZERO; SBD_WHILE(i < 2 * SBD_COMMON_LEVEL_LAGS + 1); i++) {
		sums->level_products[i] += block->level_products[i];
		sums->level_counted[i] += block->level_counted[i];
	}
	sums->level_squares[0] += block->level_squares[0];
	sums->level_squares[1] += block->level_squares[1];
	sums->level_both += block->level_both;
	sbd_common_add_samples(&sums->samples, &block->samples);
	return 0;
}

/* How often two sums of squares have to be quartered until they are below 2^40. */
static inline int sbd_common_quarters(int64_t a, int64_t b)
{
	int quarters = SBD_ZERO;

	while (SBD_WHILE((a | b) >> 2 * quarters >= (int64_t)1 << 40))
		quarters++;
	return quarters;
}

/* The product of roots that correlations of two sums of squares have below; 0 if one varies not. */
static inline int64_t sbd_common_size(int64_t a, int64_t b, int quarters)
{
	return sbd_common_root(a >> 2 * quarters) * sbd_common_root(b >> 2 * quarters);
}

static inline int32_t sbd_common_over_size(int64_t both, int64_t size, int quarters)
{
	both /= (int64_t)1 << 2 * quarters;
	return (int32_t)sbd_common_clamped(both * 1024 / size, -1024, 1024);
}

/* A correlation of sums of one scale, Q10; SBD_COMMON_NO_VALUE if one does not vary. */
SBD_ALONE int sbd_common_correlation(int64_t both, int64_t a, int64_t b)
{
	int64_t size;
	int quarters;

	if (a <= 0 || b <= 0)
		return SBD_COMMON_NO_VALUE;
	quarters = sbd_common_quarters(a, b);
	size = sbd_common_size(a, b, quarters);
	if (!size)
		return SBD_COMMON_NO_VALUE;
	return sbd_common_over_size(both, size, quarters);
}

/*
 * What agrees as a share of what was counted. Where all of a band have one count, it is multiplied
 * by what is 2^47 / counted, and a little more: exact for what is below 2^31 and counts below 2^16.
 */
static inline int32_t sbd_common_share_q15(int32_t agreement, uint32_t counted, uint64_t inverse)
{
	uint32_t size = (uint32_t)(agreement < 0 ? -agreement : agreement) << 15, share;

	share = inverse ? (uint32_t)(size * inverse >> 47) : size / (counted ? counted : 1);
	return agreement < 0 ? -(int32_t)share : (int32_t)share;
}

/* What a band's lags say that cannot be common, and which of the others count. */
struct sbd_common_nulls {
	uint64_t inverse;	/* as sbd_common_share_q15() has it */
	int32_t least;		/* count of a lag that counts */
	int32_t lags, total;
	int64_t squares;
	bool any;		/* of the others */
};

static inline bool sbd_common_null(struct sbd_common_nulls *nulls, const int32_t *agreement,
				   const uint16_t *counted, int lags)
{
	int32_t most = SBD_ZERO, least = INT32_MAX - SBD_ZERO;
	int beyond = lags - 2 * SBD_COMMON_NULL_LAGS, place;

	for (place = SBD_ZERO; SBD_WHILE(place < lags); place++) {
		most = counted[place] > most ? counted[place] : most;
		least = counted[place] < least ? counted[place] : least;
	}
	if (most < 12 << SBD_COMMON_PARTS_LOG)
		return false;
	nulls->inverse = most == least ? ((uint64_t)1 << 47) / (uint32_t)most + 1 : 0;
	/* No less than three tenths. */
	nulls->least = (most * 3 + 9) / 10;
	least = nulls->least > 8 << SBD_COMMON_PARTS_LOG ? nulls->least
							 : 8 << SBD_COMMON_PARTS_LOG;
	nulls->lags = SBD_ZERO;
	nulls->total = SBD_ZERO;
	nulls->squares = SBD_ZERO;
	nulls->any = false;
	for (place = SBD_ZERO + SBD_COMMON_NULL_LAGS;
	     SBD_WHILE(place < lags - SBD_COMMON_NULL_LAGS); place++)
		nulls->any |= counted[place] >= nulls->least;
	for (place = SBD_ZERO; SBD_WHILE(place < 2 * SBD_COMMON_NULL_LAGS); place++) {
		int at = place < SBD_COMMON_NULL_LAGS ? place : place + beyond;
		int32_t share_q15;

		if (counted[at] < least)
			continue;
		share_q15 = sbd_common_share_q15(agreement[at], counted[at], nulls->inverse);
		nulls->total += share_q15;
		nulls->squares += (int64_t)share_q15 * share_q15;
		nulls->lags++;
	}
	return nulls->lags >= 10 && nulls->any;
}

/* Add a band's excess at each common lag; return whether it says anything. */
SBD_ALONE int sbd_common_band(const struct sbd_common_sums *of SBD_ARENA, int at, int band,
			      struct sbd_common_scratch *in SBD_ARENA)
{
	struct sbd_common_scratch *scratch = SBD_REACHED(in);
	const struct sbd_common_sums *sums = SBD_REACHED(of);
	const int32_t *agreement = sums->agreement + at;
	const uint16_t *counted = sums->counted + at;
	int stride_log = sbd_common_stride_log(band), possible = sbd_common_possible(band);
	int32_t *own_q10 = scratch->own_q10, *excess_q10 = scratch->excess_q10;
	struct sbd_common_nulls nulls;
	uint32_t spread;
	int place, lag;

	if (!sbd_common_null(&nulls, agreement, counted, sbd_common_lags(band)))
		return false;
	/* 1e-4 is added to the variance. At most 40 shares: this is below 2^21. */
	spread = (uint32_t)sbd_common_root(nulls.lags * nulls.squares -
					   (int64_t)nulls.total * nulls.total +
					   (int64_t)nulls.lags * nulls.lags * ((1 << 30) / 10000));
	agreement += SBD_COMMON_NULL_LAGS;
	counted += SBD_COMMON_NULL_LAGS;
	for (place = SBD_ZERO; SBD_WHILE(place <= 2 * possible); place++) {
		int32_t above, size;

		own_q10[place] = -3072;
		if (counted[place] < nulls.least)
			continue;
		above = nulls.lags * sbd_common_share_q15(agreement[place], counted[place],
							  nulls.inverse) -
			nulls.total;
		/* Below 2^22, so that this is below 2^32. */
		size = (int32_t)((uint32_t)(above < 0 ? -above : above) * 1024 / spread);
		own_q10[place] = (int32_t)sbd_common_clamped(above < 0 ? -size : size, -3072, 8192);
	}
	own_q10 += possible;
	excess_q10 += SBD_COMMON_STEPS_PER_RTT;
	excess_q10[0] += own_q10[0];
	for (lag = SBD_ZERO + 1; SBD_WHILE(lag <= SBD_COMMON_STEPS_PER_RTT); lag++) {
		/* The nearest stride, the nearer to zero of two. */
		int by = (lag + (((1 << stride_log) - 1) >> 1)) >> stride_log;

		if (by > possible)
			by = possible;
		excess_q10[lag] += own_q10[by];
		excess_q10[-lag] += own_q10[-by];
	}
	return true;
}

SBD_COMMON_WITHIN void sbd_common_lag_evidence(const struct sbd_common_sums *sums,
					       struct sbd_common_evidence *evidence,
					       struct sbd_common_scratch *scratch)
{
	int32_t most = INT32_MIN + SBD_ZERO, *excess_q10 = scratch->excess_q10;
	int band, lag, at = SBD_ZERO;

	memset(excess_q10, 0, sizeof(scratch->excess_q10));
	for (band = SBD_ZERO; SBD_WHILE(band < SBD_COMMON_BANDS); band++) {
		evidence->bands += sbd_common_band(sums, at, band, scratch);
		at += sbd_common_lags(band);
	}
	for (lag = SBD_ZERO; SBD_WHILE(lag <= 2 * SBD_COMMON_STEPS_PER_RTT); lag++)
		most = excess_q10[lag] > most ? excess_q10[lag] : most;
	if (evidence->bands)
		evidence->lag_q10 = most / evidence->bands;
}

SBD_ALONE int sbd_common_level_evidence(const struct sbd_common_sums *of SBD_ARENA,
					struct sbd_common_evidence *to SBD_ARENA)
{
	const struct sbd_common_sums *sums = SBD_REACHED(of);
	struct sbd_common_evidence *evidence = SBD_REACHED(to);
	int64_t a = sums->level_squares[0], b = sums->level_squares[1], size;
	int i, quarters;

	if (sums->level_both < 10 << SBD_COMMON_PARTS_LOG || a <= 0 || b <= 0)
		return 0;
	quarters = sbd_common_quarters(a, b);
	size = sbd_common_size(a, b, quarters);
	if (!size)
		return 0;
	for (i = SBD_ZERO; SBD_WHILE(i < 2 * SBD_COMMON_LEVEL_LAGS + 1); i++) {
		int32_t counted = sums->level_counted[i], found_q10;

		if (counted < 10 << SBD_COMMON_PARTS_LOG)
			continue;
		found_q10 = sbd_common_over_size(sums->level_products[i] * sums->level_both /
						     counted, size, quarters);
		if (!evidence->has_level || found_q10 > evidence->level_q10)
			evidence->level_q10 = found_q10;
		evidence->has_level = true;
	}
	return 0;
}

/* Variance or covariance of probes' delays, times the count squared. */
static inline int64_t sbd_common_spread(const struct sbd_common_probes *probes, int64_t squares,
					int64_t a, int64_t b)
{
	/* The product with the count, which is in parts, may be more than 64 bits hold. */
	return probes->count * (squares >> SBD_COMMON_SAMPLE_PARTS_LOG) +
	       (probes->count * (squares & ((1 << SBD_COMMON_SAMPLE_PARTS_LOG) - 1)) >>
		SBD_COMMON_SAMPLE_PARTS_LOG) -
	       a * b;
}

/* How probes' delays correlate with others, Q10; SBD_COMMON_NO_VALUE if one does not vary. */
SBD_COMMON_WITHIN int sbd_common_probes_with(const struct sbd_common_probes *probes, int with)
{
	int64_t own_us = probes->total[SBD_COMMON_PROBE], its_us = probes->total[with];

	return sbd_common_correlation(
	    sbd_common_spread(probes, probes->products[with - 1], own_us, its_us),
	    sbd_common_spread(probes, probes->squares[SBD_COMMON_PROBE], own_us, own_us),
	    sbd_common_spread(probes, probes->squares[with], its_us, its_us));
}

/* How the others' delays follow the probes' more than the next probes' do. */
SBD_COMMON_WITHIN int32_t sbd_common_probes_lead(const struct sbd_common_probes *probes,
						 int32_t *memory_q10)
{
	int32_t crossing_q10, following_q10;

	*memory_q10 = SBD_COMMON_NO_VALUE;
	if (probes->count < 8 << SBD_COMMON_SAMPLE_PARTS_LOG)
		return SBD_COMMON_NO_VALUE;
	crossing_q10 = sbd_common_probes_with(probes, SBD_COMMON_CROSSING);
	following_q10 = sbd_common_probes_with(probes, SBD_COMMON_FOLLOWING);
	if (crossing_q10 == SBD_COMMON_NO_VALUE || following_q10 == SBD_COMMON_NO_VALUE)
		return SBD_COMMON_NO_VALUE;
	*memory_q10 = following_q10;
	return crossing_q10 - following_q10;
}

SBD_COMMON_WITHIN int32_t sbd_common_own(const struct sbd_common_adjacent *adjacent)
{
	if (adjacent->count < 5 << SBD_COMMON_SAMPLE_PARTS_LOG)
		return SBD_COMMON_NO_VALUE;
	return sbd_common_correlation(adjacent->products, adjacent->before_squares,
				      adjacent->after_squares);
}

SBD_COMMON_WITHIN void sbd_common_samples_evidence(const struct sbd_common_samples *samples,
						   struct sbd_common_evidence *evidence)
{
	int32_t own_q10 = 0, lead_q10 = 0;
	int i;

	evidence->samples =
	    samples->adjacent[samples->adjacent[1].count < samples->adjacent[0].count].count;
	evidence->probes =
	    samples->probes[samples->probes[1].count < samples->probes[0].count].count;
	evidence->has_own = true;
	evidence->has_lead = true;
	for (i = SBD_ZERO; SBD_WHILE(i < 2); i++) {
		int32_t its_own_q10 = sbd_common_own(&samples->adjacent[i]),
			its_lead_q10 = sbd_common_probes_lead(&samples->probes[i],
							      &evidence->memory_q10[i]);

		if (its_own_q10 == SBD_COMMON_NO_VALUE)
			evidence->has_own = false;
		else
			own_q10 += its_own_q10;
		if (its_lead_q10 == SBD_COMMON_NO_VALUE)
			evidence->has_lead = false;
		else
			lead_q10 += its_lead_q10;
	}
	if (evidence->has_own)
		evidence->own_q10 = (int32_t)sbd_common_clamped(own_q10 / 2, 0, 1024);
	if (evidence->has_lead)
		evidence->lead_q10 = (int32_t)sbd_common_clamped(lead_q10, -1536, 512);
}

/* All but what lags say, which takes longest. */
SBD_COMMON_WITHIN void sbd_common_first_evidence(const struct sbd_common_sums *sums,
						 struct sbd_common_evidence *evidence)
{
	memset(evidence, 0, sizeof(*evidence));
	sbd_common_level_evidence(sums, evidence);
	sbd_common_samples_evidence(&sums->samples, evidence);
}

/* log2 of a count in parts, Q10, from 3 to 10, linear between powers of two. */
static inline int32_t sbd_common_log_q10(int32_t parts)
{
	int power = 3;

	if (parts < 8 << SBD_COMMON_SAMPLE_PARTS_LOG)
		return 3 << 10;
	while (power < 10 && parts >= 2 << (power + SBD_COMMON_SAMPLE_PARTS_LOG))
		power++;
	if (power == 10)
		return 10 << 10;
	return (power << 10) +
	       (int32_t)((int64_t)(parts - (1 << (power + SBD_COMMON_SAMPLE_PARTS_LOG))) * 1024 >>
			 (power + SBD_COMMON_SAMPLE_PARTS_LOG));
}

/* A correlation that counts for less where few samples have it. */
static inline int64_t sbd_common_weighed(int32_t found_q10, int32_t parts)
{
	return (int64_t)found_q10 * parts / (parts + (15 << SBD_COMMON_SAMPLE_PARTS_LOG));
}

/* The logarithm of the odds that the pair shares, Q10. */
static inline int32_t sbd_common_score_q10(const struct sbd_common_evidence *evidence)
{
	int64_t sum = 0;

	if (evidence->bands)
		sum += 1770 * sbd_common_clamped(evidence->lag_q10, -1024, 5120);
	if (evidence->has_level)
		sum += 5940 * sbd_common_weighed(evidence->level_q10, evidence->samples);
	if (evidence->has_lead)
		sum += 5242 * sbd_common_weighed(evidence->lead_q10, evidence->probes);
	if (evidence->has_own)
		sum -= 767 *
		       ((int64_t)sbd_common_log_q10(evidence->samples) * evidence->own_q10 >> 10);
	return (int32_t)((sum >> 10) - 1348);
}

static inline int32_t sbd_common_band_q10(int32_t age)
{
	return age <= 1 ? 2560 : age == 2 ? 1536 : age == 3 ? 1024 : age == 4 ? 768 : 512;
}

static inline bool sbd_common_speaks(const struct sbd_common_evidence *evidence)
{
	return evidence->samples >= SBD_COMMON_LEAST_SAMPLES && evidence->bands;
}

static inline void sbd_common_fade_close(struct sbd_common_close *close)
{
	close->total = sbd_common_faded(close->total, SBD_COMMON_SLOW_LOSS);
	close->squares = sbd_common_faded(close->squares, SBD_COMMON_SLOW_LOSS);
	close->differences = sbd_common_faded(close->differences, SBD_COMMON_SLOW_LOSS);
	close->count = (int32_t)sbd_common_faded(close->count, SBD_COMMON_SLOW_LOSS);
}

/* By how many bits a size has to be shifted to have 16, so that its square has room. */
static inline int sbd_common_excess_bits(uint64_t size)
{
	int bits = 0, by;

	for (by = 32 | SBD_ZERO; SBD_WHILE(by); by >>= 1) {
		if (size >> (bits + by + 15))
			bits += by;
	}
	return size >> 16 ? bits : 0;
}

/* Whether close samples differ less than chance would have it: von Neumann's ratio. */
static inline bool sbd_common_remember(const struct sbd_common_close *close)
{
	int64_t mean_us, whole, less;
	int by;

	if (close->count < SBD_COMMON_LEAST_SAMPLES)
		return false;
	mean_us = close->total * (1 << SBD_COMMON_SAMPLE_PARTS_LOG) / close->count;
	whole = 2 * (close->squares - close->total * mean_us);
	less = whole - close->differences;
	if (less <= 0)
		return false;
	by = sbd_common_excess_bits((uint64_t)whole);
	whole >>= by;
	less >>= by;
	return 16 * less * less * close->count >=
	       SBD_COMMON_DEVIATIONS_Q4 * whole * whole * (1 << SBD_COMMON_SAMPLE_PARTS_LOG);
}

/* What is known of a subflow's path: how far its delay is above the smallest, and how it varied. */
struct sbd_common_queue {
	int64_t risen_us;
	int64_t squared_rise, squared_deviation;	/* times the number of probes, squared */
};

static inline void sbd_common_queue(const struct sbd_common_side *side,
				    const struct sbd_common_probes *probes,
				    struct sbd_common_queue *queue)
{
	int64_t rise;

	queue->risen_us = (int64_t)side->mean_us - side->min_us;
	rise = sbd_common_clamped(queue->risen_us, 0, SBD_COMMON_DEVIATION_US) *
	       (probes->count >> SBD_COMMON_SAMPLE_PARTS_LOG);
	queue->squared_rise = rise * rise;
	queue->squared_deviation = sbd_common_spread(probes, probes->squares[SBD_COMMON_PROBE],
						     probes->total[SBD_COMMON_PROBE],
						     probes->total[SBD_COMMON_PROBE]);
}

/* Whether a subflow's probes resemble the next ones more than chance would have it. */
static inline bool sbd_common_probes_remember(int64_t memory_q10, int64_t parts)
{
	return memory_q10 > 0 &&
	       16 * memory_q10 * memory_q10 * parts >=
		   (int64_t)SBD_COMMON_DEVIATIONS_Q4 << (20 + SBD_COMMON_SAMPLE_PARTS_LOG);
}

/*
 * Whether the queue that probes were of has gone: the rise is less than an eighth of their
 * deviation.
 */
static inline bool sbd_common_has_gone(const struct sbd_common_queue *queue,
				       const struct sbd_common_probes *probes)
{
	return probes->count >= SBD_COMMON_LEAST_SAMPLES &&
	       64 * queue->squared_rise < queue->squared_deviation;
}

/*
 * Whether there is a sign of a queue on a subflow's path. Jitter has no memory that lasts for half
 * a round trip, and a delayed acknowledgement adds less than SBD_COMMON_HIGH_US.
 */
static inline bool sbd_common_shows_queue(const struct sbd_common_side *side,
					  const struct sbd_common_probes *probes,
					  const struct sbd_common_queue *queue, int32_t memory_q10)
{
	int64_t total_us = probes->total[SBD_COMMON_PROBE];

	if (queue->risen_us >= SBD_COMMON_HIGH_US)
		return true;
	if (queue->risen_us >= SBD_COMMON_RISEN_US && sbd_common_remember(&side->close))
		return true;
	if (probes->count < SBD_COMMON_LEAST_SAMPLES)
		return false;
	if (queue->risen_us >= SBD_COMMON_VARYING_US &&
	    9 * queue->squared_deviation >= queue->squared_rise)
		return true;
	/* Delays that hardly vary, far from that at the start, are lost in what sums round off. */
	if (64 * queue->squared_deviation < total_us * total_us)
		return false;
	return sbd_common_probes_remember(memory_q10, probes->count) &&
	       !sbd_common_has_gone(queue, probes);
}

/* Note of each path whether it shows a sign of a queue; return whether a queue has gone. */
SBD_ALONE int sbd_common_look(const struct sbd_common_pair *of SBD_ARENA,
			      struct sbd_common_evidence *in SBD_ARENA)
{
	struct sbd_common_evidence *evidence = SBD_REACHED(in);
	const struct sbd_common_pair *pair = SBD_REACHED(of);
	int i, has_gone = SBD_ZERO;

	for (i = SBD_ZERO; SBD_WHILE(i < 2); i++) {
		const struct sbd_common_probes *probes = &pair->slow.samples.probes[i];
		const struct sbd_common_side *side = &pair->side[i];
		struct sbd_common_queue queue;

		sbd_common_queue(side, probes, &queue);
		evidence->queue[i] =
		    sbd_common_shows_queue(side, probes, &queue, evidence->memory_q10[i]);
		has_gone |= sbd_common_has_gone(&queue, probes);
	}
	return has_gone;
}

/* Whether recent blocks contradict what all of them say. */
static inline bool sbd_common_contradicts(int32_t recent_q10, int32_t score_q10)
{
	return (recent_q10 > 0) != (score_q10 > 0) &&
	       (recent_q10 > SBD_COMMON_FLIP_Q10 || recent_q10 < -SBD_COMMON_FLIP_Q10);
}

/* The same before it is known what their lags say: if those said as much against it as any may. */
static inline bool sbd_common_may_contradict(struct sbd_common_evidence *recent, int32_t score_q10)
{
	int32_t recent_q10;

	recent->bands = 1;
	recent->lag_q10 = score_q10 > 0 ? INT32_MIN : INT32_MAX;
	recent_q10 = sbd_common_score_q10(recent);
	recent->bands = 0;
	return recent->samples >= SBD_COMMON_LEAST_SAMPLES &&
	       sbd_common_contradicts(recent_q10, score_q10);
}

/* Judge by the sums as they are. */
SBD_ALONE int sbd_common_say(struct sbd_common_pair *of SBD_ARENA,
			     struct sbd_common_scratch *in SBD_ARENA)
{
	struct sbd_common_scratch *scratch = SBD_REACHED(in);
	struct sbd_common_pair *pair = SBD_REACHED(of);
	struct sbd_common_evidence *evidence = &scratch->evidence, *recent = &scratch->recent;
	int32_t score_q10, recent_q10 = 0, band_q10, contrary = 0;
	int has_gone = 0;

	sbd_common_first_evidence(&pair->slow, evidence);
	sbd_common_lag_evidence(&pair->slow, evidence, scratch);
	score_q10 = sbd_common_score_q10(evidence);
	if (pair->rule.flips && pair->age >= SBD_COMMON_FLIP_AGE) {
		sbd_common_first_evidence(&pair->fast, recent);
		if (sbd_common_may_contradict(recent, score_q10)) {
			sbd_common_lag_evidence(&pair->fast, recent, scratch);
			recent_q10 = sbd_common_score_q10(recent);
			if (sbd_common_contradicts(recent_q10, score_q10))
				contrary = pair->contrary + 1;
		}
		pair->contrary = (uint8_t)contrary;
		if (contrary >= SBD_COMMON_FLIP_BLOCKS) {
			memmove(&pair->slow, &pair->fast, sizeof(pair->slow));
			pair->age = SBD_COMMON_FLIPPED_AGE;
			pair->contrary = 0;
			evidence = recent;
			score_q10 = recent_q10;
		}
	}
	pair->score_q10 = score_q10;
	band_q10 = sbd_common_band_q10(pair->age);
	if (pair->rule.needs_queues)
		has_gone = sbd_common_look(pair, evidence);
	if (pair->rule.needs_queues && !(evidence->queue[0] && evidence->queue[1]))
		pair->said = SBD_COMMON_NO_QUEUE;
	else if (sbd_common_speaks(evidence) && (score_q10 > band_q10 || score_q10 < -band_q10))
		pair->said = score_q10 > 0 ? SBD_COMMON_SHARED : SBD_COMMON_APART;
	else if (!pair->rule.holds || pair->said == SBD_COMMON_NO_QUEUE)
		pair->said = SBD_COMMON_UNSAID;
	SBD_COMMON_JUDGED(pair, evidence);
	/* Sums would tell for long of a queue that has gone. */
	if (has_gone) {
		memset(&pair->slow, 0, sizeof(pair->slow));
		memset(&pair->fast, 0, sizeof(pair->fast));
		pair->age = 0;
		pair->contrary = 0;
	}
	return 0;
}

/* Time of the first step of the window. */
static inline int64_t sbd_common_first_ns(const struct sbd_common_pair *pair)
{
	return pair->start_ns + (pair->number * SBD_COMMON_BLOCK - SBD_COMMON_LEAD) * pair->step_ns;
}

static inline int64_t sbd_common_end_ns(const struct sbd_common_pair *pair)
{
	return pair->start_ns + (pair->number + 1) * SBD_COMMON_BLOCK * pair->step_ns;
}

/* Let sums fade for a block, and add what it says in parts; 0 parts of a block without anything. */
static inline void sbd_common_pass(struct sbd_common_pair *pair,
				   const struct sbd_common_block *block, int parts)
{
	sbd_common_fade(&pair->slow, SBD_COMMON_SLOW_LOSS);
	sbd_common_fade(&pair->fast, SBD_COMMON_FAST_LOSS);
	sbd_common_fade_close(&pair->side[0].close);
	sbd_common_fade_close(&pair->side[1].close);
	sbd_common_renew_lags(pair, block, parts);
	if (parts) {
		sbd_common_add(&pair->slow, block);
		sbd_common_add(&pair->fast, block);
	}
	if (pair->age < INT32_MAX)
		pair->age++;
}

/* Note blocks without anything: no more are made up for than SBD_COMMON_MOST_VOID. */
static inline void sbd_common_note_void(struct sbd_common_pair *pair, int64_t blocks)
{
	pair->void_blocks = (int32_t)sbd_common_clamped(pair->void_blocks + blocks, 0,
							SBD_COMMON_MOST_VOID);
}

/* Make up for blocks without anything, then judge by what the block says. */
SBD_ALONE int sbd_common_make_up(struct sbd_common_pair *of SBD_ARENA,
				 struct sbd_common_scratch *in SBD_ARENA)
{
	struct sbd_common_scratch *scratch = SBD_REACHED(in);
	struct sbd_common_pair *pair = SBD_REACHED(of);
	int64_t left = pair->void_blocks;

	pair->void_blocks = 0;
	for (; SBD_WHILE(left >= 0); left--) {
		sbd_common_pass(pair, &scratch->block, left ? 0 : 1 << SBD_COMMON_PARTS_LOG);
		sbd_common_say(pair, scratch);
	}
	return 0;
}

/* Let the window begin some blocks later. */
static inline void sbd_common_move(struct sbd_common_side *side)
{
	int64_t left = side->next - SBD_COMMON_BLOCK;

	memmove(side->point, side->point + SBD_COMMON_BLOCK, (size_t)left * sizeof(side->point[0]));
	side->next = (int32_t)left;
}

/* Note what the block that is known says; return whether anything was counted. */
SBD_ALONE int sbd_common_read(struct sbd_common_pair *of SBD_ARENA,
			      struct sbd_common_scratch *in SBD_ARENA)
{
	struct sbd_common_scratch *scratch = SBD_REACHED(in);
	struct sbd_common_pair *pair = SBD_REACHED(of);
	const struct sbd_common_waiting *own =
	    &pair->waiting[pair->number & (SBD_COMMON_WAITING - 1)];
	bool any;

	sbd_common_sign(pair, 0, scratch);
	sbd_common_sign(pair, 1, scratch);
	any = sbd_common_correlogram(scratch);
	any |= sbd_common_levels(pair, scratch);
	any |= sbd_common_samples(own, pair, &scratch->block.samples);
	return any;
}

/* Wait for the next block. */
SBD_ALONE int sbd_common_go_on(struct sbd_common_pair *of SBD_ARENA)
{
	struct sbd_common_pair *pair = SBD_REACHED(of);
	struct sbd_common_waiting *own = &pair->waiting[pair->number & (SBD_COMMON_WAITING - 1)];

	memset(own, 0, sizeof(*own));
	sbd_common_move(&pair->side[0]);
	sbd_common_move(&pair->side[1]);
	pair->number++;
	pair->complete_ns = SBD_COMMON_NEVER;
	return 0;
}

/*
 * Whether a subflow has been silent, of samples that are kept, for so long that it matters no more
 * for how long.
 */
static inline bool sbd_common_silent(const struct sbd_common_pair *pair,
				     const struct sbd_common_side *side, int64_t time_ns)
{
	return time_ns - side->chain.time_ns > SBD_COMMON_LONGEST_STEPS * pair->step_ns;
}

/* The level of a silence: how many of 8, 16, ..., 512 steps it exceeds. */
static inline uint32_t sbd_common_level(const struct sbd_common_pair *pair, int64_t gap_ns)
{
	uint32_t level = SBD_ZERO;

	while (SBD_WHILE(level < SBD_COMMON_LEVELS) &&
	       gap_ns > (SBD_COMMON_SILENT_STEPS << level) * pair->step_ns)
		level++;
	return level;
}

static inline bool sbd_common_is_cut(const struct sbd_common_pair *pair, int64_t time_ns)
{
	int i, cuts = pair->cuts < SBD_COMMON_CUTS ? pair->cuts : SBD_COMMON_CUTS;

	for (i = SBD_ZERO; SBD_WHILE(i < cuts); i++)
		if (pair->cut[i].from_ns < time_ns && time_ns < pair->cut[i].to_ns)
			return true;
	return false;
}

/* A delay between two samples, step by step: as a division of each would round it. */
struct sbd_common_slope {
	int64_t rise_us, rest;		/* from the last sample on: whole, and of gap_ns */
	int64_t by_us, by_rest;		/* for a step */
	int64_t gap_ns;
};

static inline void sbd_common_step_on(struct sbd_common_slope *slope)
{
	slope->rise_us += slope->by_us;
	slope->rest += slope->by_rest;
	if (slope->rest >= slope->gap_ns) {
		slope->rest -= slope->gap_ns;
		slope->rise_us++;
	}
}

/*
 * Note delays of the steps from a subflow's last sample up to, and without, the time of one that
 * comes.
 */
SBD_ALONE int sbd_common_fill(struct sbd_common_pair *of SBD_ARENA, int which, int64_t time_ns,
			      uint32_t rtt_us)
{
	struct sbd_common_pair *pair = SBD_REACHED(of);
	struct sbd_common_side *side = &pair->side[which];
	int64_t last_ns = side->chain.time_ns, gap_ns = time_ns - last_ns;
	int64_t at_ns = sbd_common_first_ns(pair) + side->next * pair->step_ns;
	uint32_t last_us = side->chain.rtt_us;
	uint32_t size_us = rtt_us < last_us ? last_us - rtt_us : rtt_us - last_us, level;
	struct sbd_common_slope slope = { 0, 0, 0, 0, gap_ns };

	if (at_ns >= time_ns || side->next >= SBD_COMMON_WINDOW)
		return 0;
	level = sbd_common_level(pair, gap_ns);
	if (level < SBD_COMMON_HELD_LEVEL && size_us) {
		/* No step that is not known yet is before the last sample. */
		slope.rise_us = size_us * (at_ns - last_ns) / gap_ns;
		slope.rest = size_us * (at_ns - last_ns) % gap_ns;
		slope.by_us = size_us * pair->step_ns / gap_ns;
		slope.by_rest = size_us * pair->step_ns % gap_ns;
	}
	for (; SBD_WHILE(side->next < SBD_COMMON_WINDOW && at_ns < time_ns); side->next++) {
		uint32_t own_level = at_ns == last_ns ? 0 : level;
		uint32_t rise_us = (uint32_t)slope.rise_us;
		uint32_t delay_us = rtt_us < last_us ? last_us - rise_us : last_us + rise_us;

		if (sbd_common_is_cut(pair, at_ns))
			own_level = SBD_COMMON_LEVELS;
		side->point[side->next] = delay_us | own_level << 24;
		if (at_ns == pair->start_ns)
			side->reference_us = delay_us;
		at_ns += pair->step_ns;
		sbd_common_step_on(&slope);
	}
	return 0;
}

/* Let blocks go by in which both subflows are silent, when nothing earlier is compared any more. */
static inline void sbd_common_skip(struct sbd_common_pair *pair, int64_t time_ns)
{
	int64_t blocks = (time_ns - sbd_common_end_ns(pair)) / (SBD_COMMON_BLOCK * pair->step_ns),
		known;
	int i;

	if (blocks <= 0)
		return;
	sbd_common_note_void(pair, blocks);
	pair->number += blocks;
	/* Steps from that time on are not known. */
	known = (time_ns - sbd_common_first_ns(pair) - 1) / pair->step_ns + 1;
	for (i = 0; i < 2; i++)
		if (pair->side[i].next > known)
			pair->side[i].next = known;
}

/*
 * Judge blocks that both subflows' samples before a time have completed. While others may follow,
 * each must have a sample that is no older than the one that completed the block, and be half a
 * step further: by then no silences can turn out to have ended together that would have samples
 * excised by which the block is known. That is waited for as long as the window has room. Return
 * whether there was any.
 */
SBD_ALONE int sbd_common_catch_up(struct sbd_common_pair *of SBD_ARENA,
				  struct sbd_common_scratch *in SBD_ARENA, int64_t time_ns,
				  int others_follow)
{
	struct sbd_common_scratch *scratch = SBD_REACHED(in);
	struct sbd_common_pair *pair = SBD_REACHED(of);
	bool judged = false;

	while (SBD_WHILE(true)) {
		int64_t end_ns = sbd_common_end_ns(pair), latest_ns = end_ns,
			earliest_ns = INT64_MAX;
		int fallen_silent = 0, i;

		for (i = 0; i < 2; i++) {
			struct sbd_common_side *side = &pair->side[i];
			bool silent = sbd_common_silent(pair, side, time_ns);

			if (side->chain.time_ns >= end_ns) {
				if (side->chain.time_ns > latest_ns)
					latest_ns = side->chain.time_ns;
				if (!silent && side->chain.time_ns < earliest_ns)
					earliest_ns = side->chain.time_ns;
				continue;
			}
			if (time_ns < end_ns || !silent)
				return judged;
			sbd_common_fill(pair, i, time_ns, side->chain.rtt_us);
			fallen_silent++;
		}
		if (pair->complete_ns == SBD_COMMON_NEVER) {
			pair->complete_ns = latest_ns;
			pair->settled_ns = SBD_COMMON_NEVER;
		}
		if (pair->settled_ns == SBD_COMMON_NEVER && earliest_ns >= pair->complete_ns)
			pair->settled_ns = latest_ns;
		if (others_follow && time_ns <= end_ns + SBD_COMMON_LONGEST_STEPS * pair->step_ns &&
		    (pair->settled_ns == SBD_COMMON_NEVER ||
		     time_ns <= pair->settled_ns + pair->step_ns / 2))
			return judged;
		/* A block without anything is judged, unless a subflow has long been silent. */
		if (sbd_common_read(pair, scratch) || !fallen_silent) {
			sbd_common_make_up(pair, scratch);
			pair->void_run = 0;
		} else {
			sbd_common_note_void(pair, 1);
			pair->void_run++;
		}
		sbd_common_go_on(pair);
		judged = true;
		if (fallen_silent == 2 && pair->void_run >= SBD_COMMON_FORGOTTEN)
			sbd_common_skip(pair, time_ns);
	}
	return judged;
}

/* Add what a subflow counted last to the block of its last sample, or take it away again. */
SBD_ALONE int sbd_common_count_adjacent(struct sbd_common_pair *of SBD_ARENA, int which, int by)
{
	struct sbd_common_pair *pair = SBD_REACHED(of);
	const struct sbd_common_counted *counted = &pair->side[which].adjacent;
	int64_t block = (counted->time_ns - pair->start_ns) / (SBD_COMMON_BLOCK * pair->step_ns);
	struct sbd_common_raw_adjacent *to =
	    &pair->waiting[block & (SBD_COMMON_WAITING - 1)].adjacent[which];
	int64_t from_us = pair->side[which].reference_us;
	int64_t before_us = sbd_common_clamped(counted->delay_us[SBD_COMMON_PROBE] - from_us,
					       -SBD_COMMON_SPREAD_US, SBD_COMMON_SPREAD_US);
	int64_t after_us = sbd_common_clamped(counted->delay_us[SBD_COMMON_FOLLOWING] - from_us,
					      -SBD_COMMON_SPREAD_US, SBD_COMMON_SPREAD_US);

	/* What was judged stays: its place is a later block's by now. */
	if (block < pair->number)
		return 0;
	if (by > 0 && to->sums.count == SBD_COMMON_MOST_ADJACENT)
		return 0;
	to->before += by * before_us;
	to->after += by * after_us;
	to->sums.count += by;
	to->sums.before_squares += by * before_us * before_us;
	to->sums.after_squares += by * after_us * after_us;
	to->sums.products += by * before_us * after_us;
	return 0;
}

/* The same of a probe. */
SBD_ALONE int sbd_common_count_probe(struct sbd_common_pair *of SBD_ARENA, int which, int by)
{
	struct sbd_common_pair *pair = SBD_REACHED(of);
	const struct sbd_common_counted *counted = &pair->side[which].probes;
	int64_t block = (counted->time_ns - pair->start_ns) / (SBD_COMMON_BLOCK * pair->step_ns);
	struct sbd_common_probes *to =
	    &pair->waiting[block & (SBD_COMMON_WAITING - 1)].probes[which];
	int64_t probe_us = sbd_common_deviation(counted->delay_us[SBD_COMMON_PROBE],
						pair->side[which].reference_us);
	int i;

	if (block < pair->number)
		return 0;
	to->count += by;
	for (i = SBD_ZERO; SBD_WHILE(i < SBD_COMMON_DELAYS); i++) {
		int whose = i == SBD_COMMON_CROSSING ? !which : which;
		int64_t delay_us = sbd_common_deviation(counted->delay_us[i],
							pair->side[whose].reference_us);

		to->total[i] += by * delay_us;
		to->squares[i] += by * delay_us * delay_us;
		if (i)
			to->products[i - 1] += by * probe_us * delay_us;
	}
	return 0;
}

/*
 * A sample may be what lies between two of the other subflow that end at its very time, or behind
 * its probe.
 */
static inline void sbd_common_cross(struct sbd_common_pair *pair, int which, int64_t time_ns,
				    uint32_t rtt_us)
{
	struct sbd_common_side *other = &pair->side[!which];

	if (other->adjacent_pending.is_there && other->adjacent_pending.time_ns == time_ns) {
		other->adjacent = other->adjacent_pending;
		other->adjacent_pending.is_there = false;
		sbd_common_count_adjacent(pair, !which, 1);
	}
	if (other->probes_pending.is_there && other->probes_pending.time_ns == time_ns) {
		other->probes = other->probes_pending;
		other->probes.delay_us[SBD_COMMON_CROSSING] = rtt_us;
		other->probes_pending.is_there = false;
		sbd_common_count_probe(pair, !which, 1);
	}
	if (other->chain.has_probe && !other->chain.has_crossing &&
	    time_ns > other->chain.probe_ns) {
		other->chain.has_crossing = true;
		other->chain.crossing_ns = time_ns;
		other->chain.crossing_us = rtt_us;
	}
}

/* Count a sample with the one before, if one of the other subflow lies between. */
static inline void sbd_common_adjoin(struct sbd_common_pair *pair, int which, int64_t time_ns,
				     uint32_t rtt_us)
{
	struct sbd_common_side *side = &pair->side[which];
	struct sbd_common_counted counted = { time_ns, { side->chain.rtt_us, 0, rtt_us }, true };

	if (!side->chain.has_last || time_ns == side->chain.time_ns)
		return;
	side->adjacent_pending.is_there = false;
	if (pair->side[!which].chain.time_ns > side->chain.time_ns) {
		side->adjacent = counted;
		sbd_common_count_adjacent(pair, which, 1);
	} else {
		side->adjacent_pending = counted;
	}
}

/* A sample is a probe if it is the first of half a round trip. */
static inline void sbd_common_probe(struct sbd_common_pair *pair, int which, int64_t time_ns,
				    uint32_t rtt_us)
{
	int64_t slot_ns = SBD_COMMON_SLOT_STEPS * pair->step_ns;
	struct sbd_common_side *side = &pair->side[which];
	struct sbd_common_chain *chain = &side->chain;
	struct sbd_common_counted counted = { time_ns,
					      { chain->probe_us, chain->crossing_us, rtt_us },
					      true };

	/* Both in one slot. */
	if (chain->has_probe && time_ns - chain->probe_ns < slot_ns &&
	    (chain->probe_ns - pair->start_ns) % slot_ns + time_ns - chain->probe_ns < slot_ns)
		return;
	side->probes_pending.is_there = false;
	if (chain->has_crossing) {
		side->probes = counted;
		sbd_common_count_probe(pair, which, 1);
	} else if (chain->has_probe) {
		side->probes_pending = counted;
	}
	chain->has_probe = true;
	chain->has_crossing = false;
	chain->probe_ns = time_ns;
	chain->probe_us = rtt_us;
}

/* Count a sample with the one before, to which it is close, unless there are many. */
static inline void sbd_common_count_close(struct sbd_common_side *side, uint32_t rtt_us)
{
	int64_t before_us = sbd_common_clamped((int64_t)side->chain.rtt_us - side->reference_us,
					       -SBD_COMMON_SPREAD_US, SBD_COMMON_SPREAD_US);
	int64_t after_us = sbd_common_clamped((int64_t)rtt_us - side->reference_us,
					      -SBD_COMMON_SPREAD_US, SBD_COMMON_SPREAD_US);
	struct sbd_common_close *close = &side->close;

	if (close->count >= SBD_COMMON_MOST_CLOSE)
		return;
	close->count += 1 << SBD_COMMON_SAMPLE_PARTS_LOG;
	close->total += before_us;
	close->squares += before_us * before_us;
	close->differences += (after_us - before_us) * (after_us - before_us);
}

/* Take a sample that is kept. */
SBD_ALONE int sbd_common_take(struct sbd_common_pair *of SBD_ARENA, int which, int64_t time_ns,
			      uint32_t rtt_us)
{
	struct sbd_common_pair *pair = SBD_REACHED(of);
	struct sbd_common_side *side = &pair->side[which];

	sbd_common_fill(pair, which, time_ns, rtt_us);
	sbd_common_cross(pair, which, time_ns, rtt_us);
	sbd_common_adjoin(pair, which, time_ns, rtt_us);
	sbd_common_probe(pair, which, time_ns, rtt_us);
	if (side->chain.has_last &&
	    time_ns - side->chain.time_ns <= SBD_COMMON_CLOSE_STEPS * pair->step_ns)
		sbd_common_count_close(side, rtt_us);
	side->chain.time_ns = time_ns;
	side->chain.rtt_us = rtt_us;
	side->chain.has_last = true;
	return 0;
}

/*
 * Forget what a subflow's samples after a time said; steps after are known anew when the next
 * sample that is kept comes.
 */
SBD_ALONE int sbd_common_go_back(struct sbd_common_pair *of SBD_ARENA, int which, int64_t from_ns)
{
	struct sbd_common_pair *pair = SBD_REACHED(of);
	int64_t first_ns = sbd_common_first_ns(pair);
	struct sbd_common_side *side = &pair->side[which];
	int64_t known = (side->chain.time_ns - first_ns) / pair->step_ns + 1;

	if (side->adjacent.is_there && side->adjacent.time_ns > from_ns)
		sbd_common_count_adjacent(pair, which, -1);
	if (side->probes.is_there && side->probes.time_ns > from_ns)
		sbd_common_count_probe(pair, which, -1);
	if (side->chain.crossing_ns > from_ns)
		side->chain.has_crossing = false;
	side->adjacent.is_there = false;
	side->probes.is_there = false;
	side->adjacent_pending.is_there = false;
	side->probes_pending.is_there = false;
	/* What was judged stays. */
	if (known < SBD_COMMON_LEAD)
		known = SBD_COMMON_LEAD;
	if (side->next > known)
		side->next = (int32_t)known;
	return 0;
}

/*
 * Silences of both that end together, again and again, are a stall that both meet: not a queue.
 * What was sampled from where the earlier one began up to a round trip after the end is left out.
 * Here the second of them ends.
 */
static inline void sbd_common_excise(struct sbd_common_pair *pair, int which, int64_t begin_ns,
				     int64_t time_ns)
{
	struct sbd_common_side *side = &pair->side[which], *other = &pair->side[!which];
	int64_t from_ns;

	if (pair->ended_together < SBD_COMMON_EXCISED_FROM)
		pair->ended_together++;
	if (pair->ended_together < SBD_COMMON_EXCISED_FROM)
		return;
	if (other->silence_begin_ns <= begin_ns) {
		from_ns = other->silence_begin_ns;
		other->chain = other->before[0];
		side->chain = other->before[1];
	} else {
		from_ns = begin_ns;
		other->chain = side->beside;
	}
	sbd_common_go_back(pair, 0, from_ns);
	sbd_common_go_back(pair, 1, from_ns);
	pair->cut_to_ns = time_ns + SBD_COMMON_EXCISED_STEPS * pair->step_ns;
	pair->cut[pair->cuts++ & (SBD_COMMON_CUTS - 1)] =
	    (struct sbd_common_cut){ from_ns, pair->cut_to_ns };
	side->beside = other->chain;
	other->beside = side->chain;
	pair->complete_ns = SBD_COMMON_NEVER;
}

SBD_ALONE int sbd_common_end_silence(struct sbd_common_pair *of SBD_ARENA, int which,
				     int64_t begin_ns, int64_t time_ns)
{
	struct sbd_common_pair *pair = SBD_REACHED(of);
	struct sbd_common_side *side = &pair->side[which], *other = &pair->side[!which];

	side->before[0] = side->chain;
	side->before[1] = side->beside;
	if (other->was_silent && time_ns - other->silence_end_ns <= pair->step_ns / 2)
		sbd_common_excise(pair, which, begin_ns, time_ns);
	side->was_silent = true;
	side->silence_begin_ns = begin_ns;
	side->silence_end_ns = time_ns;
	return 0;
}

/* Begin a lattice at a sample's time. */
SBD_ALONE int sbd_common_start(struct sbd_common_pair *of SBD_ARENA, int64_t time_ns,
			       uint32_t min_rtt_us)
{
	struct sbd_common_pair *pair = SBD_REACHED(of);
	int i;

	pair->min_rtt_us = min_rtt_us ? min_rtt_us : 1;
	pair->start_ns = time_ns;
	pair->step_ns = (int64_t)pair->min_rtt_us * 1000 / SBD_COMMON_STEPS_PER_RTT;
	pair->number = 0;
	pair->complete_ns = SBD_COMMON_NEVER;
	pair->void_blocks = 0;
	pair->void_run = 0;
	pair->age = 0;
	pair->contrary = 0;
	pair->ended_together = 0;
	pair->cuts = 0;
	pair->cut_to_ns = INT64_MIN;
	memset(pair->waiting, 0, sizeof(pair->waiting));
	memset(&pair->slow, 0, sizeof(pair->slow));
	memset(&pair->fast, 0, sizeof(pair->fast));
	for (i = 0; i < 2; i++) {
		struct sbd_common_side *side = &pair->side[i];

		memset(&side->chain, 0, sizeof(side->chain));
		memset(&side->close, 0, sizeof(side->close));
		side->chain.time_ns = side->raw_ns;
		side->chain.rtt_us = side->raw_us;
		side->adjacent.is_there = false;
		side->probes.is_there = false;
		side->adjacent_pending.is_there = false;
		side->probes_pending.is_there = false;
		side->was_silent = false;
		side->next = SBD_COMMON_LEAD;
		side->total[0] = 0;
		side->total[1] = 0;
		memset(side->earlier, 0, sizeof(side->earlier));
		memset(side->points, 0, sizeof(side->points));
	}
	pair->side[0].beside = pair->side[1].chain;
	pair->side[1].beside = pair->side[0].chain;
	return 0;
}

/* The larger of both smallest RTTs so far. */
static inline uint32_t sbd_common_min_rtt_us(const struct sbd_common_pair *pair)
{
	uint32_t a_us = pair->side[0].min_us, b_us = pair->side[1].min_us,
		 larger_us = a_us > b_us ? a_us : b_us;

	return larger_us < SBD_COMMON_CAP_US ? larger_us : SBD_COMMON_CAP_US;
}

static inline void sbd_common_init(struct sbd_common_pair *pair, struct sbd_common_rule rule)
{
	memset(pair, 0, sizeof(*pair));
	pair->rule = rule;
	pair->said = SBD_COMMON_UNSAID;
	pair->side[0].min_us = UINT32_MAX;
	pair->side[1].min_us = UINT32_MAX;
}

/* Note the sample itself, kept or not. */
static inline void sbd_common_note(struct sbd_common_pair *pair, int which, int64_t time_ns,
				   uint32_t rtt_us)
{
	struct sbd_common_side *side = &pair->side[which], *other = &pair->side[!which];

	side->raw_ns = time_ns;
	side->raw_us = rtt_us;
	side->beside = other->chain;
	if (other->raw_ns == time_ns)
		other->beside = side->chain;
}

/*
 * Whether a new lattice has to begin: there is none, or both subflows' round trips have turned out
 * to be much shorter.
 */
static inline bool sbd_common_is_outgrown(const struct sbd_common_pair *pair)
{
	if (pair->side[0].samples < SBD_COMMON_FIRST_SAMPLES ||
	    pair->side[1].samples < SBD_COMMON_FIRST_SAMPLES)
		return false;
	return !pair->min_rtt_us ||
	       10 * (int64_t)sbd_common_min_rtt_us(pair) < 7 * (int64_t)pair->min_rtt_us;
}

/*
 * Take an RTT sample of subflow 0 or 1 of the pair; none is older than the one before. Return
 * whether a block was judged: pair->said.
 */
static inline bool sbd_common_on_rtt(struct sbd_common_pair *pair,
				     struct sbd_common_scratch *scratch, int which, int64_t time_ns,
				     uint32_t rtt_us)
{
	struct sbd_common_side *side = &pair->side[which];
	int64_t before_ns = side->raw_ns;
	bool judged = false;

	if (rtt_us > SBD_COMMON_LIMIT_US)
		rtt_us = SBD_COMMON_LIMIT_US;
	if (rtt_us < side->min_us)
		side->min_us = rtt_us;
	if (side->samples < SBD_COMMON_FIRST_SAMPLES)
		side->samples++;
	if (pair->min_rtt_us) {
		judged = sbd_common_catch_up(pair, scratch, time_ns, true);
		if (time_ns - before_ns > SBD_COMMON_SILENT_STEPS * pair->step_ns)
			sbd_common_end_silence(pair, which, before_ns, time_ns);
		if (time_ns >= pair->cut_to_ns)
			sbd_common_take(pair, which, time_ns, rtt_us);
	}
	sbd_common_note(pair, which, time_ns, rtt_us);
	if (!sbd_common_is_outgrown(pair))
		return judged;
	/* What this sample completes is judged on the old lattice. */
	if (pair->min_rtt_us)
		judged |= sbd_common_catch_up(pair, scratch, time_ns, false);
	sbd_common_start(pair, time_ns, sbd_common_min_rtt_us(pair));
	if (time_ns - before_ns > SBD_COMMON_SILENT_STEPS * pair->step_ns)
		sbd_common_end_silence(pair, which, before_ns, time_ns);
	sbd_common_take(pair, which, time_ns, rtt_us);
	sbd_common_note(pair, which, time_ns, rtt_us);
	return judged;
}

/* Judge what is complete: no sample comes after a time. */
static inline bool sbd_common_finish(struct sbd_common_pair *pair,
				     struct sbd_common_scratch *scratch, int64_t time_ns)
{
	return pair->min_rtt_us && sbd_common_catch_up(pair, scratch, time_ns, false);
}

#endif
