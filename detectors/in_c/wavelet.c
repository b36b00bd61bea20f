// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Delay correlation with wavelet denoising, DCW (Kim et al., ToN 2008)
 *
 * Twin of detectors/wavelet.py, which says what is theirs and what is ours.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "series.h"
#include "windowed.h"

/* Of the absolute value of a standard normal variable. */
#define NORMAL_MEDIAN	0.6744897501960817

#define TAPS		8	/* of the longest filter */
#define LEVELS		16	/* log2(SBD_POINTS_LIMIT), and more */

struct filter {
	unsigned int taps;
	double low[TAPS];
};

enum wavelet_name {
	HAAR,
	DB2,
	DB3,
	DB4
};

static const char *const wavelet_names[] = { "haar", "db2", "db3", "db4", NULL };

/* Low-pass filters, last tap first: Daubechies, Ten Lectures on Wavelets (1992), table 6.1. */
static const struct filter filters[] = {
	[HAAR] = { 2, { 0.7071067811865476, 0.7071067811865476 } },
	[DB2] = { 4, { -0.12940952255126037, 0.2241438680420134, 0.8365163037378079,
	       0.48296291314453416 } },
	[DB3] = { 6, { 0.03522629188570953, -0.08544127388202666, -0.13501102001025458,
	       0.45987750211849154, 0.8068915093110925, 0.33267055295008263 } },
	[DB4] = { 8, { -0.010597401785069032, 0.0328830116668852, 0.030841381835560764,
	       -0.18703481171909309, -0.027983769416859854, 0.6308807679298589,
	       0.7148465705529157, 0.2303778133088965 } }
};

struct denoising {
	struct sbd_moving moving;
	int64_t points;		/* of the grid that both series are put on */
	int wavelet;		/* enum wavelet_name */
	double threshold;	/* of the correlation; shared is above it */
};

/* The transform of a series, level by level. */
struct transform {
	unsigned int taps, levels;
	double low[TAPS], high[TAPS];
	size_t size[LEVELS + 1];	/* of the series, and of what each level makes of it */
	double *detail[LEVELS + 1];	/* of each level, the finest first, from 1 on */
	double *extended;		/* scratch: a series and its mirrored borders */
	struct sbd_placed *placed;	/* scratch of median(): two series */
};

struct wavelet {
	struct sbd_windowed windowed;
	const struct denoising *denoising;
	struct transform transform;
	double *grid_ns;
	double *series;		/* of each subflow, denoised and centred */
	double *squared;	/* of each subflow, its sum of squares; 0 if it is constant */
};

/* From a series to its approximation, in its place, and its detail. */
static void analyse(struct transform *t, double *series, size_t size, double *detail)
{
	const size_t border = t->taps - 1;
	double *middle = t->extended + border;
	size_t out, k;

	for (k = 0; k < size; k++)
		middle[k] = series[k];
	for (k = 0; k < border; k++) {
		middle[-1 - (ptrdiff_t)k] = series[k];
		middle[size + k] = series[size - 1 - k];
	}
	for (out = 0; out < (size + border) / 2; out++) {
		const double *at = middle + 2 * out + 1;
		double low = 0, high = 0;

		for (k = 0; k < t->taps; k++) {
			low += t->low[k] * at[-(ptrdiff_t)k];
			high += t->high[k] * at[-(ptrdiff_t)k];
		}
		series[out] = low;
		detail[out] = high;
	}
}

/* Back: from an approximation to the series, in its place, and the detail of that level. */
static void synthesise(struct transform *t, double *series, const double *detail, size_t size,
		       size_t back)
{
	const size_t half = t->taps / 2;
	double *approximation = t->extended;
	size_t out, i, k;

	for (i = 0; i < size; i++)
		approximation[i] = series[i];
	/* Each value is made of every other tap, the filters turned about. */
	for (out = 0; out < back; out++) {
		const size_t last = out / 2 + half - 1;
		double sum = 0;

		for (k = 0; k < half; k++) {
			const size_t tap = t->taps - 1 - 2 * k - out % 2;

			sum += t->low[tap] * approximation[last - k] +
			       t->high[tap] * detail[last - k];
		}
		series[out] = sum;
	}
}

static bool varies(const double *value, size_t size)
{
	size_t k;

	for (k = 1; k < size; k++)
		if (value[k] != value[0])
			return true;
	return false;
}

static double median_size(const double *value, size_t size, struct sbd_placed *placed)
{
	size_t k;

	for (k = 0; k < size; k++)
		placed[k] = (struct sbd_placed){ fabs(value[k]), k };
	sbd_sort(placed, placed + size, size);
	return (placed[(size - 1) / 2].value + placed[size / 2].value) / 2;
}

/* Shrink the coefficients of a series by a threshold, those below it to zero. */
static void denoise(struct transform *t, double *series)
{
	unsigned int level;
	double least;
	size_t k;

	if (!t->levels)
		return;
	for (level = 1; level <= t->levels; level++)
		analyse(t, series, t->size[level - 1], t->detail[level]);
	least = median_size(t->detail[1], t->size[1], t->placed) / NORMAL_MEDIAN;
	least *= sqrt(2 * log((double)t->size[0]));
	for (level = t->levels; level; level--) {
		double *detail = t->detail[level];

		for (k = 0; k < t->size[level]; k++)
			detail[k] -= sbd_clipped(detail[k], -least, least);
		synthesise(t, series, detail, t->size[level], t->size[level - 1]);
	}
}

