/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Delays of a subflow: which are meant, and what they are at other times than those of samples. */
#ifndef SBD_DELAYS_H
#define SBD_DELAYS_H

#include "baseline.h"

/* The delay a detector works on. */
enum sbd_delay {
	SBD_DELAY_RTT,
	SBD_DELAY_OWD
};

extern const char *const sbd_delay_names[];	/* choices of enum sbd_delay */

/* Bits of the kinds of events that bring it. */
uint32_t sbd_delay_wanted(int delay);

struct sbd_sample {
	int64_t time_ns;
	int64_t delay_us;
};

/* Those of a subflow in a window, in order of time. */
struct sbd_delays {
	const struct sbd_sample *sample;
	size_t size;
	int64_t min_us;		/* smallest so far of the whole connection */
};

#define SBD_POINTS_LIMIT	8192	/* of a grid */

static inline bool sbd_points_possible(int64_t points)
{
	return points >= 2 && points <= SBD_POINTS_LIMIT;
}

/* Whole nanoseconds that lie evenly between two times, both among them. */
void sbd_grid(int64_t start_ns, int64_t end_ns, double *grid_ns, size_t points);

/* The delays at times that ascend: between samples linear, outside the first or last held. */
void sbd_delays_at(const struct sbd_delays *delays, const double *grid_ns, size_t points,
		   double *delay_us);

/* Longest spans: with them before and behind any time of an event, it is still 64 bits. */
#define SBD_SPAN_LIMIT_MS	((INT64_C(1) << 61) / SBD_NS_PER_MS)
#define SBD_SPAN_LIMIT_RTTS	(SBD_SPAN_LIMIT_MS * 1000 / UINT32_MAX)

static inline bool sbd_span_possible(int64_t span, int64_t limit)
{
	return span >= 1 && span <= limit;
}

/* A time that much later; no time is later than SBD_NEVER. */
static inline int64_t sbd_later(int64_t time_ns, int64_t span_ns)
{
	return time_ns > SBD_NEVER - span_ns ? SBD_NEVER : time_ns + span_ns;
}

#endif
