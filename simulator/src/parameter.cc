// SPDX-License-Identifier: GPL-2.0-only

#include "parameter.h"

namespace smartsbd
{

using nlohmann::json;
using nlohmann::ordered_json;

Parameter
OneOf(const std::string& name,
      const std::string& description,
      const std::vector<std::string>& names)
{
    return {name,
            ordered_json{{"description", description},
                         {"default", names.front()},
                         {"enum", names}}};
}

Parameter
Number(const std::string& name,
       const std::string& description,
       double low,
       double high,
       double usual)
{
    return {name,
            ordered_json{{"description", description},
                         {"default", usual},
                         {"type", "number"},
                         {"minimum", low},
                         {"maximum", high}}};
}

ParameterValues::ParameterValues(const std::vector<Parameter>& parameters)
    : m_values(json::object())
{
    for (const auto& parameter : parameters)
    {
        m_values[parameter.name] = parameter.schema.at("default");
    }
}

void
ParameterValues::Set(const std::string& name, json value)
{
    m_values.at(name) = std::move(value);
}

bool
ParameterValues::Has(const std::string& name) const
{
    return m_values.contains(name);
}

bool
ParameterValues::Is(const std::string& name, const std::string& value) const
{
    return m_values.value(name, "") == value;
}

double
ParameterValues::GetNumber(const std::string& name) const
{
    return m_values.at(name).get<double>();
}

ordered_json
Kind::Describe() const
{
    ordered_json properties{{"name", {{"const", name}}}};
    for (const auto& parameter : parameters)
    {
        properties[parameter.name] = parameter.schema;
    }
    return {{"description", description},
            {"type", "object"},
            {"additionalProperties", false},
            {"required", {"name"}},
            {"properties", properties}};
}

ParameterValues
ReadParameters(const Place& place, const Kind& kind)
{
    ParameterValues values(kind.parameters);
    if (!place.Has("name"))
    {
        return values;
    }
    const json schema = kind.Describe();
    const auto object = place.Under(schema);
    object.CheckKeys();
    for (const auto& parameter : kind.parameters)
    {
        if (!object.Has(parameter.name))
        {
            continue;
        }
        const auto value = object[parameter.name];
        if (parameter.schema.contains("enum"))
        {
            values.Set(parameter.name, value.Name());
        }
        else
        {
            values.Set(parameter.name, value.Number());
        }
    }
    return values;
}

} // namespace smartsbd
