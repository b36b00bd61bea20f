// SPDX-License-Identifier: MIT

#include "sampling.h"

#include <algorithm>
#include <cstdlib>

namespace windows
{

void
Interpolate(IntegerView timeNs, IntegerView values, IntegerView atNs, std::span<int64_t> found)
{
    const auto begin = timeNs.begin();
    for (size_t place = 0; place < atNs.size(); ++place)
    {
        const auto atOrBefore = std::upper_bound(begin, timeNs.end(), atNs[place]) - begin;
        const auto left = static_cast<size_t>(atOrBefore) - 1;
        if (static_cast<size_t>(atOrBefore) == timeNs.size())
        {
            found[place] = values[left];
            continue;
        }
        const auto ofTime = std::upper_bound(begin + atOrBefore, timeNs.end(), timeNs[atOrBefore]);
        const auto right = static_cast<size_t>(ofTime - begin) - 1;
        if (atOrBefore == 0)
        {
            found[place] = values[right];
            continue;
        }
        const auto rise = values[right] - values[left];
        // After hours without a sample and a jump of seconds the product has more than 64 bits.
        const auto product =
            static_cast<unsigned __int128>(std::abs(rise)) * (atNs[place] - timeNs[left]);
        const auto step = static_cast<int64_t>(product / (timeNs[right] - timeNs[left]));
        found[place] = values[left] + (rise < 0 ? -step : step);
    }
}

Rates
RatesOf(IntegerView timeNs, IntegerView ackedBytes)
{
    constexpr int64_t BITS_PER_BYTE_NS_PER_US = 8 * 1000;
    Rates rates;
    int64_t highest = -1;
    for (size_t place = 0; place < timeNs.size(); ++place)
    {
        const auto acked = ackedBytes[place];
        if ((place + 1 < timeNs.size() && timeNs[place + 1] <= timeNs[place]) || acked <= highest)
        {
            continue;
        }
        if (!rates.timeNs.empty())
        {
            const auto spanNs = timeNs[place] - rates.timeNs.back();
            // A count may be so large that the product has more than 64 bits.
            const auto delivered =
                static_cast<double>(acked - highest) * BITS_PER_BYTE_NS_PER_US;
            rates.mbitS.push_back(delivered / static_cast<double>(spanNs));
        }
        rates.timeNs.push_back(timeNs[place]);
        highest = acked;
    }
    return rates;
}

void
Smooth(std::span<const double> values, double weight, std::span<double> found)
{
    if (values.empty())
    {
        return;
    }
    // Weights as pandas has them, whose average this equals in every digit: their sum may not be 1.
    const auto own = 1 / (1 + (1 - weight) / weight);
    const auto kept = 1 - own;
    auto level = values[0];
    found[0] = level;
    for (size_t place = 1; place < values.size(); ++place)
    {
        if (level != values[place])
        {
            level = (kept * level + own * values[place]) / (kept + own);
        }
        found[place] = level;
    }
}

} // namespace windows
