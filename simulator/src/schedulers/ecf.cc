// SPDX-License-Identifier: GPL-2.0-only

#include "schedulers/ecf.h"

#include <algorithm>

namespace smartsbd
{

namespace
{

/// What is added to the slow subflow's side while waiting, as a share of it.
constexpr double HYSTERESIS = 0.25;

/// Takes the fastest subflow, and a slower one only if the data are complete earlier with it.
class Ecf : public SubflowScheduler
{
  public:
    /**
     * @param sendBuffer Bytes the application may have given beyond the last DATA_ACK.
     */
    explicit Ecf(double sendBuffer)
        : m_sendBuffer(sendBuffer)
    {
    }

    std::optional<Choice> Next(const MetaView& meta, const PathViews& paths) override
    {
        const auto chosen = FindFastestUsable(paths);
        if (!chosen || !meta.hasNew)
        {
            return std::nullopt;
        }
        const auto fastest = *FindFastest(paths);
        const auto room = std::max(0.0, m_sendBuffer - static_cast<double>(meta.queue.GetBytes()));
        const auto rest = std::min(static_cast<double>(meta.buffered), room) / meta.mss;
        if (fastest != *chosen && EcfWaits(paths[fastest], paths[*chosen], rest, m_waiting))
        {
            return std::nullopt;
        }
        return Choice{*chosen, meta.queue.GetNext()};
    }

  private:
    double m_sendBuffer;   //!< Bytes the application may have given beyond the last DATA_ACK
    bool m_waiting{false}; //!< Whether it waits for the fastest subflow
};

/**
 * @param values Its parameters.
 * @return A scheduler.
 */
std::unique_ptr<SubflowScheduler>
Create(const SchedulerSeat&, const ParameterValues& values)
{
    return std::make_unique<Ecf>(values.GetNumber("send_buffer_bytes"));
}

} // namespace

bool
EcfWaits(const PathView& fast, const PathView& slow, double rest, bool& waiting)
{
    const auto fastRtt = fast.srtt.GetSeconds();
    const auto slowRtt = slow.srtt.GetSeconds();
    const auto margin = std::max(fast.rttVariation, slow.rttVariation).GetSeconds();
    const double fastWindow = fast.window;
    const double slowWindow = slow.window;
    const auto hysteresis = 1 + (waiting ? HYSTERESIS : 0);
    if (fastRtt * (std::max(rest, fastWindow) + fastWindow) >=
        hysteresis * fastWindow * (slowRtt + margin))
    {
        waiting = false;
        return false;
    }
    if (slowRtt * std::max(rest, slowWindow) < slowWindow * (2 * fastRtt + margin))
    {
        return false;
    }
    waiting = true;
    return true;
}

extern const SchedulerKind ECF{
    {"ecf",
     "ECF (Lim et al., CoNEXT 2017), as Linux's mptcp_ecf.c has it: the lowest smoothed RTT; a "
     "slower subflow only if what the application has given is complete earlier with it.",
     {Number("send_buffer_bytes",
             "Bytes that the application can have given beyond the last DATA_ACK; one that always "
             "has more fills it, and then ECF is min_rtt but for small buffers.",
             0,
             1 << 28,
             4 << 20)}},
    Create,
};

} // namespace smartsbd
