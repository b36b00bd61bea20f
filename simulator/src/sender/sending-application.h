// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_SENDING_APPLICATION_H
#define SMARTSBD_SENDING_APPLICATION_H

#include "scenario.h"

#include "ns3/callback.h"
#include "ns3/random-variable-stream.h"

#include <cstdint>
#include <optional>

namespace smartsbd
{

/**
 * What gives the connection its data.
 *
 * A bulk application always has more. An on/off one has more while it is on; its periods are
 * exponential, and it begins with one that is on. A rate-limited one has what a constant rate has
 * come to since the connection was established. One of a size has it all at once, and no more.
 */
class SendingApplication
{
  public:
    /**
     * @param spec What it does.
     * @param mss Bytes of a segment: a rate-limited one gives them at once, a size is rounded up
     *            to whole ones.
     * @param stream Number of the random stream of its periods.
     * @param hasMore Called when there is more to send.
     */
    SendingApplication(const ApplicationSpec& spec,
                       uint32_t mss,
                       int64_t stream,
                       ns3::Callback<void> hasMore);

    SendingApplication(const SendingApplication&) = delete;
    SendingApplication& operator=(const SendingApplication&) = delete;

    /// The connection is established.
    void Start();

    /// @return All that it will ever give, in bytes, or none if there is no end to it.
    std::optional<uint64_t> GetSize() const;

    /**
     * @param end Data sequence number, from 0.
     * @return Whether it has given, or gives now, all data up to there.
     */
    bool Gives(uint64_t end) const;

    /// @return Data sequence number behind all it has given; the largest one while there is no end.
    uint64_t GetGiven() const;

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
    uint64_t m_given{0};                               //!< What it has given, if it counts
};

} // namespace smartsbd

#endif /* SMARTSBD_SENDING_APPLICATION_H */
