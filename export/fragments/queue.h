/* Queueing delays: each RTT series above its own minimum. */
static inline void sbd_queue(const struct sbd_window *w, struct sbd_scratch *scratch)
{
	sbd_u32 side, k;

	for (side = 0; side < 2; side++) {
		const sbd_u32 *rtt_us = w->series[side ? w->denominator : !w->denominator].rtt_us;
		sbd_u32 least_us = rtt_us[0];

		for (k = SBD_ZERO; SBD_BELOW(k, w->points); k++)
			least_us = rtt_us[k] < least_us ? rtt_us[k] : least_us;
		for (k = SBD_ZERO; SBD_BELOW(k, w->points); k++) {
			sbd_u32 above = rtt_us[k] - least_us;

			scratch->queue_us[side][k] =
				(sbd_s32)(above < SBD_RTT_LIMIT_US ? above : SBD_RTT_LIMIT_US);
		}
	}
}
