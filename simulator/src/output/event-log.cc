// SPDX-License-Identifier: GPL-2.0-only

#include "output/event-log.h"

#include "ns3/simulator.h"

#include <charconv>

namespace smartsbd
{

namespace
{

/// Text between subflow and value, in the order of EventKind.
constexpr std::array<std::string_view, 9> KIND_TEXT{
    " V=CA ",
    " V=ACK ",
    " V=DUP ",
    " V=RTT ",
    " V=OWD ",
    " V=ECE ",
    " V=DACK ",
    " V=LOSS ",
    " V=GROUP ",
};

} // namespace

EventLog::EventLog(OutputFile& file, const std::string& token)
    : m_file(file),
      m_connection(" C=" + token + " SF=")
{
}

void
EventLog::SetSignalCallback(ns3::Callback<void, std::size_t, EventKind, uint64_t> callback)
{
    m_takeSignal = callback;
}

void
EventLog::Write(std::size_t subflow, EventKind kind, uint64_t value)
{
    if (kind != EventKind::GROUP && !m_takeSignal.IsNull())
    {
        m_takeSignal(subflow, kind, value);
    }
    if (m_buffer.size() - m_used < MAX_LINE)
    {
        Flush();
    }
    Append(static_cast<uint64_t>(ns3::Simulator::Now().GetNanoSeconds()));
    Append(m_connection);
    Append(subflow);
    Append(KIND_TEXT[static_cast<std::size_t>(kind)]);
    Append(value);
    Append("\n");
}

void
EventLog::Flush()
{
    m_file.Write(std::string_view(m_buffer.data(), m_used));
    m_used = 0;
}

void
EventLog::Append(std::string_view text)
{
    m_used += text.copy(m_buffer.data() + m_used, text.size());
}

void
EventLog::Append(uint64_t number)
{
    auto* begin = m_buffer.data() + m_used;
    m_used += std::to_chars(begin, m_buffer.data() + m_buffer.size(), number).ptr - begin;
}

} // namespace smartsbd
