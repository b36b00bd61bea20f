/* SPDX-License-Identifier: GPL-2.0-only */
/* The baseline detectors of detectors/in_c/, for C++. */
#ifndef SMARTSBD_BASELINES_H
#define SMARTSBD_BASELINES_H

extern "C" {
#include "signals.h"
}

#endif
