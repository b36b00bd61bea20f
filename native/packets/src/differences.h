// SPDX-License-Identifier: MIT

#ifndef PACKETS_DIFFERENCES_H
#define PACKETS_DIFFERENCES_H

#include <cstdint>
#include <cstring>

namespace packets
{

// A number takes 0, 2, 4 or 8 bytes: no branch depends on it, which none could foresee.
constexpr uint8_t NUMBER_BYTES[] = {0, 2, 4, 8};
constexpr uint64_t NUMBER_MASK[] = {0, UINT16_MAX, UINT32_MAX, UINT64_MAX};

/// Bits of a head that say how many bytes a number takes.
constexpr unsigned SIZE_BITS = 2;

/**
 * Put a number down.
 *
 * @param at Where, with room for eight bytes.
 * @param number The number.
 * @param shift Where in the head its size goes.
 * @param head Gets it.
 * @return What follows the number.
 */
template <class Head>
inline uint8_t*
PutNumber(uint8_t* at, uint64_t number, unsigned shift, Head& head)
{
    const auto size =
        static_cast<Head>((number > 0) + (number > UINT16_MAX) + (number > UINT32_MAX));
    std::memcpy(at, &number, sizeof number);
    head = static_cast<Head>(head | size << shift);
    return at + NUMBER_BYTES[size];
}

/// Put a number down in so many bytes, which are enough, as PutNumber() does in the fewest.
template <class Bytes, class Head>
inline uint8_t*
PutAs(uint8_t* at, uint64_t number, unsigned shift, Head& head)
{
    constexpr unsigned size = sizeof(Bytes) / 2 - sizeof(Bytes) / 8;
    static_assert(NUMBER_BYTES[size] == sizeof(Bytes));
    const auto bytes = static_cast<Bytes>(number);
    std::memcpy(at, &bytes, sizeof bytes);
    head = static_cast<Head>(head | size << shift);
    return at + sizeof bytes;
}

/// Take a number that PutNumber() put down; eight bytes can be read. `at` is set to what follows.
template <class Head>
inline uint64_t
TakeNumber(const uint8_t*& at, unsigned shift, Head head)
{
    uint64_t number;
    const auto size = head >> shift & 3U;
    std::memcpy(&number, at, sizeof number);
    at += NUMBER_BYTES[size];
    return number & NUMBER_MASK[size];
}

/// Small numbers of either sign become small ones without.
inline uint64_t
Folded(int64_t number)
{
    return static_cast<uint64_t>(number) << 1 ^ static_cast<uint64_t>(number >> 63);
}

inline int64_t
Unfolded(uint64_t number)
{
    return static_cast<int64_t>(number >> 1 ^ (0 - (number & 1)));
}

} // namespace packets

#endif // PACKETS_DIFFERENCES_H
