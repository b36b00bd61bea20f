// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_OPPORTUNITIES_H
#define SMARTSBD_OPPORTUNITIES_H

#include "ns3/nstime.h"

#include <cstdint>
#include <vector>

namespace smartsbd
{

/**
 * The moments at which a recorded link could send, as mahimahi's traces have them.
 *
 * The trace begins again at its last moment: that one and the first of the next round are both
 * there if the first is at 0.
 */
class Opportunities
{
  public:
    /// Bytes of IP packets that one carries.
    static constexpr uint32_t BYTES = 1500;

    /**
     * @param moments In ms; they do not descend, and the last is not 0.
     */
    explicit Opportunities(std::vector<uint32_t> moments);

    /**
     * @param time A time.
     * @return How many there are up to that time, it included.
     */
    uint64_t CountUntil(ns3::Time time) const;

    /**
     * @param number Number of an opportunity, from 0.
     * @return When it is.
     */
    ns3::Time GetTime(uint64_t number) const;

    /// @return Mbit/s that they carry in the mean.
    double GetMean() const;

  private:
    std::vector<uint32_t> m_moments; //!< In ms
};

} // namespace smartsbd

#endif /* SMARTSBD_OPPORTUNITIES_H */
