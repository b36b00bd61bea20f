// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 *
 * What the controller dither does to a window, ACK by ACK, above Linux's Reno, whose window stays
 * as it is: the sender is not limited by it.
 * Exit status: 0 if all is as it should be, else 1 with a line on standard error for each that is
 * not.
 */

#include "check.h"
#include "controllers/controller-kind.h"
#include "controllers/coupled-controller.h"
#include "controllers/dither.h"

#include "ns3/simulator.h"
#include "ns3/tcp-socket-state.h"

#include <algorithm>
#include <memory>
#include <set>
#include <vector>

namespace smartsbd
{

extern const ControllerKind DITHER;

} // namespace smartsbd

namespace
{

using namespace smartsbd;
using ns3::MilliSeconds;
using ns3::Ptr;
using ns3::Simulator;
using ns3::TcpSocketState;
using ns3::Time;

/// Size of a segment in bytes.
constexpr uint32_t SEGMENT = 1000;
/// The base window and the amplitude that it has, in segments.
constexpr uint32_t WINDOW = 48;
constexpr uint32_t AMPLITUDE = 3;
/// The larger minimum RTT.
const Time LARGER_RTT = MilliSeconds(40);

/// A subflow with its controller, beside one of a larger RTT.
class Driven
{
  public:
    /**
     * @param stream Random stream of its signs.
     * @param share The amplitude over the window.
     */
    explicit Driven(int64_t stream, double share = 0.0625)
        : m_signals(std::make_shared<ConnectionSignals>(2)),
          m_shared(std::make_shared<SharedStates>(2))
    {
        (*m_signals)[0].baseRtt = MilliSeconds(10);
        (*m_signals)[1].baseRtt = LARGER_RTT;
        (*m_signals)[0].samples = 10;
        m_shared->Get<DitheredWindow>()->at(0).recorded = true;
        tcb->m_segmentSize = SEGMENT;
        tcb->m_cWnd = WINDOW * SEGMENT;
        tcb->m_ssThresh = WINDOW / 2 * SEGMENT;
        tcb->m_isCwndLimited = false;
        ParameterValues values(DITHER.parameters);
        values.Set("of", "reno");
        values.Set("share", share);
        controller = DITHER.create({m_signals, m_shared, 0, stream, nullptr}, values);
    }

    /**
     * @param acks How many ACKs of one segment come, 2 ms apart.
     * @return The window after each, in segments.
     */
    std::vector<uint32_t> Acknowledge(int acks)
    {
        std::vector<uint32_t> windows;
        for (int i = 0; i < acks; ++i)
        {
            Simulator::Stop(MilliSeconds(2));
            Simulator::Run();
            controller->IncreaseWindow(tcb, 1);
            windows.push_back(tcb->m_cWnd.Get() / SEGMENT);
        }
        return windows;
    }

    /// @return What a source of verdicts sees of it.
    DitheredWindow& GetDithered()
    {
        return m_shared->Get<DitheredWindow>()->at(0);
    }

    /// @return What counts in place of its window, in segments.
    double GetCounted() const
    {
        return m_shared->Get<CountedWindow>()->at(0).segments;
    }

    Ptr<TcpSocketState> tcb{ns3::CreateObject<TcpSocketState>()}; //!< State of its socket
    Ptr<ns3::TcpCongestionOps> controller;                        //!< Its controller

  private:
    std::shared_ptr<ConnectionSignals> m_signals; //!< Signals of both subflows
    std::shared_ptr<SharedStates> m_shared;       //!< What controllers tell
};

void
TestAmplitudes()
{
    Check("a sixteenth, rounded", DitherAmplitude(40, 0.0625) == 3);
    Check("a segment at least", DitherAmplitude(4, 0.0625) == 1);
    Check("16 segments at most", DitherAmplitude(1000, 0.0625) == 16);
    Check("a quarter of the window at most", DitherAmplitude(9, 0.25) == 2);
    Check("segments of a half", DitherHalfSegments(3) == 10);
}

void
TestSymbols()
{
    Driven driven(1);
    const auto windows = driven.Acknowledge(2'000);
    const std::set<uint32_t> seen(windows.begin(), windows.end());
    Check("two windows", seen == std::set<uint32_t>{WINDOW - AMPLITUDE, WINDOW + AMPLITUDE});
    Check("the base counts for others", driven.GetCounted() == WINDOW);
    const auto& symbols = driven.GetDithered().symbols;
    Check("4 s in symbols of 40 ms", symbols.size() > 90 && symbols.size() < 101);
    std::set<int32_t> signs;
    Time last;
    for (const auto& [begin, middle, end, segments] : symbols)
    {
        signs.insert(segments);
        Check("one after another", last.IsZero() || begin == last);
        Check("half of the larger RTT", std::min(middle - begin, end - middle) >= LARGER_RTT / 2);
        last = end;
    }
    Check("both signs", signs == std::set<int32_t>{-3, 3});
}

void
TestSigns()
{
    std::vector<std::vector<uint32_t>> windows;
    for (const int64_t stream : {1, 1, 2})
    {
        windows.push_back(Driven(stream).Acknowledge(500));
    }
    Check("the same of one stream", windows[0] == windows[1]);
    Check("others of another stream", windows[0] != windows[2]);
}

void
TestRecovery()
{
    Driven driven(1);
    while (driven.Acknowledge(1).back() < WINDOW)
    {
    }
    driven.controller->CongestionStateSet(driven.tcb, TcpSocketState::CA_RECOVERY);
    driven.tcb->m_congState = TcpSocketState::CA_RECOVERY;
    Check("the base in recovery", driven.tcb->m_cWnd.Get() == WINDOW * SEGMENT);
    Check("nothing counts for it", driven.GetCounted() == 0);
    const auto threshold = driven.controller->GetSsThresh(driven.tcb, WINDOW * SEGMENT);
    Check("half of base and amplitude", threshold == (WINDOW + AMPLITUDE) * SEGMENT / 2);
    Check("once", driven.controller->GetSsThresh(driven.tcb, WINDOW * SEGMENT) == 24 * SEGMENT);
    Check("no offset in recovery", driven.Acknowledge(20).back() == WINDOW);
    driven.tcb->m_congState = TcpSocketState::CA_OPEN;
    Check("an offset after it", driven.Acknowledge(1).back() != WINDOW);
}

/// CWR asks for the threshold before it is told.
void
TestCwr()
{
    for (const bool above : {true, false})
    {
        Driven driven(1);
        while ((driven.Acknowledge(1).back() > WINDOW) != above)
        {
        }
        const auto threshold = driven.controller->GetSsThresh(driven.tcb, WINDOW * SEGMENT);
        Check("half of base and amplitude in CWR", threshold == (WINDOW + AMPLITUDE) * SEGMENT / 2);
    }
}

void
TestPauses()
{
    Driven driven(1);
    driven.Acknowledge(100);
    driven.GetDithered().paused = true;
    Check("the base while it is paused", driven.Acknowledge(50).back() == WINDOW);
    driven.GetDithered().paused = false;
    Check("an offset again", driven.Acknowledge(1).back() != WINDOW);
    driven.tcb->m_ssThresh = 2 * WINDOW * SEGMENT;
    driven.Acknowledge(1);
    Check("no offset in slow start", driven.GetCounted() == 0);
    Check("never with a share of 0", Driven(1, 0).Acknowledge(100).back() == WINDOW);
}

} // namespace

int
main()
{
    TestAmplitudes();
    TestSymbols();
    TestSigns();
    TestRecovery();
    TestCwr();
    TestPauses();
    Simulator::Destroy();
    return g_status;
}
