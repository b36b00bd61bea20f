// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_MPLIBRA_H
#define SMARTSBD_MPLIBRA_H

#include <optional>
#include <vector>

namespace smartsbd
{

/**
 * The utility of a subflow's rate (MPLibra, equation 1): log S - S (10 x loss + 5 x change of RTT),
 * where S is the rate of the connection.
 *
 * @param total The rate of the connection with this rate of the subflow, in Mbit/s (the unit is
 *              ours); positive.
 * @param loss Bytes lost over bytes sent.
 * @param rttSlope Change of the RTT over time.
 * @return The utility.
 */
double MplibraUtility(double total, double loss, double rttSlope);

/**
 * @param previous The rate of the last cycle.
 * @param classic What the classic controller has come to.
 * @param agent What the agent wants.
 * @return Whether both are so far apart that they are to be evaluated (section III.B).
 */
bool MplibraDiverges(double previous, double classic, double agent);

/// A rate, and its utility if an interval told of it.
struct MplibraPoint
{
    double rate;                   //!< Rate in bytes/s
    std::optional<double> utility; //!< Its utility
};

/**
 * @param points The rate of the last cycle, and those that were evaluated.
 * @return Index of the one with the highest utility; the first of equals, and the first one if none
 *         has a utility.
 */
std::size_t ChooseMplibraPoint(const std::vector<MplibraPoint>& points);

} // namespace smartsbd

#endif /* SMARTSBD_MPLIBRA_H */
