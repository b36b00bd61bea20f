// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_MULTIPATH_BBR_H
#define SMARTSBD_MULTIPATH_BBR_H

#include "controllers/advertised-rate.h"
#include "controllers/controller-kind.h"
#include "sender/start-reporter.h"

#include "ns3/tcp-bbr.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace smartsbd
{

/// What subflows under BBR tell each other of their starts.
struct BbrStart : Startup
{
    ns3::Time turnRtt; //!< Base RTT by which it had its turn; zero: none
};

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
 * It tells the others what bandwidth it has found and whether it still starts up. Alone, it is
 * ns3::TcpBbr to the bit. What couples subflows is said by those that derive from it: when BBR
 * begins, when a subflow is held at the least window, and what it is limited to. Limits hold in
 * PROBE_BW, and leave the least window in a round trip.
 */
class MultipathBbr : public ns3::TcpBbr, public StartReporter
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
    void CongestionStateSet(ns3::Ptr<ns3::TcpSocketState> tcb,
                            const ns3::TcpSocketState::TcpCongState_t newState) override;
    void CwndEvent(ns3::Ptr<ns3::TcpSocketState> tcb,
                   const ns3::TcpSocketState::TcpCAEvent_t event) override;
    void CongControl(ns3::Ptr<ns3::TcpSocketState> tcb,
                     const ns3::TcpRateOps::TcpRateConnection& rc,
                     const ns3::TcpRateOps::TcpRateSample& rs) override;
    const Startup& GetStartup() const override;

  protected:
    /// @return Whether BBR may begin; asked when it is established and at each ACK until then.
    virtual bool MayBegin();

    /// @return Whether it keeps the least window now, which BBR then learns nothing of.
    virtual bool IsHeld();

    /// @return What it is limited to in PROBE_BW now, if it is.
    virtual std::optional<BbrCap> GetCap();

    /// @return Signals of the subflows of the connection.
    const ConnectionSignals& GetConnectionSignals() const;

    /// @return Their bandwidths as they advertise them.
    const std::vector<AdvertisedRate>& GetRates() const;

    /// @return Their starts.
    std::vector<BbrStart>& GetStarts() const;

    /// @return Index of the own subflow.
    std::size_t GetIndex() const;

    /// @return Signals of the own subflow.
    const SubflowSignals& GetSignals() const;

  private:
    /**
     * Let BBR begin.
     *
     * @param tcb State of the socket.
     */
    void Begin(ns3::Ptr<ns3::TcpSocketState> tcb);

    /**
     * Take a delivery rate for the others, whatever BBR takes it for.
     *
     * @param rc What was delivered in all.
     * @param rs The sample.
     */
    void NoteRate(const ns3::TcpRateOps::TcpRateConnection& rc,
                  const ns3::TcpRateOps::TcpRateSample& rs);

    /// @return The start of the own subflow.
    BbrStart& GetStart() const;

    /// Tell the others how far its start has come.
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
    Shared<AdvertisedRate> m_rates; //!< Bandwidths of the subflows
    Shared<BbrStart> m_starts;      //!< Starts of the subflows
    bool m_begun{false};            //!< Whether BBR has begun
    bool m_waited{false};           //!< Whether it had the least window before
    MaxBandwidthFilter_t m_fastest; //!< Largest delivery rate of ten rounds
    uint32_t m_rounds{0};           //!< Round trips so far
    uint32_t m_endOfRound{0};       //!< What is delivered when the present one ends
};

} // namespace smartsbd

#endif /* SMARTSBD_MULTIPATH_BBR_H */
