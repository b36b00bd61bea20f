// SPDX-License-Identifier: MIT

#ifndef PACKETS_STAMPS_H
#define PACKETS_STAMPS_H

#include "bounds.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace packets
{

/// When timestamps passed first: the newest, each newer than the one before.
class Stamps
{
  public:
    /// Fetch what is looked at into the cache.
    void Prefetch() const
    {
        __builtin_prefetch(m_stamps.data() + m_head);
        __builtin_prefetch(m_stamps.data() + (std::max<size_t>(1, m_stamps.size()) - 1));
    }

    /// Take a timestamp that passes; one that is no newer than another is known or late.
    void Take(uint32_t tsval, int64_t timeNs)
    {
        if (m_head == m_stamps.size())
        {
            m_stamps.clear();
            m_head = 0;
            m_stamps.push_back({tsval, timeNs});
            return;
        }
        const auto value = Unwrapped(m_stamps.back().value, tsval);
        if (value <= m_stamps.back().value)
        {
            return;
        }
        m_stamps.push_back({value, timeNs});
        if (m_stamps.size() - m_head > MAX_STAMPS)
        {
            ++m_head;
        }
        if (m_head > MIN_DROPPED && 2 * m_head > m_stamps.size())
        {
            m_stamps.erase(m_stamps.begin(), m_stamps.begin() + static_cast<ptrdiff_t>(m_head));
            m_head = 0;
        }
    }

    /// @return When a timestamp passed, -1 if it is not known.
    int64_t Find(uint32_t tsval) const
    {
        const auto place = Place(tsval);
        return place == m_stamps.size() ? -1 : m_stamps[place].timeNs;
    }

    /// Forget what is older than a timestamp that is known: echoes do not go back.
    void DropBefore(uint32_t tsval)
    {
        if (m_head == m_stamps.size())
        {
            return;
        }
        const auto value = Unwrapped(m_stamps.back().value, tsval);
        if (value <= m_stamps.back().value)
        {
            while (m_stamps[m_head].value < value)
            {
                ++m_head;
            }
        }
    }

    /// Forget a timestamp and all before it; return when it passed, -1 if it is not known.
    int64_t Pop(uint32_t tsval)
    {
        const auto place = Place(tsval);
        if (place == m_stamps.size())
        {
            return -1;
        }
        m_head = place + 1;
        return m_stamps[place].timeNs;
    }

  private:
    static constexpr size_t MIN_DROPPED = 8;

    struct Stamp
    {
        int64_t value; //!< Unwrapped
        int64_t timeNs;
    };

    /// @return Where a timestamp is, the size of all if it is not there.
    size_t Place(uint32_t tsval) const
    {
        if (m_head == m_stamps.size())
        {
            return m_stamps.size();
        }
        const auto value = Unwrapped(m_stamps.back().value, tsval);
        if (m_stamps[m_head].value == value)
        {
            return m_head;
        }
        const auto found =
            std::lower_bound(m_stamps.begin() + static_cast<ptrdiff_t>(m_head),
                             m_stamps.end(),
                             value,
                             [](const Stamp& one, int64_t sought) { return one.value < sought; });
        return found != m_stamps.end() && found->value == value
                   ? static_cast<size_t>(found - m_stamps.begin())
                   : m_stamps.size();
    }

    std::vector<Stamp> m_stamps;
    size_t m_head{0}; //!< What is before is forgotten
};

} // namespace packets

#endif // PACKETS_STAMPS_H
