// SPDX-License-Identifier: MIT

#ifndef WARPING_WARP_H
#define WARPING_WARP_H

#include <cstddef>
#include <memory>
#include <new>

namespace warping
{

/// How many series are warped against one at the same time.
constexpr size_t LANES = 8;

/// Points one after another, each of so many channels.
struct Series
{
    const double* values;
    size_t points;
    size_t channels;
};

/// Least sum of squared distances of two series of as many channels, over every way to warp them.
double Warp(const Series& one, const Series& other);

/// Up to LANES series of one length, a value of each beside those of the others.
class Bundle
{
  public:
    Bundle(size_t points, size_t channels);

    /// Take series that follow each other in memory; the lanes left over repeat the last of them.
    void Take(const double* values, size_t series);

    /// Warp a series of as many channels against each: LANES least sums, valid until the next call.
    const double* Warp(const Series& series);

  private:
    struct Free
    {
        void operator()(double* values) const
        {
            ::operator delete[](values, ALIGNMENT);
        }
    };

    using Values = std::unique_ptr<double[], Free>;

    // Of the widest vector.
    static constexpr std::align_val_t ALIGNMENT{LANES * sizeof(double)};

    static Values Allocate(size_t values);

    size_t m_points;
    size_t m_channels;
    // (points, channels, LANES)
    Values m_values;
    // (points, LANES): the least sums of a row of cells.
    Values m_row;
};

} // namespace warping

#endif // WARPING_WARP_H
