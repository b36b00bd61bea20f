// SPDX-License-Identifier: GPL-2.0-only

#include "exported-verdicts.h"

#include <filesystem>
#include <fstream>
#include <system_error>

namespace smartsbd
{

namespace
{

/// Most bytes that a model file may have; more is none.
constexpr std::size_t MOST_BYTES = 1 << 24;

/**
 * @param path Name of a file.
 * @return Its bytes; of a longer one than a model may be, one more than that.
 * @throws ModelError if it cannot be read.
 */
std::string
Read(const std::string& path)
{
    // A pipe might never end, or never begin.
    if (std::error_code error; std::filesystem::exists(path, error) &&
                               !std::filesystem::is_regular_file(path, error))
    {
        throw ModelError("is no regular file");
    }
    std::ifstream file(path, std::ios::binary);
    std::string bytes(MOST_BYTES + 1, '\0');
    file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (!file.is_open() || file.bad())
    {
        throw ModelError("cannot be read");
    }
    bytes.resize(static_cast<std::size_t>(file.gcount()));
    if (bytes.size() > MOST_BYTES)
    {
        throw ModelError("refused, too large a model");
    }
    return bytes;
}

/**
 * @param seat What the source is made for.
 * @param values The parameters.
 * @return A source.
 */
std::unique_ptr<VerdictSource>
Create(const VerdictSeat& seat, const ParameterValues& values)
{
    return CreateExported(exported_loaded, Read(seat.model), seat, values);
}

} // namespace

extern const VerdictKind FILE_MODEL{
    {"file",
     "A model file (.sbd), which the program's option --model names.",
     WindowParameters()},
    Create,
    true,
};

} // namespace smartsbd
