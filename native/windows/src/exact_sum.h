// SPDX-License-Identifier: MIT

#ifndef WINDOWS_EXACT_SUM_H
#define WINDOWS_EXACT_SUM_H

#include <vector>

namespace windows
{

/// A sum of finite numbers that is rounded once, to the nearest: that of Python's math.fsum.
///
/// After Shewchuk, Adaptive precision floating-point arithmetic, 1997. What was added is kept as
/// parts that do not overlap, the smallest first; their sum is exact.
class ExactSum
{
  public:
    void Add(double value);
    double Get() const;

  private:
    std::vector<double> m_parts;
};

} // namespace windows

#endif // WINDOWS_EXACT_SUM_H
