// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_POLICER_PORT_H
#define SMARTSBD_POLICER_PORT_H

#include "path/port.h"

#include "ns3/nstime.h"

namespace smartsbd
{

/**
 * A token bucket that drops what exceeds the rate, and a line of ten times the rate behind it.
 *
 * What is missing from the bucket is what would wait in a queue before a line of the bucket's rate.
 * So the port keeps that queue, whose limit is the bucket's depth, but a packet that fits leaves at
 * once. "Taken" is the time in which the bucket is not full: then the bytes let through are the
 * rate times that time.
 */
class PolicerPort : public Port
{
  public:
    using Port::Port;

    void Send(const Frame& frame) override;

  protected:
    void Depart(const Frame& frame, ns3::Time duration) override;

  private:
    ns3::Time m_lineFree; //!< When the line behind has taken its last packet
};

} // namespace smartsbd

#endif /* SMARTSBD_POLICER_PORT_H */
