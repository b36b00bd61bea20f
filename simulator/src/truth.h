// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_TRUTH_H
#define SMARTSBD_TRUTH_H

#include "mptcp-connection.h"
#include "scenario.h"
#include "topology.h"

#include "ns3/packet.h"

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
     */
    Truth(const Scenario& scenario, const Topology& topology, MptcpConnection& connection);

    Truth(const Truth&) = delete;
    Truth& operator=(const Truth&) = delete;

    /**
     * @param version Version of the simulator.
     * @return The truth as JSON text.
     * @throws std::runtime_error if a subflow was never established.
     */
    std::string Print(const std::string& version) const;

  private:
    /// Counters of a bottleneck.
    struct BottleneckCount
    {
        bool counts{false};    //!< Whether the packet its device sends now counts
        uint64_t sentBytes{0}; //!< Bytes sent since all subflows are established
        uint64_t drops{0};     //!< Packets dropped at its queue
    };

    /// Counters of a subflow: packets of the connection that were lost.
    struct SubflowCount
    {
        uint64_t dropsAtBottleneck{0}; //!< At the queue of its bottleneck
        uint64_t dropsElsewhere{0};    //!< At another queue
        uint64_t randomLosses{0};      //!< By a random loss
    };

    /// All subflows are established: count utilisation from now on.
    void HandleAllEstablished();

    /**
     * @param bottleneck Index of the bottleneck.
     * @param packet Packet its device begins to send.
     */
    void BeginSent(std::size_t bottleneck, ns3::Ptr<const ns3::Packet> packet);

    /**
     * @param bottleneck Index of the bottleneck.
     * @param packet Packet its device has sent.
     */
    void CountSent(std::size_t bottleneck, ns3::Ptr<const ns3::Packet> packet);

    /**
     * @param bottleneck Index of the bottleneck.
     * @param packet Packet dropped at its queue.
     */
    void CountBottleneckDrop(std::size_t bottleneck, ns3::Ptr<const ns3::Packet> packet);

    /**
     * @param packet Packet dropped at another queue.
     */
    void CountOtherDrop(ns3::Ptr<const ns3::Packet> packet);

    /**
     * @param packet Packet lost at random.
     */
    void CountRandomLoss(ns3::Ptr<const ns3::Packet> packet);

    /**
     * @param packet A packet with its link and IP headers.
     * @return The counters of the subflow it belongs to, or null if it is background traffic.
     */
    SubflowCount* FindSubflow(ns3::Ptr<const ns3::Packet> packet);

    /**
     * @param bottleneck Index of the bottleneck.
     * @return Sent bytes over capacity since all subflows are established.
     */
    double GetUtilisation(std::size_t bottleneck) const;

    /// @return Which pairs of subflows share a bottleneck.
    nlohmann::ordered_json PrintPairs() const;

    /// @return Load and drops of each bottleneck.
    nlohmann::ordered_json PrintBottlenecks() const;

    /// @return Progress and losses of each subflow.
    nlohmann::ordered_json PrintSubflows() const;

    const Scenario& m_scenario;                 //!< The scenario
    const Topology& m_topology;                 //!< Its network
    const MptcpConnection& m_connection;        //!< Its connection
    std::vector<BottleneckCount> m_bottlenecks; //!< Counters by bottleneck
    std::vector<SubflowCount> m_subflows;       //!< Counters by subflow
    std::optional<ns3::Time> m_allEstablished;  //!< When the last subflow was established
};

} // namespace smartsbd

#endif /* SMARTSBD_TRUTH_H */
