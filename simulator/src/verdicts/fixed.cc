// SPDX-License-Identifier: GPL-2.0-only

#include "verdicts/verdict-kind.h"

#include "scenario.h"

#include <nlohmann/json.hpp>

#include <utility>

namespace smartsbd
{

namespace
{

/// Says the same from the beginning to the end.
class Fixed : public VerdictSource
{
  public:
    /**
     * @param partition What it says.
     */
    explicit Fixed(Partition partition)
        : m_partition(std::move(partition))
    {
    }

    bool Decide(ns3::Time) override
    {
        return std::exchange(m_begins, false);
    }

    Partition GetPartition() const override
    {
        return m_partition;
    }

    nlohmann::ordered_json Print() const override
    {
        return {{"verdicts", nlohmann::json::array({PrintPartition(ns3::Time(), m_partition)})}};
    }

  private:
    const Partition m_partition; //!< What it says
    bool m_begins{true};         //!< Whether it has not been asked yet
};

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
    return std::make_unique<Fixed>(partition);
}

} // namespace

extern const VerdictKind FIXED{
    {"fixed",
     "Always the same: all subflows share a bottleneck, or none do.",
     {OneOf("groups", "shared: all do; apart: none do.", {"shared", "apart"})}},
    Create,
};

} // namespace smartsbd
