// SPDX-License-Identifier: MIT

#ifndef LOGS_ROWS_H
#define LOGS_ROWS_H

#include "kinds.h"

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace logs
{

/// Stands for what was not observed.
constexpr int64_t NOT_OBSERVED = std::numeric_limits<int64_t>::min();

/// Columns of ACKs, in the order of their class in Python.
enum class AckColumn : uint8_t
{
    TIME_NS,
    ACKED_BYTES,
    RTT_US,
    SRTT_US,
    IS_DUP,
    NEWLY_SACKED_BYTES,
    ECE,
    OWD_US,
    DATA_ACK,
    COUNT,
};

constexpr size_t ACK_COLUMNS = static_cast<size_t>(AckColumn::COUNT);

using AckRow = std::array<int64_t, ACK_COLUMNS>;

/// What a loss was answered with.
enum class LossKind : int8_t
{
    FAST,
    RTO,
    TLP,
};

/// Bytes acknowledged so far, from the cumulative acknowledgements of one subflow.
class AckedBytes
{
  public:
    int64_t Get() const
    {
        return m_bytes;
    }

    /// Take a count of bytes from the subflow's start; one of 32 bits may have wrapped.
    void Count(int64_t value);

    /// Take a 32-bit sequence number: bytes are counted from the first one seen.
    void SndUna(int64_t sndUna);

  private:
    int64_t m_bytes{0};
    std::optional<int64_t> m_base;
};

/// Turns the events of one subflow, in their order, into its rows.
class Rows
{
  public:
    void Take(int64_t timeNs, Kind kind, int64_t value);

    /// Write the row that is being read.
    void Flush();

    const std::vector<AckRow>& Acks() const
    {
        return m_acks;
    }

    std::vector<int64_t> stateTimeNs;
    std::vector<int8_t> caStates;
    std::vector<int64_t> lossTimeNs;
    std::vector<int64_t> lossPackets;
    std::vector<LossKind> lossKinds;
    std::optional<int64_t> retransmissions; //!< None if nothing was said of them

  private:
    int64_t& Value(AckColumn column)
    {
        return m_row[static_cast<size_t>(column)];
    }

    void Start(int64_t timeNs);
    void Attribute(int64_t timeNs, AckColumn column, int64_t value);
    /// Begin the row of an ACK, or give it the attributes that stood before it.
    void Ack(int64_t timeNs);
    LossKind KindOfLoss() const;

    std::vector<AckRow> m_acks;
    AckRow m_row{};
    AckedBytes m_acked;
    bool m_isOpen{false}; //!< Whether m_row is being read
    bool m_hasAck{false};
};

} // namespace logs

#endif // LOGS_ROWS_H
