// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_TOPOLOGY_H
#define SMARTSBD_TOPOLOGY_H

#include "scenario.h"
#include "wandering-rate.h"

#include "ns3/ipv4-address.h"
#include "ns3/node.h"
#include "ns3/point-to-point-channel.h"
#include "ns3/point-to-point-net-device.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace smartsbd
{

/// The two ends of a subflow.
struct PathEnds
{
    ns3::Ipv4Address server;                           //!< Address of the server's interface
    ns3::Ipv4Address client;                           //!< Address of the client's interface
    ns3::Ptr<ns3::PointToPointNetDevice> serverDevice; //!< The server's interface
    ns3::Ptr<ns3::PointToPointNetDevice> clientDevice; //!< The client's interface
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
     * @return Its ends.
     */
    const PathEnds& GetPath(std::size_t subflow) const;

    /**
     * @param link Index of the shaped link.
     * @return The device that sends data into it; its queue is the link's queue.
     */
    ns3::Ptr<ns3::PointToPointNetDevice> GetLinkDevice(std::size_t link) const;

    /// @return All devices that do not send data into a shaped link.
    const std::vector<ns3::Ptr<ns3::PointToPointNetDevice>>& GetOtherDevices() const;

  private:
    /// One direction of a link.
    struct Direction
    {
        uint64_t rate;                //!< Line rate in bit/s
        uint32_t queue;               //!< Queue limit in bytes
        std::optional<uint32_t> mark; //!< Queue length in bytes above which packets are marked
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

    /// A shaped link and the routers at its ends.
    struct ShapedLink
    {
        ns3::Ptr<ns3::Node> ingress; //!< Router before it
        ns3::Ptr<ns3::Node> egress;  //!< Router after it
        Link link;                   //!< The link
    };

    /// Nodes and links of a subflow's path. Without a link, its ingress and egress are one node.
    struct Path
    {
        ns3::Ptr<ns3::Node> serverIngress; //!< Where traffic from "server" enters
        ns3::Ptr<ns3::Node> serverEgress;  //!< Before the backbone
        ns3::Ptr<ns3::Node> clientIngress; //!< After the backbone; where that from "client" enters
        ns3::Ptr<ns3::Node> access;        //!< Before the access link
        Link backbone;                     //!< The backbone link
        uint32_t clientInterface;          //!< Number of the client's interface
    };

    /// A direction that is never a bottleneck.
    static constexpr Direction FAST{1'000'000'000, 16'000'000, std::nullopt};

    /**
     * Connect two nodes; the reverse direction is fast.
     *
     * @param near Node the data come from.
     * @param far Node the data go to.
     * @param forward The data direction.
     * @param channel The channel.
     * @param device The device for the data direction.
     * @return The link.
     */
    Link Connect(ns3::Ptr<ns3::Node> near,
                 ns3::Ptr<ns3::Node> far,
                 const Direction& forward,
                 ns3::Ptr<ns3::PointToPointChannel> channel,
                 ns3::Ptr<ns3::PointToPointNetDevice> device =
                     ns3::CreateObject<ns3::PointToPointNetDevice>());

    /**
     * @param spec The shaped link.
     */
    void AddLink(const LinkSpec& spec);

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
     * Create the link of a sending host to a router, with host delay.
     *
     * @param host The host.
     * @param router The router.
     * @param delay One way delay of the link.
     * @param stream Number of the random stream of the host delay.
     * @return The link.
     */
    Link AddHostLink(ns3::Ptr<ns3::Node> host,
                     ns3::Ptr<ns3::Node> router,
                     ns3::Time delay,
                     int64_t stream);

    /**
     * Create the link from the egress of a client link to the access node of a subflow.
     *
     * @param egress The egress.
     * @param access The access node.
     * @param client Address of the subflow's client.
     */
    void AddTail(ns3::Ptr<ns3::Node> egress,
                 ns3::Ptr<ns3::Node> access,
                 ns3::Ipv4Address client);

    /**
     * Create the access link of a subflow, with what its kind brings.
     *
     * @param subflow Index of the subflow.
     * @param spec The access link.
     * @param node The access node.
     * @return The link.
     */
    Link AddAccessLink(std::size_t subflow, const AccessSpec& spec, ns3::Ptr<ns3::Node> node);

    /**
     * Give a device another rate now and after each step.
     *
     * @param device The device.
     * @param rate Its rate.
     * @param step Time between two changes.
     */
    static void Wander(ns3::Ptr<ns3::PointToPointNetDevice> device,
                       std::shared_ptr<WanderingRate> rate,
                       ns3::Time step);

    /**
     * @param link A link that is not shaped.
     */
    void AddOtherDevices(const Link& link);

    ns3::Time m_hostDelay;                                            //!< Largest host delay
    ns3::Ptr<ns3::Node> m_server;                                     //!< Sender of the connection
    ns3::Ptr<ns3::Node> m_client;                                     //!< Receiver of all data
    std::vector<ShapedLink> m_links;                                  //!< Shaped links
    std::vector<Path> m_paths;                                        //!< Path of each subflow
    std::vector<PathEnds> m_ends;                                     //!< Ends of each subflow
    std::vector<ns3::Ptr<ns3::Node>> m_sources;                       //!< Background sources
    std::vector<ns3::Ptr<ns3::PointToPointNetDevice>> m_otherDevices; //!< Not of shaped links
    uint32_t m_networks{0};                                           //!< Networks so far
};

} // namespace smartsbd

#endif /* SMARTSBD_TOPOLOGY_H */
