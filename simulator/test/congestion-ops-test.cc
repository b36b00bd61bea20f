// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 *
 * Pins what ns-3 does not promise, and what controllers that send at a rate rely on: what its
 * sockets tell a controller, when, and what they leave alone.
 * Exit status: 0 if all is as it was, else 1 with a line on standard error for each that is not.
 *
 * A controller that does nothing but listen has one subflow of 60 ms over a link of 8 Mbit/s.
 */

#include "check.h"
#include "output/event-log.h"
#include "sender/mptcp-connection.h"
#include "output/output-file.h"
#include "sender/pacing.h"
#include "scenario.h"
#include "path/topology.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/tcp-linux-reno.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

namespace
{

using namespace smartsbd;
using ns3::MilliSeconds;
using ns3::Ptr;
using ns3::Seconds;
using ns3::Simulator;
using ns3::TcpSocketState;
using ns3::Time;

/// Size of a segment.
constexpr uint32_t SEGMENT = 1400;
/// The controller's window, threshold and rate: none of them is what ns-3 would choose.
constexpr uint32_t WINDOW = 40 * SEGMENT;
constexpr uint32_t THRESHOLD = 7 * SEGMENT;
constexpr double RATE = 500'000;

/// What the controller is to be.
struct Manner
{
    bool atRate{true};       //!< Whether it has CongControl(), and is paced
    bool pacesFirst{true};   //!< Whether the initial window is paced too
    double loss{0};          //!< Loss on the way
    bool blackout{false};    //!< Whether all is lost from 3 s to 4 s
};

/// A segment that left.
struct Sent
{
    Time at;       //!< When
    bool repeated; //!< Whether it left before
};

/// What it was told.
struct Told
{
    std::string order;                 //!< I: IncreaseWindow(), C: CongControl(), in one ACK
    uint64_t smoothed{0};              //!< PktsAcked() with the smoothed RTT
    uint64_t otherRtts{0};             //!< PktsAcked() with another one
    uint64_t withoutSample{0};         //!< PktsAcked() for ACKs that give no sample
    std::vector<Sent> sent;            //!< Segments that left
    std::vector<uint32_t> atRecovery;  //!< Windows found by CongControl() when recovery had ended
    std::vector<uint32_t> inRecovery;  //!< Windows it found in recovery
    std::vector<uint32_t> afterLoss;   //!< Windows it found first after a timeout
    uint64_t bytesLoss{0};             //!< Sum of the lost bytes of ns-3's rate samples
    uint64_t timeouts{0};              //!< NoteTimeout()
    uint64_t wrongRates{0};            //!< How often it found another pacing rate than its own
};

Manner g_manner; //!< What the controller is to be
Told g_told;     //!< What it was told

/// Listens, and keeps window and rate.
class Listening : public ns3::TcpLinuxReno, public TransmissionListener
{
  public:
    /**
     * @brief Get the type ID.
     * @return The object TypeId.
     */
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid = ns3::TypeId("smartsbd::test::Listening")
                                     .SetParent<ns3::TcpLinuxReno>()
                                     .AddConstructor<Listening>();
        return tid;
    }

    Ptr<ns3::TcpCongestionOps> Fork() override
    {
        return ns3::CopyObject<Listening>(this);
    }

    bool HasCongControl() const override
    {
        return g_manner.atRate;
    }

    void CongestionStateSet(Ptr<TcpSocketState> tcb,
                            const TcpSocketState::TcpCongState_t state) override
    {
        if (!m_begun && g_manner.atRate)
        {
            Pace(tcb, RATE);
            tcb->m_paceInitialWindow = g_manner.pacesFirst;
            tcb->m_cWnd = WINDOW;
        }
        m_begun = true;
        m_ended = m_state == TcpSocketState::CA_RECOVERY && state == TcpSocketState::CA_OPEN;
        m_timedOut = state == TcpSocketState::CA_LOSS;
        m_state = state;
    }

    uint32_t GetSsThresh(Ptr<const TcpSocketState>, uint32_t) override
    {
        return THRESHOLD;
    }

    void IncreaseWindow(Ptr<TcpSocketState>, uint32_t) override
    {
        g_told.order += 'I';
    }

