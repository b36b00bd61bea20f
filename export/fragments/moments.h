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
	sbd_s64 x;
	sbd_s64 y;
	sbd_s64 xx;
	sbd_s64 yy;
	sbd_s64 xy;
};

/* What two series have in common over the product of their deviations, in Q10. */
SBD_ALONE sbd_s32 sbd_quotient_q10(sbd_s64 common, sbd_u64 deviation_x, sbd_u64 deviation_y)
{
	sbd_u64 spread, size;
	sbd_s32 correlation;

	if (!deviation_x || !deviation_y)
		return 0;
	spread = deviation_x * deviation_y;
	size = common < 0 ? -(sbd_u64)common : (sbd_u64)common;
	/* Ten bits of head room for the quotient. */
	while (spread >> 52) {
		spread >>= 1;
		size >>= 1;
	}
	size = sbd_div(size << 10, spread);
	correlation = size < SBD_ONE_Q10 ? (sbd_s32)size : SBD_ONE_Q10;
	return common < 0 ? -correlation : correlation;
}

/* Pearson's correlation in Q10, truncated toward zero; 0 of a constant series. */
static inline sbd_s32 sbd_correlation_q10(const struct sbd_moments *m, sbd_u32 points)
{
	sbd_s64 n = points, common = n * m->xy - m->x * m->y;

	return sbd_quotient_q10(common, sbd_isqrt((sbd_u64)(n * m->xx - m->x * m->x)),
				sbd_isqrt((sbd_u64)(n * m->yy - m->y * m->y)));
}

static inline void sbd_add_moments(struct sbd_moments *m, const sbd_s32 *x, const sbd_s32 *y,
				   sbd_u32 points)
{
	sbd_u32 k;

	for (k = SBD_ZERO; SBD_BELOW(k, points); k++) {
		m->x += x[k];
		m->y += y[k];
		m->xx += (sbd_s64)x[k] * x[k];
		m->yy += (sbd_s64)y[k] * y[k];
		m->xy += (sbd_s64)x[k] * y[k];
	}
}

static inline sbd_s32 sbd_correlation_of(const sbd_s32 *x, const sbd_s32 *y, sbd_u32 points)
{
	struct sbd_moments m = { 0, 0, 0, 0, 0 };

	sbd_add_moments(&m, x, y, points);
	return sbd_correlation_q10(&m, points);
}
