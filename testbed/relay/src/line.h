// SPDX-License-Identifier: MIT

#ifndef RELAY_LINE_H
#define RELAY_LINE_H

#include "plan.h"
#include "random.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace relay
{

/// Until when a line was sending, and what it had still to send then.
struct Carried
{
    int64_t endNs;
    double leftBits;
};

/// A line whose rate changes at known times, and may wander about that.
class Line
{
  public:
    /**
     * @param plan Rate, and how it wanders: rate * exp(x - sigma^2 / 2), x an AR(1) process.
     * @param seed Of its draws.
     */
    Line(const PortPlan& plan, uint64_t seed);

    /**
     * Send a packet. A rate that changes meanwhile counts from then on.
     *
     * @param startNs When its first bit goes out; not before the packet sent last is out.
     * @param bytes Its size.
     * @return When its last bit is out.
     */
    int64_t Send(int64_t startNs, uint32_t bytes);

    /**
     * Send bits, until a time at most.
     *
     * @param startNs When it begins; not before anything that it was asked to do before.
     * @param bits How many.
     * @param untilNs When it ends, with or without some left.
     * @return When it ended, and what was left.
     */
    Carried Carry(int64_t startNs, double bits, int64_t untilNs);

  private:
    void MoveTo(int64_t timeNs);

    std::vector<RateChange> m_changes;
    std::size_t m_next = 1;
    double m_sigma;
    int64_t m_stepNs;
    int64_t m_stepEndNs;
    Random m_draw;
    double m_state;
    double m_factor = 1;
};

} // namespace relay

#endif
