// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * EMPTCP-R, after EMPTCP (Ye et al., ICCCN 2019): subflows marked in the same slots of time share.
 * Twin of detectors/emptcp.py, where the rules and the parameters are explained.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "baseline.h"

#define FIRST_CAPACITY	16
#define NOT_YET		(-1)

struct slots {
	struct sbd_optional_double slot_srtts;
	double share;
};

static const struct sbd_parameter parameters[] = {
	{ "slot_srtts", SBD_OPTIONAL_DOUBLE, offsetof(struct slots, slot_srtts), NULL },
	{ "share", SBD_DOUBLE, offsetof(struct slots, share), NULL },
	{ .name = NULL }
};

static const struct slots defaults = { .share = 0.5 };

struct path {
	int64_t srtt_eighth_us;
	bool compared;			/* in the slot that runs */
	bool marked;			/* in it */
	/* Marked ACKs in a row: when the first and the last came, and when the last ACK of all did. */
	bool in_run;
	int64_t first_ns;
	int64_t last_ns;
	int64_t ack_ns;
};

/* Slots in which one of two subflows has a mark, and in which both have. */
struct counts {
	int64_t either;
	int64_t both;
};

struct emptcp {
	const struct slots *slots;
	struct sbd_opinions *said;
	struct path *path;
	struct counts *counts;		/* of each pair */
	int8_t *verdict;		/* of each pair: enum sbd_said */
	int64_t *burst_ns;		/* lengths, in order */
	size_t bursts, capacity;
	int64_t end_ns;			/* of the slot that runs; SBD_NEVER before the first */
	int64_t length_ns;		/* of it */
};

static void add_burst(struct emptcp *d, int64_t length_ns)
{
	size_t low = 0, high = d->bursts;

	if (d->bursts == d->capacity) {
		size_t capacity = d->capacity ? 2 * d->capacity : FIRST_CAPACITY;
		int64_t *burst_ns = realloc(d->burst_ns, capacity * sizeof(*burst_ns));

		if (!burst_ns) {
			d->said->error = -ENOMEM;
			return;
		}
		d->burst_ns = burst_ns;
		d->capacity = capacity;
	}
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (length_ns < d->burst_ns[middle])
			high = middle;
		else
			low = middle + 1;
	}
	memmove(d->burst_ns + low + 1, d->burst_ns + low, (d->bursts - low) * sizeof(*d->burst_ns));
	d->burst_ns[low] = length_ns;
	d->bursts++;
}

/* The smallest length such that 99 % of the bursts are no longer. */
static int64_t percentile99_ns(const struct emptcp *d)
{
	return d->burst_ns[(99 * d->bursts + 99) / 100 - 1];
}

/* Note a burst if ACKs without a mark came after it. */
static void end_burst(struct emptcp *d, struct path *path)
{
	if (!path->in_run || path->ack_ns <= path->last_ns)
		return;
	add_burst(d, path->last_ns - path->first_ns);
	path->in_run = false;
}

/* Begin a slot. */
static void begin(struct emptcp *d, int64_t time_ns)
{
	int64_t longest_eighth_us = 0;
	unsigned int i;

	for (i = 0; i < d->said->subflows; i++) {
		struct path *path = &d->path[i];

		end_burst(d, path);
		path->compared = path->srtt_eighth_us;
		if (path->srtt_eighth_us > longest_eighth_us)
			longest_eighth_us = path->srtt_eighth_us;
	}
	d->length_ns = longest_eighth_us * SBD_NS_PER_EIGHTH_US;
	if (d->slots->slot_srtts.given)
		d->length_ns = (int64_t)ceil(d->slots->slot_srtts.value * (double)longest_eighth_us *
					     SBD_NS_PER_EIGHTH_US);
	if (d->bursts)
		d->length_ns += percentile99_ns(d);
	if (d->length_ns <= 0)
		d->said->error = -EDOM;
	else
		d->end_ns = time_ns + d->length_ns;
}

