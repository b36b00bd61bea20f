/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An exported header behind struct exported_model; see exported-model.h
 *
 * Compiled with -DSBD_MODEL=<name of the header>, or without for models from files.
 */
#include <stdlib.h>

#include "exported-model.h"

#define SBD_SUBFLOWS	EXPORTED_SUBFLOWS

#define JOIN_OF(x, y)	x##y
#define JOIN(x, y)	JOIN_OF(x, y)
#ifdef SBD_MODEL
#define TEXT_OF(x)	#x
#define TEXT(x)		TEXT_OF(x)
/* First, so that it is the header's own pieces that run. */
#include TEXT(SBD_MODEL.h)
#define EXPORTED	JOIN(exported_, SBD_MODEL)
#else
#define EXPORTED	exported_loaded
#endif
#include "sbd_loaded.h"

#define LAST_VERDICTS	3

struct exported_connection {
	struct sbd_connection connection;
	struct sbd_scratch scratch;
	struct sbd_loaded *loaded;		/* NULL for the header's own model */
	sbd_u8 last[SBD_PAIRS][LAST_VERDICTS];	/* verdicts, in a ring */
};

static enum sbd_verdict judge(const struct sbd_window *window, const void *model,
			      struct sbd_scratch *scratch)
{
#ifdef SBD_MODEL
	return JOIN(SBD_MODEL, _judge)(window, model, scratch);
#else
	return sbd_loaded_judge(window, model, scratch);
#endif
}

static sbd_u32 wanted(const struct exported_connection *own)
{
#ifdef SBD_MODEL
	(void)own;
	return JOIN(SBD_MODEL, _wanted);
#else
	return own->loaded->wanted;
#endif
}

#ifndef SBD_MODEL
static const char *text_of(enum sbd_refusal why)
{
	switch (why) {
	case SBD_LOADED:
		break;
	case SBD_NOT_A_MODEL:
		return "no model file";
	case SBD_OTHER_VERSION:
		return "a model file of another version";
	case SBD_DAMAGED:
		return "damaged: its length or its checksum is wrong";
	case SBD_UNKNOWN_FEATURE:
		return "a model of features that are not known here";
	case SBD_TOO_LARGE:
		return "too large a model";
	case SBD_BAD_NODE:
		return "damaged: a node leads nowhere, back, or to no feature";
	}
	return "no model";
}
#endif

static void destroy(struct exported_connection *own)
{
	if (own)
		free(own->loaded);
	free(own);
}

static struct exported_connection *create(const uint8_t *bytes, uint32_t size,
					  const char **refusal)
{
	struct exported_connection *own = calloc(1, sizeof(*own));

	*refusal = "no memory";
#ifdef SBD_MODEL
	(void)bytes;
	(void)size;
#else
	sbd_u8 *level = malloc(SBD_LOADED_WORDS);
	enum sbd_refusal why = SBD_LOADED;

	if (own)
		own->loaded = malloc(sizeof(*own->loaded));
	if (own && own->loaded && level) {
		why = sbd_load(own->loaded, bytes, size, level);
		*refusal = text_of(why);
	}
	if (!own || !own->loaded || !level || why != SBD_LOADED) {
		destroy(own);
		own = NULL;
	}
	free(level);
#endif
	return own;
}

static int add(struct exported_connection *own, uint32_t id)
{
	return sbd_add_subflow(&own->connection, id);
}

static void take(struct exported_connection *own, uint32_t place, uint64_t now_ns,
		 enum exported_signal kind, uint64_t value)
{
	struct sbd_connection *c = &own->connection;

	if (kind == EXPORTED_RTT)
		sbd_on_rtt(c, place, now_ns, value > UINT32_MAX ? UINT32_MAX : (sbd_u32)value);
	else if (kind == EXPORTED_ACK)
		sbd_on_ack(c, place, now_ns, value);
	else
		sbd_on_state(c, place, now_ns, (sbd_u8)value);
}

static sbd_u32 pairs_of(const struct sbd_connection *c)
{
	return c->subflows * (c->subflows - 1) / 2;
}

/* Note a verdict, and tell of its window. */
static void tell(struct exported_connection *own, sbd_u32 pair, struct exported_window *window)
{
	const struct sbd_connection *c = &own->connection;
	const struct sbd_pair *p = &c->pair[pair];
	const struct sbd_window *w = sbd_judged(p);

	own->last[pair][(p->decided - 1) % LAST_VERDICTS] = p->verdict;
	window->subflow[0] = c->subflow[p->subflow[0]].id;
	window->subflow[1] = c->subflow[p->subflow[1]].id;
	window->start_ns = w->start_ns;
	window->window_ns = w->window_ns;
	window->shared = p->verdict == SBD_SHARED;
}

static int decide(struct exported_connection *own, uint64_t now_ns, struct exported_window *window)
{
	struct sbd_connection *c = &own->connection;
	sbd_u32 i;

	c->now_ns = now_ns;
	for (i = 0; i < pairs_of(c); i++) {
		if (sbd_decide_pair(c, &c->pair[i], now_ns, judge, own->loaded, &own->scratch)) {
			tell(own, i, window);
			return 1;
		}
	}
	return 0;
}

static int finish(struct exported_connection *own, uint64_t end_ns, struct exported_window *window)
{
	struct sbd_connection *c = &own->connection;
	sbd_u32 i;

	for (i = 0; i < pairs_of(c); i++) {
		if (sbd_finish_pair(c, &c->pair[i], end_ns, judge, own->loaded, &own->scratch)) {
			tell(own, i, window);
			return 1;
		}
	}
	return 0;
}

static const char *feature(const struct exported_connection *own, uint32_t number, int32_t *value)
{
	if (!(wanted(own) & SBD_BIT(number)))
		return NULL;
	*value = own->scratch.x[number];
	return sbd_feature_name[number];
}

static void groups(struct exported_connection *own, int majority, uint8_t group[EXPORTED_SUBFLOWS])
{
	struct sbd_connection *c = &own->connection;
	sbd_u8 verdict[SBD_PAIRS];
	sbd_u32 i, j;

	for (i = 0; i < SBD_PAIRS; i++) {
		struct sbd_pair *p = &c->pair[i];
		sbd_u32 shared = 0;

		verdict[i] = p->verdict;
		if (!majority || p->decided < LAST_VERDICTS)
			continue;
		for (j = 0; j < LAST_VERDICTS; j++)
			shared += own->last[i][j] == SBD_SHARED;
		p->verdict = 2 * shared > LAST_VERDICTS ? SBD_SHARED : SBD_NOT_SHARED;
	}
	sbd_groups(c, group);
	for (i = 0; i < SBD_PAIRS; i++)
		c->pair[i].verdict = verdict[i];
}

static struct exported_counts count(const struct exported_connection *own)
{
	const struct sbd_connection *c = &own->connection;
	struct exported_counts counts = { .refused = c->refused };
	sbd_u32 i;

	for (i = 0; i < pairs_of(c); i++) {
		counts.decided += c->pair[i].decided;
		counts.rejected += c->pair[i].rejected;
		counts.missed += c->pair[i].missed;
	}
	return counts;
}

const struct exported_model EXPORTED = {
	.create = create,
	.destroy = destroy,
	.add = add,
	.take = take,
	.decide = decide,
	.finish = finish,
	.feature = feature,
	.groups = groups,
	.count = count,
	.features = SBD_FEATURES
};
