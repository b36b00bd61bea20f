// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_COUPLING_H
#define SMARTSBD_COUPLING_H

#include "output/event-log.h"
#include "scenario.h"
#include "sender/subflow-signals.h"
#include "verdicts/verdict-kind.h"

#include "ns3/callback.h"
#include "ns3/nstime.h"

#include <nlohmann/json_fwd.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace smartsbd
{

/**
 * Couples the subflows of a connection as a source of verdicts says, while the connection runs.
 *
 * A verdict comes before the signal that shows that a window is complete, and groups change there
 * and then, unless an established subflow is in slow start: then they stay as they are until none
 * is. Windows, thresholds and what a controller counts stay as they are at a change.
 *
 * Subflows are coupled that share, directly or through others. While nothing is known of two
 * subflows UnknownRule holds, if both are established; one that is not is of the first one's group.
 *
 * A source may tell for two subflows how much of Reno's increase they have. Then those are coupled
 * that have less than all of it, and a subflow has the least of its pairs in its group. That may
 * change in slow start too, where no window grows by it.
 */
class Coupling
{
  public:
    /// Tells whether a subflow is in congestion avoidance; given whether in state Open alone.
    using Avoids = ns3::Callback<bool, std::size_t, bool>;

    /**
     * @param scenario The scenario, which has a source of verdicts; it must outlive this.
     * @param signals The subflows, whose groups this sets.
     * @param shared What their controllers tell each other; it must outlive this.
     * @param log Where signals come from and changes of groups go to; it must outlive this.
     * @param avoids Tells whether an established subflow is in congestion avoidance.
     * @throws ModelError if the source's model cannot be used.
     */
    Coupling(const Scenario& scenario,
             std::shared_ptr<ConnectionSignals> signals,
             SharedStates& shared,
             EventLog& log,
             Avoids avoids);

    Coupling(const Coupling&) = delete;
    Coupling& operator=(const Coupling&) = delete;

    /// Measure from now on how long signals and decisions take.
    void MeasureCost();

    /// Let the source judge what is left at the end of the simulation.
    void Finish();

    /// @return Groups and verdicts over time, as JSON text.
    std::string Print() const;

  private:
    /// What was said last of two subflows.
    struct Relation
    {
        std::optional<bool> shared; //!< Whether they share; none before the first verdict
        ns3::Time last;             //!< When; Time::Max() while it is still being said
        uint32_t thetaQ10{0};       //!< Share of Reno's increase, if they are coupled
    };

    /// How long something took in sum.
    struct Cost
    {
        uint64_t count{0};                //!< How often
        std::chrono::nanoseconds sum{};   //!< In sum
        std::chrono::nanoseconds worst{}; //!< At most
    };

    /// Groups from a time on.
    struct Epoch
    {
        ns3::Time from;               //!< When they begin
        std::vector<uint32_t> groups; //!< The group of each subflow
    };

    /// Shares of Reno's increase from a time on.
    struct ThetaEpoch
    {
        ns3::Time from;                  //!< When they begin
        std::vector<uint32_t> thetasQ10; //!< The share of each subflow
    };

    /**
     * A signal comes; it has not been written yet.
     *
     * @param subflow Index of the subflow.
     * @param kind What happened.
     * @param value Value in the unit of the kind.
     */
    void HandleSignal(std::size_t subflow, EventKind kind, uint64_t value);

    /**
     * @param now The present time.
     * @return Whether the source has given a verdict.
     */
    bool Decide(ns3::Time now);

    /**
     * Note what the source says of each two subflows.
     *
     * @param now The present time.
     */
    void NoteVerdicts(ns3::Time now);

    /**
     * Find what the groups are to be, and until when that is so if nothing more is said.
     *
     * @param now The present time.
     */
    void Choose(ns3::Time now);

    /**
     * @param a Index of a subflow.
     * @param b Index of another, higher one.
     * @param now The present time.
     * @return Whether they are to be coupled.
     */
    bool IsCoupled(std::size_t a, std::size_t b, ns3::Time now);

    /**
     * @param subflow Index of a subflow.
     * @return Whether there was a verdict on it.
     */
    bool IsTold(std::size_t subflow) const;

    /// @return Whether no established subflow is in slow start.
    bool MayChange() const;

    /// Let the groups that were found hold.
    void Apply();

    /**
     * Let each subflow have the least share of Reno's increase of its pairs in its group.
     *
     * @param now The present time.
     */
    void ApplyThetas(ns3::Time now);

    /**
     * @param a Index of a subflow.
     * @param b Index of another, higher one.
     * @return When what was said of them ceases to hold.
     */
    ns3::Time GetEnd(std::size_t a, std::size_t b) const;

    /// Write what has changed of established subflows.
    void WriteGroups();

    /**
     * @param cost Where to add the time since a call of Begin().
     * @param begin What Begin() returned.
     */
    static void Add(Cost& cost, std::chrono::steady_clock::time_point begin);

    const Scenario& m_scenario;             //!< The scenario
    std::shared_ptr<ConnectionSignals> m_subflows; //!< The subflows
    EventLog& m_log;                        //!< Where changes of groups go
    Avoids m_avoids;                        //!< Tells what is in congestion avoidance
    UnknownRule m_rule;                     //!< What holds while nothing is known
    std::unique_ptr<VerdictSource> m_source; //!< The source
    std::vector<bool> m_established;        //!< Which subflows have had a signal
    std::vector<Relation> m_relations;      //!< Row by row, those of each two subflows
    std::vector<uint32_t> m_wanted;         //!< What the groups are to be
    std::vector<uint32_t> m_written;        //!< The groups of which the log knows
    std::vector<Epoch> m_epochs;            //!< All groups so far
    std::vector<ThetaEpoch> m_thetas;       //!< All shares of Reno's increase so far
    ns3::Time m_due{ns3::Time::Max()};      //!< When a verdict ceases to hold
    ns3::Time m_last;                       //!< Time of the last signal
    uint64_t m_held{0};                     //!< Changes that had to wait
    bool m_holds{false};                    //!< Whether one waits
    bool m_measures{false};                 //!< Whether costs are measured
    Cost m_signals;                         //!< Of signals
    Cost m_decisions;                       //!< Of calls that gave a verdict
};

} // namespace smartsbd

#endif /* SMARTSBD_COUPLING_H */
