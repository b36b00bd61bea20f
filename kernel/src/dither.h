/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A window that is moved off its base, up and down in random order, so that the active check can
 * look for its signs in RTTs; twin of simulator/src/controllers/dither.cc
 *
 * A symbol is a random sign and two halves, the second with the opposite sign. The controller acts
 * on the base window: the offset is taken off before and put on afterwards, and the others of its
 * group are shown the base. There are no symbols in slow start, in recovery and in CWR; one that is
 * not complete then is nobody's.
 */
#ifndef SBD_DITHER_H
#define SBD_DITHER_H

#include "connections.h"

#define DITHER_LEAST_WINDOW	4
#define DITHER_MOST_SEGMENTS	16
#define DITHER_QUOTIENT		16	/* of the window and its amplitude */
#define DITHER_LEAST_QUOTIENT	4
#define DITHER_MOST_ACKED	0x7fff	/* far above what a half needs */
#define CA_DISORDER		1	/* the last state that is no recovery */

enum dither_phase {
	DITHER_OFF,
	DITHER_FIRST,
	DITHER_SECOND,
	DITHER_PAUSED	/* in recovery or CWR */
};

/*
 * In the words of icsk_ca_priv that sockets have for the host's controller, which this one is not.
 * Of those that are not checked all is 0.
 */
struct dither {
	__u64 since_ns;		/* when the present half began */
	__u16 acked;		/* segments acknowledged in it */
	__s8 amplitude;		/* segments above the base in the first half, with their sign */
	__s8 offset;		/* segments by which the window is off its base */
	__s8 reduced_offset;	/* the same when the window was last reduced */
	__u8 phase;		/* enum dither_phase */
	__u8 symbol;		/* its number: what a full ring has lost shows by it */
	__u8 unused;
};

_Static_assert(sizeof(struct dither) <= 24, "few bytes are in the path of an ACK");
_Static_assert(sizeof(struct dither) <= 8 * SEAT_WORD, "a seat begins behind it");

static __always_inline struct dither *dither_of(struct sock *sk)
{
	return (struct dither *)((struct inet_connection_sock *)sk)->icsk_ca_priv;
}

/* The window without its offset, for a socket that has a place. */
static __always_inline __u32 base_window(struct sock *sk)
{
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	__s32 offset = settings.check ? dither_of(sk)->offset : 0;
	__s32 base = (__s32)tp->snd_cwnd - offset;

	/* A window that was changed meanwhile may be less than what was put on it. */
	return base < 1 ? 1 : base;
}

/* Whether there is anything to do at an ACK. */
static __always_inline bool is_dithered(struct sock *sk, const struct seat *seat)
{
	return settings.check && seat->place &&
	       (seated(seat)->half_us || dither_of(sk)->offset || dither_of(sk)->phase);
}

/* End the present symbol, of which nobody is told: the next one is not the one after it. */
static __always_inline void dither_stop(struct dither *dither)
{
	if (dither->phase == DITHER_FIRST || dither->phase == DITHER_SECOND) {
		dither->phase = DITHER_OFF;
		dither->symbol++;
	}
}

static __always_inline __s8 dither_amplitude(__u32 base)
{
	__u32 segments = (base + DITHER_QUOTIENT / 2) / DITHER_QUOTIENT;

	if (segments > DITHER_MOST_SEGMENTS)
		segments = DITHER_MOST_SEGMENTS;
	if (segments > base / DITHER_LEAST_QUOTIENT)
		segments = base / DITHER_LEAST_QUOTIENT;
	return segments ? segments : 1;
}

static __always_inline __u32 dither_segments(const struct dither *dither)
{
	return dither->amplitude < 0 ? -dither->amplitude : dither->amplitude;
}

