// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Trend lines of delay (Zhang et al., arXiv:1812.05816): a common queue builds up at one slope
 *
 * Twin of detectors/trend_line.py, which says what is theirs and what is ours.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "delays.h"

#define FIRST_POINTS	64
#define MEAN_LIMIT	65536	/* delays a moving mean is taken over */
#define GROUPS_LIMIT	65536	/* as many are gone through after a silence */

enum mean {
	MEAN_HARMONIC,
	MEAN_ARITHMETIC
};

struct trending {
	int delay;			/* enum sbd_delay */
	int mean;			/* enum mean: of the delays, to smooth them */
	int64_t smoothed_over;		/* delays it is taken over */
	int64_t group_ms;		/* length of a group */
	int64_t skipped_groups;		/* first ones of a pair that are left out */
	double min_slope_us_per_s;	/* above it both must rise for a group to count */
	double max_error;		/* below it slopes are close, as a share of the larger */
	int64_t close_groups;		/* of close slopes in a run that is of one queue */
	int64_t rising_groups;		/* in a run that is of one queue, whatever the slopes */
	int64_t longest_run;		/* groups above which a run is judged though it goes on */
	int64_t window_groups;		/* how long being found to share holds */
};

struct point {
	int64_t time_ns;
	double smoothed_us;
};

/* The smoothed delays of a subflow in the group that is open. */
struct trend {
	bool begun;
	double *summand;	/* a ring of those the mean is taken over */
	size_t summands, oldest;
	double sum;
	struct point *point;
	size_t points, room;
	double slope;		/* of the group that ended, us per s; 0 if it has no line */
};

/* The groups in a row in which the delays of two subflows rose together. */
struct rises {
	int64_t groups;
	int64_t found;		/* the last group in which a run was of one queue; 0 is none */
	int64_t counted, close;	/* groups of the run that count, and those of close slopes */
};

struct trend_line {
	const struct trending *trending;
	unsigned int subflows;
	struct sbd_opinions *said;
	struct trend *trend;
	double *summand;	/* all rings */
	struct rises *rises;	/* by sbd_pair_place() */
	int8_t *verdict;	/* by sbd_pair_place() */
	bool begun;
	int64_t end_ns;		/* of the group */
};

static int note(struct trend *trend, int64_t time_ns, double smoothed_us)
{
	if (trend->points == trend->room) {
		size_t room = trend->room ? 2 * trend->room : FIRST_POINTS;
		struct point *larger = NULL;

		if (room <= SIZE_MAX / 2 / sizeof(*larger))
			larger = realloc(trend->point, room * sizeof(*larger));
		if (!larger)
			return -ENOMEM;
		trend->point = larger;
		trend->room = room;
	}
	trend->point[trend->points++] = (struct point){ time_ns, smoothed_us };
	return 0;
}

/* Take a delay; until there are as many as the mean is taken over, each stands for itself. */
static int take(struct trend *trend, const struct trending *trending, int64_t time_ns,
		int64_t delay_us)
{
	const bool harmonic = trending->mean == MEAN_HARMONIC;
	const size_t over = (size_t)trending->smoothed_over;
	double summand = harmonic ? 1 / (double)delay_us : (double)delay_us;
	double mean_us = (double)delay_us;

	trend->sum += summand;
	if (trend->summands == over) {
		trend->sum -= trend->summand[trend->oldest];
		trend->summand[trend->oldest] = summand;
		trend->oldest = (trend->oldest + 1) % over;
	} else {
		trend->summand[trend->summands++] = summand;
	}
	if (trend->summands == over)
		mean_us = harmonic ? (double)over / trend->sum : trend->sum / (double)over;
	return note(trend, time_ns, mean_us);
}

/* The slope of the least-squares line through the group, per s; 0 without two different times. */
static double slope_per_s(const struct point *point, size_t points)
{
	double sum_ns = 0, rise = 0, run = 0, mean_ns;
	size_t k;

	if (!points || point[0].time_ns == point[points - 1].time_ns)
		return 0;
	for (k = 0; k < points; k++)
		sum_ns += (double)(point[k].time_ns - point[0].time_ns);
	mean_ns = sum_ns / (double)points;
	for (k = 0; k < points; k++) {
		double apart_ns = (double)(point[k].time_ns - point[0].time_ns) - mean_ns;

		rise += apart_ns * point[k].smoothed_us;
		run += apart_ns * apart_ns;
	}
	return (double)SBD_NS_PER_S * rise / run;
}

