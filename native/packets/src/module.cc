// SPDX-License-Identifier: MIT

/// The Python module packet_recording; native/packet_recording.pyi says what is in it.

#include "free-memory.h"
#include "grouping.h"
#include "recording.h"
#include "way-back.h"

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <utility>
#include <vector>

namespace py = pybind11;
using namespace packets;

namespace
{

/// No connection has sent so much: a data acknowledgement beyond is none of this connection's.
constexpr int64_t MAX_DATA_ACK = int64_t{1} << 62;

using Column = py::array_t<int64_t>;

Column
NewColumn(size_t rows)
{
    return Column(static_cast<py::ssize_t>(rows));
}

/// The parts of an end's rows: last chunk, bytes, number of rows.
py::list
ReadParts(int fd, int64_t base, int64_t last, int64_t records)
{
    py::list found;
    for (const auto& one : Spool::Read<AckPart>({fd, base}, {last, records}))
    {
        found.append(py::make_tuple(one.last, one.bytes, one.rows));
    }
    return found;
}

/// Which rows of a capture are asked for.
struct AckSource
{
    int64_t base; //!< Where the capture's spool begins
    int64_t partsLast;
    int64_t parts;
    int64_t rows;
    int64_t vantage;
    /// Data-level bytes acknowledged by the first data acknowledgement, NOT_OBSERVED if unknown.
    int64_t ackedBefore;
};

/// Rows of the table of ACKs, of one end or several.
class AckTable
{
  public:
    /// @param most There will not be more.
    explicit AckTable(int64_t most)
        : m_most(most)
    {
        for (auto& one : m_to)
        {
            one = m_columns.emplace_back(NewColumn(static_cast<size_t>(most))).mutable_data();
        }
    }

    /**
     * Append the rows of one part; `matchedUs` is the last RTT by what is acknowledged, of the
     * parts before too.
     */
    void Append(const Spool::Place& place,
                const AckPart& part,
                Vantage vantage,
                int64_t ackedBefore,
                int64_t& matchedUs)
    {
        if (part.rows < 0 || part.rows > m_most - m_read || part.bytes < 0 ||
            part.bytes > part.rows * AckRows::MAX_ROW_BYTES)
        {
            throw SpoolError("the spool is broken", EIO);
        }
        m_read += part.rows;
        AckRows::Reader rows(place, {part.last, part.bytes});
        const bool isNear = vantage == Vantage::Sender;
        for (int64_t number = 0; number < part.rows; ++number)
        {
            const auto row = rows.Next();
            if (isNear && !row.isAck)
            {
                continue;
            }
            auto rttUs = NOT_OBSERVED;
            if (isNear)
            {
                rttUs = row.rttUs;
            }
            else if (!row.isAck && vantage == Vantage::Receiver)
            {
                rttUs = row.rttUs;
            }
            else if (!row.isAck && matchedUs != NOT_OBSERVED)
            {
                // Half-way: there and back on either side.
                rttUs = row.rttUs + matchedUs;
            }
            if (row.isAck && row.rttUs != NOT_OBSERVED)
            {
                matchedUs = row.rttUs;
            }
            auto dataAck = NOT_OBSERVED;
            if (row.dataAck != NOT_OBSERVED && ackedBefore != NOT_OBSERVED)
            {
                const auto sum = static_cast<__int128>(row.dataAck) + ackedBefore;
                dataAck = sum >= 0 && sum < MAX_DATA_ACK ? static_cast<int64_t>(sum) : NOT_OBSERVED;
            }
            m_to[0][m_rows] = row.timeNs;
            m_to[1][m_rows] = row.ackedBytes;
            m_to[2][m_rows] = rttUs;
            m_to[3][m_rows] = row.isAck ? int64_t{row.isDup} : NOT_OBSERVED;
            m_to[4][m_rows] = row.isAck ? row.newlySackedBytes : NOT_OBSERVED;
            m_to[5][m_rows] = row.isAck ? int64_t{row.ece} : NOT_OBSERVED;
            m_to[6][m_rows] = dataAck;
            m_to[TSVAL][m_rows] = isNear ? row.tsval : NOT_OBSERVED;
            ++m_rows;
            if (rttUs != NOT_OBSERVED)
            {
                m_shortestUs = m_shortestUs == NOT_OBSERVED ? rttUs : std::min(m_shortestUs, rttUs);
            }
        }
        if (!rows.IsAtEnd())
        {
            throw SpoolError("the spool is broken", EIO);
        }
    }

