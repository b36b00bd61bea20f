/* SPDX-License-Identifier: GPL-2.0-only */
/* Pages of the arena, taken for what verdicts need and given back. */
#ifndef SBD_PAGES_H
#define SBD_PAGES_H

#include "connections.h"

static __always_inline void count_pages(__s64 pages)
{
	struct controller_state *own = controller_state();

	if (own)
		__sync_fetch_and_add(&own->pages, pages);
}

static __always_inline void __arena *take_pages(__u32 pages)
{
	void __arena *memory = bpf_arena_alloc_pages(&sbd_arena, NULL, pages, -1, 0);

	if (memory)
		count_pages(pages);
	else
		count(COUNT_NO_MEMORY);
	return memory;
}

static __always_inline void give_pages(void __arena *memory, __u32 pages)
{
	if (!memory)
		return;
	bpf_arena_free_pages(&sbd_arena, memory, pages);
	count_pages(-(__s64)pages);
}

#endif
