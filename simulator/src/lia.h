// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_LIA_H
#define SMARTSBD_LIA_H

#include "scenario.h"

#include "ns3/tcp-linux-reno.h"
#include "ns3/tcp-socket-state.h"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace smartsbd
{

/// What the Linked Increases Algorithm needs to know of a subflow.
struct LiaSubflow
{
    double window; //!< Congestion window in segments
    double rtt;    //!< Smoothed RTT in s
};

/**
 * The window increase of RFC 6356, section 3.
 *
 * @param subflows All established subflows of the connection; windows and RTTs are positive.
 * @param index The subflow that received an acknowledgment.
 * @return Increase of its window in segments for each acknowledged segment.
 */
double LiaIncrease(const std::vector<LiaSubflow>& subflows, std::size_t index);

/**
 * The window increase for one ACK.
 *
 * @param subflows All established subflows of the connection; windows and RTTs are positive.
 * @param index The subflow that received the ACK.
 * @param segments Segments the ACK acknowledges in congestion avoidance.
 * @param counts What counts as one acknowledged segment.
 * @return Increase of its window in segments.
 */
double LiaIncreaseForAck(const std::vector<LiaSubflow>& subflows,
                         std::size_t index,
                         uint32_t segments,
                         LiaCounts counts);

/// The subflows one connection couples.
using LiaGroup = std::vector<ns3::Ptr<const ns3::TcpSocketState>>;

/**
 * Congestion control of a subflow under the Linked Increases Algorithm (RFC 6356).
 *
 * Only congestion avoidance differs from Linux's Reno. A subflow in fast recovery counts with its
 * slow start threshold instead of its window.
 */
class TcpLia : public ns3::TcpLinuxReno
{
  public:
    /**
     * @brief Get the type ID.
     * @return The object TypeId.
     */
    static ns3::TypeId GetTypeId();

    /**
     * Couple this subflow with others; to be called before the socket gets the controller.
     *
     * @param group The connection's group.
     * @param counts What counts as one acknowledged segment.
     */
    void SetGroup(std::shared_ptr<LiaGroup> group, LiaCounts counts);

    std::string GetName() const override;
    void Init(ns3::Ptr<ns3::TcpSocketState> tcb) override;
    ns3::Ptr<ns3::TcpCongestionOps> Fork() override;

  protected:
    void CongestionAvoidance(ns3::Ptr<ns3::TcpSocketState> tcb, uint32_t segmentsAcked) override;

  private:
    std::shared_ptr<LiaGroup> m_group; //!< Subflows of the connection
    LiaCounts m_counts{};              //!< What counts as one acknowledged segment
    std::vector<LiaSubflow> m_view;    //!< Established subflows at the present ACK
    double m_fraction{0};              //!< Increase not yet given to the window, in segments
};

} // namespace smartsbd

#endif /* SMARTSBD_LIA_H */
