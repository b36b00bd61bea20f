// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Plain correlation of two subflows' delays, with a threshold
 *
 * Twin of detectors/correlation.py.
 */
#include <stdlib.h>

#include "series.h"
#include "windowed.h"

enum of {
	OF_PEARSON,
	OF_SPEARMAN
};

struct correlating {
	struct sbd_moving moving;
	int of;			/* enum of: of the delays themselves, or of their ranks */
	int64_t points;		/* of the grid that both series are put on */
	double threshold;
};

struct correlation {
	struct sbd_windowed windowed;
	const struct correlating *correlating;
	double *grid_ns;
	double *series;			/* of each subflow, centred */
	double *squared;		/* of each subflow, its sum of squares */
	struct sbd_placed *placed;	/* scratch of rank(): two series */
};

/* Ranks in place of the values; equals take their mean rank. */
static void rank(double *series, size_t points, struct sbd_placed *placed)
{
	size_t k, first, end;

	for (k = 0; k < points; k++)
		placed[k] = (struct sbd_placed){ series[k], k };
	sbd_sort(placed, placed + points, points);
	for (first = 0; first < points; first = end) {
		for (end = first + 1; end < points; end++)
			if (placed[end].value != placed[first].value)
				break;
		for (k = first; k < end; k++)
			series[placed[k].place] = (double)(first + end + 1) / 2;
	}
}

static void judge(struct sbd_windowed *windowed, const struct sbd_window *window, int8_t *verdict)
{
	struct correlation *own = (struct correlation *)windowed;
	const size_t points = (size_t)own->correlating->points;
	const unsigned int subflows = windowed->subflows;
	unsigned int i, j;

	sbd_grid(window->start_ns, window->end_ns, own->grid_ns, points);
	for (i = 0; i < subflows; i++) {
		double *series = own->series + i * points;

		if (!window->delays[i].size)
			continue;
		sbd_delays_at(&window->delays[i], own->grid_ns, points, series);
		if (own->correlating->of == OF_SPEARMAN)
			rank(series, points, own->placed);
		own->squared[i] = sbd_centre(series, points);
	}
	for (i = 0; i < subflows; i++) {
		for (j = i + 1; j < subflows; j++, verdict++) {
			double found;

			if (window->delays[i].size && window->delays[j].size &&
			    sbd_coefficient(own->series + i * points, own->squared[i],
					    own->series + j * points, own->squared[j], points,
					    &found))
				*verdict = found >= own->correlating->threshold;
		}
	}
}

static void destroy(void *state)
{
	struct correlation *own = state;

	sbd_windowed_free(&own->windowed);
	free(own->grid_ns);
	free(own->series);
	free(own->squared);
	free(own->placed);
	free(own);
}

static void *create(const void *parameters, unsigned int subflows, struct sbd_opinions *said)
{
	const struct correlating *correlating = parameters;
	const size_t points = (size_t)correlating->points;
	struct correlation *own = calloc(1, sizeof(*own));

	if (!own)
		return NULL;
	own->correlating = correlating;
	own->grid_ns = calloc(points, sizeof(*own->grid_ns));
	own->series = calloc((subflows + 1) * points, sizeof(*own->series));
	own->squared = calloc(subflows + 1, sizeof(*own->squared));
	own->placed = calloc(2 * points, sizeof(*own->placed));
	if (sbd_windowed_init(&own->windowed, &correlating->moving, subflows, said) ||
	    !own->grid_ns || !own->series || !own->squared || !own->placed) {
		destroy(own);
		return NULL;
	}
	own->windowed.judge = judge;
	return own;
}

static bool possible(const void *parameters)
{
	const struct correlating *correlating = parameters;

	return sbd_moving_possible(&correlating->moving) &&
	       sbd_points_possible(correlating->points);
}

static const char *const of_names[] = { "pearson", "spearman", NULL };

static const struct sbd_parameter correlating_parameters[] = {
	SBD_MOVING_PARAMETERS(struct correlating, moving),
	{ "of", SBD_CHOICE, offsetof(struct correlating, of), of_names },
	{ "points", SBD_INT, offsetof(struct correlating, points), NULL },
	{ "threshold", SBD_DOUBLE, offsetof(struct correlating, threshold), NULL },
	{ NULL, SBD_INT, 0, NULL }
};

static const struct correlating defaults = {
	.moving = { .delay = SBD_DELAY_RTT, .window_rtts = 50, .step_ms = 500 },
	.of = OF_PEARSON,
	.points = 126,
	.threshold = 0.5
};

const struct sbd_baseline sbd_correlation = {
	.name = "correlation",
	.parameters = correlating_parameters,
	.parameters_size = sizeof(struct correlating),
	.defaults = &defaults,
	.possible = possible,
	.wanted = sbd_moving_wanted,
	.create = create,
	.on_event = sbd_windowed_on_event,
	.advance = sbd_windowed_advance,
	.destroy = destroy
};
