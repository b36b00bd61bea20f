// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_ACTOR_H
#define SMARTSBD_ACTOR_H

#include "agents/agent.h"

#include <cstddef>
#include <string>
#include <vector>

namespace smartsbd
{

/// A layer of a network: each output is a bias and a weighted sum of all inputs.
struct ActorLayer
{
    std::size_t inputs{0};       //!< Number of inputs
    std::size_t outputs{0};      //!< Number of outputs
    std::vector<double> weights; //!< Those of the first output, then those of the next
    std::vector<double> biases;  //!< One of each output
};

/**
 * An agent that was trained: a network of layers, with what is below zero cut off between them and
 * the hyperbolic tangent at the end (the actor of DDPG).
 */
class Actor : public Agent
{
  public:
    /**
     * @param layers The layers, the last with one output; each has as many inputs as the one before
     *               has outputs.
     */
    explicit Actor(std::vector<ActorLayer> layers);

    std::size_t GetInputs() const override;
    double Answer(const AgentQuestion& question) override;

    /**
     * @param state A state, of as many numbers as there are inputs.
     * @return The answer.
     */
    double Answer(const std::vector<double>& state) const;

  private:
    std::vector<ActorLayer> m_layers; //!< The layers
};

/**
 * Read an agent.
 *
 * The file is a line of JSON and the weights. The line has "format", "layers": the numbers of
 * inputs and of the outputs of each layer, and "sha256" of the rest. The rest is for each layer the
 * weights and then the biases, as IEEE 754 numbers of 32 bits, the least significant byte first.
 *
 * @param name Name of the file.
 * @return The agent.
 * @throws AgentError if it cannot be read or is not that.
 */
Actor ReadActor(const std::string& name);

} // namespace smartsbd

#endif /* SMARTSBD_ACTOR_H */
