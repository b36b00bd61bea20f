/* SPDX-License-Identifier: MIT */
/* Two models in one file: reads rows of features, writes what each says of a row. */
#include <stdio.h>

#include "sbd_first.h"
#include "sbd_second.h"

int main(void)
{
	s32 x[SBD_FEATURES];

	while (fread(x, sizeof(x), 1, stdin) == 1) {
		putchar(sbd_first(x));
		putchar(sbd_second(x));
	}
	/* Both are judges of windows too. */
	return (sbd_judge *)sbd_first_judge == sbd_second_judge;
}
