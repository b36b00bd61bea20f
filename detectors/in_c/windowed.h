/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Detectors that judge subflows, all at once or every two, by their delays in a window that moves
 * along
 *
 * Twin of detectors/pairwise.py. Every step, the subflows are judged by what lies in the
 * window. A subflow is judged from when the window is full, counted from its first delay or from
 * the first after a silence as long; steps are counted from the first delay of the connection. What
 * is said of a pair stays where a step says nothing of it, and so does all where no delay came.
 */
#ifndef SBD_WINDOWED_H
#define SBD_WINDOWED_H

#include "delays.h"

/* The window; parameters of the detectors that have one begin with it. */
struct sbd_moving {
	int delay;			/* enum sbd_delay */
	int64_t window_rtts;		/* of the largest of the subflows' smallest delays so far */
	struct sbd_optional_int window_ms;	/* given: in place of it */
	int64_t step_ms;
};

#define SBD_MOVING_PARAMETERS(kind, moving)							\
	{ "delay", SBD_CHOICE, offsetof(kind, moving.delay), sbd_delay_names },			\
	{ "window_rtts", SBD_INT, offsetof(kind, moving.window_rtts), NULL },			\
	{ "window_ms", SBD_OPTIONAL_INT, offsetof(kind, moving.window_ms), NULL },		\
	{ "step_ms", SBD_INT, offsetof(kind, moving.step_ms), NULL }

/* One-way delays have no true zero a window could be counted by. */
bool sbd_moving_possible(const struct sbd_moving *moving);

/* Of parameters that begin with struct sbd_moving. */
uint32_t sbd_moving_wanted(const void *parameters);

struct sbd_window {
	int64_t start_ns, end_ns;
	const struct sbd_delays *delays;	/* of each subflow; of one not to be judged, none */
};

struct sbd_samples {
	struct sbd_sample *sample;
	size_t first, end, capacity;	/* those before first are out of the window */
	int64_t min_us;
	bool begun;
	int64_t covered_from_ns;	/* no silence as long as the window since */
};

/* What windowed detectors have in common; their states begin with it. */
struct sbd_windowed {
	const struct sbd_moving *moving;
	unsigned int subflows;
	struct sbd_opinions *said;
	/* Note verdicts, by sbd_pair_place(); others stay as they were. */
	void (*judge)(struct sbd_windowed *windowed, const struct sbd_window *window,
		      int8_t *verdict);

	struct sbd_samples *samples;
	struct sbd_delays *delays;
	int8_t *verdict;
	int64_t last_window_ns;
	int64_t due_ns;
	bool begun, fresh;
};

/* 0, or -ENOMEM; sbd_windowed_free() in either case. */
int sbd_windowed_init(struct sbd_windowed *windowed, const struct sbd_moving *moving,
		      unsigned int subflows, struct sbd_opinions *said);
void sbd_windowed_free(struct sbd_windowed *windowed);

/* Of states that begin with struct sbd_windowed. */
void sbd_windowed_on_event(void *state, const struct sbd_event *event);
void sbd_windowed_advance(void *state, int64_t time_ns);

#endif
