// SPDX-License-Identifier: MIT

#include "probe-lines.h"

#include <cstring>

namespace logs
{

namespace
{

constexpr std::string_view NAME = "tcp_probe: ";
constexpr std::string_view LOST = "[LOST ";
constexpr size_t LEAST_ENDPOINT = 3;
constexpr size_t MOST_ENDPOINT = 60;
constexpr size_t MOST_FAMILY = 16;
constexpr size_t MOST_MARK = 12;
constexpr size_t MOST_DIGITS = 10;
constexpr size_t MOST_FRACTION_DIGITS = 9;

/// @return What a line has from the begin of one word to the end of a later one.
std::string_view
FromTo(std::string_view first, std::string_view last)
{
    return {first.data(), static_cast<size_t>(last.data() + last.size() - first.data())};
}

/// @return Where a time that ends before a place begins, the place itself if there is none.
size_t
BeginOfTime(std::string_view line, size_t end)
{
    auto at = end;
    while (at > 0 && IsDigit(line[at - 1]))
    {
        --at;
    }
    const auto fraction = end - at;
    if (fraction == 0 || fraction > MOST_FRACTION_DIGITS || at == 0 || line[at - 1] != '.')
    {
        return end;
    }
    const auto point = --at;
    while (at > 0 && IsDigit(line[at - 1]))
    {
        --at;
    }
    const auto isWhole = point != at && point - at <= MOST_DIGITS;
    return isWhole && (at == 0 || IsSpace(line[at - 1])) ? at : end;
}

} // namespace

void
ProbeLines::Learn(std::string_view ends, int32_t number)
{
    Numbered(number);
    m_numbers.Learn(ends, number);
}

bool
ProbeLines::ReadModule(Cursor& cursor, Probe& probe)
{
    std::string_view source;
    std::string_view destination;
    uint32_t sndNxt = 0;
    if (!cursor.Seconds(probe.timeNs) || !cursor.Skip(" ") ||
        !cursor.Word(LEAST_ENDPOINT, MOST_ENDPOINT, source) || !cursor.Skip(" ") ||
        !cursor.Word(LEAST_ENDPOINT, MOST_ENDPOINT, destination) || !cursor.Skip(" ") ||
        !cursor.SkipDecimal(MOST_DIGITS) || !cursor.Skip(" 0x") || !cursor.Hexadecimal(sndNxt) ||
        !cursor.Skip(" 0x") || !cursor.Hexadecimal(probe.sndUna))
    {
        return false;
    }
    probe.ends = FromTo(source, destination);
    for (int window = 0; window < 3; ++window)
    {
        if (!cursor.Skip(" ") || !cursor.SkipDecimal(MOST_DIGITS))
        {
            return false;
        }
    }
    if (!cursor.Skip(" ") || !cursor.Decimal(MOST_DIGITS, probe.srtt))
    {
        return false;
    }
    if (*cursor.At() == ' ' && !(cursor.Skip(" ") && cursor.SkipDecimal(MOST_DIGITS)))
    {
        return false;
    }
    return cursor.SkipLineEnd();
}

bool
ProbeLines::ReadTraced(std::string_view line, size_t name, Probe& probe)
{
    constexpr std::string_view SUBSYSTEM = "tcp:";
    constexpr std::string_view AFTER_TIME = ": ";
    const auto* const end = line.data() + line.size() + 1;
    auto before = line.substr(0, name);
    if (before.ends_with(SUBSYSTEM))
    {
        before.remove_suffix(SUBSYSTEM.size());
    }
    if (!before.ends_with(AFTER_TIME))
    {
        return false;
    }
    before.remove_suffix(AFTER_TIME.size());
    const auto begin = BeginOfTime(line, before.size());
    if (begin == before.size() || !Cursor(line.data() + begin, end).Seconds(probe.timeNs))
    {
        return false;
    }
    Cursor cursor(line.data() + name + NAME.size(), end);
    while (*cursor.At() == ' ')
    {
        cursor.Skip(" ");
    }
    std::string_view source;
    std::string_view destination;
    std::string_view word;
    uint32_t sndNxt = 0;
    if (*cursor.At() == 'f' &&
        (!cursor.Skip("family=") || !cursor.Word(1, MOST_FAMILY, word) || !cursor.Skip(" ")))
    {
        return false;
    }
    if (!cursor.Skip("src=") || !cursor.Word(LEAST_ENDPOINT, MOST_ENDPOINT, source) ||
        !cursor.Skip(" dest=") ||
        !cursor.Word(LEAST_ENDPOINT, MOST_ENDPOINT, destination) ||
        !cursor.Skip(" mark=") || !cursor.Word(1, MOST_MARK, word) || !cursor.Skip(" ") ||
        !(cursor.Skip("data_len=") || cursor.Skip("length=")) ||
        !cursor.SkipDecimal(MOST_DIGITS) || !cursor.Skip(" snd_nxt=0x") ||
        !cursor.Hexadecimal(sndNxt) || !cursor.Skip(" snd_una=0x") ||
        !cursor.Hexadecimal(probe.sndUna) || !cursor.Skip(" snd_cwnd=") ||
        !cursor.SkipDecimal(MOST_DIGITS) || !cursor.Skip(" ssthresh=") ||
        !cursor.SkipDecimal(MOST_DIGITS) || !cursor.Skip(" snd_wnd=") ||
        !cursor.SkipDecimal(MOST_DIGITS) || !cursor.Skip(" srtt=") ||
        !cursor.Decimal(MOST_DIGITS, probe.srtt))
    {
        return false;
    }
    probe.ends = FromTo(source, destination);
    return IsSpace(*cursor.At());
}

bool
ProbeLines::Keep(const Probe& probe)
{
    const auto subflow = m_numbers.Find(probe.ends);
    if (subflow == SocketNumbers::UNKNOWN || !Follows(subflow, probe.timeNs))
    {
        return false;
    }
    // Of ten digits and a unit of thousands at most.
    const auto srttUs = probe.srtt * static_cast<uint64_t>(m_srttUnitUs);
    if (srttUs > MOST_SRTT_US)
    {
        return false;
    }
    Push(subflow, probe.timeNs, Kind::UNA, probe.sndUna);
    if (srttUs != 0)
    {
        Push(subflow, probe.timeNs, Kind::SRTT, static_cast<int64_t>(srttUs));
    }
    ++m_records;
    return true;
}

const char*
ProbeLines::TakeLine(const char* line, const char* end)
{
    Probe probe;
    if (!m_isTraced)
    {
        Cursor cursor(line, end);
        if (!ReadModule(cursor, probe) ||
            static_cast<size_t>(cursor.At() - line) > m_longestBytes || !Keep(probe))
        {
            return nullptr;
        }
        return cursor.At();
    }
    const auto* const lineEnd =
        static_cast<const char*>(std::memchr(line, '\n', static_cast<size_t>(end - line)));
    const std::string_view whole(line, static_cast<size_t>(lineEnd - line));
    if (whole.size() > m_longestBytes)
    {
        return nullptr;
    }
    const auto name = whole.find(NAME);
    if (name == std::string_view::npos)
    {
        if (whole.find(LOST) != std::string_view::npos)
        {
            return nullptr;
        }
        ++m_otherLines;
        return lineEnd + 1;
    }
    // Should the name come again, what it comes first in is read.
    return ReadTraced(whole, name, probe) && Keep(probe) ? lineEnd + 1 : nullptr;
}

} // namespace logs
