// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * DWC-R, after Dynamic Window Coupling (Hassayoun, Iyengar, Ros, ICNP 2011): subflows that lose
 * together share. Twin of detectors/dwc.py, where the rules and the parameters are
 * explained.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "baseline.h"

#define FIRST_CAPACITY	16
#define SPAN_LIMIT_S	1e9

enum delay_rule { AND_RECENT, AND, OR, LOSS_ONLY };
enum init { SEPARATE, TOGETHER };
enum triggers { RECOVERY, RECOVERY_AND_LOSS };

static const char *const delay_rules[] = { "and_recent", "and", "or", "loss_only", NULL };
static const char *const inits[] = { "separate", "together", NULL };
static const char *const all_triggers[] = { "recovery", "recovery_and_loss", NULL };

struct coupling {
	double theta;
	double kappa;
	int delay_rule;
	int64_t n_leave;
	int init;
	struct sbd_optional_double age_s;
	int triggers;
	struct sbd_optional_double extremes_s;
};

#define COUPLING(type, name)	{ #name, type, offsetof(struct coupling, name), NULL }
#define COUPLING_OF(name, choices)	\
	{ #name, SBD_CHOICE, offsetof(struct coupling, name), choices }

static const struct sbd_parameter parameters[] = {
	COUPLING(SBD_DOUBLE, theta),
	COUPLING(SBD_DOUBLE, kappa),
	COUPLING_OF(delay_rule, delay_rules),
	COUPLING(SBD_INT, n_leave),
	COUPLING_OF(init, inits),
	COUPLING(SBD_OPTIONAL_DOUBLE, age_s),
	COUPLING_OF(triggers, all_triggers),
	COUPLING(SBD_OPTIONAL_DOUBLE, extremes_s),
	{ .name = NULL }
};

static const struct coupling defaults = {
	.theta = 0.5,
	.kappa = 1,
	.delay_rule = AND_RECENT,
	.n_leave = 1,
	.init = SEPARATE,
	.triggers = RECOVERY_AND_LOSS,
};

struct sample {
	int64_t time_ns;
	int64_t rtt_us;
};

/* Samples that are, or may yet become, the smallest or the largest of those looked back on. */
struct samples {
	struct sample *sample;
	size_t first, end, capacity;
};

struct path {
	int64_t srtt_eighth_us;
	int64_t min_us, max_us;
	struct samples lowest, highest;
	bool has_lost;
	int64_t loss_ns;		/* of the last loss event */
	int64_t news_ns;		/* of the last loss event or answer yes */
	int64_t ca_state;
};

/* An answer that waits for a loss. */
struct waiting {
	int64_t until_ns;
	unsigned int asking, asked;
};

struct answer {
	unsigned int asking, asked;
};

struct answers {
	struct answer *answer;
	size_t size, capacity;
};

struct dwc {
	const struct coupling *coupling;
	struct sbd_opinions *said;
	struct path *path;
	int *set;			/* of each subflow */
	int64_t *failures;		/* of each ordered pair */
	struct waiting *waiting;
	size_t waiting_size, waiting_capacity;
	struct answers failed, held;	/* scratch of one moment */
	bool begun;
	int64_t age_ns;
	int64_t extremes_ns;
	int64_t due_ns;
};

/* More room for elements of a size, if there is none for one more; the old ones, or NULL. */
static void *roomy(void *elements, size_t size, size_t *capacity, size_t element_size)
{
	size_t wanted = *capacity ? 2 * *capacity : FIRST_CAPACITY;

	if (size < *capacity)
		return elements;
	elements = realloc(elements, wanted * element_size);
	if (elements)
		*capacity = wanted;
	return elements;
}

static void add_answer(struct dwc *d, struct answers *answers, unsigned int asking,
		       unsigned int asked)
{
	struct answer *answer = roomy(answers->answer, answers->size, &answers->capacity,
				      sizeof(*answer));

	if (!answer) {
		d->said->error = -ENOMEM;
		return;
	}
	answers->answer = answer;
	answer[answers->size].asking = asking;
	answer[answers->size++].asked = asked;
}

static void wait_for(struct dwc *d, int64_t until_ns, unsigned int asking, unsigned int asked)
{
	struct waiting *waiting = roomy(d->waiting, d->waiting_size, &d->waiting_capacity,
					sizeof(*waiting));

	if (!waiting) {
		d->said->error = -ENOMEM;
		return;
	}
	d->waiting = waiting;
	waiting[d->waiting_size].until_ns = until_ns;
	waiting[d->waiting_size].asking = asking;
	waiting[d->waiting_size++].asked = asked;
}

static void add_sample(struct dwc *d, struct samples *kept, int64_t time_ns, int64_t rtt_us)
{
	struct sample *sample;

	/* Half of the room and more has been looked at: move back to its beginning. */
	if (kept->end == kept->capacity && kept->first >= kept->capacity / 2 && kept->first) {
		memmove(kept->sample, kept->sample + kept->first,
			(kept->end - kept->first) * sizeof(*sample));
		kept->end -= kept->first;
		kept->first = 0;
	}
	sample = roomy(kept->sample, kept->end, &kept->capacity, sizeof(*sample));
	if (!sample) {
		d->said->error = -ENOMEM;
		return;
	}
	kept->sample = sample;
	sample[kept->end].time_ns = time_ns;
	sample[kept->end++].rtt_us = rtt_us;
	while (sample[kept->first].time_ns < time_ns - d->extremes_ns)
		kept->first++;
}

/* Whether a subflow is in a set with others. */
static bool accompanied(const struct dwc *d, unsigned int place)
{
	unsigned int i;

	for (i = 0; i < d->said->subflows; i++)
		if (i != place && d->set[i] == d->set[place])
			return true;
	return false;
}

static int64_t next_due_ns(const struct dwc *d)
{
	int64_t due_ns = SBD_NEVER;
	unsigned int i;
	size_t j;

	for (i = 0; d->coupling->age_s.given && i < d->said->subflows; i++)
		if (d->path[i].news_ns + d->age_ns < due_ns && accompanied(d, i))
			due_ns = d->path[i].news_ns + d->age_ns;
	for (j = 0; j < d->waiting_size; j++)
		if (d->waiting[j].until_ns < due_ns)
			due_ns = d->waiting[j].until_ns;
	return due_ns;
}

/*
 * Make a subflow a set by itself: there are never more sets than subflows, so one number is free.
 */
static void leave(struct dwc *d, unsigned int place)
{
	bool used[SBD_SUBFLOWS_LIMIT + 1] = { false };
	unsigned int subflows = d->said->subflows, i;
	int set = 0;

	for (i = 0; i < subflows; i++)
		used[d->set[i]] = true;
	while (used[set])
		set++;
	d->set[place] = set;
	for (i = 0; i < subflows; i++)
		d->failures[place * subflows + i] = d->failures[i * subflows + place] = 0;
}

static void join(struct dwc *d, int64_t time_ns, unsigned int one, unsigned int other)
{
	unsigned int subflows = d->said->subflows, i;
	int joined = d->set[one], left = d->set[other];

	for (i = 0; i < subflows; i++)
		if (d->set[i] == left)
			d->set[i] = joined;
	d->path[one].news_ns = d->path[other].news_ns = time_ns;
	d->failures[one * subflows + other] = d->failures[other * subflows + one] = 0;
}

/*
 * Take what failed and held at one moment, and subflows whose news is old; say what sets there are
 * now.
 */
static void act(struct dwc *d, int64_t time_ns, bool leaving[SBD_SUBFLOWS_LIMIT])
{
	unsigned int subflows = d->said->subflows, place;
	size_t i;

	for (i = 0; i < d->failed.size; i++) {
		const struct answer *no = &d->failed.answer[i];

		if (d->set[no->asking] == d->set[no->asked] &&
		    ++d->failures[no->asking * subflows + no->asked] >= d->coupling->n_leave)
			leaving[no->asking] = true;
	}
	for (place = 0; place < subflows; place++)
		if (leaving[place])
			leave(d, place);
	for (i = 0; i < d->held.size; i++)
		join(d, time_ns, d->held.answer[i].asking, d->held.answer[i].asked);
	d->failed.size = d->held.size = 0;
	sbd_say(d->said, time_ns, d->set);
	d->due_ns = next_due_ns(d);
}

/* Take answers out that wait until a time, or for a subflow, whichever is given. */
static void answer_waiting(struct dwc *d, struct answers *answers, int64_t until_ns, int asked)
{
	size_t i, kept = 0;

	for (i = 0; i < d->waiting_size; i++) {
		const struct waiting *one = &d->waiting[i];

		if (one->until_ns == until_ns || (int)one->asked == asked)
			add_answer(d, answers, one->asking, one->asked);
		else
			d->waiting[kept++] = *one;
	}
	d->waiting_size = kept;
}

/* Act on pending answers that no loss came for, and on age. */
static void advance(void *state, int64_t time_ns)
{
	struct dwc *d = state;

	while (d->begun && d->due_ns <= time_ns && !d->said->error) {
		bool leaving[SBD_SUBFLOWS_LIMIT] = { false };
		int64_t due_ns = d->due_ns;
		unsigned int i;

		answer_waiting(d, &d->failed, due_ns, -1);
		for (i = 0; d->coupling->age_s.given && i < d->said->subflows; i++)
			leaving[i] = due_ns - d->path[i].news_ns >= d->age_ns && accompanied(d, i);
		act(d, due_ns, leaving);
	}
}

/* Do what was due before an event: with the first one, begin. */
static void catch_up(struct dwc *d, int64_t time_ns)
{
	unsigned int i;

	if (!d->begun) {
		bool leaving[SBD_SUBFLOWS_LIMIT] = { false };

		d->begun = true;
		for (i = 0; i < d->said->subflows; i++)
			d->path[i].news_ns = time_ns;
		act(d, time_ns, leaving);
	}
	advance(d, time_ns - 1);
}

static bool is_high(const struct path *path, double theta)
{
	return (double)(path->srtt_eighth_us - 8 * path->min_us) >
		theta * (double)(8 * (path->max_us - path->min_us));
}

/* Whether two subflows lose together; SBD_UNSAID if a coming loss decides. */
static enum sbd_said together(enum delay_rule rule, bool recent, bool high)
{
	switch (rule) {
	case LOSS_ONLY:
		return recent ? SBD_TOGETHER : SBD_UNSAID;
	case OR:
		return recent || high ? SBD_TOGETHER : SBD_UNSAID;
	case AND:
		if (!high)
			return SBD_APART;
		return recent ? SBD_TOGETHER : SBD_UNSAID;
	case AND_RECENT:
		if (recent)
			return SBD_TOGETHER;
		return high ? SBD_UNSAID : SBD_APART;
	}
	return SBD_UNSAID;
}

/* Take a loss event: it answers what waits for it, and asks anew. */
static void lose(struct dwc *d, int64_t time_ns, unsigned int place)
{
	bool leaving[SBD_SUBFLOWS_LIMIT] = { false };
	struct path *own = &d->path[place];
	unsigned int i;

	own->has_lost = true;
	own->loss_ns = own->news_ns = time_ns;
	answer_waiting(d, &d->held, SBD_NEVER, (int)place);
	for (i = 0; i < d->said->subflows; i++) {
		const struct path *other = &d->path[i];
		int64_t srtt_eighth_us, window_ns;
		bool recent;

		if (i == place || !own->srtt_eighth_us || !other->srtt_eighth_us)
			continue;
		srtt_eighth_us = own->srtt_eighth_us > other->srtt_eighth_us ?
			own->srtt_eighth_us : other->srtt_eighth_us;
		window_ns = (int64_t)floor(d->coupling->kappa * (double)srtt_eighth_us *
					   SBD_NS_PER_EIGHTH_US);
		recent = other->has_lost && time_ns - other->loss_ns <= window_ns;
		switch (together(d->coupling->delay_rule, recent,
				 is_high(other, d->coupling->theta))) {
		case SBD_UNSAID:
			wait_for(d, time_ns + window_ns, place, i);
			break;
		case SBD_TOGETHER:
			add_answer(d, &d->held, place, i);
			break;
		case SBD_APART:
			add_answer(d, &d->failed, place, i);
			break;
		}
	}
	act(d, time_ns, leaving);
}

static void on_rtt(struct dwc *d, const struct sbd_event *event)
{
	struct path *path = &d->path[event->place];
	struct samples *lowest = &path->lowest, *highest = &path->highest;
	int64_t rtt_us = event->value;

	path->srtt_eighth_us = sbd_smoothed(path->srtt_eighth_us, rtt_us);
	if (!d->coupling->extremes_s.given) {
		if (rtt_us < path->min_us)
			path->min_us = rtt_us;
		if (rtt_us > path->max_us)
			path->max_us = rtt_us;
		return;
	}
	while (lowest->end > lowest->first && lowest->sample[lowest->end - 1].rtt_us >= rtt_us)
		lowest->end--;
	while (highest->end > highest->first && highest->sample[highest->end - 1].rtt_us <= rtt_us)
		highest->end--;
	add_sample(d, lowest, event->time_ns, rtt_us);
	add_sample(d, highest, event->time_ns, rtt_us);
	if (d->said->error)
		return;
	path->min_us = lowest->sample[lowest->first].rtt_us;
	path->max_us = highest->sample[highest->first].rtt_us;
}

static void on_state(struct dwc *d, const struct sbd_event *event)
{
	struct path *path = &d->path[event->place];
	bool begins = sbd_loss_begins(&path->ca_state, event->value);

	if (begins && (event->value == SBD_STATE_RECOVERY ||
		       (event->value == SBD_STATE_LOSS &&
			d->coupling->triggers == RECOVERY_AND_LOSS)))
		lose(d, event->time_ns, (unsigned int)event->place);
}

static void on_event(void *state, const struct sbd_event *event)
{
	struct dwc *d = state;

	if (event->time_ns > d->due_ns)
		catch_up(d, event->time_ns);
	if (event->kind == SBD_RTT)
		on_rtt(d, event);
	else
		on_state(d, event);
}

static bool is_span(const struct sbd_optional_double *span_s)
{
	return !span_s->given || (span_s->value > 0 && span_s->value <= SPAN_LIMIT_S);
}

static bool possible(const void *values)
{
	const struct coupling *coupling = values;

	return coupling->theta >= 0 && coupling->theta <= 1 && coupling->kappa > 0 &&
		coupling->kappa <= SBD_SRTTS_LIMIT && coupling->n_leave >= 1 &&
		is_span(&coupling->age_s) && is_span(&coupling->extremes_s);
}

static uint32_t wanted(const void *values)
{
	(void)values;
	return SBD_KIND_BIT(SBD_RTT) | SBD_KIND_BIT(SBD_CA);
}

static void destroy(void *state)
{
	struct dwc *d = state;
	unsigned int i;

	for (i = 0; d->path && i < d->said->subflows; i++) {
		free(d->path[i].lowest.sample);
		free(d->path[i].highest.sample);
	}
	free(d->path);
	free(d->set);
	free(d->failures);
	free(d->waiting);
	free(d->failed.answer);
	free(d->held.answer);
	free(d);
}

static void *create(const void *values, unsigned int subflows, struct sbd_opinions *said)
{
	const struct coupling *coupling = values;
	struct dwc *d = calloc(1, sizeof(*d));
	unsigned int i;

	if (!d)
		return NULL;
	d->coupling = coupling;
	d->said = said;
	d->path = calloc(subflows, sizeof(*d->path));
	d->set = calloc(subflows, sizeof(*d->set));
	d->failures = calloc((size_t)subflows * subflows, sizeof(*d->failures));
	if (!d->path || !d->set || !d->failures) {
		destroy(d);
		return NULL;
	}
	for (i = 0; i < subflows; i++) {
		d->path[i].min_us = INT64_MAX;
		d->set[i] = coupling->init == SEPARATE ? (int)i : 0;
	}
	d->age_ns = llrint(coupling->age_s.value * SBD_NS_PER_S);
	d->extremes_ns = llrint(coupling->extremes_s.value * SBD_NS_PER_S);
	d->due_ns = -1;
	return d;
}

const struct sbd_baseline sbd_dwc = {
	.name = "dwc-r",
	.parameters = parameters,
	.parameters_size = sizeof(struct coupling),
	.defaults = &defaults,
	.possible = possible,
	.wanted = wanted,
	.create = create,
	.on_event = on_event,
	.advance = advance,
	.destroy = destroy,
};
