// SPDX-License-Identifier: MIT

#include "warp.h"

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <vector>

namespace py = pybind11;

namespace
{

using namespace warping;

using Array = py::array_t<double, py::array::c_style>;

// How many cells are filled before the interpreter may act on a signal: some tenths of a second.
constexpr size_t CELLS_PER_BLOCK = size_t{1} << 29;

/// Series of one length, one after another.
struct Set
{
    const double* values;
    size_t series;
    size_t points;
    size_t channels;

    Series operator[](size_t at) const
    {
        return {values + at * points * channels, points, channels};
    }
};

void
CheckValues(const Array& array)
{
    const auto* const first = array.data();
    if (!std::all_of(first, first + array.size(), [](double value) {
            return std::isfinite(value);
        }))
    {
        throw std::invalid_argument("a value is not a finite number");
    }
}

Series
SeriesOf(const Array& array)
{
    if (array.ndim() != 2 || array.shape(0) == 0 || array.shape(1) == 0)
    {
        throw std::invalid_argument("a series has the shape (points, channels), none of them 0");
    }
    CheckValues(array);
    return {array.data(), static_cast<size_t>(array.shape(0)), static_cast<size_t>(array.shape(1))};
}

Set
SetOf(const Array& array)
{
    if (array.ndim() != 3 || array.shape(1) == 0 || array.shape(2) == 0)
    {
        throw std::invalid_argument(
            "series have the shape (series, points, channels), points and channels not 0");
    }
    CheckValues(array);
    return {array.data(),
            static_cast<size_t>(array.shape(0)),
            static_cast<size_t>(array.shape(1)),
            static_cast<size_t>(array.shape(2))};
}

void
CheckChannels(size_t one, size_t other)
{
    if (one != other)
    {
        throw std::invalid_argument("the series differ in the number of channels");
    }
}

/// Let the interpreter act on a signal once in a while.
class Signals
{
  public:
    explicit Signals(size_t cellsPerSeries)
        : m_seriesPerBlock(std::max<size_t>(1, CELLS_PER_BLOCK / cellsPerSeries))
    {
    }

    /// Another series has been warped; the interpreter's lock is not held.
    void Count()
    {
        if (++m_series % m_seriesPerBlock == 0)
        {
            const py::gil_scoped_acquire held;
            if (PyErr_CheckSignals() != 0)
            {
                throw py::error_already_set();
            }
        }
    }

  private:
    size_t m_seriesPerBlock;
    size_t m_series{0};
};

double
Distance(const Array& a, const Array& b)
{
    const auto one = SeriesOf(a);
    const auto other = SeriesOf(b);
    CheckChannels(one.channels, other.channels);
    const py::gil_scoped_release released;
    return std::sqrt(Warp(one, other));
}

Array
Between(const Array& a, const Array& b)
{
    const auto ones = SetOf(a);
    const auto others = SetOf(b);
    CheckChannels(ones.channels, others.channels);
    Array found({ones.series, others.series});
    auto* const distances = found.mutable_data();
    const py::gil_scoped_release released;
    Bundle bundle(others.points, others.channels);
    Signals signals(LANES * ones.points * others.points);
    for (size_t first = 0; first < others.series; first += LANES)
    {
        const auto count = std::min(LANES, others.series - first);
        bundle.Take(others[first].values, count);
        for (size_t one = 0; one < ones.series; ++one)
        {
            const auto* const least = bundle.Warp(ones[one]);
            std::transform(least,
                           least + count,
                           distances + one * others.series + first,
                           [](double sum) { return std::sqrt(sum); });
            signals.Count();
        }
    }
    return found;
}

Array
Within(const Array& a)
{
    const auto set = SetOf(a);
    Array found({set.series, set.series});
    auto* const distances = found.mutable_data();
    const py::gil_scoped_release released;
    Bundle bundle(set.points, set.channels);
    Signals signals(LANES * set.points * set.points);
    for (size_t first = 0; first < set.series; first += LANES)
    {
        const auto count = std::min(LANES, set.series - first);
        bundle.Take(set[first].values, count);
        // The other half is this one's mirror image.
        for (size_t one = 0; one < first + count; ++one)
        {
            const auto* const least = bundle.Warp(set[one]);
            for (size_t lane = 0; lane < count; ++lane)
            {
                const auto other = first + lane;
                distances[one * set.series + other] = distances[other * set.series + one] =
                    std::sqrt(least[lane]);
            }
            signals.Count();
        }
    }
    return found;
}

} // namespace

PYBIND11_MODULE(time_warping, module)
{
    module.doc() = "Distances of series after dynamic time warping.";
    module.def("distance", Distance, py::arg("a"), py::arg("b"));
    module.def("distances_between", Between, py::arg("a"), py::arg("b"));
    module.def("distances_within", Within, py::arg("a"));
}
