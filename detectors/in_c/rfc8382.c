// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Shared Bottleneck Detection by summary statistics of one-way delay (RFC 8382)
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rfc8382.h"

/* Payload of a full packet with timestamps on Ethernet: the unit packets are counted in. */
#define PACKET_BYTES		1448
#define INTERVALS_LIMIT		65536
#define EXACT_IN_DOUBLE		(INT64_C(1) << 53)

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 unsigned_wide;

const char *const sbd_delays[] = { "rtt", "owd", NULL };
const char *const sbd_loss_differences[] = { "relative", "absolute", NULL };
const char *const sbd_loss_steps[] = { "after", "instead", NULL };
const char *const sbd_loss_froms[] = { "above", "p_l", NULL };
const char *const sbd_noises[] = { "kept", "removed", "rfc_literal", NULL };
const char *const sbd_frequencies_over[] = { "ring", "nonempty", NULL };

/* What an interval leaves behind; the newest stands at `newest`, and so on backwards. */
struct parts {
	double (*part)[2];
	unsigned int newest, size, capacity;
};

enum crossing { NOT_CROSSED, CROSSED, EMPTY };

struct sbd_flow {
	/* Of the interval that runs. */
	wide sum_us;
	int64_t count;
	int64_t skew;
	double deviation_us;
	int64_t lost;
	int64_t delivered_bytes;

	bool has_mean;
	double mean_us;			/* valid at the start of the interval */
	double last_mean_us;		/* of the last interval */
	int64_t acked_bytes;
	struct parts means;		/* first members only */
	struct parts skews;
	struct parts deviations;
	struct parts losses;
	unsigned char *crossing;	/* ring of n */
	unsigned int crossings, next_crossing;
	bool at_bottleneck;
	int side;
};

static int parts_init(struct parts *parts, int64_t capacity)
{
	parts->capacity = (unsigned int)capacity;
	parts->part = calloc(parts->capacity, sizeof(*parts->part));
	return parts->part ? 0 : -ENOMEM;
}

static void parts_add(struct parts *parts, double upper, double lower)
{
	if (++parts->newest >= parts->capacity)
		parts->newest = 0;
	parts->part[parts->newest][0] = upper;
	parts->part[parts->newest][1] = lower;
	if (parts->size < parts->capacity)
		parts->size++;
}

/* The place of the part that is so much older than the newest. */
static unsigned int parts_at(const struct parts *parts, unsigned int older)
{
	return parts->newest >= older ? parts->newest - older :
					parts->newest + parts->capacity - older;
}

/* Oldest first. */
static void parts_sum(const struct parts *parts, double sum[2])
{
	unsigned int older;

	sum[0] = sum[1] = 0;
	for (older = parts->size; older--;) {
		const double *part = parts->part[parts_at(parts, older)];

		sum[0] += part[0];
		sum[1] += part[1];
	}
}

/* The sum of first members over that of second ones, newest first; false without any. */
static bool quotient(const struct parts *parts, const struct sbd_thresholds *t, double *value)
{
	double above = 0, below = 0;
	unsigned int older;

	for (older = 0; older < parts->size; older++) {
		const double *part = parts->part[parts_at(parts, older)];

		if (t->f.given) {
			int64_t full = t->m - t->f.value + 1, falling = t->m - older;
			double weight = (double)(full < falling ? full : falling);

			above += part[0] * weight;
			below += part[1] * weight;
		} else {
			above += part[0];
			below += part[1];
		}
	}
	if (below == 0)
		return false;
	*value = above / below;
	return true;
}

