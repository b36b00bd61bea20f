// SPDX-License-Identifier: MIT

#ifndef RELAY_LATENESS_H
#define RELAY_LATENESS_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace relay
{

/// How much later than due packets were handed over.
class Lateness
{
  public:
    /// @param ns Of one packet.
    void Add(int64_t ns)
    {
        const auto bin = static_cast<std::size_t>(std::max<int64_t>(ns, 0) / BIN_NS);
        ++m_bins[std::min(bin, m_bins.size() - 1)];
        m_sumNs += static_cast<double>(ns);
        m_mostNs = std::max(m_mostNs, ns);
        ++m_packets;
    }

    /// @return Number of packets.
    uint64_t GetPackets() const
    {
        return m_packets;
    }

    /// @return Their mean in us.
    double GetMeanUs() const
    {
        return m_packets ? m_sumNs / 1e3 / static_cast<double>(m_packets) : 0;
    }

    /// @return The greatest in us.
    double GetMostUs() const
    {
        return static_cast<double>(m_mostNs) / 1e3;
    }

    /**
     * @param share A share of the packets.
     * @return What that share is not later than, in us, up to the end of a bin.
     */
    double GetQuantileUs(double share) const
    {
        const auto wanted = static_cast<uint64_t>(share * static_cast<double>(m_packets));
        uint64_t seen = 0;
        std::size_t bin = 0;
        while (bin + 1 < m_bins.size() && seen + m_bins[bin] < wanted)
        {
            seen += m_bins[bin++];
        }
        return std::min(static_cast<double>((bin + 1) * BIN_NS) / 1e3, GetMostUs());
    }

  private:
    static constexpr int64_t BIN_NS = 10'000;
    std::vector<uint32_t> m_bins = std::vector<uint32_t>(100'000);
    double m_sumNs = 0;
    int64_t m_mostNs = 0;
    uint64_t m_packets = 0;
};

} // namespace relay

#endif
