// SPDX-License-Identifier: MIT

#ifndef RELAY_RANDOM_H
#define RELAY_RANDOM_H

#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>

namespace relay
{

/// A stream of draws. Those of the standard library's distributions differ from one to another.
class Random
{
  public:
    explicit Random(uint64_t seed)
        : m_engine(seed)
    {
    }

    /// @return Uniform in [0, 1).
    double Uniform()
    {
        return static_cast<double>(m_engine() >> 11) * 0x1p-53;
    }

    /// @return Normal, with mean 0 and deviation 1 (Box and Muller, 1958).
    double Normal()
    {
        const double radius = std::sqrt(-2 * std::log(1 - Uniform()));
        return radius * std::cos(2 * std::numbers::pi * Uniform());
    }

  private:
    std::mt19937_64 m_engine;
};

} // namespace relay

#endif
