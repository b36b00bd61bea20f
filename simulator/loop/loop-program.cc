// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 *
 * smartsbd-loop: smartsbd-sim with all sources of verdicts, those that need exported headers and
 * baseline detectors too.
 */

#include "program.h"

#include <algorithm>

namespace smartsbd
{

// Each is defined in the file of its name.
extern const VerdictKind COMMON_LAG;
extern const VerdictKind CORRELATION;
extern const VerdictKind DWC_R;
extern const VerdictKind EMPTCP_R;
extern const VerdictKind FILE_MODEL;
extern const VerdictKind FOREST_INVARIANT;
extern const VerdictKind LAG_EXCESS;
extern const VerdictKind MPTCP_SBD;
extern const VerdictKind RFC8382;
extern const VerdictKind TON20_R;
extern const VerdictKind TREE_INVARIANT;
extern const VerdictKind TREE_PAPER;

namespace
{

/// @return All sources, by name.
std::vector<const VerdictKind*>
GetVerdicts()
{
    std::vector<const VerdictKind*> verdicts{
        &COMMON_LAG,
        &CORRELATION,
        &DWC_R,
        &EMPTCP_R,
        &FILE_MODEL,
        &FOREST_INVARIANT,
        &LAG_EXCESS,
        &MPTCP_SBD,
        &RFC8382,
        &TON20_R,
        &TREE_INVARIANT,
        &TREE_PAPER,
    };
    const auto& plain = GetPlainVerdicts();
    verdicts.insert(verdicts.end(), plain.begin(), plain.end());
    std::sort(verdicts.begin(), verdicts.end(), [](const auto* a, const auto* b) {
        return a->name < b->name;
    });
    return verdicts;
}

} // namespace

const Program&
GetProgram()
{
    static const Program program{"smartsbd-loop", " loop=" SMARTSBD_LOOP, GetVerdicts(), nullptr};
    return program;
}

} // namespace smartsbd