/* The double nearest to a quotient, though the dividend is none; count is positive. */
static double mean_of(wide sum, int64_t count)
{
	unsigned_wide size = sum < 0 ? -(unsigned_wide)sum : (unsigned_wide)sum;
	unsigned_wide divisor = (unsigned_wide)count, rest, fraction;
	double mean;

	if (size <= (unsigned_wide)EXACT_IN_DOUBLE)
		return (double)(int64_t)sum / (double)count;
	rest = size % divisor << 64;
	fraction = rest / divisor;
	/* The last bit tells that there is more, so that the conversion rounds as the quotient would. */
	mean = ldexp((double)((size / divisor << 64) | fraction | (rest % divisor != 0)), -64);
	return sum < 0 ? -mean : mean;
}

static void take_delay(struct sbd_flow *flow, int64_t value_us)
{
	double delay_us = (double)value_us;

	flow->sum_us += value_us;
	flow->count++;
	if (!flow->has_mean)
		return;
	if (delay_us < flow->mean_us)
		flow->skew++;
	else if (delay_us > flow->mean_us)
		flow->skew--;
	flow->deviation_us += fabs(delay_us - flow->last_mean_us);
}

static double pkt_loss(const struct sbd_flow *flow)
{
	double sum[2];

	parts_sum(&flow->losses, sum);
	return sum[1] != 0 ? sum[0] / sum[1] : 0;
}

/* Whether a flow loses enough for its loss to count. */
static bool loses(const struct sbd_thresholds *t, double loss)
{
	return loss > t->p_l || (t->loss_from == SBD_LOSS_FROM_P_L && loss == t->p_l);
}

static bool deemed(const struct sbd_flow *flow, const struct sbd_thresholds *t, double skew_est)
{
	return !t->bottleneck_test || skew_est < t->c_s ||
		(skew_est < t->c_h && flow->at_bottleneck) || loses(t, pkt_loss(flow));
}

/*
 * Whether an interval's mean lies beyond the other side of the long-term mean than the last that
 * did.
 */
static bool crossed(struct sbd_flow *flow, const struct sbd_thresholds *t, double interval_us)
{
	double var_us, reach_us;
	int side;

	if (!quotient(&flow->deviations, t, &var_us))
		return false;
	reach_us = t->p_v * var_us;
	side = (interval_us > flow->mean_us + reach_us) - (interval_us < flow->mean_us - reach_us);
	if (!side || side == flow->side)
		return false;
	flow->side = side;
	return true;
}

static void add_crossing(struct sbd_flow *flow, const struct sbd_thresholds *t, enum crossing one)
{
	flow->crossing[flow->next_crossing] = (unsigned char)one;
	if (++flow->next_crossing == t->n)
		flow->next_crossing = 0;
	if (flow->crossings < t->n)
		flow->crossings++;
}

static double frequency(const struct sbd_flow *flow, const struct sbd_thresholds *t)
{
	unsigned int crossings = 0, nonempty = 0, i;

	for (i = 0; i < flow->crossings; i++) {
		crossings += flow->crossing[i] == CROSSED;
		nonempty += flow->crossing[i] != EMPTY;
	}
	if (t->frequency_over == SBD_OVER_RING)
		return crossings / (double)t->n;
	return nonempty ? crossings / (double)nonempty : 0;
}

/* Take down what the delays of the interval, at least one, say. */
static void take_delays(struct sbd_flow *flow, const struct sbd_thresholds *t)
{
	double interval_us = mean_of(flow->sum_us, flow->count);
	bool compared = flow->has_mean, counted;
	double sum[2], skew_est;

	parts_add(&flow->means, interval_us, 1);
	parts_sum(&flow->means, sum);
	flow->mean_us = sum[0] / sum[1];
	flow->last_mean_us = interval_us;
	flow->has_mean = true;
	if (compared) {
		parts_add(&flow->skews, (double)flow->skew, (double)flow->count);
		if (quotient(&flow->skews, t, &skew_est))
			flow->at_bottleneck = deemed(flow, t, skew_est);
	}
	counted = flow->at_bottleneck || t->noise == SBD_NOISE_KEPT;
	if (compared && counted)
		parts_add(&flow->deviations, flow->deviation_us, (double)flow->count);
	else if (compared)
		parts_add(&flow->deviations, 0,
			  t->noise == SBD_NOISE_RFC_LITERAL ? (double)flow->count : 0);
	add_crossing(flow, t, crossed(flow, t, interval_us) && counted ? CROSSED : NOT_CROSSED);
}

