// SPDX-License-Identifier: MIT

#include "messages.h"

#include "cursor.h"

#include <array>
#include <bit>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace logs
{

namespace
{

constexpr std::string_view MESSAGE = "MESSAGE";
constexpr size_t MOST_NUMBER_DIGITS = 18;
constexpr size_t MOST_PRIORITY_DIGITS = 10;
constexpr size_t MOST_FLAGS = 64;

/// A journal's entry has some 25 texts, each in two quotes; one with more than these is odd.
constexpr size_t MOST_QUOTES = 512;

/// As many bytes as are looked at in one step.
constexpr size_t STEP = 16;

/// Which bytes of a step are odd, and which are quotes: a bit each.
struct Marks
{
    unsigned odd;    //!< An escape, or no printable ASCII
    unsigned quotes; //!< A quote
};

#ifdef __SSE2__
Marks
MarksOf(const char* bytes)
{
    static_assert(sizeof(__m128i) == STEP);
    const auto step = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes));
    const auto isEscape = _mm_cmpeq_epi8(step, _mm_set1_epi8('\\'));
    const auto isDelete = _mm_cmpeq_epi8(step, _mm_set1_epi8('\x7f'));
    // With their signs: what is not ASCII is less than nothing.
    const auto isControl = _mm_cmplt_epi8(step, _mm_set1_epi8(' '));
    const auto isOdd = _mm_or_si128(isEscape, _mm_or_si128(isDelete, isControl));
    const auto isQuote = _mm_cmpeq_epi8(step, _mm_set1_epi8('"'));
    return {static_cast<unsigned>(_mm_movemask_epi8(isOdd)),
            static_cast<unsigned>(_mm_movemask_epi8(isQuote))};
}
#else
Marks
MarksOf(const char* bytes)
{
    Marks marks{0, 0};
    for (size_t at = 0; at < STEP; ++at)
    {
        // Without its sign, which is the processor's choice.
        const auto byte = static_cast<unsigned char>(bytes[at]);
        marks.odd |= static_cast<unsigned>(byte == '\\' || byte < ' ' || byte > '~') << at;
        marks.quotes |= static_cast<unsigned>(byte == '"') << at;
    }
    return marks;
}
#endif

/// Where the quotes of a line are.
class Quotes
{
  public:
    /// @return Whether all bytes are printable ASCII, none begins an escape, and quotes are few.
    bool Find(std::string_view line)
    {
        size_t at = 0;
        for (; at + STEP <= line.size(); at += STEP)
        {
            Look(line.data() + at, at);
        }
        std::array<char, STEP> last;
        last.fill(' ');
        line.copy(last.data(), STEP, at);
        Look(last.data(), at);
        return m_odd == 0 && m_count <= MOST_QUOTES;
    }

    size_t Count() const
    {
        return m_count;
    }

    size_t operator[](size_t number) const
    {
        return m_places[number];
    }

  private:
    /// Look at the bytes of one step.
    void Look(const char* bytes, size_t at)
    {
        auto [odd, quotes] = MarksOf(bytes);
        m_odd |= odd;
        for (; quotes != 0; quotes &= quotes - 1)
        {
            m_places[m_count++ % MOST_QUOTES] =
                static_cast<uint32_t>(at) + static_cast<uint32_t>(std::countr_zero(quotes));
        }
    }

    std::array<uint32_t, MOST_QUOTES> m_places;
    size_t m_count{0};
    unsigned m_odd{0};
};

/// @return Whether a text is one sign, and spaces on either side or none.
bool
IsSign(std::string_view text, char sign)
{
    const auto at = text.find_first_not_of(' ');
    return at != std::string_view::npos && text[at] == sign &&
           text.find_first_not_of(' ', at + 1) == std::string_view::npos;
}

} // namespace

std::optional<std::string_view>
JournalMessage(std::string_view line)
{
    constexpr size_t OF_A_FIELD = 4;
    Quotes quotes;
    if (!quotes.Find(line) || quotes.Count() % OF_A_FIELD != 0)
    {
        return {};
    }
    std::optional<std::string_view> message;
    size_t end = 0;
    for (size_t first = 0; first < quotes.Count(); first += OF_A_FIELD)
    {
        const auto name = quotes[first] + 1;
        const auto nameEnd = quotes[first + 1];
        const auto text = quotes[first + 2] + 1;
        const auto textEnd = quotes[first + 3];
        if (!IsSign(line.substr(end, name - 1 - end), first == 0 ? '{' : ',') ||
            !IsSign(line.substr(nameEnd + 1, text - 1 - (nameEnd + 1)), ':'))
        {
            return {};
        }
        if (line.substr(name, nameEnd - name) == MESSAGE)
        {
            if (message)
            {
                return {};
            }
            message = line.substr(text, textEnd - text);
        }
        end = textEnd + 1;
    }
    return IsSign(line.substr(end), '}') ? message : std::nullopt;
}

std::optional<KmsgRecord>
KmsgMessage(const char* line, const char* end)
{
    // The byte at the end is the line's.
    Cursor cursor(line, end + 1);
    uint64_t sequence = 0;
    if (!cursor.SkipDecimal(MOST_PRIORITY_DIGITS) || !cursor.Skip(",") ||
        !cursor.Decimal(MOST_NUMBER_DIGITS, sequence) || !cursor.Skip(",") ||
        !cursor.SkipDecimal(MOST_NUMBER_DIGITS) || !cursor.Skip(","))
    {
        return {};
    }
    const std::string_view rest(cursor.At(), static_cast<size_t>(end - cursor.At()));
    const auto flags = rest.substr(0, MOST_FLAGS + 1).find(';');
    if (flags == std::string_view::npos)
    {
        return {};
    }
    return KmsgRecord{static_cast<int64_t>(sequence), rest.substr(flags + 1)};
}

} // namespace logs
