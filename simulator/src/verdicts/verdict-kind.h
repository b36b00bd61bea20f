// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_VERDICT_KIND_H
#define SMARTSBD_VERDICT_KIND_H

#include "controllers/shared-states.h"
#include "output/event-log.h"
#include "parameter.h"

#include "ns3/nstime.h"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace smartsbd
{

struct Scenario;

/// Which subflows share a bottleneck: the group of each, by its index; none where none is known.
using Partition = std::vector<std::optional<uint32_t>>;

/// What an event line tells.
struct Signal
{
    std::size_t subflow; //!< Index of the subflow
    EventKind kind;      //!< What happened
    uint64_t value;      //!< Value in the unit of the kind
    ns3::Time time;      //!< When
};

/// How two subflows are coupled: by how much, between all and nothing.
struct PairTheta
{
    uint32_t thetaQ10; //!< Share of Reno's increase: 0: coupled; THETA_APART_Q10: apart
    ns3::Time last;    //!< When it was last judged; Time::Max() for one that holds until then
};

/// The share of Reno's increase of two subflows that are not coupled.
constexpr uint32_t THETA_APART_Q10 = 1024;

/// A model file that cannot be used; what() says why.
class ModelError : public std::runtime_error
{
  public:
    using std::runtime_error::runtime_error;
};

/// Says during a run which subflows of a connection share a bottleneck.
class VerdictSource
{
  public:
    virtual ~VerdictSource() = default;

    /**
     * Judge what is complete before anything of the present moment is taken. This is called before
     * every signal.
     *
     * @param now The present time.
     * @return Whether there was a verdict since the last call, the same as before or another.
     */
    virtual bool Decide(ns3::Time now) = 0;

    /**
     * Take a signal; they come in order of time.
     *
     * @param signal The signal.
     */
    virtual void Take(const Signal& signal);

    /// @return What the last verdicts say.
    virtual Partition GetPartition() const = 0;

    /**
     * @param subflow Index of a subflow that has a group.
     * @return When a verdict last told of it; Time::Max() for one that holds until another comes.
     */
    virtual ns3::Time GetLastVerdict(std::size_t subflow) const;

    /**
     * @param a Index of a subflow.
     * @param b Index of another, higher one.
     * @return By how much they are to be coupled; none from a source that only tells groups.
     */
    virtual std::optional<PairTheta> GetTheta(std::size_t a, std::size_t b) const;

    /**
     * Judge what the last signals leave, as a detector does that replays a log.
     *
     * @param end Time of the last signal.
     */
    virtual void Finish(ns3::Time end);

    /// @return All verdicts so far, in order, and what is to be known of them.
    virtual nlohmann::ordered_json Print() const = 0;
};

/// What a source is made for.
struct VerdictSeat
{
    const Scenario& scenario; //!< The scenario; it outlives the source
    const std::string& model; //!< Name of the model file, of the command line
    SharedStates& shared;     //!< What controllers tell; it outlives the source
};

/// A source of verdicts that a connection can have.
struct VerdictKind : Kind
{
    /// Makes the source of one connection. It throws ModelError if the model cannot be used.
    std::unique_ptr<VerdictSource> (*create)(const VerdictSeat& seat,
                                             const ParameterValues& values);
    bool takesModel{false}; //!< Whether it needs a model file
};

/// @return The sources that need nothing but the scenario, by name.
const std::vector<const VerdictKind*>& GetPlainVerdicts();

/// What holds while nothing is known of two subflows.
struct UnknownRule
{
    bool coupled{true};   //!< Before the first verdict: coupled
    double hold{4};       //!< Windows for which the last verdict holds; then they are coupled
    bool openOnly{false}; //!< Groups change in state Open alone
};

/**
 * @param values Parameters, of which those of the rule are read if declared.
 * @return The rule.
 */
UnknownRule ReadUnknownRule(const ParameterValues& values);

/// @return The parameter that says when groups change.
Parameter AvoidanceParameter();

/// @return All parameters of UnknownRule, for sources that may not know.
std::vector<Parameter> UnknownParameters();

/**
 * @param time A time.
 * @param partition What is said from then on.
 * @return Both, for VerdictSource::Print().
 */
nlohmann::ordered_json PrintPartition(ns3::Time time, const Partition& partition);

/**
 * @param groups A number for each group; any will do.
 * @return The same groups, numbered from 0 in order of appearance.
 */
std::vector<uint32_t> Renumber(const std::vector<uint32_t>& groups);

} // namespace smartsbd

#endif /* SMARTSBD_VERDICT_KIND_H */
