/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Lag excess: whether two subflows share a bottleneck, by their RTT samples alone
 *
 * Twin of features/lag_excess/ and detectors/lag_excess.py, to the last bit, as the samples
 * come. Integers only, no allocation, no library; a pair is a struct sbd_lag_pair. A tile is judged by the call of
 * sbd_lag_on_rtt() that completes it, or half of it.
 */
#ifndef SBD_LAG_EXCESS_H
#define SBD_LAG_EXCESS_H

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
 * defines before, see kernel/src/verifiable.h. For all others it is what stands here, as in smartsbd.h.
 */
#ifndef SBD_BPF
#define SBD_ALONE	static inline
#define SBD_ARENA
#define SBD_REACHED(pointer)	(pointer)
#define SBD_ZERO	0
#define SBD_WHILE(condition)	(condition)
#endif

#define SBD_LAG_STEPS_PER_RTT	16
#define SBD_LAG_TILE		800	/* steps */
#define SBD_LAG_TILE_RTTS	(SBD_LAG_TILE / SBD_LAG_STEPS_PER_RTT)
#define SBD_LAG_PART		400	/* steps after which a tile is judged for the first time */
#define SBD_LAG_FIRST_SAMPLES	10
#define SBD_LAG_WAITED_RTTS	4
#define SBD_LAG_WAITED_STEPS	256
#define SBD_LAG_LIMIT_US	((1 << 24) - 1)
#define SBD_LAG_BANDS		7
#define SBD_LAG_LEAD		127	/* steps before a tile that its first changes reach back to */
#define SBD_LAG_WINDOW		(SBD_LAG_LEAD + SBD_LAG_TILE + SBD_LAG_WAITED_STEPS + 1)
#define SBD_LAG_FINE_LAGS	252	/* of the first four bands */
#define SBD_LAG_COARSE_LAGS	129	/* of the others, which have a hundred changes a tile and fewer */
#define SBD_LAG_BAND_LAGS	73	/* most of a band */
#define SBD_LAG_NULL_LAGS	20	/* on either side */
#define SBD_LAG_WORDS		((SBD_LAG_TILE + 63) / 64)
#define SBD_LAG_SILENT_STEPS	8
#define SBD_LAG_LONGEST		6
#define SBD_LAG_TILES		4	/* most that a verdict rests on */
#define SBD_LAG_PROBE_LIMIT_US	((1 << 23) - 1)
#define SBD_LAG_LEAST_PROBES	10

/* What is said of a pair, and why nothing is. */
enum sbd_lag_said {
	SBD_LAG_APART,
	SBD_LAG_SHARED,
	SBD_LAG_BETWEEN,	/* the delays agree more than those of separate queues, and less than those of one */
	SBD_LAG_IDLE,		/* a subflow was idle for more than half of the time */
	SBD_LAG_SPARSE,		/* too few samples */
	SBD_LAG_STALLED,	/* both fall silent and go on together */
	SBD_LAG_STILL,		/* nothing moves */
	SBD_LAG_DEEP,		/* queues of more than ten round trips */
	SBD_LAG_TOO_EARLY	/* no tile was judged */
};

struct sbd_lag_rule {
	int32_t shared_above_q10;
	int32_t apart_below_q10;
	int32_t tiles;		/* 1 to SBD_LAG_TILES */
	bool compares;		/* the comparison test is a witness */
};

#define SBD_LAG_RULE	{ 2253, 1741, 4, true }

/* How large a subflow's changes are: sums over steps that have passed. */
struct sbd_lag_motion {
	int64_t slow, fast;		/* of absolute changes over 64 steps, over 4 */
	int32_t slow_points, fast_points;
	int32_t steps, silent;		/* passed; and within the longest of silences */
	int32_t silences;		/* that end in them */
};

/* Delays of probes, of the other subflow's next samples, of the next probes. */
enum sbd_lag_delay {
	SBD_LAG_PROBE,
	SBD_LAG_CROSSING,
	SBD_LAG_FOLLOWING,
	SBD_LAG_DELAYS
};

/* Sums of the comparison test. */
struct sbd_lag_probes {
	int32_t count;
	int32_t total[SBD_LAG_DELAYS];
	int64_t squares[SBD_LAG_DELAYS];
	int64_t products[SBD_LAG_DELAYS];	/* with the probes' delays */
};

/* What a whole tile says. */
struct sbd_lag_sums {
	int64_t number;			/* of the tile; -1 for none */
	struct sbd_lag_motion motion[2];
	struct sbd_lag_probes probes[2];
	int32_t ended_together;
	int16_t agreement[SBD_LAG_FINE_LAGS], counted[SBD_LAG_FINE_LAGS];
	int8_t coarse_agreement[SBD_LAG_COARSE_LAGS], coarse_counted[SBD_LAG_COARSE_LAGS];
};

