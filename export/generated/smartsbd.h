/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * smartsbd.h - do two subflows of a Multipath TCP sender share a bottleneck?
 *
 * The sender's signals go in as they come: sbd_on_rtt(), sbd_on_ack(),
 * sbd_on_state(). From the moment both subflows of a pair have been congested,
 * windows of SBD_WINDOW_RTTS times the larger minimum RTT follow each other.
 * Each signal is put on the grid of its window at once, so that memory does
 * not depend on how many there are. sbd_decide() judges what is complete, by
 * the model of a generated header or of a file.
 *
 * Integers only, no allocation, no recursion, bounded loops. Calls on one
 * connection are serialised by the caller; connections share nothing but the
 * scratch memory given to sbd_decide(). A zeroed struct sbd_connection has no
 * subflows yet.
 *
 * Generated from export/templates/smartsbd.h.j2 and the catalogue of features.
 */
#ifndef SMARTSBD_H
#define SMARTSBD_H

#ifdef __KERNEL__
#include <linux/compiler.h>
#include <linux/math64.h>
#endif

#if defined(__KERNEL__) || defined(SBD_BPF)
#include <linux/types.h>
typedef __u8 sbd_u8;
typedef __u16 sbd_u16;
typedef __u32 sbd_u32;
typedef __u64 sbd_u64;
typedef __s32 sbd_s32;
typedef __s64 sbd_s64;
#else
#include <stdint.h>
typedef uint8_t sbd_u8;
typedef uint16_t sbd_u16;
typedef uint32_t sbd_u32;
typedef uint64_t sbd_u64;
typedef int32_t sbd_s32;
typedef int64_t sbd_s64;
#endif

#ifndef __always_inline
#define __always_inline inline __attribute__((__always_inline__))
#endif

/*
 * How functions, loops and tables are written so that the verifier of BPF
 * accepts them. A BPF program defines SBD_BPF and these before,
 * see kernel/src/verifiable.h; for all others they are what stands here.
 *
 * SBD_ALONE		a function that is verified by itself: of integers, and of SBD_ARENA
 * SBD_ARENA		behind a parameter of it that points to what all calls share
 * SBD_REACHED(pointer)	what is reached by that parameter
 * SBD_ZERO		where a loop begins
 * SBD_WHILE(condition)	while it goes on
 * SBD_BELOW(k, points)	the same of a loop over points of a grid
 * SBD_TABLE(type, name)	numbers of a model; cast to const type * where they are read
 */
#ifndef SBD_BPF
#define SBD_ALONE	static inline
#define SBD_ARENA
#define SBD_REACHED(pointer)	(pointer)
#define SBD_ZERO	0
#define SBD_WHILE(condition)	(condition)
#define SBD_BELOW(k, points)	((k) < SBD_POINTS && (k) < (points))
#define SBD_TABLE(type, name)	static const type name[]
#endif

#define SBD_WINDOW_RTTS	50
#define SBD_POINTS	682		/* most points of a grid */
#define SBD_RTT_LIMIT_US	2097151	/* above the least RTT of the window */
#define SBD_CONGESTED_US	1000000	/* what a congested point weighs */
#define SBD_FEATURE_LIMIT	16777215
#define SBD_ONE_Q10	1024
#define SBD_DIGIT_BITS	7		/* of sorting: three digits are the 21 bits of a value */

/* Subflows a connection may have; define it before to have more. */
#ifndef SBD_SUBFLOWS
#define SBD_SUBFLOWS	2
#endif
#define SBD_PAIRS	(SBD_SUBFLOWS * (SBD_SUBFLOWS - 1) / 2)

/* Whether grids keep acknowledged bytes: two thirds of the memory, for features of rates alone. */
#ifndef SBD_WITH_ACKED
#define SBD_WITH_ACKED	1
#endif

