// SPDX-License-Identifier: MIT

#ifndef PACKETS_ANSWERS_H
#define PACKETS_ANSWERS_H

#include <algorithm>
#include <cstdint>

namespace packets
{

/// Where on the path a capture was taken.
enum class Vantage : uint8_t
{
    Unknown,
    Sender,
    Receiver
};

/**
 * @param senderNs The shortest time from a packet on its way to the sender until its answer passes,
 *                 -1 where it never answered.
 * @param receiverNs The same of its receiver.
 * @return Where the capture was taken: near the sender, near its receiver, or unknown.
 */
inline Vantage
VantageOf(int64_t senderNs, int64_t receiverNs)
{
    if (senderNs < 0 || receiverNs < 0)
    {
        return Vantage::Unknown;
    }
    // An end is near if it answers within a quarter of the whole round trip.
    const auto nearNs = static_cast<uint64_t>(senderNs);
    const auto farNs = static_cast<uint64_t>(receiverNs);
    if (3 * nearNs < farNs)
    {
        return Vantage::Sender;
    }
    return 3 * farNs < nearNs ? Vantage::Receiver : Vantage::Unknown;
}

/// For both ends: the shortest time from a packet on its way to the end until its answer passes.
class Answers
{
  public:
    /// Take the time one answer of `end`, 0 or 1, took.
    void Take(int end, int64_t timeNs)
    {
        auto& shortestNs = m_shortestNs[end];
        shortestNs = shortestNs < 0 ? timeNs : std::min(shortestNs, timeNs);
    }

    /// @return The shortest time of an end, -1 where it never answered.
    int64_t GetShortest(int end) const
    {
        return m_shortestNs[end];
    }

    /// @return The shortest time both ends took together, -1 until both have answered.
    int64_t GetRoundTrip() const
    {
        return m_shortestNs[0] < 0 || m_shortestNs[1] < 0 ? -1 : m_shortestNs[0] + m_shortestNs[1];
    }

    /// @return Where the capture was taken: near `sender`, near its receiver, or unknown.
    Vantage GetVantage(int sender) const
    {
        return VantageOf(m_shortestNs[sender], m_shortestNs[1 - sender]);
    }

  private:
    int64_t m_shortestNs[2]{-1, -1};
};

} // namespace packets

#endif // PACKETS_ANSWERS_H