/* End the interval; false before there was a second one with a delay. */
static bool close_interval(struct sbd_flow *flow, const struct sbd_thresholds *t,
			   struct sbd_summary *summary)
{
	parts_add(&flow->losses, (double)flow->lost,
		  (double)flow->lost + (double)flow->delivered_bytes / PACKET_BYTES);
	if (flow->count)
		take_delays(flow, t);
	else
		add_crossing(flow, t, EMPTY);
	flow->sum_us = 0;
	flow->count = flow->skew = flow->lost = flow->delivered_bytes = 0;
	flow->deviation_us = 0;
	if (!quotient(&flow->skews, t, &summary->skew_est))
		return false;
	if (!quotient(&flow->deviations, t, &summary->var_est))
		summary->var_est = 0;
	summary->freq_est = frequency(flow, t);
	summary->pkt_loss = pkt_loss(flow);
	summary->at_bottleneck = flow->at_bottleneck;
	return true;
}

/* Flows in order, cut into groups. */
struct groups {
	unsigned int size;
	unsigned int flow[SBD_SUBFLOWS_LIMIT];
	double key[SBD_SUBFLOWS_LIMIT];
	bool begins[SBD_SUBFLOWS_LIMIT + 1];	/* a group; true behind the last */
};

static unsigned int end_of(const struct groups *g, unsigned int first)
{
	unsigned int end = first + 1;

	while (!g->begins[end])
		end++;
	return end;
}

/*
 * Sort a group by a statistic, largest first, and cut between neighbours that do not stay
 * together.
 */
static void divide(struct groups *g, unsigned int first, unsigned int end, const double *statistic,
		   double width, bool of_larger)
{
	unsigned int i, j;

	for (i = first; i < end; i++) {
		unsigned int flow = g->flow[i];
		double key = statistic[flow];

		for (j = i; j > first && g->key[j - 1] < key; j--) {
			g->flow[j] = g->flow[j - 1];
			g->key[j] = g->key[j - 1];
		}
		g->flow[j] = flow;
		g->key[j] = key;
	}
	for (i = first + 1; i < end; i++) {
		double high = g->key[i - 1], low = g->key[i];

		if (high != low && !(high - low < (of_larger ? width * high : width)))
			g->begins[i] = true;
	}
}

static void divide_all(struct groups *g, const double *statistic, double width, bool of_larger)
{
	unsigned int first, end;

	for (first = 0; first < g->size; first = end) {
		end = end_of(g, first);
		divide(g, first, end, statistic, width, of_larger);
	}
}

static bool any_loses(const struct groups *g, unsigned int first, unsigned int end,
		      const struct sbd_thresholds *t, const double *loss)
{
	unsigned int i;

	for (i = first; i < end; i++)
		if (loses(t, loss[g->flow[i]]))
			return true;
	return false;
}