/* End the group. */
static void close_trend(struct trend *trend)
{
	size_t k;

	trend->slope = slope_per_s(trend->point, trend->points);
	trend->points = 0;
	/* Anew, so that rounding does not add up. */
	trend->sum = 0;
	for (k = 0; k < trend->summands; k++)
		trend->sum += trend->summand[(trend->oldest + k) % trend->summands];
}

static void judge_run(struct rises *rises, const struct trending *trending)
{
	if (rises->counted >= trending->rising_groups || rises->close >= trending->close_groups)
		rises->found = rises->groups;
	rises->counted = rises->close = 0;
}

/* Take the slopes of a group that ended. */
static enum sbd_said close_rises(struct rises *rises, const struct trending *trending, double one,
				 double other)
{
	const double lower = one < other ? one : other, larger = one < other ? other : one;
	const bool rising = lower > 0;

	rises->groups++;
	if (rises->groups <= trending->skipped_groups)
		return SBD_UNSAID;
	if (!rising || rises->counted > trending->longest_run)
		judge_run(rises, trending);
	if (rising && lower > trending->min_slope_us_per_s) {
		rises->counted++;
		rises->close += (larger - lower) / larger < trending->max_error;
	}
	if (rises->groups < trending->skipped_groups + trending->window_groups)
		return SBD_UNSAID;
	if (rises->found && rises->groups - rises->found < trending->window_groups)
		return SBD_TOGETHER;
	return SBD_APART;
}

static void close_group(struct trend_line *own)
{
	struct rises *rises = own->rises;
	int8_t *verdict = own->verdict;
	bool changed = false;
	unsigned int i, j;

	for (i = 0; i < own->subflows; i++)
		if (own->trend[i].begun)
			close_trend(&own->trend[i]);
	for (i = 0; i < own->subflows; i++) {
		for (j = i + 1; j < own->subflows; j++, rises++, verdict++) {
			const struct trend *one = &own->trend[i], *other = &own->trend[j];
			int8_t found;

			if (!one->begun || !other->begun)
				continue;
			found = close_rises(rises, own->trending, one->slope, other->slope);
			changed |= found != *verdict;
			*verdict = found;
		}
	}
	if (changed)
		sbd_say_pairs(own->said, own->end_ns, own->verdict);
}

/* Groups without a delay, after at least one of them: they only move the window on. */
static void pass_over(struct trend_line *own, int64_t groups)
{
	struct rises *rises = own->rises;
	unsigned int i, j;

	for (i = 0; i < own->subflows; i++)
		for (j = i + 1; j < own->subflows; j++, rises++)
			if (own->trend[i].begun && own->trend[j].begun)
				rises->groups += groups;
}

static void advance(void *state, int64_t time_ns)
{
	struct trend_line *own = state;
	const struct trending *trending = own->trending;
	const int64_t group_ns = trending->group_ms * SBD_NS_PER_MS;
	int64_t ended = 0;

	while (own->begun && time_ns >= own->end_ns) {
		int64_t over = 0;

		close_group(own);
		own->end_ns = sbd_later(own->end_ns, group_ns);
		ended++;
		if (own->end_ns == SBD_NEVER)
			break;
		if (time_ns > own->end_ns)
			over = (time_ns - own->end_ns) / group_ns;
		if (ended > trending->skipped_groups + trending->window_groups && over) {
			/* The window holds nothing; verdicts stay until a delay comes. */
			pass_over(own, over);
			own->end_ns += over * group_ns;
		}
	}
}

static void on_event(void *state, const struct sbd_event *event)
{
	struct trend_line *own = state;
	struct trend *trend = &own->trend[event->place];
	int error;

	if (!own->begun) {
		own->begun = true;
		own->end_ns = event->time_ns + own->trending->group_ms * SBD_NS_PER_MS;
	} else if (event->time_ns > own->end_ns) {
		advance(own, event->time_ns - 1);
	}
	trend->begun = true;
	error = take(trend, own->trending, event->time_ns, event->value);
	if (error)
		own->said->error = error;
}

