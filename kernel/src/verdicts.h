/* SPDX-License-Identifier: GPL-2.0-only */
/* What a connection's verdicts are made of: the exported headers, as the verifier accepts them. */
#ifndef SBD_VERDICTS_H
#define SBD_VERDICTS_H

#include "controller.h"
#include "verifiable.h"

#define SBD_SUBFLOWS	CONTROLLED_SUBFLOWS
#include "sbd_active.h"
#include "sbd_common_lag.h"
#include "sbd_coupling.h"
#include "sbd_loaded.h"

#endif
