// SPDX-License-Identifier: MIT

#ifndef LOGS_EVENT_LINES_H
#define LOGS_EVENT_LINES_H

#include "cursor.h"
#include "line-reader.h"
#include "subflow-numbers.h"

#include <string_view>

namespace logs
{

/// Event lines and nothing else, as the simulator writes them.
class EventLines : public LineReader
{
  public:
    explicit EventLines(NamedKinds kinds)
        : m_kinds(std::move(kinds))
    {
    }

    void Learn(uint32_t token, uint16_t subflowId, int32_t number);

    const NamedKinds& Kinds() const
    {
        return m_kinds;
    }

  protected:
    const char* TakeLine(const char* line, const char* end) override;

    /// What a record says.
    struct Record
    {
        uint64_t timeNs;
        int64_t value;
        int32_t subflow; //!< Unknown if no table holds the kind
        NamedKind* kind;
    };

    /// Read a record that is known to be good; false if it is not known to be.
    bool Read(Cursor& cursor, Record& record);

    void Keep(const Record& record);

  private:
    NamedKinds m_kinds;
    SubflowNumbers m_numbers;
};

/**
 * A kernel's log, in which event lines stand after a marker, and other lines among them.
 *
 * Left to the caller is a line that says how many messages are missing, that has more than one
 * record or the rest of one, and a journal's entry that is not all text without escapes.
 */
class KernelLines : public EventLines
{
  public:
    /// Stands for the number of a message where there was none before.
    static constexpr int64_t NO_SEQUENCE = -1;

    KernelLines(NamedKinds kinds, size_t longestBytes)
        : EventLines(std::move(kinds)),
          m_longestBytes(longestBytes)
    {
    }

    /// @return The last number of a message in /dev/kmsg.
    int64_t Sequence() const
    {
        return m_sequence;
    }

    void SetSequence(int64_t sequence)
    {
        m_sequence = sequence;
    }

  protected:
    const char* TakeLine(const char* line, const char* end) override;

  private:
    bool TakeMessage(std::string_view text);

    size_t m_longestBytes;
    int64_t m_sequence{NO_SEQUENCE};
};

} // namespace logs

#endif // LOGS_EVENT_LINES_H
