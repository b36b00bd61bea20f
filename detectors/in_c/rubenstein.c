// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The comparison test of Rubenstein, Kurose and Towsley (ToN 2002), on passive delays
 *
 * Twin of detectors/rubenstein.py, which says what is theirs and what is ours.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "series.h"
#include "windowed.h"

struct comparing {
	struct sbd_moving moving;
	int64_t slot_rtts;	/* of the larger of the two subflows' smallest delays so far */
	struct sbd_optional_int slot_ms;	/* given: in place of it */
	int64_t least_probes;	/* of each subflow; with fewer compared there is no verdict */
};

/* What is compared: delays of probes, of the other's next ones, of the probes next to them. */
enum row {
	PROBE,
	CROSSING,
	FOLLOWING,
	ROWS
};

struct rubenstein {
	struct sbd_windowed windowed;
	const struct comparing *comparing;
	double *row[ROWS];
	size_t room;		/* of each */
};

static int make_room(struct rubenstein *own, size_t size)
{
	unsigned int i;

	if (size <= own->room)
		return 0;
	for (i = 0; i < ROWS; i++) {
		double *larger = realloc(own->row[i], size * sizeof(*larger));

		if (!larger)
			return -ENOMEM;
		own->row[i] = larger;
	}
	own->room = size;
	return 0;
}

static int64_t slot_ns(const struct comparing *comparing, const struct sbd_delays *one,
		       const struct sbd_delays *other)
{
	int64_t rtt_us = one->min_us > other->min_us ? one->min_us : other->min_us;

	if (comparing->slot_ms.given)
		return comparing->slot_ms.value * SBD_NS_PER_MS;
	return comparing->slot_rtts * rtt_us * SBD_NS_PER_US;
}

/* The first delay of the next slot that has one; the end if none has. */
static const struct sbd_sample *next_probe(const struct sbd_sample *probe,
					   const struct sbd_sample *end, int64_t start_ns,
					   int64_t slot_ns)
{
	int64_t until_ns = probe->time_ns + slot_ns - (probe->time_ns - start_ns) % slot_ns;

	for (probe++; probe < end && probe->time_ns < until_ns; probe++)
		;
	return probe;
}

/* Fill the rows; how many probes another one follows, and before it a packet of the other flow. */
static size_t compare(struct rubenstein *own, const struct sbd_delays *one,
		      const struct sbd_delays *other, int64_t start_ns, int64_t slot_ns)
{
	const struct sbd_sample *crossing = other->sample, *last = crossing + other->size;
	const struct sbd_sample *probe = one->sample, *end = probe + one->size;
	const struct sbd_sample *following;
	size_t size = 0;

	for (; probe < end; probe = following) {
		following = next_probe(probe, end, start_ns, slot_ns);
		while (crossing < last && crossing->time_ns <= probe->time_ns)
			crossing++;
		if (following == end || crossing == last)
			break;
		if (crossing->time_ns >= following->time_ns)
			continue;
		own->row[PROBE][size] = (double)probe->delay_us;
		own->row[CROSSING][size] = (double)crossing->delay_us;
		own->row[FOLLOWING][size] = (double)following->delay_us;
		size++;
	}
	return size;
}

/* Add the cross measure less the auto measure; false if delays are constant. */
static bool add_lead(struct rubenstein *own, size_t size, double *lead)
{
	const double *probe = own->row[PROBE];
	double length[ROWS], cross, self;
	unsigned int i;

	for (i = 0; i < ROWS; i++) {
		length[i] = sqrt(sbd_centre(own->row[i], size));
		if (!(length[i] > 0))
			return false;
	}
	cross = sbd_dot(own->row[CROSSING], probe, size) / (length[CROSSING] * length[PROBE]);
	self = sbd_dot(own->row[FOLLOWING], probe, size) / (length[FOLLOWING] * length[PROBE]);
	*lead += cross - self;
	return true;
}

