/* SPDX-License-Identifier: GPL-2.0-only */
/* What the program in the kernel and the one that loads it tell each other; twin of event.rs. */
#ifndef SBD_RECORD_H
#define SBD_RECORD_H

#include <linux/types.h>

/* After an ACK, or with a change of state. */
struct record_event {
	__u64 time_ns;
	__u32 token;
	__u32 subflow;		/* see sbd_subflow() */
	__u32 rtt_us;		/* 0: no sample */
	__u32 snd_una;
	__u32 sent_again;	/* segments so far */
	__u16 local_port;
	__u16 remote_port;
	__u8 ca_state;
	__u8 family;
	__u8 unused[6];
	__u8 local[16];
	__u8 remote[16];
};

/* Places in the map of counts. */
enum record_count {
	RECORD_LOST,		/* no room in the ring buffer */
	RECORD_NO_TOKEN,	/* before the connection has one */
	RECORD_UNTOLD,		/* without fentry: the kernel took an RTT sample that is not to be seen any more */
	RECORD_COUNTS
};

/* What is recorded; 0 is anything. */
struct record_filter {
	__u32 token;
	__u32 netns;		/* inode of a network namespace */
	__u16 port;		/* at either end */
	__u16 local_port;
	__u16 remote_port;
	__u8 no_addresses;
	__u8 unused;
};

#endif
