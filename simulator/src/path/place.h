// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_PLACE_H
#define SMARTSBD_PLACE_H

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace smartsbd
{

/// An interval of numbers and whether its ends belong to it.
struct Range
{
    double low{-std::numeric_limits<double>::infinity()}; //!< Lower end
    double high{std::numeric_limits<double>::infinity()}; //!< Upper end
    bool lowIncluded{true};                               //!< Whether low belongs to it
    bool highIncluded{true};                              //!< Whether high belongs to it

    /**
     * @param value The number to test.
     * @return Whether the interval holds it.
     */
    bool Holds(double value) const;

    /**
     * @param other Another interval.
     * @return What both hold.
     */
    Range Intersect(const Range& other) const;

    /// @return The interval in mathematical notation.
    std::string Print() const;
};

/// The names a place can choose from and what each means.
template <class T>
using Choices = std::vector<std::pair<std::string_view, T>>;

/**
 * A JSON value, what a JSON Schema says of it, and its place in the file.
 *
 * Types are what the caller asks for; keys, limits, names and patterns are the schema's. Every
 * check that fails throws ScenarioError.
 *
 * Of JSON Schema (draft 2020-12) these keywords are read: properties and required, any other key
 * being refused; oneOf of objects whose "kind" differs; enum; pattern; minimum, maximum and their
 * exclusive forms; prefixItems or items, minItems, maxItems; const, for a text.
 */
class Place
{
  public:
    /**
     * @param value The value; has to outlive this.
     * @param schema What the schema says of it; has to outlive this.
     * @param pointer Its JSON pointer.
     */
    Place(const nlohmann::json& value, const nlohmann::json& schema, std::string pointer = "");

    /**
     * @param reason What is wrong with the value here.
     */
    [[noreturn]] void Fail(const std::string& reason) const;

    /// Check that this is an object with all keys that are required, and no unknown one.
    void CheckKeys() const;

    /**
     * @param key A key.
     * @return Whether this is an object with that key.
     */
    bool Has(std::string_view key) const;

    /**
     * @param key A key of an object that passed CheckKeys(), and required or there by Has().
     * @return The member.
     */
    Place operator[](std::string_view key) const;

    /**
     * Check that this is an array of the right length.
     *
     * @return The items.
     */
    std::vector<Place> Items() const;

    /// @return The truth value.
    bool Boolean() const;

    /// @return Whether the value is null.
    bool IsNull() const;

    /**
     * @param within Limits beside the schema's.
     * @return The number.
     */
    double Number(const Range& within = {}) const;

    /**
     * @param within Limits beside the schema's.
     * @return The number, which the file must write as an integer.
     */
    uint32_t Integer(const Range& within = {}) const;

    /**
     * @param count Number of things the index can choose from.
     * @return The index.
     */
    std::size_t Index(std::size_t count) const;

    /// @return The text.
    std::string Text() const;

    /**
     * Read one of the names that the schema allows here.
     *
     * @param choices All of them, and what each means.
     * @return What the name means.
     * @throws std::logic_error if the schema allows others than these.
     */
    template <class T>
    T Choice(const Choices<T>& choices) const
    {
        return choices[FindName(*this, GetNames(), List(choices))].second;
    }

    /**
     * Read one of the names that the program knows, whatever the schema says of them: as a text,
     * or as the member "name" of an object.
     *
     * @param choices All of them, and what each means.
     * @return What the name means.
     */
    template <class T>
    T Named(const Choices<T>& choices) const
    {
        const auto names = List(choices);
        const auto place = m_value.is_object() ? Require("name") : *this;
        return choices[FindName(place, names, names)].second;
    }

    /// @return The text, one of the names that the schema allows here.
    std::string Name() const;

    /**
     * @param schema What is said of the value here, in place of what was; has to outlive this.
     * @return This place under that schema.
     */
    Place Under(const nlohmann::json& schema) const;

    /**
     * Read which kind of object this is, of those the schema has here.
     *
     * @param choices All of them, and what each means.
     * @return What the kind means.
     * @throws std::logic_error if the schema has others than these.
     */
    template <class T>
    T Kind(const Choices<T>& choices) const
    {
        return choices[FindName(Require("kind"), GetKinds(), List(choices))].second;
    }

    /**
     * Take this for the kind of object that it is, and check its keys.
     *
     * @return This place with what the schema says of that kind, after Kind() accepted it.
     */
    Place OfItsKind() const;

    /// @return The value as one line of bounded length.
    std::string Print() const;

  private:
    /// Names, in order.
    using Names = std::vector<std::string>;

    /**
     * @param choices Names and what each means.
     * @return The names.
     */
    template <class T>
    static Names List(const Choices<T>& choices)
    {
        Names names;
        for (const auto& choice : choices)
        {
            names.emplace_back(choice.first);
        }
        return names;
    }

    /**
     * @param place A name.
     * @param allowed The names the schema allows there.
     * @param known The names the program knows.
     * @return Where the name stands among those known.
     */
    static std::size_t FindName(const Place& place, const Names& allowed, const Names& known);

    /// @return The names the schema allows for this text.
    Names GetNames() const;

    /// @return The kinds of objects the schema has here.
    Names GetKinds() const;

    /// @return The limits that the schema sets for this number.
    Range GetLimits() const;

    /**
     * Check that this is an object with a key.
     *
     * @param key The key.
     * @return The member; nothing is known of it but that it is there.
     */
    Place Require(const std::string& key) const;

    /// Check that this is an object.
    void CheckObject() const;

    const nlohmann::json& m_value;  //!< The value
    const nlohmann::json& m_schema; //!< What the schema says of it
    std::string m_pointer;          //!< Its JSON pointer
};

} // namespace smartsbd

#endif /* SMARTSBD_PLACE_H */
