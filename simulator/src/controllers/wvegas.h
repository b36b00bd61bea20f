// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_WVEGAS_H
#define SMARTSBD_WVEGAS_H

#include <cstdint>

namespace smartsbd
{

/// Constants of wVegas, in segments; the defaults are those of Linux's mptcp_wvegas.c.
struct WvegasConstants
{
    double total{10};  //!< Segments that all subflows together keep waiting
    double least{2};   //!< Segments that a subflow keeps waiting at least, and at the beginning
    double gamma{1};   //!< Waiting segments that end slow start
    bool drains{true}; //!< Whether a window is halved when the queueing delay has doubled
};

/// What wVegas keeps of a subflow. It is whole segments and microseconds, as in the kernel.
struct WvegasPath
{
    uint32_t window{0};    //!< Congestion window in segments
    uint32_t threshold{0}; //!< Slow start threshold in segments
    int64_t base{0};       //!< Least RTT sample in us
    uint32_t alpha{2};     //!< Segments it is to keep waiting
    double weight{1};      //!< Its part of the total
    double rate{0};        //!< Its rate when the weight was last taken, in segments/s; or 0
    int64_t leastQueue{0}; //!< Least queueing delay since the last drain in us; or 0
};

/**
 * The end of a round with enough samples (mptcp_wvegas.c).
 *
 * @param path The subflow; changes.
 * @param rtt Mean of the round's RTT samples in us.
 * @param otherRates Sum of the rates of the others of its group, in segments/s.
 * @param constants The constants.
 * @return Whether a step of slow start is due.
 */
bool EndWvegasRound(WvegasPath& path,
                    int64_t rtt,
                    double otherRates,
                    const WvegasConstants& constants = {});

} // namespace smartsbd

#endif /* SMARTSBD_WVEGAS_H */
