/* SPDX-License-Identifier: MIT */
/*
 * Reads model files, each behind its length, and writes for each why it is refused, or, of one
 * that is taken, 0; its walks read no memory but their own, on features of all kinds.
 *
 * Node words are given a correct checksum if -s is said.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sbd_loaded.h"

static sbd_u32 random32(void)
{
	static sbd_u64 state = 88172645463325252ULL;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (sbd_u32)(state >> 16);
}

static sbd_s32 feature(void)
{
	static const sbd_s32 some[] = { 0, 1, -1, SBD_FEATURE_LIMIT, -SBD_FEATURE_LIMIT, 1024, -1024 };
	sbd_u32 drawn = random32();

	if (drawn & 1)
		return some[(drawn >> 8) % 7];
	return (sbd_s32)(random32() % (2U * SBD_FEATURE_LIMIT + 1)) - SBD_FEATURE_LIMIT;
}

int main(int argc, char **argv)
{
	int sealed = argc > 1 && !strcmp(argv[1], "-s");
	sbd_u8 *level = malloc(SBD_LOADED_WORDS);
	struct sbd_loaded *m = malloc(sizeof(*m));
	sbd_u32 size;

	while (fread(&size, sizeof(size), 1, stdin) == 1) {
		/* Of its exact size, so that whatever is read beyond is seen. */
		sbd_u8 *bytes = malloc(size);
		enum sbd_refusal why;
		sbd_u32 round, i;

		if (!bytes || !level || !m || fread(bytes, 1, size, stdin) != size)
			return 1;
		if (sealed && size >= SBD_FILE_SUM) {
			sbd_u32 sum = sbd_crc32(bytes, size - SBD_FILE_SUM);

			for (i = 0; i < SBD_FILE_SUM; i++)
				bytes[size - SBD_FILE_SUM + i] = (sbd_u8)(sum >> 8 * i);
		}
		why = sbd_load(m, bytes, size, level);
		free(bytes);
		for (round = 0; why == SBD_LOADED && round < 20; round++) {
			sbd_s32 x[SBD_FEATURES];

			for (i = 0; i < SBD_FEATURES; i++)
				x[i] = feature();
			if (sbd_votes(m->node, m->root, m->trees, m->depth,
				      x) > (sbd_u64)m->trees * SBD_ALL_FOR)
				return 1;
		}
		putchar(-why);
	}
	free(level);
	free(m);
	return 0;
}
