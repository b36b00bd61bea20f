// SPDX-License-Identifier: MIT

#ifndef PACKETS_KEYED_HASH_H
#define PACKETS_KEYED_HASH_H

#include "frame.h"
#include "segment.h"

#include <cstddef>
#include <cstdint>

namespace packets
{

constexpr uint64_t HASH_KEYS[] = {0x9e3779b97f4a7c15U, 0x2545f4914f6cdd1dU, 0xbf58476d1ce4e5b9U};

/// @return A number that follows from two words and a seed, as chance would have it.
inline uint64_t
KeyedHash(uint64_t seed, uint64_t one, uint64_t other)
{
    __extension__ using Wide = unsigned __int128;
    const auto product = static_cast<Wide>(one ^ seed) * (other ^ seed ^ HASH_KEYS[0]);
    return static_cast<uint64_t>(product >> 64) ^ static_cast<uint64_t>(product);
}

/// @return The same of bytes. If they are fewer than eight, those behind are there, up to eight.
inline uint64_t
KeyedHash(uint64_t seed, const uint8_t* data, size_t bytes)
{
    constexpr size_t WORD = sizeof(uint64_t);
    auto hash = uint64_t{bytes};
    if (bytes < WORD)
    {
        return hash + KeyedHash(seed, Read64(data) & ~(~uint64_t{0} >> 8 * bytes), 0);
    }
    // The last words may overlap those before them, so that no byte behind is read.
    const auto* end = data + bytes;
    const auto* last = bytes < 2 * WORD ? data : end - 2 * WORD;
    for (; data < last; data += 2 * WORD)
    {
        hash += KeyedHash(seed, Read64(data), Read64(data + WORD));
        seed += HASH_KEYS[1];
    }
    return hash + KeyedHash(seed, Read64(last), Read64(end - WORD));
}

/// @return The same of an address and its port.
inline uint64_t
KeyedHash(uint64_t seed, const Endpoint& end)
{
    return KeyedHash(seed + end.high * HASH_KEYS[1], end.low, uint64_t{end.port} << 8 | end.family);
}

/// The two ends of a segment, by a key that nobody knows who wrote the capture.
struct HashedEnds
{
    uint64_t source;
    uint64_t destination;

    /// @return A number of the flow, the same for both directions.
    uint32_t OfFlow() const
    {
        return static_cast<uint32_t>((source + destination) >> 16);
    }
};

} // namespace packets

#endif // PACKETS_KEYED_HASH_H
