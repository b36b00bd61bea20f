/* SPDX-License-Identifier: MIT */
/*
 * The exported C on any bytes: a model file and walks of what is loaded of it, or calls of a
 * sender. What it promises is looked after on the way; a promise that does not hold ends the
 * program.
 */
#define SBD_SUBFLOWS		3
#define SBD_LOADED_TREES	32
#define SBD_LOADED_WORDS	2048

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "sbd_loaded.h"

#define HOLDS(what)	do { if (!(what)) __builtin_trap(); } while (0)

/* Points whose features are computed, of an input: what is slow about more is their number. */
#define POINTS_OF_AN_INPUT	1500

/* Both are called with bytes of their exact number; 0 if the input is not of their kind, else 1. */
int TryModel(const sbd_u8 *bytes, size_t size);
int TryCalls(const sbd_u8 *bytes, size_t size);

static sbd_u8 level[SBD_LOADED_WORDS];
static struct sbd_loaded loaded;
static struct sbd_connection connection;
static struct sbd_scratch scratch;
static sbd_u32 computed;

static void walk(const struct sbd_loaded *m, const sbd_u8 *bytes, size_t size)
{
	sbd_s32 x[SBD_FEATURES];
	sbd_u32 i, round;

	for (round = 0; round < 8; round++) {
		for (i = 0; i < SBD_FEATURES; i++) {
			const sbd_u8 *four = bytes + (round * 37 + i * 11) % (size - 3);
			sbd_s32 drawn = (sbd_s32)(sbd_le32(four) % (2U * SBD_FEATURE_LIMIT + 1));

			x[i] = round ? drawn - SBD_FEATURE_LIMIT : 0;
		}
		HOLDS(sbd_votes(m->node, m->root, m->trees, m->depth,
				x) <= (sbd_u64)m->trees * SBD_ALL_FOR);
	}
}

int TryModel(const sbd_u8 *bytes, size_t size)
{
	sbd_u8 *sealed;
	sbd_u32 i, sum;

	if (sbd_load(&loaded, bytes, (sbd_u32)size, level) == SBD_LOADED)
		walk(&loaded, bytes, size);
	if (size < SBD_FILE_SUM)
		return 0;
	/* Again with its own checksum: few inputs have the right one. */
	sealed = malloc(size);
	if (!sealed)
		return 0;
	memcpy(sealed, bytes, size);
	sum = sbd_crc32(sealed, (sbd_u32)size - SBD_FILE_SUM);
	for (i = 0; i < SBD_FILE_SUM; i++)
		sealed[size - SBD_FILE_SUM + i] = (sbd_u8)(sum >> 8 * i);
	if (sbd_load(&loaded, sealed, (sbd_u32)size, level) == SBD_LOADED) {
		HOLDS(loaded.trees && loaded.trees <= SBD_LOADED_TREES && loaded.depth <= 255);
		walk(&loaded, sealed, size);
	}
	free(sealed);
	return 1;
}

static enum sbd_verdict judge(const struct sbd_window *w, const void *model,
			      struct sbd_scratch *memory)
{
	const sbd_s32 *x = memory->x;
	sbd_u32 side, i;

	(void)model;
	HOLDS(w->points > 1 && w->points <= SBD_POINTS && w->step_ns);
	HOLDS(w->start_ns + w->window_ns >= sbd_point_ns(w, w->points - 1));
	HOLDS(w->start_ns + w->window_ns < sbd_point_ns(w, w->points));
	HOLDS(w->rtt_steps >= 1 && w->min_rtt_us[w->denominator] <= w->min_rtt_us[!w->denominator]);
	for (side = 0; side < 2; side++) {
		const struct sbd_series *s = &w->series[side];

		HOLDS(s->sampled && w->min_rtt_us[side]);
		HOLDS(s->rtt_points == w->points && s->state_points == w->points && s->acked_points == w->points);
		for (i = 0; i < w->points; i++)
			HOLDS(s->congested[i] <= 1 && s->rtt_us[i]);
	}
	computed += w->points;
	if (computed > POINTS_OF_AN_INPUT)
		return SBD_NOT_SHARED;
	for (i = 0; i < SBD_FEATURES; i++)
		memory->x[i] = -1;
	sbd_features(w, (1U << SBD_FEATURES) - 1, memory);
	for (i = 0; i < SBD_FEATURES; i++)
		HOLDS(x[i] >= (i < SBD_RTT_CORRELATION_Q10 ? 0 : -SBD_ONE_Q10) && x[i] <= SBD_FEATURE_LIMIT);
	for (i = SBD_QUEUE_ED_RATIO_Q10; i < SBD_FEATURES; i++)
		HOLDS(x[i] <= SBD_ONE_Q10);
	HOLDS(x[SBD_RTT_DTWD_4US] <= x[SBD_RTT_ED_4US] && x[SBD_CSTATE_DTWD_4US] <= x[SBD_CSTATE_ED_4US]);
	HOLDS(x[SBD_RTT_CSTATE_DTWD_4US] <= x[SBD_RTT_CSTATE_ED_4US]);
	HOLDS(x[SBD_QUEUE_DTWD_4US] <= x[SBD_QUEUE_ED_4US]);
	HOLDS(x[SBD_RTT_LAGGED_CORRELATION_Q10] >= x[SBD_RTT_CORRELATION_Q10]);
	return x[SBD_RTT_CORRELATION_Q10] > 0 ? SBD_SHARED : SBD_NOT_SHARED;
}

