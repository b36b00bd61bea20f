// SPDX-License-Identifier: MIT

#include "warp.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

namespace warping
{

namespace
{

// A cell is the squared distance of two points, its channels added in order, plus the least of the
// three cells before it. Each is computed by the same operations, wherever in a vector it stands
// and however wide the vector is; so the sums are the same on every processor. The compiler must
// not fuse a product and a sum (-ffp-contract=off).

constexpr double INFINITE = std::numeric_limits<double>::infinity();

constexpr size_t NARROW_BYTES = 16;
constexpr size_t WIDE_BYTES = 32;

template <size_t BYTES>
struct VectorOf
{
    using Type [[gnu::vector_size(BYTES)]] = double;
};

/// Fill one row of cells after another, in every lane of a bundle; the last one stays in `row`.
/// @tparam CHANNELS how many, or 0: what `series` says
template <size_t BYTES, size_t CHANNELS>
[[gnu::always_inline]] inline void
WarpBundle(const Series& series, const double* bundle, double* row, size_t points)
{
    using Vector = typename VectorOf<BYTES>::Type;
    constexpr auto PARTS = LANES * sizeof(double) / BYTES;
    const auto channels = CHANNELS ? CHANNELS : series.channels;
    std::fill_n(row, points * LANES, INFINITE);
    for (size_t at = 0; at < series.points; ++at)
    {
        const auto* point = series.values + at * channels;
        const auto* opposite = reinterpret_cast<const Vector*>(bundle);
        auto* cell = reinterpret_cast<Vector*>(row);
        Vector left[PARTS];
        Vector diagonal[PARTS];
        for (size_t part = 0; part < PARTS; ++part)
        {
            left[part] = Vector{} + INFINITE;
            diagonal[part] = Vector{} + (at == 0 ? 0 : INFINITE);
        }
        for (size_t other = 0; other < points; ++other, cell += PARTS)
        {
            Vector cost[PARTS] = {};
            for (size_t channel = 0; channel < channels; ++channel, opposite += PARTS)
            {
                for (size_t part = 0; part < PARTS; ++part)
                {
                    const auto difference = point[channel] - opposite[part];
                    const auto squared = difference * difference;
                    cost[part] = channel == 0 ? squared : cost[part] + squared;
                }
            }
            for (size_t part = 0; part < PARTS; ++part)
            {
                const auto above = cell[part];
                auto least = above < diagonal[part] ? above : diagonal[part];
                least = left[part] < least ? left[part] : least;
                diagonal[part] = above;
                cell[part] = left[part] = cost[part] + least;
            }
        }
    }
}

template <size_t BYTES>
[[gnu::always_inline]] inline void
WarpBundle(const Series& series, const double* bundle, double* row, size_t points)
{
    switch (series.channels)
    {
    case 1:
        return WarpBundle<BYTES, 1>(series, bundle, row, points);
    case 2:
        return WarpBundle<BYTES, 2>(series, bundle, row, points);
    default:
        return WarpBundle<BYTES, 0>(series, bundle, row, points);
    }
}

/// Two series, the cells of an antidiagonal at once: none of them depends on another.
class Pair
{
  public:
    Pair(const Series& one, const Series& other)
        : m_rows(one.points),
          m_columns(other.points),
          m_channels(one.channels),
          m_values(m_channels * (m_rows + m_columns + 2 * PADDING)),
          m_cells(3 * GetWidth())
    {
        for (size_t channel = 0; channel < m_channels; ++channel)
        {
            for (size_t at = 0; at < m_rows; ++at)
            {
                GetOne(channel)[at] = one.values[at * m_channels + channel];
            }
            for (size_t at = 0; at < m_columns; ++at)
            {
                GetOther(channel)[m_columns - 1 - at] = other.values[at * m_channels + channel];
            }
        }
    }

