// SPDX-License-Identifier: MIT

#ifndef PACKETS_PREFETCH_H
#define PACKETS_PREFETCH_H

#include <cstddef>

namespace packets
{

/// Fetch some bytes into the cache; there need be nothing at the address.
inline void
PrefetchLines(const void* address, size_t bytes)
{
    constexpr size_t line = 64;
    for (size_t at = 0; at < bytes; at += line)
    {
        __builtin_prefetch(static_cast<const char*>(address) + at);
    }
}

} // namespace packets

#endif // PACKETS_PREFETCH_H
