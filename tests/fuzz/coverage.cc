// SPDX-License-Identifier: MIT
//
// Tells libFuzzer which code of a module ran and what it compared. GCC calls these functions;
// libFuzzer itself has the ones that Clang calls, in a library that is loaded where GCC's calls do
// not find it.

#include <array>
#include <cstddef>
#include <cstdint>
#include <dlfcn.h>

namespace {

constexpr std::size_t kPlaces = 1 << 16;

// How often each place ran since libFuzzer looked, places put together by a hash of their
// addresses.
std::array<std::uint8_t, kPlaces> ran;

// libFuzzer wants an address and flags of each counter.
struct Place
{
    std::uintptr_t address;
    std::uintptr_t flags;
};
std::array<Place, kPlaces> places;

template <typename Number>
using Compared = void (*)(Number, Number);
Compared<std::uint8_t> compared1;
Compared<std::uint16_t> compared2;
Compared<std::uint32_t> compared4;
Compared<std::uint64_t> compared8;
void (*switched)(std::uint64_t, std::uint64_t*);

template <typename Function>
bool
Find(void* library, const char* name, Function& function)
{
    function = reinterpret_cast<Function>(dlsym(library, name));
    return function != nullptr;
}

template <typename Number>
void
Tell(Compared<Number> compared, Number first, Number second)
{
    if (compared != nullptr)
    {
        compared(first, second);
    }
}

} // namespace

extern "C"
{

// Joins libFuzzer, loaded from the file named; 0 if it is not there.
int
CoverageJoin(const char* path)
{
    void* library = dlopen(path, RTLD_NOLOAD | RTLD_LAZY);
    void (*counters)(std::uint8_t*, std::uint8_t*);
    void (*addresses)(const Place*, const Place*);
    if (library == nullptr || !Find(library, "__sanitizer_cov_8bit_counters_init", counters) ||
        !Find(library, "__sanitizer_cov_pcs_init", addresses) ||
        !Find(library, "__sanitizer_cov_trace_cmp1", compared1) ||
        !Find(library, "__sanitizer_cov_trace_cmp2", compared2) ||
        !Find(library, "__sanitizer_cov_trace_cmp4", compared4) ||
        !Find(library, "__sanitizer_cov_trace_cmp8", compared8) ||
        !Find(library, "__sanitizer_cov_trace_switch", switched))
    {
        return 0;
    }
    for (std::size_t place = 0; place < kPlaces; ++place)
    {
        places[place] = {reinterpret_cast<std::uintptr_t>(&ran[place]), 0};
    }
    counters(ran.data(), ran.data() + ran.size());
    addresses(places.data(), places.data() + places.size());
    return 1;
}

void
__sanitizer_cov_trace_pc()
{
    const auto address = reinterpret_cast<std::uint64_t>(__builtin_return_address(0));
    // Fibonacci hashing: the upper bits of the product are mixed best.
    ++ran[address * 0x9e3779b97f4a7c15 >> 48];
}

void
__sanitizer_cov_trace_cmp1(std::uint8_t first, std::uint8_t second)
{
    Tell(compared1, first, second);
}

void
__sanitizer_cov_trace_cmp2(std::uint16_t first, std::uint16_t second)
{
    Tell(compared2, first, second);
}

void
__sanitizer_cov_trace_cmp4(std::uint32_t first, std::uint32_t second)
{
    Tell(compared4, first, second);
}

void
__sanitizer_cov_trace_cmp8(std::uint64_t first, std::uint64_t second)
{
    Tell(compared8, first, second);
}

void
__sanitizer_cov_trace_const_cmp1(std::uint8_t first, std::uint8_t second)
{
    Tell(compared1, first, second);
}

void
__sanitizer_cov_trace_const_cmp2(std::uint16_t first, std::uint16_t second)
{
    Tell(compared2, first, second);
}

void
__sanitizer_cov_trace_const_cmp4(std::uint32_t first, std::uint32_t second)
{
    Tell(compared4, first, second);
}

void
__sanitizer_cov_trace_const_cmp8(std::uint64_t first, std::uint64_t second)
{
    Tell(compared8, first, second);
}

void
__sanitizer_cov_trace_cmpf(float, float)
{
}

void
__sanitizer_cov_trace_cmpd(double, double)
{
}

void
__sanitizer_cov_trace_switch(std::uint64_t value, std::uint64_t* cases)
{
    if (switched != nullptr)
    {
        switched(value, cases);
    }
}

} // extern "C"