struct sbd_lag_side {
	int64_t time_ns;		/* of the last sample */
	int64_t next;			/* step whose RTT is not known yet, from the window's first */
	int64_t silence_end_ns;		/* of the last silence, if there was one since the start */
	uint32_t rtt_us;		/* last sample */
	uint32_t min_us;
	uint16_t samples;		/* up to SBD_LAG_FIRST_SAMPLES */
	uint16_t silences[2];		/* that ended in the tile up to the half that is waited for, and after */
	bool was_silent;
	bool has_probe, has_crossing;
	int64_t slot;			/* of the probe: round trips since the start */
	int64_t probe_ns, crossing_ns;
	int32_t probe_us, crossing_us;
	struct sbd_lag_probes probes[2];	/* as silences */
	uint32_t point[SBD_LAG_WINDOW];	/* RTT in 24 bits, above it how long the silence is that it lies in */
};

struct sbd_lag_pair {
	struct sbd_lag_rule rule;
	bool fixed;			/* the steps are */
	int64_t fixed_ns;
	int64_t start_ns, step_ns;
	uint32_t min_rtt_us;
	int64_t number;			/* of the tile that goes on */
	int32_t steps;			/* of it that are waited for */
	int32_t together[2];		/* as silences */
	struct sbd_lag_side side[2];
	struct sbd_lag_sums kept[SBD_LAG_TILES];	/* the last is the tile that goes on */

	/* The last verdict. */
	enum sbd_lag_said said;
	int32_t score_q10;
	bool has_score;
	int64_t decided_ns;
};

/* What judging takes to note what the tiles that are kept say. */
struct sbd_lag_found {
	int32_t agreement[SBD_LAG_BAND_LAGS], counted[SBD_LAG_BAND_LAGS];
	struct sbd_lag_motion motion[2];
	struct sbd_lag_probes probes[2];
};

/* Signs of a subflow's changes in a band of a tile, a bit each, and which of them count. */
struct sbd_lag_signs {
	uint64_t above[SBD_LAG_WORDS];
	uint64_t counted[SBD_LAG_WORDS];
};

/* Memory of one call stands on the stack; a BPF program, whose stack is small, has it behind the pair. */
#ifdef SBD_BPF
struct sbd_lag_in_arena {
	struct sbd_lag_pair pair;
	struct sbd_lag_signs signs[2];
	struct sbd_lag_found found[1];
};
#define SBD_LAG_LOCAL(type, name, count, pair)	\
	struct type *name = ((struct sbd_lag_in_arena *)(pair))->name
#else
#define SBD_LAG_LOCAL(type, name, count, pair)	struct type name[count]
#endif

static inline int sbd_lag_span(int band)
{
	return 2 << band;
}

static inline int sbd_lag_stride(int band)
{
	return band < 2 ? 1 : 1 << (band - 1);
}

static inline int sbd_lag_possible(int band)
{
	return SBD_LAG_STEPS_PER_RTT / sbd_lag_stride(band);
}

static inline int sbd_lag_first_null(int band)
{
	return sbd_lag_possible(band) + (band ? 4 : 2) + 1;
}

static inline int sbd_lag_lags(int band)
{
	return 2 * (sbd_lag_possible(band) + SBD_LAG_NULL_LAGS) + 1;
}

SBD_ALONE int sbd_lag_spans(int band, int steps)
{
	return sbd_lag_span(band) == steps;
}

/* The lag at a place among those of a band, in strides. */
SBD_ALONE int sbd_lag_at(int band, int place)
{
	int possible = sbd_lag_possible(band), null = sbd_lag_first_null(band);

	if (place < SBD_LAG_NULL_LAGS)
		return place - SBD_LAG_NULL_LAGS + 1 - null;
	place -= SBD_LAG_NULL_LAGS;
	if (place <= 2 * possible)
		return place - possible;
	return place - 2 * possible - 1 + null;
}

SBD_ALONE int sbd_lag_popcount(uint64_t word)
{
	word -= (word >> 1) & 0x5555555555555555;
	word = (word & 0x3333333333333333) + ((word >> 2) & 0x3333333333333333);
	word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0f;
	return (int)((word * 0x0101010101010101) >> 56);
}

SBD_ALONE uint64_t sbd_lag_root(uint64_t square)
{
	uint64_t root = 0, bit = (uint64_t)1 << (62 - SBD_ZERO);

	while (SBD_WHILE(bit > square))
		bit >>= 2;
	for (; SBD_WHILE(bit); bit >>= 2) {
		uint64_t trial = root + bit;

		root >>= 1;
		if (square >= trial) {
			square -= trial;
			root += bit;
		}
	}
	return root;
}

