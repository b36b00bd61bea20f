// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_PCAP_RECORDER_H
#define SMARTSBD_PCAP_RECORDER_H

#include "output/whole-file.h"
#include "path/host-device.h"

#include "ns3/packet.h"
#include "ns3/pcap-file.h"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace smartsbd
{

/**
 * Records what passes interfaces, in pcap files with nanoseconds and link type PPP.
 *
 * Each is there whole or not at all.
 */
class PcapRecorder
{
  public:
    PcapRecorder() = default;

    PcapRecorder(const PcapRecorder&) = delete;
    PcapRecorder& operator=(const PcapRecorder&) = delete;

    /**
     * Begin to record.
     *
     * @param device The interface.
     * @param path The file.
     * @throws std::runtime_error if it cannot be created.
     */
    void Record(ns3::Ptr<HostDevice> device, const std::string& path);

    /**
     * Stop recording and write out everything.
     *
     * @throws std::runtime_error if any of it could not be written.
     */
    void Close();

    /**
     * Put the closed files in their places.
     *
     * @throws std::system_error if that fails.
     */
    void Publish();

  private:
    /// A file and its place.
    struct Recording
    {
        std::string path;                    //!< As it was given
        std::unique_ptr<WholeFile> whole;    //!< Its place
        std::unique_ptr<ns3::PcapFile> file; //!< The file
    };

    /**
     * @param index Index of the recording.
     * @param packet A packet that passes its interface.
     */
    void Write(std::size_t index, ns3::Ptr<const ns3::Packet> packet);

    std::vector<Recording> m_recordings; //!< All files
};

} // namespace smartsbd

#endif /* SMARTSBD_PCAP_RECORDER_H */
