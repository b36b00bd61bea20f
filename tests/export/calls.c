/* SPDX-License-Identifier: MIT */
/* What the runtime's calls promise a sender; the exit code says whether it holds. */
#define SBD_SUBFLOWS	3

#include <stdio.h>
#include <stdlib.h>

#include "sbd_loaded.h"

#define HOLDS(what) do {							\
		if (!(what)) {							\
			fprintf(stderr, "line %d: %s\n", __LINE__, #what);	\
			exit(1);						\
		}								\
	} while (0)

#define RTT_US	1000U
#define RTT_NS	(1000ULL * RTT_US)
#define T_NS	(SBD_WINDOW_RTTS * RTT_NS)

static struct sbd_connection connection;
static struct sbd_scratch scratch;

static sbd_u64 random64(void)
{
	static sbd_u64 state = 88172645463325252ULL;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static enum sbd_verdict always_shared(const struct sbd_window *window, const void *model,
				      struct sbd_scratch *memory)
{
	(void)window;
	(void)memory;
	return *(const int *)model ? SBD_SHARED : SBD_NOT_SHARED;
}

static void helpers(void)
{
	int i, k;

	for (i = 0; i < 64; i++)
		for (k = -2; k <= 2; k++) {
			sbd_u64 x = (1ULL << i) + (sbd_u64)k, root = sbd_isqrt(x);

			HOLDS(root * root <= x);
			HOLDS((unsigned __int128)(root + 1) * (root + 1) > x);
		}
	for (i = 0; i < 100000; i++) {
		sbd_u64 x = random64() >> (i % 64), root = sbd_isqrt(x);
		sbd_u64 span = (random64() >> 2 >> (i % 60)) + 2, elapsed = random64() % (span - 1) + 1;
		sbd_u32 rise = (sbd_u32)(random64() >> (32 + i % 31));

		HOLDS(root * root <= x && (unsigned __int128)(root + 1) * (root + 1) > x);
		HOLDS(elapsed < span && span >> 62 <= 1);
		if (!(span >> 62))
			HOLDS(sbd_share(rise, elapsed, span) ==
			      (sbd_u32)((unsigned __int128)rise * elapsed / span));
	}
	HOLDS(sbd_share(UINT32_MAX, (1ULL << 62) - 2, (1ULL << 62) - 1) == UINT32_MAX - 1);
	HOLDS(sbd_share(UINT32_MAX, 1ULL << 32, (1ULL << 32) + 1) == UINT32_MAX - 1);
	HOLDS(sbd_ratio_q10(0, 0) == SBD_ONE_Q10);
	HOLDS(sbd_ratio_q10(1, 0) == SBD_FEATURE_LIMIT);
	HOLDS(sbd_ratio_q10(3, 2) == 1536);
	HOLDS(sbd_ratio_q10(1U << 31, 1) == SBD_FEATURE_LIMIT);
}

static void pairs(void)
{
	sbd_u32 i, j, place = 0;

	for (j = 0; j < 8; j++)
		for (i = 0; i < j; i++, place++)
			HOLDS(sbd_pair_of(i, j) == place && sbd_pair_of(j, i) == place);
}

static void refused(void)
{
	struct sbd_connection *c = &connection;
	sbd_u8 group[SBD_SUBFLOWS];
	int model = 0;

	*c = (struct sbd_connection){ 0 };
	sbd_on_rtt(c, 0, 5, 5);
	HOLDS(c->refused == 1 && c->now_ns == 0);
	HOLDS(sbd_add_subflow(c, 9) == 0);
	HOLDS(sbd_add_subflow(c, 4) == 1);
	HOLDS(sbd_add_subflow(c, UINT32_MAX) == 2);
	HOLDS(sbd_add_subflow(c, 5) == -1 && c->subflows == 3);
	HOLDS(c->pair[0].subflow[0] == 1 && c->pair[0].subflow[1] == 0);
	HOLDS(c->pair[1].subflow[0] == 0 && c->pair[1].subflow[1] == 2);
	sbd_on_rtt(c, 3, 5, 5);
	sbd_on_ack(c, UINT32_MAX, 5, 5);
	sbd_on_rtt(c, 0, 5, 0);
	sbd_on_state(c, 0, 5, 5);
	HOLDS(c->refused == 5 && c->now_ns == 0);
	HOLDS(sbd_restart(c, &c->pair[0], 7) == -1);
	sbd_on_rtt(c, 0, 5, 5);
	HOLDS(sbd_restart(c, &c->pair[0], 7) == -1);
	sbd_on_rtt(c, 1, 5, 5);
	HOLDS(c->refused == 5 && c->now_ns == 5);
	HOLDS(sbd_restart(c, &c->pair[0], 4) == -1);
	HOLDS(sbd_restart(c, &c->pair[0], 1ULL << 62) == -1);
	HOLDS(sbd_restart(c, &c->pair[0], 5) == 0 && c->pair[0].armed);
	sbd_on_rtt(c, 1, 4, 5);
	sbd_on_ack(c, 1, 4, 5);
	sbd_on_state(c, 1, 1ULL << 62, 0);
	HOLDS(sbd_decide(c, 4, always_shared, &model, &scratch) == 0);
	HOLDS(sbd_decide(c, ~0ULL, always_shared, &model, &scratch) == 0);
	HOLDS(c->refused == 10 && c->now_ns == 5);
	sbd_groups(c, group);
	HOLDS(group[0] == SBD_NO_GROUP && group[1] == SBD_NO_GROUP && group[2] == SBD_NO_GROUP);
}

/*
 * One subflow with a sample in every RTT and one with one in five, windows that end three before
 * it, and calls of sbd_decide() some time apart: how many windows are missed.
 */
static sbd_u32 missed(sbd_u64 every_ns, sbd_u64 phase_ns, sbd_u32 *judged)
{
	struct sbd_connection *c = &connection;
	sbd_u64 now_ns, next_ns = phase_ns;
	int model = 0;
	sbd_u32 i;

	*c = (struct sbd_connection){ 0 };
	*judged = 0;
	HOLDS(sbd_add_subflow(c, 0) == 0 && sbd_add_subflow(c, 1) == 1);
	for (now_ns = 0; now_ns < 40 * T_NS; now_ns += RTT_NS) {
		while (every_ns && next_ns < now_ns) {
			*judged += sbd_decide(c, next_ns, always_shared, &model, &scratch);
			next_ns += every_ns;
		}
		if (!every_ns)
			while (sbd_decide(c, now_ns, always_shared, &model, &scratch))
				++*judged;
		for (i = 0; i < 2; i++) {
			if (now_ns == 2 * RTT_NS)
				sbd_on_state(c, i, now_ns, 3);
			if (i && now_ns % (5 * RTT_NS))
				continue;
			sbd_on_rtt(c, i, now_ns, RTT_US);
			sbd_on_ack(c, i, now_ns, now_ns);
		}
	}
	return c->pair[0].missed;
}

static void cadence(void)
{
	sbd_u64 phase_ns;
	sbd_u32 judged, most = 0;

	HOLDS(missed(0, 0, &judged) == 0 && judged == 39);
	for (phase_ns = 0; phase_ns < T_NS; phase_ns += RTT_NS / 3) {
		sbd_u32 lost;

		HOLDS(missed(T_NS / 2, phase_ns, &judged) == 0);
		HOLDS(judged == 39 || judged == 38);
		lost = missed(T_NS, phase_ns, &judged);
		most = lost > most ? lost : most;
	}
	/* Once every T may always be just before a window's last points are known. */
	HOLDS(most > 30);
}

static void groups(void)
{
	struct sbd_connection *c = &connection;
	static const sbd_u8 parts[8][3] = {	/* by which pairs share: 0 and 1, 0 and 2, 1 and 2 */
		{ 0, 1, 2 }, { 0, 0, 2 }, { 0, 1, 0 }, { 0, 0, 0 },
		{ 0, 1, 1 }, { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 },
	};
	sbd_u32 shared, i, j;
	sbd_u8 group[SBD_SUBFLOWS];

	for (shared = 0; shared < 8; shared++) {
		*c = (struct sbd_connection){ 0 };
		for (i = 0; i < 3; i++)
			sbd_add_subflow(c, i);
		for (i = 0; i < 3; i++) {
			c->pair[i].decided = 1;
			c->pair[i].verdict = shared >> i & 1 ? SBD_SHARED : SBD_NOT_SHARED;
		}
		sbd_groups(c, group);
		for (i = 0; i < 3; i++)
			for (j = 0; j < 3; j++)
				HOLDS((group[i] == group[j]) == (parts[shared][i] == parts[shared][j]));
	}
	c->pair[1].decided = 0;
	c->pair[2].decided = 0;
	c->pair[0].verdict = SBD_NOT_SHARED;
	sbd_groups(c, group);
	HOLDS(group[0] != group[1] && group[0] != SBD_NO_GROUP && group[2] == SBD_NO_GROUP);
}

int main(void)
{
	helpers();
	pairs();
	refused();
	cadence();
	groups();
	return 0;
}
