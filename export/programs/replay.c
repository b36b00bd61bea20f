/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * replay - run an exported model on recorded signals, as a sender would
 *
 * Build it beside the headers, for one of them or for models from files:
 *
 *	cc -O2 -DSBD_MODEL=sbd_tree_paper -o replay replay.c
 *	cc -O2 -o replay replay.c
 *
 *	replay [-f] < events > decisions
 *	replay [-f] MODEL-FILE < events > decisions
 *	replay -x [MODEL-FILE] < rows > verdicts
 *
 * An event is a line, those of a connection in order of time:
 *
 *	<ns> C=<token, hex> SF=<n> V=RTT <us>
 *	<ns> C=<token, hex> SF=<n> V=ACK <bytes acknowledged>
 *	<ns> C=<token, hex> SF=<n> V=CA <congestion state, 0 to 4>
 *	<ns> C=<token, hex> SF=<n> V=WINDOW <n>	begin windows of two subflows anew
 *	<ns> C=<token, hex> SF=0 V=END 0	the connection ends
 *
 * Other kinds are counted and left out. A connection without END ends with its
 * last event. A decision is a line, and the partition in the end another one:
 *
 *	C=<token> SF=<n>,<n> <start, ns> <length, ns> SB|NSB [feature=value ...]
 *	C=<token> GROUPS <n>:<group> ...
 *
 * -f prints the features the model takes.
 * -x reads rows of SBD_FEATURES little-endian 32-bit integers within SBD_FEATURE_LIMIT, and
 * writes a byte a row.
 * What was refused is counted on standard error; with any, it exits with 2.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef SBD_SUBFLOWS
#define SBD_SUBFLOWS	8
#endif

/* First, so that it is the header's own pieces that run. */
#ifdef SBD_MODEL
#define TEXT_OF(x)	#x
#define TEXT(x)		TEXT_OF(x)
#define JOIN_OF(x, y)	x##y
#define JOIN(x, y)	JOIN_OF(x, y)
#include TEXT(SBD_MODEL.h)
#define JUDGE		JOIN(SBD_MODEL, _judge)
#endif
#include "sbd_loaded.h"

#define CONNECTIONS	256	/* at one time */
#define LINE		256
#define BAD_LINE	(-1)
#define NO_LINE		(-2)
#define FILE_LIMIT	(1 << 24)

enum status {
	DONE = 0,
	FAILED = 1,
	REFUSED = 2
};

struct event {
	sbd_u64 now_ns;
	sbd_u64 token;
	sbd_u32 subflow;
	char kind[8];
	sbd_u64 value;
};

struct replayed {
	sbd_u64 token;
	struct sbd_connection connection;
};

struct counts {
	sbd_u64 lines;
	sbd_u64 left_out;
	sbd_u64 refused;
	sbd_u64 decided;
	sbd_u64 rejected;
	sbd_u64 missed;
};

static struct replayed *replayed[CONNECTIONS];
static struct sbd_scratch scratch;
static struct sbd_loaded loaded;
static struct counts counts;
static int with_features;


static const char *text_of(enum sbd_refusal why)
{
	switch (why) {
	case SBD_LOADED:
		return "a model";
	case SBD_NOT_A_MODEL:
		return "no model file";
	case SBD_OTHER_VERSION:
		return "a model file of another version";
	case SBD_DAMAGED:
		return "damaged: its length or its checksum is wrong";
	case SBD_UNKNOWN_FEATURE:
		return "a model of features this program does not know";
	case SBD_TOO_LARGE:
		return "too large a model";
	case SBD_BAD_NODE:
		return "damaged: a node leads nowhere, back, or to no feature";
	}
	return "unknown";
}

