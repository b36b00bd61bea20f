// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_LIA_H
#define SMARTSBD_LIA_H

#include "controllers/coupled-controller.h"

namespace smartsbd
{

/**
 * The window increase of RFC 6356, section 3.
 *
 * @param subflows All established subflows of the group; windows and RTTs are positive.
 * @param index The subflow that received an acknowledgment.
 * @return Increase of its window in segments for each acknowledged segment.
 */
double LiaIncrease(const std::vector<CoupledSubflow>& subflows, std::size_t index);

} // namespace smartsbd

#endif /* SMARTSBD_LIA_H */
