// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 *
 * Compares what smartsbd::Place says of values that break small schemas, and of a schema whose
 * names are not the program's. Exit status: 0 if all agree, else 1 with a line on standard error
 * for each that differs.
 */

#include "path/place.h"

#include <cstdio>
#include <exception>
#include <string>

namespace
{

using nlohmann::json;
using smartsbd::Choices;
using smartsbd::Place;

/// Exit status so far.
int g_status = 0;

/**
 * @param name What is tested.
 * @param text A text.
 * @param expected What it must be.
 */
void
Expect(const char* name, const std::string& text, const std::string& expected)
{
    if (text != expected)
    {
        std::fprintf(stderr, "%s: %s, not %s\n", name, text.c_str(), expected.c_str());
        g_status = 1;
    }
}

/**
 * @param value A value.
 * @param schema What it must be.
 * @param read Reads the value from its place.
 * @return What the exception says, or nothing if there is none.
 */
template <class Reader>
std::string
Refusal(const json& value, const json& schema, Reader read)
{
    try
    {
        read(Place(value, schema, "/x"));
    }
    catch (const std::exception& error)
    {
        return error.what();
    }
    return "";
}

/// Limits of one and of both sides, those of the schema and those of the caller.
void
TestLimits()
{
    const auto number = [](const Place& place) { place.Number(); };
    const auto below5 = [](const Place& place) {
        place.Number({.high = 5, .highIncluded = false});
    };
    const auto from0 = json::parse(R"({"minimum": 0})");
    const auto above0 = json::parse(R"({"exclusiveMinimum": 0, "maximum": 0.5})");
    Expect("at the minimum", Refusal(0, from0, number), "");
    Expect("below the minimum", Refusal(-1, from0, number), "/x: -1 is not in [0, inf)");
    Expect("at the open end", Refusal(0, above0, number), "/x: 0 is not in (0, 0.5]");
    Expect("at the closed end", Refusal(0.5, above0, number), "");
    Expect("at the caller's end", Refusal(5, from0, below5), "/x: 5 is not in [0, 5)");
    Expect("within the caller's end", Refusal(4.5, from0, below5), "");
    Expect("the schema's end is lower", Refusal(1, above0, below5), "/x: 1 is not in (0, 0.5]");
}

/// Names that the program and the schema have, and one that the schema alone has.
void
TestNames()
{
    const auto read = [](const Place& place) {
        return place.Choice(Choices<int>{{"one", 1}, {"two", 2}});
    };
    const auto both = json::parse(R"({"enum": ["two", "one"]})");
    const auto more = json::parse(R"({"enum": ["one", "two", "three"]})");
    const json two = "two";
    Expect("a name", std::to_string(read(Place(two, both))), "2");
    Expect("no name", Refusal("three", both, read), R"(/x: "three" is not one of two, one)");
    Expect("a name the program does not know",
           Refusal("one", more, read),
           "/x: the schema allows one, two, three, this program knows one, two");
}

/// Keys that are required, that may be left out, and that belong to another kind of object.
void
TestKeys()
{
    const auto schema = json::parse(R"({
        "oneOf": [
            {
                "properties": {"kind": {"const": "a"}, "own": {}, "more": {}},
                "required": ["kind", "own"]
            },
            {
                "properties": {"kind": {"const": "b"}},
                "required": ["kind"]
            }
        ]
    })");
    const auto read = [](const Place& place) {
        place.Kind(Choices<int>{{"a", 1}, {"b", 2}});
        place.OfItsKind();
    };
    const auto refusal = [&](const char* text) { return Refusal(json::parse(text), schema, read); };
    Expect("all keys", refusal(R"({"kind": "a", "own": 1, "more": 1})"), "");
    Expect("what may be left out", refusal(R"({"kind": "a", "own": 1})"), "");
    Expect("what is required", refusal(R"({"kind": "a"})"), "/x/own: missing");
    Expect("of another kind", refusal(R"({"kind": "b", "own": 1})"), "/x/own: unknown key");
    Expect("no kind", refusal("{}"), "/x/kind: missing");
    Expect("no object", refusal("[]"), "/x: this array is not an object");
    Expect("unknown kind", refusal(R"({"kind": "c"})"), R"(/x/kind: "c" is not one of a, b)");
}

/// Patterns are found anywhere, as JSON Schema says, unless they have ends.
void
TestPatterns()
{
    const auto read = [](const Place& place) { place.Text(); };
    const auto ends = json::parse(R"({"pattern": "^[a-z]{1,3}$"})");
    Expect("matching", Refusal("abc", ends, read), "");
    Expect("a line more",
           Refusal("abc\n", ends, read),
           R"(/x: "abc\n" does not match ^[a-z]{1,3}$)");
    Expect("anywhere", Refusal("1abc", json::parse(R"({"pattern": "[a-z]"})"), read), "");
}

} // namespace

int
main()
{
    TestLimits();
    TestNames();
    TestKeys();
    TestPatterns();
    return g_status;
}
