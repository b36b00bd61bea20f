// SPDX-License-Identifier: MIT

#ifndef PACKETS_WAY_BACK_H
#define PACKETS_WAY_BACK_H

#include "bounds.h"

#include <cstdint>

namespace packets
{

/**
 * How the receiver's clock runs beside the capture's, both from ACKs captured near the sender.
 *
 * An ACK's TSval is the receiver's clock when it left, the time of capture that of its arrival. A
 * line through them is the mean way back, and what an ACK is off the line is how much longer or
 * shorter its own way was. Neither the offset of the clocks nor how much faster one runs matters.
 */
struct WayBack
{
    /// Bits behind the point of a tick: of one of 1 us, enough for 1 in 10^9.
    static constexpr int TICK_SHIFT = 20;

    int64_t firstNs{0};
    int64_t firstValue{0};
    /// The receiver's, by the capture's clock, in ns / 2^TICK_SHIFT; 0 if it is no clock's.
    int64_t tick{0};
    /// How much later ACKs came than their clock says, counted from the first, on average.
    int64_t meanUs{0};

    /**
     * The one-way delay of the segment that gave an RTT sample, were the way back always its mean.
     *
     * @param timeNs When the ACK passed.
     * @param rttUs Its sample.
     * @param tsval Its timestamp.
     * @return The sample less what this way back exceeds the mean; NOT_OBSERVED if it is not known
     *         or impossible.
     */
    int64_t GetDelay(int64_t timeNs, int64_t rttUs, uint32_t tsval) const;
};

/// Estimates a WayBack: the least-squares line of TSval on time of capture.
class WayBackFit
{
  public:
    /// Take an ACK; times do not decrease.
    void Take(int64_t timeNs, uint32_t tsval);

    /// @return The line; without a tick if its slope is that of no clock known.
    WayBack Get() const;

  private:
    int64_t m_count{0};
    int64_t m_firstNs{0};
    int64_t m_firstValue{0};
    int64_t m_value{0}; //!< Unwrapped
    // Means, and sums of products of what is off them.
    double m_meanNs{0};
    double m_meanTicks{0};
    double m_timeTime{0};
    double m_timeTicks{0};
};

} // namespace packets

#endif // PACKETS_WAY_BACK_H
