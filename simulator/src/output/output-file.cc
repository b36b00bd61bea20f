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
    : m_path(path),
      m_partPath(path + ".part"),
      m_file(std::fopen(m_partPath.c_str(), "wb"))
{
    if (!m_file)
    {
        Fail(m_partPath);
    }
}

OutputFile::~OutputFile()
{
    if (m_file)
    {
        std::fclose(m_file);
    }
    if (!m_published)
    {
        std::remove(m_partPath.c_str());
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
        Fail(m_partPath);
    }
}

void
OutputFile::Publish()
{
    if (std::rename(m_partPath.c_str(), m_path.c_str()) != 0)
    {
        Fail(m_path);
    }
    m_published = true;
}

} // namespace smartsbd
