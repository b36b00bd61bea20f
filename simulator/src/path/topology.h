// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_TOPOLOGY_H
#define SMARTSBD_TOPOLOGY_H

#include "path/host-device.h"
#include "path/port.h"
#include "scenario.h"
#include "path/wandering-rate.h"

#include "ns3/ipv4-address.h"
#include "ns3/node.h"

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
    ns3::Ipv4Address server;           //!< Address of the server's interface
    ns3::Ipv4Address client;           //!< Address of the client's interface
    ns3::Ptr<HostDevice> serverDevice; //!< The server's interface
    ns3::Ptr<HostDevice> clientDevice; //!< The client's interface
};

/// The hosts of a connection.
struct ConnectionEnds
{
    ns3::Ptr<ns3::Node> server;  //!< Sender of its data
    ns3::Ptr<ns3::Node> client;  //!< Receiver of its data
    int64_t firstStream;         //!< Its random streams are counted from this one
    std::vector<PathEnds> paths; //!< Ends of each subflow
};

/// The network of a scenario; the head of main.cc draws it.
class Topology
{
  public:
    /**
     * Build hosts, links and routes.
     *
     * @param scenario The scenario.
     */
    explicit Topology(const Scenario& scenario);

    /// @return The hosts of the observed connection; its client receives background traffic too.
    const ConnectionEnds& GetEnds() const;

    /**
     * @param further Index of a further connection.
     * @return Its hosts.
     */
    const ConnectionEnds& GetFurtherEnds(std::size_t further) const;

    /**
     * @param flow Index of the background flow.
     * @return The node that sends its data.
     */
    ns3::Ptr<ns3::Node> GetBackgroundSource(std::size_t flow) const;

    /**
     * @param flow Index of the background flow.
     * @return The node that receives its data.
     */
    ns3::Ptr<ns3::Node> GetBackgroundSink(std::size_t flow) const;

    /**
     * @param flow Index of the background flow.
     * @return Address its data go to.
     */
    ns3::Ipv4Address GetBackgroundAddress(std::size_t flow) const;

    /**
     * @param flow Index of the background flow.
     * @return The interface of its source.
     */
    ns3::Ptr<HostDevice> GetBackgroundDevice(std::size_t flow) const;

    /**
     * @param link Index of the shaped link.
     * @return The port that sends data into it; its queue is the link's queue.
     */
    Port& GetLinkPort(std::size_t link) const;

    /// @return All ports that do not send data into a shaped link.
    const std::vector<Port*>& GetOtherPorts() const;

  private:
    /// A link.
    struct Link
    {
        Port* forward;         //!< The data direction
        Port* reverse;         //!< The other direction
        ns3::Ipv4Address near; //!< Address of the end the data come from
        ns3::Ipv4Address far;  //!< Address of the end the data go to
    };

    /// The hosts of a background flow.
    struct BackgroundEnds
    {
        ns3::Ptr<ns3::Node> source;   //!< Where its data come from
        ns3::Ptr<HostDevice> device;  //!< Interface of the source
        ns3::Ptr<ns3::Node> sink;     //!< Where its data go to
        ns3::Ipv4Address sinkAddress; //!< Address of the sink
    };

    /// The links of a subflow's path.
    struct Path
    {
        std::vector<Link> fromServer; //!< What traffic from "server" crosses, the subflow's too
        std::vector<Link> fromClient; //!< What traffic from "client" crosses
        std::vector<Link> fromAccess; //!< What traffic from "access" crosses
    };

    /**
     * Take a link into the network.
     *
     * @param forward The data direction.
     * @param reverse The other direction.
     * @return The link.
     */
    Link AddLink(std::unique_ptr<Port> forward, std::unique_ptr<Port> reverse);

    /**
     * Take a link into the network.
     *
     * @param forward The data direction; the other one is fast.
     * @param delay One way delay.
     * @return The link.
     */
    Link AddLink(std::unique_ptr<Port> forward, ns3::Time delay);

    /**
     * Take a link into the network that is not shaped.
     *
     * @param forward The data direction; the other one is fast.
     * @param delay One way delay.
     * @return The link.
     */
    Link AddOtherLink(std::unique_ptr<Port> forward, ns3::Time delay);

    /**
     * @param spec The shaped link.
     * @param packet Usual bytes of a packet, link header included.
     */
    void AddShapedLink(const LinkSpec& spec, uint32_t packet);

    /**
     * @param scenario The scenario.
     * @param spec A subflow of any connection.
     * @param ends Ends of the connection so far; the subflow's are added.
     * @param subflow Its index if its packets are counted, which are those of the observed
     *                connection.
     * @return The path.
     */
    Path AddPath(const Scenario& scenario,
                 const SubflowSpec& spec,
                 ConnectionEnds& ends,
                 std::optional<std::size_t> subflow);

    /**
     * @param scenario The scenario.
     * @param further Index of the further connection.
     */
    void AddFurther(const Scenario& scenario, std::size_t further);

    /**
     * @param scenario The scenario.
     * @param flow Index of the background flow.
     */
    void AddBackground(const Scenario& scenario, std::size_t flow);

    /**
     * Add a fast link.
     *
     * @param delay One way delay.
     * @return The link.
     */
    Link AddFastLink(ns3::Time delay);

    /**
     * Add the link of a sending host, with host delay.
     *
     * @param delay One way delay of the link.
     * @param stream Number of the random stream of the host delay.
     * @return The link.
     */
    Link AddHostLink(ns3::Time delay, int64_t stream);

    /**
     * Add the access link of a subflow, with what its kind brings.
     *
     * @param path The subflow.
     * @param firstStream Number of its first random stream.
     * @return The link.
     */
    Link AddAccessLink(const SubflowSpec& path, int64_t firstStream);

    /**
     * Add a port that does not send data into a shaped link.
     *
     * @param port The port.
     * @return The port.
     */
    Port* AddOtherPort(std::unique_ptr<Port> port);

    /**
     * Let a host and the client reach each other.
     *
     * @param device Interface of the host.
     * @param address Its address.
     * @param ends Ends of the subflow whose client it is.
     * @param links The links between them, the host's own first.
     * @param subflow The subflow that takes the way, or none.
     */
    static void Join(ns3::Ptr<HostDevice> device,
                     ns3::Ipv4Address address,
                     const PathEnds& ends,
                     const std::vector<Link>& links,
                     std::optional<std::size_t> subflow);

    /**
     * Give a port another rate now and after each step.
     *
     * @param port The port.
     * @param rate Its rate.
     * @param step Time between two changes.
     */
    static void Wander(Port* port, std::shared_ptr<WanderingRate> rate, ns3::Time step);

    ns3::Time m_hostDelay;                      //!< Largest host delay
    ConnectionEnds m_ends;                      //!< Hosts of the observed connection
    std::vector<ConnectionEnds> m_further;      //!< Hosts of each further connection
    std::vector<std::unique_ptr<Port>> m_ports; //!< All ports
    std::vector<Link> m_links;                  //!< Shaped links
    std::vector<Path> m_paths;                  //!< Path of each observed subflow
    std::vector<BackgroundEnds> m_background;   //!< Hosts of each background flow
    std::vector<Port*> m_otherPorts;            //!< Ports not into shaped links
    uint32_t m_networks{0};                     //!< Networks so far, one for each link
    int64_t m_radios{0};                        //!< 802.11n links so far
};

} // namespace smartsbd

#endif /* SMARTSBD_TOPOLOGY_H */
