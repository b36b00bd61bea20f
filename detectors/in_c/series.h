/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What is done with series of numbers. */
#ifndef SBD_SERIES_H
#define SBD_SERIES_H

#include <stdbool.h>
#include <stddef.h>

static inline double sbd_clipped(double value, double lowest, double highest)
{
	if (value < lowest)
		return lowest;
	return value > highest ? highest : value;
}

/* In the order numpy adds contiguous doubles. */
double sbd_sum(const double *value, size_t size);

double sbd_dot(const double *x, const double *y, size_t size);

/* Take the mean away; returns the sum of the squares of what is left. */
double sbd_centre(double *value, size_t size);

/*
 * Pearson's correlation of two series that are centred; false if one of them is constant.
 *
 * @xx, @yy: what sbd_centre() returned
 */
bool sbd_coefficient(const double *x, double xx, const double *y, double yy, size_t size,
		     double *found);

struct sbd_placed {
	double value;
	size_t place;
};

/* Sort by value; equals keep their order. @spare: room for as many */
void sbd_sort(struct sbd_placed *placed, struct sbd_placed *spare, size_t size);

#endif