    /// Give the timestamps in the rows from one on, which are those of one end, to an estimate.
    void FitWayBack(int64_t from, WayBackFit& fit) const
    {
        for (auto row = from; row < m_rows; ++row)
        {
            if (m_to[TSVAL][row] != NOT_OBSERVED)
            {
                fit.Take(m_to[0][row], static_cast<uint32_t>(m_to[TSVAL][row]));
            }
        }
    }

    /// Put delays in the place of the timestamps in the rows from one on.
    void SetDelays(int64_t from, const WayBack& wayBack)
    {
        for (auto row = from; row < m_rows; ++row)
        {
            auto& cell = m_to[TSVAL][row];
            if (cell != NOT_OBSERVED)
            {
                cell = wayBack.GetDelay(m_to[0][row], m_to[2][row], static_cast<uint32_t>(cell));
            }
        }
    }

    int64_t GetRows() const
    {
        return m_rows;
    }

    /// @return The shortest RTT appended since this was asked last, NOT_OBSERVED if there was none.
    int64_t TakeShortest()
    {
        return std::exchange(m_shortestUs, NOT_OBSERVED);
    }

    py::tuple Columns()
    {
        py::tuple table(COLUMNS);
        for (size_t i = 0; i < COLUMNS; ++i)
        {
            m_columns[i].resize({static_cast<py::ssize_t>(m_rows)}, false);
            table[i] = m_columns[i];
        }
        return table;
    }

  private:
    static constexpr size_t TSVAL = 7; //!< Until delays are put there
    static constexpr size_t COLUMNS = 8;

