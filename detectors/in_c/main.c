// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * sbd-baselines - replay a baseline detector on an event log
 *
 *	sbd-baselines DETECTOR [PARAMETER=VALUE ...] < events > opinions
 *	sbd-baselines -l
 *
 * -l lists the detectors with their parameters and default values.
 *
 * An event is a line of a bare event log (docs/formats.md), those of a subflow in order of time:
 *
 *	<ns> C=<token, hex> SF=<n> V=<KIND> <value>
 *
 * An opinion is a line, from when on which subflows share; "-" is no opinion:
 *
 *	C=<token, hex> <ns> <n>:<group> <n>:<group> ...
 *
 * Connections come in order of their tokens. What was refused is counted on standard error; with
 * any, it exits with 2. Memory grows with the log.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "signals.h"

#define LINE			256
#define TIME_LIMIT_NS		(UINT64_C(1) << 62)
#define SUBFLOW_LIMIT		9999
#define FIRST_CAPACITY		1024

enum status {
	DONE = 0,
	FAILED = 1,
	REFUSED = 2
};

static const struct {
	const char *name;
	uint64_t low, high;
} line_kinds[SBD_LINE_KINDS] = {
	[SBD_LINE_ACK] = { "ACK", 0, UINT64_C(1) << 62 },
	[SBD_LINE_UNA] = { "UNA", 0, UINT32_MAX },
	[SBD_LINE_DUP] = { "DUP", 0, UINT32_MAX },
	[SBD_LINE_RTT] = { "RTT", 1, INT32_MAX },
	[SBD_LINE_SRTT] = { "SRTT", 1, INT32_MAX },
	[SBD_LINE_OWD] = { "OWD", 0, INT32_MAX },
	[SBD_LINE_ECE] = { "ECE", 1, 1 },
	[SBD_LINE_DACK] = { "DACK", 0, UINT64_C(1) << 62 },
	[SBD_LINE_CA] = { "CA", 0, 4 },
	[SBD_LINE_LOSS] = { "LOSS", 1, INT32_MAX },
	[SBD_LINE_RTX] = { "RTX", 1, INT32_MAX },
	[SBD_LINE_GROUP] = { "GROUP", 0, INT16_MAX },
};

struct line {
	int64_t time_ns;
	uint32_t token;
	int32_t subflow;
	enum sbd_line_kind kind;
	int64_t value;
};

/* An event of a connection; `place` is the subflow's number until all of them are known. */
struct told {
	uint32_t token;
	struct sbd_event event;
	size_t order;
};

struct subflow {
	uint32_t token;
	int32_t number;
	int64_t end_ns;
	struct sbd_signals signals;
};

struct list {
	void *element;
	size_t size, capacity;
};

static struct list all_told;		/* struct told */
static struct list all_subflows;	/* struct subflow */

/* Room for one more element; NULL without memory. */
static void *added(struct list *list, size_t element_size)
{
	if (list->size == list->capacity) {
		size_t capacity = list->capacity ? 2 * list->capacity : FIRST_CAPACITY;
		void *element = realloc(list->element, capacity * element_size);

		if (!element)
			return NULL;
		list->element = element;
		list->capacity = capacity;
	}
	return (char *)list->element + list->size++ * element_size;
}

/* Note an event of a subflow. */
static int tell(void *context, const struct sbd_event *event)
{
	const struct subflow *s = context;
	struct told *told = added(&all_told, sizeof(*told));

	if (!told)
		return -ENOMEM;
	told->token = s->token;
	told->event = *event;
	told->order = all_told.size;
	return 0;
}

static int take(struct subflow *s, const struct line *line)
{
	return sbd_signals_take(&s->signals, line->time_ns, line->kind, line->value, tell, s);
}

/* The subflow a line is of, new if there is none; NULL without memory. */
static struct subflow *subflow_of(const struct line *line)
{
	struct subflow *s = all_subflows.element;
	size_t i;

	for (i = 0; i < all_subflows.size; i++)
		if (s[i].token == line->token && s[i].number == line->subflow)
			return &s[i];
	s = added(&all_subflows, sizeof(*s));
	if (!s)
		return NULL;
	memset(s, 0, sizeof(*s));
	s->token = line->token;
	s->number = line->subflow;
	s->signals.place = line->subflow;
	return s;
}

/* Digits of a number up to a character; where it goes on, NULL if there are none or too many. */
static const char *number(const char *text, int base, size_t most, char until, uint64_t *value)
{
	size_t digits = strspn(text, base == 16 ? "0123456789abcdef" : "0123456789");

	if (!digits || digits > most || text[digits] != until)
		return NULL;
	*value = strtoull(text, NULL, base);
	return text + digits + (until != '\0');
}

static const char *skipped(const char *text, const char *word)
{
	size_t size = strlen(word);

	return strncmp(text, word, size) ? NULL : text + size;
}

