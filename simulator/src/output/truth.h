// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_TRUTH_H
#define SMARTSBD_TRUTH_H

#include "path/frame.h"
#include "sender/mptcp-connection.h"
#include "scenario.h"
#include "output/series.h"
#include "path/topology.h"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace smartsbd
{

/// Counts what happens at the links and states the truth about a run.
class Truth
{
  public:
    /**
     * Start counting.
     *
     * @param scenario The scenario; it must outlive the simulation.
     * @param topology Its network; it must outlive the simulation.
     * @param connection Its connection; it must outlive the simulation.
     * @param further The connections beside it; they must outlive the simulation.
     * @param series What is counted by interval; it must outlive the simulation.
     */
    Truth(const Scenario& scenario,
          const Topology& topology,
          MptcpConnection& connection,
          const FurtherConnections& further,
          const Series& series);

    Truth(const Truth&) = delete;
    Truth& operator=(const Truth&) = delete;

    /**
     * @param version Version of the simulator.
     * @return The truth as JSON text.
     * @throws std::runtime_error if a subflow was never established.
     */
    std::string Print(const std::string& version) const;

  private:
    /// Counters of a link in a phase.
    struct LinkPhase
    {
        ns3::Time busy;        //!< Time its line was taken, since all subflows are established
        uint64_t usedBytes{0}; //!< Bytes of its opportunities that were used, since then
        uint64_t drops{0};     //!< Packets dropped at its queue
        uint64_t marks{0};     //!< Packets marked at its queue
    };

    /// Counters of a link.
    struct LinkCount
    {
        std::vector<LinkPhase> phases;      //!< By phase
        std::optional<ns3::Time> sendBegin; //!< When the line began to take the present packet
    };

    /// Packets of a subflow in a phase.
    struct SubflowPhase
    {
        uint64_t dropsAtBottleneck{0}; //!< Dropped at the queue of its bottleneck
        uint64_t dropsElsewhere{0};    //!< Dropped at another queue
        uint64_t marksAtBottleneck{0}; //!< Marked at the queue of its bottleneck
    };

    /// Counters of a subflow.
    struct SubflowCount
    {
        std::vector<SubflowPhase> phases; //!< By phase
        uint64_t randomLosses{0};         //!< Packets lost at random
    };

    /// All subflows are established: count utilisation from now on.
    void HandleAllEstablished();

    /**
     * @param link Index of the link.
     * @param frame Packet the link begins to take.
     */
    void BeginSent(std::size_t link, const Frame& frame);

    /**
     * @param link Index of the link, which has taken a packet.
     */
    void CountSent(std::size_t link);

    /**
     * @param link Index of the link, which sends at given moments.
     * @param bytes What it has sent.
     */
    void CountUsed(std::size_t link, uint32_t bytes);

    /**
     * @param link Index of the link.
     * @param frame Packet dropped at its queue.
     */
    void CountLinkDrop(std::size_t link, const Frame& frame);

    /**
     * @param link Index of the link.
     * @param frame Packet marked at its queue.
     */
    void CountMark(std::size_t link, const Frame& frame);

    /**
     * @param frame Packet dropped at another queue.
     */
    void CountOtherDrop(const Frame& frame);

    /**
     * @param frame Packet lost at random.
     */
    void CountRandomLoss(const Frame& frame);

    /// @return Index of the present phase.
    std::size_t GetPhase() const;

    /**
     * @param phase Index of a phase.
     * @return When it ends.
     */
    ns3::Time GetEnd(std::size_t phase) const;

    /**
     * @param phase Index of a phase.
     * @param from A time.
     * @param to Another time.
     * @return How much of the phase lies between the two and after the establishment of all
     *         subflows.
     */
    ns3::Time GetCounted(std::size_t phase, ns3::Time from, ns3::Time to) const;

    /**
     * @param link Index of the link.
     * @param phase Index of the phase.
     * @return Part of the time in which its line was taken, which is the bytes it sent over
     *         its capacity; of a line that sends at given moments, the bytes it sent over those
     *         that they could carry.
     */
    double GetUtilisation(std::size_t link, std::size_t phase) const;

    /**
     * @param link Index of a link that sends at given moments.
     * @param phase Index of the phase.
     * @return The bytes it sent over those it could have sent.
     */
    double GetUsedShare(std::size_t link, std::size_t phase) const;

    /// @return Which pairs of subflows share a bottleneck, at the beginning and at each change.
    nlohmann::ordered_json PrintPairs() const;

    /// @return Load, drops and marks of each link and phase.
    nlohmann::ordered_json PrintLinks() const;

    /// @return Progress and losses of each subflow.
    nlohmann::ordered_json PrintSubflows() const;

    /**
     * @param subflow Index of the subflow.
     * @return Its bottleneck, drops and marks in each phase.
     */
    nlohmann::ordered_json PrintPhases(std::size_t subflow) const;

    /// @return What reached the client.
    nlohmann::ordered_json PrintConnection() const;

    /// @return What the further connections came to.
    nlohmann::ordered_json PrintFurther() const;

    /**
     * @param connection A connection.
     * @return What reached its client, and when all of it did if there is an end.
     */
    static nlohmann::ordered_json PrintDelivered(const MptcpConnection& connection);

    /**
     * @param delays How long each segment waited at the client for those before it.
     * @return Their number, mean, quantiles and maximum in us, or null if there are none.
     */
    static nlohmann::ordered_json PrintOrderDelays(std::vector<ns3::Time> delays);

    /**
     * @param connection A connection.
     * @param subflow Index of a subflow of it.
     * @param printed What is said of the subflow; the modes of its controller are added, if it
     *                has any.
     */
    static void AddModes(const MptcpConnection& connection,
                         std::size_t subflow,
                         nlohmann::ordered_json& printed);

    /**
     * @param startup What a subflow's controller tells of its start.
     * @param printed The subflow, which gets it if there is any.
     */
    static void AddStartup(const Startup& startup, nlohmann::ordered_json& printed);

    const Scenario& m_scenario;                //!< The scenario
    const Topology& m_topology;                //!< Its network
    const MptcpConnection& m_connection;       //!< Its connection
    const FurtherConnections& m_further;       //!< The connections beside it
    const Series& m_series;                    //!< What is counted by interval
    const std::vector<ns3::Time> m_phases;     //!< When each phase begins
    std::vector<LinkCount> m_links;            //!< Counters by link
    std::vector<SubflowCount> m_subflows;      //!< Counters by subflow
    std::optional<ns3::Time> m_allEstablished; //!< When the last subflow was established
};

} // namespace smartsbd

#endif /* SMARTSBD_TRUTH_H */
