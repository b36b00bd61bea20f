// SPDX-License-Identifier: MIT

#include "ack-rows.h"

namespace packets
{

namespace
{

enum Part : uint8_t
{
    IS_ACK = 1,
    IS_DUP = 2,
    HAS_ECE = 4,
    HAS_RTT = 8,
    HAS_ACKED = 16,
    HAS_DATA_ACK = 32,
    HAS_SACKED = 64
};

// A byte of parts, and five numbers of 64 bits, seven bits a byte.
constexpr size_t MAX_ROW_BYTES = 1 + 5 * 10;

uint8_t*
Put(uint8_t* at, uint64_t number)
{
    while (number >= 128)
    {
        *at++ = static_cast<uint8_t>(number | 128);
        number >>= 7;
    }
    *at++ = static_cast<uint8_t>(number);
    return at;
}

/// Small numbers of either sign become small ones without.
uint64_t
Folded(int64_t number)
{
    return static_cast<uint64_t>(number) << 1 ^ static_cast<uint64_t>(number >> 63);
}

int64_t
Unfolded(uint64_t number)
{
    return static_cast<int64_t>(number >> 1 ^ (0 - (number & 1)));
}

/// Reads numbers, and none beyond the end.
class Bytes
{
  public:
    explicit Bytes(const std::vector<uint8_t>& bytes)
        : m_at(bytes.data()),
          m_end(bytes.data() + bytes.size())
    {
    }

    uint8_t Byte()
    {
        if (m_at == m_end)
        {
            throw SpoolError("the spool is broken", EIO);
        }
        return *m_at++;
    }

    uint64_t Number()
    {
        uint64_t number = 0;
        for (unsigned shift = 0; shift < 64; shift += 7)
        {
            const auto byte = Byte();
            number |= uint64_t{byte & 127U} << shift;
            if (byte < 128)
            {
                return number;
            }
        }
        throw SpoolError("the spool is broken", EIO);
    }

  private:
    const uint8_t* m_at;
    const uint8_t* m_end;
};

} // namespace

void
AckRows::Append(const AckRow& row, Spool& spool)
{
    if (!m_chunk)
    {
        m_chunk = std::make_unique_for_overwrite<uint8_t[]>(CHUNK_BYTES);
    }
    else if (m_used + MAX_ROW_BYTES > CHUNK_BYTES)
    {
        Finish(spool);
    }
    auto* const first = m_chunk.get() + m_used;
    uint8_t parts = 0;
    auto* at = Put(first + 1, static_cast<uint64_t>(row.timeNs - m_timeNs));
    m_timeNs = row.timeNs;
    parts |= row.isAck ? IS_ACK : 0;
    parts |= row.isDup ? IS_DUP : 0;
    parts |= row.ece ? HAS_ECE : 0;
    if (row.rttUs != NOT_OBSERVED)
    {
        parts |= HAS_RTT;
        at = Put(at, static_cast<uint64_t>(row.rttUs));
    }
    if (row.ackedBytes != m_ackedBytes)
    {
        parts |= HAS_ACKED;
        at = Put(at, static_cast<uint64_t>(row.ackedBytes - m_ackedBytes));
        m_ackedBytes = row.ackedBytes;
    }
    if (row.dataAck != NOT_OBSERVED)
    {
        parts |= HAS_DATA_ACK;
        at = Put(at, Folded(row.dataAck - m_dataAck));
        m_dataAck = row.dataAck;
    }
    if (row.newlySackedBytes)
    {
        parts |= HAS_SACKED;
        at = Put(at, static_cast<uint64_t>(row.newlySackedBytes));
    }
    *first = parts;
    m_used += static_cast<size_t>(at - first);
    ++m_count;
}

void
AckRows::Finish(Spool& spool)
{
    spool.Append(m_chain, m_chunk.get(), m_used);
    m_used = 0;
}

std::vector<AckRow>
AckRows::Read(const Spool::Place& place, const Chain& chain, int64_t count)
{
    const auto bytes = Spool::Read<uint8_t>(place, chain);
    Bytes from(bytes);
    // A row takes two bytes or more.
    if (count < 0 || static_cast<uint64_t>(count) > bytes.size() / 2)
    {
        throw SpoolError("the spool is broken", EIO);
    }
    std::vector<AckRow> rows(static_cast<size_t>(count));
    int64_t timeNs = 0;
    int64_t ackedBytes = 0;
    int64_t dataAck = 0;
    for (auto& row : rows)
    {
        const auto parts = from.Byte();
        timeNs += static_cast<int64_t>(from.Number());
        row.timeNs = timeNs;
        row.rttUs = parts & HAS_RTT ? static_cast<int64_t>(from.Number()) : NOT_OBSERVED;
        ackedBytes += parts & HAS_ACKED ? static_cast<int64_t>(from.Number()) : 0;
        row.ackedBytes = ackedBytes;
        row.dataAck = NOT_OBSERVED;
        if (parts & HAS_DATA_ACK)
        {
            dataAck += Unfolded(from.Number());
            row.dataAck = dataAck;
        }
        row.newlySackedBytes = parts & HAS_SACKED ? static_cast<int64_t>(from.Number()) : 0;
        row.isAck = parts & IS_ACK;
        row.isDup = parts & IS_DUP;
        row.ece = parts & HAS_ECE;
    }
    return rows;
}

} // namespace packets
