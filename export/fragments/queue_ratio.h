/* The smaller over the larger. */
static inline sbd_s32 sbd_folded_ratio_q10(sbd_u64 one, sbd_u64 other)
{
	return one < other ? sbd_ratio_q10(one, other) : sbd_ratio_q10(other, one);
}

/* Means and spreads of the queueing delays. */
static __always_inline void sbd_queue_ratio(const struct sbd_window *w, sbd_u32 wanted,
					    struct sbd_scratch *scratch)
{
	const sbd_s32 *a_us = scratch->queue_us[0], *b_us = scratch->queue_us[1];
	sbd_u64 a = 0, b = 0;
	sbd_u32 k;

	if (wanted & SBD_BIT(SBD_QUEUE_MEAN_RATIO_Q10)) {
		for (k = SBD_ZERO; SBD_BELOW(k, w->points); k++) {
			a += (sbd_u64)a_us[k];
			b += (sbd_u64)b_us[k];
		}
		scratch->x[SBD_QUEUE_MEAN_RATIO_Q10] = sbd_folded_ratio_q10(a, b);
	}
	if (wanted & SBD_BIT(SBD_QUEUE_SD_RATIO_Q10))
		scratch->x[SBD_QUEUE_SD_RATIO_Q10] =
			sbd_folded_ratio_q10(sbd_deviation_of(a_us, w->points),
					     sbd_deviation_of(b_us, w->points));
}