/**
 * enum sbd_feature - features of a window, in the order of the catalogue
 * @SBD_RTT_ED_4US: ED of the RTT series
 * @SBD_CSTATE_ED_4US: ED of the congestion series
 * @SBD_RTT_CSTATE_ED_4US: ED of the (RTT, congestion) series
 * @SBD_RTT_DTWD_4US: DTW distance of the RTT series
 * @SBD_CSTATE_DTWD_4US: DTW distance of the congestion series
 * @SBD_RTT_CSTATE_DTWD_4US: DTW distance of the (RTT, congestion) series
 * @SBD_RTT_SD_RATIO_Q10: ratio of the RTT series' standard deviations
 * @SBD_CSTATE_SD_RATIO_Q10: ratio of the congestion series' standard deviations
 * @SBD_MIN_RTT_RATIO_Q10: ratio of the minimum RTTs up to the window
 * @SBD_QUEUE_ED_4US: ED of the queueing delays, per point
 * @SBD_QUEUE_DTWD_4US: DTW distance of the queueing delays, per point
 * @SBD_QUEUE_ED_RATIO_Q10: ED of the queueing delays against their size: 0 where they are equal, 1 where never both wait
 * @SBD_RTT_CORRELATION_Q10: correlation of the RTT series (Pearson)
 * @SBD_RTT_RANK_CORRELATION_Q10: rank correlation of the RTT series (Spearman), equals at their mean rank
 * @SBD_RTT_LAGGED_CORRELATION_Q10: largest correlation of the RTT series within a lag of two of the larger minimum RTT
 * @SBD_RTT_CHANGE_CORRELATION_Q10: correlation of the RTT series' changes over two of the larger minimum RTT
 * @SBD_QUEUE_MEAN_RATIO_Q10: mean queueing delays, the smaller over the larger
 * @SBD_QUEUE_SD_RATIO_Q10: spread (SD) of the queueing delays, the smaller over the larger
 * @SBD_CSTATE_NEAR_JACCARD_EXCESS_Q10: coincidence of congestion within one of the larger minimum RTT, less what chance would give
 * @SBD_RATE_CORRELATION_Q10: correlation of the bytes delivered over five of the larger minimum RTT: what one gains the other loses
 * @SBD_FEATURES: how many there are
 */
enum sbd_feature {
	SBD_RTT_ED_4US,
	SBD_CSTATE_ED_4US,
	SBD_RTT_CSTATE_ED_4US,
	SBD_RTT_DTWD_4US,
	SBD_CSTATE_DTWD_4US,
	SBD_RTT_CSTATE_DTWD_4US,
	SBD_RTT_SD_RATIO_Q10,
	SBD_CSTATE_SD_RATIO_Q10,
	SBD_MIN_RTT_RATIO_Q10,
	SBD_QUEUE_ED_4US,
	SBD_QUEUE_DTWD_4US,
	SBD_QUEUE_ED_RATIO_Q10,
	SBD_RTT_CORRELATION_Q10,
	SBD_RTT_RANK_CORRELATION_Q10,
	SBD_RTT_LAGGED_CORRELATION_Q10,
	SBD_RTT_CHANGE_CORRELATION_Q10,
	SBD_QUEUE_MEAN_RATIO_Q10,
	SBD_QUEUE_SD_RATIO_Q10,
	SBD_CSTATE_NEAR_JACCARD_EXCESS_Q10,
	SBD_RATE_CORRELATION_Q10,
	SBD_FEATURES
};

#define SBD_BIT(feature)	(1U << (feature))

/**
 * enum sbd_verdict - what a window says of two subflows
 * @SBD_NOT_SHARED: separate bottlenecks; uncoupled control is fair
 * @SBD_SHARED: one bottleneck; couple the subflows
 */
enum sbd_verdict {
	SBD_NOT_SHARED,
	SBD_SHARED
};

/**
 * struct sbd_series - one subflow's signals on the grid of a window
 * @acked_bytes: acknowledged cumulatively
 * @rtt_us: RTT, interpolated
 * @rtt_points: how many of @rtt_us are known
 * @state_points: how many of @congested are known
 * @acked_points: how many of @acked_bytes are known
 * @sampled: the window holds an RTT sample
 * @congested: in Recovery or Loss
 */
struct sbd_series {
#if SBD_WITH_ACKED
	sbd_u64 acked_bytes[SBD_POINTS];
#endif
	sbd_u32 rtt_us[SBD_POINTS];
	sbd_u16 rtt_points;
	sbd_u16 state_points;
	sbd_u16 acked_points;
	sbd_u8 sampled;
	sbd_u8 congested[SBD_POINTS];
};

/**
 * struct sbd_window - two subflows on one grid
 * @start_ns: start, and first point of the grid
 * @window_ns: length
 * @step_ns: step of the grid
 * @points: points of the grid
 * @rtt_steps: steps in the larger minimum RTT
 * @min_rtt_us: smallest RTT sample of each up to the start
 * @denominator: which of @series is below the line in ratios
 * @series: the subflows, lower number first
 */
struct sbd_window {
	sbd_u64 start_ns;
	sbd_u64 window_ns;
	sbd_u64 step_ns;
	sbd_u32 points;
	sbd_u32 rtt_steps;
	sbd_u32 min_rtt_us[2];
	sbd_u32 denominator;
	struct sbd_series series[2];
};

