// SPDX-License-Identifier: MIT

#ifndef LOGS_STATE_LINES_H
#define LOGS_STATE_LINES_H

#include "line-reader.h"

#include <vector>

namespace logs
{

/// The rows of a recorder beside a real sender: seconds, subflow, variable and value.
class StateLines : public LineReader
{
  public:
    explicit StateLines(NamedKinds kinds)
        : m_kinds(std::move(kinds))
    {
    }

    void Learn(uint16_t subflowId, int32_t number);

    const NamedKinds& Kinds() const
    {
        return m_kinds;
    }

  protected:
    const char* TakeLine(const char* line, const char* end) override;

  private:
    static constexpr int32_t UNKNOWN = -1;

    NamedKinds m_kinds;
    std::vector<int32_t> m_numbers; //!< By the subflow's identifier
};

} // namespace logs

#endif // LOGS_STATE_LINES_H
