/* SPDX-License-Identifier: GPL-2.0-only */
/* What BPF programs need that take memory of an arena, and work in a kernel thread (Linux 6.10). */
#ifndef SBD_ARENA_H
#define SBD_ARENA_H

/* Addresses only: pages are taken one place after the other. */
#define SBD_ARENA_PAGES	(1U << 19)
#include "verifiable.h"

/* Not in the headers of older kernels. */
struct bpf_wq {
	__u64 opaque[2];
} __attribute__((aligned(8)));

#define __arena	__attribute__((address_space(1)))

extern void __arena *bpf_arena_alloc_pages(void *map, void __arena *address, __u32 pages, int node,
					   __u64 flags) __ksym __weak;
extern void bpf_arena_free_pages(void *map, void __arena *address, __u32 pages) __ksym __weak;
extern int bpf_wq_init(struct bpf_wq *wq, void *map, unsigned int flags) __ksym __weak;
extern int bpf_wq_start(struct bpf_wq *wq, unsigned int flags) __ksym __weak;
extern int bpf_wq_set_callback_impl(struct bpf_wq *wq,
				    int (*callback)(void *map, int *key, void *value),
				    unsigned int flags, void *aux__ign) __ksym __weak;

/* What was written before is seen by whoever sees the value. */
static __always_inline void release_store(__u64 *to, __u64 value)
{
#ifdef __TARGET_ARCH_x86
	asm volatile("" : : : "memory");
	*(volatile __u64 *)to = value;
#else
	__sync_lock_test_and_set(to, value);
#endif
}

/* What was written before the value that is read is seen. */
static __always_inline __u64 acquire_load(__u64 *from)
{
#ifdef __TARGET_ARCH_x86
	__u64 value = *(volatile __u64 *)from;

	asm volatile("" : : : "memory");
	return value;
#else
	return __sync_fetch_and_add(from, 0);
#endif
}

#endif
