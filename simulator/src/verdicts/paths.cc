// SPDX-License-Identifier: GPL-2.0-only

#include "verdicts/constant-verdict.h"

#include "scenario.h"

#include <algorithm>

namespace smartsbd
{

namespace
{

/**
 * @param a A subflow.
 * @param b Another one.
 * @return Whether they cross the same shaped link.
 */
bool
ShareLink(const SubflowSpec& a, const SubflowSpec& b)
{
    return (a.serverLink && a.serverLink == b.serverLink) ||
           (a.clientLink && a.clientLink == b.clientLink);
}

/**
 * @param seat What the source is made for.
 * @param values The parameters.
 * @return A source.
 */
std::unique_ptr<VerdictSource>
Create(const VerdictSeat& seat, const ParameterValues& values)
{
    const auto& subflows = seat.scenario.subflows;
    const bool routers = values.Is("by", "routers");
    std::vector<uint32_t> groups(subflows.size());
    for (uint32_t i = 0; i < groups.size(); ++i)
    {
        groups[i] = i;
        for (uint32_t other = 0; other < i; ++other)
        {
            // All subflows pass the routers at both ends of the backbone.
            if (routers || ShareLink(subflows[i], subflows[other]))
            {
                std::replace(groups.begin(),
                             groups.begin() + i + 1,
                             uint32_t{groups[i]},
                             uint32_t{groups[other]});
            }
        }
    }
    const auto numbered = Renumber(groups);
    return std::make_unique<ConstantVerdict>(Partition(numbered.begin(), numbered.end()));
}

} // namespace

extern const VerdictKind PATHS{
    {"paths",
     "What a network controller reports of the subflows' paths (FMBBR, III.B): those that have "
     "something in common are taken to share a bottleneck.",
     {OneOf("by",
            "links: a link of the scenario (ours); routers: a router, as in the paper. All "
            "subflows pass those of the backbone, so all share.",
            {"links", "routers"}),
      AvoidanceParameter()}},
    Create,
};

} // namespace smartsbd