/**
 * struct sbd_subflow - what is known of a subflow now
 * @before_ns: time of the RTT sample before the newest
 * @last_ns: time of the newest RTT sample
 * @ack_ns: time of the newest ACK
 * @acked_bytes: what it acknowledged
 * @most_bytes: most acknowledged by ACKs that none of their time can follow
 * @id: number of the subflow
 * @before_us: RTT sample before the newest
 * @last_us: newest RTT sample
 * @min_rtt_us: smallest RTT sample
 * @sampled: there is an RTT sample
 * @ack_open: another ACK of the newest one's time may follow
 * @advances: ACKs of new data, 2 if more: two make a rate
 * @congested: in Recovery or Loss now
 * @was_congested: once was
 */
struct sbd_subflow {
	sbd_u64 before_ns;
	sbd_u64 last_ns;
	sbd_u64 ack_ns;
	sbd_u64 acked_bytes;
	sbd_u64 most_bytes;
	sbd_u32 id;
	sbd_u32 before_us;
	sbd_u32 last_us;
	sbd_u32 min_rtt_us;
	sbd_u8 sampled;
	sbd_u8 ack_open;
	sbd_u8 advances;
	sbd_u8 congested;
	sbd_u8 was_congested;
};

/**
 * struct sbd_pair - two subflows and their windows
 * @start_ns: where the next window starts, or the open one did
 * @decided: windows judged
 * @rejected: windows without an RTT sample of a subflow, or without a rate up to their end
 * @missed: windows complete that sbd_decide() was not called for
 * @verdict: of the last window judged, valid once @decided is not 0
 * @subflow: places of both in the connection, lower number first
 * @filling: which of @window is filled; the other one may wait
 * @armed: both subflows have been congested
 * @open: the window that is filled has begun
 * @waiting: the other window has ended and is not judged yet
 * @window: the one that is filled, and the one before
 */
struct sbd_pair {
	sbd_u64 start_ns;
	sbd_u32 decided;
	sbd_u32 rejected;
	sbd_u32 missed;
	sbd_u8 verdict;
	sbd_u8 subflow[2];
	sbd_u8 filling;
	sbd_u8 armed;
	sbd_u8 open;
	sbd_u8 waiting;
	struct sbd_window window[2];
};

/**
 * struct sbd_connection - a Multipath TCP connection
 * @now_ns: time of the newest call
 * @subflows: how many there are
 * @refused: calls without effect: time ran backwards, an RTT of nothing, no such subflow or state
 * @subflow: in the order they came
 * @pair: every two of them, see sbd_pair_of()
 */
struct sbd_connection {
	sbd_u64 now_ns;
	sbd_u32 subflows;
	sbd_u32 refused;
	struct sbd_subflow subflow[SBD_SUBFLOWS];
	struct sbd_pair pair[SBD_PAIRS];
};

/**
 * struct sbd_cell - a column of the warping's matrices
 * @rtt: least sum of squared differences up to here, of RTTs
 * @state: of congestion states
 * @both: of both together
 * @weight_b: what it weighs that the second series is congested
 * @b_us: the second series
 */
struct sbd_cell {
	sbd_u64 rtt;
	sbd_u64 state;
	sbd_u64 both;
	sbd_u64 weight_b;
	sbd_s64 b_us;
};

/**
 * struct sbd_scratch - memory to compute features in; one for each processor will do
 * @x: the features, indexed by &enum sbd_feature
 * @above_us: RTTs above both series' common minimum, the denominator's second
 * @queue_us: RTTs above each series' own minimum, the denominator's second
 * @row: a row of the warping's matrices
 * @ranked: values before each digit, places of values in order, and their ranks
 * @change: differences of values some points apart
 */
struct sbd_scratch {
	sbd_s32 x[SBD_FEATURES];
	sbd_s32 above_us[2][SBD_POINTS];
	sbd_s32 queue_us[2][SBD_POINTS];
	union {
		struct sbd_cell row[SBD_POINTS + 1];
		struct {
			sbd_u16 before[1 << SBD_DIGIT_BITS];
			sbd_u16 order[2][SBD_POINTS];
			sbd_s32 rank[2][SBD_POINTS];
		} ranked;
		sbd_s32 change[2][SBD_POINTS];
	};
};

/**
 * typedef sbd_judge - a model: what a complete window says
 *
 * A generated header has one, named as its model with _judge behind.
 */
typedef enum sbd_verdict sbd_judge(const struct sbd_window *window,
				   const void *model,
				   struct sbd_scratch *scratch);