/* A change that slides along, with how many of its steps are silent. */
struct sbd_lag_slide {
	int64_t change;
	int silent;
};

SBD_ALONE int sbd_lag_is_silent(uint32_t point, int band)
{
	return (int)(point >> 24) > (band ? band - 1 : 0);
}

static inline struct sbd_lag_slide sbd_lag_first(const uint32_t *last, int band)
{
	struct sbd_lag_slide slide = { 0, 0 };
	int half = sbd_lag_span(band) / 2, i;

	for (i = SBD_ZERO; SBD_WHILE(i < 2 * half); i++) {
		int64_t rtt_us = last[-i] & SBD_LAG_LIMIT_US;

		slide.change += i < half ? rtt_us : -rtt_us;
		slide.silent += sbd_lag_is_silent(last[-i], band);
	}
	return slide;
}

/* From the change that ends at a step to that which ends a stride later. */
static inline void sbd_lag_slide(struct sbd_lag_slide *slide, const uint32_t *last, int band)
{
	int span = sbd_lag_span(band), half = span / 2, stride = sbd_lag_stride(band), i;

	for (i = SBD_ZERO + 1; SBD_WHILE(i <= stride); i++) {
		slide->change += (int64_t)(last[i] & SBD_LAG_LIMIT_US) -
				 2 * (int64_t)(last[i - half] & SBD_LAG_LIMIT_US) +
				 (int64_t)(last[i - span] & SBD_LAG_LIMIT_US);
		slide->silent += sbd_lag_is_silent(last[i], band) -
				 sbd_lag_is_silent(last[i - span], band);
	}
}

/* The signs in a band, and how large changes are; how many count. */
SBD_ALONE int sbd_lag_signs(const struct sbd_lag_side *of SBD_ARENA, int band, int steps,
			    struct sbd_lag_signs *into SBD_ARENA, struct sbd_lag_motion *size_into SBD_ARENA)
{
	const struct sbd_lag_side *side = SBD_REACHED(of);
	struct sbd_lag_motion *motion = SBD_REACHED(size_into);
	struct sbd_lag_signs *signs = SBD_REACHED(into);
	int half = sbd_lag_span(band) / 2, stride = sbd_lag_stride(band);
	const uint32_t *last = side->point + SBD_LAG_LEAD;
	int64_t total = SBD_ZERO, size = SBD_ZERO;
	struct sbd_lag_slide slide;
	int32_t counted = SBD_ZERO;
	int i, n = (steps - 1) / stride + 1;

	slide = sbd_lag_first(last, band);
	for (i = SBD_ZERO; SBD_WHILE(i < n); i++) {
		if (slide.silent <= half) {
			total += slide.change;
			size += slide.change < 0 ? -slide.change : slide.change;
			counted++;
		}
		if (i + 1 < n)
			sbd_lag_slide(&slide, last + (int64_t)i * stride, band);
	}
	if (sbd_lag_spans(band, 64)) {
		motion->slow = size;
		motion->slow_points = counted;
	} else if (sbd_lag_spans(band, 4)) {
		motion->fast = size;
		motion->fast_points = counted;
	}
	memset(signs, 0, sizeof(*signs));
	slide = sbd_lag_first(last, band);
	for (i = SBD_ZERO; SBD_WHILE(i < n); i++) {
		if (slide.silent <= half) {
			uint64_t bit = (uint64_t)1 << (i & 63);

			signs->counted[i >> 6] |= bit;
			if (slide.change * counted > total)
				signs->above[i >> 6] |= bit;
		}
		if (i + 1 < n)
			sbd_lag_slide(&slide, last + (int64_t)i * stride, band);
	}
	return counted;
}

/* Word i of bits that are moved up by a lag, or down if it is negative. */
SBD_ALONE uint64_t sbd_lag_moved(const uint64_t *of SBD_ARENA, int i, int lag)
{
	const uint64_t *words = SBD_REACHED(of);
	int by = lag < 0 ? -lag : lag, far = by >> 6, rest = by & 63, low, high;

	low = lag < 0 ? i + far : i - far;
	high = lag < 0 ? low + 1 : low - 1;
	if (lag < 0)
		return (low < SBD_LAG_WORDS ? words[low] >> rest : 0) |
		       (rest && high < SBD_LAG_WORDS ? words[high] << (64 - rest) : 0);
	return (low >= 0 ? words[low] << rest : 0) |
	       (rest && high >= 0 ? words[high] >> (64 - rest) : 0);
}

