// SPDX-License-Identifier: GPL-2.0-only

#include "sender/modal-controller.h"

#include "ns3/simulator.h"

namespace smartsbd
{

const std::vector<ModeChange>&
ModalController::GetModes() const
{
    return m_modes;
}

void
ModalController::EnterMode(std::string_view mode)
{
    if (m_modes.empty() || m_modes.back().mode != mode)
    {
        m_modes.push_back({ns3::Simulator::Now(), mode});
    }
}

} // namespace smartsbd