    std::vector<Column> m_columns;
    int64_t* m_to[COLUMNS];
    int64_t m_most;
    int64_t m_read{0};
    int64_t m_rows{0};
    int64_t m_shortestUs{NOT_OBSERVED};
};

/**
 * Turn the rows of some ends into those of a table, one end after the other.
 *
 * @param fd The file their spools are in.
 * @param sources The ends.
 * @return The columns; for each end, how many rows it has and its shortest RTT.
 */
py::tuple
ReadAcks(int fd, const py::array_t<AckSource, py::array::c_style>& sources)
{
    const auto count = static_cast<size_t>(sources.size());
    const auto* const first = sources.data();
    int64_t most = 0;
    for (const auto* source = first; source != first + count; ++source)
    {
        if (source->rows < 0 || source->rows > MAX_ROWS_AT_ONCE ||
            (most += source->rows) > MAX_ROWS_AT_ONCE)
        {
            throw py::value_error("more rows than are read at once");
        }
    }
    AckTable table(most);
    auto lengths = NewColumn(count);
    auto shortestUs = NewColumn(count);
    auto* const lengthsTo = lengths.mutable_data();
    auto* const shortestTo = shortestUs.mutable_data();
    {
        const py::gil_scoped_release released;
        for (size_t i = 0; i < count; ++i)
        {
            const auto& source = first[i];
            const Spool::Place place{fd, source.base};
            const auto before = table.GetRows();
            auto matchedUs = NOT_OBSERVED;
            auto left = source.rows;
            for (const auto& part : Spool::Read<AckPart>(place, {source.partsLast, source.parts}))
            {
                table.Append(place,
                             part,
                             static_cast<Vantage>(source.vantage),
                             source.ackedBefore,
                             matchedUs);
                left -= part.rows;
            }
            if (left != 0)
            {
                throw SpoolError("the spool is broken", EIO);
            }
            WayBackFit fit;
            table.FitWayBack(before, fit);
            table.SetDelays(before, fit.Get());
            lengthsTo[i] = table.GetRows() - before;
            shortestTo[i] = table.TakeShortest();
        }
    }
    return py::make_tuple(table.Columns(), lengths, shortestUs);
}

/**
 * Look through the rows of an end, for what their delays take from all of them.
 *
 * @param fd The file its spool is in.
 * @param base Where it begins.
 * @param last Where the parts of its rows are listed.
 * @param records How many parts.
 * @param vantage Where they were captured.
 * @return The shortest RTT, NOT_OBSERVED if there is none, and the way back.
 */
py::tuple
SurveyAcks(int fd, int64_t base, int64_t last, int64_t records, Vantage vantage)
{
    const Spool::Place place{fd, base};
    WayBackFit fit;
    auto shortestUs = NOT_OBSERVED;
    auto matchedUs = NOT_OBSERVED;
    for (const auto& part : Spool::Read<AckPart>(place, {last, records}))
    {
        AckTable table(std::clamp<int64_t>(part.rows, 0, PART_ROWS));
        const py::gil_scoped_release released;
        table.Append(place, part, vantage, NOT_OBSERVED, matchedUs);
        table.FitWayBack(0, fit);
        const auto ownUs = table.TakeShortest();
        if (ownUs != NOT_OBSERVED)
        {
            shortestUs = shortestUs == NOT_OBSERVED ? ownUs : std::min(shortestUs, ownUs);
        }
    }
    return py::make_tuple(shortestUs, fit.Get());
}

/**
 * Turn one part of the rows of an end into those of a table.
 *
 * @param fd The file its spool is in.
 * @param base Where it begins.
 * @param last Place of the part's last chunk.
 * @param bytes How many bytes it has.
 * @param rows How many rows.
 * @param vantage Where they were captured.
 * @param ackedBefore As AckSource has it.
 * @param wayBack Of all its parts, by SurveyAcks.
 * @param matchedUs Last RTT by what is acknowledged in the parts before, or NOT_OBSERVED.
 * @return The columns, and that RTT for the part that follows.
 */
py::tuple
ReadAckPart(int fd,
            int64_t base,
            int64_t last,
            int64_t bytes,
            int64_t rows,
            Vantage vantage,
            int64_t ackedBefore,
            const WayBack& wayBack,
            int64_t matchedUs)
{
    AckTable table(std::clamp<int64_t>(rows, 0, PART_ROWS));
    {
        const py::gil_scoped_release released;
        table.Append({fd, base}, {last, bytes, rows}, vantage, ackedBefore, matchedUs);
        table.SetDelays(0, wayBack);
    }
    return py::make_tuple(table.Columns(), matchedUs);
}

/// Which rows of an end that are in one chain are asked for.
struct ChainSource
{
    int64_t base; //!< Where the capture's spool begins
    int64_t last;
    int64_t records;
};

using ChainSources = py::array_t<ChainSource, py::array::c_style>;

/**
 * Read the chains of some ends.
 *
 * @param fd The file their spools are in.
 * @param sources The ends.
 * @return The rows, one end after the other.
 */
template <class Row>
std::vector<Row>
ReadChains(int fd, const ChainSources& sources)
{
    const auto count = static_cast<size_t>(sources.size());
    const auto* const first = sources.data();
    const py::gil_scoped_release released;
    std::vector<Row> rows;
    for (const auto* source = first; source != first + count; ++source)
    {
        if (source->records > 0)
        {
            const auto own = Spool::Read<Row>({fd, source->base}, {source->last, source->records});
            rows.insert(rows.end(), own.begin(), own.end());
        }
    }
    return rows;
}

/// Changes of state of some ends, one end after the other: times and states.
py::tuple
ReadStates(int fd, const ChainSources& sources)
{
    const auto rows = ReadChains<StateRow>(fd, sources);
    auto times = NewColumn(rows.size());
    auto states = NewColumn(rows.size());
    for (size_t i = 0; i < rows.size(); ++i)
    {
        times.mutable_data()[i] = rows[i].timeNs;
        states.mutable_data()[i] = static_cast<int64_t>(rows[i].state);
    }
    return py::make_tuple(times, states);
}

/// Loss events of some ends, one end after the other: times, kinds and packets.
py::tuple
ReadLosses(int fd, const ChainSources& sources)
{
    const auto rows = ReadChains<LossRow>(fd, sources);
    auto times = NewColumn(rows.size());
    auto kinds = NewColumn(rows.size());
    auto packetCounts = NewColumn(rows.size());
    for (size_t i = 0; i < rows.size(); ++i)
    {
        times.mutable_data()[i] = rows[i].timeNs;
        kinds.mutable_data()[i] = static_cast<int64_t>(rows[i].kind);
        packetCounts.mutable_data()[i] = rows[i].packets;
    }
    return py::make_tuple(times, kinds, packetCounts);
}

/// Places and lengths of the chunks of a chain, the first first.
py::list
Chunks(int fd, int64_t base, int64_t last)
{
    py::list places;
    for (const auto& chunk : Spool::Chunks({fd, base}, last))
    {
        places.append(py::make_tuple(chunk.last, chunk.records));
    }
    return places;
}

/// Refused records of one chunk: offset, verdict, the two numbers that go with it, first bytes.
py::list
ReadRefusals(int fd, int64_t base, int64_t place, int64_t records)
{
    py::list found;
    for (const auto& one : Spool::ReadChunk<Refusal>({fd, base}, {place, records}))
    {
        found.append(
            py::make_tuple(one.offset,
                           static_cast<int>(one.verdict),
                           one.first,
                           one.second,
                           py::bytes(reinterpret_cast<const char*>(one.raw), one.rawBytes)));
    }
    return found;
}

/// Elements as an array of their own.
template <class Element>
py::array_t<Element>
ArrayOf(std::vector<Element>&& elements)
{
    auto* const own = new std::vector<Element>(std::move(elements));
    const py::capsule owner(own, [](void* one) { delete static_cast<std::vector<Element>*>(one); });
    return py::array_t<Element>(static_cast<py::ssize_t>(own->size()), own->data(), owner);
}

/// Segments listed since this was asked last.
py::array
TakeListed(Recording& recording)
{
    return ArrayOf(recording.TakeListed());
}

py::array
Flows(const Recording& recording)
{
    return ArrayOf(std::vector(recording.GetFlows()));
}

using FlowSummaries = py::array_t<FlowSummary, py::array::c_style>;
using TokensOfFlows = py::array_t<FlowTokens, py::array::c_style>;

/// Connections, their members, the captures they are in, all flows, and counts of each capture.
py::tuple
Group(const py::list& captures, size_t mostSubflows)
{
    // Held until all are grouped.
    std::vector<std::pair<FlowSummaries, TokensOfFlows>> held;
    for (const auto& capture : captures)
    {
        held.push_back(capture.cast<std::pair<FlowSummaries, TokensOfFlows>>());
    }
    Grouped found;
    {
        const py::gil_scoped_release released;
        Grouping grouping(mostSubflows);
        for (const auto& [flows, tokens] : held)
        {
            if (flows.ndim() != 1 || tokens.ndim() != 1 || flows.size() != tokens.size())
            {
                throw py::value_error("flows and tokens are not as many");
            }
            grouping.Add(flows.data(), tokens.data(), static_cast<size_t>(flows.size()));
        }
        found = grouping.Finish();
    }
    ReturnMemory();
    return py::make_tuple(ArrayOf(std::move(found.connections)),
                          ArrayOf(std::move(found.members)),
                          ArrayOf(std::move(found.links)),
                          ArrayOf(std::move(found.flows)),
                          ArrayOf(std::move(found.counts)));
}

py::list
Verdicts(const Recording& recording)
{
    py::list counts;
    for (const auto count : recording.GetVerdicts())
    {
        counts.append(count);
    }
    return counts;
}

bool
Feed(Recording& recording, const py::buffer& block)
{
    const auto view = block.request();
    if (view.itemsize != 1 || view.ndim != 1)
    {
        throw py::value_error("a block is a run of bytes");
    }
    const py::gil_scoped_release released;
    return recording.Feed(static_cast<const uint8_t*>(view.ptr), static_cast<size_t>(view.size));
}

} // namespace