static inline sbd_u64 sbd_div(sbd_u64 dividend, sbd_u64 divisor)
{
#ifdef __KERNEL__
	return div64_u64(dividend, divisor);
#else
	return dividend / divisor;
#endif
}

/* 0 if one is below the other, else all bits; without a branch, which the verifier would follow both ways. */
static __always_inline sbd_u64 sbd_unless_below(sbd_u64 one, sbd_u64 other)
{
#ifdef SBD_BPF
	sbd_u64 below = ((~one & other) | ((~one | other) & (one - other))) >> 63;

	SBD_HIDE(below);
	return below - 1;
#else
	return -(sbd_u64)(one >= other);
#endif
}

/* Bit by bit: nothing here needs a builtin that some target lacks. */
SBD_ALONE sbd_u32 sbd_isqrt(sbd_u64 x)
{
	sbd_u64 root = 0, bit = 1ULL << 62;
	int i;

	for (i = 0; i < 32; i++) {
		sbd_u64 next = root + bit, taken = sbd_unless_below(x, next);

		x -= next & taken;
		root = (root >> 1) + (bit & taken);
		bit >>= 2;
	}
	return (sbd_u32)root;
}

/* Quotient in Q10, truncated: 0/0 is 1, anything else over 0 the limit. */
static inline sbd_s32 sbd_ratio_q10(sbd_u64 numerator, sbd_u64 denominator)
{
	sbd_u64 ratio;

	if (!denominator)
		return numerator ? SBD_FEATURE_LIMIT : SBD_ONE_Q10;
	ratio = sbd_div(numerator << 10, denominator);
	return ratio < SBD_FEATURE_LIMIT ? (sbd_s32)ratio : SBD_FEATURE_LIMIT;
}

/* rise * elapsed / span, truncated, for elapsed < span < 2^62. */
SBD_ALONE sbd_u32 sbd_share(sbd_u32 rise, sbd_u64 elapsed, sbd_u64 span)
{
	sbd_u64 rest = 0;
	sbd_u32 share = 0, i;

	if (!(elapsed >> 32))
		return (sbd_u32)sbd_div(rise * elapsed, span);
	/* Long division: the product of a jump of seconds and a gap of hours has more than 64 bits. */
	for (i = SBD_ZERO; SBD_WHILE(i < 32); i++) {
		sbd_u64 taken;

		rest = 2 * rest + (elapsed & -(sbd_u64)(rise >> (31 - i) & 1));
		taken = sbd_unless_below(rest, span);
		rest -= span & taken;
		share = 2 * share - (sbd_u32)taken;
		taken = sbd_unless_below(rest, span);
		rest -= span & taken;
		share -= (sbd_u32)taken;
	}
	return share;
}

static inline sbd_u64 sbd_point_ns(const struct sbd_window *w, sbd_u32 k)
{
	return w->start_ns + k * w->step_ns;
}

static inline sbd_u64 sbd_end_ns(const struct sbd_window *w)
{
	return w->start_ns + w->window_ns;
}

/* Points up to the newest RTT sample; those behind it need the next one. */
SBD_ALONE int sbd_fill_rtt(struct sbd_window *into SBD_ARENA, sbd_u32 side,
			   const struct sbd_subflow *from SBD_ARENA, sbd_u64 now_ns)
{
	const struct sbd_subflow *s = SBD_REACHED(from);
	struct sbd_window *w = SBD_REACHED(into);
	struct sbd_series *series = &w->series[side];
	sbd_u32 k = series->rtt_points;

	if (now_ns <= s->last_ns)
		return 0;	/* of several samples at one time the last counts */
	for (; SBD_BELOW(k, w->points); k++) {
		sbd_u64 at_ns = sbd_point_ns(w, k), elapsed_ns, span_ns;

		if (at_ns >= s->last_ns) {
			if (at_ns > s->last_ns)
				break;
			series->rtt_us[k] = s->last_us;
			continue;
		}
		elapsed_ns = at_ns - s->before_ns;
		span_ns = s->last_ns - s->before_ns;
		if (s->last_us >= s->before_us)
			series->rtt_us[k] = s->before_us +
				sbd_share(s->last_us - s->before_us, elapsed_ns, span_ns);
		else
			series->rtt_us[k] = s->before_us -
				sbd_share(s->before_us - s->last_us, elapsed_ns, span_ns);
	}
	series->rtt_points = (sbd_u16)k;
	return 0;
}

