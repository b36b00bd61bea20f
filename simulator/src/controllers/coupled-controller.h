// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_COUPLED_CONTROLLER_H
#define SMARTSBD_COUPLED_CONTROLLER_H

#include "controllers/controller-kind.h"

#include "ns3/tcp-linux-reno.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace smartsbd
{

/// What counts as one acknowledged segment.
enum class Counted
{
    PACKETS, //!< A segment (RFC 6356, section 3)
    ACKS,    //!< An ACK, however many segments it acknowledges (Linux's mptcp_coupled.c)
};

/**
 * @param segments Segments that an ACK acknowledges.
 * @param counts What counts.
 * @return How often it counts.
 */
uint32_t CountAcknowledged(uint32_t segments, Counted counts);

/// What a coupled controller takes of a subflow.
struct CoupledSubflow
{
    double window;   //!< Congestion window in segments
    double rtt;      //!< Smoothed RTT in s
    double bytes{0}; //!< Bytes acknowledged between two losses, for those that weigh by them
};

/// What coupled controllers share: the window that a subflow counts with in its group.
struct CountedWindow
{
    double segments{0}; //!< What counts in place of its window; 0: its window
};

/// The subflows of one group, as they are now, and which of them is asked about.
struct GroupView
{
    std::vector<CoupledSubflow> subflows; //!< Those that are established
    std::size_t own{0};                   //!< Index of the controller's own one
};

/**
 * Base of the controllers that couple the windows of a group.
 *
 * Slow start and recovery are those of Linux's Reno, and so is a subflow that is alone in its
 * group.
 */
class CoupledController : public ns3::TcpLinuxReno
{
  public:
    /**
     * @brief Get the type ID.
     * @return The object TypeId.
     */
    static ns3::TypeId GetTypeId();

    /**
     * Take a seat; to be called before the socket gets the controller.
     *
     * @param seat The seat.
     * @param values Parameters, of which "counts" and "recovery_window" are read if declared.
     */
    void Setup(const Seat& seat, const ParameterValues& values);

    uint32_t GetSsThresh(ns3::Ptr<const ns3::TcpSocketState> tcb, uint32_t bytesInFlight) override;

  protected:
    void CongestionAvoidance(ns3::Ptr<ns3::TcpSocketState> tcb, uint32_t segmentsAcked) override;

    /**
     * Congestion avoidance of a subflow that is not alone in its group.
     *
     * @param tcb State of its socket.
     * @param counted How often something that counts was acknowledged.
     */
    virtual void Couple(ns3::Ptr<ns3::TcpSocketState> tcb, uint32_t counted) = 0;

    /**
     * The threshold of a subflow that is not alone in its group, after a loss; Reno's by default.
     *
     * @param tcb State of its socket.
     * @param bytesInFlight Bytes in flight.
     * @return The threshold in bytes.
     */
    virtual uint32_t GetCoupledThreshold(ns3::Ptr<const ns3::TcpSocketState> tcb,
                                         uint32_t bytesInFlight);

    /// @return Whether another subflow is of the same group and an RTT is known.
    bool IsCoupled() const;

    /**
     * Look at the own group.
     *
     * @return Its subflows; a reference that holds until the next call.
     */
    const GroupView& Look();

    /// @return Signals of the own subflow.
    const SubflowSignals& GetSignals() const;

    /**
     * Let another window count in the group than the own one.
     *
     * @param segments The other one; 0: the own one counts.
     */
    void CountWindowAs(double segments);

    /// @return Where it stands.
    const Seat& GetSeat() const;

    /**
     * Let the window grow by whole segments; what is left of one is kept.
     *
     * @param tcb State of the socket.
     * @param segments Increase in segments.
     */
    void Grow(ns3::Ptr<ns3::TcpSocketState> tcb, double segments);

  private:
    Seat m_seat;                       //!< The subflow and its connection
    Shared<CountedWindow> m_windows;   //!< What counts in place of the subflows' windows
    Counted m_counts{};                //!< What counts as one acknowledged segment
    bool m_thresholdInRecovery{false}; //!< Whether a threshold stands for a window in recovery
    GroupView m_view;                  //!< The group at the present ACK
    double m_fraction{0};              //!< Increase not yet given to the window, in segments
};

/// @return The parameter that says what counts; CoupledController reads it.
Parameter CountsParameter();

/// @return The parameter that says which window counts in recovery; CoupledController reads it.
Parameter RecoveryWindowParameter();

} // namespace smartsbd

#endif /* SMARTSBD_COUPLED_CONTROLLER_H */
