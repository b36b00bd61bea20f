// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_TOPOLOGY_H
#define SMARTSBD_TOPOLOGY_H

#include "scenario.h"

#include "ns3/ipv4-address.h"
#include "ns3/node.h"
#include "ns3/point-to-point-channel.h"
#include "ns3/point-to-point-net-device.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace smartsbd
{

/// Addresses of the two ends of a subflow.
struct PathEnds
{
    ns3::Ipv4Address server; //!< Interface of the server
    ns3::Ipv4Address client; //!< Interface of the client
};

/// The network of a scenario; the head of main.cc draws it.
class Topology
{
  public:
    /**
     * Build nodes, links and routes.
     *
     * @param scenario The scenario.
     */
    explicit Topology(const Scenario& scenario);

    /// @return The node that sends the connection's data.
    ns3::Ptr<ns3::Node> GetServer() const;

    /// @return The node that receives all data.
    ns3::Ptr<ns3::Node> GetClient() const;

    /**
     * @param flow Index of the background flow.
     * @return The node that sends its data.
     */
    ns3::Ptr<ns3::Node> GetBackgroundSource(std::size_t flow) const;

    /**
     * @param subflow Index of the subflow.
     * @return The addresses of its ends.
     */
    const PathEnds& GetPath(std::size_t subflow) const;

    /**
     * @param bottleneck Index of the bottleneck.
     * @return The device that sends data into it; its queue is the bottleneck's queue.
     */
    ns3::Ptr<ns3::PointToPointNetDevice> GetBottleneckDevice(std::size_t bottleneck) const;

    /// @return All other devices.
    const std::vector<ns3::Ptr<ns3::PointToPointNetDevice>>& GetOtherDevices() const;

  private:
    /// One direction of a link.
    struct Direction
    {
        uint64_t rate;  //!< Line rate in bit/s
        uint32_t queue; //!< Drop-tail queue limit in bytes
    };

    /// One end of a link.
    struct End
    {
        ns3::Ptr<ns3::PointToPointNetDevice> device; //!< Its device
        ns3::Ipv4Address address;                    //!< Address of its interface
        uint32_t interface;                          //!< Number of its interface on its node
    };

    /// A link; data go from near to far.
    struct Link
    {
        End near; //!< End at the data's sender
        End far;  //!< End at the data's receiver
    };

    /// A direction that is never a bottleneck.
    static constexpr Direction FAST{1'000'000'000, 16'000'000};

    /**
     * Connect two nodes; the reverse direction is fast.
     *
     * @param near Node the data come from.
     * @param far Node the data go to.
     * @param forward The data direction.
     * @param channel The channel.
     * @return The link.
     */
    Link Connect(ns3::Ptr<ns3::Node> near,
                 ns3::Ptr<ns3::Node> far,
                 const Direction& forward,
                 ns3::Ptr<ns3::PointToPointChannel> channel);

    /**
     * @param bottleneck The bottleneck.
     */
    void AddBottleneck(const BottleneckSpec& bottleneck);

    /**
     * @param scenario The scenario.
     * @param subflow Index of the subflow.
     */
    void AddSubflow(const Scenario& scenario, std::size_t subflow);

    /**
     * @param scenario The scenario.
     * @param flow Index of the background flow.
     */
    void AddBackground(const Scenario& scenario, std::size_t flow);

    /**
     * Create the access link of a subflow, with its losses and jitter.
     *
     * @param subflow Index of the subflow.
     * @param access The access link.
     * @return The link.
     */
    Link AddAccessLink(std::size_t subflow, const AccessSpec& access);

    ns3::Ptr<ns3::Node> m_server;               //!< Sender of the connection
    ns3::Ptr<ns3::Node> m_client;               //!< Receiver of all data
    std::vector<ns3::Ptr<ns3::Node>> m_ingress; //!< Router before each bottleneck
    std::vector<ns3::Ptr<ns3::Node>> m_egress;  //!< Router after each bottleneck
    std::vector<ns3::Ptr<ns3::Node>> m_access;  //!< Access node of each subflow
    std::vector<ns3::Ptr<ns3::Node>> m_sources; //!< Background sources
    std::vector<PathEnds> m_paths;              //!< Ends of each subflow
    std::vector<uint32_t> m_clientInterfaces;   //!< Client interface by subflow
    std::vector<ns3::Ptr<ns3::PointToPointNetDevice>> m_bottleneckDevices; //!< By bottleneck
    std::vector<ns3::Ptr<ns3::PointToPointNetDevice>> m_otherDevices;      //!< The rest
    uint32_t m_networks{0}; //!< Networks numbered so far
};

} // namespace smartsbd

#endif /* SMARTSBD_TOPOLOGY_H */
