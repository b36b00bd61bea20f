// SPDX-License-Identifier: GPL-2.0-only
/*
 * Recorded signals through the exported C in the kernel: user space fills the rings of a slot and
 * calls these. Built once for each model (SBD_MODEL), for the lag excess (SBD_LAG_EXCESS) and for
 * the common lag (SBD_COMMON_LAG).
 */
/* The places of a single one would be constants, and the verifier would tell more of them apart. */
#define SBD_SLOTS	2
#ifdef SBD_LAG_EXCESS
#include "slot_lag_excess.h"
#elif defined(SBD_COMMON_LAG)
#include "slot_common_lag.h"
#else
#include "slot_model.h"
#endif

char LICENSE[] SEC("license") = "GPL";

/* In and out; twin of examples/replay.rs. */
struct order {
	u64 time_ns;
	u64 slots;	/* where user space has the first, and the model of a file */
	u64 model;
	u64 wanted;	/* bits of the features that it takes */
};

SEC("syscall")
int places(struct order *order)
{
	SBD_USE_ARENA();
	order->slots = (u64)&sbd_slots[0];
#ifdef SBD_LOADED_H
	order->model = (u64)&sbd_model;
	order->wanted = ((const struct sbd_loaded *)&sbd_model)->wanted;
#elif defined(SBD_MODEL)
	order->wanted = SBD_JOIN(SBD_MODEL, _wanted);
#endif
	return 0;
}

SEC("syscall")
int clear(struct order *order)
{
	return sbd_slot_clear(0);
}

SEC("syscall")
int drain(struct order *order)
{
	return sbd_slot_drain(0, order->time_ns);
}

SEC("syscall")
int finish(struct order *order)
{
	return sbd_slot_finish(0, order->time_ns);
}