/* Note what agrees, and how many were counted, at a lag: a place among those of all bands; return the latter. */
SBD_ALONE int sbd_lag_correlate(const struct sbd_lag_signs *signs SBD_ARENA, int lag, int words,
				struct sbd_lag_sums *into SBD_ARENA, int place)
{
	const struct sbd_lag_signs *a = SBD_REACHED(signs), *b = a + 1;
	struct sbd_lag_sums *sums = SBD_REACHED(into);
	int i, both = SBD_ZERO, different = SBD_ZERO;

	for (i = SBD_ZERO; SBD_WHILE(i < words); i++) {
		uint64_t mask = a->counted[i] & sbd_lag_moved(b->counted, i, lag);

		both += sbd_lag_popcount(mask);
		different += sbd_lag_popcount((a->above[i] ^ sbd_lag_moved(b->above, i, lag)) & mask);
	}
	if (place < SBD_LAG_FINE_LAGS) {
		sums->agreement[place] = (int16_t)(both - 2 * different);
		sums->counted[place] = (int16_t)both;
	} else {
		sums->coarse_agreement[place - SBD_LAG_FINE_LAGS] = (int8_t)(both - 2 * different);
		sums->coarse_counted[place - SBD_LAG_FINE_LAGS] = (int8_t)both;
	}
	return both;
}

/* Fill the sums of the tile that goes on. */
static inline void sbd_lag_sum(struct sbd_lag_pair *pair, struct sbd_lag_sums *sums)
{
	SBD_LAG_LOCAL(sbd_lag_signs, signs, 2, pair);
	int band, i, place, at = SBD_ZERO;

	sums->number = pair->number;
	sums->ended_together = pair->together[0];
	for (i = 0; i < 2; i++) {
		struct sbd_lag_motion *motion = &sums->motion[i];
		const struct sbd_lag_side *side = &pair->side[i];

		motion->steps = pair->steps;
		motion->silent = 0;
		motion->silences = side->silences[0];
		sums->probes[i] = side->probes[0];
		for (place = SBD_ZERO; SBD_WHILE(place < pair->steps); place++)
			motion->silent += side->point[SBD_LAG_LEAD + place] >> 24 == SBD_LAG_LONGEST;
	}
	for (band = SBD_ZERO; SBD_WHILE(band < SBD_LAG_BANDS); band++) {
		int words = ((pair->steps - 1) / sbd_lag_stride(band) + 64) >> 6;

		for (i = 0; i < 2; i++)
			sbd_lag_signs(&pair->side[i], band, pair->steps, &signs[i], &sums->motion[i]);
		for (place = SBD_ZERO; SBD_WHILE(place < sbd_lag_lags(band)); place++, at++)
			sbd_lag_correlate(signs, sbd_lag_at(band, place), words, sums, at);
	}
}

/* Whether the delays of one queue may agree most at a lag: a place among those of a band. */
SBD_ALONE int sbd_lag_may_peak(int band, int place)
{
	return place >= SBD_LAG_NULL_LAGS && place <= SBD_LAG_NULL_LAGS + 2 * sbd_lag_possible(band);
}

/* What agrees as a share of what was counted. */
SBD_ALONE int64_t sbd_lag_share_q15(int32_t agreement, int32_t counted)
{
	int64_t found = agreement < 0 ? -agreement : agreement;

	found = (found << 15) / (counted ? counted : 1);
	return agreement < 0 ? -found : found;
}

/* How far the peak is above the mean of other lags, in their standard deviations. */
SBD_ALONE int32_t sbd_lag_excess_q10(int lags, int64_t peak, int64_t total, int64_t squares)
{
	int64_t above = lags * peak - total, found;
	/* 1e-4 is added to the variance. */
	int64_t spread = (int64_t)sbd_lag_root((uint64_t)(lags * squares - total * total +
							  (int64_t)lags * lags * ((1 << 30) / 10000)));

	found = (above < 0 ? -above : above) * 1024 / spread;
	if (above < 0)
		found = -found;
	return (int32_t)(found < -2048 ? -2048 : found > 8192 ? 8192 : found);
}

#define SBD_LAG_NO_EXCESS	(-4096)	/* less than any */

/* The excess of a band; SBD_LAG_NO_EXCESS if too little was counted. */
SBD_ALONE int32_t sbd_lag_band_excess(int band, const struct sbd_lag_found *of SBD_ARENA)
{
	const struct sbd_lag_found *all = SBD_REACHED(of);
	const int32_t *agreement = all->agreement, *counted = all->counted;
	int64_t found, peak = INT64_MIN + SBD_ZERO, total = 0, squares = 0;
	int place, lags = SBD_ZERO, most = SBD_ZERO;

	for (place = SBD_ZERO; SBD_WHILE(place < sbd_lag_lags(band)); place++)
		if (counted[place] > most)
			most = counted[place];
	for (place = SBD_ZERO; SBD_WHILE(place < sbd_lag_lags(band)); place++) {
		if (counted[place] * 10 < most * 3)
			continue;
		found = sbd_lag_share_q15(agreement[place], counted[place]);
		if (sbd_lag_may_peak(band, place)) {
			if (found > peak)
				peak = found;
		} else if (counted[place] >= 8) {
			total += found;
			squares += found * found;
			lags++;
		}
	}
	if (most < 12 || lags < 10 || peak == INT64_MIN)
		return SBD_LAG_NO_EXCESS;
	return sbd_lag_excess_q10(lags, peak, total, squares);
}

