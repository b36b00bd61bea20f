// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_META_QUEUE_H
#define SMARTSBD_META_QUEUE_H

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace smartsbd
{

/**
 * The segments that a connection has given to its subflows and that no DATA_ACK covers.
 *
 * Each has a mask of the subflows it was given to, as path_mask in the MPTCP kernel has it. All
 * segments are of one size, so a segment is named by its data sequence number, a multiple of it.
 */
class MetaQueue
{
  public:
    /// Most subflows of a connection: bits of a mask.
    static constexpr std::size_t MOST_SUBFLOWS = 32;

    /**
     * @param subflows Number of subflows, at most MOST_SUBFLOWS.
     * @param mss Bytes of a segment.
     */
    MetaQueue(std::size_t subflows, uint32_t mss);

    /// @return Data sequence number of the oldest segment it holds, or of new data if it is empty.
    uint64_t GetHead() const;

    /// @return Data sequence number of new data.
    uint64_t GetNext() const;

    /// @return Bytes it holds.
    uint64_t GetBytes() const;

    /**
     * @param segment A segment it holds.
     * @param subflow Index of a subflow.
     * @return Whether the segment was given to the subflow.
     */
    bool WentTo(uint64_t segment, std::size_t subflow) const;

    /**
     * @param subflow Index of a subflow.
     * @return The oldest segment it holds that the subflow was not given, or none.
     */
    std::optional<uint64_t> FindMissing(std::size_t subflow);

    /**
     * Note that a segment has been given to a subflow.
     *
     * @param segment One it holds, or new data.
     * @param subflow Index of the subflow.
     */
    void Give(uint64_t segment, std::size_t subflow);

    /**
     * A DATA_ACK has come.
     *
     * @param dataAck The bytes it covers; at most those given.
     */
    void Acknowledge(uint64_t dataAck);

    /**
     * Let a segment go out again, after those that already wait for that.
     *
     * @param segment One that was given to a subflow; nothing is done if a DATA_ACK covers it.
     */
    void Reinject(uint64_t segment);

    /// @return The segment that goes out again before all else, or none.
    std::optional<uint64_t> GetReinjected();

    /**
     * Forget where a segment went, so that it can be given to any subflow again.
     *
     * @param segment One it holds.
     */
    void ClearMask(uint64_t segment);

  private:
    /// A segment.
    struct Segment
    {
        uint32_t mask{0};       //!< Subflows it was given to
        bool reinjected{false}; //!< Whether it waits to go out again
    };

    /**
     * @param segment One it holds.
     * @return Its record.
     */
    Segment& At(uint64_t segment);

    uint32_t m_mss;                    //!< Bytes of a segment
    uint64_t m_head{0};                //!< Oldest segment
    std::deque<Segment> m_segments;    //!< Segments, from the oldest on
    std::vector<uint64_t> m_complete;  //!< By subflow: it was given all held segments below
    std::deque<uint64_t> m_reinjected; //!< Segments that wait to go out again, in order
};

} // namespace smartsbd

#endif /* SMARTSBD_META_QUEUE_H */
