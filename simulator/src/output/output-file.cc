// SPDX-License-Identifier: GPL-2.0-only

#include "output/output-file.h"

#include <cerrno>
#include <system_error>

namespace smartsbd
{

namespace
{

/**
 * @param path The file an operation failed on.
 */
[[noreturn]] void
Fail(const std::string& path)
{
    throw std::system_error(errno, std::generic_category(), path);
}

} // namespace

OutputFile::OutputFile(const std::string& path)
    : m_whole(path),
      m_file(std::fopen(m_whole.GetPart().c_str(), "wb"))
{
    if (!m_file)
    {
        Fail(path);
    }
}

OutputFile::~OutputFile()
{
    if (m_file)
    {
        std::fclose(m_file);
    }
}

void
OutputFile::Write(std::string_view text)
{
    std::fwrite(text.data(), 1, text.size(), m_file);
}

void
OutputFile::Close()
{
    const bool failed = std::ferror(m_file) != 0;
    const bool closed = std::fclose(m_file) == 0;
    m_file = nullptr;
    if (failed || !closed)
    {
        Fail(m_whole.GetPart());
    }
}

void
OutputFile::Publish()
{
    m_whole.Publish();
}

} // namespace smartsbd
