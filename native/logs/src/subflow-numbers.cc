// SPDX-License-Identifier: MIT

#include "subflow-numbers.h"

#include <random>

namespace logs
{

namespace
{

constexpr size_t FIRST_SLOTS = 16;

} // namespace

SubflowNumbers::SubflowNumbers()
    : m_slots(FIRST_SLOTS, {0, UNKNOWN})
{
    std::random_device random;
    m_seed = uint64_t{random()} << 32 | random();
}

void
SubflowNumbers::Learn(uint32_t token, uint16_t subflowId, int32_t number)
{
    if (2 * (m_known + 1) > m_slots.size())
    {
        std::vector<Slot> before(2 * m_slots.size(), {0, UNKNOWN});
        before.swap(m_slots);
        for (const auto& slot : before)
        {
            if (slot.number != UNKNOWN)
            {
                m_slots[Place(slot.key)] = slot;
            }
        }
    }
    const auto key = Key(token, subflowId);
    auto& slot = m_slots[Place(key)];
    m_known += slot.number == UNKNOWN;
    slot = {key, number};
}

} // namespace logs
