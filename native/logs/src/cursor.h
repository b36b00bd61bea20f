// SPDX-License-Identifier: MIT

#ifndef LOGS_CURSOR_H
#define LOGS_CURSOR_H

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace logs
{

inline bool
IsDigit(char one)
{
    return static_cast<unsigned char>(one - '0') < 10;
}

/// What white space is to a regular expression for bytes.
inline bool
IsSpace(char one)
{
    return one == ' ' || static_cast<unsigned char>(one - '\t') < 5;
}

/**
 * A place in a line, before which all was as expected.
 *
 * The byte that ends what is read must be there: the line's own end, or a quote. Nothing here takes
 * it for a part of what it looks for, so no byte beyond is looked at.
 */
class Cursor
{
  public:
    /**
     * @param at Where the line, or a part of it, begins.
     * @param end Beyond the byte that ends it, or anything behind that.
     */
    Cursor(const char* at, const char* end)
        : m_at(at),
          m_end(end)
    {
    }

    const char* At() const
    {
        return m_at;
    }

    void MoveTo(const char* at)
    {
        m_at = at;
    }

    /// Pass over a text without line ends and quotes; false if it is not there.
    template <size_t BYTES>
    bool Skip(const char (&text)[BYTES])
    {
        // Of a length that is known, so that it is compared in a few steps.
        constexpr size_t SIZE = BYTES - 1;
        if (static_cast<size_t>(m_end - m_at) <= SIZE || std::memcmp(m_at, text, SIZE) != 0)
        {
            return false;
        }
        m_at += SIZE;
        return true;
    }

    /// Read a decimal number of one digit at least; false if there is none, or it has more digits.
    bool Decimal(size_t mostDigits, uint64_t& value)
    {
        const auto* const first = m_at;
        value = 0;
        while (IsDigit(*m_at))
        {
            if (static_cast<size_t>(m_at - first) == mostDigits)
            {
                return false;
            }
            value = 10 * value + static_cast<uint64_t>(*m_at++ - '0');
        }
        return m_at != first;
    }

    /// Pass over a decimal number.
    bool SkipDecimal(size_t mostDigits)
    {
        const auto* const first = m_at;
        while (IsDigit(*m_at))
        {
            ++m_at;
        }
        return m_at != first && static_cast<size_t>(m_at - first) <= mostDigits;
    }

    /// Read a hexadecimal number in small letters of 32 bits.
    bool Hexadecimal(uint32_t& value)
    {
        constexpr size_t MOST_DIGITS = 8;
        const auto* const first = m_at;
        value = 0;
        for (;; ++m_at)
        {
            const auto letter = static_cast<unsigned char>(*m_at - 'a');
            if (!IsDigit(*m_at) && letter >= 6)
            {
                return m_at != first;
            }
            if (static_cast<size_t>(m_at - first) == MOST_DIGITS)
            {
                return false;
            }
            value = value << 4 | (letter < 6 ? letter + 10U : static_cast<uint32_t>(*m_at - '0'));
        }
    }

    /// Read seconds with a fraction, as nanoseconds: less than 2^64, not always than 2^63.
    bool Seconds(uint64_t& timeNs)
    {
        constexpr size_t MOST_WHOLE = 10;
        constexpr size_t MOST_FRACTION = 9;
        uint64_t whole = 0;
        uint64_t fraction = 0;
        if (!Decimal(MOST_WHOLE, whole) || !Skip("."))
        {
            return false;
        }
        const auto* const first = m_at;
        if (!Decimal(MOST_FRACTION, fraction))
        {
            return false;
        }
        for (auto digits = static_cast<size_t>(m_at - first); digits < MOST_FRACTION; ++digits)
        {
            fraction *= 10;
        }
        timeNs = whole * 1'000'000'000 + fraction;
        return true;
    }

    /// Read a word without white space; false if it is shorter or longer.
    bool Word(size_t least, size_t most, std::string_view& word)
    {
        const auto* const first = m_at;
        while (!IsSpace(*m_at))
        {
            ++m_at;
        }
        const auto size = static_cast<size_t>(m_at - first);
        word = {first, size};
        return size >= least && size <= most;
    }

    /// Pass over the line's end; false if something stands before it.
    bool SkipLineEnd()
    {
        if (*m_at == '\r')
        {
            ++m_at;
        }
        return *m_at == '\n' && ++m_at != nullptr;
    }

  private:
    const char* m_at;
    const char* m_end;
};

} // namespace logs

#endif // LOGS_CURSOR_H
