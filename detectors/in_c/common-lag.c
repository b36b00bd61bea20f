// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Common lag: what a sender includes (sbd_common_lag.h), for every two subflows, and the groups
 * that the scores of all pairs together make the likeliest
 *
 * Twin of detectors/verdict/common_lag.py.
 */
#include <stdlib.h>

#include <stdbool.h>

struct sbd_common_pair;
struct sbd_common_evidence;

static void note_evidence(struct sbd_common_pair *pair,
			  const struct sbd_common_evidence *evidence);

#define SBD_COMMON_JUDGED(pair, evidence)	note_evidence(pair, evidence)
#include "sbd_common_lag.h"
#include "baseline.h"
#include "joint.h"

struct rule {
	bool holds;	/* the last verdict, where the score allows none */
	bool flips;	/* fast sums that contradict take over */
	bool needs_queues;	/* nothing is said while a path shows no sign of a queue */
};

struct judged_pair {
	struct sbd_common_pair pair;	/* first: what is judged is told by it */
	bool is_judged;			/* since it was noted */
	bool speaks;			/* at the last judgement: there is enough for a verdict */
};

struct common_lag {
	struct sbd_opinions *said;
	unsigned int subflows;
	int64_t due_ns;			/* since when verdicts are to be said, SBD_NEVER for none */
	struct sbd_joint_groups *joint;
	struct sbd_common_scratch scratch;
	struct judged_pair pair[];
};

static void note_evidence(struct sbd_common_pair *pair, const struct sbd_common_evidence *evidence)
{
	struct judged_pair *judged = (struct judged_pair *)pair;

	judged->is_judged = true;
	judged->speaks = sbd_common_speaks(evidence);
}

static void say(struct common_lag *own)
{
	if (own->due_ns != SBD_NEVER)
		sbd_say_joint(own->joint, own->said, own->due_ns);
	own->due_ns = SBD_NEVER;
}

static enum sbd_said verdict_of(const struct sbd_common_pair *pair)
{
	return pair->said == SBD_COMMON_SHARED ? SBD_TOGETHER :
	       pair->said == SBD_COMMON_APART ? SBD_APART : SBD_UNSAID;
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
		struct judged_pair *pair;
		size_t at;

		if (i == place)
			continue;
		at = sbd_pair_place(lower, higher, own->subflows);
		pair = &own->pair[at];
		pair->is_judged = false;
		sbd_common_on_rtt(&pair->pair, &own->scratch, lower != place, event->time_ns,
				  (uint32_t)event->value);
		if (!pair->is_judged)
			continue;
		sbd_joint_note(own->joint, at, verdict_of(&pair->pair),
			       pair->speaks ? pair->pair.score_q10 : 0,
			       pair->pair.said == SBD_COMMON_NO_QUEUE);
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

	sbd_joint_destroy(own->joint);
	free(own);
}

static void *create(const void *parameters, unsigned int subflows, struct sbd_opinions *said)
{
	const struct rule *rule = parameters;
	const struct sbd_common_rule given = { rule->holds, rule->flips, rule->needs_queues };
	size_t pairs = sbd_pairs(subflows), i;
	struct common_lag *own;

	own = calloc(1, sizeof(*own) + pairs * sizeof(own->pair[0]));
	if (!own)
		return NULL;
	own->joint = sbd_joint_create(subflows);
	if (!own->joint) {
		free(own);
		return NULL;
	}
	own->said = said;
	own->subflows = subflows;
	own->due_ns = SBD_NEVER;
	for (i = 0; i < pairs; i++)
		sbd_common_init(&own->pair[i].pair, given);
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
	{ "needs_queues", SBD_BOOL, offsetof(struct rule, needs_queues), NULL },
	{ NULL, SBD_INT, 0, NULL }
};

static const struct rule defaults = {
	.holds = true, .flips = true, .needs_queues = true
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
