/* How often a series of yes and no says yes within reach of the first point, but for the last in reach. */
static inline sbd_u32 sbd_near_first(const sbd_u8 *congested, sbd_u32 points, sbd_u32 reach)
{
	sbd_u32 k, count = 0;

	for (k = SBD_ZERO; SBD_BELOW(k, points) && k < reach; k++)
		count += congested[k];
	return count;
}

SBD_ALONE sbd_u32 sbd_is_any(sbd_u32 count)
{
	return count > 0;
}

/* Whether it does within reach of each point, a point at a time. */
static inline sbd_u32 sbd_near(const sbd_u8 *congested, sbd_u32 points, sbd_u32 k, sbd_u32 reach,
			       sbd_u32 *count)
{
	/* The window slides: what comes into reach is added, what leaves it is taken away. */
	if (k + reach < points)
		*count += congested[k + reach];
	if (k > reach)
		*count -= congested[k - reach - 1];
	return sbd_is_any(*count);
}

/* Coincidence of congestion within a larger RTT (Jaccard), less what chance would give. */
static inline void sbd_coincidence(const struct sbd_window *w, struct sbd_scratch *scratch)
{
	const sbd_u8 *congested_a = w->series[!w->denominator].congested;
	const sbd_u8 *congested_b = w->series[w->denominator].congested;
	sbd_u32 k, count_a = sbd_near_first(congested_a, w->points, w->rtt_steps);
	sbd_u32 count_b = sbd_near_first(congested_b, w->points, w->rtt_steps);
	sbd_u32 a = SBD_ZERO, b = SBD_ZERO, both = SBD_ZERO;
	sbd_u64 seen, expected;

	for (k = SBD_ZERO; SBD_BELOW(k, w->points); k++) {
		sbd_u32 near_a = sbd_near(congested_a, w->points, k, w->rtt_steps, &count_a);
		sbd_u32 near_b = sbd_near(congested_b, w->points, k, w->rtt_steps, &count_b);

		a += near_a;
		b += near_b;
		both += near_a & near_b;
	}
	scratch->x[SBD_CSTATE_NEAR_JACCARD_EXCESS_Q10] = 0;
	if (!a || !b)
		return;
	seen = sbd_div((sbd_u64)both << 10, a + b - both);
	expected = sbd_div((sbd_u64)a * b << 10, (sbd_u64)w->points * (a + b) - (sbd_u64)a * b);
	scratch->x[SBD_CSTATE_NEAR_JACCARD_EXCESS_Q10] = (sbd_s32)seen - (sbd_s32)expected;
}
