// SPDX-License-Identifier: MIT

#ifndef WINDOWS_FEATURES_H
#define WINDOWS_FEATURES_H

#include "integers.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

namespace windows
{

/// One subflow on the grid of a window: as many values of each series as there are points.
struct Subflow
{
    IntegerView rttUs;
    std::span<const bool> congested;
    IntegerView ackedBytes;
    std::span<const double> rateMbitS;
    int64_t minRttUs;
};

struct Feature
{
    const char* name;
    std::variant<int64_t, double> value;
};

/// Every feature of features/catalog.py by the default reading.
/// @param b the denominator of ratios
/// @param rttSteps steps of the grid in the larger minimum RTT
/// @return nothing if 64 bits might not hold what is computed
std::optional<std::vector<Feature>>
FeaturesOf(const Subflow& a, const Subflow& b, size_t rttSteps);

} // namespace windows

#endif // WINDOWS_FEATURES_H
