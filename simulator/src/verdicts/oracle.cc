// SPDX-License-Identifier: GPL-2.0-only

#include "verdicts/verdict-kind.h"

#include "scenario.h"

#include "ns3/simulator.h"

#include <nlohmann/json.hpp>

#include <utility>

namespace smartsbd
{

namespace
{

/// Says the truth of the scenario, from the moment on at which it is true.
class Oracle : public VerdictSource
{
  public:
    /**
     * @param scenario The scenario; it must outlive this.
     */
    explicit Oracle(const Scenario& scenario)
        : m_scenario(scenario),
          m_changes(GetPhases(scenario))
    {
    }

    bool Decide(ns3::Time now) override
    {
        bool changed = false;
        for (; m_passed < m_changes.size() && m_changes[m_passed] <= now; ++m_passed)
        {
            auto partition = GetTruth(m_changes[m_passed]);
            if (partition != m_partition)
            {
                m_partition = std::move(partition);
                m_said.push_back(PrintPartition(m_changes[m_passed], m_partition));
                changed = true;
            }
        }
        return changed;
    }

    Partition GetPartition() const override
    {
        return m_partition;
    }

    nlohmann::ordered_json Print() const override
    {
        return {{"verdicts", m_said}};
    }

  private:
    /**
     * @param time A time.
     * @return Which subflows share their intended bottleneck then.
     */
    Partition GetTruth(ns3::Time time) const
    {
        std::vector<uint32_t> links;
        for (const auto& subflow : m_scenario.subflows)
        {
            links.push_back(static_cast<uint32_t>(GetValueAt(subflow.bottleneck, time)));
        }
        const auto groups = Renumber(links);
        return {groups.begin(), groups.end()};
    }

    const Scenario& m_scenario;             //!< The scenario
    const std::vector<ns3::Time> m_changes; //!< When the truth may change, zero among them
    std::size_t m_passed{0};                //!< How many of these have passed
    Partition m_partition;                  //!< The truth now
    nlohmann::ordered_json m_said = nlohmann::ordered_json::array(); //!< The truth so far
};

/**
 * @param seat What the source is made for.
 * @return A source.
 */
std::unique_ptr<VerdictSource>
Create(const VerdictSeat& seat, const ParameterValues&)
{
    return std::make_unique<Oracle>(seat.scenario);
}

} // namespace

extern const VerdictKind ORACLE{
    {"oracle",
     "The truth: the bottlenecks that the scenario intends, at once when they change.",
     {AvoidanceParameter()}},
    Create,
};

} // namespace smartsbd