static inline void sbd_lag_add_motion(struct sbd_lag_motion *to, const struct sbd_lag_motion *from)
{
	to->slow += from->slow;
	to->fast += from->fast;
	to->slow_points += from->slow_points;
	to->fast_points += from->fast_points;
	to->steps += from->steps;
	to->silent += from->silent;
	to->silences += from->silences;
}

/* Add what a tile says at a band's lags, which begin at a place among those of all bands. */
static inline void sbd_lag_add(const struct sbd_lag_sums *sums, int first, int lags, int32_t *agreement,
			       int32_t *counted)
{
	int i, place;

	for (i = SBD_ZERO; SBD_WHILE(i < lags); i++) {
		place = first + i;
		if (place < SBD_LAG_FINE_LAGS) {
			agreement[i] += sums->agreement[place];
			counted[i] += sums->counted[place];
		} else {
			agreement[i] += sums->coarse_agreement[place - SBD_LAG_FINE_LAGS];
			counted[i] += sums->coarse_counted[place - SBD_LAG_FINE_LAGS];
		}
	}
}

static inline void sbd_lag_add_probes(struct sbd_lag_probes *to, const struct sbd_lag_probes *from)
{
	int i;

	to->count += from->count;
	for (i = 0; i < SBD_LAG_DELAYS; i++) {
		to->total[i] += from->total[i];
		to->squares[i] += from->squares[i];
		to->products[i] += from->products[i];
	}
}

/* Correlation of the probes' delays with others; false if either are constant. */
static inline bool sbd_lag_correlation(const struct sbd_lag_probes *probes, enum sbd_lag_delay with,
				       int64_t *found_q15)
{
	int64_t own_us = probes->total[SBD_LAG_PROBE], its_us = probes->total[with];
	int64_t own = probes->count * probes->squares[SBD_LAG_PROBE] - own_us * own_us;
	int64_t its = probes->count * probes->squares[with] - its_us * its_us;
	int64_t both = probes->count * probes->products[with] - own_us * its_us;
	int64_t size, found;

	if (!own || !its)
		return false;
	size = (int64_t)(sbd_lag_root((uint64_t)own) * sbd_lag_root((uint64_t)its));
	found = both < 0 ? -both : both;
	found = size < (int64_t)1 << 46 ? (found << 15) / size : found / (size >> 15);
	if (found > 1 << 15)
		found = 1 << 15;
	*found_q15 = both < 0 ? -found : found;
	return true;
}

/* What the comparison test adds to the score: by how much it leads, one at most in either direction. */
static inline int32_t sbd_lag_witnessed(const struct sbd_lag_probes *probes)
{
	int64_t cross_q15, auto_q15, lead = 0;
	int i;

	for (i = 0; i < 2; i++) {
		if (probes[i].count < SBD_LAG_LEAST_PROBES ||
		    !sbd_lag_correlation(&probes[i], SBD_LAG_CROSSING, &cross_q15) ||
		    !sbd_lag_correlation(&probes[i], SBD_LAG_FOLLOWING, &auto_q15))
			return 0;
		lead += cross_q15 - auto_q15;
	}
	lead /= 32;
	return (int32_t)(lead < -1024 ? -1024 : lead > 1024 ? 1024 : lead);
}

static inline bool sbd_lag_is_still(const struct sbd_lag_motion *motion)
{
	return motion->slow * motion->fast_points * 10 < 6 * 16 * motion->fast * motion->slow_points;
}

