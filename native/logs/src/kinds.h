// SPDX-License-Identifier: MIT

#ifndef LOGS_KINDS_H
#define LOGS_KINDS_H

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace logs
{

/// What an event is of; docs/formats.md says what each tells.
enum class Kind : uint8_t
{
    RTT,
    SRTT,
    CA,
    ACK,
    UNA,
    DUP,
    LOSS,
    RTX,
    ECE,
    OWD,
    DACK,
    COUNT,
};

constexpr std::array<std::string_view, static_cast<size_t>(Kind::COUNT)> KIND_NAMES{
    "RTT", "SRTT", "CA", "ACK", "UNA", "DUP", "LOSS", "RTX", "ECE", "OWD", "DACK"};

/// Numbers that kinds have room for.
constexpr int64_t MOST_KINDS = 16;

static_assert(static_cast<int64_t>(Kind::COUNT) <= MOST_KINDS);

/// @return One number for what an event is of: its subflow's and its kind's.
inline int64_t
OfEvent(int32_t subflow, Kind kind)
{
    return subflow * MOST_KINDS + static_cast<int64_t>(kind);
}

/// How a log names a kind, and which values it may have.
struct NamedKind
{
    std::string name;            //!< In the log
    std::optional<Kind> kind;    //!< None if no table holds it
    int64_t least;               //!< Smallest value
    int64_t most;                //!< Largest value
    std::optional<int64_t> one;  //!< What counts, whatever the value in the log
    int64_t unused{0};           //!< How many records no table holds
};

/// The kinds that a log may name, found by their names.
class NamedKinds
{
  public:
    /// Longest name; one that is longer is none of these.
    static constexpr size_t MOST_LETTERS = 8;

    /// @throws std::invalid_argument if a name has not 1 to 8 letters, or there is no kind.
    explicit NamedKinds(std::vector<NamedKind> kinds);

    /// @return The kind of a name as NameOf makes it, nullptr if there is none.
    NamedKind* Find(uint64_t name)
    {
        for (size_t place = 0; place < m_names.size(); ++place)
        {
            if (m_names[place] == name)
            {
                return &m_kinds[place];
            }
        }
        return nullptr;
    }

    const std::vector<NamedKind>& All() const
    {
        return m_kinds;
    }

  private:
    std::vector<NamedKind> m_kinds;
    std::vector<uint64_t> m_names;
};

} // namespace logs

#endif // LOGS_KINDS_H
