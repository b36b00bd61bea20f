// SPDX-License-Identifier: MIT

#include "features.h"
#include "sampling.h"

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <stdexcept>
#include <variant>
#include <vector>

namespace py = pybind11;

namespace
{

using namespace windows;

template <typename Value>
using Array = py::array_t<Value, py::array::c_style>;

template <typename Value>
std::span<const Value>
ViewOf(const Array<Value>& array)
{
    if (array.ndim() != 1)
    {
        throw std::invalid_argument("a series has one dimension");
    }
    return {array.data(), static_cast<size_t>(array.size())};
}

void
CheckSizes(size_t one, size_t other)
{
    if (one != other)
    {
        throw std::invalid_argument("the series differ in length");
    }
}

void
CheckFinite(std::span<const double> values)
{
    if (!std::all_of(values.begin(), values.end(), [](double value) {
            return std::isfinite(value);
        }))
    {
        throw std::invalid_argument("a value is not a finite number");
    }
}

Subflow
SubflowOf(const Array<int64_t>& rttUs,
          const Array<bool>& congested,
          const Array<int64_t>& ackedBytes,
          const Array<double>& rateMbitS,
          int64_t minRttUs,
          size_t points)
{
    const Subflow own{ViewOf(rttUs),
                      ViewOf(congested),
                      ViewOf(ackedBytes),
                      ViewOf(rateMbitS),
                      minRttUs};
    for (const auto size : {own.rttUs.size(),
                            own.congested.size(),
                            own.ackedBytes.size(),
                            own.rateMbitS.size()})
    {
        CheckSizes(size, points);
    }
    CheckFinite(own.rateMbitS);
    return own;
}

py::object
Features(const Array<int64_t>& rttAUs,
         const Array<int64_t>& rttBUs,
         const Array<bool>& congestedA,
         const Array<bool>& congestedB,
         const Array<int64_t>& ackedABytes,
         const Array<int64_t>& ackedBBytes,
         const Array<double>& rateAMbitS,
         const Array<double>& rateBMbitS,
         int64_t minRttAUs,
         int64_t minRttBUs,
         size_t rttSteps)
{
    const auto points = static_cast<size_t>(rttAUs.size());
    if (points == 0)
    {
        throw std::invalid_argument("the series are empty");
    }
    const auto a = SubflowOf(rttAUs, congestedA, ackedABytes, rateAMbitS, minRttAUs, points);
    const auto b = SubflowOf(rttBUs, congestedB, ackedBBytes, rateBMbitS, minRttBUs, points);
    const auto found = FeaturesOf(a, b, rttSteps);
    if (!found)
    {
        return py::none();
    }
    py::dict features;
    for (const auto& [name, value] : *found)
    {
        features[name] = std::visit([](auto own) { return py::cast(own); }, value);
    }
    return features;
}

Array<int64_t>
Interpolated(const Array<int64_t>& timeNs,
             const Array<int64_t>& values,
             const Array<int64_t>& atNs)
{
    const auto times = ViewOf(timeNs);
    if (times.empty())
    {
        throw std::invalid_argument("time_ns is empty: there is nothing to interpolate between");
    }
    CheckSizes(times.size(), ViewOf(values).size());
    Array<int64_t> found(atNs.size());
    const std::span<int64_t> own(found.mutable_data(), static_cast<size_t>(found.size()));
    Interpolate(times, ViewOf(values), ViewOf(atNs), own);
    return found;
}

template <typename Value>
Array<Value>
Copied(const std::vector<Value>& values)
{
    return Array<Value>(static_cast<py::ssize_t>(values.size()), values.data());
}

py::tuple
RatesBetween(const Array<int64_t>& timeNs, const Array<int64_t>& ackedBytes)
{
    const auto times = ViewOf(timeNs);
    CheckSizes(times.size(), ViewOf(ackedBytes).size());
    const auto rates = RatesOf(times, ViewOf(ackedBytes));
    return py::make_tuple(Copied(rates.timeNs), Copied(rates.mbitS));
}

Array<double>
Smoothed(const Array<double>& values, double weight)
{
    if (!(weight > 0 && weight <= 1))
    {
        throw std::invalid_argument("the weight is not above 0 and at most 1");
    }
    const auto own = ViewOf(values);
    CheckFinite(own);
    Array<double> found(values.size());
    Smooth(own, weight, {found.mutable_data(), own.size()});
    return found;
}

} // namespace

PYBIND11_MODULE(window_features, module)
{
    module.doc() = "Features of a window, all at once, and what its series are made by.";
    module.def("features",
               Features,
               py::arg("rtt_a_us"),
               py::arg("rtt_b_us"),
               py::arg("congested_a"),
               py::arg("congested_b"),
               py::arg("acked_a_bytes"),
               py::arg("acked_b_bytes"),
               py::arg("rate_a_mbit_s"),
               py::arg("rate_b_mbit_s"),
               py::arg("min_rtt_a_us"),
               py::arg("min_rtt_b_us"),
               py::arg("rtt_steps"));
    module.def("interpolated",
               Interpolated,
               py::arg("time_ns"),
               py::arg("values"),
               py::arg("at_ns"));
    module.def("rates", RatesBetween, py::arg("time_ns"), py::arg("acked_bytes"));
    module.def("smoothed", Smoothed, py::arg("values"), py::arg("weight"));
}
