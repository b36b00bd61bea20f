// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Singular value decomposition of all subflows' delays (Yousaf and Welzl, 2013)
 *
 * Twin of detectors/svd.py, which says what is theirs and what is ours. What it takes from
 * the decomposition, squared singular values and right singular vectors, are eigenvalues and
 * eigenvectors of the correlations of the subflows, a small matrix.
 */
#include <math.h>
#include <stdlib.h>

#include "series.h"
#include "windowed.h"

#define SWEEPS		64	/* of Jacobi's rotations; a handful is enough */
#define NEGLIGIBLE	1e-18	/* against the diagonal, which is 1 before the first */

struct decomposing {
	struct sbd_moving moving;
	int64_t points;		/* of the grid that all series are put on */
	double least_common;	/* share of a subflow's variation in common components */
	double least_cosine;	/* of the angle between two subflows' loadings */
};

struct svd {
	struct sbd_windowed windowed;
	const struct decomposing *decomposing;
	double *grid_ns;
	double *series;		/* of each subflow, centred */
	double *squared;	/* of each subflow, its sum of squares */
	unsigned int *varying;	/* places of the subflows that vary */
	/* Square matrices of these. */
	double *correlation;
	double *direction;	/* eigenvectors, in the columns */
	double *product;	/* of the loadings of every two */
};

static void rotate(double *x, double *y, double cosine, double sine)
{
	double old = *x;

	*x = cosine * old - sine * *y;
	*y = sine * old + cosine * *y;
}

/* Make an element of a symmetric matrix zero by turning two of its axes. */
static void turn(double *matrix, double *direction, size_t size, size_t p, size_t q)
{
	double off = matrix[p * size + q];
	double theta = (matrix[q * size + q] - matrix[p * size + p]) / (2 * off);
	double tangent = copysign(1, theta) / (fabs(theta) + sqrt(theta * theta + 1));
	double cosine = 1 / sqrt(tangent * tangent + 1), sine = tangent * cosine;
	size_t k;

	for (k = 0; k < size; k++)
		rotate(&matrix[k * size + p], &matrix[k * size + q], cosine, sine);
	for (k = 0; k < size; k++)
		rotate(&matrix[p * size + k], &matrix[q * size + k], cosine, sine);
	for (k = 0; k < size; k++)
		rotate(&direction[k * size + p], &direction[k * size + q], cosine, sine);
	matrix[p * size + q] = matrix[q * size + p] = 0;
}

/* Leave the eigenvalues of a symmetric matrix on its diagonal, the vectors in the columns. */
static void decompose(double *matrix, double *direction, size_t size)
{
	unsigned int sweep;
	bool turned = true;
	size_t p, q;

	for (p = 0; p < size; p++)
		for (q = 0; q < size; q++)
			direction[p * size + q] = p == q;
	for (sweep = 0; sweep < SWEEPS && turned; sweep++) {
		turned = false;
		for (p = 0; p < size; p++) {
			for (q = p + 1; q < size; q++) {
				if (fabs(matrix[p * size + q]) <= NEGLIGIBLE)
					continue;
				turn(matrix, direction, size, p, q);
				turned = true;
			}
		}
	}
}

/* Put the series on the grid; returns how many vary. */
static unsigned int put_on_grid(struct svd *own, const struct sbd_window *window)
{
	const size_t points = (size_t)own->decomposing->points;
	unsigned int i, varying = 0;

	sbd_grid(window->start_ns, window->end_ns, own->grid_ns, points);
	for (i = 0; i < own->windowed.subflows; i++) {
		double *series = own->series + i * points;

		if (!window->delays[i].size)
			continue;
		sbd_delays_at(&window->delays[i], own->grid_ns, points, series);
		own->squared[i] = sbd_centre(series, points);
		if (own->squared[i] > 0)
			own->varying[varying++] = i;
	}
	return varying;
}

/* Correlations of those that vary. */
static void correlate(struct svd *own, size_t varying)
{
	const size_t points = (size_t)own->decomposing->points;
	size_t p, q;

	for (p = 0; p < varying; p++) {
		const unsigned int one = own->varying[p];

		own->correlation[p * varying + p] = 1;
		for (q = p + 1; q < varying; q++) {
			const unsigned int other = own->varying[q];
			double found = 0;

			sbd_coefficient(own->series + one * points, own->squared[one],
					own->series + other * points, own->squared[other], points,
					&found);
			own->correlation[p * varying + q] = found;
			own->correlation[q * varying + p] = found;
		}
	}
}