/* No sample follows: hold the newest. */
static inline void sbd_hold_rtt(struct sbd_window *w, sbd_u32 side,
				const struct sbd_subflow *s)
{
	struct sbd_series *series = &w->series[side];
	sbd_u32 k = series->rtt_points;

	for (; SBD_BELOW(k, w->points); k++)
		series->rtt_us[k] = s->last_us;
	series->rtt_points = (sbd_u16)k;
}

/* Points before now: what holds at them can change no more. */
SBD_ALONE int sbd_fill_state(struct sbd_window *into SBD_ARENA, sbd_u32 side,
			     const struct sbd_subflow *from SBD_ARENA, sbd_u64 now_ns)
{
	const struct sbd_subflow *s = SBD_REACHED(from);
	struct sbd_window *w = SBD_REACHED(into);
	struct sbd_series *series = &w->series[side];
	sbd_u32 k = series->state_points;

	for (; SBD_BELOW(k, w->points) && sbd_point_ns(w, k) < now_ns; k++)
		series->congested[k] = s->congested;
	series->state_points = (sbd_u16)k;
	return 0;
}

SBD_ALONE int sbd_fill_acked(struct sbd_window *into SBD_ARENA, sbd_u32 side,
			     const struct sbd_subflow *from SBD_ARENA, sbd_u64 now_ns)
{
#if SBD_WITH_ACKED
	const struct sbd_subflow *s = SBD_REACHED(from);
	struct sbd_window *w = SBD_REACHED(into);
	struct sbd_series *series = &w->series[side];
	sbd_u32 k = series->acked_points;

	for (; SBD_BELOW(k, w->points) && sbd_point_ns(w, k) < now_ns; k++)
		series->acked_bytes[k] = s->acked_bytes;
	series->acked_points = (sbd_u16)k;
#else
	(void)into;
	(void)side;
	(void)from;
	(void)now_ns;
#endif
	return 0;
}

/* Count an ACK of new data once no other of its time can follow. */
static inline void sbd_settle_ack(struct sbd_subflow *s, sbd_u64 now_ns)
{
	if (!s->ack_open || now_ns <= s->ack_ns)
		return;
	s->ack_open = 0;
	if (s->advances && s->acked_bytes <= s->most_bytes)
		return;
	s->most_bytes = s->acked_bytes;
	if (s->advances < 2)
		s->advances++;
}

static inline void sbd_open(const struct sbd_connection *c, struct sbd_pair *p)
{
	struct sbd_window *w = &p->window[p->filling];
	sbd_u64 low_ns, high_ns, least_ns;
	sbd_u32 side;

	for (side = 0; side < 2; side++) {
		const struct sbd_subflow *s = &c->subflow[p->subflow[side]];
		struct sbd_series *series = &w->series[side];

		w->min_rtt_us[side] = s->min_rtt_us;
		series->rtt_points = 0;
		series->state_points = 0;
		series->acked_points = 0;
		series->sampled = s->last_ns == p->start_ns;
	}
	w->denominator = w->min_rtt_us[0] > w->min_rtt_us[1];
	low_ns = w->min_rtt_us[w->denominator] * 1000ULL;
	high_ns = w->min_rtt_us[!w->denominator] * 1000ULL;
	w->start_ns = p->start_ns;
	w->window_ns = SBD_WINDOW_RTTS * high_ns;
	least_ns = sbd_div(w->window_ns + SBD_POINTS - 2, SBD_POINTS - 1);
	w->step_ns = low_ns > least_ns ? low_ns : least_ns;
	w->points = (sbd_u32)sbd_div(w->window_ns, w->step_ns) + 1;
	w->rtt_steps = (sbd_u32)sbd_div(high_ns, w->step_ns);
	p->open = 1;
}

/* The open window has ended: it waits for its last points, or is no window. */
static inline void sbd_close(struct sbd_connection *c, struct sbd_pair *p, sbd_u64 now_ns)
{
	struct sbd_window *w = &p->window[p->filling];
	sbd_u32 side, usable = 1;

	for (side = 0; side < 2; side++) {
		struct sbd_subflow *s = &c->subflow[p->subflow[side]];

		sbd_settle_ack(s, now_ns);
		sbd_fill_state(w, side, s, now_ns);
		sbd_fill_acked(w, side, s, now_ns);
		if (!w->series[side].sampled || s->advances < 2)
			usable = 0;
	}
	p->start_ns = sbd_end_ns(w);
	p->open = 0;
	if (!usable) {
		p->rejected++;
		return;
	}
	if (p->waiting)
		p->missed++;
	p->waiting = 1;
	p->filling = !p->filling;
}

/*
 * Open and close windows up to now, before anything of now is taken; if @judging,
 * not past one that waits to be judged.
 */
