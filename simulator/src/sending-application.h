// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_SENDING_APPLICATION_H
#define SMARTSBD_SENDING_APPLICATION_H

#include "scenario.h"

#include "ns3/callback.h"
#include "ns3/random-variable-stream.h"

#include <cstdint>

namespace smartsbd
{

/**
 * What gives the connection its data.
 *
 * A bulk application always has more. An on/off one has more while it is on; its periods are
 * exponential, and it begins with one that is on. A rate-limited one has what a constant rate has
 * come to since the connection was established.
 */
class SendingApplication
{
  public:
    /**
     * @param spec What it does.
     * @param mss Bytes that a rate-limited one gives at once.
     * @param hasMore Called when there is more to send.
     */
    SendingApplication(const ApplicationSpec& spec, uint32_t mss, ns3::Callback<void> hasMore);

    SendingApplication(const SendingApplication&) = delete;
    SendingApplication& operator=(const SendingApplication&) = delete;

    /// The connection is established.
    void Start();

    /**
     * @param end Data sequence number, from 0.
     * @return Whether it has given, or gives now, all data up to there.
     */
    bool Gives(uint64_t end) const;

  private:
    /// A period is over.
    void Toggle();

    /// Another segment is due.
    void Add();

    ApplicationSpec m_spec;                            //!< What it does
    uint32_t m_mss;                                    //!< Bytes given at once
    ns3::Callback<void> m_hasMore;                     //!< Called when there is more
    ns3::Ptr<ns3::ExponentialRandomVariable> m_period; //!< Periods in units of their mean
    bool m_on{false};                                  //!< Whether there is more without end
    uint64_t m_given{0};                               //!< What a rate has come to, in bytes
};

} // namespace smartsbd

#endif /* SMARTSBD_SENDING_APPLICATION_H */
