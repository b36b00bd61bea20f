// SPDX-License-Identifier: MIT

#ifndef LOGS_LINE_READER_H
#define LOGS_LINE_READER_H

#include "kinds.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace logs
{

/// Events, column by column.
struct Events
{
    std::vector<int64_t> timeNs;
    std::vector<int64_t> value;
    std::vector<int64_t> of; //!< As OfEvent returns it

    void Clear();
};

/**
 * Takes lines that say what is known to be good, and nothing else.
 *
 * It stops before a line that it does not take; whatever is to be said of that line, the caller
 * says it, and goes on behind.
 */
class LineReader
{
  public:
    /// Latest time of an event.
    static constexpr int64_t MAX_TIME_NS = int64_t{1} << 62;

    virtual ~LineReader() = default;

    /**
     * Take lines from a place on.
     *
     * @param lines Whole lines: the last byte, if there is one, ends a line.
     * @param start Where the first of them begins.
     * @param endNs Time of the last event of each subflow, by number. It is kept up to date.
     * @return Where the first line begins that is not taken.
     * @throws std::invalid_argument if a number that was learnt has no such time, or a line no end.
     */
    size_t Take(std::string_view lines, size_t start, std::span<int64_t> endNs);

    /// The events since this was asked last.
    const Events& Taken() const
    {
        return m_events;
    }

    /// @return How many records were taken: that became events, or are of a kind no table holds.
    int64_t Records() const
    {
        return m_records;
    }

    /// @return How many lines were taken that are no records.
    int64_t OtherLines() const
    {
        return m_otherLines;
    }

  protected:
    /**
     * Take one line, whole or not at all.
     *
     * @param line Where it begins.
     * @param end Where the last line ends, beyond its own last byte, a line end.
     * @return Where the next line begins, nullptr if this one is not taken.
     */
    virtual const char* TakeLine(const char* line, const char* end) = 0;

    /// A subflow has a number from now on.
    void Numbered(int32_t number);

    /// @return Whether an event would be in order.
    bool Follows(int32_t subflow, uint64_t timeNs) const
    {
        return timeNs <= uint64_t{MAX_TIME_NS} &&
               static_cast<int64_t>(timeNs) >= m_endNs[subflow];
    }

    /// An event that Follows.
    void Push(int32_t subflow, uint64_t timeNs, Kind kind, int64_t value)
    {
        m_endNs[subflow] = static_cast<int64_t>(timeNs);
        m_events.timeNs.push_back(static_cast<int64_t>(timeNs));
        m_events.value.push_back(value);
        m_events.of.push_back(OfEvent(subflow, kind));
    }

    int64_t m_records{0};
    int64_t m_otherLines{0};

  private:
    Events m_events;
    std::span<int64_t> m_endNs;
    int32_t m_mostNumber{-1};
};

} // namespace logs

#endif // LOGS_LINE_READER_H
