/* SPDX-License-Identifier: MIT */
/* Two models in one file: reads rows of features, writes what each says of a row. */
#include <stdio.h>

/* A program may have types of these names, whatever they are. */
typedef struct { int unused; } u8, u16, u32, u64, s32, s64;

#include "sbd_first.h"
#include "sbd_second.h"

int main(void)
{
	sbd_s32 x[SBD_FEATURES];

	while (fread(x, sizeof(x), 1, stdin) == 1) {
		putchar(sbd_first(x));
		putchar(sbd_second(x));
	}
	/* Both are judges of windows too. */
	return (sbd_judge *)sbd_first_judge == sbd_second_judge;
}
