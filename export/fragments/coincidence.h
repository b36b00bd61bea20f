/* Whether a series of yes and no holds one within reach of each point, a point at a time. */
static inline u32 sbd_near(const u8 *congested, u32 points, u32 k, u32 reach, u32 *count)
{
	/* The window slides: what comes into reach is added, what leaves it is taken away. */
	if (k == 0) {
		u32 i;

		*count = 0;
		for (i = 0; i < SBD_POINTS && i < points && i < reach; i++)
			*count += congested[i];
	}
	if (k + reach < points)
		*count += congested[k + reach];
	if (k > reach)
		*count -= congested[k - reach - 1];
	return *count > 0;
}

/* Coincidence of congestion within a larger RTT (Jaccard), less what chance would give. */
static inline void sbd_coincidence(const struct sbd_window *w, struct sbd_scratch *scratch)
{
	const u8 *congested_a = w->series[!w->denominator].congested;
	const u8 *congested_b = w->series[w->denominator].congested;
	u32 k, count_a, count_b;
	u64 a = 0, b = 0, both = 0, seen, expected;

	for (k = 0; k < SBD_POINTS && k < w->points; k++) {
		u32 near_a = sbd_near(congested_a, w->points, k, w->rtt_steps, &count_a);
		u32 near_b = sbd_near(congested_b, w->points, k, w->rtt_steps, &count_b);

		a += near_a;
		b += near_b;
		both += near_a & near_b;
	}
	scratch->x[SBD_CSTATE_NEAR_JACCARD_EXCESS_Q10] = 0;
	if (!a || !b)
		return;
	seen = sbd_div(both << 10, a + b - both);
	expected = sbd_div(a * b << 10, w->points * (a + b) - a * b);
	scratch->x[SBD_CSTATE_NEAR_JACCARD_EXCESS_Q10] = (s32)seen - (s32)expected;
}