/* What the tiles say that are kept. */
SBD_ALONE enum sbd_lag_said sbd_lag_judged(struct sbd_lag_pair *of SBD_ARENA)
{
	struct sbd_lag_pair *pair = SBD_REACHED(of);
	int32_t excess_q10, total_q10 = SBD_ZERO, together = SBD_ZERO, fewer;
	SBD_LAG_LOCAL(sbd_lag_found, found, 1, pair);
	struct sbd_lag_motion *motion = found->motion;
	struct sbd_lag_probes *probes = found->probes;
	int band, bands = SBD_ZERO, i, at = SBD_ZERO;

	memset(found, 0, sizeof(*found));
	for (i = SBD_ZERO; SBD_WHILE(i < SBD_LAG_TILES); i++) {
		if (pair->kept[i].number < 0)
			continue;
		sbd_lag_add_motion(&motion[0], &pair->kept[i].motion[0]);
		sbd_lag_add_motion(&motion[1], &pair->kept[i].motion[1]);
		sbd_lag_add_probes(&probes[0], &pair->kept[i].probes[0]);
		sbd_lag_add_probes(&probes[1], &pair->kept[i].probes[1]);
		together += pair->kept[i].ended_together;
	}
	pair->has_score = false;
	if (!motion[0].steps)
		return SBD_LAG_DEEP;
	for (band = SBD_ZERO; SBD_WHILE(band < SBD_LAG_BANDS); at += sbd_lag_lags(band++)) {
		memset(found->agreement, 0, sizeof(found->agreement));
		memset(found->counted, 0, sizeof(found->counted));
		for (i = SBD_ZERO; SBD_WHILE(i < SBD_LAG_TILES); i++) {
			if (pair->kept[i].number < 0)
				continue;
			sbd_lag_add(&pair->kept[i], at, sbd_lag_lags(band), found->agreement, found->counted);
		}
		excess_q10 = sbd_lag_band_excess(band, found);
		if (excess_q10 != SBD_LAG_NO_EXCESS) {
			total_q10 += excess_q10;
			bands++;
		}
	}
	if (bands) {
		pair->has_score = true;
		pair->score_q10 = total_q10 / bands;
		if (pair->rule.compares)
			pair->score_q10 += sbd_lag_witnessed(probes);
	}
	if (2 * motion[0].silent > motion[0].steps || 2 * motion[1].silent > motion[1].steps)
		return SBD_LAG_IDLE;
	if (bands < 4)
		return SBD_LAG_SPARSE;
	fewer = motion[0].silences < motion[1].silences ? motion[0].silences : motion[1].silences;
	if (fewer >= 4 && together * 10 > fewer * 3)
		return SBD_LAG_STALLED;
	if (sbd_lag_is_still(&motion[0]) || sbd_lag_is_still(&motion[1]))
		return SBD_LAG_STILL;
	if (pair->score_q10 > pair->rule.shared_above_q10)
		return SBD_LAG_SHARED;
	return pair->score_q10 < pair->rule.apart_below_q10 ? SBD_LAG_APART : SBD_LAG_BETWEEN;
}

/* Whether the mean RTT of a subflow is above ten of the larger minimum RTT. */
SBD_ALONE bool sbd_lag_is_deep(const struct sbd_lag_pair *of SBD_ARENA)
{
	const struct sbd_lag_pair *pair = SBD_REACHED(of);
	int64_t sum_us;
	int i, place;

	for (i = 0; i < 2; i++) {
		sum_us = 0;
		for (place = SBD_ZERO; SBD_WHILE(place < pair->steps); place++)
			sum_us += pair->side[i].point[SBD_LAG_LEAD + place] & SBD_LAG_LIMIT_US;
		if (sum_us > (int64_t)10 * pair->min_rtt_us * pair->steps)
			return true;
	}
	return false;
}

/* Time of the last step that is waited for. */
static inline int64_t sbd_lag_due_ns(const struct sbd_lag_pair *pair)
{
	return pair->start_ns + (pair->number * SBD_LAG_TILE + pair->steps - 1) * pair->step_ns;
}

/* Judge the tile that goes on, or half of it. */
static inline void sbd_lag_judge(struct sbd_lag_pair *pair, int64_t time_ns)
{
	struct sbd_lag_sums *own = &pair->kept[SBD_LAG_TILES - 1];
	int i;

	for (i = 0; i < SBD_LAG_TILES - 1; i++)
		if (pair->kept[i].number <= pair->number - pair->rule.tiles)
			pair->kept[i].number = -1;
	own->number = -1;
	if (!sbd_lag_is_deep(pair))
		sbd_lag_sum(pair, own);
	pair->said = sbd_lag_judged(pair);
	pair->decided_ns = time_ns;
	if (pair->steps == SBD_LAG_TILE && own->number >= 0) {
		memmove(&pair->kept[0], &pair->kept[1], (SBD_LAG_TILES - 1) * sizeof(*own));
		own->number = -1;
	}
}

/* Let the window begin that many tiles later. */
static inline void sbd_lag_move(struct sbd_lag_pair *pair, int64_t tiles)
{
	int i;

	for (i = 0; i < 2; i++) {
		struct sbd_lag_side *side = &pair->side[i];
		int64_t left = tiles > 1 ? 0 : side->next - SBD_LAG_TILE;

		if (left > 0)
			memmove(side->point, side->point + SBD_LAG_TILE, (size_t)left * sizeof(side->point[0]));
		side->next = left > 0 ? left : 0;
		side->silences[0] = 0;
		memset(&side->probes[0], 0, sizeof(side->probes[0]));
	}
	pair->together[0] = 0;
	pair->number += tiles;
	pair->steps = SBD_LAG_PART;
}