/* Begin the next half, or another symbol; the worker is told of either. */
static __always_inline void dither_turn(struct seat *seat, struct dither *dither, __u32 base,
					__u64 now_ns)
{
	struct signal signal = {
		.now_ns = now_ns,
		.rtt_and_state = (__u32)SIGNAL_TURN << SIGNAL_STATE,
	};

	if (dither->phase == DITHER_FIRST) {
		dither->phase = DITHER_SECOND;
	} else {
		__s8 amplitude = dither_amplitude(base);

		dither->phase = DITHER_FIRST;
		dither->symbol++;
		dither->amplitude = bpf_get_prandom_u32() & 1 ? amplitude : -amplitude;
	}
	dither->since_ns = now_ns;
	dither->acked = 0;
	signal.bytes_acked = (__u8)dither->amplitude | (__u32)dither->symbol << TURN_SYMBOL |
			     (__u32)dither->phase << TURN_PHASE;
	put(seat, &signal);
}

static __always_inline bool is_half_over(const struct dither *dither, __u32 half_us, __u64 now_ns)
{
	return dither->acked >= 4 + 2 * dither_segments(dither) &&
	       now_ns - dither->since_ns >= half_us * 1000ULL;
}

/* Let the window be its base. */
static __always_inline void take_off(struct sock *sk, __u32 acked)
{
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	struct dither *dither = dither_of(sk);

	if (dither->offset)
		tp->snd_cwnd = base_window(sk);
	dither->offset = 0;
	if (dither->acked < DITHER_MOST_ACKED)
		dither->acked += acked < DITHER_MOST_ACKED ? acked : DITHER_MOST_ACKED;
}

/* Move the window, which is its base, as the present half of a symbol has it, or a new one. */
static __always_inline void put_on(struct sock *sk, struct seat *seat)
{
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	struct dither *dither = dither_of(sk);
	__u32 half_us = seated(seat)->half_us, base = tp->snd_cwnd;
	__s32 offset;

	if (!half_us || base < tp->snd_ssthresh || base < DITHER_LEAST_WINDOW) {
		dither_stop(dither);
		return;
	}
	if (dither->phase == DITHER_PAUSED)
		return;
	if (dither->phase == DITHER_OFF || is_half_over(dither, half_us, tp->tcp_clock_cache))
		dither_turn(seat, dither, base, tp->tcp_clock_cache);
	offset = dither->phase == DITHER_FIRST ? dither->amplitude : -dither->amplitude;
	if (offset < 2 - (__s32)base)
		offset = 2 - (__s32)base;
	dither->offset = offset;
	tp->snd_cwnd = base + offset;
}

/*
 * Reno's threshold. Losses come in positive halves as a rule: it is half of the base with the
 * amplitude, else a subflow would have less than without symbols. Asked before the state is set.
 */
static __always_inline __u32 dither_ssthresh(struct sock *sk)
{
	struct dither *dither = dither_of(sk);
	__u32 window = base_window(sk);

	if (dither->phase == DITHER_FIRST || dither->phase == DITHER_SECOND)
		window += dither_segments(dither);
	dither->reduced_offset = dither->offset;
	return window / 2 > 2 ? window / 2 : 2;
}

/* The window before the reduction had the offset of that time. */
static __always_inline __u32 dither_undo(struct sock *sk)
{
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	struct dither *dither = dither_of(sk);
	__s32 window = (__s32)tp->prior_cwnd - dither->reduced_offset + dither->offset;

	return window > (__s32)tp->snd_cwnd ? (__u32)window : tp->snd_cwnd;
}

/* Of the window that follows the socket decides: the offset is no part of it. */
static __always_inline void dither_forget(struct dither *dither)
{
	dither_stop(dither);
	dither->offset = 0;
}

static __always_inline void dither_set_state(struct dither *dither, __u8 new_state)
{
	if (new_state > CA_DISORDER) {
		dither_forget(dither);
		dither->phase = DITHER_PAUSED;
	} else if (dither->phase == DITHER_PAUSED) {
		dither->phase = DITHER_OFF;
	}
}

#endif