PYBIND11_MODULE(packet_recording, module)
{
    PYBIND11_NUMPY_DTYPE(AckSource, base, partsLast, parts, rows, vantage, ackedBefore);
    PYBIND11_NUMPY_DTYPE(SenderSummary,
                         payloadBytes,
                         resentSegments,
                         shortestNs,
                         firstDataAck,
                         rows,
                         partsLast,
                         statesLast,
                         states,
                         lossesLast,
                         losses,
                         parts,
                         implausible,
                         forgotten,
                         firstDataAckBits);
    PYBIND11_NUMPY_DTYPE(FlowSummary,
                         number,
                         startNs,
                         endNs,
                         segments,
                         firstSyn,
                         joinToken,
                         address,
                         key,
                         signals,
                         port,
                         addressId,
                         family,
                         version,
                         hasKey,
                         reset,
                         isAnswered,
                         isBackup,
                         plain,
                         left,
                         senders);
    PYBIND11_NUMPY_DTYPE(ChainSource, base, last, records);
    PYBIND11_NUMPY_DTYPE(FlowTokens, token, firstData);
    PYBIND11_NUMPY_DTYPE(GroupedConnection,
                         place,
                         firstMember,
                         members,
                         capture,
                         sender,
                         version,
                         token,
                         hasFirstData,
                         firstData);
    PYBIND11_NUMPY_DTYPE(GroupedMember, capture, flow, end, vantage, address);
    PYBIND11_NUMPY_DTYPE(GroupedLink, connection, capture, vantage);
    PYBIND11_NUMPY_DTYPE(GroupedFlow, place, subflow, capture);
    PYBIND11_NUMPY_DTYPE(GroupedCounts,
                         segments,
                         elsewhere,
                         beyond,
                         implausible,
                         forgotten,
                         signals);
    PYBIND11_NUMPY_DTYPE(ListedSegment,
                         flow,
                         timeNs,
                         dataSeq,
                         dataAck,
                         seq,
                         ack,
                         payloadBytes,
                         subflowSeq,
                         dataBytes,
                         resent,
                         window,
                         subtypes,
                         repeated,
                         detail,
                         end,
                         flags,
                         dataAckBits,
                         mappingBits,
                         isDataFin,
                         isMappingCut,
                         windowScale);
    py::register_exception_translator([](std::exception_ptr thrown) {
        try
        {
            if (thrown)
            {
                std::rethrow_exception(thrown);
            }
        }
        catch (const SpoolError& error)
        {
            errno = error.error;
            PyErr_SetFromErrno(PyExc_OSError);
        }
    });

    py::class_<Recording>(module, "Recording")
        .def(py::init([](int fd,
                         size_t flows,
                         size_t subflows,
                         int64_t overNs,
                         int64_t idleNs,
                         uint32_t partRows,
                         bool listing,
                         uint16_t gathered,
                         bool isKeepingPlain) {
                 if (flows == 0 || subflows == 0 || partRows == 0 || partRows > PART_ROWS ||
                     gathered == 0 || gathered > GATHERED_SEGMENTS)
                 {
                     throw py::value_error("a limit that nothing can keep");
                 }
                 const Limits limits{flows,
                                     subflows,
                                     overNs,
                                     idleNs,
                                     partRows,
                                     listing,
                                     gathered,
                                     isKeepingPlain};
                 return std::make_unique<Recording>(fd, limits);
             }),
             py::arg("fd"),
             py::kw_only(),
             py::arg("flows") = MAX_FLOWS,
             py::arg("subflows") = MAX_SUBFLOWS,
             py::arg("over_ns") = OVER_NS,
             py::arg("idle_ns") = IDLE_NS,
             py::arg("part_rows") = PART_ROWS,
             py::arg("listing") = false,
             py::arg("gathered") = GATHERED_SEGMENTS,
             py::arg("plain") = false)
        .def("feed", &Feed)
        .def("finish", &Recording::Finish, py::call_guard<py::gil_scoped_release>())
        .def_property_readonly(
            "unreadable",
            [](const Recording& one) { return static_cast<int>(one.GetUnreadable()); })
        .def_property_readonly("records", &Recording::GetRecords)
        .def_property_readonly("verdicts", &Verdicts)
        .def_property_readonly("plain_segments",
                               [](const Recording& one) { return one.GetCounts().plainSegments; })
        .def_property_readonly(
            "not_answered_segments",
            [](const Recording& one) { return one.GetCounts().notAnsweredSegments; })
        .def_property_readonly("cut_segments",
                               [](const Recording& one) { return one.GetCounts().cutSegments; })
        .def_property_readonly("beyond_segments",
                               [](const Recording& one) { return one.GetCounts().beyondSegments; })
        .def_property_readonly("silent",
                               [](const Recording& one) { return one.GetCounts().silent; })
        .def_property_readonly("displaced",
                               [](const Recording& one) { return one.GetCounts().displaced; })
        .def_property_readonly("refusals",
                               [](const Recording& one) { return one.GetRefusals().last; })
        .def("flows", &Flows)
        .def("take_listed", &TakeListed);
    py::class_<WayBack>(module, "WayBack").def(py::init<>());
    py::enum_<Vantage>(module, "Vantage")
        .value("UNKNOWN", Vantage::Unknown)
        .value("SENDER", Vantage::Sender)
        .value("RECEIVER", Vantage::Receiver);
    module.def("read_parts", &ReadParts);
    module.def("read_acks", &ReadAcks);
    module.def("survey_acks", &SurveyAcks);
    module.def("read_ack_part", &ReadAckPart);
    module.attr("ACK_SOURCE") = py::dtype::of<AckSource>();
    module.attr("CHAIN_SOURCE") = py::dtype::of<ChainSource>();
    module.attr("FLOW_TOKENS") = py::dtype::of<FlowTokens>();
    module.def("group", &Group);
    module.def("read_states", &ReadStates);
    module.def("read_losses", &ReadLosses);
    module.def("chunks", &Chunks);
    module.def("read_refusals", &ReadRefusals);
    module.attr("NOT_OBSERVED") = NOT_OBSERVED;
    module.attr("VERDICTS") = static_cast<int>(Verdict::COUNT);
    module.attr("SIGNALS") = SIGNALS;
    module.attr("BULK_BYTES") = BULK_BYTES;
    module.attr("PART_ROWS") = PART_ROWS;
    module.attr("GATHERED_SEGMENTS") = GATHERED_SEGMENTS;
}
