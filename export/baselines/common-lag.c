// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Common lag: what a sender includes (sbd_common_lag.h), for every two subflows
 *
 * Twin of models/detectors/common_lag.py.
 */
#include <stdlib.h>

#include "sbd_common_lag.h"
#include "baseline.h"

struct rule {
	bool holds;	/* the last verdict, where the score allows none */
	bool flips;	/* fast sums that contradict take over */
};

struct common_lag {
	struct sbd_opinions *said;
	unsigned int subflows;
	int64_t due_ns;			/* since when verdicts are to be said, SBD_NEVER for none */
	int8_t *verdict;		/* of each pair */
	struct sbd_common_pair pair[];
};

static void say(struct common_lag *own)
{
	if (own->due_ns != SBD_NEVER)
		sbd_say_pairs(own->said, own->due_ns, own->verdict);
	own->due_ns = SBD_NEVER;
}

static void on_event(void *state, const struct sbd_event *event)
{
	unsigned int i, place = (unsigned int)event->place;
	struct common_lag *own = state;

	/* Verdicts of one moment are said at once. */
	if (own->due_ns != event->time_ns)
		say(own);
	for (i = 0; i < own->subflows; i++) {
		unsigned int lower = i < place ? i : place, higher = i < place ? place : i;
		struct sbd_common_pair *pair;
		size_t at;

		if (i == place)
			continue;
		at = sbd_pair_place(lower, higher, own->subflows);
		pair = &own->pair[at];
		if (!sbd_common_on_rtt(pair, lower != place, event->time_ns, (uint32_t)event->value))
			continue;
		own->verdict[at] = pair->said == SBD_COMMON_SHARED ? SBD_TOGETHER :
				   pair->said == SBD_COMMON_APART ? SBD_APART : SBD_UNSAID;
		own->due_ns = event->time_ns;
	}
}

static void advance(void *state, int64_t time_ns)
{
	(void)time_ns;
	say(state);
}

static void destroy(void *state)
{
	struct common_lag *own = state;

	free(own->verdict);
	free(own);
}

static void *create(const void *parameters, unsigned int subflows, struct sbd_opinions *said)
{
	const struct rule *rule = parameters;
	const struct sbd_common_rule given = { rule->holds, rule->flips };
	size_t pairs = sbd_pairs(subflows), i;
	struct common_lag *own;

	own = calloc(1, sizeof(*own) + pairs * sizeof(own->pair[0]));
	if (!own)
		return NULL;
	/* One more than needed: there may be no pair. */
	own->verdict = malloc(pairs + 1);
	if (!own->verdict) {
		free(own);
		return NULL;
	}
	own->said = said;
	own->subflows = subflows;
	own->due_ns = SBD_NEVER;
	for (i = 0; i < pairs; i++) {
		own->verdict[i] = SBD_UNSAID;
		sbd_common_init(&own->pair[i], given);
	}
	return own;
}

static bool possible(const void *parameters)
{
	(void)parameters;
	return true;
}

static uint32_t wanted(const void *parameters)
{
	(void)parameters;
	return SBD_KIND_BIT(SBD_RTT);
}

static const struct sbd_parameter rule_parameters[] = {
	{ "holds", SBD_BOOL, offsetof(struct rule, holds), NULL },
	{ "flips", SBD_BOOL, offsetof(struct rule, flips), NULL },
	{ NULL, SBD_INT, 0, NULL }
};

static const struct rule defaults = {
	.holds = true, .flips = true
};

const struct sbd_baseline sbd_common_lag = {
	.name = "common-lag",
	.parameters = rule_parameters,
	.parameters_size = sizeof(struct rule),
	.defaults = &defaults,
	.possible = possible,
	.wanted = wanted,
	.create = create,
	.on_event = on_event,
	.advance = advance,
	.destroy = destroy
};
