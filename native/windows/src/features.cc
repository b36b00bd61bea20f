// SPDX-License-Identifier: MIT

#include "features.h"

#include "exact_sum.h"
#include "integers.h"

#include "../../warping/src/warp.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <initializer_list>

namespace windows
{

namespace
{

// features/ has the definitions, and tests/windows/ compares. Floating point is added there by
// math.fsum, which rounds once, and otherwise in one order, which is kept here. The compiler must
// not fuse a product and a sum (-ffp-contract=off).

using Reals = std::vector<double>;

constexpr int64_t RTT_LIMIT_US = (1 << VALUE_BITS) - 1;
constexpr int64_t CONGESTED_WEIGHT = 1'000'000;
constexpr double US_PER_S = 1e6;
constexpr int64_t UNIT_US = 4;
constexpr size_t LAG_RTTS = 2;
constexpr size_t CHANGE_RTTS = 2;
constexpr size_t RATE_RTTS = 5;
// A ratio has ten bits more.
constexpr int64_t RATIO_LIMIT = int64_t{1} << 53;
// The difference of two values below it has less than 64 bits.
constexpr int64_t VALUE_LIMIT = int64_t{1} << 62;

/// A series of either subflow.
struct IntegerPair
{
    Integers a;
    Integers b;
};

struct RealPair
{
    Reals a;
    Reals b;
};

bool
AreWithin(IntegerView values, int64_t limit)
{
    return std::all_of(values.begin(), values.end(), [limit](int64_t value) {
        return value >= 0 && value < limit;
    });
}

/// RTTs above `least`, clamped.
Integers
Above(IntegerView rttUs, int64_t least)
{
    Integers above;
    above.reserve(rttUs.size());
    for (const auto rtt : rttUs)
    {
        above.push_back(std::min(rtt - least, RTT_LIMIT_US));
    }
    return above;
}

Integers
Ones(std::span<const bool> flags)
{
    return {flags.begin(), flags.end()};
}

Reals
Divided(IntegerView values, double by)
{
    Reals quotients;
    quotients.reserve(values.size());
    for (const auto value : values)
    {
        quotients.push_back(static_cast<double>(value) / by);
    }
    return quotients;
}

Reals
Multiplied(IntegerView values, int64_t by)
{
    Reals products;
    products.reserve(values.size());
    for (const auto value : values)
    {
        products.push_back(static_cast<double>(value * by));
    }
    return products;
}

/// Distance after time warping; a channel's series beside those of the others.
double
Warped(std::initializer_list<const RealPair*> channels)
{
    const auto joined = [&channels](Reals RealPair::* side) {
        const auto points = ((*channels.begin())->*side).size();
        Reals values(points * channels.size());
        size_t channel = 0;
        for (const auto* pair : channels)
        {
            for (size_t at = 0; at < points; ++at)
            {
                values[at * channels.size() + channel] = (pair->*side)[at];
            }
            ++channel;
        }
        return values;
    };
    const auto a = joined(&RealPair::a);
    const auto b = joined(&RealPair::b);
    const auto points = a.size() / channels.size();
    return std::sqrt(warping::Warp({a.data(), points, channels.size()},
                                   {b.data(), points, channels.size()}));
}

int64_t
Warped4Us(std::initializer_list<const RealPair*> channels)
{
    return static_cast<int64_t>(std::floor(Warped(channels) / UNIT_US));
}

/// Euclidean distance, the squares of all channels in one sum.
double
Distance(std::initializer_list<const RealPair*> channels)
{
    ExactSum sum;
    for (const auto* pair : channels)
    {
        for (size_t at = 0; at < pair->a.size(); ++at)
        {
            const auto difference = pair->a[at] - pair->b[at];
            sum.Add(difference * difference);
        }
    }
    return std::sqrt(sum.Get());
}

int64_t
Distance4Us(int64_t squares)
{
    return Root(squares >> 4);
}

int64_t
PerPoint(int64_t distance, size_t points)
{
    return Root(distance * distance / static_cast<int64_t>(points));
}

/// Standard deviation of reals.
double
DeviationOf(std::span<const double> values)
{
    // As Python's ** computes it, whose last digit may differ from a product's. The compiler would
    // make a product of a constant exponent.
    static const volatile double SQUARED = 2;
    ExactSum sum;
    for (const auto value : values)
    {
        sum.Add(value - values[0]);
    }
    const auto points = static_cast<double>(values.size());
    const auto mean = sum.Get() / points;
    ExactSum squares;
    for (const auto value : values)
    {
        squares.Add(std::pow(value - values[0] - mean, SQUARED));
    }
    return std::sqrt(squares.Get() / points);
}

double
RateDeviationRatio(const Subflow& a, const Subflow& b)
{
    constexpr auto CAP = static_cast<double>(FEATURE_LIMIT) / 1024;
    const auto numerator = DeviationOf(a.rateMbitS);
    const auto denominator = DeviationOf(b.rateMbitS);
    if (denominator == 0)
    {
        return numerator > 0 ? CAP : 1;
    }
    return std::min(numerator / denominator, CAP);
}

/// Congested within `reach` points.
Integers
Widened(IntegerView congested, size_t reach)
{
    Integers widened(congested.size());
    for (size_t at = 0; at < congested.size(); ++at)
    {
        if (congested[at])
        {
            const auto first = widened.begin() + (at < reach ? 0 : at - reach);
            const auto end = widened.begin() + std::min(congested.size(), at + reach + 1);
            std::fill(first, end, 1);
        }
    }
    return widened;
}

int64_t
JaccardExcessQ10(IntegerView one, IntegerView other)
{
    const auto n = static_cast<int64_t>(one.size());
    const auto p = Sum(one);
    const auto q = Sum(other);
    if (p == 0 || q == 0)
    {
        return 0;
    }
    const auto both = Dot(one, other);
    return (both << 10) / (p + q - both) - ((p * q) << 10) / (n * (p + q) - p * q);
}

/// Bytes delivered over `span` points, shifted right until the largest has VALUE_BITS.
/// @return nothing if bytes were taken back: so few may be the largest that others have more bits
std::optional<Integers>
Delivered(IntegerView ackedBytes, size_t span)
{
    auto delivered = Changes(ackedBytes, span);
    if (delivered.empty())
    {
        return delivered;
    }
    const auto [smallest, largest] = std::minmax_element(delivered.begin(), delivered.end());
    if (*smallest < 0)
    {
        return std::nullopt;
    }
    const auto bits = static_cast<int>(std::bit_width(static_cast<uint64_t>(*largest)));
    const auto shift = std::max(0, bits - VALUE_BITS);
    for (auto& bytes : delivered)
    {
        bytes >>= shift;
    }
    return delivered;
}

} // namespace

std::optional<std::vector<Feature>>
FeaturesOf(const Subflow& a, const Subflow& b, size_t rttSteps)
{
    const auto points = a.rttUs.size();
    if (points > POINTS_LIMIT || rttSteps > points / LAG_RTTS)
    {
        return std::nullopt;
    }
    for (const auto* own : {&a, &b})
    {
        if (!AreWithin({&own->minRttUs, 1}, RATIO_LIMIT) || !AreWithin(own->rttUs, VALUE_LIMIT) ||
            !AreWithin(own->ackedBytes, VALUE_LIMIT))
        {
            return std::nullopt;
        }
    }
    const auto deliveredA = Delivered(a.ackedBytes, RATE_RTTS * rttSteps);
    const auto deliveredB = Delivered(b.ackedBytes, RATE_RTTS * rttSteps);
    if (!deliveredA || !deliveredB)
    {
        return std::nullopt;
    }

    const auto leastA = *std::min_element(a.rttUs.begin(), a.rttUs.end());
    const auto leastB = *std::min_element(b.rttUs.begin(), b.rttUs.end());
    const auto least = std::min(leastA, leastB);
    const IntegerPair above{Above(a.rttUs, least), Above(b.rttUs, least)};
    const IntegerPair queue{Above(a.rttUs, leastA), Above(b.rttUs, leastB)};
    const IntegerPair congested{Ones(a.congested), Ones(b.congested)};

    // Channels of distances: integers in microseconds, and seconds, 0 or 1, Mbit/s.
    const RealPair rttUs{Multiplied(above.a, 1), Multiplied(above.b, 1)};
    const RealPair congestedUs{Multiplied(congested.a, CONGESTED_WEIGHT),
                               Multiplied(congested.b, CONGESTED_WEIGHT)};
    const RealPair queueUs{Multiplied(queue.a, 1), Multiplied(queue.b, 1)};
    const RealPair rttS{Divided(above.a, US_PER_S), Divided(above.b, US_PER_S)};
    const RealPair state{Multiplied(congested.a, 1), Multiplied(congested.b, 1)};
    const RealPair rate{{a.rateMbitS.begin(), a.rateMbitS.end()},
                        {b.rateMbitS.begin(), b.rateMbitS.end()}};

    const auto rttApart = SquaredDistance(above.a, above.b);
    const auto congestedApart =
        SquaredDistance(congested.a, congested.b) * CONGESTED_WEIGHT * CONGESTED_WEIGHT;
    const auto queueApart = SquaredDistance(queue.a, queue.b);
    const auto queueSize = Dot(queue.a, queue.a) + Dot(queue.b, queue.b);
    const auto span = CHANGE_RTTS * rttSteps;

    return std::vector<Feature>{
        {"rtt_ed_4us", Distance4Us(rttApart)},
        {"cstate_ed_4us", Distance4Us(congestedApart)},
        {"rtt_cstate_ed_4us", Distance4Us(rttApart + congestedApart)},
        {"rtt_dtwd_4us", Warped4Us({&rttUs})},
        {"cstate_dtwd_4us", Warped4Us({&congestedUs})},
        {"rtt_cstate_dtwd_4us", Warped4Us({&rttUs, &congestedUs})},
        {"rtt_sd_ratio_q10", RatioQ10(Deviation(above.a), Deviation(above.b))},
        {"cstate_sd_ratio_q10", RatioQ10(Deviation(congested.a), Deviation(congested.b))},
        {"min_rtt_ratio_q10", RatioQ10(a.minRttUs, b.minRttUs)},
        {"rate_ed", Distance({&rate})},
        {"rtt_rate_ed", Distance({&rttS, &rate})},
        {"cstate_rate_ed", Distance({&state, &rate})},
        {"rtt_cstate_rate_ed", Distance({&rttS, &state, &rate})},
        {"rate_dtwd", Warped({&rate})},
        {"rtt_rate_dtwd", Warped({&rttS, &rate})},
        {"cstate_rate_dtwd", Warped({&state, &rate})},
        {"rtt_cstate_rate_dtwd", Warped({&rttS, &state, &rate})},
        {"rate_sd_ratio", RateDeviationRatio(a, b)},
        {"queue_ed_4us", PerPoint(Distance4Us(queueApart), points)},
        {"queue_dtwd_4us", PerPoint(Warped4Us({&queueUs}), points)},
        {"queue_ed_ratio_q10", RatioQ10(Root(queueApart), Root(queueSize))},
        {"rtt_correlation_q10", CorrelationQ10(queue.a, queue.b)},
        {"rtt_rank_correlation_q10",
         CorrelationQ10(DoubledRanks(queue.a), DoubledRanks(queue.b))},
        {"rtt_lagged_correlation_q10",
         LargestLaggedQ10(queue.a, queue.b, LAG_RTTS * rttSteps)},
        {"rtt_change_correlation_q10",
         CorrelationQ10(Changes(queue.a, span), Changes(queue.b, span))},
        {"queue_mean_ratio_q10", FoldedRatioQ10(Sum(queue.a), Sum(queue.b))},
        {"queue_sd_ratio_q10", FoldedRatioQ10(Deviation(queue.a), Deviation(queue.b))},
        {"cstate_near_jaccard_excess_q10",
         JaccardExcessQ10(Widened(congested.a, rttSteps), Widened(congested.b, rttSteps))},
        {"rate_correlation_q10", CorrelationQ10(*deliveredA, *deliveredB)},
    };
}

} // namespace windows
