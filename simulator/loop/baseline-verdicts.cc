// SPDX-License-Identifier: GPL-2.0-only

#include "baseline-verdicts.h"

#include "scenario.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <stdexcept>

namespace smartsbd
{

using ns3::Time;

namespace
{

/**
 * @param kind Kind of a signal.
 * @return The kind of its line.
 */
sbd_line_kind
GetLineKind(EventKind kind)
{
    switch (kind)
    {
    case EventKind::CA:
        return SBD_LINE_CA;
    case EventKind::ACK:
        return SBD_LINE_ACK;
    case EventKind::DUP:
        return SBD_LINE_DUP;
    case EventKind::RTT:
        return SBD_LINE_RTT;
    case EventKind::OWD:
        return SBD_LINE_OWD;
    case EventKind::ECE:
        return SBD_LINE_ECE;
    case EventKind::DACK:
        return SBD_LINE_DACK;
    case EventKind::LOSS:
        return SBD_LINE_LOSS;
    case EventKind::GROUP:
        return SBD_LINE_GROUP;
    }
    return SBD_LINE_KINDS;
}

/**
 * What a baseline detector says of a connection.
 *
 * A detector is told the events of one moment in order of kind and subflow, as its replay tells
 * them. So it is told them when the moment has passed: at the first later signal.
 */
class Baseline : public VerdictSource
{
  public:
    /**
     * @param detector The detector.
     * @param settings Names and values of parameters that are not its defaults.
     * @param subflows How many subflows there are.
     */
    Baseline(const sbd_baseline& detector,
             const std::vector<std::pair<std::string, std::string>>& settings,
             std::size_t subflows)
        : m_detector(detector),
          m_parameters(detector.parameters_size),
          m_signals(subflows),
          m_opinions(subflows)
    {
        const auto* defaults = static_cast<const std::byte*>(detector.defaults);
        std::copy_n(defaults, m_parameters.size(), m_parameters.begin());
        for (const auto& [name, value] : settings)
        {
            if (sbd_set(&detector, m_parameters.data(), name.c_str(), value.c_str()))
            {
                throw std::logic_error(std::string(detector.name) + " has no " + name);
            }
        }
        for (std::size_t i = 0; i < subflows; ++i)
        {
            m_signals[i].place = static_cast<int32_t>(i);
        }
        m_wanted = detector.wanted(m_parameters.data());
        m_state =
            detector.create(m_parameters.data(), static_cast<uint32_t>(subflows), m_opinions.Get());
        if (!m_state)
        {
            throw std::bad_alloc();
        }
    }

    ~Baseline() override
    {
        m_detector.destroy(m_state);
    }

    Baseline(const Baseline&) = delete;
    Baseline& operator=(const Baseline&) = delete;

    bool Decide(Time now) override
    {
        if (now == m_moment)
        {
            return false;
        }
        Tell();
        m_moment = now;
        m_detector.advance(m_state, now.GetNanoSeconds() - 1);
        m_opinions.Check();
        auto last = m_opinions.GetLast();
        const bool another = last != m_last;
        m_last = std::move(last);
        return another;
    }

    void Take(const Signal& signal) override
    {
        sbd_signals_take(&m_signals[signal.subflow],
                         signal.time.GetNanoSeconds(),
                         GetLineKind(signal.kind),
                         static_cast<int64_t>(signal.value),
                         &Baseline::Note,
                         this);
    }

    Partition GetPartition() const override
    {
        return m_last;
    }

    void Finish(Time end) override
    {
        Tell();
        m_detector.advance(m_state, end.GetNanoSeconds());
        m_opinions.Check();
    }

    nlohmann::ordered_json Print() const override
    {
        return {{"verdicts", m_opinions.Print()}};
    }

  private:
    /**
     * Note an event of the present moment.
     *
     * @param context The source.
     * @param event The event.
     * @return 0.
     */
    static int Note(void* context, const sbd_event* event)
    {
        static_cast<Baseline*>(context)->m_events.push_back(*event);
        return 0;
    }

    /// Tell the detector what happened in a moment that has passed.
    void Tell()
    {
        for (auto& signals : m_signals)
        {
            sbd_signals_flush(&signals, &Baseline::Note, this);
        }
        std::stable_sort(m_events.begin(), m_events.end(), [](const auto& a, const auto& b) {
            return sbd_compare_events(&a, &b) < 0;
        });
        for (const auto& event : m_events)
        {
            if (m_wanted & SBD_KIND_BIT(event.kind))
            {
                m_detector.on_event(m_state, &event);
            }
        }
        m_events.clear();
    }

    const sbd_baseline& m_detector;      //!< The detector
    std::vector<std::byte> m_parameters; //!< Its parameters
    uint32_t m_wanted{0};                //!< Bits of the kinds of events it wants
    std::vector<sbd_signals> m_signals;  //!< What is known of each subflow's present moment
    std::vector<sbd_event> m_events;     //!< Events of the present moment
    Time m_moment;                       //!< The present moment
    Opinions m_opinions;                 //!< What it has said
    void* m_state{nullptr};              //!< Its state
    Partition m_last;                    //!< What it said last
};

} // namespace

Opinions::Opinions(std::size_t subflows)
{
    if (sbd_opinions_init(&m_said, static_cast<uint32_t>(subflows)))
    {
        throw std::bad_alloc();
    }
}

Opinions::~Opinions()
{
    sbd_opinions_free(&m_said);
}

sbd_opinions*
Opinions::Get()
{
    return &m_said;
}

Partition
Opinions::GetLast() const
{
    return m_said.size > 0 ? GetRow(m_said.size - 1) : Partition(m_said.subflows);
}

nlohmann::ordered_json
Opinions::Print() const
{
    auto printed = nlohmann::ordered_json::array();
    for (std::size_t row = 0; row < m_said.size; ++row)
    {
        printed.push_back(PrintPartition(ns3::NanoSeconds(m_said.time_ns[row]), GetRow(row)));
    }
    return printed;
}

void
Opinions::Check() const
{
    if (m_said.error)
    {
        throw std::runtime_error("a detector has failed");
    }
}

Partition
Opinions::GetRow(std::size_t row) const
{
    Partition partition(m_said.subflows);
    for (std::size_t i = 0; i < partition.size(); ++i)
    {
        const auto group = m_said.group[row * m_said.subflows + i];
        if (group != SBD_NO_OPINION)
        {
            partition[i] = static_cast<uint32_t>(group);
        }
    }
    return partition;
}

std::unique_ptr<VerdictSource>
CreateBaseline(const std::string& name,
               const std::vector<std::pair<std::string, std::string>>& settings,
               const VerdictSeat& seat)
{
    const auto* detector = sbd_baseline_of(name.c_str());
    if (!detector)
    {
        throw std::logic_error("there is no detector " + name);
    }
    return std::make_unique<Baseline>(*detector, settings, seat.scenario.subflows.size());
}

} // namespace smartsbd
