// SPDX-License-Identifier: MIT

#ifndef WINDOWS_SAMPLING_H
#define WINDOWS_SAMPLING_H

#include "integers.h"

#include <span>
#include <vector>

namespace windows
{

/// Interpolate linearly between samples in time order, of which there is one at least; of several
/// at one time the last counts. Before the first and after the last it is held.
void Interpolate(IntegerView timeNs,
                 IntegerView values,
                 IntegerView atNs,
                 std::span<int64_t> found);

/// Rates between the ACKs that acknowledge more than any before.
struct Rates
{
    /// Of each of these ACKs.
    Integers timeNs;
    /// From each of them to the next.
    std::vector<double> mbitS;
};

/// @param timeNs in order; of several ACKs at one time the last counts
Rates RatesOf(IntegerView timeNs, IntegerView ackedBytes);

/// Exponentially weighted moving average, which starts at the first value.
void Smooth(std::span<const double> values, double weight, std::span<double> found);

} // namespace windows

#endif // WINDOWS_SAMPLING_H
