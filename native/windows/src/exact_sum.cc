// SPDX-License-Identifier: MIT

#include "exact_sum.h"

#include <cmath>

namespace windows
{

namespace
{

/// A sum, rounded, and what the rounding left out.
struct Rounded
{
    double sum;
    double rest;
};

/// @param larger the one whose magnitude is not below the other's
Rounded
Add(double larger, double smaller)
{
    const auto sum = larger + smaller;
    return {sum, smaller - (sum - larger)};
}

} // namespace

void
ExactSum::Add(double value)
{
    size_t kept = 0;
    for (const auto part : m_parts)
    {
        const auto [sum, rest] = std::fabs(value) < std::fabs(part) ? windows::Add(part, value)
                                                                    : windows::Add(value, part);
        if (rest != 0)
        {
            m_parts[kept++] = rest;
        }
        value = sum;
    }
    m_parts.resize(kept);
    m_parts.push_back(value);
}

double
ExactSum::Get() const
{
    auto at = m_parts.size();
    if (at == 0)
    {
        return 0;
    }
    Rounded total{m_parts[--at], 0};
    while (at > 0 && total.rest == 0)
    {
        total = windows::Add(total.sum, m_parts[--at]);
    }
    // A rest of half a unit was rounded to even. If the parts below it have its sign, it is more.
    if (at > 0 && std::signbit(total.rest) == std::signbit(m_parts[at - 1]))
    {
        const auto [next, left] = windows::Add(total.sum, 2 * total.rest);
        if (left == 0)
        {
            return next;
        }
    }
    return total.sum;
}

} // namespace windows