static void judge(struct sbd_windowed *windowed, const struct sbd_window *window, int8_t *verdict)
{
	struct wavelet *own = (struct wavelet *)windowed;
	const size_t points = (size_t)own->denoising->points;
	const unsigned int subflows = windowed->subflows;
	unsigned int i, j;

	sbd_grid(window->start_ns, window->end_ns, own->grid_ns, points);
	for (i = 0; i < subflows; i++) {
		double *series = own->series + i * points;

		own->squared[i] = 0;
		if (!window->delays[i].size)
			continue;
		sbd_delays_at(&window->delays[i], own->grid_ns, points, series);
		if (!varies(series, points))
			continue;
		denoise(&own->transform, series);
		own->squared[i] = sbd_centre(series, points);
	}
	for (i = 0; i < subflows; i++) {
		for (j = i + 1; j < subflows; j++, verdict++) {
			double found;

			if (sbd_coefficient(own->series + i * points, own->squared[i],
					    own->series + j * points, own->squared[j], points,
					    &found))
				*verdict = found > own->denoising->threshold;
		}
	}
}

static void destroy(void *state)
{
	struct wavelet *own = state;

	sbd_windowed_free(&own->windowed);
	free(own->transform.detail[1]);
	free(own->transform.extended);
	free(own->transform.placed);
	free(own->grid_ns);
	free(own->series);
	free(own->squared);
	free(own);
}

/* Down to the last level on which some coefficient is free of the borders; 0, or -ENOMEM. */
static int init_transform(struct transform *t, const struct filter *filter, size_t points)
{
	const size_t border = filter->taps - 1;
	size_t k, left, details = 0;
	unsigned int level;
	double *detail;

	t->taps = filter->taps;
	for (k = 0; k < t->taps; k++) {
		t->low[k] = filter->low[k];
		t->high[k] = (border - k) % 2 ? -filter->low[border - k] : filter->low[border - k];
	}
	t->size[0] = points;
	for (left = points / border; left > 1; left /= 2) {
		t->levels++;
		t->size[t->levels] = (t->size[t->levels - 1] + border) / 2;
		details += t->size[t->levels];
	}
	detail = calloc(details + 1, sizeof(*detail));
	t->detail[1] = detail;
	t->extended = calloc(points + 2 * border, sizeof(*t->extended));
	t->placed = calloc(2 * points, sizeof(*t->placed));
	if (!detail || !t->extended || !t->placed)
		return -ENOMEM;
	for (level = 2; level <= t->levels; level++)
		t->detail[level] = t->detail[level - 1] + t->size[level - 1];
	return 0;
}

static void *create(const void *parameters, unsigned int subflows, struct sbd_opinions *said)
{
	const struct denoising *denoising = parameters;
	const size_t points = (size_t)denoising->points;
	struct wavelet *own = calloc(1, sizeof(*own));

	if (!own)
		return NULL;
	own->denoising = denoising;
	own->grid_ns = calloc(points, sizeof(*own->grid_ns));
	own->series = calloc((subflows + 1) * points, sizeof(*own->series));
	own->squared = calloc(subflows + 1, sizeof(*own->squared));
	if (sbd_windowed_init(&own->windowed, &denoising->moving, subflows, said) ||
	    init_transform(&own->transform, &filters[denoising->wavelet], points) ||
	    !own->grid_ns || !own->series || !own->squared) {
		destroy(own);
		return NULL;
	}
	own->windowed.judge = judge;
	return own;
}

static bool possible(const void *parameters)
{
	const struct denoising *denoising = parameters;

	return sbd_moving_possible(&denoising->moving) && sbd_points_possible(denoising->points);
}

static const struct sbd_parameter denoising_parameters[] = {
	SBD_MOVING_PARAMETERS(struct denoising, moving),
	{ "points", SBD_INT, offsetof(struct denoising, points), NULL },
	{ "wavelet", SBD_CHOICE, offsetof(struct denoising, wavelet), wavelet_names },
	{ "threshold", SBD_DOUBLE, offsetof(struct denoising, threshold), NULL },
	{ NULL, SBD_INT, 0, NULL }
};

static const struct denoising defaults = {
	.moving = {
		.delay = SBD_DELAY_RTT,
		.window_rtts = 50,
		.window_ms = { true, 10000 },
		.step_ms = 500
	},
	.points = 100,
	.wavelet = DB4,
	.threshold = 0.5
};

const struct sbd_baseline sbd_wavelet = {
	.name = "wavelet",
	.parameters = denoising_parameters,
	.parameters_size = sizeof(struct denoising),
	.defaults = &defaults,
	.possible = possible,
	.wanted = sbd_moving_wanted,
	.create = create,
	.on_event = sbd_windowed_on_event,
	.advance = sbd_windowed_advance,
	.destroy = destroy
};
