// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * MPTCP-SBD (Ferlin et al., INFOCOM 2016): RFC 8382's statistics, decided over ten observations.
 * Twin of detectors/mptcp_sbd.py, where the parameters are explained.
 */
#include <stdlib.h>

#include "rfc8382.h"

#define OBSERVATIONS_LIMIT	4096

struct merging {
	struct sbd_thresholds thresholds;
	int64_t observations;
	double together;
	int64_t every;
};

struct mptcp_sbd {
	struct sbd_statistics statistics;
	const struct merging *merging;
	int16_t *group;			/* a row of groups an observation, in a ring */
	bool *congested;		/* alike */
	int64_t next, observed, fresh;
	int8_t *verdict;
};

static const struct sbd_parameter parameters[] = {
	SBD_THRESHOLDS,
	{ "observations", SBD_INT, offsetof(struct merging, observations), NULL },
	{ "together", SBD_DOUBLE, offsetof(struct merging, together), NULL },
	{ "every", SBD_INT, offsetof(struct merging, every), NULL },
	{ .name = NULL }
};

static const struct merging defaults = {
	.thresholds = {
		.delay = SBD_DELAY_RTT,
		.interval_ms = 350,
		.n = 50,
		.m = 50,
		.f = { false, 0 },
		.c_s = -0.01,
		.c_h = 0.3,
		.p_f = 0.1,
		.p_mad = 0.1,
		.p_s = 0.15,
		.p_d = 0.1,
		.p_v = 0.7,
		.p_l = 0.1,
		.loss_difference = SBD_LOSS_ABSOLUTE,
		.loss_step = SBD_LOSS_INSTEAD,
		.loss_from = SBD_LOSS_FROM_P_L,
		.bottleneck_test = false,
		.noise = SBD_NOISE_KEPT,
		.frequency_over = SBD_OVER_NONEMPTY,
	},
	.observations = 10,
	.together = 0.5,
	.every = 1,
};

static bool possible(const void *values)
{
	const struct merging *merging = values;

	return sbd_thresholds_possible(&merging->thresholds) && merging->observations >= 1 &&
		merging->observations <= OBSERVATIONS_LIMIT;
}

/* Whether a flow is not at a bottleneck in at least so many observations. */
static bool is_out(const struct mptcp_sbd *d, unsigned int flow, double least)
{
	unsigned int subflows = d->statistics.said->subflows;
	int64_t free_of_it = 0, i;

	for (i = 0; i < d->observed; i++)
		free_of_it += !d->congested[i * subflows + flow];
	return (double)free_of_it >= least;
}

static bool are_together(const struct mptcp_sbd *d, unsigned int one, unsigned int other,
			 double least)
{
	unsigned int subflows = d->statistics.said->subflows;
	int64_t together = 0, i;

	for (i = 0; i < d->observed; i++)
		together += d->group[i * subflows + one] == d->group[i * subflows + other];
	return (double)together >= least;
}

/* Pairs together in a share of the observations; flows mostly uncongested are alone. */
static void merge(struct mptcp_sbd *d, int64_t end_ns)
{
	double least = d->merging->together * (double)d->observed;
	struct sbd_opinions *said = d->statistics.said;
	unsigned int subflows = said->subflows, i, j;
	bool out[SBD_SUBFLOWS_LIMIT];
	int8_t *verdict = d->verdict;

	for (i = 0; i < subflows; i++)
		out[i] = is_out(d, i, least);
	for (i = 0; i < subflows; i++)
		for (j = i + 1; j < subflows; j++)
			*verdict++ = !out[i] && !out[j] && are_together(d, i, j, least) ?
				SBD_TOGETHER : SBD_APART;
	sbd_say_pairs(said, end_ns, d->verdict);
}

static void observe(struct sbd_statistics *s, int64_t end_ns, const struct sbd_summary *flows)
{
	struct mptcp_sbd *d = (struct mptcp_sbd *)s;	/* its first member */
	unsigned int subflows = s->said->subflows, i;
	int group[SBD_SUBFLOWS_LIMIT];

	sbd_grouped(s->thresholds, flows, subflows, group);
	for (i = 0; i < subflows; i++) {
		d->group[d->next * subflows + i] = (int16_t)group[i];
		d->congested[d->next * subflows + i] = flows[i].at_bottleneck;
	}
	if (++d->next == d->merging->observations)
		d->next = 0;
	d->observed += d->observed < d->merging->observations;
	d->fresh++;
	if (d->observed == d->merging->observations && d->fresh >= d->merging->every) {
		d->fresh = 0;
		merge(d, end_ns);
	}
}

static void destroy(void *state)
{
	struct mptcp_sbd *d = state;

	sbd_statistics_free(&d->statistics);
	free(d->group);
	free(d->congested);
	free(d->verdict);
	free(d);
}

static void *create(const void *values, unsigned int subflows, struct sbd_opinions *said)
{
	const struct merging *merging = values;
	size_t rows = (size_t)merging->observations;
	struct mptcp_sbd *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	d->merging = merging;
	d->statistics.observe = observe;
	d->group = calloc(rows * subflows, sizeof(*d->group));
	d->congested = calloc(rows * subflows, sizeof(*d->congested));
	/* One more than needed: a single subflow has no pair. */
	d->verdict = calloc(sbd_pairs(subflows) + 1, sizeof(*d->verdict));
	if (sbd_statistics_init(&d->statistics, &merging->thresholds, said) || !d->group ||
	    !d->congested || !d->verdict) {
		destroy(d);
		return NULL;
	}
	return d;
}

const struct sbd_baseline sbd_mptcp_sbd = {
	.name = "mptcp-sbd",
	.parameters = parameters,
	.parameters_size = sizeof(struct merging),
	.defaults = &defaults,
	.possible = possible,
	.wanted = sbd_thresholds_wanted,
	.create = create,
	.on_event = sbd_statistics_on_event,
	.advance = sbd_statistics_advance,
	.destroy = destroy,
};
