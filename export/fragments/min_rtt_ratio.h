/* Ratio of the minimum RTTs up to the window. */
static inline void sbd_min_rtt_ratio(const struct sbd_window *w, struct sbd_scratch *scratch)
{
	scratch->x[SBD_MIN_RTT_RATIO_Q10] =
		sbd_ratio_q10(w->min_rtt_us[!w->denominator], w->min_rtt_us[w->denominator]);
}