/* Read a model file; 0, or an error that has been told. */
static int load(const char *path)
{
	static sbd_u8 level[SBD_LOADED_WORDS];
	enum sbd_refusal why;
	FILE *file = fopen(path, "rb");
	sbd_u8 *bytes = malloc(FILE_LIMIT + 1);
	size_t size;

	if (!file || !bytes) {
		fprintf(stderr, "replay: %s: %s\n", path, strerror(errno));
		free(bytes);
		if (file)
			fclose(file);
		return -1;
	}
	size = fread(bytes, 1, FILE_LIMIT + 1, file);
	if (ferror(file)) {
		fprintf(stderr, "replay: %s: %s\n", path, strerror(errno));
		free(bytes);
		fclose(file);
		return -1;
	}
	fclose(file);
	why = size > FILE_LIMIT ? SBD_TOO_LARGE : sbd_load(&loaded, bytes, (sbd_u32)size, level);
	free(bytes);
	if (why != SBD_LOADED)
		fprintf(stderr, "replay: %s: refused, %s\n", path, text_of(why));
	return why == SBD_LOADED ? 0 : -1;
}

/* The model at work: the header's, or the file's. */
static enum sbd_verdict judge(const struct sbd_window *window, const void *model,
			      struct sbd_scratch *memory)
{
#ifdef SBD_MODEL
	if (!loaded.trees)
		return JUDGE(window, model, memory);
#endif
	return sbd_loaded_judge(window, model, memory);
}

static enum sbd_verdict verdict_on(struct sbd_scratch *row)
{
#ifdef SBD_MODEL
	if (!loaded.trees)
		return SBD_MODEL(row->x);
#endif
	return sbd_votes(loaded.node, loaded.root, loaded.trees, loaded.depth, row->x) >
		loaded.trees * (sbd_u64)(SBD_ALL_FOR / 2) ? SBD_SHARED : SBD_NOT_SHARED;
}

static int replay_rows(void)
{
	sbd_u8 bytes[4 * SBD_FEATURES];
	size_t got;
	sbd_u32 i;

	while ((got = fread(bytes, 1, sizeof(bytes), stdin)) == sizeof(bytes)) {
		for (i = 0; i < SBD_FEATURES; i++) {
			scratch.x[i] = (sbd_s32)sbd_le32(bytes + 4 * i);
			if (scratch.x[i] < -SBD_FEATURE_LIMIT || scratch.x[i] > SBD_FEATURE_LIMIT) {
				fprintf(stderr, "replay: a value that no feature has\n");
				return REFUSED;
			}
		}
		if (putchar(verdict_on(&scratch)) == EOF)
			return FAILED;
	}
	if (got) {
		fprintf(stderr, "replay: the last row is cut off\n");
		return REFUSED;
	}
	return ferror(stdin) || fflush(stdout) ? FAILED : DONE;
}

/* A number and the character behind it; where it goes on, NULL if there is none. */
static const char *number(const char *text, int base, char until, sbd_u64 *value)
{
	char *behind;

	if (!(*text >= '0' && *text <= '9') && !(base == 16 && *text >= 'a' && *text <= 'f'))
		return NULL;
	errno = 0;
	*value = strtoull(text, &behind, base);
	if (errno || *behind != until)
		return NULL;
	return until ? behind + 1 : behind;
}

static const char *skipped(const char *text, const char *word)
{
	size_t size = strlen(word);

	return strncmp(text, word, size) ? NULL : text + size;
}

static int is(const struct event *event, const char *kind)
{
	return !strcmp(event->kind, kind);
}

/* Whether a sender's clock and signals can be so. */
static int possible(const struct event *event)
{
	if (event->now_ns >> 62)
		return 0;
	if (is(event, "RTT"))
		return event->value && event->value <= UINT32_MAX;
	if (is(event, "CA"))
		return event->value <= 4;
	return !is(event, "WINDOW") || event->value <= UINT32_MAX;
}

