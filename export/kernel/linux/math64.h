/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Of the kernel's header of this name, what an exported header uses. */
#ifndef SBD_KERNEL_MATH64_H
#define SBD_KERNEL_MATH64_H

#include <linux/types.h>

__u64 div64_u64(__u64 dividend, __u64 divisor);

#endif /* SBD_KERNEL_MATH64_H */
