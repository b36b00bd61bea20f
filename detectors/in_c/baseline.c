// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * What all baseline detectors have in common: parameters by name, opinions, replay
 */
#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "baseline.h"

#define FIRST_CAPACITY	16
#define TIME_LIMIT_NS	(INT64_C(1) << 62)
#define VALUE_LIMIT	(INT64_C(1) << 53)

const struct sbd_baseline *const sbd_baselines[] = {
	&sbd_rfc8382,
	&sbd_mptcp_sbd,
	&sbd_correlation,
	&sbd_dwc,
	&sbd_ton20,
	&sbd_emptcp,
	&sbd_trend_line,
	&sbd_rubenstein,
	&sbd_wavelet,
	&sbd_svd,
	&sbd_lag_excess,
	&sbd_common_lag,
	NULL
};

const struct sbd_baseline *sbd_baseline_of(const char *name)
{
	size_t i;

	for (i = 0; sbd_baselines[i]; i++)
		if (!strcmp(sbd_baselines[i]->name, name))
			return sbd_baselines[i];
	return NULL;
}

static int read_int(const char *text, int64_t *value)
{
	char *behind;

	errno = 0;
	*value = strtoll(text, &behind, 10);
	return errno || behind == text || *behind ? -EINVAL : 0;
}

static int read_double(const char *text, double *value)
{
	char *behind;

	*value = strtod(text, &behind);
	return behind == text || *behind || !isfinite(*value) ? -EINVAL : 0;
}

static int read_bool(const char *text, bool *value)
{
	*value = !strcmp(text, "true");
	return *value || !strcmp(text, "false") ? 0 : -EINVAL;
}

static int read_choice(const char *text, const char *const *choices, int *value)
{
	int i;

	for (i = 0; choices[i]; i++) {
		if (!strcmp(choices[i], text)) {
			*value = i;
			return 0;
		}
	}
	return -EINVAL;
}

int sbd_set(const struct sbd_baseline *baseline, void *parameters, const char *name,
	    const char *text)
{
	const struct sbd_parameter *parameter = baseline->parameters;
	struct sbd_optional_double *optional_double;
	struct sbd_optional_int *optional_int;
	void *at;

	while (parameter->name && strcmp(parameter->name, name))
		parameter++;
	if (!parameter->name)
		return -ENOENT;
	at = (char *)parameters + parameter->offset;
	switch (parameter->type) {
	case SBD_INT:
		return read_int(text, at);
	case SBD_DOUBLE:
		return read_double(text, at);
	case SBD_BOOL:
		return read_bool(text, at);
	case SBD_CHOICE:
		return read_choice(text, parameter->choices, at);
	case SBD_OPTIONAL_INT:
		optional_int = at;
		optional_int->value = 0;
		optional_int->given = strcmp(text, "none");
		return optional_int->given ? read_int(text, &optional_int->value) : 0;
	case SBD_OPTIONAL_DOUBLE:
		optional_double = at;
		optional_double->value = 0;
		optional_double->given = strcmp(text, "none");
		return optional_double->given ? read_double(text, &optional_double->value) : 0;
	}
	return -EINVAL;
}