/* 0, or -1 if the line is no event. */
static int parse(const char *line, struct event *event)
{
	const char *at;
	size_t size;
	sbd_u64 subflow;

	at = number(line, 10, ' ', &event->now_ns);
	if (!at || !(at = skipped(at, "C=")) || !(at = number(at, 16, ' ', &event->token)) ||
	    !(at = skipped(at, "SF=")) || !(at = number(at, 10, ' ', &subflow)) ||
	    subflow > UINT32_MAX || !(at = skipped(at, "V=")))
		return -1;
	event->subflow = (sbd_u32)subflow;
	size = strcspn(at, " ");
	if (!size || size >= sizeof(event->kind) || at[size] != ' ')
		return -1;
	memcpy(event->kind, at, size);
	event->kind[size] = 0;
	return number(at + size + 1, 10, 0, &event->value) && possible(event) ? 0 : -1;
}

/* Bits of the features the model takes. */
static sbd_u32 wanted(void)
{
#ifdef SBD_MODEL
	if (!loaded.trees)
		return JOIN(SBD_MODEL, _wanted);
#endif
	return loaded.wanted;
}

static void tell(const struct replayed *r, const struct sbd_pair *p)
{
	const struct sbd_window *w = sbd_judged(p);
	sbd_u32 i;

	printf("C=%" PRIx64 " SF=%" PRIu32 ",%" PRIu32 " %" PRIu64 " %" PRIu64 " %s", r->token,
	       r->connection.subflow[p->subflow[0]].id, r->connection.subflow[p->subflow[1]].id,
	       w->start_ns, w->window_ns, p->verdict == SBD_SHARED ? "SB" : "NSB");
	for (i = 0; with_features && i < SBD_FEATURES; i++)
		if (wanted() & SBD_BIT(i))
			printf(" %s=%" PRId32, sbd_feature_name[i], scratch.x[i]);
	putchar('\n');
}

static sbd_u32 pairs_of(const struct sbd_connection *c)
{
	return c->subflows * (c->subflows - 1) / 2;
}

static void decide(struct replayed *r, sbd_u64 now_ns)
{
	struct sbd_connection *c = &r->connection;
	sbd_u32 i;

	c->now_ns = now_ns;
	for (i = 0; i < pairs_of(c); i++)
		while (sbd_decide_pair(c, &c->pair[i], now_ns, judge, &loaded, &scratch))
			tell(r, &c->pair[i]);
}

static void finish(struct replayed *r, sbd_u64 end_ns)
{
	struct sbd_connection *c = &r->connection;
	sbd_u8 group[SBD_SUBFLOWS];
	sbd_u32 i;

	for (i = 0; i < pairs_of(c); i++) {
		struct sbd_pair *p = &c->pair[i];

		while (sbd_finish_pair(c, p, end_ns, judge, &loaded, &scratch))
			tell(r, p);
		counts.decided += p->decided;
		counts.rejected += p->rejected;
		counts.missed += p->missed;
	}
	counts.refused += c->refused;
	sbd_groups(c, group);
	printf("C=%" PRIx64 " GROUPS", r->token);
	for (i = 0; i < c->subflows; i++) {
		printf(" %" PRIu32 ":", c->subflow[i].id);
		if (group[i] == SBD_NO_GROUP)
			putchar('-');
		else
			printf("%d", group[i]);
	}
	putchar('\n');
	free(r);
}

/* A connection's place; CONNECTIONS if there are too many, or no memory. */
static sbd_u32 place_of(sbd_u64 token)
{
	sbd_u32 i, empty = CONNECTIONS;

	for (i = 0; i < CONNECTIONS; i++) {
		if (!replayed[i])
			empty = empty < i ? empty : i;
		else if (replayed[i]->token == token)
			return i;
	}
	if (empty < CONNECTIONS) {
		replayed[empty] = calloc(1, sizeof(struct replayed));
		if (!replayed[empty])
			return CONNECTIONS;
		replayed[empty]->token = token;
	}
	return empty;
}

/* A subflow's place; -1 if there are too many. */
static int subflow_of(struct sbd_connection *c, sbd_u32 id)
{
	sbd_u32 i;

	for (i = 0; i < c->subflows; i++)
		if (c->subflow[i].id == id)
			return (int)i;
	return sbd_add_subflow(c, id);
}

