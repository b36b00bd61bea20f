/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Of the kernel's header of this name, what an exported header uses: enough to compile it as a
 * kernel would.
 */
#ifndef SBD_KERNEL_TYPES_H
#define SBD_KERNEL_TYPES_H

typedef unsigned char __u8;
typedef unsigned short __u16;
typedef unsigned int __u32;
typedef unsigned long long __u64;
typedef int __s32;
typedef long long __s64;

#endif /* SBD_KERNEL_TYPES_H */
