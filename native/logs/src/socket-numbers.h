// SPDX-License-Identifier: MIT

#ifndef LOGS_SOCKET_NUMBERS_H
#define LOGS_SOCKET_NUMBERS_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace logs
{

/// The numbers of subflows that are known by their endpoints: a hash table of open addresses.
class SocketNumbers
{
  public:
    /// Stands for a subflow that is not known.
    static constexpr int32_t UNKNOWN = -1;
    /// Longest text of two endpoints.
    static constexpr size_t MOST_BYTES = 255;

    SocketNumbers();

    int32_t Find(std::string_view ends) const
    {
        return m_slots[Place(ends, Hash(ends))].number;
    }

    /// @throws std::invalid_argument if the text is longer than MOST_BYTES.
    void Learn(std::string_view ends, int32_t number);

  private:
    struct Slot
    {
        uint32_t text; //!< Where how long it is, and the text, are in all chunks
        uint32_t hash;
        int32_t number;
    };

    uint32_t Hash(std::string_view ends) const;
    size_t Place(std::string_view ends, uint32_t hash) const;
    void Grow();
    uint32_t Kept(std::string_view ends);
    const char* TextAt(uint32_t text) const;

    uint64_t m_seed; //!< Who made a log may have chosen all texts: it tells which of them meet
    size_t m_known{0};
    std::vector<Slot> m_slots; //!< A power of two, an eighth of them free at least
    std::vector<std::unique_ptr<char[]>> m_chunks;
    size_t m_free{0}; //!< Bytes left in the last of them
};

} // namespace logs

#endif // LOGS_SOCKET_NUMBERS_H
