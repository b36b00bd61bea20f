// SPDX-License-Identifier: GPL-2.0-only
/* sbd_load() for what puts models into memory that BPF programs decide with. */
#include "sbd_loaded.h"

int sbd_load_model(struct sbd_loaded *model, const sbd_u8 *bytes, sbd_u32 size);
sbd_u32 sbd_model_bytes(void);

/* SBD_LOADED, or why it is no model (enum sbd_refusal). */
int sbd_load_model(struct sbd_loaded *model, const sbd_u8 *bytes, sbd_u32 size)
{
	static sbd_u8 level[SBD_LOADED_WORDS];

	return sbd_load(model, bytes, size, level);
}

sbd_u32 sbd_model_bytes(void)
{
	return sizeof(struct sbd_loaded);
}
