// SPDX-License-Identifier: MIT

#ifndef RELAY_POLICER_H
#define RELAY_POLICER_H

#include "line.h"
#include "plan.h"
#include "replay.h"

#include <cstdint>
#include <optional>

namespace relay
{

/**
 * A token bucket that drops what exceeds its rate, and a line of ten times the rate behind it, as
 * the simulator has it (policer-port.h of the simulator). No packet waits for tokens.
 */
class Policer
{
  public:
    /**
     * @param plan Rate of the tokens, and depth of the bucket, which is full at first.
     * @param seed Of the draws of a rate that wanders.
     */
    Policer(const PortPlan& plan, uint64_t seed);

    /**
     * Let tokens come until a time.
     *
     * @param nowNs The time; not before the last one.
     * @return From when to when the bucket was not full, since the last time.
     */
    Passage Refill(int64_t nowNs);

    /**
     * Take a packet's tokens out of the bucket, filled until now.
     *
     * @param nowNs When the packet comes.
     * @param bytes Its size.
     * @return When the line behind has sent it; none if there are too few tokens.
     */
    std::optional<int64_t> Send(int64_t nowNs, uint32_t bytes);

  private:
    Line m_tokens;
    Line m_behind;
    double m_depthBits;
    double m_missingBits = 0;
    int64_t m_filledNs = INT64_MIN;
    int64_t m_freeNs = INT64_MIN;
};

} // namespace relay

#endif
