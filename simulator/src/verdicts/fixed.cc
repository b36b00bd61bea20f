// SPDX-License-Identifier: GPL-2.0-only

#include "verdicts/constant-verdict.h"

#include "scenario.h"

namespace smartsbd
{

namespace
{

/**
 * @param seat What the source is made for.
 * @param values The parameters.
 * @return A source.
 */
std::unique_ptr<VerdictSource>
Create(const VerdictSeat& seat, const ParameterValues& values)
{
    Partition partition(seat.scenario.subflows.size(), 0);
    for (uint32_t i = 0; i < partition.size() && values.Is("groups", "apart"); ++i)
    {
        partition[i] = i;
    }
    return std::make_unique<ConstantVerdict>(partition);
}

} // namespace

extern const VerdictKind FIXED{
    {"fixed",
     "Always the same: all subflows share a bottleneck, or none do.",
     {OneOf("groups", "shared: all do; apart: none do.", {"shared", "apart"})}},
    Create,
};

} // namespace smartsbd
