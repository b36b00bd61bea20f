// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_SENDING_INTERVAL_H
#define SMARTSBD_SENDING_INTERVAL_H

#include "ns3/nstime.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace smartsbd
{

/// Bytes that go out in an interval, and when they are acknowledged.
class SentRange
{
  public:
    /**
     * Begin another one.
     *
     * @param begin Position of its first byte.
     */
    void Begin(uint64_t begin);

    /**
     * Bytes have gone out.
     *
     * @param end Position behind them.
     * @param now The time.
     */
    void Extend(uint64_t end, ns3::Time now);

    /**
     * Bytes have been acknowledged.
     *
     * @param acked Position behind them.
     * @param now The time.
     */
    void Acknowledge(uint64_t acked, ns3::Time now);

    /// @return Whether all that went out is acknowledged.
    bool IsComplete() const;

    /// @return Acknowledged bytes/s from the first one sent to the last ACK; 0 if there are none.
    double GetThroughput() const;

  private:
    uint64_t m_begin{0};    //!< First byte
    uint64_t m_end{0};      //!< Behind the last byte
    uint64_t m_acked{0};    //!< Behind the last acknowledged byte
    ns3::Time m_firstSent;  //!< When the first one went out
    ns3::Time m_lastAcked;  //!< When the last one was acknowledged
};

/**
 * The sending interval of OLAPS: what goes out in a time, and how fast that was.
 *
 * It is over when its time is up. If it waits for ACKs, all that went out in it is acknowledged
 * then too, by each subflow and by DATA_ACKs, or twice its time is up.
 */
class SendingInterval
{
  public:
    /**
     * @param subflows Number of subflows.
     * @param waits Whether it waits for ACKs.
     */
    explicit SendingInterval(std::size_t subflows, bool waits = true);

    /**
     * Begin another one.
     *
     * @param now The time.
     * @param length Its time.
     */
    void Begin(ns3::Time now, ns3::Time length);

    /**
     * A segment has gone out.
     *
     * @param subflow Index of its subflow.
     * @param bytes Its bytes.
     * @param isNew Whether it had never gone out.
     * @param now The time.
     */
    void NoteGiven(std::size_t subflow, uint32_t bytes, bool isNew, ns3::Time now);

    /**
     * An ACK has come.
     *
     * @param subflow Index of the subflow it came on.
     * @param acked Cumulatively acknowledged bytes of that subflow.
     * @param dataAck Highest DATA_ACK so far.
     * @param now The time.
     */
    void NoteAck(std::size_t subflow, uint64_t acked, uint64_t dataAck, ns3::Time now);

    /**
     * @param now The time.
     * @return Whether it is over; true before the first one.
     */
    bool IsOver(ns3::Time now) const;

    /// @return When it began.
    ns3::Time GetBegin() const;

    /**
     * @param subflow Index of a subflow.
     * @return Its throughput in bytes/s, copies included.
     */
    double GetThroughput(std::size_t subflow) const;

    /// @return Throughput of the connection in bytes/s, of what went out for the first time.
    double GetGoodput() const;

  private:
    bool m_waits;                     //!< Whether it waits for ACKs
    ns3::Time m_begin;                //!< When it began
    ns3::Time m_length;               //!< Its time
    std::vector<uint64_t> m_given;    //!< Bytes each subflow was given since the beginning
    uint64_t m_givenNew{0};           //!< The same of new data
    std::vector<SentRange> m_subflow; //!< What each subflow sends in it
    SentRange m_data;                 //!< New data in it
};

} // namespace smartsbd

#endif /* SMARTSBD_SENDING_INTERVAL_H */
