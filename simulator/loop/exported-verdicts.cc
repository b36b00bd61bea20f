// SPDX-License-Identifier: GPL-2.0-only

#include "exported-verdicts.h"

#include "scenario.h"

#include <nlohmann/json.hpp>

#include <array>
#include <map>

namespace smartsbd
{

using nlohmann::ordered_json;
using ns3::Time;

namespace
{

/// Ends a connection of the exported C.
struct Destroy
{
    const exported_model* model; //!< Its model

    /**
     * @param connection The connection.
     */
    void operator()(exported_connection* connection) const
    {
        model->destroy(connection);
    }
};

/// What the exported C says of a connection.
class Exported : public VerdictSource
{
  public:
    /**
     * @param model The model.
     * @param bytes Its file, or nothing.
     * @param subflows How many subflows there are.
     * @param majority Whether most of the last three verdicts on a pair hold, not the last one.
     */
    Exported(const exported_model& model,
             const std::string& bytes,
             std::size_t subflows,
             bool majority)
        : m_model(model),
          m_subflows(subflows),
          m_majority(majority)
    {
        const char* refusal = nullptr;
        const auto* begin = reinterpret_cast<const uint8_t*>(bytes.data());
        m_connection = {model.create(begin, static_cast<uint32_t>(bytes.size()), &refusal),
                        Destroy{&model}};
        if (!m_connection)
        {
            throw ModelError(std::string("refused, ") + refusal);
        }
    }

    bool Decide(Time now) override
    {
        bool judged = false;
        exported_window window;
        while (m_model.decide(m_connection.get(), now.GetNanoSeconds(), &window))
        {
            Note(window, now);
            judged = true;
        }
        return judged;
    }

    void Take(const Signal& signal) override
    {
        auto place = m_places.find(signal.subflow);
        if (place == m_places.end())
        {
            const auto added =
                m_model.add(m_connection.get(), static_cast<uint32_t>(signal.subflow));
            place = m_places.emplace(signal.subflow, added).first;
        }
        const auto kind = signal.kind == EventKind::RTT   ? EXPORTED_RTT
                          : signal.kind == EventKind::ACK ? EXPORTED_ACK
                                                          : EXPORTED_STATE;
        if (kind != EXPORTED_STATE || signal.kind == EventKind::CA)
        {
            m_model.take(m_connection.get(),
                         place->second,
                         signal.time.GetNanoSeconds(),
                         kind,
                         signal.value);
        }
    }

    Partition GetPartition() const override
    {
        std::array<uint8_t, EXPORTED_SUBFLOWS> groups;
        m_model.groups(m_connection.get(), m_majority, groups.data());
        Partition partition(m_subflows);
        for (const auto& [subflow, place] : m_places)
        {
            if (groups[place] != EXPORTED_NO_GROUP)
            {
                partition[subflow] = groups[place];
            }
        }
        return partition;
    }

    Time GetLastVerdict(std::size_t subflow) const override
    {
        return m_last.at(subflow);
    }

    void Finish(Time end) override
    {
        exported_window window;
        while (m_model.finish(m_connection.get(), end.GetNanoSeconds(), &window))
        {
            Note(window, end);
            m_windows.back()["after_end"] = true;
        }
    }

    ordered_json Print() const override
    {
        const auto counts = m_model.count(m_connection.get());
        ordered_json groups = ordered_json::object();
        const auto partition = GetPartition();
        for (const auto& [subflow, place] : m_places)
        {
            const auto& group = partition[subflow];
            groups[std::to_string(subflow)] = group ? ordered_json(*group) : ordered_json();
        }
        return {{"verdicts", m_windows},
                {"last_groups", groups},
                {"decided", counts.decided},
                {"rejected", counts.rejected},
                {"missed", counts.missed},
                {"refused", counts.refused}};
    }

  private:
    /**
     * @param window A window that was judged.
     * @param now When.
     */
    void Note(const exported_window& window, Time now)
    {
        auto features = ordered_json::object();
        for (uint32_t i = 0; i < m_model.features; ++i)
        {
            int32_t value;
            if (const auto* name = m_model.feature(m_connection.get(), i, &value))
            {
                features[name] = value;
            }
        }
        m_windows.push_back({{"subflow_a", window.subflow[0]},
                             {"subflow_b", window.subflow[1]},
                             {"decided_ns", now.GetNanoSeconds()},
                             {"window_start_ns", window.start_ns},
                             {"window_ns", window.window_ns},
                             {"shared", window.shared != 0},
                             {"features", features}});
        m_last[window.subflow[0]] = now;
        m_last[window.subflow[1]] = now;
    }

    const exported_model& m_model;  //!< The model
    const std::size_t m_subflows;   //!< How many subflows there are
    const bool m_majority;          //!< Whether most of the last three verdicts hold
    std::unique_ptr<exported_connection, Destroy> m_connection; //!< The exported C's connection
    std::map<std::size_t, int> m_places;   //!< Place of each subflow, in order of appearance
    std::map<std::size_t, Time> m_last;    //!< When a window of each subflow was judged last
    ordered_json m_windows = ordered_json::array(); //!< All windows that were judged
};

} // namespace

std::unique_ptr<VerdictSource>
CreateExported(const exported_model& model,
               const std::string& bytes,
               const VerdictSeat& seat,
               const ParameterValues& values)
{
    return std::make_unique<Exported>(model,
                                      bytes,
                                      seat.scenario.subflows.size(),
                                      values.Is("hysteresis", "majority"));
}

std::vector<Parameter>
WindowParameters()
{
    auto parameters = UnknownParameters();
    parameters.push_back(OneOf("hysteresis",
                               "Which verdict on two subflows holds. none: the last one; majority: "
                               "that of most of the last three, once there are three.",
                               {"none", "majority"}));
    return parameters;
}

} // namespace smartsbd