static int kind_of(const char *name, size_t size)
{
	int kind;

	for (kind = 0; kind < SBD_LINE_KINDS; kind++)
		if (strlen(line_kinds[kind].name) == size && !strncmp(line_kinds[kind].name, name, size))
			return kind;
	return -1;
}

/* 0, or -1 if the line is no event. */
static int parse(const char *text, struct line *line)
{
	uint64_t time_ns, token, subflow, value;
	const char *at;
	size_t size;
	int kind;

	at = number(text, 10, 18, ' ', &time_ns);
	if (!at || !(at = skipped(at, "C=")) || !(at = number(at, 16, 8, ' ', &token)) ||
	    !(at = skipped(at, "SF=")) || !(at = number(at, 10, 4, ' ', &subflow)) ||
	    !(at = skipped(at, "V=")))
		return -1;
	size = strcspn(at, " ");
	kind = kind_of(at, size);
	if (kind < 0 || at[size] != ' ' || !number(at + size + 1, 10, 18, '\0', &value) ||
	    value < line_kinds[kind].low || value > line_kinds[kind].high ||
	    time_ns >= TIME_LIMIT_NS || subflow > SUBFLOW_LIMIT)
		return -1;
	line->time_ns = (int64_t)time_ns;
	line->token = (uint32_t)token;
	line->subflow = (int32_t)subflow;
	line->kind = (enum sbd_line_kind)kind;
	line->value = (int64_t)value;
	return 0;
}

/* Read all lines; how many were refused, or -errno. */
static int64_t read_log(void)
{
	char text[LINE];
	int64_t refused = 0;

	while (fgets(text, sizeof(text), stdin)) {
		size_t size = strlen(text);
		struct subflow *s;
		struct line line;
		int c = '\n';

		/* What is longer than a line goes on to its end. */
		if (size == LINE - 1 && text[size - 1] != '\n')
			while ((c = getchar()) != EOF && c != '\n')
				;
		if (size && text[size - 1] == '\n')
			text[--size] = '\0';
		if (size && text[size - 1] == '\r')
			text[--size] = '\0';
		if (size == LINE - 1 || parse(text, &line)) {
			refused++;
			continue;
		}
		/* What the sender did, not what it saw. */
		if (line.kind == SBD_LINE_GROUP)
			continue;
		s = subflow_of(&line);
		if (!s)
			return -ENOMEM;
		if (line.time_ns < s->end_ns) {
			refused++;
			continue;
		}
		s->end_ns = line.time_ns;
		if (take(s, &line))
			return -ENOMEM;
	}
	return ferror(stdin) ? -EIO : refused;
}

/* By connection, then as struct sbd_event is to come. */
static int compare_told(const void *one, const void *other)
{
	const struct told *a = one, *b = other;
	int by_event;

	if (a->token != b->token)
		return a->token < b->token ? -1 : 1;
	by_event = sbd_compare_events(&a->event, &b->event);
	if (by_event)
		return by_event;
	return a->order < b->order ? -1 : a->order > b->order;
}

static int compare_subflows(const void *one, const void *other)
{
	const struct subflow *a = one, *b = other;

	if (a->token != b->token)
		return a->token < b->token ? -1 : 1;
	return (a->number > b->number) - (a->number < b->number);
}

/* Where a log tells no losses, every entry into Recovery or Loss is one packet. */
static int tell_losses(void)
{
	size_t size = all_told.size, i;

	for (i = 0; i < all_subflows.size; i++) {
		struct subflow *s = (struct subflow *)all_subflows.element + i;
		struct sbd_event loss = { .place = s->number, .kind = SBD_LOSS, .value = 1 };
		bool tells = false;
		size_t j;

		for (j = 0; j < size && !tells; j++) {
			const struct told *told = (struct told *)all_told.element + j;

			tells = told->token == s->token && told->event.kind == SBD_LOSS;
		}
		for (j = 0; j < size && !tells; j++) {
			const struct told told = ((struct told *)all_told.element)[j];

			loss.time_ns = told.event.time_ns;
			if (told.token == s->token && told.event.place == s->number &&
			    told.event.kind == SBD_CA && told.event.value >= SBD_STATE_RECOVERY &&
			    tell(s, &loss))
				return -ENOMEM;
		}
	}
	return 0;
}

static void print(const struct sbd_opinions *said, const struct subflow *s)
{
	unsigned int j;
	size_t i;

	for (i = 0; i < said->size; i++) {
		printf("C=%" PRIx32 " %" PRId64, s->token, said->time_ns[i]);
		for (j = 0; j < said->subflows; j++) {
			int16_t group = said->group[i * said->subflows + j];

			if (group == SBD_NO_OPINION)
				printf(" %" PRId32 ":-", s[j].number);
			else
				printf(" %" PRId32 ":%d", s[j].number, group);
		}
		putchar('\n');
	}
}

/*
 * Replay a connection: its subflows in order, and its events, of which it takes numbers for
 * places.
 */