static void look_at_groups(const struct sbd_connection *c)
{
	sbd_u8 group[SBD_SUBFLOWS];
	sbd_u32 i, j;

	sbd_groups(c, group);
	for (j = 0; j < SBD_SUBFLOWS; j++) {
		HOLDS(group[j] == SBD_NO_GROUP || group[j] < c->subflows);
		for (i = 0; i < j && j < c->subflows; i++) {
			const struct sbd_pair *p = &c->pair[sbd_pair_of(i, j)];

			if (p->decided)
				HOLDS(group[i] != SBD_NO_GROUP && group[j] != SBD_NO_GROUP);
			if (p->decided && p->verdict == SBD_SHARED)
				HOLDS(group[i] == group[j]);
		}
	}
}

/*
 * A call takes eight bytes: what it is and by how much its time is shifted, the subflow, a time
 * since the last call in sixteen bits, a value in thirty-two.
 */
int TryCalls(const sbd_u8 *bytes, size_t size)
{
	struct sbd_connection *c = &connection;
	sbd_u64 now_ns = 0, acked_bytes = 0;
	sbd_u32 i, n;

	if (!size)
		return 0;
	memset(c, 0, sizeof(*c));
	computed = 0;
	for (i = 0; i < bytes[0] % (SBD_SUBFLOWS + 1U); i++)
		HOLDS(sbd_add_subflow(c, bytes[0] & 8 ? i : SBD_SUBFLOWS - i) == (int)i);
	for (bytes++, size--; size >= 8; bytes += 8, size -= 8) {
		sbd_u32 subflow = bytes[1] & 3, value = sbd_le32(bytes + 4);
		sbd_u64 before_ns = c->now_ns, at_ns;
		sbd_u64 step_ns = (sbd_u64)(bytes[2] | bytes[3] << 8) << (bytes[0] >> 4) * 3;

		/* Seldom, the clock runs back. */
		now_ns = (bytes[1] & 0xfc) == 0xfc ? now_ns - step_ns : now_ns + step_ns;
		at_ns = now_ns;
		switch (bytes[0] & 15) {
		case 0:
		case 1:
		case 2:
		case 3:
			sbd_on_rtt(c, subflow, at_ns, value >> (bytes[1] >> 2 & 31));
			break;
		case 4:
		case 5:
			acked_bytes += value;
			sbd_on_ack(c, subflow, at_ns, acked_bytes);
			break;
		case 6:
			sbd_on_ack(c, subflow, at_ns, (sbd_u64)value << (bytes[1] >> 2 & 31));
			break;
		case 7:
		case 8:
			sbd_on_state(c, subflow, at_ns, (sbd_u8)value & 7);
			break;
		case 9:
			sbd_add_subflow(c, value);
			HOLDS(c->subflows <= SBD_SUBFLOWS);
			break;
		case 10:
			if (subflow < SBD_PAIRS && c->subflows == SBD_SUBFLOWS)
				sbd_restart(c, &c->pair[subflow], at_ns + value);
			break;
		case 11:
			look_at_groups(c);
			break;
		default:
			for (n = 0; sbd_decide(c, at_ns, judge, NULL, &scratch); n++)
				HOLDS(n < 3);
		}
		HOLDS(c->now_ns >= before_ns && !(c->now_ns >> 62));
	}
	for (i = 0; i < c->subflows * (c->subflows - 1) / 2 && i < SBD_PAIRS; i++) {
		sbd_u64 end_ns = c->now_ns + (computed & 1);

		for (n = 0; sbd_finish_pair(c, &c->pair[i], end_ns, judge, NULL, &scratch); n++)
			HOLDS(n < 3);
		HOLDS(!c->pair[i].waiting);
	}
	look_at_groups(c);
	return 1;
}

#ifdef TRY
int LLVMFuzzerTestOneInput(const sbd_u8 *bytes, size_t size);

int LLVMFuzzerTestOneInput(const sbd_u8 *bytes, size_t size)
{
	return TRY(bytes, size) ? 0 : -1;
}
#endif
