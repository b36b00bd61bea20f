// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_CMPBBR_H
#define SMARTSBD_CMPBBR_H

#include "controllers/advertised-rate.h"
#include "sender/subflow-signals.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace smartsbd
{

/**
 * @param signals All subflows of the connection.
 * @param rates The bandwidths that they advertise.
 * @param index A subflow.
 * @return How many of its group, itself included, have a bandwidth within 20 % of its own.
 */
uint32_t CountAlike(const ConnectionSignals& signals,
                    const std::vector<AdvertisedRate>& rates,
                    std::size_t index);

/// What C-MPBBR divides a bandwidth by, from the counts of successive cycles.
class AlikeDivisor
{
  public:
    /**
     * A cycle has its count. One above 1 takes effect if that of the cycle before was above 1 too,
     * and stays in effect over one cycle without.
     *
     * @param count Subflows of a like bandwidth, the own one included.
     */
    void Note(uint32_t count);

    /// @return The divisor, at least 1.
    uint32_t Get() const;

  private:
    uint32_t m_divisor{1};  //!< The divisor
    bool m_before{false};   //!< Whether the count of the cycle before was above 1
    bool m_missed{false};   //!< Whether it was not, with a divisor in effect
};

} // namespace smartsbd

#endif /* SMARTSBD_CMPBBR_H */
