// SPDX-License-Identifier: MIT
//
// The readers of lines on any bytes. Each takes all lines at once, and another of its kind one line
// at a time, with nothing behind it: both must come to the same. A promise that does not hold ends
// the program.

#include "event-lines.h"
#include "holds.h"
#include "probe-lines.h"
#include "rows.h"
#include "state-lines.h"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

using namespace logs;

namespace
{

constexpr size_t LONGEST_BYTES = 1024;
constexpr int64_t MOST_VALUE = int64_t{1} << 62;
constexpr int64_t LEAST_OF_KINDS = 1;
constexpr int64_t SRTT_UNIT_US = 1000;

int64_t
MostOf(Kind kind)
{
    switch (kind)
    {
    case Kind::CA:
        return 4;
    case Kind::ACK:
    case Kind::DACK:
        return MOST_VALUE;
    default:
        return std::numeric_limits<uint32_t>::max();
    }
}

std::vector<NamedKind>
EventKinds()
{
    std::vector<NamedKind> kinds;
    for (size_t kind = 0; kind < KIND_NAMES.size(); ++kind)
    {
        kinds.push_back({std::string(KIND_NAMES[kind]),
                         static_cast<Kind>(kind),
                         LEAST_OF_KINDS,
                         MostOf(static_cast<Kind>(kind)),
                         {}});
    }
    kinds.push_back({"GROUP", {}, 0, 32767, {}});
    return kinds;
}

std::vector<NamedKind>
Variables()
{
    return {{"rtt_us", Kind::RTT, LEAST_OF_KINDS, MOST_VALUE, {}},
            {"ack", Kind::UNA, LEAST_OF_KINDS, MostOf(Kind::UNA), {}},
            {"ca_state", Kind::CA, LEAST_OF_KINDS, 4, {}},
            {"retrans", Kind::RTX, 1, 1, 1},
            {"cwnd", {}, 0, MOST_VALUE, {}}};
}

/// What was taken, and times of subflows.
struct Taken
{
    std::vector<int64_t> endNs;
    Events events;
    std::vector<size_t> left; //!< Where lines begin that were not taken

