// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_MPCC_H
#define SMARTSBD_MPCC_H

#include "sender/monitor-intervals.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>

namespace smartsbd
{

// Of MPCC (Gilad et al., CoNEXT 2020) the source of its kernel module was read, tcp_mpcc.c; the
// paper was not. Rates are in bytes/s, as there; whole numbers of the kernel are not imitated.

/// A rate, and the utility it had.
struct MpccPoint
{
    double rate;    //!< Rate in bytes/s
    double utility; //!< Utility
};

/// Two pairs of a rate that is higher and one that is lower, in the order in which they are sent.
using MpccPairs = std::array<MpccPoint, 4>;

/**
 * The utility of an interval, with the latency of the variant that was released.
 *
 * @param total Rate of the interval, and what the other subflows of the group advertise.
 * @param loss Bytes lost over bytes sent.
 * @param rttSlope Change of the smoothed RTT over time.
 * @param starting Whether the rate is still doubled: then falling RTTs and losses below 15 % are
 *                 of no account.
 * @return The utility.
 */
double MpccUtility(double total, double loss, double rttSlope, bool starting);

/**
 * @param first A point.
 * @param second Another one.
 * @return A thousand times the slope of the utility between them; 0 if their rates differ by less
 *         than a thousandth.
 */
double MpccGradient(const MpccPoint& first, const MpccPoint& second);

/**
 * The rates that are tried around the present one.
 *
 * @param rate The present rate.
 * @param total The present rate, and what the others advertise.
 * @param stays Number that the code counts its decisions to stay with: 1 at first, 0 after a move.
 * @param lowFirst Whether the lower rate of the first pair comes first, and of the second one.
 * @return Two pairs; their utilities are 0.
 */
MpccPairs MpccProbes(double rate,
                     double total,
                     uint32_t stays,
                     const std::array<bool, 2>& lowFirst);

/**
 * @param pairs What was tried.
 * @return The gradient of less magnitude with the sign of the first one, or 0: the pairs disagree
 *         on which side is better.
 */
double MpccAgreement(const MpccPairs& pairs);

/// Where a decision leads.
enum class MpccDirection
{
    UP,   //!< To a higher rate
    DOWN, //!< To a lower one
    STAY, //!< To the same one
};

/// The size of steps: it grows as they go on in one direction.
class MpccStep
{
  public:
    /**
     * Take a step.
     *
     * @param gradient The gradient; not 0.
     * @param rate The present rate.
     * @param total The present rate, and what the others advertise.
     * @param least Least change of the rate.
     * @return Change of the rate, with its sign.
     */
    double Take(double gradient, double rate, double total, double least);

    /**
     * @param direction Where the last four intervals have led.
     */
    void SetLast(MpccDirection direction);

    /// @return Where they have led.
    MpccDirection GetLast() const;

  private:
    double m_amplifier{1};                 //!< Multiplies steps; with 1 added
    double m_bound{50};                    //!< How often steps were too large
    double m_swing{0};                     //!< Steps that do not yet amplify those that follow
    MpccDirection m_last{MpccDirection::UP}; //!< Where the last four intervals have led
};

/// What MPCC does at present.
enum class MpccMode
{
    START, //!< The rate is doubled
    PROBE, //!< Two pairs of rates are tried
    MOVE,  //!< The rate follows the gradient
};

/// An interval that is to be sent.
struct MpccAim
{
    std::size_t purpose; //!< Its number
    double rate;         //!< Its rate
};

/**
 * The decisions of MPCC for a subflow. What became of an interval comes back by Take(), the void
 * ones too, which are sent again.
 */
class MpccPlan
{
  public:
    /**
     * @param coin Gives a random bit.
     * @param others What the others advertise.
     */
    MpccPlan(std::function<bool()> coin, double others);

    /// @return What it does.
    MpccMode GetMode() const;

    /// @return The rate at which is sent what belongs to no interval.
    double GetRate() const;

    /// @return The rate that it tells the others.
    double GetAdvertised() const;

    /// @return The next interval to be sent, or none until more results have come.
    std::optional<MpccAim> Next();

    /**
     * Take the result of an interval.
     *
     * @param result The result.
     * @param segment Size of a segment in bytes.
     * @param others What the others advertise now.
     * @param leastStep Least change of the rate.
     */
    void Take(const IntervalResult& result, uint32_t segment, double others, double leastStep);

  private:
    /**
     * @param result An interval's result.
     * @return Its utility.
     */
    double GetUtility(const IntervalResult& result) const;

    /// The rate is doubled, tried again, or was too much.
    void EndStart(const IntervalResult& result);

    /// All four rates were tried.
    void EndProbe(double others, double leastStep);

    /// A step was taken.
    void EndMove(const IntervalResult& result, bool brakes, double others, double leastStep);

    /**
     * Try rates around the present one.
     *
     * @param others What the others advertise.
     */
    void Probe(double others);

    /**
     * Send one interval at another rate.
     *
     * @param rate The rate.
     * @param before A point that it is compared with.
     */
    void Move(double rate, const MpccPoint& before);

    std::function<bool()> m_coin;          //!< Gives a random bit
    MpccMode m_mode{MpccMode::START};      //!< What it does
    double m_rate;                         //!< The present rate
    double m_advertised;                   //!< What the others are told
    double m_others;                       //!< What the others advertised when it began to probe
    std::optional<MpccPoint> m_before;     //!< What the next result is compared with
    uint32_t m_tries;                      //!< Starting: how often a rate is tried again
    uint32_t m_stays{1};                   //!< As the code counts its decisions to stay
    MpccPairs m_pairs{};                   //!< What is tried
    std::size_t m_results{0};              //!< How many of these have results
    uint32_t m_brakes{0};                  //!< How many of them had far too much loss
    std::deque<std::size_t> m_toSend{0};   //!< Numbers of the intervals that are to be sent
    MpccStep m_step;                       //!< The size of steps
};

} // namespace smartsbd

#endif /* SMARTSBD_MPCC_H */
