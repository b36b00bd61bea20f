// SPDX-License-Identifier: MIT

#ifndef LOGS_SUBFLOW_NUMBERS_H
#define LOGS_SUBFLOW_NUMBERS_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace logs
{

/// The numbers of subflows that are known, by token and identifier: a hash table of open addresses.
class SubflowNumbers
{
  public:
    /// Stands for a subflow that is not known.
    static constexpr int32_t UNKNOWN = -1;

    SubflowNumbers();

    int32_t Find(uint32_t token, uint16_t subflowId) const
    {
        return m_slots[Place(Key(token, subflowId))].number;
    }

    void Learn(uint32_t token, uint16_t subflowId, int32_t number);

  private:
    struct Slot
    {
        uint64_t key;
        int32_t number;
    };

    static uint64_t Key(uint32_t token, uint16_t subflowId)
    {
        return uint64_t{token} << 16 | subflowId;
    }

    /// @return Where a key is, or may be put.
    size_t Place(uint64_t key) const
    {
        // Who made a log may have chosen all keys: only the seed tells which of them meet.
        auto mixed = (key ^ m_seed) * 0x9e3779b97f4a7c15;
        mixed ^= mixed >> 32;
        mixed *= 0xd6e8feb86659fd93;
        auto at = mixed >> 32 & (m_slots.size() - 1);
        while (m_slots[at].number != UNKNOWN && m_slots[at].key != key)
        {
            at = (at + 1) & (m_slots.size() - 1);
        }
        return at;
    }

    uint64_t m_seed;
    size_t m_known{0};
    std::vector<Slot> m_slots; //!< A power of two, half of them free at least
};

} // namespace logs

#endif // LOGS_SUBFLOW_NUMBERS_H
