// SPDX-License-Identifier: MIT

#ifndef PACKETS_BOUNDS_H
#define PACKETS_BOUNDS_H

#include <cstddef>
#include <cstdint>

namespace packets
{

/// Times are added to later on: half of what an int64_t holds.
constexpr int64_t MAX_TIME_NS = int64_t{1} << 62;

/// Stands for "not observed"; written as null.
constexpr int64_t NOT_OBSERVED = INT64_MIN;

/// Of which no window is: a number farther away is none of this connection's.
constexpr int64_t MAX_AWAY_BYTES = int64_t{1} << 28;

/// Pieces of a window that are kept; of more, the oldest are taken as acknowledged.
constexpr size_t MAX_PIECES = size_t{1} << 15;

/// Timestamps of which it is known when they passed.
constexpr size_t MAX_STAMPS = 4096;

/// TCP without its handshake is taken for plain if so many segments have no MPTCP option.
constexpr int64_t MANY_SEGMENTS = 64;

/// Rows of an end that can only be read together, as many as a table is built of at once.
constexpr uint32_t PART_ROWS = 1U << 16;

/// Rows that one call reads, of all ends it is asked for; a row takes 64 bytes.
constexpr int64_t MAX_ROWS_AT_ONCE = int64_t{1} << 20;

/// Packets written out of order within so many are put in order, unless 16,384 records that are
/// refused stand between them.
constexpr size_t OUT_OF_ORDER_SEGMENTS = 64;

/// Places for segments that wait; a power of two, more than wait.
constexpr size_t WAITING_PLACES = 128;

/// Segments that are remembered, to tell copies of a packet.
constexpr size_t SEEN_SEGMENTS = 2048;

/// A packet that is captured again so much later is no copy: a host's own queue is rarely longer.
constexpr int64_t COPY_NS = 1'000'000'000;

/// No timer of a sender is as short (TCP_TIMEOUT_MIN of Linux has 2 ms).
constexpr int64_t NO_TIMER_NS = 1'000'000;

/// Two that look the same, of one interface and without a number, are farther apart no copies.
constexpr int64_t SAME_WAY_NS = 500'000;

/// Segments in order that are gathered before the flows take them, each flow all of its own.
constexpr uint16_t GATHERED_SEGMENTS = 4096;

/// A connection that has ended and is silent for so long is done with: twice the longest RTO.
constexpr int64_t OVER_NS = 240'000'000'000;

/// A connection that is silent for so long is left.
constexpr int64_t IDLE_NS = 3'600'000'000'000;

/// Connections alive that are kept at once; of more, the longest silent are left.
constexpr size_t MAX_FLOWS = size_t{1} << 17;

/// Subflows of a capture that are kept, if the caller does not say.
constexpr size_t MAX_SUBFLOWS = 100'000;

/// Of TCP without MPTCP, flows whose ends sent less than this are kept as far as these go.
constexpr int64_t BULK_BYTES = int64_t{1} << 16;
constexpr size_t MAX_SMALL_FLOWS = 1024;

/// @return The number nearest to `previous` whose low 32 bits are `low32`.
inline int64_t
Unwrapped(int64_t previous, uint32_t low32)
{
    return previous + static_cast<int32_t>(low32 - static_cast<uint32_t>(previous));
}

} // namespace packets

#endif // PACKETS_BOUNDS_H
