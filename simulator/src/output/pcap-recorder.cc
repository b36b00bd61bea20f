// SPDX-License-Identifier: GPL-2.0-only

#include "output/pcap-recorder.h"

#include "ns3/callback.h"
#include "ns3/simulator.h"
#include "ns3/trace-helper.h"

#include <ios>
#include <stdexcept>
#include <utility>

namespace smartsbd
{

namespace
{

/// Nanoseconds in a second.
constexpr int64_t SECOND = 1'000'000'000;

} // namespace

void
PcapRecorder::Record(ns3::Ptr<HostDevice> device, const std::string& path)
{
    auto whole = std::make_unique<WholeFile>(path);
    auto file = std::make_unique<ns3::PcapFile>();
    file->Open(whole->GetPart(), std::ios::out);
    if (file->Fail())
    {
        throw std::runtime_error(path + ": cannot be created");
    }
    file->Init(ns3::PcapHelper::DLT_PPP, ns3::PcapFile::SNAPLEN_DEFAULT, 0, false, true);
    device->SetRecordCallback(
        ns3::MakeCallback(&PcapRecorder::Write, this, m_recordings.size()));
    m_recordings.push_back({path, std::move(whole), std::move(file)});
}

void
PcapRecorder::Close()
{
    for (auto& recording : m_recordings)
    {
        recording.file->Close();
        if (recording.file->Fail())
        {
            throw std::runtime_error(recording.path + ": cannot be written");
        }
    }
}

void
PcapRecorder::Publish()
{
    for (const auto& recording : m_recordings)
    {
        recording.whole->Publish();
    }
}

void
PcapRecorder::Write(std::size_t index, ns3::Ptr<const ns3::Packet> packet)
{
    const auto now = ns3::Simulator::Now().GetNanoSeconds();
    m_recordings[index].file->Write(static_cast<uint32_t>(now / SECOND),
                                    static_cast<uint32_t>(now % SECOND),
                                    packet);
}

} // namespace smartsbd
