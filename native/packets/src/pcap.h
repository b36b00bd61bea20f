// SPDX-License-Identifier: MIT

#ifndef PACKETS_PCAP_H
#define PACKETS_PCAP_H

#include "frame.h"

#include <cstddef>
#include <vector>

namespace packets
{

/// Why a file as a whole cannot be read.
enum class Unreadable : uint8_t
{
    No,
    NeitherFormat,
    CutPcapHeader,
    CutSectionHeader,
    BadSectionMagic
};

/// What the reader of a capture file hands its frames and refusals to.
class FrameSink
{
  public:
    virtual void Take(const Frame& frame) = 0;
    virtual void Refuse(const Refusal& refusal) = 0;

  protected:
    ~FrameSink() = default;
};

/**
 * Reads capture files, pcap and pcapng, from their bytes as they come.
 *
 * After a length that cannot be, nothing tells where the next packet starts: what follows is one
 * refused record. Memory is bounded by the longest block, whatever lengths a file claims.
 *
 * The PCAP and PCAPNG capture file formats, draft-ietf-opsawg-pcap and draft-ietf-opsawg-pcapng.
 */
class PcapReader
{
  public:
    explicit PcapReader(FrameSink& sink);

    /// Take the next bytes of the file.
    void Feed(const uint8_t* data, size_t bytes);

    /// The file is at its end.
    void Finish();

    /// @return Why the file as a whole cannot be read.
    Unreadable GetUnreadable() const;

    /// @return Whether nothing that follows will be read.
    bool IsStopped() const;

  private:
    /// An interface of a pcapng section.
    struct Interface
    {
        uint32_t link{0};
        __int128 ticksPerS{1'000'000};
        int64_t offsetS{0};
    };

    enum class Format : uint8_t
    {
        Unknown,
        Pcap,
        Pcapng
    };

    /**
     * Read records from the front of what is there.
     *
     * @param data The bytes.
     * @param bytes How many there are.
     * @param last Whether nothing follows.
     * @return How many were read.
     */
    size_t Read(const uint8_t* data, size_t bytes, bool last);
    size_t ReadStart(const uint8_t* data, size_t bytes, bool last);
    size_t ReadPcapRecord(const uint8_t* data, size_t bytes, bool last);
    size_t ReadBlock(const uint8_t* data, size_t bytes, bool last);
    void ReadPacketBlock(uint32_t kind, const uint8_t* body, uint32_t bytes);
    bool ReadInterface(const uint8_t* body, uint32_t bytes);

    /// @return A time in ns; one out of range stays out of range, but no farther than it need be.
    static int64_t TimeOf(const Interface& interface, uint64_t ticks);

    uint16_t Get16(const uint8_t* at) const;
    uint32_t Get32(const uint8_t* at) const;

    void Refuse(Verdict verdict,
                const uint8_t* raw,
                size_t rawBytes,
                int64_t first = 0,
                int64_t second = 0);
    void Stop(Verdict verdict,
              const uint8_t* raw,
              size_t rawBytes,
              int64_t first = 0,
              int64_t second = 0);
    void CannotRead(Unreadable why);

    FrameSink& m_sink;
    std::vector<uint8_t> m_rest; //!< The beginning of a record whose end has not come
    size_t m_wanted{0};          //!< Bytes the record in m_rest needs, as far as is known
    uint64_t m_offset{0};        //!< Of what is read next
    Format m_format{Format::Unknown};
    bool m_swapped{false};
    bool m_stopped{false};
    Unreadable m_unreadable{Unreadable::No};
    uint32_t m_tickNs{0}; //!< Of a pcap file
    uint32_t m_link{0};   //!< Of a pcap file
    size_t m_recordBytes{0}; //!< Of a pcap file, before each packet
    std::vector<Interface> m_interfaces;
};

} // namespace packets

#endif // PACKETS_PCAP_H
