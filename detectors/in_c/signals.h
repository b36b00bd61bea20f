/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Events for baseline detectors, of what the lines of an event log tell
 *
 * Lines of one time and subflow that belong to one ACK are told together, as the pipeline's tables
 * have them in a row.
 */
#ifndef SBD_SIGNALS_H
#define SBD_SIGNALS_H

#include "baseline.h"

/* Kinds of lines, and what their values are: docs/formats.md. */
enum sbd_line_kind {
	SBD_LINE_ACK, SBD_LINE_UNA, SBD_LINE_DUP, SBD_LINE_RTT, SBD_LINE_SRTT, SBD_LINE_OWD,
	SBD_LINE_ECE, SBD_LINE_DACK, SBD_LINE_CA, SBD_LINE_LOSS, SBD_LINE_RTX, SBD_LINE_GROUP,
	SBD_LINE_KINDS
};

/* A subflow, and what belongs to one ACK of it. Zeroed, but for the place, to begin with. */
struct sbd_signals {
	int32_t place;			/* of the events */
	int64_t acked_bytes;
	bool has_base;
	int64_t base;			/* snd_una seen first */
	int64_t row_acked_bytes;	/* of the row before */

	bool has_row;
	bool has_ack;
	int64_t row_ns;
	uint32_t seen;			/* bits of line kinds */
	int64_t rtt_us;
	int64_t owd_us;
};

/* Take an event; 0, or -errno. */
typedef int sbd_tell(void *context, const struct sbd_event *event);

/*
 * Take a line; none of the subflow is older than the one before. Events are told once no other line
 * can belong to them, and not in order of time. Returns 0, or what @tell returned.
 */
int sbd_signals_take(struct sbd_signals *signals, int64_t time_ns, enum sbd_line_kind kind,
		     int64_t value, sbd_tell *tell, void *context);

/* Tell what is left: no more lines come, or none of a time that was. */
int sbd_signals_flush(struct sbd_signals *signals, sbd_tell *tell, void *context);

/* By time, then kind, then place, as struct sbd_event is to come; alike in these is alike. */
int sbd_compare_events(const struct sbd_event *a, const struct sbd_event *b);

#endif