    void PktsAcked(Ptr<TcpSocketState> tcb, uint32_t, const Time& rtt) override
    {
        ++(rtt == tcb->m_srtt ? g_told.smoothed : g_told.otherRtts);
        g_told.withoutSample += !m_sample.has_value();
    }

    void CongControl(Ptr<TcpSocketState> tcb,
                     const ns3::TcpRateOps::TcpRateConnection&,
                     const ns3::TcpRateOps::TcpRateSample& sample) override
    {
        g_told.order += 'C';
        g_told.bytesLoss += sample.m_bytesLoss;
        g_told.wrongRates += tcb->m_pacingRate.Get().GetBitRate() != 8 * RATE;
        if (std::exchange(m_ended, false))
        {
            g_told.atRecovery.push_back(tcb->m_cWnd);
        }
        if (m_state == TcpSocketState::CA_RECOVERY)
        {
            g_told.inRecovery.push_back(tcb->m_cWnd);
        }
        if (std::exchange(m_timedOut, false))
        {
            g_told.afterLoss.push_back(tcb->m_cWnd);
        }
        tcb->m_cWnd = WINDOW;
    }

    void NoteSent(uint64_t, uint32_t, bool repeated) override
    {
        g_told.sent.push_back({Simulator::Now(), repeated});
    }

    void NoteAck(uint64_t, const std::vector<RttSampler::Block>&, std::optional<Time> rtt) override
    {
        g_told.order += ' ';
        m_sample = rtt;
    }

    void NoteTimeout() override
    {
        ++g_told.timeouts;
    }

  private:
    bool m_begun{false};          //!< Whether it is established
    bool m_ended{false};          //!< Whether recovery has just ended
    bool m_timedOut{false};       //!< Whether the timer has just run out
    std::optional<Time> m_sample; //!< RTT sample of the present ACK
    TcpSocketState::TcpCongState_t m_state{TcpSocketState::CA_OPEN}; //!< State of the socket
};

NS_OBJECT_ENSURE_REGISTERED(Listening);

const ControllerKind LISTENING{
    {"listening", "It listens.", {}},
    [](const Seat&, const ParameterValues&) -> Ptr<ns3::TcpCongestionOps> {
        return ns3::CreateObject<Listening>();
    },
};

/**
 * @param manner What the controller is to be.
 * @return What it was told in ten seconds.
 */
