// SPDX-License-Identifier: GPL-2.0-only
/* sbd_load() for examples/replay.rs, which runs it on memory that a BPF program decides with. */
#include "sbd_loaded.h"

int sbd_load_model(struct sbd_loaded *model, const u8 *bytes, u32 size);

/* SBD_LOADED, or why it is no model (enum sbd_refusal). */
int sbd_load_model(struct sbd_loaded *model, const u8 *bytes, u32 size)
{
	static u8 level[SBD_LOADED_WORDS];

	return sbd_load(model, bytes, size, level);
}