/* RFC 8382, section 3.3.1: by frequency, variability, skewness, then loss where it is above p_l. */
void sbd_grouped(const struct sbd_thresholds *t, const struct sbd_summary *flows, unsigned int size,
		 int *group)
{
	double skew_est[SBD_SUBFLOWS_LIMIT], var_est[SBD_SUBFLOWS_LIMIT];
	double freq_est[SBD_SUBFLOWS_LIMIT], loss[SBD_SUBFLOWS_LIMIT];
	unsigned int i, first, end, part, part_end;
	struct groups g;
	int groups = 0;

	g.size = 0;
	for (i = 0; i < size; i++) {
		skew_est[i] = flows[i].skew_est;
		var_est[i] = flows[i].var_est;
		freq_est[i] = flows[i].freq_est;
		loss[i] = flows[i].pkt_loss;
		if (flows[i].at_bottleneck) {
			g.begins[g.size] = !g.size;
			g.flow[g.size++] = i;
		}
	}
	g.begins[g.size] = true;
	divide_all(&g, freq_est, t->p_f, false);
	divide_all(&g, var_est, t->p_mad, true);
	for (first = 0; first < g.size; first = end) {
		end = end_of(&g, first);
		if (t->loss_step != SBD_LOSS_INSTEAD || !any_loses(&g, first, end, t, loss))
			divide(&g, first, end, skew_est, t->p_s, false);
		for (part = first; part < end; part = part_end) {
			part_end = end_of(&g, part);
			if (any_loses(&g, part, part_end, t, loss))
				divide(&g, part, part_end, loss, t->p_d,
				       t->loss_difference == SBD_LOSS_RELATIVE);
		}
	}
	for (i = 0; i < size; i++)
		group[i] = (int)(size + i);
	for (i = 0; i < g.size; i++) {
		groups += g.begins[i];
		group[g.flow[i]] = groups - 1;
	}
}

bool sbd_thresholds_possible(const void *parameters)
{
	const struct sbd_thresholds *t = parameters;

	return t->interval_ms >= 1 && t->interval_ms <= INT64_MAX / SBD_NS_PER_MS &&
		t->n <= INTERVALS_LIMIT && t->n >= t->m && t->m >= 1 &&
		(!t->f.given || (t->m >= t->f.value && t->f.value >= 1));
}

uint32_t sbd_thresholds_wanted(const void *parameters)
{
	const struct sbd_thresholds *t = parameters;

	return SBD_KIND_BIT(t->delay == SBD_DELAY_RTT ? SBD_RTT : SBD_OWD) | SBD_KIND_BIT(SBD_ACK) |
		SBD_KIND_BIT(SBD_LOSS);
}

int sbd_statistics_init(struct sbd_statistics *s, const struct sbd_thresholds *thresholds,
			struct sbd_opinions *said)
{
	unsigned int i;

	s->thresholds = thresholds;
	s->said = said;
	s->interval_ns = thresholds->interval_ms * SBD_NS_PER_MS;
	s->missing_size = said->subflows;
	s->flow = calloc(said->subflows, sizeof(*s->flow));
	s->summary = calloc(said->subflows, sizeof(*s->summary));
	s->missing = calloc(said->subflows, sizeof(*s->missing));
	if (!s->flow || !s->summary || !s->missing)
		return -ENOMEM;
	for (i = 0; i < said->subflows; i++) {
		struct sbd_flow *flow = &s->flow[i];

		s->missing[i] = true;
		flow->crossing = calloc((size_t)thresholds->n, sizeof(*flow->crossing));
		if (!flow->crossing || parts_init(&flow->means, thresholds->m) ||
		    parts_init(&flow->skews, thresholds->m) ||
		    parts_init(&flow->deviations, thresholds->m) ||
		    parts_init(&flow->losses, thresholds->n))
			return -ENOMEM;
	}
	return 0;
}

void sbd_statistics_free(struct sbd_statistics *s)
{
	unsigned int i;

	for (i = 0; s->flow && i < s->said->subflows; i++) {
		free(s->flow[i].means.part);
		free(s->flow[i].skews.part);
		free(s->flow[i].deviations.part);
		free(s->flow[i].losses.part);
		free(s->flow[i].crossing);
	}
	free(s->flow);
	free(s->summary);
	free(s->missing);
}

void sbd_statistics_advance(void *state, int64_t time_ns)
{
	struct sbd_statistics *s = state;
	int64_t ended = 0;

	while (!s->missing_size && time_ns >= s->end_ns) {
		bool known = true;
		unsigned int i;

		for (i = 0; i < s->said->subflows; i++)
			known &= close_interval(&s->flow[i], s->thresholds, &s->summary[i]);
		if (known)
			s->observe(s, s->end_ns, s->summary);
		s->end_ns += s->interval_ns;
		/* Nothing looks further back than n intervals: one more without an event changes nothing. */
		if (++ended > s->thresholds->n && time_ns >= s->end_ns)
			s->end_ns += (time_ns - s->end_ns) / s->interval_ns * s->interval_ns;
	}
}

