// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_SHARED_STATES_H
#define SMARTSBD_SHARED_STATES_H

#include <cstddef>
#include <map>
#include <memory>
#include <typeindex>
#include <vector>

namespace smartsbd
{

/// States of one type: one of each subflow of a connection, by its index.
template <class State>
using Shared = std::shared_ptr<std::vector<State>>;

/**
 * What the controllers of one connection tell each other, beyond what SubflowSignals has.
 *
 * Each family of controllers has a type of its own for that, defined in its own file.
 */
class SharedStates
{
  public:
    /**
     * @param subflows How many subflows the connection has.
     */
    explicit SharedStates(std::size_t subflows)
        : m_subflows(subflows)
    {
    }

    /**
     * @tparam State What is shared of a subflow.
     * @return The same for all that ask for this type; made as the type's defaults at first.
     */
    template <class State>
    Shared<State> Get()
    {
        auto& states = m_states[typeid(State)];
        if (!states)
        {
            states = std::make_shared<std::vector<State>>(m_subflows);
        }
        return std::static_pointer_cast<std::vector<State>>(states);
    }

  private:
    std::size_t m_subflows;                                    //!< How many there are
    std::map<std::type_index, std::shared_ptr<void>> m_states; //!< Vectors, by their State
};

} // namespace smartsbd

#endif /* SMARTSBD_SHARED_STATES_H */
