/* Places of the values in order of one digit; equals keep the order they have. */
static inline void sbd_sort_digit(const sbd_s32 *values, sbd_u32 points, sbd_u32 shift,
				  sbd_u16 *before,
				  const sbd_u16 *from, sbd_u16 *to)
{
	sbd_u32 k, digit, sum = 0;

	for (digit = SBD_ZERO; SBD_WHILE(digit < 1 << SBD_DIGIT_BITS); digit++)
		before[digit] = 0;
	for (k = SBD_ZERO; SBD_BELOW(k, points); k++)
		before[(sbd_u32)values[k] >> shift & ((1 << SBD_DIGIT_BITS) - 1)]++;
	for (digit = SBD_ZERO; SBD_WHILE(digit < 1 << SBD_DIGIT_BITS); digit++) {
		sbd_u32 count = before[digit];

		before[digit] = (sbd_u16)sum;
		sum += count;
	}
	for (k = SBD_ZERO; SBD_BELOW(k, points); k++) {
		digit = (sbd_u32)values[from[k]] >> shift & ((1 << SBD_DIGIT_BITS) - 1);
		to[before[digit]++] = from[k];
	}
}

/* Twice the rank of each value, 1 the smallest; equals take their mean rank. */
static inline void sbd_doubled_ranks(const sbd_s32 *values, sbd_u32 points,
				     struct sbd_scratch *scratch, sbd_s32 *rank)
{
	sbd_u16 *before = scratch->ranked.before;
	sbd_u16 *one = scratch->ranked.order[0], *other = scratch->ranked.order[1];
	sbd_u32 k, first, end;

	for (k = SBD_ZERO; SBD_BELOW(k, points); k++)
		one[k] = (sbd_u16)k;
	sbd_sort_digit(values, points, 0, before, one, other);
	sbd_sort_digit(values, points, SBD_DIGIT_BITS, before, other, one);
	sbd_sort_digit(values, points, 2 * SBD_DIGIT_BITS, before, one, other);
	for (first = SBD_ZERO; SBD_BELOW(first, points); first = end) {
		for (end = first; SBD_WHILE(end < points && values[other[end]] == values[other[first]]); end++)
			;
		for (k = first; SBD_WHILE(k < end); k++)
			rank[other[k]] = (sbd_s32)(first + end + 1);
	}
}
