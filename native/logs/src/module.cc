// SPDX-License-Identifier: MIT

#include "event-lines.h"
#include "probe-lines.h"
#include "rows.h"
#include "state-lines.h"

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <stdexcept>
#include <tuple>

namespace py = pybind11;

namespace
{

using namespace logs;

using Numbers = py::array_t<int64_t, py::array::c_style>;

/// How many events ahead are fetched into the cache.
constexpr size_t PREFETCHED = 16;

constexpr std::array LOSS_KINDS{"fast", "rto", "tlp"};

template <class Value>
py::bytes
Bytes(const std::vector<Value>& values)
{
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Value)};
}

/// Append numbers to an array of Python's.
void
Extend(const py::object& array, const std::vector<int64_t>& values)
{
    if (!values.empty())
    {
        const auto view = py::memoryview::from_memory(
            static_cast<const void*>(values.data()),
            static_cast<py::ssize_t>(values.size() * sizeof(int64_t)));
        array.attr("frombytes")(view);
        view.attr("release")();
    }
}

/// @return One column of rows.
py::bytes
Column(const std::vector<AckRow>& rows, size_t column)
{
    auto found = py::reinterpret_steal<py::bytes>(
        PyBytes_FromStringAndSize(nullptr,
                                  static_cast<py::ssize_t>(rows.size() * sizeof(int64_t))));
    if (!found)
    {
        throw py::error_already_set();
    }
    auto* to = PyBytes_AS_STRING(found.ptr());
    for (const auto& row : rows)
    {
        std::memcpy(to, &row[column], sizeof(int64_t));
        to += sizeof(int64_t);
    }
    return found;
}

/// The 64-bit numbers of an array of Python's, which cannot change in length meanwhile.
class Borrowed
{
  public:
    explicit Borrowed(const py::object& numbers)
    {
        if (PyObject_GetBuffer(numbers.ptr(), &m_view, PyBUF_WRITABLE | PyBUF_FORMAT) != 0)
        {
            throw py::error_already_set();
        }
        if (m_view.itemsize != sizeof(int64_t) || std::string_view(m_view.format) != "q")
        {
            PyBuffer_Release(&m_view);
            throw std::invalid_argument("times are an array of the type q");
        }
    }

    ~Borrowed()
    {
        PyBuffer_Release(&m_view);
    }

    Borrowed(const Borrowed&) = delete;
    Borrowed& operator=(const Borrowed&) = delete;

    std::span<int64_t> Get() const
    {
        return {static_cast<int64_t*>(m_view.buf),
                static_cast<size_t>(m_view.len) / sizeof(int64_t)};
    }

  private:
    Py_buffer m_view;
};

size_t
Take(LineReader& reader,
     const py::bytes& content,
     size_t start,
     size_t end,
     const py::object& endNs,
     const py::object& timeNs,
     const py::object& value,
     const py::object& of)
{
    const auto lines = std::string_view(content).substr(0, end);
    const auto next = reader.Take(lines, start, Borrowed(endNs).Get());
    const auto& events = reader.Taken();
    Extend(timeNs, events.timeNs);
    Extend(value, events.value);
    Extend(of, events.of);
    return next;
}

/// Name, kind (None: no table holds it), least and largest value, and what counts in its place.
using PythonKind = std::tuple<std::string,
                              std::optional<std::string>,
                              int64_t,
                              int64_t,
                              std::optional<int64_t>>;

NamedKinds
KindsOf(const std::vector<PythonKind>& kinds)
{
    std::vector<NamedKind> found;
    for (const auto& [name, kind, least, most, one] : kinds)
    {
        NamedKind named{name, {}, least, most, one};
        if (kind)
        {
            const auto* const at = std::find(KIND_NAMES.begin(), KIND_NAMES.end(), *kind);
            if (at == KIND_NAMES.end())
            {
                throw std::invalid_argument("there is no kind " + *kind);
            }
            named.kind = static_cast<Kind>(at - KIND_NAMES.begin());
        }
        found.push_back(std::move(named));
    }
    return NamedKinds(std::move(found));
}

template <class Lines>
py::dict
Unused(const Lines& lines)
{
    py::dict found;
    for (const auto& one : lines.Kinds().All())
    {
        if (one.unused > 0)
        {
            found[py::str(one.name)] = one.unused;
        }
    }
    return found;
}