const Told&
Listen(const Manner& manner)
{
    g_manner = manner;
    g_told = Told();
    ns3::RngSeedManager::SetSeed(3);
    Scenario scenario;
    scenario.seed = 3;
    scenario.duration = Seconds(10);
    scenario.connection.token = "00000000";
    scenario.connection.congestionControl.kind = &LISTENING;
    const auto& schedulers = GetSchedulers();
    scenario.connection.scheduler.kind =
        *std::find_if(schedulers.begin(), schedulers.end(), [](const auto* kind) {
            return kind->name == "min_rtt";
        });
    scenario.connection.mss = SEGMENT;
    scenario.connection.receiveBuffer = 4 << 20;
    scenario.connection.ecn = false;
    scenario.links.push_back(
        {LinkPlace::SERVER, {{Time(), 8'000'000}}, MilliSeconds(1), 60'000, std::nullopt, nullptr});
    SubflowSpec subflow;
    subflow.serverLink = 0;
    subflow.bottleneck = {{Time(), 0}};
    subflow.rtt = MilliSeconds(60);
    subflow.access = AccessSpec{};
    subflow.access.kind = AccessKind::PLAIN;
    subflow.access.rate = 100'000'000;
    subflow.access.queue = 1'000'000;
    subflow.access.loss = manner.loss;
    if (manner.blackout)
    {
        subflow.access.lossChanges = {{Seconds(3), 0.999999}, {Seconds(4), 0}};
    }
    scenario.subflows.push_back(subflow);
    const auto path = std::filesystem::temp_directory_path() /
                      ("congestion-ops-test." + std::to_string(::getpid()));
    OutputFile events(path.string());
    EventLog log(events, scenario.connection.token);
    const Topology topology(scenario);
    MptcpConnection connection(scenario, topology, log, false);
    connection.SetAllEstablishedCallback(ns3::Callback<void>([] {}));
    Simulator::Stop(scenario.duration);
    Simulator::Run();
    Simulator::Destroy();
    return g_told;
}

/// Samples: a controller gets the smoothed RTT, with each ACK, whether it gave a sample or not.
void
TestRtts()
{
    const auto& told = Listen({.loss = 0.01});
    Check("PktsAcked() is given the smoothed RTT", told.smoothed > 500 && told.otherRtts == 0);
    Check("PktsAcked() is called for ACKs without a sample", told.withoutSample > 10);
}

/// Order: CongControl() comes after ProcessAck(), of which IncreaseWindow() is a part.
void
TestOrder()
{
    const auto& told = Listen({});
    Check("CongControl() is called", told.order.find("IC") != std::string::npos);
    Check("IncreaseWindow() is called before it", told.order.find("CI") == std::string::npos);
    Check("once for each ACK", told.order.find("CC") == std::string::npos);
}

/// Recovery: the socket leaves window and rate alone, but at the end of recovery.
void
TestRecovery()
{
    const auto& told = Listen({.loss = 0.01});
    Check("there is recovery", told.inRecovery.size() > 50);
    for (const auto window : told.inRecovery)
    {
        Check("no window of recovery operations", window == WINDOW);
    }
    Check("recovery ends", told.atRecovery.size() > 5);
    for (const auto window : told.atRecovery)
    {
        Check("the threshold is the window when it ends", window == THRESHOLD);
    }
    Check("the pacing rate is its own", told.wrongRates == 0);
    uint64_t repeated = 0;
    for (const auto& sent : told.sent)
    {
        repeated += sent.repeated;
    }
    Check("losses of rate samples count twice",
          repeated > 20 && told.bytesLoss > 3 * repeated * SEGMENT / 2);
}

/// Timeouts: CongestionStateSet() is told before the window is one segment.
void
TestTimeout()
{
    const auto& told = Listen({.blackout = true});
    Check("the timer runs out", told.timeouts > 0 && !told.afterLoss.empty());
    for (const auto window : told.afterLoss)
    {
        Check("the window is a segment then", window == SEGMENT);
    }
    Check("the rate stays", told.wrongRates == 0);
}

/// Pacing: segments leave at the rate, those of the initial window only if that is asked for.
void
TestPacing()
{
    const auto gap = Seconds(SEGMENT / RATE);
    for (const bool first : {true, false})
    {
        const auto& told = Listen({.pacesFirst = first});
        const auto spaced = [&told](std::size_t k) {
            return told.sent[k].at - told.sent[k - 1].at;
        };
        const auto due = first ? gap : Time();
        for (std::size_t k = 1; k < 10; ++k)
        {
            // What is handed over leaves a nanosecond later.
            Check("the initial window", ns3::Abs(spaced(k) - due) < ns3::MicroSeconds(1));
        }
        std::size_t late = 0;
        for (std::size_t k = 100; k < told.sent.size(); ++k)
        {
            late += spaced(k) != gap;
        }
        Check("all that follows", told.sent.size() > 3000 && late == 0);
    }
}

/// Hand-over: without CongControl() data are asked for in the ACK; with it, afterwards.
void
TestWindow()
{
    const auto& told = Listen({.atRate = false});
    Check("no CongControl()", told.order.find('C') == std::string::npos);
    Check("the window stays", told.sent.size() > 10 * 9 / 0.065);
}

} // namespace

int
main()
{
    using ns3::Config::SetDefault;
    SetDefault("ns3::TcpSocket::SegmentSize", ns3::UintegerValue(SEGMENT));
    SetDefault("ns3::TcpSocket::InitialCwnd", ns3::UintegerValue(10));
    SetDefault("ns3::TcpSocket::SndBufSize", ns3::UintegerValue(8 << 20));
    SetDefault("ns3::TcpSocket::RcvBufSize", ns3::UintegerValue(4 << 20));
    SetDefault("ns3::TcpSocketBase::Timestamp", ns3::BooleanValue(false));
    TestRtts();
    TestOrder();
    TestRecovery();
    TestTimeout();
    TestPacing();
    TestWindow();
    return g_status;
}
