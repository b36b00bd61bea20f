// SPDX-License-Identifier: MIT
//
// The library that warps series, on series made of any bytes, beside the definition in plain loops.
// Its sums are promised to the last bit; one that differs ends the program.

// All of it, so that what is compiled for either kind of processor is called.
#include "warp.cc"

#include "holds.h"

#include <cmath>
#include <cstdint>

using namespace warping;

namespace
{

constexpr size_t MOST_POINTS = 24;
constexpr size_t MOST_CHANNELS = 3;
/// Points of one series, points of the others, channels, how many others.
constexpr size_t HEAD_BYTES = 4;

/// Numbers that bytes stand for: small whole ones, or any that are finite.
class Numbers
{
  public:
    Numbers(const uint8_t* bytes, size_t size)
        : m_bytes(bytes),
          m_size(size)
    {
    }

    std::vector<double> Take(size_t count)
    {
        std::vector<double> found(count);
        for (auto& value : found)
        {
            value = Next();
        }
        return found;
    }

  private:
    double Next()
    {
        if (m_at >= m_size)
        {
            return static_cast<double>(m_at++ % 7);
        }
        const auto kind = m_bytes[m_at++];
        double value = kind - 128.0;
        if (kind % 4 == 0 && m_at + sizeof value <= m_size)
        {
            std::memcpy(&value, m_bytes + m_at, sizeof value);
            m_at += sizeof value;
        }
        // The module refuses what is not.
        return std::isfinite(value) ? value : kind;
    }

    const uint8_t* m_bytes;
    size_t m_size;
    size_t m_at{0};
};

/// The definition: the cost of a cell, and the least of the three cells before it.
double
Defined(const Series& one, const Series& other)
{
    std::vector<double> cells((one.points + 1) * (other.points + 1), INFINITE);
    const auto width = other.points + 1;
    cells[0] = 0;
    for (size_t i = 0; i < one.points; ++i)
    {
        for (size_t j = 0; j < other.points; ++j)
        {
            double cost = 0;
            for (size_t channel = 0; channel < one.channels; ++channel)
            {
                const auto difference = one.values[i * one.channels + channel] -
                                        other.values[j * one.channels + channel];
                cost = cost + difference * difference;
            }
            const auto* above = &cells[i * width + j];
            const auto* own = &cells[(i + 1) * width + j];
            cells[(i + 1) * width + j + 1] = cost + std::min({above[0], above[1], own[0]});
        }
    }
    return cells.back();
}

bool
IsSame(double one, double other)
{
    return std::memcmp(&one, &other, sizeof one) == 0;
}

} // namespace

extern "C"
{

/// Called with bytes of their exact number; 0 if they are too few, else 1.
int
TryWarping(const uint8_t* bytes, size_t size)
{
    if (size < HEAD_BYTES)
    {
        return 0;
    }
    const auto points = 1 + bytes[0] % MOST_POINTS;
    const auto otherPoints = 1 + bytes[1] % MOST_POINTS;
    const auto channels = 1 + bytes[2] % MOST_CHANNELS;
    const auto others = 1 + bytes[3] % LANES;
    Numbers numbers(bytes + HEAD_BYTES, size - HEAD_BYTES);
    const auto values = numbers.Take(points * channels);
    const auto otherValues = numbers.Take(others * otherPoints * channels);
    const Series one{values.data(), points, channels};
    Bundle bundle(otherPoints, channels);
    bundle.Take(otherValues.data(), others);
    const auto* sums = bundle.Warp(one);
    const std::vector<double> found(sums, sums + LANES);
    std::vector<double> lanes(otherPoints * channels * LANES);
    std::vector<double> row(otherPoints * LANES);
    for (size_t lane = 0; lane < LANES; ++lane)
    {
        const auto* own = &otherValues[std::min(lane, others - 1) * otherPoints * channels];
        const Series other{own, otherPoints, channels};
        const auto least = Defined(one, other);
        HOLDS(!(least < 0) && !std::isnan(least) && IsSame(found[lane], least));
        HOLDS(IsSame(Warp(one, other), least) && IsSame(Warp(other, one), least));
        Pair pair(one, other);
        HOLDS(IsSame(WarpPairOf16Bytes(pair), least));
        for (size_t at = 0; at < otherPoints * channels; ++at)
        {
            lanes[at * LANES + lane] = own[at];
        }
    }
    // What a processor without AVX2 runs; its vectors are aligned by new, to 16 bytes.
    WarpBundleOf16Bytes(one, lanes.data(), row.data(), otherPoints);
    HOLDS(std::equal(found.begin(), found.end(), row.end() - LANES, IsSame));
    return 1;
}

#ifdef TRY

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size)
{
    return TRY(bytes, size) ? 0 : -1;
}

#endif

} // extern "C"
