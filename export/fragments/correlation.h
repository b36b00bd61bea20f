/* How far the lagged correlation shifts, and what changes are taken over, in larger RTTs. */
#define SBD_LAG_RTTS	2
#define SBD_CHANGE_RTTS	2

SBD_ALONE sbd_s32 sbd_larger(sbd_s32 one, sbd_s32 other)
{
	return one > other ? one : other;
}

/* Largest correlation of what overlaps over all shifts of up to lag points either way. */
static inline sbd_s32 sbd_lagged_q10(const sbd_s32 *x, const sbd_s32 *y, sbd_u32 points,
				     sbd_u32 lag)
{
	sbd_s32 most = -SBD_ONE_Q10;
	sbd_u32 way;

	for (way = 0; way < 2; way++) {
		const sbd_s32 *late = way ? y : x, *early = way ? x : y;
		struct sbd_moments m = { 0, 0, 0, 0, 0 };
		sbd_u32 shift, k;

		sbd_add_moments(&m, late, early, points);
		most = sbd_larger(most, sbd_correlation_q10(&m, points));
		for (shift = SBD_ZERO + 1; SBD_BELOW(shift, points) && shift <= lag; shift++) {
			sbd_s64 first = late[shift - 1], last = early[points - shift];

			m.x -= first;
			m.xx -= first * first;
			m.y -= last;
			m.yy -= last * last;
			m.xy = 0;
			for (k = SBD_ZERO; SBD_BELOW(k, points - shift); k++)
				m.xy += (sbd_s64)late[k + shift] * early[k];
			most = sbd_larger(most, sbd_correlation_q10(&m, points - shift));
		}
	}
	return most;
}

/* Correlations of the RTT series: plain, of ranks, of changes, and the largest within a lag. */
static __always_inline void sbd_correlation(const struct sbd_window *w, sbd_u32 wanted,
					    struct sbd_scratch *scratch)
{
	const sbd_s32 *a_us = scratch->queue_us[0], *b_us = scratch->queue_us[1];
	const sbd_u32 points = w->points;
	sbd_s32 *x = scratch->x;

	if (wanted & SBD_BIT(SBD_RTT_CORRELATION_Q10))
		x[SBD_RTT_CORRELATION_Q10] = sbd_correlation_of(a_us, b_us, points);
	if (wanted & SBD_BIT(SBD_RTT_RANK_CORRELATION_Q10)) {
		sbd_s32 *rank_a = scratch->ranked.rank[0], *rank_b = scratch->ranked.rank[1];

		sbd_doubled_ranks(a_us, points, scratch, rank_a);
		sbd_doubled_ranks(b_us, points, scratch, rank_b);
		x[SBD_RTT_RANK_CORRELATION_Q10] = sbd_correlation_of(rank_a, rank_b, points);
	}
	if (wanted & SBD_BIT(SBD_RTT_LAGGED_CORRELATION_Q10))
		x[SBD_RTT_LAGGED_CORRELATION_Q10] =
			sbd_lagged_q10(a_us, b_us, points, SBD_LAG_RTTS * w->rtt_steps);
	if (wanted & SBD_BIT(SBD_RTT_CHANGE_CORRELATION_Q10)) {
		sbd_u32 k, span = SBD_CHANGE_RTTS * w->rtt_steps;
		sbd_u32 changes = span < points ? points - span : 0;

		for (k = SBD_ZERO; SBD_BELOW(k, changes); k++) {
			scratch->change[0][k] = a_us[k + span] - a_us[k];
			scratch->change[1][k] = b_us[k + span] - b_us[k];
		}
		x[SBD_RTT_CHANGE_CORRELATION_Q10] =
			sbd_correlation_of(scratch->change[0], scratch->change[1], changes);
	}
}
