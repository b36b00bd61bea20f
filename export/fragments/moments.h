/**
 * struct sbd_moments - sums over pairs of values
 * @x: of the first
 * @y: of the second
 * @xx: of the first's squares
 * @yy: of the second's squares
 * @xy: of the products
 *
 * With at most SBD_POINTS values below 2^21 no sum times the number of values
 * leaves 63 bits.
 */
struct sbd_moments {
	s64 x;
	s64 y;
	s64 xx;
	s64 yy;
	s64 xy;
};

/* What two series have in common over the product of their deviations, in Q10. */
SBD_ALONE s32 sbd_quotient_q10(s64 common, u64 deviation_x, u64 deviation_y)
{
	u64 spread, size;
	s32 correlation;

	if (!deviation_x || !deviation_y)
		return 0;
	spread = deviation_x * deviation_y;
	size = common < 0 ? -(u64)common : (u64)common;
	/* Ten bits of head room for the quotient. */
	while (spread >> 52) {
		spread >>= 1;
		size >>= 1;
	}
	size = sbd_div(size << 10, spread);
	correlation = size < SBD_ONE_Q10 ? (s32)size : SBD_ONE_Q10;
	return common < 0 ? -correlation : correlation;
}

/* Pearson's correlation in Q10, truncated toward zero; 0 of a constant series. */
static inline s32 sbd_correlation_q10(const struct sbd_moments *m, u32 points)
{
	s64 n = points, common = n * m->xy - m->x * m->y;

	return sbd_quotient_q10(common, sbd_isqrt((u64)(n * m->xx - m->x * m->x)),
				sbd_isqrt((u64)(n * m->yy - m->y * m->y)));
}

static inline void sbd_add_moments(struct sbd_moments *m, const s32 *x, const s32 *y, u32 points)
{
	u32 k;

	for (k = SBD_ZERO; SBD_BELOW(k, points); k++) {
		m->x += x[k];
		m->y += y[k];
		m->xx += (s64)x[k] * x[k];
		m->yy += (s64)y[k] * y[k];
		m->xy += (s64)x[k] * y[k];
	}
}

static inline s32 sbd_correlation_of(const s32 *x, const s32 *y, u32 points)
{
	struct sbd_moments m = { 0, 0, 0, 0, 0 };

	sbd_add_moments(&m, x, y, points);
	return sbd_correlation_q10(&m, points);
}