/* 0, or -1 if it cannot be taken. */
static int take(const struct event *event)
{
	sbd_u32 place = place_of(event->token);
	struct sbd_connection *c;
	struct replayed *r;
	int subflow, other;

	if (place == CONNECTIONS)
		return -1;
	r = replayed[place];
	c = &r->connection;
	if (is(event, "END")) {
		if (event->now_ns < c->now_ns)
			return -1;
		replayed[place] = NULL;
		finish(r, event->now_ns);
		return 0;
	}
	subflow = subflow_of(c, event->subflow);
	if (subflow < 0)
		return -1;
	if (!is(event, "RTT") && !is(event, "ACK") && !is(event, "CA") && !is(event, "WINDOW")) {
		counts.left_out++;
		return 0;
	}
	if (event->now_ns < c->now_ns)
		return -1;
	/* Before the signal is taken: it may end the window after the one that is complete now. */
	decide(r, event->now_ns);
	if (is(event, "RTT")) {
		sbd_on_rtt(c, (sbd_u32)subflow, event->now_ns, (sbd_u32)event->value);
	} else if (is(event, "ACK")) {
		sbd_on_ack(c, (sbd_u32)subflow, event->now_ns, event->value);
	} else if (is(event, "CA")) {
		sbd_on_state(c, (sbd_u32)subflow, event->now_ns, (sbd_u8)event->value);
	} else {
		other = subflow_of(c, (sbd_u32)event->value);
		if (other < 0 || other == subflow ||
		    sbd_restart(c, &c->pair[sbd_pair_of((sbd_u32)subflow, (sbd_u32)other)],
				event->now_ns))
			return -1;
	}
	return 0;
}

/*
 * A line without its end; its length, BAD_LINE if it is too long or holds a zero, NO_LINE at the
 * end.
 */
static int read_line(char line[LINE])
{
	size_t size = 0;
	int c;

	while ((c = getchar_unlocked()) != EOF && c != '\n') {
		if (size < LINE)
			line[size] = (char)c;
		size++;
	}
	if (c == EOF && !size)
		return NO_LINE;
	if (size >= LINE)
		return BAD_LINE;
	line[size] = 0;
	return memchr(line, 0, size) ? BAD_LINE : (int)size;
}

static int replay_events(void)
{
	static char line[LINE];
	struct event event;
	int size;
	sbd_u32 i;

	while ((size = read_line(line)) != NO_LINE) {
		counts.lines++;
		if (size < 0 || parse(line, &event) || take(&event))
			counts.refused++;
	}
	for (i = 0; i < CONNECTIONS; i++)
		if (replayed[i])
			finish(replayed[i], replayed[i]->connection.now_ns);
	fprintf(stderr,
		"replay: lines %" PRIu64 ", left out %" PRIu64 ", refused %" PRIu64 ", decided %" PRIu64
		", rejected %" PRIu64 ", missed %" PRIu64 "\n",
		counts.lines, counts.left_out, counts.refused, counts.decided, counts.rejected,
		counts.missed);
	if (ferror(stdin) || fflush(stdout))
		return FAILED;
	return counts.refused || counts.missed ? REFUSED : DONE;
}

int main(int argc, char **argv)
{
	int rows = 0, i;

	for (i = 1; i < argc && argv[i][0] == '-'; i++) {
		if (!strcmp(argv[i], "-f")) {
			with_features = 1;
		} else if (!strcmp(argv[i], "-x")) {
			rows = 1;
		} else {
			fprintf(stderr, "usage: replay [-f | -x] [MODEL-FILE]\n");
			return FAILED;
		}
	}
	if (i < argc && load(argv[i]))
		return FAILED;
#ifndef SBD_MODEL
	if (!loaded.trees) {
		fprintf(stderr, "replay: a model file is needed\n");
		return FAILED;
	}
#endif
	return rows ? replay_rows() : replay_events();
}
