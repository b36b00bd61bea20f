// SPDX-License-Identifier: MIT

#include "socket-numbers.h"

#include <algorithm>
#include <cstring>
#include <random>
#include <stdexcept>

namespace logs
{

namespace
{

constexpr size_t FIRST_SLOTS = 16;
constexpr size_t CHUNK_BYTES = 1 << 14;
constexpr size_t MOST_CHUNKS = (size_t{1} << 32) / CHUNK_BYTES;

uint64_t
Mixed(uint64_t value)
{
    value *= 0x9e3779b97f4a7c15;
    value ^= value >> 32;
    value *= 0xd6e8feb86659fd93;
    return value ^ value >> 32;
}

} // namespace

SocketNumbers::SocketNumbers()
    : m_slots(FIRST_SLOTS, {0, 0, UNKNOWN})
{
    std::random_device random;
    m_seed = uint64_t{random()} << 32 | random();
}

uint32_t
SocketNumbers::Hash(std::string_view ends) const
{
    auto hash = m_seed ^ ends.size();
    for (; ends.size() >= sizeof hash; ends.remove_prefix(sizeof hash))
    {
        uint64_t some = 0;
        std::memcpy(&some, ends.data(), sizeof some);
        hash = Mixed(hash ^ some);
    }
    uint64_t last = 0;
    std::memcpy(&last, ends.data(), ends.size());
    return static_cast<uint32_t>(Mixed(hash ^ last));
}

size_t
SocketNumbers::Place(std::string_view ends, uint32_t hash) const
{
    const auto isOther = [&](const Slot& slot) {
        if (slot.hash != hash)
        {
            return true;
        }
        const auto* const text = TextAt(slot.text);
        return static_cast<unsigned char>(*text) != ends.size() ||
               std::memcmp(text + 1, ends.data(), ends.size()) != 0;
    };
    const auto mask = m_slots.size() - 1;
    auto at = hash & mask;
    while (m_slots[at].number != UNKNOWN && isOther(m_slots[at]))
    {
        at = (at + 1) & mask;
    }
    return at;
}

void
SocketNumbers::Grow()
{
    std::vector<Slot> before(2 * m_slots.size(), {0, 0, UNKNOWN});
    before.swap(m_slots);
    const auto mask = m_slots.size() - 1;
    for (const auto& slot : before)
    {
        if (slot.number != UNKNOWN)
        {
            auto at = slot.hash & mask;
            while (m_slots[at].number != UNKNOWN)
            {
                at = (at + 1) & mask;
            }
            m_slots[at] = slot;
        }
    }
}

const char*
SocketNumbers::TextAt(uint32_t text) const
{
    return m_chunks[text / CHUNK_BYTES].get() + text % CHUNK_BYTES;
}

uint32_t
SocketNumbers::Kept(std::string_view ends)
{
    const auto bytes = ends.size() + 1;
    if (m_free < bytes)
    {
        if (m_chunks.size() == MOST_CHUNKS)
        {
            throw std::length_error("the texts of endpoints take too much");
        }
        m_chunks.push_back(std::make_unique<char[]>(CHUNK_BYTES));
        m_free = CHUNK_BYTES;
    }
    const auto at = m_chunks.size() * CHUNK_BYTES - m_free;
    m_free -= bytes;
    auto* const text = m_chunks.back().get() + at % CHUNK_BYTES;
    *text = static_cast<char>(ends.size());
    std::copy(ends.begin(), ends.end(), text + 1);
    return static_cast<uint32_t>(at);
}

void
SocketNumbers::Learn(std::string_view ends, int32_t number)
{
    if (ends.size() > MOST_BYTES)
    {
        throw std::invalid_argument("the text of two endpoints is too long");
    }
    if (8 * (m_known + 1) > 7 * m_slots.size())
    {
        Grow();
    }
    const auto hash = Hash(ends);
    auto& slot = m_slots[Place(ends, hash)];
    if (slot.number == UNKNOWN)
    {
        ++m_known;
        slot.text = Kept(ends);
        slot.hash = hash;
    }
    slot.number = number;
}

} // namespace logs
