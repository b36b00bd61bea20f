/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Every call of a header as a function of its own: what a compiler must accept, and what its code
 * refers to.
 */
#ifdef SBD_MODEL
#define TEXT_OF(x)	#x
#define TEXT(x)		TEXT_OF(x)
#define JOIN_OF(x, y)	x##y
#define JOIN(x, y)	JOIN_OF(x, y)
#include TEXT(SBD_MODEL.h)
#define JUDGE		JOIN(SBD_MODEL, _judge)
#else
#include "sbd_loaded.h"
#define JUDGE		sbd_loaded_judge
#endif

int object_add(struct sbd_connection *c, sbd_u32 id);
void object_rtt(struct sbd_connection *c, sbd_u32 subflow, sbd_u64 now_ns, sbd_u32 rtt_us);
void object_ack(struct sbd_connection *c, sbd_u32 subflow, sbd_u64 now_ns, sbd_u64 acked_bytes);
void object_state(struct sbd_connection *c, sbd_u32 subflow, sbd_u64 now_ns, sbd_u8 ca_state);
sbd_u32 object_decide(struct sbd_connection *c, sbd_u64 now_ns, const void *model,
		      struct sbd_scratch *scratch);
int object_finish(struct sbd_connection *c, sbd_u64 end_ns, const void *model,
		  struct sbd_scratch *scratch);
int object_restart(struct sbd_connection *c, sbd_u64 start_ns);
void object_groups(const struct sbd_connection *c, sbd_u8 group[SBD_SUBFLOWS]);

int object_add(struct sbd_connection *c, sbd_u32 id)
{
	return sbd_add_subflow(c, id);
}

void object_rtt(struct sbd_connection *c, sbd_u32 subflow, sbd_u64 now_ns, sbd_u32 rtt_us)
{
	sbd_on_rtt(c, subflow, now_ns, rtt_us);
}

void object_ack(struct sbd_connection *c, sbd_u32 subflow, sbd_u64 now_ns, sbd_u64 acked_bytes)
{
	sbd_on_ack(c, subflow, now_ns, acked_bytes);
}

void object_state(struct sbd_connection *c, sbd_u32 subflow, sbd_u64 now_ns, sbd_u8 ca_state)
{
	sbd_on_state(c, subflow, now_ns, ca_state);
}

sbd_u32 object_decide(struct sbd_connection *c, sbd_u64 now_ns, const void *model,
		      struct sbd_scratch *scratch)
{
	return sbd_decide(c, now_ns, JUDGE, model, scratch);
}

int object_finish(struct sbd_connection *c, sbd_u64 end_ns, const void *model,
		  struct sbd_scratch *scratch)
{
	return sbd_finish_pair(c, &c->pair[0], end_ns, JUDGE, model, scratch);
}

int object_restart(struct sbd_connection *c, sbd_u64 start_ns)
{
	return sbd_restart(c, &c->pair[0], start_ns);
}

void object_groups(const struct sbd_connection *c, sbd_u8 group[SBD_SUBFLOWS])
{
	sbd_groups(c, group);
}

#ifdef SBD_MODEL
enum sbd_verdict object_model(const sbd_s32 x[SBD_FEATURES]);

enum sbd_verdict object_model(const sbd_s32 x[SBD_FEATURES])
{
	return SBD_MODEL(x);
}
#else
enum sbd_refusal object_load(struct sbd_loaded *m, const sbd_u8 *bytes, sbd_u32 size,
			     sbd_u8 *level);

enum sbd_refusal object_load(struct sbd_loaded *m, const sbd_u8 *bytes, sbd_u32 size, sbd_u8 *level)
{
	return sbd_load(m, bytes, size, level);
}
#endif
