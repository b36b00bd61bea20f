// SPDX-License-Identifier: MIT

#include "replay.h"

#include "plan.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <utility>

namespace relay
{

namespace
{

constexpr int64_t NS_PER_MS = 1'000'000;
constexpr std::size_t MOST_MOMENTS = 1'000'000;
/// An hour, as a scenario has it.
constexpr uint32_t MOST_MS = 3'600'000;

} // namespace

Replay::Replay(std::vector<uint32_t> momentsMs)
    : m_momentsMs(std::move(momentsMs))
{
}

Passage
Replay::Send(int64_t nowNs, uint32_t bytes)
{
    if (m_leftBytes == 0)
    {
        ++m_number;
        m_leftBytes = BYTES;
    }
    if (GetTimeNs(m_number) <= nowNs)
    {
        m_number = CountBefore(nowNs + 1);
        m_leftBytes = BYTES;
    }
    const auto beginNs = GetTimeNs(m_number);
    while (bytes > m_leftBytes)
    {
        bytes -= m_leftBytes;
        ++m_number;
        m_leftBytes = BYTES;
    }
    m_leftBytes -= bytes;
    return {beginNs, GetTimeNs(m_number)};
}

uint64_t
Replay::CountBefore(int64_t timeNs) const
{
    if (timeNs <= 0)
    {
        return 0;
    }
    const auto wholeMs = static_cast<uint64_t>((timeNs - 1) / NS_PER_MS);
    const uint64_t roundMs = m_momentsMs.back();
    const auto next =
        std::upper_bound(m_momentsMs.begin(), m_momentsMs.end(), wholeMs % roundMs);
    return wholeMs / roundMs * m_momentsMs.size() +
           static_cast<uint64_t>(std::distance(m_momentsMs.begin(), next));
}

int64_t
Replay::GetTimeNs(uint64_t number) const
{
    const auto rounds = number / m_momentsMs.size();
    const auto ms = rounds * m_momentsMs.back() + m_momentsMs[number % m_momentsMs.size()];
    return static_cast<int64_t>(ms) * NS_PER_MS;
}

std::vector<uint32_t>
ReadMoments(const std::string& path)
{
    auto file = OpenRegular(path);
    std::vector<uint32_t> moments;
    const auto fail = [&](const std::string& reason) {
        throw PlanError(path + ", line " + std::to_string(moments.size() + 1) + ": " + reason);
    };
    if (file.peek() == std::ifstream::traits_type::eof())
    {
        throw PlanError(path + ": is empty, or cannot be read");
    }
    // Digit by digit: whatever the file is, no more of it is held than the moments.
    uint32_t moment = 0;
    bool digits = false;
    for (char letter = 0; file.get(letter);)
    {
        if (letter >= '0' && letter <= '9')
        {
            moment = 10 * moment + static_cast<uint32_t>(letter - '0');
            digits = true;
            if (moment > MOST_MS)
            {
                fail("is beyond " + std::to_string(MOST_MS) + " ms");
            }
            continue;
        }
        if (letter != '\n' || !digits)
        {
            fail("is no whole number of ms");
        }
        if (!moments.empty() && moment < moments.back())
        {
            fail("is before the one before it");
        }
        if (moments.size() == MOST_MOMENTS)
        {
            fail("is beyond " + std::to_string(MOST_MOMENTS) + " moments");
        }
        moments.push_back(std::exchange(moment, 0));
        digits = false;
    }
    if (digits)
    {
        fail("has no end of line");
    }
    if (file.bad())
    {
        throw PlanError(path + ": cannot be read to its end");
    }
    if (moments.back() == 0)
    {
        throw PlanError(path + ": the last moment is at 0, so the trace takes no time");
    }
    return moments;
}

} // namespace relay
