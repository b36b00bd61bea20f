// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "windowed.h"

#define FIRST_SAMPLES	256

bool sbd_moving_possible(const struct sbd_moving *moving)
{
	if (!sbd_span_possible(moving->step_ms, SBD_SPAN_LIMIT_MS))
		return false;
	if (moving->window_ms.given)
		return sbd_span_possible(moving->window_ms.value, SBD_SPAN_LIMIT_MS);
	return moving->delay == SBD_DELAY_RTT &&
	       sbd_span_possible(moving->window_rtts, SBD_SPAN_LIMIT_RTTS);
}

uint32_t sbd_moving_wanted(const void *parameters)
{
	const struct sbd_moving *moving = parameters;

	return sbd_delay_wanted(moving->delay);
}

int sbd_windowed_init(struct sbd_windowed *windowed, const struct sbd_moving *moving,
		      unsigned int subflows, struct sbd_opinions *said)
{
	const size_t pairs = sbd_pairs(subflows);

	memset(windowed, 0, sizeof(*windowed));
	windowed->moving = moving;
	windowed->subflows = subflows;
	windowed->said = said;
	windowed->samples = calloc(subflows + 1, sizeof(*windowed->samples));
	windowed->delays = calloc(subflows + 1, sizeof(*windowed->delays));
	windowed->verdict = malloc(pairs + 1);
	if (!windowed->samples || !windowed->delays || !windowed->verdict)
		return -ENOMEM;
	memset(windowed->verdict, SBD_UNSAID, pairs);
	return 0;
}

void sbd_windowed_free(struct sbd_windowed *windowed)
{
	unsigned int i;

	if (windowed->samples)
		for (i = 0; i < windowed->subflows; i++)
			free(windowed->samples[i].sample);
	free(windowed->samples);
	free(windowed->delays);
	free(windowed->verdict);
}

/* Room for one more behind the last. */
static int make_room(struct sbd_samples *samples)
{
	size_t held = samples->end - samples->first;

	if (samples->end < samples->capacity)
		return 0;
	if (held > samples->capacity / 2 || !samples->capacity) {
		size_t capacity = samples->capacity ? 2 * samples->capacity : FIRST_SAMPLES;
		struct sbd_sample *larger = NULL;

		if (capacity <= SIZE_MAX / 2 / sizeof(*larger))
			larger = realloc(samples->sample, capacity * sizeof(*larger));
		if (!larger)
			return -ENOMEM;
		samples->sample = larger;
		samples->capacity = capacity;
	}
	if (samples->first) {
		memmove(samples->sample, samples->sample + samples->first,
			held * sizeof(*samples->sample));
		samples->first = 0;
		samples->end = held;
	}
	return 0;
}

static int64_t window_ns(const struct sbd_windowed *windowed)
{
	const struct sbd_moving *moving = windowed->moving;
	int64_t longest_us = 0;
	unsigned int i;

	if (moving->window_ms.given)
		return moving->window_ms.value * SBD_NS_PER_MS;
	for (i = 0; i < windowed->subflows; i++)
		if (windowed->samples[i].min_us > longest_us)
			longest_us = windowed->samples[i].min_us;
	return moving->window_rtts * longest_us * SBD_NS_PER_US;
}

static void step(struct sbd_windowed *windowed, int64_t end_ns)
{
	struct sbd_window window;
	unsigned int i;

	windowed->last_window_ns = window_ns(windowed);
	window.start_ns = end_ns - windowed->last_window_ns;
	window.end_ns = end_ns;
	window.delays = windowed->delays;
	for (i = 0; i < windowed->subflows; i++) {
		struct sbd_samples *own = &windowed->samples[i];
		struct sbd_delays *delays = &windowed->delays[i];

		while (own->first < own->end && own->sample[own->first].time_ns < window.start_ns)
			own->first++;
		delays->size = own->end - own->first;
		if (!own->begun || own->covered_from_ns > window.start_ns || delays->size < 2)
			delays->size = 0;
		delays->sample = delays->size ? own->sample + own->first : NULL;
		delays->min_us = own->min_us;
		/* What is older is gone: a window that grows is full again when waited for. */
		if (own->covered_from_ns < window.start_ns)
			own->covered_from_ns = window.start_ns;
	}
	windowed->judge(windowed, &window, windowed->verdict);
	sbd_say_pairs(windowed->said, end_ns, windowed->verdict);
}

void sbd_windowed_advance(void *state, int64_t time_ns)
{
	struct sbd_windowed *windowed = state;
	const int64_t step_ns = windowed->moving->step_ms * SBD_NS_PER_MS;
	if (!windowed->begun || time_ns < windowed->due_ns)
		return;
	if (windowed->fresh) {
		windowed->fresh = false;
		step(windowed, windowed->due_ns);
	}
	windowed->due_ns = sbd_later(time_ns, step_ns - (time_ns - windowed->due_ns) % step_ns);
}

/* Whether nothing came for longer than the last window. */
static bool silent(const struct sbd_windowed *windowed, const struct sbd_samples *samples,
		   int64_t time_ns)
{
	int64_t gap_ns;

	if (samples->first == samples->end)
		return true;
	gap_ns = time_ns - samples->sample[samples->end - 1].time_ns;
	return windowed->last_window_ns && gap_ns > windowed->last_window_ns;
}

void sbd_windowed_on_event(void *state, const struct sbd_event *event)
{
	struct sbd_windowed *windowed = state;
	struct sbd_samples *own = &windowed->samples[event->place];

	if (!windowed->begun) {
		windowed->begun = true;
		windowed->due_ns = event->time_ns + windowed->moving->step_ms * SBD_NS_PER_MS;
	} else if (event->time_ns > windowed->due_ns) {
		sbd_windowed_advance(windowed, event->time_ns - 1);
	}
	windowed->fresh = true;
	if (!own->begun) {
		own->begun = true;
		own->covered_from_ns = event->time_ns;
		own->min_us = event->value;
	} else if (silent(windowed, own, event->time_ns)) {
		own->covered_from_ns = event->time_ns;
	}
	if (event->value < own->min_us)
		own->min_us = event->value;
	if (make_room(own)) {
		windowed->said->error = -ENOMEM;
		return;
	}
	own->sample[own->end++] = (struct sbd_sample){ event->time_ns, event->value };
}
