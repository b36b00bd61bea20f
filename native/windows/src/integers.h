// SPDX-License-Identifier: MIT

#ifndef WINDOWS_INTEGERS_H
#define WINDOWS_INTEGERS_H

#include <cstdint>
#include <span>
#include <vector>

namespace windows
{

using Integers = std::vector<int64_t>;
using IntegerView = std::span<const int64_t>;

/// Most points of a window, and the bits of every value: with both no sum leaves 63 bits.
constexpr size_t POINTS_LIMIT = 682;
constexpr int VALUE_BITS = 21;

/// Largest value of a feature.
constexpr int64_t FEATURE_LIMIT = (1 << 24) - 1;

/// Root of a non-negative integer, truncated.
int64_t Root(int64_t square);

/// Quotient in Q10, truncated and capped; 0/0 is 1.
int64_t RatioQ10(int64_t numerator, int64_t denominator);

/// The smaller over the larger in Q10.
int64_t FoldedRatioQ10(int64_t one, int64_t other);

int64_t Sum(IntegerView values);

/// Sum of products, point by point.
int64_t Dot(IntegerView one, IntegerView other);

/// Sum of squared differences.
int64_t SquaredDistance(IntegerView one, IntegerView other);

/// n times the standard deviation, truncated.
int64_t Deviation(IntegerView values);

/// Pearson's correlation in Q10; 0 if a series is constant.
int64_t CorrelationQ10(IntegerView one, IntegerView other);

/// The largest correlation of what overlaps after a shift by at most `lag` points either way.
int64_t LargestLaggedQ10(IntegerView one, IntegerView other, size_t lag);

/// Twice the rank of each value; equals have their mean rank.
Integers DoubledRanks(IntegerView values);

/// By how much a series rises over `span` points.
Integers Changes(IntegerView values, size_t span);

} // namespace windows

#endif // WINDOWS_INTEGERS_H
