// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_PORT_H
#define SMARTSBD_PORT_H

#include "path/extra-delay.h"
#include "path/frame.h"

#include "ns3/callback.h"
#include "ns3/data-rate.h"
#include "ns3/event-impl.h"
#include "ns3/nstime.h"
#include "ns3/random-variable-stream.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>

namespace smartsbd
{

/// Called when something happens at a port; those that are null are not.
struct PortTraces
{
    ns3::Callback<void, const Frame&> begin; //!< The line begins to take a packet
    ns3::Callback<void> end;                 //!< The line has taken it
    ns3::Callback<void, const Frame&> drop;  //!< A packet does not fit into the queue
    ns3::Callback<void, const Frame&> mark;  //!< A packet was marked and fits into the queue
    ns3::Callback<void, const Frame&> loss;  //!< A packet is lost at random at the line's end
    ns3::Callback<void, uint32_t> used;      //!< A replayed line has sent so many bytes at once
};

/**
 * One direction of a link: a drop-tail queue, the line behind it, and the way to the next port.
 *
 * A packet takes the line for its size over the rate, then the delay of propagation and the extra
 * delay, and may be lost at random at the end. From there it goes to the next port of its route or
 * to the host, in no time. So a router is nothing but the ports that lead away from it, which is
 * what makes it cheap: no node, no IP layer and no routing table is asked at each hop.
 *
 * The queue counts bytes, without the packet on the line. Above a threshold it marks packets
 * "congestion experienced" if their transport can use ECN.
 */
class Port
{
  public:
    /**
     * @param rate Line rate in bit/s.
     * @param limit Queue limit in bytes.
     * @param delay Delay of propagation.
     */
    Port(uint64_t rate, uint32_t limit, ns3::Time delay);
    virtual ~Port() = default;

    Port(const Port&) = delete;
    Port& operator=(const Port&) = delete;

    /**
     * @param rate Line rate in bit/s, for the packets the line takes from now on.
     */
    void SetRate(uint64_t rate);

    /**
     * @param bytes Queue length in bytes above which packets are marked.
     */
    void SetMarkThreshold(uint32_t bytes);

    /**
     * @param extra Extra delay of each packet.
     */
    void SetExtraDelay(std::unique_ptr<ExtraDelay> extra);

    /**
     * Lose packets from now on; the draws go on where they were if there were some before.
     *
     * @param probability Probability that a packet is lost.
     * @param stream Number of the random stream.
     */
    void SetLoss(double probability, int64_t stream);

    /// @return What to call; to be set before the simulation runs.
    PortTraces& GetTraces();

    /**
     * Take a packet whose next port this is.
     *
     * @param frame The packet.
     */
    virtual void Send(const Frame& frame);

  protected:
    /**
     * Look whether a packet fits into the queue, and mark it if it has to be.
     *
     * @param frame The packet.
     * @return Whether it fits; if not, it is dropped.
     */
    bool Admit(const Frame& frame);

    /**
     * Put a packet into the queue.
     *
     * @param frame The packet.
     */
    void Wait(const Frame& frame);

    /// @return The first packet of the queue, which is not there any more.
    Frame TakeWaiting();

    /**
     * Let the line take a packet that fits, or the queue while the line is taken.
     *
     * @param frame The packet.
     */
    void Accept(const Frame& frame);

    /// Let the line take the next packet, as soon as it is free.
    void Serve();

    /// @return Whether the queue has a packet.
    virtual bool HasWaiting() const;

    /// @return The next packet of the queue, which is not there any more, or none.
    virtual std::optional<Frame> TakeNext();

    /**
     * The line begins to take a packet: see to what becomes of it.
     *
     * @param frame The packet.
     * @param duration How long the line takes for it.
     */
    virtual void Depart(const Frame& frame, ns3::Time duration);

    /**
     * The line will have taken a packet: see to it that it arrives.
     *
     * @param frame The packet.
     * @param duration How long the line still takes for it.
     */
    void Leave(const Frame& frame, ns3::Time duration);

    /**
     * @param size Bytes of a packet.
     * @return How long the line takes for it.
     */
    ns3::Time GetDuration(uint32_t size);

  private:
    /// Calls a method of the port; the same object serves all its events of one kind.
    class Event : public ns3::EventImpl
    {
      public:
        /**
         * @param port The port.
         * @param method What to call.
         */
        Event(Port& port, void (Port::*method)());

      private:
        void Notify() override;

        Port& m_port;             //!< The port
        void (Port::*m_method)(); //!< What to call
    };

    /**
     * The line takes a packet.
     *
     * @param frame The packet.
     */
    void Begin(const Frame& frame);

    /// The line has taken a packet.
    void End();

    /// The packet that has been under way for longest is at the end of the line.
    void Arrive();

    /// See to it that End() is called when the line is free.
    void PlanEnd();

    ns3::DataRate m_rate;                         //!< Line rate
    uint32_t m_limit;                             //!< Queue limit in bytes
    ns3::Time m_delay;                            //!< Delay of propagation
    std::optional<uint32_t> m_markThreshold;      //!< Bytes above which packets are marked
    std::unique_ptr<ExtraDelay> m_extra;          //!< Extra delay, or null
    double m_lossProbability{0};                  //!< Probability that a packet is lost
    ns3::Ptr<ns3::UniformRandomVariable> m_draw;  //!< Decides on losses, if there are any
    PortTraces m_traces;                          //!< What to call
    std::deque<Frame> m_waiting;                  //!< Packets in the queue
    uint32_t m_waitingBytes{0};                   //!< Their bytes
    std::deque<Frame> m_underWay;                 //!< Packets on the line, in order of arrival
    ns3::Time m_free;                             //!< When the line has taken its last packet
    bool m_endPlanned{false};                     //!< Whether End() will be called then
    uint32_t m_lastSize{0};                       //!< Size GetDuration() was last asked for
    ns3::Time m_lastDuration;                     //!< Its answer
    ns3::Ptr<Event> m_end;                        //!< Calls End()
    ns3::Ptr<Event> m_arrival;                    //!< Calls Arrive()
};

} // namespace smartsbd

#endif /* SMARTSBD_PORT_H */