/// Build the rows of the events at some places.
py::tuple
RowsOf(const Numbers& own, const Numbers& timeNs, const Numbers& value, const Numbers& of)
{
    if (own.ndim() != 1 || timeNs.ndim() != 1 || value.ndim() != 1 || of.ndim() != 1 ||
        timeNs.size() != value.size() || timeNs.size() != of.size())
    {
        throw std::invalid_argument("columns of events are of the same length");
    }
    Rows rows;
    const auto* const times = timeNs.data();
    const auto* const values = value.data();
    const auto* const ofs = of.data();
    const auto events = timeNs.size();
    const std::span places(own.data(), static_cast<size_t>(own.size()));
    for (size_t place = 0; place < places.size(); ++place)
    {
        const auto at = places[place];
        // Those of other subflows stand between: each is in a part of memory of its own.
        if (place + PREFETCHED < places.size())
        {
            const auto ahead = places[place + PREFETCHED];
            if (ahead >= 0 && ahead < events)
            {
                __builtin_prefetch(times + ahead);
                __builtin_prefetch(values + ahead);
                __builtin_prefetch(ofs + ahead);
            }
        }
        if (at < 0 || at >= events)
        {
            throw std::invalid_argument("there is no such event");
        }
        const auto kind = ofs[at] & (MOST_KINDS - 1);
        if (kind >= static_cast<int64_t>(Kind::COUNT))
        {
            throw std::invalid_argument("there is no such kind");
        }
        rows.Take(times[at], static_cast<Kind>(kind), values[at]);
    }
    rows.Flush();
    py::tuple acks(ACK_COLUMNS);
    for (size_t column = 0; column < ACK_COLUMNS; ++column)
    {
        acks[column] = Column(rows.Acks(), column);
    }
    py::list lossKinds;
    for (const auto kind : rows.lossKinds)
    {
        lossKinds.append(LOSS_KINDS[static_cast<size_t>(kind)]);
    }
    return py::make_tuple(acks,
                          py::make_tuple(Bytes(rows.stateTimeNs), Bytes(rows.caStates)),
                          py::make_tuple(Bytes(rows.lossTimeNs),
                                         Bytes(rows.lossPackets),
                                         lossKinds),
                          rows.retransmissions);
}

} // namespace

PYBIND11_MODULE(log_reading, module)
{
    module.doc() = "Logs of a sender, from lines to the events and rows of each subflow.";
    module.attr("KINDS") = py::cast(std::vector<std::string>(KIND_NAMES.begin(), KIND_NAMES.end()));
    module.attr("MOST_KINDS") = MOST_KINDS;
    module.attr("MAX_TIME_NS") = LineReader::MAX_TIME_NS;
    module.attr("MOST_SRTT_US") = ProbeLines::MOST_SRTT_US;
    module.def("rows", RowsOf, py::arg("own"), py::arg("time_ns"), py::arg("value"), py::arg("of"));
    py::class_<LineReader>(module, "LineReader")
        .def("take",
             Take,
             py::arg("content"),
             py::arg("start"),
             py::arg("end"),
             py::arg("end_ns"),
             py::arg("time_ns"),
             py::arg("value"),
             py::arg("of"))
        .def_property_readonly("records", &LineReader::Records)
        .def_property_readonly("other_lines", &LineReader::OtherLines);
    py::class_<EventLines, LineReader>(module, "EventLines")
        .def(py::init(
                 [](const std::vector<PythonKind>& kinds) { return EventLines(KindsOf(kinds)); }),
             py::arg("kinds"))
        .def("learn",
             &EventLines::Learn,
             py::arg("token"),
             py::arg("subflow_id"),
             py::arg("number"))
        .def_property_readonly("unused", Unused<EventLines>);
    py::class_<KernelLines, EventLines>(module, "KernelLines")
        .def(py::init([](const std::vector<PythonKind>& kinds, size_t longestBytes) {
                 return KernelLines(KindsOf(kinds), longestBytes);
             }),
             py::arg("kinds"),
             py::arg("longest_bytes"))
        .def_property(
            "sequence",
            [](const KernelLines& lines) -> std::optional<int64_t> {
                const auto sequence = lines.Sequence();
                return sequence == KernelLines::NO_SEQUENCE ? std::nullopt
                                                            : std::optional(sequence);
            },
            [](KernelLines& lines, std::optional<int64_t> sequence) {
                lines.SetSequence(sequence.value_or(KernelLines::NO_SEQUENCE));
            });
    py::class_<StateLines, LineReader>(module, "StateLines")
        .def(py::init(
                 [](const std::vector<PythonKind>& kinds) { return StateLines(KindsOf(kinds)); }),
             py::arg("kinds"))
        .def("learn", &StateLines::Learn, py::arg("subflow_id"), py::arg("number"))
        .def_property_readonly("unused", Unused<StateLines>);
    py::class_<ProbeLines, LineReader>(module, "ProbeLines")
        .def(py::init<bool, int64_t, size_t>(),
             py::arg("is_traced"),
             py::arg("srtt_unit_us"),
             py::arg("longest_bytes"))
        .def("learn", &ProbeLines::Learn, py::arg("ends"), py::arg("number"));
}
