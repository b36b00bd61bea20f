// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <math.h>
#include <string.h>

#include "series.h"

#define LANES	8	/* sums side by side */
#define BLOCK	128	/* numbers that are added without being halved */

double sbd_sum(const double *value, size_t size)
{
	double lane[LANES], sum = 0;
	size_t i, k;

	if (size > BLOCK) {
		size_t half = size / 2;

		half -= half % LANES;
		return sbd_sum(value, half) + sbd_sum(value + half, size - half);
	}
	i = 0;
	if (size >= LANES) {
		memcpy(lane, value, sizeof(lane));
		for (i = LANES; i + LANES <= size; i += LANES)
			for (k = 0; k < LANES; k++)
				lane[k] += value[i + k];
		sum = ((lane[0] + lane[1]) + (lane[2] + lane[3])) +
		      ((lane[4] + lane[5]) + (lane[6] + lane[7]));
	}
	for (; i < size; i++)
		sum += value[i];
	return sum;
}

/* numpy leaves the order to the BLAS library, which takes the one that is fast on the machine. */
double sbd_dot(const double *x, const double *y, size_t size)
{
	double even = 0, odd = 0;
	size_t i;

	for (i = 0; i + 1 < size; i += 2) {
		even += x[i] * y[i];
		odd += x[i + 1] * y[i + 1];
	}
	return i < size ? even + odd + x[i] * y[i] : even + odd;
}

double sbd_centre(double *value, size_t size)
{
	double mean = sbd_sum(value, size) / (double)size;
	size_t i;

	for (i = 0; i < size; i++)
		value[i] -= mean;
	return sbd_dot(value, value, size);
}

bool sbd_coefficient(const double *x, double xx, const double *y, double yy, size_t size,
		     double *found)
{
	double norm = sqrt(xx * yy);

	if (!(norm > 0))
		return false;
	*found = sbd_clipped(sbd_dot(x, y, size) / norm, -1, 1);
	return true;
}

/* Merge two sorted runs that lie one behind the other. */
static void merge(const struct sbd_placed *from, size_t first, size_t second, struct sbd_placed *to)
{
	const struct sbd_placed *one = from, *one_end = from + first;
	const struct sbd_placed *other = one_end, *other_end = other + second;

	while (one < one_end && other < other_end) {
		bool later = other->value < one->value;

		*to++ = later ? *other : *one;
		other += later;
		one += !later;
	}
	while (one < one_end)
		*to++ = *one++;
	while (other < other_end)
		*to++ = *other++;
}

void sbd_sort(struct sbd_placed *placed, struct sbd_placed *spare, size_t size)
{
	struct sbd_placed *from = placed, *to = spare;
	size_t run, i;

	for (run = 1; run < size; run *= 2) {
		struct sbd_placed *merged = to;

		for (i = 0; i < size; i += 2 * run) {
			size_t first = size - i < run ? size - i : run;
			size_t left = size - i - first;

			merge(from + i, first, left < run ? left : run, to + i);
		}
		to = from;
		from = merged;
	}
	if (from != placed)
		memcpy(placed, from, size * sizeof(*placed));
}
