// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_PARAMETER_H
#define SMARTSBD_PARAMETER_H

#include "path/place.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace smartsbd
{

/// What a parameter may be, in the part of JSON Schema that Place reads, and its default.
struct Parameter
{
    std::string name;              //!< Its key in a scenario
    nlohmann::ordered_json schema; //!< "description", "default", and "enum" or type and limits
};

/**
 * @param name Its key.
 * @param description What it decides.
 * @param names All it may be; the first is the default.
 * @return A parameter that is one of some names.
 */
Parameter OneOf(const std::string& name,
                const std::string& description,
                const std::vector<std::string>& names);

/**
 * @param name Its key.
 * @param description What it decides, with its unit.
 * @param low Smallest value.
 * @param high Largest value.
 * @param usual The default.
 * @return A parameter that is a number.
 */
Parameter Number(const std::string& name,
                 const std::string& description,
                 double low,
                 double high,
                 double usual);

/// The values of all parameters of a kind: a scenario's, and defaults for the others.
class ParameterValues
{
  public:
    /**
     * @param parameters The parameters.
     */
    explicit ParameterValues(const std::vector<Parameter>& parameters = {});

    /**
     * @param name A parameter.
     * @param value Its value.
     */
    void Set(const std::string& name, nlohmann::json value);

    /**
     * @param name A parameter.
     * @return Whether it is declared.
     */
    bool Has(const std::string& name) const;

    /**
     * @param name A parameter that is one of some names.
     * @param value One of them.
     * @return Whether it is that one; never, if no such parameter is declared.
     */
    bool Is(const std::string& name, const std::string& value) const;

    /**
     * @param name A parameter that is a number.
     * @return Its value.
     */
    double GetNumber(const std::string& name) const;

  private:
    nlohmann::json m_values; //!< Values by name
};

/**
 * What a scenario chooses by name: a controller, or a scheduler.
 *
 * A kind is declared once, in the file that has its code, and listed once. The list is what a
 * scenario is checked against, and what --list prints.
 */
struct Kind
{
    std::string name;                  //!< Its name in a scenario
    std::string description;           //!< What it does, and where it comes from
    std::vector<Parameter> parameters; //!< Its parameters

    /// @return The JSON Schema of an object that names it and may give its parameters.
    nlohmann::ordered_json Describe() const;
};

/// A kind and the values of its parameters.
template <class T>
struct Chosen
{
    const T* kind{nullptr}; //!< The kind
    ParameterValues values; //!< Its parameters
};

/**
 * Read the values of a kind's parameters.
 *
 * @param place A place with the name of the kind, or with an object that names it.
 * @param kind The kind.
 * @return The values.
 * @throws ScenarioError if a key is unknown or a value is not what the kind declares.
 */
ParameterValues ReadParameters(const Place& place, const Kind& kind);

/**
 * Read which of some kinds a scenario chooses, and the values of its parameters.
 *
 * @param place A place with a name, or with an object that has "name" and parameters.
 * @param kinds All kinds.
 * @return The kind and its values.
 * @throws ScenarioError if there is no such kind, or its parameters are not as it declares.
 */
template <class T>
Chosen<T>
ReadChosen(const Place& place, const std::vector<const T*>& kinds)
{
    Choices<const T*> choices;
    for (const auto* kind : kinds)
    {
        choices.emplace_back(kind->name, kind);
    }
    const auto* kind = place.Named<const T*>(choices);
    return {kind, ReadParameters(place, *kind)};
}

/**
 * @param kinds All kinds.
 * @return What --list prints of them.
 */
template <class T>
nlohmann::ordered_json
DescribeAll(const std::vector<const T*>& kinds)
{
    auto all = nlohmann::ordered_json::array();
    for (const auto* kind : kinds)
    {
        all.push_back(kind->Describe());
    }
    return all;
}

} // namespace smartsbd

#endif /* SMARTSBD_PARAMETER_H */
