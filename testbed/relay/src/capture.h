// SPDX-License-Identifier: MIT

#ifndef RELAY_CAPTURE_H
#define RELAY_CAPTURE_H

#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace relay
{

/// A pcap file of packets' headers. A thread of its own writes it: the relay waits for no disk.
class Capture
{
  public:
    /// @param path The file.
    explicit Capture(const std::string& path);
    ~Capture();
    Capture(const Capture&) = delete;
    Capture& operator=(const Capture&) = delete;

    /**
     * @param timeNs When, by the monotonic clock.
     * @param data An IP packet.
     * @param bytes Its size.
     */
    void Add(int64_t timeNs, const uint8_t* data, uint32_t bytes);

    /// Write what is left; throws if anything could not be written.
    void Finish();

  private:
    void Put(const void* data, std::size_t bytes);
    void HandOver();
    void Write();

    std::string m_path;
    std::FILE* m_file;
    std::vector<uint8_t> m_block;
    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::vector<std::vector<uint8_t>> m_blocks;
    bool m_ended = false;
    int m_error = 0;
    std::thread m_writer;
};

} // namespace relay

#endif
