/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the controllers in the kernel and the program that loads them tell each other; twin of
 * controllers/told.rs.
 */
#ifndef SBD_CONTROLLER_H
#define SBD_CONTROLLER_H

#include <linux/types.h>

#define CONTROLLED_SUBFLOWS	4
#define CONTROLLED_PAIRS	(CONTROLLED_SUBFLOWS * (CONTROLLED_SUBFLOWS - 1) / 2)
#define CONTROLLED_CONNECTIONS	16384	/* most that may be asked for */
#define CGROUP_LEVELS		8	/* of a socket's cgroup, from its own up, that are looked at */
#define CGROUPS			64	/* that may have a mode of their own */

/* What decides whether subflows are coupled. */
enum controlled_by {
	BY_LIA,			/* always */
	BY_COMMON_LAG,
	BY_MODEL		/* of a file */
};

/* What sockets have that are not controlled. */
enum plain_controller {
	PLAIN_RENO,
	PLAIN_CUBIC
};

/* What is in force under sbd_smart, for the host or a cgroup. */
enum coupling_mode {
	MODE_AUTO,		/* as verdicts say */
	MODE_COUPLE,
	MODE_UNCOUPLE,
	MODE_HOST		/* new sockets are not controlled; what is controlled is coupled */
};

/* Settings, fixed when it is loaded. */
struct controller_settings {
	__u32 connections;	/* that have room at once */
	__u32 by;		/* enum controlled_by: what sbd_smart asks */
	__u32 plain;		/* enum plain_controller */
	__u32 epsilon_q10;	/* coupling by odds: what a rival may be expected to lose; 0: by verdicts */
	__u32 check;		/* whether windows are moved to check "shared" of the common lag */
	__u32 check_log;	/* whether it is logged what checks are given */
};

/* What became of the check of a pair. */
enum check_state {
	CHECK_NONE,		/* since the common lag last said another thing than "shared" */
	CHECK_RUNS,
	CHECK_APART,
	CHECK_SHARED,
	CHECK_UNKNOWN		/* its time was up */
};

/* Of a pair of subflows. */
struct told_pair {
	__u64 last_ns;		/* of the last verdict, by the monotonic clock */
	__u32 verdicts;
	__u32 unknown;		/* judgements that said neither */
	__s32 score_q10;	/* of the common lag */
	__u8 shared;		/* last verdict: 0, 1, or TOLD_NEVER */
	__u8 said;		/* enum sbd_common_said of the last judgement, or TOLD_NEVER */
	__u8 coupled;		/* what holds */
	__u8 checked;		/* enum check_state */
};

/* The last check of a pair. */
struct told_check {
	__u64 since_ns;
	__u32 took_ms;
	__u16 symbols;
	__u8 state;		/* enum check_state */
	__u8 unused;
};

#define TOLD_NEVER	255

struct told_subflow {
	__u64 signals;
	__u64 lost;		/* signals for which the ring had no room */
	__u32 id;		/* the kernel's number */
	__u32 cwnd;
	__u32 srtt_8us;
	__u16 local_port;
	__u16 remote_port;
	__u8 used;
	__u8 group;
	__u16 theta_q10;	/* the share of Reno's increase beside that of LIA */
	__u8 unused[4];
};

struct told_connection {
	__u64 since_ns;
	__u64 works;		/* how often signals were taken */
	__u64 work_ns;
	__u64 work_most_ns;
	__u32 token;
	__u32 netns;		/* inode of the network namespace */
	__u8 by;		/* enum controlled_by */
	__u8 mode;		/* enum coupling_mode */
	__u8 crowded;		/* has more subflows than have room: all are coupled */
	__u8 unused[5];
	struct told_subflow subflow[CONTROLLED_SUBFLOWS];
	struct told_pair pair[CONTROLLED_PAIRS];
	struct told_check check[CONTROLLED_PAIRS];
};

/* What a check was given; of a symbol and a sample, one more for the second subflow of the pair. */
enum check_log_kind {
	CHECK_LOG_BEGIN,	/* the value is M, the larger minimum RTT, in us */
	CHECK_LOG_END,		/* the value is enum check_state */
	CHECK_LOG_SYMBOL,	/* the value is its amplitude, a byte with a sign */
	CHECK_LOG_RTT = 4	/* the value is in us */
};

struct check_event {
	__u64 time_ns;
	__u64 begin_ns;		/* of a symbol that ended at the time */
	__u64 middle_ns;
	__u32 token;
	__u32 value;
	__u8 pair;
	__u8 kind;		/* enum check_log_kind */
	__u16 unused;
	__u32 unused_too;
};

#define MODELS	2

/* What both sides keep: models of files and which decides, modes, memory. */
struct controller_state {
	__u64 address;		/* of the first model, where user space has mapped the arena */
	__u32 by;		/* enum controlled_by */
	__u32 used;		/* the model that decides */
	__u32 readers[MODELS];	/* judgements that go on with each */
	__u32 mode;		/* enum coupling_mode, of the host */
	__u32 cgroups;		/* that have a mode of their own */
	__u64 pages;		/* of the arena that connections have, with their places */
	__u32 connections;	/* that have room at once */
	__u32 plain;		/* enum plain_controller */
	__u32 epsilon_q10;	/* as in the settings */
	__u32 check;		/* as in the settings */
};

/* Places in the map of counts. */
enum controller_count {
	COUNT_CONNECTIONS,	/* taken so far */
	COUNT_ENDED,
	COUNT_NO_ROOM,		/* connections that were not taken: all places were */
	COUNT_NO_PLACE,		/* subflows beyond CONTROLLED_SUBFLOWS */
	COUNT_NO_MEMORY,	/* times that the kernel gave no page */
	COUNT_PLAIN,		/* sockets that were left to the host's controller */
	COUNT_CHECKS,		/* begun so far */
	COUNT_CHECKS_APART,
	COUNT_CHECKS_SHARED,
	COUNT_CHECKS_UNKNOWN,	/* ended, and had said neither */
	COUNT_CHECK_LOG_LOST,	/* events for which the log had no room */
	COUNTS
};

#endif