/* Go on to the next half of a tile; what ended after the last belongs to it. */
static inline void sbd_lag_next(struct sbd_lag_pair *pair)
{
	int i;

	if (pair->steps == SBD_LAG_PART)
		pair->steps = SBD_LAG_TILE;
	else
		sbd_lag_move(pair, 1);
	for (i = 0; i < 2; i++) {
		pair->side[i].silences[0] += pair->side[i].silences[1];
		pair->side[i].silences[1] = 0;
		sbd_lag_add_probes(&pair->side[i].probes[0], &pair->side[i].probes[1]);
		memset(&pair->side[i].probes[1], 0, sizeof(pair->side[i].probes[1]));
	}
	pair->together[0] += pair->together[1];
	pair->together[1] = 0;
}

/* Let go the halves of tiles that would have to be waited for longer than a sender waits. */
static inline void sbd_lag_skip(struct sbd_lag_pair *pair, int64_t time_ns)
{
	int64_t waited_ns = SBD_LAG_WAITED_STEPS * pair->step_ns, tile_ns = SBD_LAG_TILE * pair->step_ns;
	int64_t behind_ns;

	while (SBD_WHILE(time_ns - sbd_lag_due_ns(pair) > waited_ns)) {
		sbd_lag_next(pair);
		behind_ns = time_ns - sbd_lag_due_ns(pair) - waited_ns;
		if (pair->steps == SBD_LAG_PART && behind_ns > 2 * tile_ns)
			sbd_lag_move(pair, behind_ns / tile_ns);
	}
}

/* How long a silence a gap between samples is. */
SBD_ALONE uint32_t sbd_lag_silence(int64_t gap_ns, int64_t step_ns)
{
	uint32_t silence = 0;

	while (silence < SBD_LAG_LONGEST && gap_ns > (SBD_LAG_SILENT_STEPS << silence) * step_ns)
		silence++;
	return silence;
}

/* Note RTTs of the steps from a subflow's last sample up to, and without, the time of one that comes. */
static inline void sbd_lag_fill(struct sbd_lag_pair *pair, struct sbd_lag_side *side, int64_t time_ns,
				uint32_t rtt_us)
{
	int64_t first_ns = pair->start_ns + (pair->number * SBD_LAG_TILE - SBD_LAG_LEAD) * pair->step_ns;
	int64_t gap_ns = time_ns - side->time_ns, rise_us = (int64_t)rtt_us - side->rtt_us, at_ns;
	uint32_t silence = sbd_lag_silence(gap_ns, pair->step_ns), point;

	for (; SBD_WHILE(side->next < SBD_LAG_WINDOW); side->next++) {
		at_ns = first_ns + side->next * pair->step_ns;
		if (at_ns >= time_ns)
			break;
		if (at_ns < side->time_ns)
			point = side->rtt_us | (uint32_t)SBD_LAG_LONGEST << 24;
		else if (at_ns == side->time_ns)
			point = side->rtt_us;
		else if (silence == SBD_LAG_LONGEST)
			point = side->rtt_us | silence << 24;
		else
			point = (uint32_t)(side->rtt_us + rise_us * (at_ns - side->time_ns) / gap_ns) |
				silence << 24;
		side->point[side->next] = point;
	}
}

/* Note that a silence of a subflow ends. */
static inline void sbd_lag_end_silence(struct sbd_lag_pair *pair, int which, int64_t time_ns)
{
	struct sbd_lag_side *side = &pair->side[which], *other = &pair->side[!which];
	int later = time_ns > sbd_lag_due_ns(pair);

	side->silences[later]++;
	side->was_silent = true;
	side->silence_end_ns = time_ns;
	if (other->was_silent && time_ns - other->silence_end_ns <= pair->step_ns / 2)
		pair->together[later]++;
}

/* Compare a probe that another one follows, if a sample of the other subflow came between. */
static inline void sbd_lag_compare(struct sbd_lag_pair *pair, struct sbd_lag_side *side, int64_t time_ns,
				   int32_t rtt_us)
{
	bool later = time_ns > sbd_lag_due_ns(pair);
	struct sbd_lag_probes *probes = &side->probes[later];
	const int64_t delay_us[SBD_LAG_DELAYS] = { side->probe_us, side->crossing_us, rtt_us };
	int i;

	if (!side->has_crossing || side->crossing_ns >= time_ns)
		return;
	/* After the last step of a tile, and before the first of the next. */
	if (later && pair->steps == SBD_LAG_TILE && side->slot / SBD_LAG_TILE_RTTS == pair->number)
		return;
	probes->count++;
	for (i = 0; i < SBD_LAG_DELAYS; i++) {
		probes->total[i] += (int32_t)delay_us[i];
		probes->squares[i] += delay_us[i] * delay_us[i];
		probes->products[i] += delay_us[SBD_LAG_PROBE] * delay_us[i];
	}
}

