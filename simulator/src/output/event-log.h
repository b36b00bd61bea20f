// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_EVENT_LOG_H
#define SMARTSBD_EVENT_LOG_H

#include "output/output-file.h"

#include "ns3/callback.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace smartsbd
{

/// What an event line tells; the value's unit follows each kind.
enum class EventKind
{
    CA,    //!< Congestion state, 0 (Open) to 4 (Loss)
    ACK,   //!< Cumulatively acknowledged bytes of the subflow, from 0
    DUP,   //!< Duplicate ACK; newly SACKed bytes
    RTT,   //!< RTT sample in us
    OWD,   //!< One way delay in us of the segment that gave the RTT sample
    ECE,   //!< ECN echo flag, always 1
    DACK,  //!< Data-level cumulative acknowledgment in bytes, from 0
    LOSS,  //!< Segments marked lost when Recovery or Loss begins
    GROUP, //!< Number of the group of subflows that are coupled from now on
};

/// Writer of the sender's event lines, `<ns> C=<token> SF=<subflow> V=<kind> <value>`.
class EventLog
{
  public:
    /**
     * @param file Where the lines go; it must outlive the log's last use.
     * @param token Token of the connection.
     */
    EventLog(OutputFile& file, const std::string& token);

    /**
     * @param callback Called with subflow, kind and value of each line before it is written, but
     *                 for groups, which are no signals.
     */
    void SetSignalCallback(ns3::Callback<void, std::size_t, EventKind, uint64_t> callback);

    /**
     * Write one line with the present simulation time. What judges while the simulation goes on
     * is told here and nowhere else, so that it sees what a log holds, in the same order.
     *
     * @param subflow Index of the subflow.
     * @param kind What happened.
     * @param value The value in the unit of the kind.
     */
    void Write(std::size_t subflow, EventKind kind, uint64_t value);

    /// Hand all buffered lines to the file.
    void Flush();

  private:
    /**
     * @param text Text to append to the buffer.
     */
    void Append(std::string_view text);

    /**
     * @param number Number to append to the buffer.
     */
    void Append(uint64_t number);

    /// Longest possible line in bytes.
    static constexpr std::size_t MAX_LINE = 128;

    OutputFile& m_file;                 //!< Where the lines go
    std::string m_connection;           //!< Text between time and subflow
    std::array<char, 1 << 16> m_buffer; //!< Lines not yet handed to the file
    std::size_t m_used{0};              //!< Bytes used in the buffer
    /// Takes signals, or null.
    ns3::Callback<void, std::size_t, EventKind, uint64_t> m_takeSignal;
};

} // namespace smartsbd

#endif /* SMARTSBD_EVENT_LOG_H */
