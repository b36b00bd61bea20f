// SPDX-License-Identifier: GPL-2.0-only

#include "agents/agent.h"

#include "agents/actor.h"
#include "agents/asked-agent.h"

#include <iostream>

namespace smartsbd
{

std::shared_ptr<Agent>
GetAgent(const std::string& name)
{
    if (name == "-")
    {
        return std::make_shared<AskedAgent>(std::cout, std::cin);
    }
    return std::make_shared<Actor>(ReadActor(name));
}

} // namespace smartsbd
