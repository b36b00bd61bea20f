// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * TON20-R, after SB-CC (Wei, Xue, Han, Wei, Hong, ToN 28(2) 2020): subflows marked at the same time
 * share. Twin of detectors/ton20.py, where the rules and the parameters are explained.
 */
#include <math.h>
#include <stdlib.h>

#include "baseline.h"

enum signal { LOSS, ECN };

static const char *const signals[] = { "loss", "ecn", NULL };

struct judging {
	double round_srtts;
	int64_t k;
	bool sticky;
	int signal;
};

static const struct sbd_parameter parameters[] = {
	{ "round_srtts", SBD_DOUBLE, offsetof(struct judging, round_srtts), NULL },
	{ "k", SBD_INT, offsetof(struct judging, k), NULL },
	{ "sticky", SBD_BOOL, offsetof(struct judging, sticky), NULL },
	{ "signal", SBD_CHOICE, offsetof(struct judging, signal), signals },
	{ .name = NULL }
};

static const struct judging defaults = {
	.round_srtts = 1,
	.k = 3,
	.sticky = true,
	.signal = LOSS,
};

/* What is held of two subflows. */
struct judgement {
	int8_t last;			/* enum sbd_said */
	int64_t in_a_row;
};

struct path {
	int64_t srtt_eighth_us;
	int64_t ca_state;
	bool judged;			/* in the open round */
	bool member;			/* of it */
};

struct ton20 {
	const struct judging *judging;
	struct sbd_opinions *said;
	struct path *path;
	struct judgement *judgement;	/* of each pair */
	int8_t *final;			/* of each pair: enum sbd_said */
	int64_t end_ns;			/* of the open round; SBD_NEVER while none is */
};

/* Take the verdict of a round. */
static void judge(const struct ton20 *d, size_t pair, int8_t verdict)
{
	struct judgement *one = &d->judgement[pair];

	one->in_a_row = verdict == one->last ? one->in_a_row + 1 : 1;
	one->last = verdict;
	if (one->in_a_row >= d->judging->k)
		d->final[pair] = verdict;
	else if (!d->judging->sticky)
		d->final[pair] = SBD_UNSAID;
}

/* End the round with its verdicts. */
static void close_round(struct ton20 *d)
{
	unsigned int subflows = d->said->subflows, i, j;
	size_t pair = 0;

	for (i = 0; i < subflows; i++) {
		for (j = i + 1; j < subflows; j++, pair++) {
			const struct path *one = &d->path[i], *other = &d->path[j];

			if (one->judged && other->judged && (one->member || other->member))
				judge(d, pair, one->member && other->member ? SBD_TOGETHER : SBD_APART);
		}
	}
	sbd_say_pairs(d->said, d->end_ns, d->final);
	d->end_ns = SBD_NEVER;
}

/* Take a signal: it opens a round, or is of the one that is open. */
static void take(struct ton20 *d, int64_t time_ns, int32_t place)
{
	int64_t longest_eighth_us = 0;
	unsigned int i;

	if (d->end_ns == SBD_NEVER) {
		for (i = 0; i < d->said->subflows; i++)
			if (d->path[i].srtt_eighth_us > longest_eighth_us)
				longest_eighth_us = d->path[i].srtt_eighth_us;
		if (!longest_eighth_us)
			return;
		d->end_ns = time_ns + (int64_t)floor(d->judging->round_srtts *
						     (double)longest_eighth_us *
						     SBD_NS_PER_EIGHTH_US);
		for (i = 0; i < d->said->subflows; i++) {
			d->path[i].judged = d->path[i].srtt_eighth_us;
			d->path[i].member = false;
		}
	}
	d->path[place].member = true;
}

static void on_event(void *state, const struct sbd_event *event)
{
	struct ton20 *d = state;
	struct path *path = &d->path[event->place];

	if (event->time_ns > d->end_ns)
		close_round(d);
	if (event->kind == SBD_RTT)
		path->srtt_eighth_us = sbd_smoothed(path->srtt_eighth_us, event->value);
	else if (event->kind == SBD_MARK || sbd_loss_begins(&path->ca_state, event->value))
		take(d, event->time_ns, event->place);
}

static void advance(void *state, int64_t time_ns)
{
	struct ton20 *d = state;

	if (time_ns >= d->end_ns)
		close_round(d);
}

static bool possible(const void *values)
{
	const struct judging *judging = values;

	return judging->round_srtts > 0 && judging->round_srtts <= SBD_SRTTS_LIMIT &&
		judging->k >= 1;
}

static uint32_t wanted(const void *values)
{
	const struct judging *judging = values;

	return SBD_KIND_BIT(SBD_RTT) | SBD_KIND_BIT(judging->signal == ECN ? SBD_MARK : SBD_CA);
}

static void destroy(void *state)
{
	struct ton20 *d = state;

	free(d->path);
	free(d->judgement);
	free(d->final);
	free(d);
}

static void *create(const void *values, unsigned int subflows, struct sbd_opinions *said)
{
	/* One more than needed: a single subflow has no pair. */
	size_t pairs = sbd_pairs(subflows) + 1, i;
	struct ton20 *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	d->judging = values;
	d->said = said;
	d->path = calloc(subflows, sizeof(*d->path));
	d->judgement = calloc(pairs, sizeof(*d->judgement));
	d->final = calloc(pairs, sizeof(*d->final));
	if (!d->path || !d->judgement || !d->final) {
		destroy(d);
		return NULL;
	}
	for (i = 0; i < pairs; i++)
		d->judgement[i].last = d->final[i] = SBD_UNSAID;
	d->end_ns = SBD_NEVER;
	return d;
}

const struct sbd_baseline sbd_ton20 = {
	.name = "ton20-r",
	.parameters = parameters,
	.parameters_size = sizeof(struct judging),
	.defaults = &defaults,
	.possible = possible,
	.wanted = wanted,
	.create = create,
	.on_event = on_event,
	.advance = advance,
	.destroy = destroy,
};
