/* Both RTT series above their common minimum. */
static inline void sbd_above(const struct sbd_window *w, struct sbd_scratch *scratch)
{
	const sbd_u32 *a_us = w->series[!w->denominator].rtt_us;
	const sbd_u32 *b_us = w->series[w->denominator].rtt_us;
	sbd_u32 k, least_us = a_us[0];

	for (k = SBD_ZERO; SBD_BELOW(k, w->points); k++) {
		least_us = a_us[k] < least_us ? a_us[k] : least_us;
		least_us = b_us[k] < least_us ? b_us[k] : least_us;
	}
	for (k = SBD_ZERO; SBD_BELOW(k, w->points); k++) {
		sbd_u32 a = a_us[k] - least_us, b = b_us[k] - least_us;

		scratch->above_us[0][k] = (sbd_s32)(a < SBD_RTT_LIMIT_US ? a : SBD_RTT_LIMIT_US);
		scratch->above_us[1][k] = (sbd_s32)(b < SBD_RTT_LIMIT_US ? b : SBD_RTT_LIMIT_US);
	}
}
