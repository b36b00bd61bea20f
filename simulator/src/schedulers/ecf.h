// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_ECF_H
#define SMARTSBD_ECF_H

#include "schedulers/scheduler-kind.h"

namespace smartsbd
{

/**
 * Whether the rest of the data is complete earlier without the slow subflow.
 *
 * @param fast The fastest subflow.
 * @param slow The subflow with room.
 * @param rest Segments that no subflow has got.
 * @param waiting Whether the last answer that was asked for was to wait; it is changed.
 * @return Whether to wait for the fast one (mptcp_ecf.c; Lim et al., CoNEXT 2017, Algorithm 1).
 */
bool EcfWaits(const PathView& fast, const PathView& slow, double rest, bool& waiting);

} // namespace smartsbd

#endif /* SMARTSBD_ECF_H */
