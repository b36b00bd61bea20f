/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What a BPF program includes before the headers of export/generated, so that the verifier takes
 * them. Needs clang 19 and Linux 6.9. sbd_lag_excess.h divides signed numbers, for which there are
 * instructions from -mcpu=v4 on; -mllvm -disable-ldsx leaves out those that arenas do not have.
 *
 * All that the headers' functions point to must lie in a BPF arena (sbd_arena): what a pointer into
 * it is moved by needs no proof. A stray one reads 0, and what it writes is lost or hits the arena.
 */
#ifndef SBD_VERIFIABLE_H
#define SBD_VERIFIABLE_H

#include <linux/types.h>
#include <stdbool.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#define SBD_BPF

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s32 s32;
typedef __s64 s64;

/* What headers of baselines have of the C library, of which there is none. */
typedef __s8 int8_t;
typedef __u8 uint8_t;
typedef __s16 int16_t;
typedef __u16 uint16_t;
typedef __s32 int32_t;
typedef __u32 uint32_t;
typedef __s64 int64_t;
typedef __u64 uint64_t;
typedef __SIZE_TYPE__ size_t;
#define INT32_MIN	(-0x7fffffff - 1)
#define INT32_MAX	0x7fffffff
#define UINT32_MAX	0xffffffff
#define INT64_MIN	(-0x7fffffffffffffff - 1)
#define INT64_MAX	0x7fffffffffffffff

/* Not in the headers of older kernels. */
#define SBD_MAP_TYPE_ARENA	33
#ifndef SBD_ARENA_PAGES
#define SBD_ARENA_PAGES	1024
#endif

struct {
	__uint(type, SBD_MAP_TYPE_ARENA);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, SBD_ARENA_PAGES);
} sbd_arena SEC(".maps");

/* A program that reaches into the arena must name it once; the compiler does not know. */
#define SBD_USE_ARENA()	asm volatile("" : : "r"(&sbd_arena))

/* A variable in the arena; (type *)&variable is what C computes with. */
#define SBD_IN_ARENA	__attribute__((address_space(1))) SEC(".addr_space.1")

/* The tables of a model. A section is all const or all not. */
#define SBD_TABLE(type, name)	static type SBD_IN_ARENA name[]

/* A global function is verified once, for any arguments; a caller takes any result for possible. */
#define SBD_ALONE	__noinline
/*
 * A parameter of such a function that points into the arena: the verifier must be told where it is
 * declared, and again where it is used.
 */
#define SBD_ARENA	__attribute__((btf_decl_tag("arg:arena")))
#define SBD_REACHED(pointer) ({							\
	typeof(pointer) reached = (pointer);					\
										\
	asm volatile("%0 = addr_space_cast(%0, 0, 1)" : "+r"(reached));		\
	reached;								\
})

/*
 * Where a loop's counter is known, the verifier follows each round by itself, up to its limit of a
 * million instructions. From a 0 that it does not know, one round stands for all.
 */
static volatile u32 sbd_zero;
#define SBD_ZERO	sbd_zero

/* What makes the end of such a loop sure: true until a counter of millions of rounds is spent. */
#define sbd_may_loop() ({						\
	__label__ spent, on;						\
	bool may = true;						\
									\
	asm volatile goto("may_goto %l[spent]" : : : : spent);		\
	goto on;							\
spent:									\
	may = false;							\
on:									\
	may;								\
})
#define SBD_WHILE(condition)	(sbd_may_loop() && (condition))
/* Without the bound of a grid: the verifier would follow each counter up to it. */
#define SBD_BELOW(k, points)	SBD_WHILE((k) < (points))

/* Keep the compiler from making a branch of a value: it does not know where it comes from. */
#define SBD_HIDE(value)	asm volatile("" : "+r"(value))

/* Memory is in words of 4 bytes; it is moved to a lower place only. */
static __always_inline void sbd_clear(void *to, u32 bytes)
{
	u32 *word = to, k;

	for (k = SBD_ZERO; SBD_WHILE(k < bytes / 4); k++)
		word[k] = 0;
}

static __always_inline void sbd_move(void *to, const void *from, u32 bytes)
{
	const u32 *source = from;
	u32 *word = to, k;

	for (k = SBD_ZERO; SBD_WHILE(k < bytes / 4); k++)
		word[k] = source[k];
}
#define memset(to, zero, bytes)	sbd_clear(to, bytes)
#define memmove(to, from, bytes)	sbd_move(to, from, bytes)

#endif
