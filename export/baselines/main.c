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

#include "baseline.h"

#define LINE			256
#define TIME_LIMIT_NS		(UINT64_C(1) << 62)
#define SUBFLOW_LIMIT		9999
#define FIRST_CAPACITY		1024
#define WRAP			(INT64_C(1) << 32)

enum status {
	DONE = 0,
	FAILED = 1,
	REFUSED = 2
};

enum line_kind { LINE_ACK, LINE_UNA, LINE_DUP, LINE_RTT, LINE_SRTT, LINE_OWD, LINE_ECE, LINE_DACK,
		 LINE_CA, LINE_LOSS, LINE_RTX, LINE_KINDS };

static const struct {
	const char *name;
	uint64_t low, high;
} line_kinds[LINE_KINDS] = {
	[LINE_ACK] = { "ACK", 0, UINT64_C(1) << 62 },
	[LINE_UNA] = { "UNA", 0, UINT32_MAX },
	[LINE_DUP] = { "DUP", 0, UINT32_MAX },
	[LINE_RTT] = { "RTT", 1, INT32_MAX },
	[LINE_SRTT] = { "SRTT", 1, INT32_MAX },
	[LINE_OWD] = { "OWD", 0, INT32_MAX },
	[LINE_ECE] = { "ECE", 1, 1 },
	[LINE_DACK] = { "DACK", 0, UINT64_C(1) << 62 },
	[LINE_CA] = { "CA", 0, 4 },
	[LINE_LOSS] = { "LOSS", 1, INT32_MAX },
	[LINE_RTX] = { "RTX", 1, INT32_MAX },
};

struct line {
	int64_t time_ns;
	uint32_t token;
	int32_t subflow;
	enum line_kind kind;
	int64_t value;
};

/* An event of a connection; `place` is the subflow's number until all of them are known. */
struct told {
	uint32_t token;
	struct sbd_event event;
	size_t order;
};

/* A subflow, and what belongs to one ACK of it. */
struct subflow {
	uint32_t token;
	int32_t number;
	int64_t end_ns;
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

static int tell(const struct subflow *s, int64_t time_ns, enum sbd_kind kind, int64_t value)
{
	struct told *told = added(&all_told, sizeof(*told));

	if (!told)
		return -ENOMEM;
	told->token = s->token;
	told->event.time_ns = time_ns;
	told->event.place = s->number;
	told->event.kind = kind;
	told->event.value = value;
	told->order = all_told.size;
	return 0;
}

/* Tell what one ACK tells. */
static int flush(struct subflow *s)
{
	int64_t newly_bytes = s->acked_bytes - s->row_acked_bytes;
	int failed;

	if (!s->has_row)
		return 0;
	s->has_row = false;
	s->row_acked_bytes = s->acked_bytes;
	failed = tell(s, s->row_ns, SBD_ACK, s->acked_bytes);
	if (!failed && s->seen & 1U << LINE_ECE)
		failed = tell(s, s->row_ns, SBD_MARK, newly_bytes);
	if (!failed && s->seen & 1U << LINE_RTT)
		failed = tell(s, s->row_ns, SBD_RTT, s->rtt_us);
	if (!failed && s->seen & 1U << LINE_OWD)
		failed = tell(s, s->row_ns, SBD_OWD, s->owd_us);
	return failed;
}

static int start_row(struct subflow *s, int64_t time_ns)
{
	int failed = flush(s);

	s->has_row = true;
	s->has_ack = false;
	s->row_ns = time_ns;
	s->seen = 0;
	return failed;
}

/* The number nearest to one before whose low 32 bits are given. */
static int64_t unwrapped(int64_t before, int64_t low)
{
	uint64_t ahead = ((uint64_t)low - (uint64_t)before + WRAP / 2) % WRAP;

	return before + (int64_t)ahead - WRAP / 2;
}

static void acknowledge(struct subflow *s, const struct line *line)
{
	int64_t value = line->value;

	if (line->kind == LINE_UNA) {
		if (!s->has_base)
			s->base = value;
		s->has_base = true;
		value = unwrapped(s->base + s->acked_bytes, value) - s->base;
	} else if (value < WRAP && s->acked_bytes - value > WRAP / 2) {
		value = unwrapped(s->acked_bytes, value);
	}
	if (value > s->acked_bytes)
		s->acked_bytes = value;
}

static int take_ack(struct subflow *s, const struct line *line)
{
	int failed = 0;

	if (!s->has_row || s->row_ns != line->time_ns || s->has_ack)
		failed = start_row(s, line->time_ns);
	s->has_ack = true;
	if (line->kind != LINE_DUP)
		acknowledge(s, line);
	return failed;
}

static int take_attribute(struct subflow *s, const struct line *line)
{
	int failed = 0;

	if (!s->has_row || s->row_ns != line->time_ns || s->seen & 1U << line->kind)
		failed = start_row(s, line->time_ns);
	s->seen |= 1U << line->kind;
	if (line->kind == LINE_RTT)
		s->rtt_us = line->value;
	else if (line->kind == LINE_OWD)
		s->owd_us = line->value;
	return failed;
}

static int take(struct subflow *s, const struct line *line)
{
	switch (line->kind) {
	case LINE_ACK:
	case LINE_UNA:
	case LINE_DUP:
		return take_ack(s, line);
	case LINE_CA:
		return tell(s, line->time_ns, SBD_CA, line->value);
	case LINE_LOSS:
		return tell(s, line->time_ns, SBD_LOSS, line->value);
	case LINE_RTX:
		return 0;
	default:
		return take_attribute(s, line);
	}
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

	for (kind = 0; kind < LINE_KINDS; kind++)
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
	line->kind = (enum line_kind)kind;
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

	if (a->token != b->token)
		return a->token < b->token ? -1 : 1;
	if (a->event.time_ns != b->event.time_ns)
		return a->event.time_ns < b->event.time_ns ? -1 : 1;
	if (a->event.kind != b->event.kind)
		return a->event.kind < b->event.kind ? -1 : 1;
	if (a->event.place != b->event.place)
		return a->event.place < b->event.place ? -1 : 1;
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
		const struct subflow *s = (struct subflow *)all_subflows.element + i;
		bool tells = false;
		size_t j;

		for (j = 0; j < size && !tells; j++) {
			const struct told *told = (struct told *)all_told.element + j;

			tells = told->token == s->token && told->event.kind == SBD_LOSS;
		}
		for (j = 0; j < size && !tells; j++) {
			const struct told told = ((struct told *)all_told.element)[j];

			if (told.token == s->token && told.event.place == s->number &&
			    told.event.kind == SBD_CA && told.event.value >= SBD_STATE_RECOVERY &&
			    tell(s, told.event.time_ns, SBD_LOSS, 1))
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

	for (i = 0; i < all_subflows.size && !failed; i++)
		failed = flush((struct subflow *)all_subflows.element + i);
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
