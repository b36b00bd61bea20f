// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_SCHEDULED_DELAY_H
#define SMARTSBD_SCHEDULED_DELAY_H

#include "path/extra-delay.h"
#include "scenario.h"

#include <memory>

namespace smartsbd
{

/**
 * An extra delay that changes at given times, on top of another one.
 *
 * When it falls, the packets behind do not overtake those before: they arrive with the last of
 * them, and are late until the delay has caught up.
 */
class ScheduledDelay : public ExtraDelay
{
  public:
    /**
     * @param changes Delays over time; none before the first.
     * @param other The delay that it comes on top of.
     */
    ScheduledDelay(const Schedule<ns3::Time>& changes, std::unique_ptr<ExtraDelay> other);

    ns3::Time Get(ns3::Time time) override;

  private:
    Schedule<ns3::Time> m_changes;       //!< Delays over time
    std::unique_ptr<ExtraDelay> m_other; //!< What it comes on top of
    std::size_t m_past{0};               //!< Changes that have happened
    ns3::Time m_last;                    //!< When the last packet ends its extra delay
};

} // namespace smartsbd

#endif /* SMARTSBD_SCHEDULED_DELAY_H */
