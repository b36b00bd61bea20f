/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Common lag: whether two subflows share a bottleneck, by their RTT samples alone
 *
 * Twin of features/common_lag/ and models/detectors/common_lag.py, to the last bit, as the samples
 * come. Integers only, no allocation, no library; a pair is a struct sbd_common_pair. A block is
 * judged by the call of sbd_common_on_rtt() after which no sample can change it.
 */
#ifndef SBD_COMMON_LAG_H
#define SBD_COMMON_LAG_H

#ifdef __KERNEL__
#include <linux/string.h>
#include <linux/types.h>
#else
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
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
#define SBD_COMMON_LONGEST_STEPS	512	/* a longer silence is as long as any */
#define SBD_COMMON_WINDOW		(SBD_COMMON_LEAD + SBD_COMMON_BLOCK + SBD_COMMON_LONGEST_STEPS + 2)
#define SBD_COMMON_SILENT_STEPS		8	/* the shortest silence, and the first of the levels */
#define SBD_COMMON_LEVELS		7
#define SBD_COMMON_HELD_LEVEL		6	/* delays do not rise or fall in such a silence */
#define SBD_COMMON_LEVEL_LIMIT		4	/* of steps whose delays are compared as they are */
#define SBD_COMMON_BANDS		8
#define SBD_COMMON_NULL_LAGS		20	/* on either side */
#define SBD_COMMON_LAGS			422	/* of all bands */
#define SBD_COMMON_BAND_LAGS		73	/* most of a band */
#define SBD_COMMON_WORDS		5	/* 64 bits of earlier blocks, and those of a block */
#define SBD_COMMON_DECIMATION		4	/* steps from one delay that is compared to the next */
#define SBD_COMMON_LEVEL_LAGS		4
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
#define SBD_COMMON_FLIP_Q10		2048
#define SBD_COMMON_FLIP_BLOCKS		2
#define SBD_COMMON_FLIP_AGE		4
#define SBD_COMMON_FLIPPED_AGE		3

/* What is said of a pair. */
enum sbd_common_said {
	SBD_COMMON_APART,
	SBD_COMMON_SHARED,
	SBD_COMMON_UNSAID
};

struct sbd_common_rule {
	bool holds;	/* the last verdict, where the score allows none */
	bool flips;	/* fast sums that contradict take over */
};

#define SBD_COMMON_RULE	{ true, true }

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

struct sbd_common_side {
	struct sbd_common_chain chain;
	struct sbd_common_chain beside;		/* the other's, when this one's last sample came */
	struct sbd_common_chain before[2];	/* its own and the other's, when its last silence began */
	struct sbd_common_counted adjacent, probes;
	struct sbd_common_counted adjacent_pending, probes_pending;
	int64_t raw_ns;				/* last sample, kept or not */
	int64_t silence_end_ns, silence_begin_ns;
	int64_t next;				/* step whose delay is not known yet, from the window's first */
	int64_t total[2];			/* of the delays of the two blocks before */
	int64_t mean_us;			/* at the last block */
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
	struct sbd_common_rule rule;
	int64_t start_ns, step_ns;
	int64_t number;			/* of the block that is waited for */
	int64_t complete_ns;		/* since when both know it; SBD_COMMON_NEVER if they do not */
	int64_t settled_ns;		/* since when both have a sample that is no older than that */
	int64_t void_blocks;		/* without anything, not made up for yet */
	int32_t void_run;
	uint32_t min_rtt_us;		/* 0 before the first lattice */
	int32_t age, contrary;		/* blocks since sums began; in which the fast sums contradict */
	int32_t ended_together;
	int32_t cuts;			/* since the start */
	int64_t cut_to_ns;		/* samples before are excised */
	struct sbd_common_cut cut[SBD_COMMON_CUTS];	/* the last ones */
	struct sbd_common_side side[2];
	struct sbd_common_waiting waiting[SBD_COMMON_WAITING];
	struct sbd_common_sums slow, fast;

	/* The last judgement. */
	enum sbd_common_said said;
	int32_t score_q10;
};

/* What sums say, Q10; counts of samples in parts. */
struct sbd_common_evidence {
	int32_t lag_q10, level_q10, own_q10, lead_q10;
	int32_t bands, samples, probes;
	bool has_level, has_own, has_lead;
};

#define SBD_COMMON_NEVER	INT64_MAX

static inline int sbd_common_span(int band)
{
	return 2 << band;
}

static inline int sbd_common_stride(int band)
{
	return band < 2 ? 1 : 1 << (band - 1);
}

static inline int sbd_common_possible(int band)
{
	return SBD_COMMON_STEPS_PER_RTT / sbd_common_stride(band);
}

static inline int sbd_common_first_null(int band)
{
	return sbd_common_possible(band) + (band ? 4 : 2) + 1;
}

static inline int sbd_common_lags(int band)
{
	return 2 * (sbd_common_possible(band) + SBD_COMMON_NULL_LAGS) + 1;
}

/* The lag at a place among those of a band, in strides. */
static inline int sbd_common_at(int band, int place)
{
	int possible = sbd_common_possible(band), null = sbd_common_first_null(band);

	if (place < SBD_COMMON_NULL_LAGS)
		return place - SBD_COMMON_NULL_LAGS + 1 - null;
	place -= SBD_COMMON_NULL_LAGS;
	if (place <= 2 * possible)
		return place - possible;
	return place - 2 * possible - 1 + null;
}