    void Append(const Events& more)
    {
        events.timeNs.insert(events.timeNs.end(), more.timeNs.begin(), more.timeNs.end());
        events.value.insert(events.value.end(), more.value.begin(), more.value.end());
        events.of.insert(events.of.end(), more.of.begin(), more.of.end());
    }
};

/// Learn the subflow of a line that was not taken, if it seems to have one.
void
Learn(EventLines& lines, std::string_view line, Taken& taken)
{
    const auto at = line.find("C=");
    unsigned token = 0;
    unsigned subflow = 0;
    const std::string text(line.substr(std::min(at, line.size())));
    if (std::sscanf(text.c_str(), "C=%8x SF=%4u", &token, &subflow) == 2 && subflow < 10'000)
    {
        lines.Learn(token,
                    static_cast<uint16_t>(subflow),
                    static_cast<int32_t>(taken.endNs.size()));
        taken.endNs.push_back(0);
    }
}

void
Learn(StateLines& lines, std::string_view line, Taken& taken)
{
    const auto at = line.find(',');
    unsigned subflow = 0;
    const std::string text(line.substr(std::min(at, line.size())));
    if (std::sscanf(text.c_str(), ",%4u", &subflow) == 1 && subflow < 10'000)
    {
        lines.Learn(static_cast<uint16_t>(subflow), static_cast<int32_t>(taken.endNs.size()));
        taken.endNs.push_back(0);
    }
}

void
Learn(ProbeLines& lines, std::string_view line, Taken& taken)
{
    const auto source = line.find("src=");
    const auto begin = source == std::string_view::npos ? line.find(' ') + 1 : source + 4;
    const auto between = line.find(' ', begin);
    const auto end = between == std::string_view::npos ? between : line.find(' ', between + 1);
    if (end != std::string_view::npos && end - begin <= SocketNumbers::MOST_BYTES)
    {
        lines.Learn(line.substr(begin, end - begin), static_cast<int32_t>(taken.endNs.size()));
        taken.endNs.push_back(0);
    }
}

template <class Lines>
Taken
TakeAll(Lines& lines, std::string_view content)
{
    Taken taken;
    // What follows the last end of a line is none.
    content = content.substr(0, content.rfind('\n') + 1);
    size_t at = 0;
    for (;;)
    {
        const auto next = lines.Take(content, at, taken.endNs);
        HOLDS(next >= at && next <= content.size());
        HOLDS(next == at || content[next - 1] == '\n');
        taken.Append(lines.Taken());
        const auto end = content.find('\n', next);
        if (end == std::string_view::npos)
        {
            return taken;
        }
        taken.left.push_back(next);
        Learn(lines, content.substr(next, end - next), taken);
        at = end + 1;
    }
}

template <class Lines>
Taken
TakeEach(Lines& lines, std::string_view content)
{
    Taken taken;
    size_t end = 0;
    for (size_t at = 0; (end = content.find('\n', at)) != std::string_view::npos; at = end + 1)
    {
        const auto size = end + 1 - at;
        const auto line = std::make_unique<char[]>(size);
        std::copy_n(content.data() + at, size, line.get());
        const auto next = lines.Take({line.get(), size}, 0, taken.endNs);
        HOLDS(next == 0 || next == size);
        taken.Append(lines.Taken());
        if (next == 0)
        {
            taken.left.push_back(at);
            Learn(lines, {line.get(), size - 1}, taken);
        }
    }
    return taken;
}

/// Check the events of each subflow, and the rows that they become.
void
CheckEvents(const Taken& taken)
{
    std::map<int64_t, std::vector<size_t>> places;
    for (size_t at = 0; at < taken.events.of.size(); ++at)
    {
        const auto of = taken.events.of[at];
        HOLDS(of >= 0 && of / MOST_KINDS < static_cast<int64_t>(taken.endNs.size()));
        HOLDS(of % MOST_KINDS < static_cast<int64_t>(Kind::COUNT));
        HOLDS(taken.events.value[at] >= 0 && taken.events.value[at] <= MOST_VALUE);
        places[of / MOST_KINDS].push_back(at);
    }
    for (const auto& [subflow, own] : places)
    {
        Rows rows;
        int64_t before = 0;
        size_t attributes = 0;
        for (const auto at : own)
        {
            const auto timeNs = taken.events.timeNs[at];
            const auto kind = static_cast<Kind>(taken.events.of[at] % MOST_KINDS);
            HOLDS(timeNs >= before && timeNs <= MOST_VALUE);
            before = timeNs;
            rows.Take(timeNs, kind, taken.events.value[at]);
            attributes += kind == Kind::RTT || kind == Kind::SRTT || kind == Kind::OWD ||
                          kind == Kind::ECE || kind == Kind::DACK;
        }
        HOLDS(before == taken.endNs[static_cast<size_t>(subflow)]);
        rows.Flush();
        int64_t acked = 0;
        int64_t rowNs = 0;
        for (const auto& row : rows.Acks())
        {
            const auto timeNs = row[static_cast<size_t>(AckColumn::TIME_NS)];
            const auto bytes = row[static_cast<size_t>(AckColumn::ACKED_BYTES)];
            HOLDS(timeNs >= rowNs && bytes >= acked);
            rowNs = timeNs;
            acked = bytes;
            for (const auto column : {AckColumn::RTT_US,
                                      AckColumn::SRTT_US,
                                      AckColumn::OWD_US,
                                      AckColumn::ECE,
                                      AckColumn::DATA_ACK})
            {
                attributes -= row[static_cast<size_t>(column)] != NOT_OBSERVED;
            }
        }
        HOLDS(attributes == 0);
    }
}

template <class Lines>
int64_t
UnusedOf(const Lines& lines)
{
    int64_t unused = 0;
    if constexpr (requires { lines.Kinds(); })
    {
        for (const auto& kind : lines.Kinds().All())
        {
            unused += kind.unused;
        }
    }
    return unused;
}

template <class Make>
void
Try(std::string_view content, Make make)
{
    auto lines = make();
    auto others = make();
    const auto taken = TakeAll(lines, content);
    const auto each = TakeEach(others, content);
    HOLDS(taken.left == each.left && taken.endNs == each.endNs);
    HOLDS(taken.events.timeNs == each.events.timeNs && taken.events.of == each.events.of &&
          taken.events.value == each.events.value);
    HOLDS(lines.Records() == others.Records() && lines.OtherLines() == others.OtherLines());
    HOLDS(UnusedOf(lines) == UnusedOf(others));
    const auto whole = std::count(content.begin(), content.end(), '\n');
    HOLDS(lines.Records() + lines.OtherLines() + static_cast<int64_t>(taken.left.size()) == whole);
    const auto events = static_cast<int64_t>(taken.events.of.size());
    const auto used = lines.Records() - UnusedOf(lines);
    HOLDS(events >= used && events <= 2 * used);
    CheckEvents(taken);
}

} // namespace

extern "C" int
TryLogs(const uint8_t* bytes, size_t size)
{
    // Of its own size, so that what lies behind is seen to be read.
    const auto copy = std::make_unique<char[]>(size);
    std::copy_n(bytes, size, copy.get());
    const std::string_view content(copy.get(), size);
    Try(content, [] { return EventLines(NamedKinds(EventKinds())); });
    Try(content, [] { return KernelLines(NamedKinds(EventKinds()), LONGEST_BYTES); });
    Try(content, [] { return StateLines(NamedKinds(Variables())); });
    Try(content, [] { return ProbeLines(false, SRTT_UNIT_US, LONGEST_BYTES); });
    Try(content, [] { return ProbeLines(true, SRTT_UNIT_US, LONGEST_BYTES); });
    return 1;
}

#ifdef TRY
extern "C" int
LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size)
{
    TRY(bytes, size);
    return 0;
}
#endif