SBD_ALONE int sbd_advance(struct sbd_connection *of SBD_ARENA, struct sbd_pair *its SBD_ARENA,
			  sbd_u64 now_ns, int judging)
{
	struct sbd_connection *c = SBD_REACHED(of);
	struct sbd_pair *p = SBD_REACHED(its);
	struct sbd_window *w;
	sbd_u64 silent;
	int i;

	if (!p->armed || now_ns <= p->start_ns)
		return 0;
	/* Beside the open window, a sample may lie on the start of the next one alone. */
	for (i = 0; i < 2; i++) {
		if (!p->open)
			sbd_open(c, p);
		if (now_ns <= sbd_end_ns(&p->window[p->filling]))
			return 0;
		sbd_close(c, p, now_ns);
		if (now_ns <= p->start_ns || (judging && p->waiting))
			return 0;
	}
	sbd_open(c, p);
	w = &p->window[p->filling];
	silent = sbd_div(now_ns - 1 - p->start_ns, w->window_ns);
	p->rejected += (sbd_u32)silent;
	p->start_ns += silent * w->window_ns;
	w->start_ns = p->start_ns;
	return 0;
}

static inline void sbd_arm(struct sbd_connection *c, struct sbd_pair *p, sbd_u64 now_ns)
{
	const struct sbd_subflow *x = &c->subflow[p->subflow[0]];
	const struct sbd_subflow *y = &c->subflow[p->subflow[1]];

	if (p->armed || !x->was_congested || !y->was_congested || !x->sampled || !y->sampled)
		return;
	p->armed = 1;
	p->start_ns = now_ns;
}

/**
 * sbd_pair_of() - where in a connection's pairs two subflows are
 * @i: place of one
 * @j: place of another
 */
static inline sbd_u32 sbd_pair_of(sbd_u32 i, sbd_u32 j)
{
	return i < j ? j * (j - 1) / 2 + i : i * (i - 1) / 2 + j;
}

/**
 * sbd_add_subflow() - a subflow has joined
 * @c: the connection
 * @id: its number; of two, the lower one is the first of the pair
 *
 * Return: its place, for the calls below; -1 if there are SBD_SUBFLOWS already.
 */
static inline int sbd_add_subflow(struct sbd_connection *c, sbd_u32 id)
{
	sbd_u32 i, j = c->subflows;

	if (j >= SBD_SUBFLOWS)
		return -1;
	c->subflow[j].id = id;
	for (i = 0; i < SBD_SUBFLOWS && i < j; i++) {
		struct sbd_pair *p = &c->pair[sbd_pair_of(i, j)];
		sbd_u32 lower = c->subflow[i].id <= id ? i : j;

		p->subflow[0] = (sbd_u8)lower;
		p->subflow[1] = (sbd_u8)(i + j - lower);
	}
	c->subflows++;
	return (int)j;
}

/* Take the time of a call on a subflow; its pairs' windows open and close. */
static inline int sbd_at(struct sbd_connection *c, sbd_u32 subflow, sbd_u64 now_ns)
{
	sbd_u32 i;

	if (subflow >= c->subflows || subflow >= SBD_SUBFLOWS || now_ns < c->now_ns || now_ns >> 62) {
		c->refused++;
		return 0;
	}
	c->now_ns = now_ns;
	for (i = 0; i < SBD_SUBFLOWS && i < c->subflows; i++)
		if (i != subflow)
			sbd_advance(c, &c->pair[sbd_pair_of(i, subflow)], now_ns, 0);
	return 1;
}

/**
 * sbd_on_rtt() - an RTT sample: pkts_acked() with a valid rtt_us
 * @c: the connection
 * @subflow: place of the subflow
 * @now_ns: a clock that does not run backwards
 * @rtt_us: the sample, not 0
 */
static inline void sbd_on_rtt(struct sbd_connection *c, sbd_u32 subflow, sbd_u64 now_ns,
			      sbd_u32 rtt_us)
{
	struct sbd_subflow *s;
	sbd_u32 i;

	if (!rtt_us) {
		c->refused++;
		return;
	}
	if (!sbd_at(c, subflow, now_ns))
		return;
	s = &c->subflow[subflow];
	for (i = 0; i < SBD_SUBFLOWS && i < c->subflows; i++) {
		struct sbd_pair *p;
		sbd_u32 side;

		if (i == subflow)
			continue;
		p = &c->pair[sbd_pair_of(i, subflow)];
		side = p->subflow[1] == subflow;
		if (p->waiting)
			sbd_fill_rtt(&p->window[!p->filling], side, s, now_ns);
		if (p->open) {
			sbd_fill_rtt(&p->window[p->filling], side, s, now_ns);
			p->window[p->filling].series[side].sampled = 1;
		}
	}
	if (!s->sampled || now_ns > s->last_ns) {
		s->before_ns = s->last_ns;
		s->before_us = s->last_us;
		s->last_ns = now_ns;
	}
	s->last_us = rtt_us;
	if (!s->sampled || rtt_us < s->min_rtt_us)
		s->min_rtt_us = rtt_us;
	s->sampled = 1;
	for (i = 0; i < SBD_SUBFLOWS && i < c->subflows; i++)
		if (i != subflow)
			sbd_arm(c, &c->pair[sbd_pair_of(i, subflow)], now_ns);
}

