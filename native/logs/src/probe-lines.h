// SPDX-License-Identifier: MIT

#ifndef LOGS_PROBE_LINES_H
#define LOGS_PROBE_LINES_H

#include "cursor.h"
#include "line-reader.h"
#include "socket-numbers.h"

#include <limits>
#include <string_view>

namespace logs
{

/// Lines of tcp_probe: of the module, or of the tracepoint as ftrace and perf print it.
class ProbeLines : public LineReader
{
  public:
    /// Largest smoothed RTT.
    static constexpr uint64_t MOST_SRTT_US = std::numeric_limits<int32_t>::max();

    /**
     * @param isTraced Whether the lines are the tracepoint's.
     * @param srttUnitUs Unit of the smoothed RTT; 0 if it is not taken.
     * @param longestBytes Of a line.
     */
    ProbeLines(bool isTraced, int64_t srttUnitUs, size_t longestBytes)
        : m_isTraced(isTraced),
          m_srttUnitUs(srttUnitUs),
          m_longestBytes(longestBytes)
    {
    }

    /// A subflow has a number from now on; a line has `ends` from one endpoint to the other.
    void Learn(std::string_view ends, int32_t number);

  protected:
    const char* TakeLine(const char* line, const char* end) override;

  private:
    /// What a line says.
    struct Probe
    {
        uint64_t timeNs;
        std::string_view ends;
        uint32_t sndUna;
        uint64_t srtt;
    };

    static bool ReadModule(Cursor& cursor, Probe& probe);
    static bool ReadTraced(std::string_view line, size_t name, Probe& probe);
    bool Keep(const Probe& probe);

    bool m_isTraced;
    int64_t m_srttUnitUs;
    size_t m_longestBytes;
    SocketNumbers m_numbers;
};

} // namespace logs

#endif // LOGS_PROBE_LINES_H
