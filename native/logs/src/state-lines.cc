// SPDX-License-Identifier: MIT

#include "state-lines.h"

#include "cursor.h"

namespace logs
{

namespace
{

constexpr size_t MOST_DIGITS = 18;
constexpr size_t MOST_SUBFLOW_DIGITS = 4;

} // namespace

void
StateLines::Learn(uint16_t subflowId, int32_t number)
{
    Numbered(number);
    if (subflowId >= m_numbers.size())
    {
        m_numbers.resize(subflowId + size_t{1}, UNKNOWN);
    }
    m_numbers[subflowId] = number;
}

const char*
StateLines::TakeLine(const char* line, const char* end)
{
    Cursor cursor(line, end);
    uint64_t timeNs = 0;
    uint64_t subflowId = 0;
    uint64_t read = 0;
    if (!cursor.Seconds(timeNs) || !cursor.Skip(",") ||
        !cursor.Decimal(MOST_SUBFLOW_DIGITS, subflowId) || !cursor.Skip(","))
    {
        return nullptr;
    }
    uint64_t name = 0;
    const auto* const first = cursor.At();
    const auto* letter = first;
    for (; (*letter >= 'a' && *letter <= 'z') || *letter == '_'; ++letter)
    {
        name = name << 8 | static_cast<unsigned char>(*letter);
    }
    if (static_cast<size_t>(letter - first) > NamedKinds::MOST_LETTERS)
    {
        return nullptr;
    }
    cursor.MoveTo(letter);
    auto* const kind = m_kinds.Find(name);
    if (kind == nullptr || !cursor.Skip(",") || !cursor.Decimal(MOST_DIGITS, read) ||
        !cursor.SkipLineEnd())
    {
        return nullptr;
    }
    const auto value = kind->one.value_or(static_cast<int64_t>(read));
    if (value < kind->least || value > kind->most)
    {
        return nullptr;
    }
    if (kind->kind)
    {
        const auto subflow = subflowId < m_numbers.size() ? m_numbers[subflowId] : UNKNOWN;
        if (subflow == UNKNOWN || !Follows(subflow, timeNs))
        {
            return nullptr;
        }
        Push(subflow, timeNs, *kind->kind, value);
    }
    else
    {
        ++kind->unused;
    }
    ++m_records;
    return cursor.At();
}

} // namespace logs
