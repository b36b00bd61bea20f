// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_WEB_SOURCE_H
#define SMARTSBD_WEB_SOURCE_H

#include "ns3/address.h"
#include "ns3/application.h"
#include "ns3/event-id.h"
#include "ns3/random-variable-stream.h"
#include "ns3/socket.h"

#include <cstdint>

namespace smartsbd
{

/**
 * On/off traffic like that of a web server.
 *
 * Transfers begin after exponential pauses, counted from one beginning to the next, and do not
 * wait for each other; each has a TCP connection of its own. Their sizes are Pareto distributed
 * with shape 1.2 from 8 kB, without those beyond 1 MB, which makes 29.8 kB on average. The mean
 * pause is such that the mean of what is offered is the given rate.
 */
class WebSource : public ns3::Application
{
  public:
    /**
     * @brief Get the type ID.
     * @return The object TypeId.
     */
    static ns3::TypeId GetTypeId();

    WebSource();

    /**
     * @param rate Mean offered payload in bit/s.
     * @param segment Bytes the application writes at once.
     * @param sink Where the transfers go.
     */
    void Setup(uint64_t rate, uint32_t segment, const ns3::Address& sink);

    int64_t AssignStreams(int64_t stream) override;

  private:
    void StartApplication() override;
    void StopApplication() override;

    /// Plan the beginning of the next transfer.
    void Pause();

    /// Begin a transfer.
    void Begin();

    /**
     * Write a whole transfer.
     *
     * @param socket Its connected socket.
     */
    void Write(ns3::Ptr<ns3::Socket> socket);

    ns3::Ptr<ns3::ParetoRandomVariable> m_size;       //!< Sizes in bytes
    ns3::Ptr<ns3::ExponentialRandomVariable> m_pause; //!< Pauses in s
    uint32_t m_segment{0};                            //!< Bytes written at once
    ns3::Address m_sink;                              //!< Where the transfers go
    ns3::EventId m_begin;                             //!< Next beginning
};

} // namespace smartsbd

#endif /* SMARTSBD_WEB_SOURCE_H */
