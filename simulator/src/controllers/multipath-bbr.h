// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_MULTIPATH_BBR_H
#define SMARTSBD_MULTIPATH_BBR_H

#include "controllers/controller-kind.h"

#include "ns3/tcp-bbr.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace smartsbd
{

/// A rate that BBR is limited to.
struct BbrCap
{
    double rate;                //!< In bytes/s
    bool limitsEstimate{false}; //!< Whether BBR takes no delivery rate for larger
    bool limitsProbing{false};  //!< Whether its gains do not lead beyond it
};

/**
 * ns-3's BBR, version 1, as one subflow of a connection.
 *
 * It tells its siblings what bandwidth it has found and whether it still starts up. Alone, it is
 * ns3::TcpBbr to the bit. What couples subflows is said by those that derive from it: when BBR
 * begins, when a subflow is held at the least window, and what it is limited to. Limits hold in
 * PROBE_BW, and leave the least window in a round trip.
 */
class MultipathBbr : public ns3::TcpBbr
{
  public:
    /**
     * @brief Get the type ID.
     * @return The object TypeId.
     */
    static ns3::TypeId GetTypeId();

    MultipathBbr();

    /**
     * Take a seat; to be called before the socket gets the controller.
     *
     * @param seat The seat.
     */
    void Setup(const Seat& seat);

    ns3::Ptr<ns3::TcpCongestionOps> Fork() override;
    void Init(ns3::Ptr<ns3::TcpSocketState> tcb) override;
    void CongestionStateSet(ns3::Ptr<ns3::TcpSocketState> tcb,
                            const ns3::TcpSocketState::TcpCongState_t newState) override;
    void CwndEvent(ns3::Ptr<ns3::TcpSocketState> tcb,
                   const ns3::TcpSocketState::TcpCAEvent_t event) override;
    void CongControl(ns3::Ptr<ns3::TcpSocketState> tcb,
                     const ns3::TcpRateOps::TcpRateConnection& rc,
                     const ns3::TcpRateOps::TcpRateSample& rs) override;

  protected:
    /// @return Whether BBR may begin; asked when it is established and at each ACK until then.
    virtual bool MayBegin();

    /// @return Whether it keeps the least window now, which BBR then learns nothing of.
    virtual bool IsHeld();

    /// @return What it is limited to in PROBE_BW now, if it is.
    virtual std::optional<BbrCap> GetCap();

    /// @return The subflows of the connection.
    Siblings& GetSiblings() const;

    /// @return Index of the own subflow.
    std::size_t GetIndex() const;

    /// @return The record of the own subflow.
    Sibling& GetOwn() const;

    /**
     * Tell the truth a mode.
     *
     * @param mode Its name, which is a literal.
     */
    void TellMode(std::string_view mode);

  private:
    /**
     * Let BBR begin.
     *
     * @param tcb State of the socket.
     */
    void Begin(ns3::Ptr<ns3::TcpSocketState> tcb);

    /**
     * Take a delivery rate for the siblings, whatever BBR takes it for.
     *
     * @param rc What was delivered in all.
     * @param rs The sample.
     */
    void NoteRate(const ns3::TcpRateOps::TcpRateConnection& rc,
                  const ns3::TcpRateOps::TcpRateSample& rs);

    /// Tell the siblings how far its start has come.
    void TellStart();

    /**
     * Limit rate and window at once, for BBR remembers ten rounds.
     *
     * @param tcb State of the socket.
     * @param cap The limit.
     */
    void Limit(ns3::Ptr<ns3::TcpSocketState> tcb, const BbrCap& cap);

    /**
     * @param tcb State of the socket.
     * @param rate A rate in bytes/s.
     * @return What it sends in a base RTT in whole segments, in bytes; the least window at least.
     */
    uint32_t GetWindow(ns3::Ptr<const ns3::TcpSocketState> tcb, double rate) const;

    /**
     * @param tcb State of the socket.
     * @return The least rate that is not limited, in bytes/s.
     */
    double GetLeastRate(ns3::Ptr<const ns3::TcpSocketState> tcb) const;

    Seat m_seat;                    //!< Where it stands
    bool m_begun{false};            //!< Whether BBR has begun
    bool m_waited{false};           //!< Whether it had the least window before
    MaxBandwidthFilter_t m_fastest; //!< Largest delivery rate of ten rounds
    uint32_t m_rounds{0};           //!< Round trips so far
    uint32_t m_endOfRound{0};       //!< What is delivered when the present one ends
};

} // namespace smartsbd

#endif /* SMARTSBD_MULTIPATH_BBR_H */
