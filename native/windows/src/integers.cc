// SPDX-License-Identifier: MIT

#include "integers.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>

namespace windows
{

namespace
{

constexpr int64_t ONE_Q10 = 1 << 10;
// A quotient in Q10 needs ten bits of head room: larger denominators are shifted down to this many.
constexpr int QUOTIENT_BITS = 52;

int64_t
Spread(IntegerView values, int64_t sum)
{
    return Root(static_cast<int64_t>(values.size()) * Dot(values, values) - sum * sum);
}

} // namespace

int64_t
Root(int64_t square)
{
    auto root = static_cast<int64_t>(std::sqrt(static_cast<double>(square)));
    // Beyond 53 bits the conversion rounds.
    while (root * root > square)
    {
        --root;
    }
    while ((root + 1) * (root + 1) <= square)
    {
        ++root;
    }
    return root;
}

int64_t
RatioQ10(int64_t numerator, int64_t denominator)
{
    if (denominator == 0)
    {
        return numerator == 0 ? ONE_Q10 : FEATURE_LIMIT;
    }
    return std::min((numerator << 10) / denominator, FEATURE_LIMIT);
}

int64_t
FoldedRatioQ10(int64_t one, int64_t other)
{
    return RatioQ10(std::min(one, other), std::max(one, other));
}

int64_t
Sum(IntegerView values)
{
    int64_t sum = 0;
    for (const auto value : values)
    {
        sum += value;
    }
    return sum;
}

int64_t
Dot(IntegerView one, IntegerView other)
{
    int64_t sum = 0;
    for (size_t at = 0; at < one.size(); ++at)
    {
        sum += one[at] * other[at];
    }
    return sum;
}

int64_t
SquaredDistance(IntegerView one, IntegerView other)
{
    int64_t sum = 0;
    for (size_t at = 0; at < one.size(); ++at)
    {
        const auto difference = one[at] - other[at];
        sum += difference * difference;
    }
    return sum;
}

int64_t
Deviation(IntegerView values)
{
    return Spread(values, Sum(values));
}

int64_t
CorrelationQ10(IntegerView one, IntegerView other)
{
    const auto sumOne = Sum(one);
    const auto sumOther = Sum(other);
    const auto spread = Spread(one, sumOne) * Spread(other, sumOther);
    if (spread == 0)
    {
        return 0;
    }
    const auto common = static_cast<int64_t>(one.size()) * Dot(one, other) - sumOne * sumOther;
    const auto bits = std::bit_width(static_cast<uint64_t>(spread));
    const auto shift = std::max(0, static_cast<int>(bits) - QUOTIENT_BITS);
    const auto size = std::min(((std::abs(common) >> shift) << 10) / (spread >> shift), ONE_Q10);
    return common >= 0 ? size : -size;
}

int64_t
LargestLaggedQ10(IntegerView one, IntegerView other, size_t lag)
{
    auto largest = CorrelationQ10(one, other);
    for (size_t shift = 1; shift <= lag; ++shift)
    {
        const auto overlap = one.size() - shift;
        largest = std::max({largest,
                            CorrelationQ10(one.last(overlap), other.first(overlap)),
                            CorrelationQ10(one.first(overlap), other.last(overlap))});
    }
    return largest;
}

Integers
DoubledRanks(IntegerView values)
{
    Integers ordered(values.begin(), values.end());
    std::sort(ordered.begin(), ordered.end());
    Integers ranks;
    ranks.reserve(values.size());
    for (const auto value : values)
    {
        const auto [first, end] = std::equal_range(ordered.begin(), ordered.end(), value);
        ranks.push_back((first - ordered.begin()) + (end - ordered.begin()) + 1);
    }
    return ranks;
}

Integers
Changes(IntegerView values, size_t span)
{
    Integers changes;
    for (auto at = span; at < values.size(); ++at)
    {
        changes.push_back(values[at] - values[at - span]);
    }
    return changes;
}

} // namespace windows