/* End the slot that runs. */
static void close_slot(struct emptcp *d)
{
	unsigned int subflows = d->said->subflows, i, j;
	size_t pair = 0;

	for (i = 0; i < subflows; i++) {
		for (j = i + 1; j < subflows; j++, pair++) {
			const struct path *one = &d->path[i], *other = &d->path[j];
			struct counts *counts = &d->counts[pair];

			if (one->compared && other->compared) {
				counts->either += one->marked || other->marked;
				counts->both += one->marked && other->marked;
			}
			if (counts->either)
				d->verdict[pair] = (double)counts->both / (double)counts->either >=
					d->slots->share ? SBD_TOGETHER : SBD_APART;
		}
	}
	for (i = 0; i < subflows; i++)
		d->path[i].marked = false;
	sbd_say_pairs(d->said, d->end_ns, d->verdict);
}

/* End the slots that are over. */
static void advance(void *state, int64_t time_ns)
{
	struct emptcp *d = state;

	if (time_ns < d->end_ns || d->end_ns == SBD_NEVER)
		return;
	close_slot(d);
	begin(d, d->end_ns);
	/* Slots without any event are of one length. */
	if (time_ns >= d->end_ns && !d->said->error)
		d->end_ns += (time_ns - d->end_ns) / d->length_ns * d->length_ns + d->length_ns;
}

static void on_rtt(struct emptcp *d, const struct sbd_event *event)
{
	struct path *path = &d->path[event->place];

	path->srtt_eighth_us = sbd_smoothed(path->srtt_eighth_us, event->value);
	if (d->end_ns == SBD_NEVER)
		begin(d, event->time_ns);
}

static void on_ack(struct emptcp *d, const struct sbd_event *event)
{
	struct path *path = &d->path[event->place];

	if (event->time_ns > path->ack_ns)
		end_burst(d, path);
	path->ack_ns = event->time_ns;
}

static void on_mark(struct emptcp *d, const struct sbd_event *event)
{
	struct path *path = &d->path[event->place];

	path->marked = true;
	if (!path->in_run)
		path->first_ns = event->time_ns;
	path->in_run = true;
	path->last_ns = event->time_ns;
}

static void on_event(void *state, const struct sbd_event *event)
{
	advance(state, event->time_ns);
	if (event->kind == SBD_RTT)
		on_rtt(state, event);
	else if (event->kind == SBD_ACK)
		on_ack(state, event);
	else
		on_mark(state, event);
}

static bool possible(const void *values)
{
	const struct slots *slots = values;
	const struct sbd_optional_double *srtts = &slots->slot_srtts;

	return (!srtts->given || (srtts->value > 0 && srtts->value <= SBD_SRTTS_LIMIT)) &&
		slots->share > 0 && slots->share <= 1;
}

/* ACKs where bursts are measured. */
static uint32_t wanted(const void *values)
{
	const struct slots *slots = values;

	return SBD_KIND_BIT(SBD_RTT) | SBD_KIND_BIT(SBD_MARK) |
		(slots->slot_srtts.given ? 0 : SBD_KIND_BIT(SBD_ACK));
}

static void destroy(void *state)
{
	struct emptcp *d = state;

	free(d->path);
	free(d->counts);
	free(d->verdict);
	free(d->burst_ns);
	free(d);
}

static void *create(const void *values, unsigned int subflows, struct sbd_opinions *said)
{
	/* One more than needed: a single subflow has no pair. */
	size_t pairs = sbd_pairs(subflows) + 1, i;
	struct emptcp *d = calloc(1, sizeof(*d));
	unsigned int place;

	if (!d)
		return NULL;
	d->slots = values;
	d->said = said;
	d->path = calloc(subflows, sizeof(*d->path));
	d->counts = calloc(pairs, sizeof(*d->counts));
	d->verdict = calloc(pairs, sizeof(*d->verdict));
	if (!d->path || !d->counts || !d->verdict) {
		destroy(d);
		return NULL;
	}
	for (i = 0; i < pairs; i++)
		d->verdict[i] = SBD_UNSAID;
	for (place = 0; place < subflows; place++)
		d->path[place].last_ns = d->path[place].ack_ns = NOT_YET;
	d->end_ns = SBD_NEVER;
	return d;
}

const struct sbd_baseline sbd_emptcp = {
	.name = "emptcp-r",
	.parameters = parameters,
	.parameters_size = sizeof(struct slots),
	.defaults = &defaults,
	.possible = possible,
	.wanted = wanted,
	.create = create,
	.on_event = on_event,
	.advance = advance,
	.destroy = destroy,
};
