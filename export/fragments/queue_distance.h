/* A distance per point, isqrt(distance^2 / n): the root of the mean square. */
static inline sbd_s32 sbd_per_point(sbd_s32 distance, sbd_u32 points)
{
	return (sbd_s32)sbd_isqrt(sbd_div((sbd_u64)distance * (sbd_u64)distance, points));
}

/* ED and DTW distance of the queueing delays, and ED against their size. */
static __always_inline void sbd_queue_distance(const struct sbd_window *w, sbd_u32 wanted,
					       struct sbd_scratch *scratch)
{
	const sbd_s32 *a_us = scratch->queue_us[0], *b_us = scratch->queue_us[1];
	sbd_s32 *x = scratch->x;

	if (wanted & (SBD_BIT(SBD_QUEUE_ED_4US) | SBD_BIT(SBD_QUEUE_ED_RATIO_Q10))) {
		sbd_u64 apart = 0, size = 0;
		sbd_u32 k;

		for (k = SBD_ZERO; SBD_BELOW(k, w->points); k++) {
			sbd_s64 a = a_us[k], b = b_us[k];

			apart += (sbd_u64)((a - b) * (a - b));
			size += (sbd_u64)(a * a + b * b);
		}
		if (wanted & SBD_BIT(SBD_QUEUE_ED_4US))
			x[SBD_QUEUE_ED_4US] = sbd_per_point(sbd_distance_4us(apart), w->points);
		if (wanted & SBD_BIT(SBD_QUEUE_ED_RATIO_Q10))
			x[SBD_QUEUE_ED_RATIO_Q10] = sbd_ratio_q10(sbd_isqrt(apart),
								  sbd_isqrt(size));
	}
	if (wanted & SBD_BIT(SBD_QUEUE_DTWD_4US)) {
		struct sbd_apart apart;

		sbd_warp(a_us, b_us, w->series[0].congested, w->series[1].congested, w->points,
			 SBD_OF_RTT, scratch, &apart);
		x[SBD_QUEUE_DTWD_4US] = sbd_per_point(sbd_distance_4us(apart.rtt), w->points);
	}
}