static void on_delay(struct sbd_statistics *s, const struct sbd_event *event)
{
	if (s->missing_size) {
		s->missing_size -= s->missing[event->place];
		s->missing[event->place] = false;
		if (s->missing_size)
			return;
		s->end_ns = event->time_ns + s->interval_ns;
	} else if (event->time_ns >= s->end_ns) {
		sbd_statistics_advance(s, event->time_ns);
	}
	take_delay(&s->flow[event->place], event->value);
}

static void on_ack(struct sbd_statistics *s, const struct sbd_event *event)
{
	struct sbd_flow *flow = &s->flow[event->place];

	if (!s->missing_size && event->time_ns >= s->end_ns)
		sbd_statistics_advance(s, event->time_ns);
	if (event->value <= flow->acked_bytes)
		return;
	if (!s->missing_size)
		flow->delivered_bytes += event->value - flow->acked_bytes;
	flow->acked_bytes = event->value;
}

static void on_loss(struct sbd_statistics *s, const struct sbd_event *event)
{
	if (s->missing_size)
		return;
	if (event->time_ns >= s->end_ns)
		sbd_statistics_advance(s, event->time_ns);
	s->flow[event->place].lost += event->value;
}

void sbd_statistics_on_event(void *state, const struct sbd_event *event)
{
	if (event->kind == SBD_ACK)
		on_ack(state, event);
	else if (event->kind == SBD_LOSS)
		on_loss(state, event);
	else
		on_delay(state, event);
}

static const struct sbd_parameter parameters[] = { SBD_THRESHOLDS, { .name = NULL } };

static const struct sbd_thresholds defaults = {
	.delay = SBD_DELAY_RTT,
	.interval_ms = 350,
	.n = 50,
	.m = 30,
	.f = { true, 20 },
	.c_s = 0.1,
	.c_h = 0.3,
	.p_f = 0.1,
	.p_mad = 0.1,
	.p_s = 0.15,
	.p_d = 0.1,
	.p_v = 0.7,
	.p_l = 0.1,
	.loss_difference = SBD_LOSS_RELATIVE,
	.loss_step = SBD_LOSS_AFTER,
	.loss_from = SBD_LOSS_ABOVE,
	.bottleneck_test = true,
	.noise = SBD_NOISE_REMOVED,
	.frequency_over = SBD_OVER_RING,
};

static void observe(struct sbd_statistics *s, int64_t end_ns, const struct sbd_summary *flows)
{
	int group[SBD_SUBFLOWS_LIMIT];

	sbd_grouped(s->thresholds, flows, s->said->subflows, group);
	sbd_say(s->said, end_ns, group);
}

static void destroy(void *state)
{
	sbd_statistics_free(state);
	free(state);
}

static void *create(const void *thresholds, unsigned int subflows, struct sbd_opinions *said)
{
	struct sbd_statistics *s = calloc(1, sizeof(*s));

	(void)subflows;
	if (!s)
		return NULL;
	s->observe = observe;
	if (sbd_statistics_init(s, thresholds, said)) {
		destroy(s);
		return NULL;
	}
	return s;
}

const struct sbd_baseline sbd_rfc8382 = {
	.name = "rfc8382",
	.parameters = parameters,
	.parameters_size = sizeof(struct sbd_thresholds),
	.defaults = &defaults,
	.possible = sbd_thresholds_possible,
	.wanted = sbd_thresholds_wanted,
	.create = create,
	.on_event = sbd_statistics_on_event,
	.advance = sbd_statistics_advance,
	.destroy = destroy,
};
