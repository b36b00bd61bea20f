/*
 * A packed node is a word of 64 bits. Of a split: threshold + SBD_BIAS (31
 * bits, the top one 0), place of its low side (24), feature (8); the high side
 * is the word behind. Of a leaf: the top bit, its vote (31), its own place
 * (24), a feature that is taken.
 */
#define SBD_BIAS	(1U << 30)
#define SBD_LEAF	(1ULL << 63)
#define SBD_ALL_FOR	(1U << 24)	/* the vote of a leaf that is sure */
#define SBD_LANES	10		/* trees walked in lock step */

/* One step down a tree: the sign of threshold - x is what leads on, and 0 of a leaf. */
#define SBD_STEP(at) do {						\
		sbd_u64 word = node[at];					\
									\
		at = (sbd_u32)word >> 8;					\
		at += ((sbd_u32)(word >> 32) - SBD_BIAS - (sbd_u32)x[(sbd_u8)word]) >> 31;	\
	} while (0)

#define SBD_VOTE(at)	((sbd_u32)(node[at] >> 32) & (2 * SBD_BIAS - 1))

static inline sbd_u32 sbd_vote(const sbd_u64 *node, sbd_u32 root, sbd_u32 depth, const sbd_s32 *x)
{
	sbd_u32 level, at = root;

	for (level = SBD_ZERO; SBD_WHILE(level < depth); level++)
		SBD_STEP(at);
	return SBD_VOTE(at);
}

/* Sum of the votes of trees of at most some depth. */
static inline sbd_u64 sbd_votes(const sbd_u64 *node, const sbd_u32 *root, sbd_u32 trees,
				sbd_u32 depth, const sbd_s32 *x)
{
	sbd_u64 votes = 0;
	sbd_u32 tree, level;

	for (tree = SBD_ZERO; SBD_WHILE(tree + SBD_LANES <= trees); tree += SBD_LANES,
	     root += SBD_LANES) {
		sbd_u32 at0 = root[0], at1 = root[1], at2 = root[2], at3 = root[3], at4 = root[4];
		sbd_u32 at5 = root[5], at6 = root[6], at7 = root[7], at8 = root[8], at9 = root[9];

		for (level = SBD_ZERO; SBD_WHILE(level < depth); level++) {
			SBD_STEP(at0);
			SBD_STEP(at1);
			SBD_STEP(at2);
			SBD_STEP(at3);
			SBD_STEP(at4);
			SBD_STEP(at5);
			SBD_STEP(at6);
			SBD_STEP(at7);
			SBD_STEP(at8);
			SBD_STEP(at9);
		}
		votes += SBD_VOTE(at0) + SBD_VOTE(at1) + SBD_VOTE(at2) + SBD_VOTE(at3) + SBD_VOTE(at4);
		votes += SBD_VOTE(at5) + SBD_VOTE(at6) + SBD_VOTE(at7) + SBD_VOTE(at8) + SBD_VOTE(at9);
	}
	for (; SBD_WHILE(tree < trees); tree++, root++)
		votes += sbd_vote(node, *root, depth, x);
	return votes;
}
