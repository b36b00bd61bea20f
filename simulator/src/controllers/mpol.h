// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_MPOL_H
#define SMARTSBD_MPOL_H

#include <cstddef>
#include <deque>
#include <optional>

namespace smartsbd
{

/**
 * The utility of MP-OL, of a rate x: others^0.9 + x^0.9 - 11 x loss - x (change of the RTT).
 *
 * @param rate Its rate, in the unit of the controller.
 * @param others Rates of the other subflows of the group, in the same unit.
 * @param loss Bytes lost over bytes sent.
 * @param rttSlope Change of the smoothed RTT over time.
 * @return The utility, in a unit that depends on that of the rate.
 */
double MpolUtility(double rate, double others, double loss, double rttSlope);

/// A rate, and the utilities of it and of those a little below and above it.
struct MpolTrial
{
    double rate;    //!< The rate in the middle
    double utility; //!< Its utility
    double below;   //!< That of the rate below
    double above;   //!< That of the rate above
};

/// How much the rates below and above differ from that in the middle.
inline constexpr double MPOL_DIFFERENCE = 0.05;

/// What MP-OL may choose of its steps.
struct MpolStep
{
    double beta;    //!< Change of the rate for each unit of the gradient, in the unit of rates
    bool relative;  //!< Whether it is a share of the rate for each unit, in place of that
};

/**
 * The change of a rate that has been tried.
 *
 * @param trial What was tried.
 * @param step The size of steps.
 * @param alike How many changes have had this direction in a row, this one included, at least 1.
 * @return The change, a tenth of the rate at most; none if the utility does not go on rising or
 *         falling through the rate in the middle: then it is to be kept.
 */
std::optional<double> MpolChange(const MpolTrial& trial, const MpolStep& step, int alike);

/// What a round trip under MP-OL's window was like.
struct MpolRound
{
    double loss; //!< Bytes lost over bytes sent
    double rtt;  //!< Mean RTT in s
};

/**
 * How far two periods are apart: the distance of their centroids, after both coordinates of all
 * their rounds were stretched to [0, 1].
 *
 * @param rounds Rounds of the earlier period, then as many of the later one.
 * @param still Spread of RTTs over their mean that is taken for none.
 * @return The distance, from 0 to the square root of 2.
 */
double MpolDistance(const std::deque<MpolRound>& rounds, double still);

} // namespace smartsbd

#endif /* SMARTSBD_MPOL_H */
