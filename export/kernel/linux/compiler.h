/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Of the kernel's header of this name, what an exported header uses. */
#ifndef __always_inline
#define __always_inline inline __attribute__((__always_inline__))
#endif