/**
 * sbd_on_ack() - an ACK
 * @c: the connection
 * @subflow: place of the subflow
 * @now_ns: a clock that does not run backwards
 * @acked_bytes: acknowledged cumulatively on the subflow
 *
 * Two ACKs of new data make a rate, and windows before them do not count.
 */
static inline void sbd_on_ack(struct sbd_connection *c, sbd_u32 subflow, sbd_u64 now_ns,
			      sbd_u64 acked_bytes)
{
	struct sbd_subflow *s;
	sbd_u32 i;

	if (!sbd_at(c, subflow, now_ns))
		return;
	s = &c->subflow[subflow];
	for (i = 0; i < SBD_SUBFLOWS && i < c->subflows; i++) {
		struct sbd_pair *p;

		if (i == subflow)
			continue;
		p = &c->pair[sbd_pair_of(i, subflow)];
		if (p->open)
			sbd_fill_acked(&p->window[p->filling], p->subflow[1] == subflow, s, now_ns);
	}
	sbd_settle_ack(s, now_ns);
	s->ack_ns = now_ns;
	s->acked_bytes = acked_bytes;
	s->ack_open = 1;
}

/**
 * sbd_on_state() - a change of congestion state: set_state()
 * @c: the connection
 * @subflow: place of the subflow
 * @now_ns: a clock that does not run backwards
 * @ca_state: TCP_CA_Open (0) to TCP_CA_Loss (4); Recovery and Loss are congested
 */
static inline void sbd_on_state(struct sbd_connection *c, sbd_u32 subflow, sbd_u64 now_ns,
				sbd_u8 ca_state)
{
	struct sbd_subflow *s;
	sbd_u32 i;

	if (ca_state > 4) {
		c->refused++;
		return;
	}
	if (!sbd_at(c, subflow, now_ns))
		return;
	s = &c->subflow[subflow];
	for (i = 0; i < SBD_SUBFLOWS && i < c->subflows; i++) {
		struct sbd_pair *p;

		if (i == subflow)
			continue;
		p = &c->pair[sbd_pair_of(i, subflow)];
		if (p->open)
			sbd_fill_state(&p->window[p->filling], p->subflow[1] == subflow, s, now_ns);
	}
	s->congested = ca_state >= 3;
	s->was_congested |= s->congested;
	for (i = 0; i < SBD_SUBFLOWS && i < c->subflows; i++)
		if (i != subflow)
			sbd_arm(c, &c->pair[sbd_pair_of(i, subflow)], now_ns);
}

/**
 * sbd_decide_pair() - judge a pair's window that has ended, if its last points are known
 * @c: the connection
 * @p: one of its pairs
 * @now_ns: not before the last call on the connection
 * @judge: the model
 * @model: given to @judge
 * @scratch: memory to compute in
 *
 * A window's last points lie between its last RTT sample and the first one
 * after it: until each subflow has had that one, the window waits.
 *
 * Return: 1 if a window was judged: @p's verdict is of sbd_judged(), and another
 * may be complete, call again; else 0.
 */
static __always_inline int sbd_decide_pair(struct sbd_connection *c, struct sbd_pair *p,
					   sbd_u64 now_ns,
					   sbd_judge *judge, const void *model,
					   struct sbd_scratch *scratch)
{
	struct sbd_window *w;
	sbd_u32 side;

	if (!p->waiting)
		sbd_advance(c, p, now_ns, 1);
	if (!p->waiting)
		return 0;
	w = &p->window[!p->filling];
	for (side = 0; side < 2; side++) {
		sbd_fill_rtt(w, side, &c->subflow[p->subflow[side]], now_ns);
		if (w->series[side].rtt_points < w->points)
			return 0;
	}
	p->waiting = 0;
	p->decided++;
	p->verdict = (sbd_u8)judge(w, model, scratch);
	return 1;
}

