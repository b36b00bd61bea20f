// SPDX-License-Identifier: GPL-2.0-only
//
// The simulator's reader of agents on any bytes: an agent that it returns answers any state, and
// anything else is refused. Of every other input the first line is taken as that of a file whose
// weights have their digest: else none would come as far.

#include "agents/actor.h"
#include "holds.h"
#include "output/sha256.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

using namespace smartsbd;

namespace
{

/// @return The name of a file in memory that has the text.
std::string
Written(const std::string& text)
{
    static const int file = memfd_create("agent", 0);
    HOLDS(file >= 0 && ftruncate(file, 0) == 0);
    HOLDS(pwrite(file, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()));
    return "/proc/self/fd/" + std::to_string(file);
}

/// @return The file whose layers are a text's first line, and whose weights are the rest.
std::string
WithDigest(const std::string& text)
{
    const auto end = std::min(text.find('\n'), text.size());
    const auto weights = text.substr(std::min(end + 1, text.size()));
    std::string digits;
    for (const auto byte : Sha256(Bytes(weights.begin(), weights.end())))
    {
        char two[3];
        std::snprintf(two, sizeof(two), "%02x", byte);
        digits += two;
    }
    return R"({"format": "smartsbd-agent 1", "sha256": ")" + digits + R"(", "layers": )" +
           text.substr(0, end) + "}\n" + weights;
}

} // namespace

extern "C" int
TryAgent(const uint8_t* bytes, size_t size)
{
    const std::string text(bytes, bytes + size);
    try
    {
        auto actor = ReadActor(Written(size % 2 == 0 ? text : WithDigest(text)));
        HOLDS(actor.GetInputs() >= 1);
        const auto answer = actor.Answer(std::vector<double>(actor.GetInputs(), 0.5));
        HOLDS(std::abs(answer) <= 1 || std::isnan(answer));
    }
    catch (const AgentError& error)
    {
        HOLDS(error.what()[0] != '\0');
    }
    return 1;
}

#ifdef TRY
extern "C" int
LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size)
{
    TRY(bytes, size);
    return 0;
}
#endif
