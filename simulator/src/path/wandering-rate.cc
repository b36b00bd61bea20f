// SPDX-License-Identifier: GPL-2.0-only

#include "path/wandering-rate.h"

#include <cmath>

namespace smartsbd
{

WanderingRate::WanderingRate(double mean, double sigma, int64_t stream)
    : m_mean(mean),
      m_sigma(sigma),
      m_draw(ns3::CreateObject<ns3::NormalRandomVariable>())
{
    m_draw->SetStream(stream);
    m_state = m_draw->GetValue(0, 1);
}

double
WanderingRate::Next()
{
    const double rate = m_mean * std::exp(m_sigma * m_state - m_sigma * m_sigma / 2);
    m_state = STEP_CORRELATION * m_state +
              std::sqrt(1 - STEP_CORRELATION * STEP_CORRELATION) * m_draw->GetValue(0, 1);
    return rate;
}

} // namespace smartsbd
