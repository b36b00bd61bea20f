/*
 * Kernel values of an SVM with RBF kernel. A scaled feature has 12 fractional bits, so a squared
 * distance d has 24; a kernel value is 2^-d in Q30. With at most 32 features d is below 2^45, and
 * what is multiplied in sbd_scaled() below 2^60.
 */
#define SBD_SCALED_LIMIT	(1 << 19)

/* 2^-f in Q30, f from 0 to 1 in steps of 1/64. */
SBD_TABLE(sbd_u32, sbd_power) = {
	1073741824, 1062175491, 1050733751, 1039415261, 1028218693, 1017142735,
	1006186087, 995347464, 984625594, 974019220, 963527098, 953147997,
	942880699, 932724001, 922676710, 912737649, 902905651, 893179563,
	883558244, 874040567, 864625413, 855311680, 846098274, 836984114,
	827968132, 819049271, 810226483, 801498734, 792865000, 784324269,
	775875538, 767517817, 759250125, 751071493, 742980960, 734977579,
	727060411, 719228525, 711481005, 703816941, 696235434, 688735596,
	681316545, 673977412, 666717336, 659535466, 652430958, 645402981,
	638450708, 631573326, 624770026, 618040012, 611382493, 604796689,
	598281827, 591837143, 585461881, 579155293, 572916640, 566745190,
	560640218, 554601009, 548626854, 542717053, 536870912,
};

static inline sbd_s32 sbd_scaled(sbd_s32 x, sbd_s32 centre, sbd_s32 factor, sbd_u32 shift)
{
	sbd_s64 scaled = ((sbd_s64)x - centre) * factor >> shift;

	if (scaled > SBD_SCALED_LIMIT)
		return SBD_SCALED_LIMIT;
	return scaled < -SBD_SCALED_LIMIT ? -SBD_SCALED_LIMIT : (sbd_s32)scaled;
}

static inline sbd_u64 sbd_square(sbd_s32 x)
{
	return (sbd_u64)((sbd_s64)x * x);
}

/* The fraction of d by the table, linearly between two places of it; the whole part is a shift. */
static inline sbd_u32 sbd_kernel_value(sbd_u64 distance)
{
	const sbd_u32 *power = (const sbd_u32 *)sbd_power + (distance >> 18 & 63);
	sbd_u64 fall = (sbd_u64)(power[0] - power[1]) * (distance >> 8 & 1023) >> 10;

	return distance >> 24 < 32 ? (power[0] - (sbd_u32)fall) >> (distance >> 24) : 0;
}
