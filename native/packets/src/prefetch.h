// SPDX-License-Identifier: MIT

#ifndef PACKETS_PREFETCH_H
#define PACKETS_PREFETCH_H

#include <cstddef>

namespace packets
{

constexpr size_t CACHE_LINE_BYTES = 64;

/// Fetch some bytes into the cache; there need be nothing at the address.
template <size_t bytes>
inline void
PrefetchLines(const void* address)
{
#pragma GCC unroll 16
    for (size_t at = 0; at < bytes; at += CACHE_LINE_BYTES)
    {
        __builtin_prefetch(static_cast<const char*>(address) + at);
    }
}

} // namespace packets

#endif // PACKETS_PREFETCH_H