static void destroy(void *state)
{
	struct trend_line *own = state;
	unsigned int i;

	if (own->trend)
		for (i = 0; i < own->subflows; i++)
			free(own->trend[i].point);
	free(own->trend);
	free(own->summand);
	free(own->rises);
	free(own->verdict);
	free(own);
}

static void *create(const void *parameters, unsigned int subflows, struct sbd_opinions *said)
{
	const struct trending *trending = parameters;
	const size_t over = (size_t)trending->smoothed_over, pairs = sbd_pairs(subflows);
	struct trend_line *own = calloc(1, sizeof(*own));
	unsigned int i;

	if (!own)
		return NULL;
	own->trending = trending;
	own->subflows = subflows;
	own->said = said;
	own->trend = calloc(subflows + 1, sizeof(*own->trend));
	own->summand = calloc((subflows + 1) * over, sizeof(*own->summand));
	own->rises = calloc(pairs + 1, sizeof(*own->rises));
	own->verdict = malloc(pairs + 1);
	if (!own->trend || !own->summand || !own->rises || !own->verdict) {
		destroy(own);
		return NULL;
	}
	for (i = 0; i < subflows; i++)
		own->trend[i].summand = own->summand + i * over;
	memset(own->verdict, SBD_UNSAID, pairs);
	return own;
}

static bool groups_possible(int64_t groups)
{
	return groups >= 0 && groups <= GROUPS_LIMIT;
}

/* The harmonic mean needs delays with a true zero. */
static bool possible(const void *parameters)
{
	const struct trending *trending = parameters;

	return (trending->mean == MEAN_ARITHMETIC || trending->delay == SBD_DELAY_RTT) &&
	       trending->smoothed_over >= 1 && trending->smoothed_over <= MEAN_LIMIT &&
	       sbd_span_possible(trending->group_ms, SBD_SPAN_LIMIT_MS) &&
	       groups_possible(trending->skipped_groups) &&
	       groups_possible(trending->window_groups);
}

static uint32_t wanted(const void *parameters)
{
	const struct trending *trending = parameters;

	return sbd_delay_wanted(trending->delay);
}

static const char *const mean_names[] = { "harmonic", "arithmetic", NULL };

#define PARAMETER(type, name) { #name, type, offsetof(struct trending, name), NULL }

static const struct sbd_parameter trending_parameters[] = {
	{ "delay", SBD_CHOICE, offsetof(struct trending, delay), sbd_delay_names },
	{ "mean", SBD_CHOICE, offsetof(struct trending, mean), mean_names },
	PARAMETER(SBD_INT, smoothed_over),
	PARAMETER(SBD_INT, group_ms),
	PARAMETER(SBD_INT, skipped_groups),
	PARAMETER(SBD_DOUBLE, min_slope_us_per_s),
	PARAMETER(SBD_DOUBLE, max_error),
	PARAMETER(SBD_INT, close_groups),
	PARAMETER(SBD_INT, rising_groups),
	PARAMETER(SBD_INT, longest_run),
	PARAMETER(SBD_INT, window_groups),
	{ NULL, SBD_INT, 0, NULL }
};

static const struct trending defaults = {
	.delay = SBD_DELAY_RTT,
	.mean = MEAN_HARMONIC,
	.smoothed_over = 20,
	.group_ms = 100,
	.skipped_groups = 11,
	.min_slope_us_per_s = 10000,
	.max_error = 0.15,
	.close_groups = 3,
	.rising_groups = 10,
	.longest_run = 50,
	.window_groups = 100
};

const struct sbd_baseline sbd_trend_line = {
	.name = "trend-line",
	.parameters = trending_parameters,
	.parameters_size = sizeof(struct trending),
	.defaults = &defaults,
	.possible = possible,
	.wanted = wanted,
	.create = create,
	.on_event = on_event,
	.advance = advance,
	.destroy = destroy
};
