#if !SBD_WITH_ACKED
#error "this model takes a feature of rates: SBD_WITH_ACKED must be 1"
#endif

/* What time bytes are counted over, in larger RTTs. */
#define SBD_RATE_RTTS	5
#define SBD_RATE_BITS	21

/* How far a number is shifted right until it has 21 bits. */
SBD_ALONE sbd_u32 sbd_rate_shift(sbd_u64 most)
{
	sbd_u32 shift = 0;

	while (most >> SBD_RATE_BITS) {
		most >>= 1;
		shift++;
	}
	return shift;
}

/* Bytes delivered over span points, shifted right until the largest has 21 bits. */
static inline void sbd_delivered(const sbd_u64 *acked_bytes, sbd_u32 points, sbd_u32 span,
				 sbd_s32 *delivered)
{
	sbd_u32 k, shift;
	sbd_u64 most = 0;

	for (k = SBD_ZERO; SBD_BELOW(k, points); k++) {
		sbd_u64 bytes = acked_bytes[k + span] - acked_bytes[k];

		most = bytes > most ? bytes : most;
	}
	shift = sbd_rate_shift(most);
	for (k = SBD_ZERO; SBD_BELOW(k, points); k++)
		delivered[k] = (sbd_s32)((acked_bytes[k + span] - acked_bytes[k]) >> shift);
}

/* Correlation of the bytes delivered. */
static inline void sbd_rate(const struct sbd_window *w, struct sbd_scratch *scratch)
{
	sbd_u32 span = SBD_RATE_RTTS * w->rtt_steps, points = span < w->points ? w->points - span : 0;

	sbd_delivered(w->series[!w->denominator].acked_bytes, points, span, scratch->change[0]);
	sbd_delivered(w->series[w->denominator].acked_bytes, points, span, scratch->change[1]);
	scratch->x[SBD_RATE_CORRELATION_Q10] =
		sbd_correlation_of(scratch->change[0], scratch->change[1], points);
}