/* Products of the loadings of every two on the common components. */
static void multiply(struct svd *own, size_t varying)
{
	size_t p, q, k;

	for (p = 0; p < varying; p++) {
		for (q = p; q < varying; q++) {
			double sum = 0;

			for (k = 0; k < varying; k++) {
				double squared_size = own->correlation[k * varying + k];

				if (squared_size > 1)
					sum += squared_size * own->direction[p * varying + k] *
					       own->direction[q * varying + k];
			}
			own->product[p * varying + q] = sum;
		}
	}
}

static void judge(struct sbd_windowed *windowed, const struct sbd_window *window, int8_t *verdict)
{
	struct svd *own = (struct svd *)windowed;
	const struct decomposing *decomposing = own->decomposing;
	const size_t varying = put_on_grid(own, window);
	size_t p, q;

	if (varying <= 1)
		return;
	correlate(own, varying);
	decompose(own->correlation, own->direction, varying);
	multiply(own, varying);
	for (p = 0; p < varying; p++) {
		for (q = p + 1; q < varying; q++) {
			double one = sqrt(own->product[p * varying + p]);
			double other = sqrt(own->product[q * varying + q]);
			size_t pair = sbd_pair_place(own->varying[p], own->varying[q],
						     windowed->subflows);

			verdict[pair] = one * one >= decomposing->least_common &&
					other * other >= decomposing->least_common &&
					own->product[p * varying + q] >=
						decomposing->least_cosine * (one * other);
		}
	}
}

static void destroy(void *state)
{
	struct svd *own = state;

	sbd_windowed_free(&own->windowed);
	free(own->grid_ns);
	free(own->series);
	free(own->squared);
	free(own->varying);
	free(own->correlation);
	free(own->direction);
	free(own->product);
	free(own);
}

static void *create(const void *parameters, unsigned int subflows, struct sbd_opinions *said)
{
	const struct decomposing *decomposing = parameters;
	const size_t points = (size_t)decomposing->points;
	const size_t elements = (size_t)subflows * subflows + 1;
	struct svd *own = calloc(1, sizeof(*own));

	if (!own)
		return NULL;
	own->decomposing = decomposing;
	own->grid_ns = calloc(points, sizeof(*own->grid_ns));
	own->series = calloc((subflows + 1) * points, sizeof(*own->series));
	own->squared = calloc(subflows + 1, sizeof(*own->squared));
	own->varying = calloc(subflows + 1, sizeof(*own->varying));
	own->correlation = calloc(elements, sizeof(*own->correlation));
	own->direction = calloc(elements, sizeof(*own->direction));
	own->product = calloc(elements, sizeof(*own->product));
	if (sbd_windowed_init(&own->windowed, &decomposing->moving, subflows, said) ||
	    !own->grid_ns || !own->series || !own->squared || !own->varying || !own->correlation ||
	    !own->direction || !own->product) {
		destroy(own);
		return NULL;
	}
	own->windowed.judge = judge;
	return own;
}

static bool possible(const void *parameters)
{
	const struct decomposing *decomposing = parameters;

	return sbd_moving_possible(&decomposing->moving) &&
	       sbd_points_possible(decomposing->points);
}

static const struct sbd_parameter decomposing_parameters[] = {
	SBD_MOVING_PARAMETERS(struct decomposing, moving),
	{ "points", SBD_INT, offsetof(struct decomposing, points), NULL },
	{ "least_common", SBD_DOUBLE, offsetof(struct decomposing, least_common), NULL },
	{ "least_cosine", SBD_DOUBLE, offsetof(struct decomposing, least_cosine), NULL },
	{ NULL, SBD_INT, 0, NULL }
};

static const struct decomposing defaults = {
	.moving = { .delay = SBD_DELAY_RTT, .window_rtts = 50, .step_ms = 500 },
	.points = 126,
	.least_common = 0.75,
	.least_cosine = 0.5
};

const struct sbd_baseline sbd_svd = {
	.name = "svd-r",
	.parameters = decomposing_parameters,
	.parameters_size = sizeof(struct decomposing),
	.defaults = &defaults,
	.possible = possible,
	.wanted = sbd_moving_wanted,
	.create = create,
	.on_event = sbd_windowed_on_event,
	.advance = sbd_windowed_advance,
	.destroy = destroy
};
