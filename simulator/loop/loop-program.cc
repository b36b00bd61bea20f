// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 *
 * smartsbd-loop: smartsbd-sim with all sources of verdicts, those that need exported headers and
 * baseline detectors too.
 */

#include "program.h"
#include "verdicts/table.h"

#include <algorithm>

namespace smartsbd
{

// Each is defined in the file of its name.
extern const VerdictKind ACTIVE;
extern const VerdictKind CHECKED;
extern const VerdictKind COMMON_LAG;
extern const VerdictKind FILE_MODEL;
extern const VerdictKind LAG_EXCESS;
extern const VerdictKind TON20_R;

namespace
{

/// @return All sources, by name.
std::vector<const VerdictKind*>
GetVerdicts()
{
    std::vector<const VerdictKind*> verdicts{
        &ACTIVE,
        &CHECKED,
        &COMMON_LAG,
        &FILE_MODEL,
        &LAG_EXCESS,
        &TON20_R,
    };
    for (const auto& kind : GetVerdictTable())
    {
        verdicts.push_back(&kind);
    }
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