    template <size_t BYTES>
    [[gnu::always_inline]] double Warp()
    {
        using Vector = typename VectorOf<BYTES>::Type;
        constexpr auto WIDTH = BYTES / sizeof(double);
        // The cell in row i of the matrix stands at i + 1; beside an antidiagonal there is nothing.
        auto* before = m_cells.data();
        auto* last = before + GetWidth();
        auto* cells = last + GetWidth();
        std::fill_n(before, 2 * GetWidth(), INFINITE);
        before[0] = 0;
        for (size_t diagonal = 0; diagonal + 1 < m_rows + m_columns; ++diagonal)
        {
            const auto first = diagonal < m_columns ? 0 : diagonal - m_columns + 1;
            const auto end = std::min(m_rows, diagonal + 1);
            for (auto row = first; row < end; row += WIDTH)
            {
                Vector cost{};
                for (size_t channel = 0; channel < m_channels; ++channel)
                {
                    Vector value;
                    Vector opposite;
                    Load(value, GetOne(channel) + row);
                    Load(opposite, GetOther(channel) + (m_columns - 1 + row - diagonal));
                    const auto difference = value - opposite;
                    const auto squared = difference * difference;
                    cost = channel == 0 ? squared : cost + squared;
                }
                Vector corner;
                Vector above;
                Vector left;
                Load(corner, before + row);
                Load(above, last + row);
                Load(left, last + row + 1);
                auto least = above < corner ? above : corner;
                least = left < least ? left : least;
                const Vector cell = cost + least;
                std::memcpy(cells + row + 1, &cell, sizeof cell);
            }
            cells[first] = cells[end + 1] = INFINITE;
            std::swap(before, last);
            std::swap(last, cells);
        }
        return last[m_rows];
    }

  private:
    // What a vector reaches beyond the last value.
    static constexpr size_t PADDING = WIDE_BYTES / sizeof(double);

    template <typename Vector>
    [[gnu::always_inline]] static void Load(Vector& vector, const double* from)
    {
        std::memcpy(&vector, from, sizeof vector);
    }

    size_t GetWidth() const
    {
        return m_rows + 2 + PADDING;
    }

    double* GetOne(size_t channel)
    {
        return m_values.data() + channel * (m_rows + PADDING);
    }

    /// From its last point to its first.
    double* GetOther(size_t channel)
    {
        return m_values.data() + m_channels * (m_rows + PADDING) + channel * (m_columns + PADDING);
    }

    size_t m_rows;
    size_t m_columns;
    size_t m_channels;
    // (channels, points) of one, then of the other.
    std::vector<double> m_values;
    std::vector<double> m_cells;
};

double
WarpPairOf16Bytes(Pair& pair)
{
    return pair.Warp<NARROW_BYTES>();
}

void
WarpBundleOf16Bytes(const Series& series, const double* bundle, double* row, size_t points)
{
    WarpBundle<NARROW_BYTES>(series, bundle, row, points);
}

#ifdef __x86_64__
[[gnu::target("avx2")]] void
WarpBundleAvx2(const Series& series, const double* bundle, double* row, size_t points)
{
    WarpBundle<WIDE_BYTES>(series, bundle, row, points);
}

[[gnu::target("avx2")]] double
WarpPairAvx2(Pair& pair)
{
    return pair.Warp<WIDE_BYTES>();
}

const bool HAS_AVX2 = __builtin_cpu_supports("avx2");
const auto WARP_BUNDLE = HAS_AVX2 ? WarpBundleAvx2 : WarpBundleOf16Bytes;
const auto WARP_PAIR = HAS_AVX2 ? WarpPairAvx2 : WarpPairOf16Bytes;
#else
// Vectors of 16 bytes are what any other 64-bit processor has too.
const auto WARP_BUNDLE = WarpBundleOf16Bytes;
const auto WARP_PAIR = WarpPairOf16Bytes;
#endif

} // namespace

double
Warp(const Series& one, const Series& other)
{
    Pair pair(one, other);
    return WARP_PAIR(pair);
}

Bundle::Values
Bundle::Allocate(size_t values)
{
    return Values(static_cast<double*>(::operator new[](values * sizeof(double), ALIGNMENT)));
}

Bundle::Bundle(size_t points, size_t channels)
    : m_points(points),
      m_channels(channels),
      m_values(Allocate(points * channels * LANES)),
      m_row(Allocate(points * LANES))
{
}

void
Bundle::Take(const double* values, size_t series)
{
    const auto size = m_points * m_channels;
    for (size_t lane = 0; lane < LANES; ++lane)
    {
        const auto* own = values + std::min(lane, series - 1) * size;
        for (size_t at = 0; at < size; ++at)
        {
            m_values[at * LANES + lane] = own[at];
        }
    }
}

const double*
Bundle::Warp(const Series& series)
{
    WARP_BUNDLE(series, m_values.get(), m_row.get(), m_points);
    return m_row.get() + (m_points - 1) * LANES;
}

} // namespace warping
