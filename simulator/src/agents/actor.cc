// SPDX-License-Identifier: GPL-2.0-only

#include "agents/actor.h"

#include "output/sha256.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

namespace smartsbd
{

namespace
{

/// What the first line says of the file.
const std::string FORMAT = "smartsbd-agent 1";
/// Longest first line in bytes.
constexpr std::size_t LONGEST_LINE = 4096;
/// Most inputs, and most outputs of a layer.
constexpr std::size_t LARGEST_LAYER = 4096;
/// Most layers, with the inputs.
constexpr std::size_t MOST_LAYERS = 8;
/// Bytes of a weight.
constexpr std::size_t WEIGHT_BYTES = 4;
/// Most bytes of weights; what is beyond is not read, so that the digest differs.
constexpr std::size_t MOST_BYTES = 1 << 26;

/**
 * @param bytes Bytes.
 * @return Their SHA-256 hash in hexadecimal digits.
 */
std::string
GetDigest(const Bytes& bytes)
{
    std::string digits;
    for (const auto byte : Sha256(bytes))
    {
        char two[3];
        std::snprintf(two, sizeof(two), "%02x", byte);
        digits += two;
    }
    return digits;
}

/// Takes weights from the bytes of a file, one after the other.
class WeightReader
{
  public:
    /**
     * @param bytes The bytes; they must outlive this.
     */
    explicit WeightReader(const Bytes& bytes)
        : m_bytes(bytes)
    {
    }

    /**
     * @param count How many.
     * @return The next weights.
     * @throws AgentError if there are not so many, or one is not finite.
     */
    std::vector<double> Take(std::size_t count)
    {
        if (m_bytes.size() - m_position < count * WEIGHT_BYTES)
        {
            throw AgentError("fewer weights than its layers have");
        }
        std::vector<double> weights;
        weights.reserve(count);
        for (std::size_t i = 0; i < count; ++i)
        {
            uint32_t bits = 0;
            for (std::size_t byte = 0; byte < WEIGHT_BYTES; ++byte)
            {
                bits |= uint32_t{m_bytes[m_position++]} << (8 * byte);
            }
            weights.push_back(std::bit_cast<float>(bits));
            if (!std::isfinite(weights.back()))
            {
                throw AgentError("a weight is not finite");
            }
        }
        return weights;
    }

    /// @return Whether all were taken.
    bool IsAtEnd() const
    {
        return m_position == m_bytes.size();
    }

  private:
    const Bytes& m_bytes;      //!< The bytes
    std::size_t m_position{0}; //!< The next one
};

/**
 * @param sizes Numbers of inputs and of the outputs of each layer.
 * @throws AgentError if they are not of an actor.
 */
void
CheckSizes(const std::vector<std::size_t>& sizes)
{
    const bool fit = sizes.size() >= 2 && sizes.size() <= MOST_LAYERS && sizes.back() == 1 &&
                     std::all_of(sizes.begin(), sizes.end(), [](auto size) {
                         return size >= 1 && size <= LARGEST_LAYER;
                     });
    if (!fit)
    {
        throw AgentError("layers are not those of an actor");
    }
}

} // namespace

Actor::Actor(std::vector<ActorLayer> layers)
    : m_layers(std::move(layers))
{
}

std::size_t
Actor::GetInputs() const
{
    return m_layers.front().inputs;
}

double
Actor::Answer(const AgentQuestion& question)
{
    return Answer(question.state);
}

double
Actor::Answer(const std::vector<double>& state) const
{
    auto values = state;
    for (std::size_t k = 0; k < m_layers.size(); ++k)
    {
        const auto& layer = m_layers[k];
        auto outputs = layer.biases;
        auto weight = layer.weights.begin();
        for (auto& output : outputs)
        {
            for (const auto value : values)
            {
                output += *weight++ * value;
            }
            if (k + 1 < m_layers.size())
            {
                output = std::max(output, 0.0);
            }
        }
        values = std::move(outputs);
    }
    return std::tanh(values.front());
}

Actor
ReadActor(const std::string& name)
{
    // A pipe might never end, or never begin.
    std::error_code error;
    if (!std::filesystem::is_regular_file(name, error))
    {
        throw AgentError("no file of weights");
    }
    std::ifstream file(name, std::ios::binary);
    std::string line(LONGEST_LINE, '\0');
    if (!file.getline(line.data(), static_cast<std::streamsize>(line.size())))
    {
        throw AgentError("no file of weights");
    }
    line.resize(static_cast<std::size_t>(file.gcount()) - 1);
    Bytes bytes;
    std::istreambuf_iterator<char> it(file);
    for (; it != std::istreambuf_iterator<char>() && bytes.size() <= MOST_BYTES; ++it)
    {
        bytes.push_back(static_cast<uint8_t>(*it));
    }
    std::vector<std::size_t> sizes;
    try
    {
        const auto head = nlohmann::json::parse(line);
        if (head.at("format") != FORMAT)
        {
            throw AgentError("not of format " + FORMAT);
        }
        if (head.at("sha256") != GetDigest(bytes))
        {
            throw AgentError("its weights are not those of its digest");
        }
        for (const auto& size : head.at("layers"))
        {
            if (!size.is_number_unsigned())
            {
                throw AgentError("layers are not those of an actor");
            }
            sizes.push_back(size.get<std::size_t>());
        }
    }
    catch (const nlohmann::json::exception&)
    {
        throw AgentError("its first line is not that of a file of weights");
    }
    CheckSizes(sizes);
    WeightReader reader(bytes);
    std::vector<ActorLayer> layers;
    for (std::size_t k = 1; k < sizes.size(); ++k)
    {
        auto weights = reader.Take(sizes[k] * sizes[k - 1]);
        layers.push_back({sizes[k - 1], sizes[k], std::move(weights), reader.Take(sizes[k])});
    }
    if (!reader.IsAtEnd())
    {
        throw AgentError("more weights than its layers have");
    }
    return Actor(std::move(layers));
}

} // namespace smartsbd
