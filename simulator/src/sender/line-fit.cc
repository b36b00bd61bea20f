// SPDX-License-Identifier: GPL-2.0-only

#include "sender/line-fit.h"

namespace smartsbd
{

namespace
{

/// Points that are too few.
constexpr uint64_t FEW_POINTS = 2;

} // namespace

void
LineFit::Add(double x, double y)
{
    if (m_count == 0)
    {
        m_firstX = x;
        m_firstY = y;
    }
    ++m_count;
    x -= m_firstX;
    y -= m_firstY;
    m_sumX += x;
    m_sumY += y;
    m_sumXX += x * x;
    m_sumXY += x * y;
}

double
LineFit::GetSlope() const
{
    const auto count = static_cast<double>(m_count);
    const auto spread = count * m_sumXX - m_sumX * m_sumX;
    return m_count <= FEW_POINTS || spread <= 0 ? 0
                                                : (count * m_sumXY - m_sumX * m_sumY) / spread;
}

} // namespace smartsbd
