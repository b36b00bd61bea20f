// SPDX-License-Identifier: MIT

#include "event-lines.h"

#include "messages.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace logs
{

namespace
{

constexpr std::string_view MARKER = "smartsbd: ";
constexpr size_t MOST_DIGITS = 18;
constexpr size_t MOST_SUBFLOW_DIGITS = 4;

/// Where messages are missing the kernel says one of these; no other line that says so has neither.
constexpr std::string_view MESSAGES = "messages";
constexpr std::string_view CALLBACKS = "callbacks";
/// The rest of a record without its marker has this.
constexpr std::string_view REST = "=";

/// What begins MARKER, MESSAGES, CALLBACKS and REST.
constexpr auto BEGINS = [] {
    std::array<bool, 256> found{};
    for (const auto text : {MARKER, MESSAGES, CALLBACKS, REST})
    {
        found[static_cast<unsigned char>(text.front())] = true;
    }
    return found;
}();

/// What stands before the first marker, or in the whole of a text without one.
struct Before
{
    size_t size;
    bool isPlain; //!< It is no record's rest, and does not say that messages are missing
};

Before
BeforeMarker(std::string_view text)
{
    for (size_t at = 0; at < text.size(); ++at)
    {
        const auto one = text[at];
        if (!BEGINS[static_cast<unsigned char>(one)])
        {
            continue;
        }
        const auto rest = text.substr(at);
        if (rest.starts_with(MARKER))
        {
            return {at, true};
        }
        if (rest.starts_with(MESSAGES) || rest.starts_with(CALLBACKS) ||
            (one == '=' && at > 0 && text[at - 1] == 'F'))
        {
            return {at, false};
        }
    }
    return {text.size(), true};
}

} // namespace

void
EventLines::Learn(uint32_t token, uint16_t subflowId, int32_t number)
{
    Numbered(number);
    m_numbers.Learn(token, subflowId, number);
}

bool
EventLines::Read(Cursor& cursor, Record& record)
{
    uint32_t token = 0;
    uint64_t subflowId = 0;
    uint64_t value = 0;
    if (!cursor.Decimal(MOST_DIGITS, record.timeNs) || !cursor.Skip(" C=") ||
        !cursor.Hexadecimal(token) || !cursor.Skip(" SF=") ||
        !cursor.Decimal(MOST_SUBFLOW_DIGITS, subflowId) || !cursor.Skip(" V="))
    {
        return false;
    }
    uint64_t name = 0;
    const auto* const first = cursor.At();
    const auto* letter = first;
    for (; *letter >= 'A' && *letter <= 'Z'; ++letter)
    {
        name = name << 8 | static_cast<unsigned char>(*letter);
    }
    if (static_cast<size_t>(letter - first) > NamedKinds::MOST_LETTERS)
    {
        return false;
    }
    cursor.MoveTo(letter);
    record.kind = m_kinds.Find(name);
    if (record.kind == nullptr || !cursor.Skip(" ") || !cursor.Decimal(MOST_DIGITS, value))
    {
        return false;
    }
    record.value = static_cast<int64_t>(value);
    if (record.value < record.kind->least || record.value > record.kind->most)
    {
        return false;
    }
    record.subflow = SubflowNumbers::UNKNOWN;
    if (record.kind->kind)
    {
        record.subflow = m_numbers.Find(token, static_cast<uint16_t>(subflowId));
        return record.subflow != SubflowNumbers::UNKNOWN && Follows(record.subflow, record.timeNs);
    }
    return true;
}

void
EventLines::Keep(const Record& record)
{
    ++m_records;
    if (record.kind->kind)
    {
        Push(record.subflow, record.timeNs, *record.kind->kind, record.value);
    }
    else
    {
        ++record.kind->unused;
    }
}

const char*
EventLines::TakeLine(const char* line, const char* end)
{
    Cursor cursor(line, end);
    Record record;
    if (!Read(cursor, record) || !cursor.SkipLineEnd())
    {
        return nullptr;
    }
    Keep(record);
    return cursor.At();
}

bool
KernelLines::TakeMessage(std::string_view text)
{
    const auto before = BeforeMarker(text);
    if (!before.isPlain)
    {
        return false;
    }
    if (before.size == text.size())
    {
        ++m_otherLines;
        return true;
    }
    const auto* const end = text.data() + text.size();
    // The byte behind a message is a quote or the line's end.
    Cursor cursor(text.data() + before.size + MARKER.size(), end + 1);
    Record record;
    if (!Read(cursor, record))
    {
        return false;
    }
    if (cursor.At() != end)
    {
        const std::string_view rest(cursor.At(), static_cast<size_t>(end - cursor.At()));
        if ((!IsSpace(rest.front()) && rest.front() != '"') ||
            rest.find(MARKER) != std::string_view::npos)
        {
            return false;
        }
    }
    Keep(record);
    return true;
}

const char*
KernelLines::TakeLine(const char* line, const char* end)
{
    const auto* const lineEnd =
        static_cast<const char*>(std::memchr(line, '\n', static_cast<size_t>(end - line)));
    const std::string_view whole(line, static_cast<size_t>(lineEnd - line));
    if (whole.size() > m_longestBytes)
    {
        return nullptr;
    }
    if (whole.starts_with('{'))
    {
        const auto text = JournalMessage(whole);
        return text && TakeMessage(*text) ? lineEnd + 1 : nullptr;
    }
    const auto kmsg = KmsgMessage(line, lineEnd);
    if (!kmsg)
    {
        return TakeMessage(whole) ? lineEnd + 1 : nullptr;
    }
    const auto isGap = m_sequence != NO_SEQUENCE && kmsg->sequence > m_sequence + 1;
    if (isGap || !TakeMessage(kmsg->text))
    {
        return nullptr;
    }
    m_sequence = kmsg->sequence;
    return lineEnd + 1;
}

} // namespace logs
