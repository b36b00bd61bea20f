// SPDX-License-Identifier: MIT

#ifndef PACKETS_FREE_MEMORY_H
#define PACKETS_FREE_MEMORY_H

#include <cstdlib>
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace packets
{

/// Give memory that is free back: in small pieces it would stay with the process, of no use to it.
inline void
ReturnMemory()
{
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

} // namespace packets

#endif // PACKETS_FREE_MEMORY_H
