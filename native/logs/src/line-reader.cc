// SPDX-License-Identifier: MIT

#include "line-reader.h"

#include <algorithm>
#include <stdexcept>

namespace logs
{

void
Events::Clear()
{
    timeNs.clear();
    value.clear();
    of.clear();
}

void
LineReader::Numbered(int32_t number)
{
    if (number < 0)
    {
        throw std::invalid_argument("the number of a subflow is less than 0");
    }
    m_mostNumber = std::max(m_mostNumber, number);
}

size_t
LineReader::Take(std::string_view lines, size_t start, std::span<int64_t> endNs)
{
    m_events.Clear();
    if (start > lines.size() || (!lines.empty() && lines.back() != '\n'))
    {
        throw std::invalid_argument("lines are not whole, or begin beyond the last");
    }
    if (m_mostNumber >= static_cast<int64_t>(endNs.size()))
    {
        throw std::invalid_argument("a subflow has no time");
    }
    m_endNs = endNs;
    const auto* const end = lines.data() + lines.size();
    const auto* line = lines.data() + start;
    while (line < end)
    {
        const auto* const next = TakeLine(line, end);
        if (next == nullptr)
        {
            break;
        }
        line = next;
    }
    return static_cast<size_t>(line - lines.data());
}

} // namespace logs
