// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Lag excess, ours: what a sender includes (sbd_lag_excess.h), for every two subflows
 *
 * Twin of detectors/lag_excess.py.
 */
#include <stdlib.h>

#include "sbd_lag_excess.h"
#include "baseline.h"

struct rule {
	int64_t shared_above_q10;	/* of the mean excess */
	int64_t apart_below_q10;
	int64_t tiles;			/* that a verdict rests on */
	bool compares;			/* the comparison test is a witness */
};

struct lag_excess {
	struct sbd_opinions *said;
	unsigned int subflows;
	int64_t due_ns;			/* since when verdicts are to be said, SBD_NEVER for none */
	int8_t *verdict;		/* of each pair */
	struct sbd_lag_pair pair[];
};

static void say(struct lag_excess *own)
{
	if (own->due_ns != SBD_NEVER)
		sbd_say_pairs(own->said, own->due_ns, own->verdict);
	own->due_ns = SBD_NEVER;
}

static void on_event(void *state, const struct sbd_event *event)
{
	unsigned int i, j, place = (unsigned int)event->place;
	struct lag_excess *own = state;
	size_t at;

	/* Verdicts of one moment are said at once. */
	if (own->due_ns != event->time_ns)
		say(own);
	for (i = 0; i < own->subflows; i++) {
		struct sbd_lag_pair *pair;

		if (i == place)
			continue;
		j = i < place ? i : place;
		at = sbd_pair_place(j, i < place ? place : i, own->subflows);
		pair = &own->pair[at];
		if (!sbd_lag_on_rtt(pair, j != place, event->time_ns, (uint32_t)event->value))
			continue;
		own->verdict[at] = pair->said == SBD_LAG_SHARED ? SBD_TOGETHER :
				   pair->said == SBD_LAG_APART ? SBD_APART : SBD_UNSAID;
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
	struct lag_excess *own = state;

	free(own->verdict);
	free(own);
}

static void *create(const void *parameters, unsigned int subflows, struct sbd_opinions *said)
{
	const struct rule *rule = parameters;
	const struct sbd_lag_rule given = {
		(int32_t)rule->shared_above_q10, (int32_t)rule->apart_below_q10, (int32_t)rule->tiles,
		rule->compares
	};
	size_t pairs = sbd_pairs(subflows), i;
	struct lag_excess *own;

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
		sbd_lag_init(&own->pair[i], given);
	}
	return own;
}

static bool possible(const void *parameters)
{
	const struct rule *rule = parameters;

	return rule->apart_below_q10 >= INT32_MIN && rule->shared_above_q10 <= INT32_MAX &&
	       rule->apart_below_q10 <= rule->shared_above_q10 && rule->tiles >= 1 &&
	       rule->tiles <= SBD_LAG_TILES;
}

static uint32_t wanted(const void *parameters)
{
	(void)parameters;
	return SBD_KIND_BIT(SBD_RTT);
}

static const struct sbd_parameter rule_parameters[] = {
	{ "shared_above_q10", SBD_INT, offsetof(struct rule, shared_above_q10), NULL },
	{ "apart_below_q10", SBD_INT, offsetof(struct rule, apart_below_q10), NULL },
	{ "tiles", SBD_INT, offsetof(struct rule, tiles), NULL },
	{ "compares", SBD_BOOL, offsetof(struct rule, compares), NULL },
	{ NULL, SBD_INT, 0, NULL }
};

static const struct rule defaults = {
	.shared_above_q10 = 2253, .apart_below_q10 = 1741, .tiles = 4, .compares = true
};

const struct sbd_baseline sbd_lag_excess = {
	.name = "lag-excess",
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
