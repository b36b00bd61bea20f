/* ED and DTW distance of RTT, congestion, and both together. */
static __always_inline void sbd_distance(const struct sbd_window *w, sbd_u32 wanted,
					 struct sbd_scratch *scratch)
{
	const sbd_u8 *congested_a = w->series[!w->denominator].congested;
	const sbd_u8 *congested_b = w->series[w->denominator].congested;
	const sbd_s32 *a_us = scratch->above_us[0], *b_us = scratch->above_us[1];
	const sbd_u64 weight = (sbd_u64)SBD_CONGESTED_US * SBD_CONGESTED_US;
	const sbd_u32 of = (wanted & SBD_BIT(SBD_RTT_DTWD_4US) ? SBD_OF_RTT : 0) |
		       (wanted & SBD_BIT(SBD_CSTATE_DTWD_4US) ? SBD_OF_STATE : 0) |
		       (wanted & SBD_BIT(SBD_RTT_CSTATE_DTWD_4US) ? SBD_OF_BOTH : 0);
	struct sbd_apart apart;
	sbd_s32 *x = scratch->x;

	if (wanted & (SBD_BIT(SBD_RTT_ED_4US) | SBD_BIT(SBD_CSTATE_ED_4US) | SBD_BIT(SBD_RTT_CSTATE_ED_4US))) {
		sbd_u64 rtt = 0;
		sbd_u32 k, state = 0;

		for (k = SBD_ZERO; SBD_BELOW(k, w->points); k++) {
			sbd_s64 difference = a_us[k] - b_us[k];

			rtt += (sbd_u64)(difference * difference);
			state += congested_a[k] ^ congested_b[k];
		}
		if (wanted & SBD_BIT(SBD_RTT_ED_4US))
			x[SBD_RTT_ED_4US] = sbd_distance_4us(rtt);
		if (wanted & SBD_BIT(SBD_CSTATE_ED_4US))
			x[SBD_CSTATE_ED_4US] = sbd_distance_4us(state * weight);
		if (wanted & SBD_BIT(SBD_RTT_CSTATE_ED_4US))
			x[SBD_RTT_CSTATE_ED_4US] = sbd_distance_4us(rtt + state * weight);
	}
	if (!of)
		return;
	sbd_warp(a_us, b_us, congested_a, congested_b, w->points, of, scratch, &apart);
	if (of & SBD_OF_RTT)
		x[SBD_RTT_DTWD_4US] = sbd_distance_4us(apart.rtt);
	if (of & SBD_OF_STATE)
		x[SBD_CSTATE_DTWD_4US] = sbd_distance_4us(apart.state);
	if (of & SBD_OF_BOTH)
		x[SBD_RTT_CSTATE_DTWD_4US] = sbd_distance_4us(apart.both);
}
