// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "delays.h"

const char *const sbd_delay_names[] = { "rtt", "owd", NULL };

uint32_t sbd_delay_wanted(int delay)
{
	return SBD_KIND_BIT(delay == SBD_DELAY_RTT ? SBD_RTT : SBD_OWD);
}

/* As np.linspace(start_ns, end_ns, points).astype(np.int64). */
void sbd_grid(int64_t start_ns, int64_t end_ns, double *grid_ns, size_t points)
{
	const double start = (double)start_ns;
	const double step = ((double)end_ns - start) / (double)(points - 1);
	size_t k;

	for (k = 0; k < points - 1; k++)
		grid_ns[k] = (double)(int64_t)((double)k * step + start);
	grid_ns[points - 1] = (double)end_ns;
}

/* As np.interp(grid_ns, time_ns, delay_us). */
void sbd_delays_at(const struct sbd_delays *delays, const double *grid_ns, size_t points,
		   double *delay_us)
{
	const struct sbd_sample *at = delays->sample, *last = at + delays->size - 1;
	size_t k;

	for (k = 0; k < points; k++) {
		double now = grid_ns[k], since;

		while (at < last && (double)at[1].time_ns <= now)
			at++;
		since = now - (double)at->time_ns;
		delay_us[k] = (double)at->delay_us;
		if (at < last && since > 0) {
			double rise = (double)at[1].delay_us - (double)at->delay_us;
			double slope = rise / ((double)at[1].time_ns - (double)at->time_ns);

			delay_us[k] = slope * since + (double)at->delay_us;
		}
	}
}
