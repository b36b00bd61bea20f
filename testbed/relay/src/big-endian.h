// SPDX-License-Identifier: MIT

#ifndef RELAY_BIG_ENDIAN_H
#define RELAY_BIG_ENDIAN_H

#include <cstdint>

namespace relay
{

/// @return The number of two bytes, as headers have it.
inline uint32_t
Read16(const uint8_t* at)
{
    return static_cast<uint32_t>(at[0]) << 8 | at[1];
}

/// @return The number of four bytes, as headers have it.
inline uint32_t
Read32(const uint8_t* at)
{
    return Read16(at) << 16 | Read16(at + 2);
}

} // namespace relay

#endif