/**
 * sbd_judged() - the window that was judged last
 * @p: a pair whose @decided is not 0, before any other call on its connection
 */
static inline const struct sbd_window *sbd_judged(const struct sbd_pair *p)
{
	return &p->window[!p->filling];
}

/**
 * sbd_decide() - judge a complete window of each pair; call it twice every T, or oftener
 * @c: the connection
 * @now_ns: now
 * @judge: the model
 * @model: given to @judge
 * @scratch: memory to compute in
 *
 * A window that waits when the next one ends is missed. None is, if this is
 * called before each signal, with the signal's time, until it returns 0.
 *
 * Return: how many were judged; see @verdict of the pairs, or sbd_groups().
 */
static __always_inline sbd_u32 sbd_decide(struct sbd_connection *c, sbd_u64 now_ns,
					  sbd_judge *judge,
					  const void *model, struct sbd_scratch *scratch)
{
	sbd_u32 i, judged = 0;

	if (now_ns < c->now_ns || now_ns >> 62) {
		c->refused++;
		return 0;
	}
	c->now_ns = now_ns;
	for (i = 0; i < SBD_PAIRS && i < c->subflows * (c->subflows - 1) / 2; i++)
		judged += (sbd_u32)sbd_decide_pair(c, &c->pair[i], now_ns, judge, model, scratch);
	return judged;
}

/**
 * sbd_finish_pair() - judge what a pair's last signals leave, one window a call
 * @c: the connection
 * @p: one of its pairs
 * @end_ns: end of the connection; no signal follows
 * @judge: the model
 * @model: given to @judge
 * @scratch: memory to compute in
 *
 * The newest RTT samples are held to the end of the window.
 *
 * Return: 1 if a window was judged, call again; else 0.
 */
static __always_inline int sbd_finish_pair(struct sbd_connection *c, struct sbd_pair *p,
					   sbd_u64 end_ns,
					   sbd_judge *judge, const void *model,
					   struct sbd_scratch *scratch)
{
	sbd_u32 side;

	if (!p->waiting)
		sbd_advance(c, p, end_ns + 1, 1);
	if (!p->waiting)
		return 0;
	for (side = 0; side < 2; side++) {
		const struct sbd_subflow *s = &c->subflow[p->subflow[side]];

		sbd_fill_rtt(&p->window[!p->filling], side, s, end_ns + 1);
		sbd_hold_rtt(&p->window[!p->filling], side, s);
	}
	return sbd_decide_pair(c, p, end_ns, judge, model, scratch);
}

/**
 * sbd_restart() - begin windows anew
 * @c: the connection
 * @p: one of its pairs, both of whose subflows have had an RTT sample
 * @start_ns: not before the last call on the connection
 *
 * Return: 0, or -1 without effect.
 */
static inline int sbd_restart(struct sbd_connection *c, struct sbd_pair *p, sbd_u64 start_ns)
{
	if (start_ns < c->now_ns || start_ns >> 62 || !c->subflow[p->subflow[0]].sampled ||
	    !c->subflow[p->subflow[1]].sampled)
		return -1;
	p->armed = 1;
	p->open = 0;
	p->waiting = 0;
	p->start_ns = start_ns;
	return 0;
}

#define SBD_NO_GROUP	255

/**
 * sbd_groups() - the partition of the subflows that the pairs' last verdicts make
 * @c: the connection
 * @group: for each subflow its group; those of one group share a bottleneck;
 *         SBD_NO_GROUP for a subflow of which nothing is known yet
 *
 * Groups are the connected components of the pairs that share.
 */
static inline void sbd_groups(const struct sbd_connection *c, sbd_u8 group[SBD_SUBFLOWS])
{
	sbd_u32 i, j, k;

	for (i = 0; i < SBD_SUBFLOWS; i++)
		group[i] = SBD_NO_GROUP;
	for (j = 0; j < SBD_SUBFLOWS && j < c->subflows; j++) {
		for (i = 0; i < j; i++) {
			const struct sbd_pair *p = &c->pair[sbd_pair_of(i, j)];
			sbd_u8 own, other;

			if (!p->decided)
				continue;
			if (group[i] == SBD_NO_GROUP)
				group[i] = (sbd_u8)i;
			if (group[j] == SBD_NO_GROUP)
				group[j] = (sbd_u8)j;
			own = group[i];
			other = group[j];
			if (p->verdict != SBD_SHARED)
				continue;
			for (k = 0; k < SBD_SUBFLOWS && k <= j; k++)
				if (group[k] == other)
					group[k] = own;
		}
	}
}

#endif /* SMARTSBD_H */