static inline bool sbd_common_may_peak(int band, int place)
{
	return place >= SBD_COMMON_NULL_LAGS &&
	       place <= SBD_COMMON_NULL_LAGS + 2 * sbd_common_possible(band);
}

static inline int sbd_common_popcount(uint64_t word)
{
	word -= (word >> 1) & 0x5555555555555555;
	word = (word & 0x3333333333333333) + ((word >> 2) & 0x3333333333333333);
	word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0f;
	return (int)((word * 0x0101010101010101) >> 56);
}

static inline int64_t sbd_common_root(int64_t square)
{
	uint64_t rest = (uint64_t)square, root = 0, bit = (uint64_t)1 << 62;

	while (bit > rest)
		bit >>= 2;
	for (; bit; bit >>= 2) {
		uint64_t trial = root + bit;

		root >>= 1;
		if (rest >= trial) {
			rest -= trial;
			root += bit;
		}
	}
	return (int64_t)root;
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

/* Sums of a subflow's delays up to each step of the window's part that changes of a block span. */
struct sbd_common_prefix {
	int64_t delay_us[SBD_COMMON_LEAD + SBD_COMMON_BLOCK + 1];
	uint32_t most; /* point, and so level, of all */
};

static inline void sbd_common_sum_delays(const struct sbd_common_side *side,
					 struct sbd_common_prefix *prefix)
{
	int64_t total = 0;
	int i;

	prefix->most = 0;
	for (i = 0; i < SBD_COMMON_LEAD + SBD_COMMON_BLOCK; i++) {
		prefix->delay_us[i] = total;
		total += sbd_common_delay_us(side->point[i]);
		if (side->point[i] > prefix->most)
			prefix->most = side->point[i];
	}
	prefix->delay_us[i] = total;
}

/* Which changes of a band of a block count: bits from the lowest. Return how many do. */
static inline int sbd_common_counted(const struct sbd_common_side *side,
				     const struct sbd_common_prefix *prefix, int band,
				     int64_t number, uint64_t *counted)
{
	int span = sbd_common_span(band), stride = sbd_common_stride(band),
	    n = SBD_COMMON_BLOCK / stride;
	uint16_t silent[SBD_COMMON_LEAD + SBD_COMMON_BLOCK + 1];
	uint32_t limit = (uint32_t)(band ? band : 1) << 24;
	/* A change may not begin before the start. */
	int first = number ? 0 : (span + stride - 2) / stride, points = 0, i;

	if (prefix->most < limit) {
		for (i = 0; i < n; i += 64)
			counted[i >> 6] = n < 64 ? ((uint64_t)1 << n) - 1 : ~(uint64_t)0;
		for (i = 0; i < first; i++)
			counted[i >> 6] &= ~((uint64_t)1 << (i & 63));
		return n - first;
	}
	silent[0] = 0;
	for (i = 0; i < SBD_COMMON_LEAD + SBD_COMMON_BLOCK; i++)
		silent[i + 1] = (uint16_t)(silent[i] + (side->point[i] >= limit));
	for (i = first; i < n; i++) {
		int end = SBD_COMMON_LEAD + i * stride + 1;

		if (silent[end] - silent[end - span] <= span / 2) {
			counted[i >> 6] |= (uint64_t)1 << (i & 63);
			points++;
		}
	}
	return points;
}

/* Signs of a subflow's changes in a band: bits of earlier blocks, then those of the block. */
struct sbd_common_signs {
	uint64_t above[SBD_COMMON_WORDS], counted[SBD_COMMON_WORDS];
};

static inline void sbd_common_signs(struct sbd_common_side *side,
				    const struct sbd_common_prefix *prefix, int band,
				    int64_t number, struct sbd_common_signs *signs)
{
	int span = sbd_common_span(band), half = span / 2, stride = sbd_common_stride(band);
	struct sbd_common_earlier *earlier = &side->earlier[band];
	int64_t change[SBD_COMMON_BLOCK], total = 0, sum, count, mean;
	int n = SBD_COMMON_BLOCK / stride, points, i;
	const int64_t *delay_us = prefix->delay_us + SBD_COMMON_LEAD + 1;

	memset(signs, 0, sizeof(*signs));
	points = sbd_common_counted(side, prefix, band, number, signs->counted + 1);
	for (i = 0; i < n; i++) {
		const int64_t *end = delay_us + i * stride;

		change[i] = end[0] - 2 * end[-half] + end[-span];
		total += signs->counted[1 + (i >> 6)] >> (i & 63) & 1 ? change[i] : 0;
	}
	sum = earlier->total[0] + earlier->total[1] + total;
	count = side->points[band][0] + side->points[band][1] + points;
	/* More than the mean is more than what it is rounded down to. */
	mean = count ? sum / count - (sum % count < 0) : 0;
	for (i = 0; i < n; i++)
		signs->above[1 + (i >> 6)] |= (uint64_t)(change[i] > mean) << (i & 63);
	for (i = 1; i < SBD_COMMON_WORDS; i++)
		signs->above[i] &= signs->counted[i];
	signs->above[0] = earlier->above;
	signs->counted[0] = earlier->counted;
	if (n >= 64) {
		earlier->above = signs->above[n >> 6];
		earlier->counted = signs->counted[n >> 6];
	} else {
		earlier->above = earlier->above >> n | signs->above[1] << (64 - n);
		earlier->counted = earlier->counted >> n | signs->counted[1] << (64 - n);
	}
	earlier->total[0] = earlier->total[1];
	earlier->total[1] = total;
	side->points[band][0] = side->points[band][1];
	side->points[band][1] = (int16_t)points;
}

/* Word i of a block's bits that were as many strides earlier: 0 to 63. */
static inline uint64_t sbd_common_earlier_word(const uint64_t *words, int i, int by)
{
	return by ? words[i + 1] << by | words[i] >> (64 - by) : words[i + 1];
}

/*
 * Note what agrees, and how many were counted, of a subflow's changes with the other's that were as
 * many strides earlier.
 */
static inline void sbd_common_correlate(const struct sbd_common_signs *of,
					const struct sbd_common_signs *with, int by, int n,
					int32_t *agreement, int32_t *counted)
{
	int words = (n + 63) >> 6, both = 0, different = 0, i;
	uint64_t last = n < 64 ? ((uint64_t)1 << n) - 1 : ~(uint64_t)0;

	for (i = 0; i < words; i++) {
		uint64_t mask = of->counted[i + 1] & sbd_common_earlier_word(with->counted, i, by) &
				last;

		both += sbd_common_popcount(mask);
		different += sbd_common_popcount(
		    (of->above[i + 1] ^ sbd_common_earlier_word(with->above, i, by)) & mask);
	}
	*agreement = both - 2 * different;
	*counted = both;
}

static inline int64_t sbd_common_faded(int64_t sum, int parts)
{
	return sum < 0 ? sum + (-sum * parts >> 3) : sum - (sum * parts >> 3);
}

static inline void sbd_common_fade_samples(struct sbd_common_samples *samples, int parts)
{
	int i, j;

	for (i = 0; i < 2; i++) {
		struct sbd_common_adjacent *adjacent = &samples->adjacent[i];
		struct sbd_common_probes *probes = &samples->probes[i];

		adjacent->count = (int32_t)sbd_common_faded(adjacent->count, parts);
		adjacent->before_squares = sbd_common_faded(adjacent->before_squares, parts);
		adjacent->after_squares = sbd_common_faded(adjacent->after_squares, parts);
		adjacent->products = sbd_common_faded(adjacent->products, parts);
		probes->count = (int32_t)sbd_common_faded(probes->count, parts);
		for (j = 0; j < SBD_COMMON_DELAYS; j++) {
			probes->total[j] = sbd_common_faded(probes->total[j], parts);
			probes->squares[j] = sbd_common_faded(probes->squares[j], parts);
			if (j)
				probes->products[j - 1] = sbd_common_faded(probes->products[j - 1],
									   parts);
		}
	}
}

/* Let sums lose eighths. */
static inline void sbd_common_fade(struct sbd_common_sums *sums, int parts)
{
	int i;

	for (i = 0; i < 2 * SBD_COMMON_LEVEL_LAGS + 1; i++) {
		sums->level_products[i] = sbd_common_faded(sums->level_products[i], parts);
		sums->level_counted[i] = (int32_t)sbd_common_faded(sums->level_counted[i], parts);
	}
	sums->level_squares[0] = sbd_common_faded(sums->level_squares[0], parts);
	sums->level_squares[1] = sbd_common_faded(sums->level_squares[1], parts);
	sums->level_both = (int32_t)sbd_common_faded(sums->level_both, parts);
	sbd_common_fade_samples(&sums->samples, parts);
	for (i = 0; i < SBD_COMMON_LAGS; i++) {
		int32_t size = sums->agreement[i] < 0 ? -sums->agreement[i] : sums->agreement[i];

		size = size * parts >> 3;
		sums->agreement[i] -= sums->agreement[i] < 0 ? -size : size;
	}
	for (i = 0; i < SBD_COMMON_LAGS; i++)
		sums->counted[i] = (uint16_t)(sums->counted[i] - (sums->counted[i] * parts >> 3));
}

/*
 * Note what a block's samples say: delays of adjacent ones as deviations from the mean; return
 * whether there are any.
 */
static inline bool sbd_common_samples(const struct sbd_common_waiting *own,
				      const struct sbd_common_side *side,
				      struct sbd_common_samples *block)
{
	bool any = false;
	int i;

	for (i = 0; i < 2; i++) {
		const struct sbd_common_raw_adjacent *adjacent = &own->adjacent[i];
		int64_t by = side[i].mean_us - side[i].reference_us, n = adjacent->sums.count;
		struct sbd_common_adjacent *to = &block->adjacent[i];

		to->count = adjacent->sums.count << SBD_COMMON_SAMPLE_PARTS_LOG;
		to->before_squares = adjacent->sums.before_squares - 2 * by * adjacent->before +
				     n * by * by;
		to->after_squares = adjacent->sums.after_squares - 2 * by * adjacent->after +
				    n * by * by;
		to->products = adjacent->sums.products - by * (adjacent->before + adjacent->after) +
			       n * by * by;
		block->probes[i] = own->probes[i];
		block->probes[i].count = own->probes[i].count << SBD_COMMON_SAMPLE_PARTS_LOG;
		any |= n || own->probes[i].count;
	}
	return any;
}

static inline void sbd_common_add_samples(struct sbd_common_samples *to,
					  const struct sbd_common_samples *block)
{
	int i, j;

	for (i = 0; i < 2; i++) {
		to->adjacent[i].count += block->adjacent[i].count;
		to->adjacent[i].before_squares += block->adjacent[i].before_squares;
		to->adjacent[i].after_squares += block->adjacent[i].after_squares;
		to->adjacent[i].products += block->adjacent[i].products;
		to->probes[i].count += block->probes[i].count;
		for (j = 0; j < SBD_COMMON_DELAYS; j++) {
			to->probes[i].total[j] += block->probes[i].total[j];
			to->probes[i].squares[j] += block->probes[i].squares[j];
			if (j)
				to->probes[i].products[j - 1] += block->probes[i].products[j - 1];
		}
	}
}

/* Add what a block says to sums. */
static inline void sbd_common_add(struct sbd_common_sums *to, const struct sbd_common_sums *block)
{
	int i;

	for (i = 0; i < 2 * SBD_COMMON_LEVEL_LAGS + 1; i++) {
		to->level_products[i] += block->level_products[i];
		to->level_counted[i] += block->level_counted[i];
	}
	to->level_squares[0] += block->level_squares[0];
	to->level_squares[1] += block->level_squares[1];
	to->level_both += block->level_both;
	sbd_common_add_samples(&to->samples, &block->samples);
	for (i = 0; i < SBD_COMMON_LAGS; i++) {
		to->agreement[i] += block->agreement[i];
		to->counted[i] = (uint16_t)(to->counted[i] + block->counted[i]);
	}
}

/* The mean delay over the block that is known and the two before. */
static inline void sbd_common_mean(struct sbd_common_side *side, int64_t number)
{
	int64_t total = 0;
	int i;

	for (i = 0; i < SBD_COMMON_BLOCK; i++)
		total += sbd_common_delay_us(side->point[SBD_COMMON_LEAD + i]);
	side->mean_us = (total + side->total[0] + side->total[1]) /
			(SBD_COMMON_BLOCK * (number < 2 ? number + 1 : 3));
	side->total[0] = side->total[1];
	side->total[1] = total;
}

/* Note what a block's delays themselves say; return whether anything was counted. */
static inline bool sbd_common_levels(const struct sbd_common_pair *pair,
				     const int64_t *earlier_mean_us, struct sbd_common_sums *block)
{
	const struct sbd_common_side *side = pair->side;
	bool any = false;
	int i, lag, way;

	for (i = 0; i < SBD_COMMON_BLOCK; i += SBD_COMMON_DECIMATION) {
		int64_t here[2];
		bool counts[2];

		for (way = 0; way < 2; way++) {
			uint32_t point = side[way].point[SBD_COMMON_LEAD + i];

			here[way] = sbd_common_deviation(sbd_common_delay_us(point),
							 side[way].mean_us);
			counts[way] = point >> 24 < SBD_COMMON_LEVEL_LIMIT;
		}
		if (counts[0] && counts[1]) {
			block->level_squares[0] += here[0] * here[0];
			block->level_squares[1] += here[1] * here[1];
			block->level_both += 1 << SBD_COMMON_PARTS_LOG;
		}
		for (lag = 0; lag <= SBD_COMMON_LEVEL_LAGS; lag++) {
			int step = i - lag * SBD_COMMON_DECIMATION;

			if (step < 0 && !pair->number)
				break;
			for (way = 0; way < (lag ? 2 : 1); way++) {
				const struct sbd_common_side *other = &side[!way];
				int64_t mean_us = step < 0 ? earlier_mean_us[!way] : other->mean_us;
				uint32_t point = other->point[SBD_COMMON_LEAD + step];
				int at = SBD_COMMON_LEVEL_LAGS + (way ? -lag : lag);

				if (!counts[way] || point >> 24 >= SBD_COMMON_LEVEL_LIMIT)
					continue;
				block->level_products[at] +=
				    here[way] *
				    sbd_common_deviation(sbd_common_delay_us(point), mean_us);
				block->level_counted[at] += 1 << SBD_COMMON_PARTS_LOG;
				any = true;
			}
		}
	}
	return any;
}

/* Note what the signs of a block's changes say; return whether anything was counted. */
static inline bool sbd_common_correlogram(struct sbd_common_pair *pair,
					  struct sbd_common_sums *block)
{
	struct sbd_common_prefix prefix[2];
	struct sbd_common_signs signs[2];
	int band, place, at = 0;
	bool any = false;

	sbd_common_sum_delays(&pair->side[0], &prefix[0]);
	sbd_common_sum_delays(&pair->side[1], &prefix[1]);
	for (band = 0; band < SBD_COMMON_BANDS; band++) {
		int n = SBD_COMMON_BLOCK / sbd_common_stride(band);

		sbd_common_signs(&pair->side[0], &prefix[0], band, pair->number, &signs[0]);
		sbd_common_signs(&pair->side[1], &prefix[1], band, pair->number, &signs[1]);
		for (place = 0; place < sbd_common_lags(band); place++, at++) {
			int lag = sbd_common_at(band, place), by = lag < 0 ? -lag : lag;
			int32_t agreement, counted;

			sbd_common_correlate(&signs[lag < 0], &signs[lag >= 0], by, n, &agreement,
					     &counted);
			block->agreement[at] = agreement * (1 << SBD_COMMON_PARTS_LOG);
			block->counted[at] = (uint16_t)(counted << SBD_COMMON_PARTS_LOG);
			any |= counted;
		}
	}
	return any;
}

/* A correlation of sums of one scale, Q10; false if one does not vary. */
static inline bool sbd_common_correlation(int64_t both, int64_t a, int64_t b, int32_t *found_q10)
{
	int64_t size;

	if (a <= 0 || b <= 0)
		return false;
	while (a >= (int64_t)1 << 40 || b >= (int64_t)1 << 40) {
		a >>= 2;
		b >>= 2;
		both /= 4;
	}
	size = sbd_common_root(a) * sbd_common_root(b);
	if (!size)
		return false;
	*found_q10 = (int32_t)sbd_common_clamped(both * 1024 / size, -1024, 1024);
	return true;
}

/* What agrees as a share of what was counted. */
static inline int32_t sbd_common_share_q15(int32_t agreement, int32_t counted)
{
	/*
	 * Counts in parts, of sums that lose an eighth, are below 2^16, and what agrees is no more.
	 */
	return agreement * (1 << 15) / (counted ? counted : 1);
}

/* Add a band's excess at each common lag; return whether it says anything. */
static inline bool sbd_common_band(const int32_t *agreement, const uint16_t *counted, int band,
				   int32_t *excess_q10)
{
	int stride = sbd_common_stride(band), possible = sbd_common_possible(band),
	    lags = sbd_common_lags(band);
	int32_t own_q10[2 * SBD_COMMON_STEPS_PER_RTT + 1];
	int64_t total = 0, squares = 0, spread;
	int place, most = 0, nulls = 0, lag;
	bool any = false;

	for (place = 0; place < lags; place++)
		if (counted[place] > most)
			most = counted[place];
	if (most < 12 << SBD_COMMON_PARTS_LOG)
		return false;
	for (place = 0; place < lags; place++) {
		int64_t share;

		if (counted[place] * 10 < most * 3)
			continue;
		if (sbd_common_may_peak(band, place)) {
			any = true;
		} else if (counted[place] >= 8 << SBD_COMMON_PARTS_LOG) {
			share = sbd_common_share_q15(agreement[place], counted[place]);
			total += share;
			squares += share * share;
			nulls++;
		}
	}
	if (nulls < 10 || !any)
		return false;
	/* 1e-4 is added to the variance. */
	spread = sbd_common_root(nulls * squares - total * total +
				 (int64_t)nulls * nulls * ((1 << 30) / 10000));
	for (place = 0; place <= 2 * possible; place++) {
		int at = SBD_COMMON_NULL_LAGS + place;
		int64_t above;

		own_q10[place] = -3072;
		if (counted[at] * 10 < most * 3)
			continue;
		above = nulls * sbd_common_share_q15(agreement[at], counted[at]) - total;
		own_q10[place] = (int32_t)sbd_common_clamped(above * 1024 / spread, -3072, 8192);
	}
	for (lag = -SBD_COMMON_STEPS_PER_RTT; lag <= SBD_COMMON_STEPS_PER_RTT; lag++) {
		/* The nearest stride, the nearer to zero of two. */
		int by = ((lag < 0 ? -lag : lag) + (stride - 1) / 2) / stride;

		if (by > possible)
			by = possible;
		excess_q10[SBD_COMMON_STEPS_PER_RTT + lag] +=
		    own_q10[possible + (lag < 0 ? -by : by)];
	}
	return true;
}

static inline void sbd_common_lag_evidence(const struct sbd_common_sums *sums,
					   struct sbd_common_evidence *evidence)
{
	int32_t excess_q10[2 * SBD_COMMON_STEPS_PER_RTT + 1], most = INT32_MIN;
	int band, lag, at = 0;

	memset(excess_q10, 0, sizeof(excess_q10));
	for (band = 0; band < SBD_COMMON_BANDS; at += sbd_common_lags(band++))
		if (sbd_common_band(sums->agreement + at, sums->counted + at, band, excess_q10))
			evidence->bands++;
	for (lag = 0; lag <= 2 * SBD_COMMON_STEPS_PER_RTT; lag++)
		if (excess_q10[lag] > most)
			most = excess_q10[lag];
	if (evidence->bands)
		evidence->lag_q10 = most / evidence->bands;
}

static inline void sbd_common_level_evidence(const struct sbd_common_sums *sums,
					     struct sbd_common_evidence *evidence)
{
	int32_t found_q10;
	int i;

	if (sums->level_both < 10 << SBD_COMMON_PARTS_LOG)
		return;
	for (i = 0; i < 2 * SBD_COMMON_LEVEL_LAGS + 1; i++) {
		if (sums->level_counted[i] < 10 << SBD_COMMON_PARTS_LOG ||
		    !sbd_common_correlation(
			sums->level_products[i] * sums->level_both / sums->level_counted[i],
			sums->level_squares[0], sums->level_squares[1], &found_q10))
			continue;
		if (!evidence->has_level || found_q10 > evidence->level_q10)
			evidence->level_q10 = found_q10;
		evidence->has_level = true;
	}
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

static inline bool sbd_common_probes_lead(const struct sbd_common_probes *probes, int32_t *lead_q10)
{
	int64_t own_us = probes->total[SBD_COMMON_PROBE], own;
	int32_t found_q10[SBD_COMMON_DELAYS];
	int with;

	if (probes->count < 8 << SBD_COMMON_SAMPLE_PARTS_LOG)
		return false;
	own = sbd_common_spread(probes, probes->squares[SBD_COMMON_PROBE], own_us, own_us);
	for (with = SBD_COMMON_CROSSING; with < SBD_COMMON_DELAYS; with++) {
		int64_t its_us = probes->total[with];

		if (!sbd_common_correlation(
			sbd_common_spread(probes, probes->products[with - 1], own_us, its_us), own,
			sbd_common_spread(probes, probes->squares[with], its_us, its_us),
			&found_q10[with]))
			return false;
	}
	*lead_q10 = found_q10[SBD_COMMON_CROSSING] - found_q10[SBD_COMMON_FOLLOWING];
	return true;
}

static inline void sbd_common_samples_evidence(const struct sbd_common_samples *samples,
					       struct sbd_common_evidence *evidence)
{
	int32_t own_q10[2], lead_q10[2];
	bool own = true, lead = true;
	int i;

	for (i = 0; i < 2; i++) {
		const struct sbd_common_adjacent *adjacent = &samples->adjacent[i];

		own &= adjacent->count >= 5 << SBD_COMMON_SAMPLE_PARTS_LOG &&
		       sbd_common_correlation(adjacent->products, adjacent->before_squares,
					      adjacent->after_squares, &own_q10[i]);
		lead &= sbd_common_probes_lead(&samples->probes[i], &lead_q10[i]);
	}
	evidence->samples =
	    samples->adjacent[samples->adjacent[1].count < samples->adjacent[0].count].count;
	evidence->probes =
	    samples->probes[samples->probes[1].count < samples->probes[0].count].count;
	evidence->has_own = own;
	evidence->has_lead = lead;
	if (own)
		evidence->own_q10 = (int32_t)sbd_common_clamped((own_q10[0] + own_q10[1]) / 2, 0,
								1024);
	if (lead)
		evidence->lead_q10 = (int32_t)sbd_common_clamped(lead_q10[0] + lead_q10[1], -1536,
								 512);
}

static inline struct sbd_common_evidence sbd_common_evidence(const struct sbd_common_sums *sums)
{
	struct sbd_common_evidence evidence = { 0 };

	sbd_common_lag_evidence(sums, &evidence);
	sbd_common_level_evidence(sums, &evidence);
	sbd_common_samples_evidence(&sums->samples, &evidence);
	return evidence;
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
	return evidence->samples >= 8 << SBD_COMMON_SAMPLE_PARTS_LOG && evidence->bands;
}

/* Judge by the sums as they are. */
static inline void sbd_common_say(struct sbd_common_pair *pair)
{
	struct sbd_common_evidence evidence = sbd_common_evidence(&pair->slow), recent;
	int32_t score_q10 = sbd_common_score_q10(&evidence), recent_q10, band_q10;

	if (pair->rule.flips && pair->age >= SBD_COMMON_FLIP_AGE) {
		recent = sbd_common_evidence(&pair->fast);
		recent_q10 = sbd_common_score_q10(&recent);
		if ((recent_q10 > 0) != (score_q10 > 0) &&
		    (recent_q10 > SBD_COMMON_FLIP_Q10 || recent_q10 < -SBD_COMMON_FLIP_Q10) &&
		    recent.samples >= 8 << SBD_COMMON_SAMPLE_PARTS_LOG)
			pair->contrary++;
		else
			pair->contrary = 0;
		if (pair->contrary >= SBD_COMMON_FLIP_BLOCKS) {
			pair->slow = pair->fast;
			pair->age = SBD_COMMON_FLIPPED_AGE;
			pair->contrary = 0;
			evidence = recent;
			score_q10 = recent_q10;
		}
	}
	pair->score_q10 = score_q10;
	band_q10 = sbd_common_band_q10(pair->age);
	if (sbd_common_speaks(&evidence) && (score_q10 > band_q10 || score_q10 < -band_q10))
		pair->said = score_q10 > 0 ? SBD_COMMON_SHARED : SBD_COMMON_APART;
	else if (!pair->rule.holds)
		pair->said = SBD_COMMON_UNSAID;
	SBD_COMMON_JUDGED(pair, &evidence);
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

/* Let sums fade for a block, or a block without anything. */
static inline void sbd_common_pass(struct sbd_common_pair *pair)
{
	sbd_common_fade(&pair->slow, 1);
	sbd_common_fade(&pair->fast, 3);
	if (pair->age < INT32_MAX)
		pair->age++;
}

/* Make up for blocks without anything. */
static inline void sbd_common_make_up(struct sbd_common_pair *pair)
{
	int64_t left = pair->void_blocks < SBD_COMMON_MOST_VOID ? pair->void_blocks
								: SBD_COMMON_MOST_VOID;

	for (; left > 0; left--) {
		sbd_common_pass(pair);
		sbd_common_say(pair);
	}
	pair->void_blocks = 0;
}

/* Let the window begin some blocks later. */
static inline void sbd_common_move(struct sbd_common_side *side)
{
	int64_t left = side->next - SBD_COMMON_BLOCK;

	memmove(side->point, side->point + SBD_COMMON_BLOCK, (size_t)left * sizeof(side->point[0]));
	side->next = left;
}

/*
 * Take the block that is known: judge it, unless nothing was counted where a subflow has been
 * silent for long.
 */
static inline void sbd_common_judge(struct sbd_common_pair *pair, bool silent)
{
	struct sbd_common_waiting *own = &pair->waiting[pair->number & (SBD_COMMON_WAITING - 1)];
	const int64_t earlier_us[2] = { pair->side[0].mean_us, pair->side[1].mean_us };
	struct sbd_common_sums block;
	bool any;

	memset(&block, 0, sizeof(block));
	sbd_common_mean(&pair->side[0], pair->number);
	sbd_common_mean(&pair->side[1], pair->number);
	any = sbd_common_correlogram(pair, &block);
	any |= sbd_common_levels(pair, earlier_us, &block);
	any |= sbd_common_samples(own, pair->side, &block.samples);
	if (any || !silent) {
		sbd_common_make_up(pair);
		sbd_common_pass(pair);
		sbd_common_add(&pair->slow, &block);
		sbd_common_add(&pair->fast, &block);
		sbd_common_say(pair);
		pair->void_run = 0;
	} else {
		pair->void_blocks++;
		pair->void_run++;
	}
	memset(own, 0, sizeof(*own));
	sbd_common_move(&pair->side[0]);
	sbd_common_move(&pair->side[1]);
	pair->number++;
	pair->complete_ns = SBD_COMMON_NEVER;
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
	uint32_t level = 0;

	while (level < SBD_COMMON_LEVELS &&
	       gap_ns > (SBD_COMMON_SILENT_STEPS << level) * pair->step_ns)
		level++;
	return level;
}

static inline bool sbd_common_is_cut(const struct sbd_common_pair *pair, int64_t time_ns)
{
	int i, cuts = pair->cuts < SBD_COMMON_CUTS ? pair->cuts : SBD_COMMON_CUTS;

	for (i = 0; i < cuts; i++)
		if (pair->cut[i].from_ns < time_ns && time_ns < pair->cut[i].to_ns)
			return true;
	return false;
}

/*
 * Note delays of the steps from a subflow's last sample up to, and without, the time of one that
 * comes.
 */
static inline void sbd_common_fill(struct sbd_common_pair *pair, struct sbd_common_side *side,
				   int64_t time_ns, uint32_t rtt_us)
{
	int64_t first_ns = sbd_common_first_ns(pair);
	int64_t last_ns = side->chain.time_ns, gap_ns = time_ns - last_ns, at_ns;
	int64_t last_us = side->chain.rtt_us, rise_us = rtt_us - last_us;
	uint32_t level = sbd_common_level(pair, gap_ns);

	for (; side->next < SBD_COMMON_WINDOW; side->next++) {
		uint32_t delay_us = (uint32_t)last_us, own_level = level;

		at_ns = first_ns + side->next * pair->step_ns;
		if (at_ns >= time_ns)
			break;
		if (at_ns == last_ns)
			own_level = 0;
		else if (level < SBD_COMMON_HELD_LEVEL)
			delay_us = (uint32_t)(last_us + rise_us * (at_ns - last_ns) / gap_ns);
		if (sbd_common_is_cut(pair, at_ns))
			own_level = SBD_COMMON_LEVELS;
		side->point[side->next] = delay_us | own_level << 24;
		if (at_ns == pair->start_ns)
			side->reference_us = delay_us;
	}
}

/* Let blocks go by in which both subflows are silent, when nothing earlier is compared any more. */
static inline void sbd_common_skip(struct sbd_common_pair *pair, int64_t time_ns)
{
	int64_t blocks = (time_ns - sbd_common_end_ns(pair)) / (SBD_COMMON_BLOCK * pair->step_ns),
		known;
	int i;

	if (blocks <= 0)
		return;
	pair->void_blocks += blocks;
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
static inline bool sbd_common_catch_up(struct sbd_common_pair *pair, int64_t time_ns,
				       bool others_follow)
{
	bool judged = false;

	for (;;) {
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
			sbd_common_fill(pair, side, time_ns, side->chain.rtt_us);
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
		sbd_common_judge(pair, fallen_silent);
		judged = true;
		if (fallen_silent == 2 && pair->void_run >= SBD_COMMON_FORGOTTEN)
			sbd_common_skip(pair, time_ns);
	}
}

/* Add what was counted to the block of its last sample, or take it away again. */
static inline void sbd_common_count_adjacent(struct sbd_common_pair *pair, int which,
					     const struct sbd_common_counted *counted, int by)
{
	int64_t block = (counted->time_ns - pair->start_ns) / (SBD_COMMON_BLOCK * pair->step_ns);
	struct sbd_common_raw_adjacent *to =
	    &pair->waiting[block & (SBD_COMMON_WAITING - 1)].adjacent[which];
	int64_t from_us = pair->side[which].reference_us;
	int64_t before_us = sbd_common_clamped(counted->delay_us[SBD_COMMON_PROBE] - from_us,
					       -SBD_COMMON_SPREAD_US, SBD_COMMON_SPREAD_US);
	int64_t after_us = sbd_common_clamped(counted->delay_us[SBD_COMMON_FOLLOWING] - from_us,
					      -SBD_COMMON_SPREAD_US, SBD_COMMON_SPREAD_US);

	if (by > 0 && to->sums.count == SBD_COMMON_MOST_ADJACENT)
		return;
	to->before += by * before_us;
	to->after += by * after_us;
	to->sums.count += by;
	to->sums.before_squares += by * before_us * before_us;
	to->sums.after_squares += by * after_us * after_us;
	to->sums.products += by * before_us * after_us;
}

/* The same of a probe. */
static inline void sbd_common_count_probe(struct sbd_common_pair *pair, int which,
					  const struct sbd_common_counted *counted, int by)
{
	int64_t block = (counted->time_ns - pair->start_ns) / (SBD_COMMON_BLOCK * pair->step_ns);
	struct sbd_common_probes *to =
	    &pair->waiting[block & (SBD_COMMON_WAITING - 1)].probes[which];
	int64_t delay_us[SBD_COMMON_DELAYS];
	int i;

	for (i = 0; i < SBD_COMMON_DELAYS; i++)
		delay_us[i] = sbd_common_deviation(
		    counted->delay_us[i],
		    pair->side[i == SBD_COMMON_CROSSING ? !which : which].reference_us);
	to->count += by;
	for (i = 0; i < SBD_COMMON_DELAYS; i++) {
		to->total[i] += by * delay_us[i];
		to->squares[i] += by * delay_us[i] * delay_us[i];
		if (i)
			to->products[i - 1] += by * delay_us[SBD_COMMON_PROBE] * delay_us[i];
	}
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
		sbd_common_count_adjacent(pair, !which, &other->adjacent, 1);
	}
	if (other->probes_pending.is_there && other->probes_pending.time_ns == time_ns) {
		other->probes = other->probes_pending;
		other->probes.delay_us[SBD_COMMON_CROSSING] = rtt_us;
		other->probes_pending.is_there = false;
		sbd_common_count_probe(pair, !which, &other->probes, 1);
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
		sbd_common_count_adjacent(pair, which, &counted, 1);
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

	if (chain->has_probe &&
	    (time_ns - pair->start_ns) / slot_ns == (chain->probe_ns - pair->start_ns) / slot_ns)
		return;
	side->probes_pending.is_there = false;
	if (chain->has_crossing) {
		side->probes = counted;
		sbd_common_count_probe(pair, which, &counted, 1);
	} else if (chain->has_probe) {
		side->probes_pending = counted;
	}
	chain->has_probe = true;
	chain->has_crossing = false;
	chain->probe_ns = time_ns;
	chain->probe_us = rtt_us;
}

/* Take a sample that is kept. */
static inline void sbd_common_take(struct sbd_common_pair *pair, int which, int64_t time_ns,
				   uint32_t rtt_us)
{
	struct sbd_common_side *side = &pair->side[which];

	sbd_common_fill(pair, side, time_ns, rtt_us);
	sbd_common_cross(pair, which, time_ns, rtt_us);
	sbd_common_adjoin(pair, which, time_ns, rtt_us);
	sbd_common_probe(pair, which, time_ns, rtt_us);
	side->chain.time_ns = time_ns;
	side->chain.rtt_us = rtt_us;
	side->chain.has_last = true;
}

/*
 * Forget what a subflow's samples after a time said; steps after are known anew when the next
 * sample that is kept comes.
 */
static inline void sbd_common_go_back(struct sbd_common_pair *pair, int which, int64_t from_ns)
{
	int64_t first_ns = sbd_common_first_ns(pair);
	struct sbd_common_side *side = &pair->side[which];
	int64_t known = (side->chain.time_ns - first_ns) / pair->step_ns + 1;

	if (side->adjacent.is_there && side->adjacent.time_ns > from_ns)
		sbd_common_count_adjacent(pair, which, &side->adjacent, -1);
	if (side->probes.is_there && side->probes.time_ns > from_ns)
		sbd_common_count_probe(pair, which, &side->probes, -1);
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
		side->next = known;
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

	if (++pair->ended_together < SBD_COMMON_EXCISED_FROM)
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

static inline void sbd_common_end_silence(struct sbd_common_pair *pair, int which, int64_t begin_ns,
					  int64_t time_ns)
{
	struct sbd_common_side *side = &pair->side[which], *other = &pair->side[!which];

	side->before[0] = side->chain;
	side->before[1] = side->beside;
	if (other->was_silent && time_ns - other->silence_end_ns <= pair->step_ns / 2)
		sbd_common_excise(pair, which, begin_ns, time_ns);
	side->was_silent = true;
	side->silence_begin_ns = begin_ns;
	side->silence_end_ns = time_ns;
}

/* Begin a lattice at a sample's time. */
static inline void sbd_common_start(struct sbd_common_pair *pair, int64_t time_ns,
				    uint32_t min_rtt_us)
{
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
static inline bool sbd_common_on_rtt(struct sbd_common_pair *pair, int which, int64_t time_ns,
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
		judged = sbd_common_catch_up(pair, time_ns, true);
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
		judged |= sbd_common_catch_up(pair, time_ns, false);
	sbd_common_start(pair, time_ns, sbd_common_min_rtt_us(pair));
	if (time_ns - before_ns > SBD_COMMON_SILENT_STEPS * pair->step_ns)
		sbd_common_end_silence(pair, which, before_ns, time_ns);
	sbd_common_take(pair, which, time_ns, rtt_us);
	sbd_common_note(pair, which, time_ns, rtt_us);
	return judged;
}

/* Judge what is complete: no sample comes after a time. */
static inline bool sbd_common_finish(struct sbd_common_pair *pair, int64_t time_ns)
{
	return pair->min_rtt_us && sbd_common_catch_up(pair, time_ns, false);
}

#endif