static int8_t verdict_on(struct rubenstein *own, const struct sbd_delays *one,
			 const struct sbd_delays *other, int64_t start_ns)
{
	const struct sbd_delays *way[][2] = { { one, other }, { other, one } };
	int64_t length_ns = slot_ns(own->comparing, one, other);
	double lead = 0;
	size_t i, size;

	for (i = 0; i < 2; i++) {
		if (make_room(own, way[i][0]->size)) {
			own->windowed.said->error = -ENOMEM;
			return SBD_UNSAID;
		}
		size = compare(own, way[i][0], way[i][1], start_ns, length_ns);
		if (size < (uint64_t)own->comparing->least_probes || !add_lead(own, size, &lead))
			return SBD_UNSAID;
	}
	return lead > 0 ? SBD_TOGETHER : SBD_APART;
}

static void judge(struct sbd_windowed *windowed, const struct sbd_window *window, int8_t *verdict)
{
	struct rubenstein *own = (struct rubenstein *)windowed;
	unsigned int i, j;

	for (i = 0; i < windowed->subflows; i++) {
		for (j = i + 1; j < windowed->subflows; j++, verdict++) {
			const struct sbd_delays *one = &window->delays[i];
			const struct sbd_delays *other = &window->delays[j];
			int8_t found = SBD_UNSAID;

			if (one->size && other->size)
				found = verdict_on(own, one, other, window->start_ns);
			if (found != SBD_UNSAID)
				*verdict = found;
		}
	}
}

static void destroy(void *state)
{
	struct rubenstein *own = state;
	unsigned int i;

	sbd_windowed_free(&own->windowed);
	for (i = 0; i < ROWS; i++)
		free(own->row[i]);
	free(own);
}

static void *create(const void *parameters, unsigned int subflows, struct sbd_opinions *said)
{
	const struct comparing *comparing = parameters;
	struct rubenstein *own = calloc(1, sizeof(*own));

	if (!own)
		return NULL;
	own->comparing = comparing;
	if (sbd_windowed_init(&own->windowed, &comparing->moving, subflows, said)) {
		destroy(own);
		return NULL;
	}
	own->windowed.judge = judge;
	return own;
}

/* One-way delays have no true zero a slot could be counted by. */
static bool possible(const void *parameters)
{
	const struct comparing *comparing = parameters;

	if (!sbd_moving_possible(&comparing->moving) || comparing->least_probes < 1)
		return false;
	if (comparing->slot_ms.given)
		return sbd_span_possible(comparing->slot_ms.value, SBD_SPAN_LIMIT_MS);
	return comparing->moving.delay == SBD_DELAY_RTT &&
	       sbd_span_possible(comparing->slot_rtts, SBD_SPAN_LIMIT_RTTS);
}

static const struct sbd_parameter comparing_parameters[] = {
	SBD_MOVING_PARAMETERS(struct comparing, moving),
	{ "slot_rtts", SBD_INT, offsetof(struct comparing, slot_rtts), NULL },
	{ "slot_ms", SBD_OPTIONAL_INT, offsetof(struct comparing, slot_ms), NULL },
	{ "least_probes", SBD_INT, offsetof(struct comparing, least_probes), NULL },
	{ NULL, SBD_INT, 0, NULL }
};

static const struct comparing defaults = {
	.moving = {
		.delay = SBD_DELAY_RTT,
		.window_rtts = 50,
		.window_ms = { true, 10000 },
		.step_ms = 500
	},
	.slot_rtts = 1,
	.least_probes = 10
};

const struct sbd_baseline sbd_rubenstein = {
	.name = "rubenstein-r",
	.parameters = comparing_parameters,
	.parameters_size = sizeof(struct comparing),
	.defaults = &defaults,
	.possible = possible,
	.wanted = sbd_moving_wanted,
	.create = create,
	.on_event = sbd_windowed_on_event,
	.advance = sbd_windowed_advance,
	.destroy = destroy
};
