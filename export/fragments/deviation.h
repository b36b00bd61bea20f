/* n times the standard deviation from sums over n values, truncated. */
static inline u32 sbd_deviation(u32 points, u64 sum, u64 sum_of_squares)
{
	return sbd_isqrt(points * sum_of_squares - sum * sum);
}

static inline u32 sbd_deviation_of(const s32 *values, u32 points)
{
	u64 sum = 0, sum_of_squares = 0;
	u32 k;

	for (k = SBD_ZERO; SBD_BELOW(k, points); k++) {
		sum += (u64)values[k];
		sum_of_squares += (u64)values[k] * (u64)values[k];
	}
	return sbd_deviation(points, sum, sum_of_squares);
}
