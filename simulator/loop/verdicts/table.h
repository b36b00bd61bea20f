// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_VERDICT_TABLE_H
#define SMARTSBD_VERDICT_TABLE_H

#include "verdicts/verdict-kind.h"

#include <vector>

namespace smartsbd
{

/// @return The sources that are a name and a sentence each: baseline detectors and exported models.
const std::vector<VerdictKind>& GetVerdictTable();

} // namespace smartsbd

#endif /* SMARTSBD_VERDICT_TABLE_H */
