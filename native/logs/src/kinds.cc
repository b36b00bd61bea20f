// SPDX-License-Identifier: MIT

#include "kinds.h"

#include <stdexcept>

namespace logs
{

NamedKinds::NamedKinds(std::vector<NamedKind> kinds)
    : m_kinds(std::move(kinds))
{
    for (const auto& one : m_kinds)
    {
        if (one.name.empty() || one.name.size() > MOST_LETTERS)
        {
            throw std::invalid_argument("the name of a kind has 1 to 8 letters");
        }
        uint64_t name = 0;
        for (const char letter : one.name)
        {
            name = name << 8 | static_cast<unsigned char>(letter);
        }
        m_names.push_back(name);
    }
}

} // namespace logs