/* The fewest digits that are read as the same double. */
static void print_double(double value, char text[SBD_PARAMETER_TEXT])
{
	int digits;

	for (digits = 1; digits <= DBL_DECIMAL_DIG; digits++) {
		snprintf(text, SBD_PARAMETER_TEXT, "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			return;
	}
}

void sbd_print(const struct sbd_parameter *parameter, const void *parameters,
	       char text[SBD_PARAMETER_TEXT])
{
	const void *at = (const char *)parameters + parameter->offset;
	const struct sbd_optional_double *optional_double = at;
	const struct sbd_optional_int *optional_int = at;

	switch (parameter->type) {
	case SBD_INT:
		snprintf(text, SBD_PARAMETER_TEXT, "%" PRId64, *(const int64_t *)at);
		return;
	case SBD_DOUBLE:
		print_double(*(const double *)at, text);
		return;
	case SBD_BOOL:
		strcpy(text, *(const bool *)at ? "true" : "false");
		return;
	case SBD_CHOICE:
		snprintf(text, SBD_PARAMETER_TEXT, "%s", parameter->choices[*(const int *)at]);
		return;
	case SBD_OPTIONAL_INT:
		if (optional_int->given)
			snprintf(text, SBD_PARAMETER_TEXT, "%" PRId64, optional_int->value);
		else
			strcpy(text, "none");
		return;
	case SBD_OPTIONAL_DOUBLE:
		if (optional_double->given)
			print_double(optional_double->value, text);
		else
			strcpy(text, "none");
		return;
	}
}

static void unsay(int16_t *group, unsigned int subflows)
{
	unsigned int i;

	for (i = 0; i < subflows; i++)
		group[i] = SBD_NO_OPINION;
}

int sbd_opinions_init(struct sbd_opinions *said, unsigned int subflows)
{
	memset(said, 0, sizeof(*said));
	if (subflows > SBD_SUBFLOWS_LIMIT)
		return -EINVAL;
	said->subflows = subflows;
	/* One more than needed: there may be no subflow. */
	said->held = calloc(2 * (size_t)subflows + 1, sizeof(*said->held));
	if (!said->held)
		return -ENOMEM;
	said->drawn = said->held + subflows;
	unsay(said->held, subflows);
	return 0;
}

void sbd_opinions_free(struct sbd_opinions *said)
{
	free(said->time_ns);
	free(said->group);
	free(said->held);
	memset(said, 0, sizeof(*said));
}

static int grow(struct sbd_opinions *said)
{
	size_t capacity = said->capacity ? 2 * said->capacity : FIRST_CAPACITY;
	int64_t *time_ns;
	int16_t *group;

	time_ns = realloc(said->time_ns, capacity * sizeof(*time_ns));
	if (!time_ns)
		return -ENOMEM;
	said->time_ns = time_ns;
	group = realloc(said->group, capacity * said->subflows * sizeof(*group));
	if (!group)
		return -ENOMEM;
	said->group = group;
	said->capacity = capacity;
	return 0;
}

/* Note the partition that is drawn, if it is another one. */
static void note(struct sbd_opinions *said, int64_t time_ns)
{
	size_t row = said->subflows * sizeof(*said->group);
	size_t last = said->size - 1;

	if (said->error || !memcmp(said->drawn, said->held, row))
		return;
	memcpy(said->held, said->drawn, row);
	/* Of one moment the last opinion is the opinion. */
	if (said->size && said->time_ns[last] == time_ns)
		said->size = last--;
	if (said->size && !memcmp(said->group + last * said->subflows, said->held, row))
		return;
	if (said->size == said->capacity) {
		said->error = grow(said);
		if (said->error)
			return;
	}
	said->time_ns[said->size] = time_ns;
	memcpy(said->group + said->size * said->subflows, said->held, row);
	said->size++;
}

/* Number groups from 0, in order of appearance. */
static void draw(struct sbd_opinions *said, const int *group)
{
	unsigned int i, j;
	int16_t groups = 0;

	for (i = 0; i < said->subflows; i++) {
		if (group[i] == SBD_NO_OPINION) {
			said->drawn[i] = SBD_NO_OPINION;
			continue;
		}
		for (j = 0; j < i && group[j] != group[i]; j++)
			;
		said->drawn[i] = j < i ? said->drawn[j] : groups++;
	}
}

void sbd_say(struct sbd_opinions *said, int64_t time_ns, const int *group)
{
	draw(said, group);
	note(said, time_ns);
}

void sbd_say_pairs(struct sbd_opinions *said, int64_t time_ns, const int8_t *verdict)
{
	bool judged[SBD_SUBFLOWS_LIMIT] = { false };
	unsigned int subflows = said->subflows;
	int group[SBD_SUBFLOWS_LIMIT];
	unsigned int i, j, k;
	int left;

	for (i = 0; i < subflows; i++)
		group[i] = (int)i;
	for (i = 0; i < subflows; i++) {
		for (j = i + 1; j < subflows; j++, verdict++) {
			if (*verdict == SBD_UNSAID)
				continue;
			judged[i] = judged[j] = true;
			left = group[j];
			if (*verdict != SBD_TOGETHER || left == group[i])
				continue;
			for (k = 0; k < subflows; k++)
				if (group[k] == left)
					group[k] = group[i];
		}
	}
	for (i = 0; i < subflows; i++)
		if (!judged[i])
			group[i] = SBD_NO_OPINION;
	sbd_say(said, time_ns, group);
}

static bool is_possible(const struct sbd_event *event, unsigned int subflows)
{
	if ((uint32_t)event->place >= subflows || event->time_ns < 0 || event->time_ns >= TIME_LIMIT_NS)
		return false;
	if (event->kind == SBD_RTT)
		return event->value >= 1 && event->value <= UINT32_MAX;
	return event->value >= -VALUE_LIMIT && event->value <= VALUE_LIMIT;
}

int sbd_replay(const struct sbd_baseline *baseline, const void *parameters,
	       const struct sbd_event *events, size_t size, int64_t end_ns,
	       struct sbd_opinions *said)
{
	int64_t before_ns = 0;
	uint32_t wanted;
	void *state;
	size_t i;

	if (baseline->possible && !baseline->possible(parameters))
		return -EINVAL;
	wanted = baseline->wanted(parameters);
	if (!said->subflows)
		return size ? -EINVAL : 0;
	state = baseline->create(parameters, said->subflows, said);
	if (!state)
		return -ENOMEM;
	for (i = 0; i < size && !said->error; i++) {
		const struct sbd_event *event = &events[i];

		if ((uint32_t)event->kind >= SBD_KINDS)
			said->error = -EINVAL;
		else if (!(wanted & SBD_KIND_BIT(event->kind)))
			continue;
		else if (!is_possible(event, said->subflows) || event->time_ns < before_ns)
			said->error = -EINVAL;
		else
			baseline->on_event(state, event);
		before_ns = event->time_ns;
	}
	if (!said->error)
		baseline->advance(state, end_ns);
	baseline->destroy(state);
	return said->error;
}