/* A sample is a probe of its subflow if it is the first of a round trip, and may be what the other's is compared with. */
static inline void sbd_lag_probe(struct sbd_lag_pair *pair, int which, int64_t time_ns, uint32_t rtt_us)
{
	int64_t slot = (time_ns - pair->start_ns) / (SBD_LAG_STEPS_PER_RTT * pair->step_ns);
	struct sbd_lag_side *side = &pair->side[which], *other = &pair->side[!which];
	int32_t delay_us = (int32_t)rtt_us;

	if (delay_us > SBD_LAG_PROBE_LIMIT_US)
		delay_us = SBD_LAG_PROBE_LIMIT_US;
	if (other->has_probe && !other->has_crossing && time_ns > other->probe_ns) {
		other->has_crossing = true;
		other->crossing_ns = time_ns;
		other->crossing_us = delay_us;
	}
	if (side->has_probe && slot == side->slot)
		return;
	if (side->has_probe && slot / SBD_LAG_TILE_RTTS == side->slot / SBD_LAG_TILE_RTTS)
		sbd_lag_compare(pair, side, time_ns, delay_us);
	side->has_probe = true;
	side->has_crossing = false;
	side->slot = slot;
	side->probe_ns = time_ns;
	side->probe_us = delay_us;
}

/* Fix the steps: both subflows have ten samples. */
static inline void sbd_lag_fix(struct sbd_lag_pair *pair)
{
	uint32_t a_us = pair->side[0].min_us, b_us = pair->side[1].min_us;

	pair->fixed = true;
	pair->min_rtt_us = a_us > b_us ? a_us : b_us;
	pair->step_ns = (int64_t)pair->min_rtt_us * 1000 / SBD_LAG_STEPS_PER_RTT;
	pair->start_ns = pair->fixed_ns + (int64_t)SBD_LAG_WAITED_RTTS * 1000 * pair->min_rtt_us;
}

static inline void sbd_lag_init(struct sbd_lag_pair *pair, struct sbd_lag_rule rule)
{
	int i;

	memset(pair, 0, sizeof(*pair));
	pair->rule = rule;
	pair->steps = SBD_LAG_PART;
	pair->said = SBD_LAG_TOO_EARLY;
	for (i = 0; i < SBD_LAG_TILES; i++)
		pair->kept[i].number = -1;
}

/*
 * Take an RTT sample of subflow 0 or 1 of the pair; none is older than the one before. Whether a
 * verdict was given: pair->said, from pair->decided_ns on.
 */
static inline bool sbd_lag_on_rtt(struct sbd_lag_pair *pair, int which, int64_t time_ns, uint32_t rtt_us)
{
	struct sbd_lag_side *side = &pair->side[which];
	bool both;

	if (rtt_us > SBD_LAG_LIMIT_US)
		rtt_us = SBD_LAG_LIMIT_US;
	/* Of the very time at which it was fixed more samples may come. */
	if (!pair->fixed && pair->side[0].samples == SBD_LAG_FIRST_SAMPLES &&
	    pair->side[1].samples == SBD_LAG_FIRST_SAMPLES && time_ns > pair->fixed_ns)
		sbd_lag_fix(pair);
	if (!pair->fixed) {
		if (!side->samples || rtt_us < side->min_us)
			side->min_us = rtt_us;
		if (side->samples < SBD_LAG_FIRST_SAMPLES && ++side->samples == SBD_LAG_FIRST_SAMPLES)
			pair->fixed_ns = time_ns;
		side->time_ns = time_ns;
		side->rtt_us = rtt_us;
		return false;
	}
	sbd_lag_skip(pair, time_ns);
	sbd_lag_fill(pair, side, time_ns, rtt_us);
	both = side->time_ns <= sbd_lag_due_ns(pair) && time_ns > sbd_lag_due_ns(pair) &&
	       pair->side[!which].time_ns > sbd_lag_due_ns(pair);
	if (time_ns >= pair->start_ns && time_ns - side->time_ns > SBD_LAG_SILENT_STEPS * pair->step_ns)
		sbd_lag_end_silence(pair, which, time_ns);
	if (time_ns >= pair->start_ns)
		sbd_lag_probe(pair, which, time_ns, rtt_us);
	side->time_ns = time_ns;
	side->rtt_us = rtt_us;
	if (!both)
		return false;
	sbd_lag_judge(pair, time_ns);
	sbd_lag_next(pair);
	return true;
}

#endif
