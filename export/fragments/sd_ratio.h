/* Ratios of the standard deviations of RTT and congestion. */
static __always_inline void sbd_sd_ratio(const struct sbd_window *w, sbd_u32 wanted,
					 struct sbd_scratch *scratch)
{
	const sbd_u8 *congested_a = w->series[!w->denominator].congested;
	const sbd_u8 *congested_b = w->series[w->denominator].congested;
	sbd_u32 k, a = 0, b = 0;

	if (wanted & SBD_BIT(SBD_RTT_SD_RATIO_Q10))
		scratch->x[SBD_RTT_SD_RATIO_Q10] =
			sbd_ratio_q10(sbd_deviation_of(scratch->above_us[0], w->points),
				      sbd_deviation_of(scratch->above_us[1], w->points));
	if (!(wanted & SBD_BIT(SBD_CSTATE_SD_RATIO_Q10)))
		return;
	for (k = SBD_ZERO; SBD_BELOW(k, w->points); k++) {
		a += congested_a[k];
		b += congested_b[k];
	}
	scratch->x[SBD_CSTATE_SD_RATIO_Q10] =
		sbd_ratio_q10(sbd_deviation(w->points, a, a), sbd_deviation(w->points, b, b));
}