static int replay_one(const struct sbd_baseline *baseline, const void *parameters,
		      const struct subflow *s, unsigned int subflows, const struct told *told,
		      size_t size)
{
	struct sbd_event *events = calloc(size + 1, sizeof(*events));
	struct sbd_opinions said;
	int64_t end_ns = 0;
	unsigned int place;
	int failed;
	size_t i;

	failed = sbd_opinions_init(&said, subflows);
	if (!failed && !events)
		failed = -ENOMEM;
	for (place = 0; place < subflows; place++)
		end_ns = s[place].end_ns > end_ns ? s[place].end_ns : end_ns;
	for (i = 0; !failed && i < size; i++) {
		events[i] = told[i].event;
		for (place = 0; s[place].number != told[i].event.place; place++)
			;
		events[i].place = (int32_t)place;
	}
	if (!failed)
		failed = sbd_replay(baseline, parameters, events, size, end_ns, &said);
	if (!failed)
		print(&said, s);
	sbd_opinions_free(&said);
	free(events);
	return failed;
}

static int replay_all(const struct sbd_baseline *baseline, const void *parameters)
{
	struct subflow *s = all_subflows.element;
	struct told *told = all_told.element;
	size_t i, j = 0, end, first;
	int failed = 0;

	if (!all_subflows.size)
		return 0;
	qsort(s, all_subflows.size, sizeof(*s), compare_subflows);
	if (all_told.size)
		qsort(told, all_told.size, sizeof(*told), compare_told);
	for (i = 0; i < all_subflows.size && !failed; i = end) {
		for (end = i; end < all_subflows.size && s[end].token == s[i].token; end++)
			;
		for (first = j; j < all_told.size && told[j].token == s[i].token; j++)
			;
		failed = replay_one(baseline, parameters, &s[i], (unsigned int)(end - i),
				    told ? &told[first] : NULL, j - first);
	}
	return failed;
}

static void list_all(void)
{
	char text[SBD_PARAMETER_TEXT];
	size_t i;

	for (i = 0; sbd_baselines[i]; i++) {
		const struct sbd_parameter *parameter = sbd_baselines[i]->parameters;

		printf("%s", sbd_baselines[i]->name);
		for (; parameter->name; parameter++) {
			sbd_print(parameter, sbd_baselines[i]->defaults, text);
			printf(" %s=%s", parameter->name, text);
		}
		putchar('\n');
	}
}

/* Set parameters from arguments; 0, or an error that has been told. */
static int set_all(const struct sbd_baseline *baseline, void *parameters, char **arguments)
{
	memcpy(parameters, baseline->defaults, baseline->parameters_size);
	for (; *arguments; arguments++) {
		char *value = strchr(*arguments, '=');

		if (value)
			*value++ = '\0';
		if (!value || sbd_set(baseline, parameters, *arguments, value)) {
			fprintf(stderr, "sbd-baselines: %s has no parameter %s, or no such value of it\n",
				baseline->name, *arguments);
			return -EINVAL;
		}
	}
	if (baseline->possible && !baseline->possible(parameters)) {
		fprintf(stderr, "sbd-baselines: %s cannot work with these parameters\n",
			baseline->name);
		return -EINVAL;
	}
	return 0;
}

static int replay(const struct sbd_baseline *baseline, const void *parameters)
{
	int64_t refused = read_log();
	int failed = refused < 0 ? (int)refused : 0;
	size_t i;

	for (i = 0; i < all_subflows.size && !failed; i++) {
		struct subflow *s = (struct subflow *)all_subflows.element + i;

		failed = sbd_signals_flush(&s->signals, tell, s);
	}
	if (!failed)
		failed = tell_losses();
	if (!failed)
		failed = replay_all(baseline, parameters);
	free(all_told.element);
	free(all_subflows.element);
	if (!failed && fflush(stdout))
		failed = -errno;
	if (failed) {
		fprintf(stderr, "sbd-baselines: %s\n", strerror(-failed));
		return FAILED;
	}
	fprintf(stderr, "sbd-baselines: refused %" PRId64 "\n", refused);
	return refused ? REFUSED : DONE;
}

int main(int argc, char **argv)
{
	const struct sbd_baseline *baseline;
	int status = FAILED;
	void *parameters;

	if (argc == 2 && !strcmp(argv[1], "-l")) {
		list_all();
		return fflush(stdout) ? FAILED : DONE;
	}
	baseline = argc > 1 ? sbd_baseline_of(argv[1]) : NULL;
	if (!baseline) {
		fprintf(stderr, "usage: sbd-baselines DETECTOR [PARAMETER=VALUE ...] | -l\n");
		return FAILED;
	}
	parameters = malloc(baseline->parameters_size);
	if (!parameters)
		fprintf(stderr, "sbd-baselines: %s\n", strerror(ENOMEM));
	else if (!set_all(baseline, parameters, argv + 2))
		status = replay(baseline, parameters);
	free(parameters);
	return status;
}
