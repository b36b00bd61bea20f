// SPDX-License-Identifier: GPL-2.0-only

#include "output/whole-file.h"

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

namespace smartsbd
{

namespace fs = std::filesystem;

namespace
{

/// As many links as Linux follows.
constexpr int MOST_LINKS = 40;

/**
 * @param path A file's name.
 * @return What it names once links are followed, also one to a file that is not there yet.
 */
fs::path
Resolve(const std::string& path)
{
    auto place = fs::weakly_canonical(path);
    for (int links = 0; fs::is_symlink(fs::symlink_status(place)); ++links)
    {
        if (links == MOST_LINKS)
        {
            throw std::system_error(ELOOP, std::generic_category(), path);
        }
        place = fs::weakly_canonical(place.parent_path() / fs::read_symlink(place));
    }
    return place;
}

} // namespace

WholeFile::WholeFile(const std::string& path)
{
    const auto place = Resolve(path);
    const bool isDevice = fs::exists(place) && !fs::is_regular_file(place);
    m_place = place.string();
    const auto part = place.parent_path() / ("." + place.filename().string() + ".part");
    m_part = isDevice ? m_place : part.string();
}

WholeFile::~WholeFile()
{
    if (!m_isPublished && m_part != m_place)
    {
        std::remove(m_part.c_str());
    }
}

const std::string&
WholeFile::GetPart() const
{
    return m_part;
}

void
WholeFile::Publish()
{
    if (m_part != m_place && std::rename(m_part.c_str(), m_place.c_str()) != 0)
    {
        throw std::system_error(errno, std::generic_category(), m_place);
    }
    m_isPublished = true;
}

} // namespace smartsbd
