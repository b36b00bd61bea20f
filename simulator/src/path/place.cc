// SPDX-License-Identifier: GPL-2.0-only

#include "path/place.h"

#include "scenario.h"

#include <algorithm>
#include <cmath>
#include <regex>
#include <stdexcept>

namespace smartsbd
{

namespace
{

using nlohmann::json;

/// What the schema says of a value of which only its presence is checked.
const json ANYTHING = json::object();

/// Letters that are shown of a value or a key.
constexpr std::size_t MOST_LETTERS = 64;

/**
 * @param value A value.
 * @return Its text in ASCII: a terminal might obey other letters, and a cut would split one.
 */
std::string
PrintAscii(const json& value)
{
    return value.dump(-1, ' ', true);
}

/**
 * @param text A text.
 * @return The text, or its beginning if it is long.
 */
std::string
Cut(const std::string& text)
{
    return text.size() <= MOST_LETTERS ? text : text.substr(0, MOST_LETTERS - 3) + "...";
}

/**
 * @param end An end of an interval.
 * @return The shortest text for it.
 */
std::string
PrintEnd(double end)
{
    if (std::isinf(end))
    {
        return end < 0 ? "-inf" : "inf";
    }
    return end == std::trunc(end) ? json(static_cast<int64_t>(end)).dump() : json(end).dump();
}

/**
 * @param names Some names.
 * @return The names in one line.
 */
std::string
Join(const std::vector<std::string>& names)
{
    std::string line;
    for (const auto& name : names)
    {
        line += (line.empty() ? "" : ", ") + name;
    }
    return line;
}

} // namespace

bool
Range::Holds(double value) const
{
    return (lowIncluded ? value >= low : value > low) &&
           (highIncluded ? value <= high : value < high);
}

Range
Range::Intersect(const Range& other) const
{
    Range both = *this;
    if (other.low > low || (other.low == low && !other.lowIncluded))
    {
        both.low = other.low;
        both.lowIncluded = other.lowIncluded;
    }
    if (other.high < high || (other.high == high && !other.highIncluded))
    {
        both.high = other.high;
        both.highIncluded = other.highIncluded;
    }
    return both;
}

std::string
Range::Print() const
{
    return (lowIncluded && std::isfinite(low) ? "[" : "(") + PrintEnd(low) + ", " +
           PrintEnd(high) + (highIncluded && std::isfinite(high) ? "]" : ")");
}

Place::Place(const json& value, const json& schema, std::string pointer)
    : m_value(value),
      m_schema(schema),
      m_pointer(std::move(pointer))
{
}

void
Place::Fail(const std::string& reason) const
{
    throw ScenarioError((m_pointer.empty() ? "/" : m_pointer) + ": " + reason);
}

void
Place::CheckKeys() const
{
    CheckObject();
    const auto& properties = m_schema.at("properties");
    for (const auto& item : m_value.items())
    {
        if (!properties.contains(item.key()))
        {
            const auto key = PrintAscii(item.key());
            Place(item.value(), ANYTHING, m_pointer + "/" + Cut(key.substr(1, key.size() - 2)))
                .Fail("unknown key");
        }
    }
    for (const auto& key : m_schema.at("required"))
    {
        Require(key.get<std::string>());
    }
}

bool
Place::Has(std::string_view key) const
{
    return m_value.is_object() && m_value.contains(key);
}

Place
Place::operator[](std::string_view key) const
{
    const std::string name(key);
    return Place(m_value.at(name), m_schema.at("properties").at(name), m_pointer + "/" + name);
}

std::vector<Place>
Place::Items() const
{
    if (!m_value.is_array())
    {
        Fail(Print() + " is not an array");
    }
    const Range size{m_schema.value("minItems", 0.0), m_schema.at("maxItems").get<double>()};
    if (!size.Holds(static_cast<double>(m_value.size())))
    {
        Fail(std::to_string(m_value.size()) + " items, not in " + size.Print());
    }
    const bool alike = m_schema.contains("items");
    std::vector<Place> items;
    for (std::size_t i = 0; i < m_value.size(); ++i)
    {
        const auto& schema = alike ? m_schema.at("items") : m_schema.at("prefixItems").at(i);
        items.emplace_back(m_value[i], schema, m_pointer + "/" + std::to_string(i));
    }
    return items;
}

bool
Place::Boolean() const
{
    if (!m_value.is_boolean())
    {
        Fail(Print() + " is not true or false");
    }
    return m_value.get<bool>();
}

bool
Place::IsNull() const
{
    return m_value.is_null();
}

double
Place::Number(const Range& within) const
{
    if (!m_value.is_number())
    {
        Fail(Print() + " is not a number");
    }
    const auto number = m_value.get<double>();
    const auto range = GetLimits().Intersect(within);
    if (!range.Holds(number))
    {
        Fail(Print() + " is not in " + range.Print());
    }
    return number;
}

uint32_t
Place::Integer(const Range& within) const
{
    if (!m_value.is_number_integer())
    {
        Fail(Print() + " is not an integer");
    }
    Number(within);
    return m_value.get<uint32_t>();
}

std::size_t
Place::Index(std::size_t count) const
{
    return Integer(Range{0, static_cast<double>(count), true, false});
}

std::string
Place::Text() const
{
    if (!m_value.is_string())
    {
        Fail(Print() + " is not a string");
    }
    auto text = m_value.get<std::string>();
    if (m_schema.contains("pattern"))
    {
        const auto pattern = m_schema.at("pattern").get<std::string>();
        if (!std::regex_search(text, std::regex(pattern)))
        {
            Fail(Print() + " does not match " + pattern);
        }
    }
    return text;
}

std::string
Place::Name() const
{
    const auto names = GetNames();
    return names[FindName(*this, names, names)];
}

Place
Place::Under(const json& schema) const
{
    return Place(m_value, schema, m_pointer);
}

Place
Place::OfItsKind() const
{
    const auto kinds = GetKinds();
    const auto kind = std::find(kinds.begin(), kinds.end(), m_value.at("kind").get<std::string>());
    const auto number = static_cast<std::size_t>(kind - kinds.begin());
    const Place found(m_value, m_schema.at("oneOf").at(number), m_pointer);
    found.CheckKeys();
    return found;
}

std::string
Place::Print() const
{
    if (m_value.is_structured())
    {
        return std::string("this ") + m_value.type_name();
    }
    return Cut(PrintAscii(m_value));
}

std::size_t
Place::FindName(const Place& place, const Names& allowed, const Names& known)
{
    if (!std::is_permutation(allowed.begin(), allowed.end(), known.begin(), known.end()))
    {
        throw std::logic_error(place.m_pointer + ": the schema allows " + Join(allowed) +
                               ", this program knows " + Join(known));
    }
    const auto found = std::find(known.begin(), known.end(), place.Text());
    if (found == known.end())
    {
        place.Fail(place.Print() + " is not one of " + Join(allowed));
    }
    return static_cast<std::size_t>(found - known.begin());
}

Place::Names
Place::GetNames() const
{
    return m_schema.contains("enum") ? m_schema.at("enum").get<Names>()
                                     : Names{m_schema.at("const").get<std::string>()};
}

Place::Names
Place::GetKinds() const
{
    Names kinds;
    for (const auto& one : m_schema.at("oneOf"))
    {
        kinds.push_back(one.at("properties").at("kind").at("const").get<std::string>());
    }
    return kinds;
}

Range
Place::GetLimits() const
{
    Range limits;
    const auto read = [this](const char* keyword, double& end) {
        const bool found = m_schema.contains(keyword);
        if (found)
        {
            end = m_schema.at(keyword).get<double>();
        }
        return found;
    };
    read("minimum", limits.low);
    limits.lowIncluded = !read("exclusiveMinimum", limits.low);
    read("maximum", limits.high);
    limits.highIncluded = !read("exclusiveMaximum", limits.high);
    return limits;
}

Place
Place::Require(const std::string& key) const
{
    CheckObject();
    const auto pointer = m_pointer + "/" + key;
    if (!m_value.contains(key))
    {
        Place(m_value, ANYTHING, pointer).Fail("missing");
    }
    return Place(m_value.at(key), ANYTHING, pointer);
}

void
Place::CheckObject() const
{
    if (!m_value.is_object())
    {
        Fail(Print() + " is not an object");
    }
}

} // namespace smartsbd
