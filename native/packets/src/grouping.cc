// SPDX-License-Identifier: MIT

#include "grouping.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace packets
{

namespace
{

/// What tells a subflow from others, in whatever capture it is.
auto
EndsOf(const FlowSummary& flow)
{
    return std::tie(flow.family,
                    flow.address[0],
                    flow.port[0],
                    flow.address[1],
                    flow.port[1],
                    flow.firstSyn);
}

// So many connections of one opening are looked through; of more there is an index.
constexpr size_t FEW_ALIKE = 16;
constexpr int64_t UNKNOWN_TOKEN = -1;
/// Stands for whatever an end has.
constexpr int64_t ANY_TOKEN = -2;

bool
MayBe(int64_t token, int64_t other)
{
    return token < 0 || other < 0 || token == other;
}

} // namespace

bool
Grouping::Opening::operator<(const Opening& other) const
{
    return EndsOf(*flow) < EndsOf(*other.flow);
}

std::optional<uint32_t>
Grouping::Alike::Find(const Tokens& tokens, const std::vector<Group>& groups)
{
    if (!m_index)
    {
        const auto found = std::find_if(m_groups.begin(), m_groups.end(), [&](uint32_t group) {
            const auto& own = groups[group].token;
            return MayBe(own[0], tokens[0]) && MayBe(own[1], tokens[1]);
        });
        return found == m_groups.end() ? std::nullopt : std::optional(*found);
    }
    const auto firstOf = [this](const Tokens& sought) {
        const auto found = m_index->places.lower_bound({sought, 0});
        return found != m_index->places.end() && found->first == sought ? found->second
                                                                        : m_groups.size();
    };
    const auto orUnknown = [](int64_t token) {
        return std::array{token < 0 ? ANY_TOKEN : token, token < 0 ? ANY_TOKEN : UNKNOWN_TOKEN};
    };
    for (;;)
    {
        auto place = m_groups.size();
        for (const auto first : orUnknown(tokens[0]))
        {
            for (const auto second : orUnknown(tokens[1]))
            {
                place = std::min(place, firstOf({first, second}));
            }
        }
        if (place == m_groups.size())
        {
            return std::nullopt;
        }
        const auto& own = groups[m_groups[place]].token;
        if (own == m_index->tokens[place])
        {
            return m_groups[place];
        }
        // It has learnt a token since: by what it had, it is found wherever it would be now.
        Remove(place);
        Put(place, own);
    }
}

void
Grouping::Alike::Add(uint32_t group, const std::vector<Group>& groups)
{
    if (m_index ? !m_index->groups.insert(group).second
                : std::find(m_groups.begin(), m_groups.end(), group) != m_groups.end())
    {
        return;
    }
    m_groups.push_back(group);
    if (!m_index && m_groups.size() > FEW_ALIKE)
    {
        m_index = std::make_unique<Index>();
        m_index->groups.insert(m_groups.begin(), m_groups.end());
    }
    for (auto place = m_index ? m_index->tokens.size() : m_groups.size(); place < m_groups.size();
         ++place)
    {
        m_index->tokens.emplace_back();
        Put(place, groups[m_groups[place]].token);
    }
}

/// Let a place be found by tokens, and where either is not asked for.
void
Grouping::Alike::Put(size_t place, const Tokens& tokens)
{
    m_index->tokens[place] = tokens;
    for (const auto first : {tokens[0], ANY_TOKEN})
    {
        for (const auto second : {tokens[1], ANY_TOKEN})
        {
            m_index->places.insert({{first, second}, place});
        }
    }
}

void
Grouping::Alike::Remove(size_t place)
{
    const auto& tokens = m_index->tokens[place];
    for (const auto first : {tokens[0], ANY_TOKEN})
    {
        for (const auto second : {tokens[1], ANY_TOKEN})
        {
            m_index->places.erase({{first, second}, place});
        }
    }
}

Grouping::Grouping(size_t mostSubflows)
    : m_mostSubflows(mostSubflows)
{
}

void
Grouping::Add(const FlowSummary* flows, const FlowTokens* tokens, size_t count)
{
    const auto capture = static_cast<uint32_t>(m_captures.size());
    m_captures.push_back({flows, tokens, count});
    m_entries.reserve(m_entries.size() + count);
    for (uint32_t flow = 0; flow < count; ++flow)
    {
        if (flows[flow].joinToken < 0)
        {
            Open(capture, flow);
        }
    }
}

/// Take a flow that opened a connection, or whose handshake is not known.
void
Grouping::Open(uint32_t capture, uint32_t place)
{
    const auto& flow = m_captures[capture].flows[place];
    const auto& tokens = m_captures[capture].tokens[place];
    const bool isOpening = flow.firstSyn >= 0;
    auto* const alike = isOpening ? &m_byOpening[{&flow}] : nullptr;
    constexpr auto none = UINT32_MAX;
    auto number = none;
    if (alike)
    {
        number = alike->Find({tokens.token[0], tokens.token[1]}, m_groups).value_or(none);
    }
    for (int end = 0; end < 2 && number == none; ++end)
    {
        if (tokens.token[end] >= 0)
        {
            const auto known = m_byToken.find(static_cast<uint32_t>(tokens.token[end]));
            number = known != m_byToken.end() && known->second.end == end ? known->second.group
                                                                         : none;
        }
    }
    if (number == none)
    {
        number = static_cast<uint32_t>(m_groups.size());
        m_groups.emplace_back();
    }
    auto& group = m_groups[number];
    Learn(group, flow, tokens);
    m_entries.push_back({number, capture, place, false});
    if (alike)
    {
        alike->Add(number, m_groups);
    }
    for (int end = 0; end < 2; ++end)
    {
        if (group.token[end] >= 0)
        {
            m_byToken.try_emplace(static_cast<uint32_t>(group.token[end]), TokenEnd{number, end});
        }
    }
}

/// Take what a flow that opened the connection tells: a capture may lack a part of it.
void
Grouping::Learn(Group& group, const FlowSummary& flow, const FlowTokens& tokens) const
{
    group.version = group.version < 0 ? flow.version : group.version;
    for (int end = 0; end < 2; ++end)
    {
        if (group.token[end] < 0 && tokens.token[end] >= 0)
        {
            group.token[end] = tokens.token[end];
            group.firstData[end] = tokens.firstData[end];
            group.hasFirstData[end] = true;
        }
    }
}

/// Take a flow that joined the connection of a token; all that opened one are known.
void
Grouping::Join(uint32_t capture, uint32_t place)
{
    const auto token = static_cast<uint32_t>(m_captures[capture].flows[place].joinToken);
    const auto next = static_cast<uint32_t>(m_groups.size());
    const auto [known, isNew] = m_byToken.try_emplace(token, TokenEnd{next, 1});
    if (isNew)
    {
        m_groups.emplace_back().token[1] = token;
    }
    m_entries.push_back({known->second.group, capture, place, known->second.end == 0});
}

Grouped
Grouping::Finish()
{
    m_byOpening.clear();
    for (uint32_t capture = 0; capture < m_captures.size(); ++capture)
    {
        const auto& own = m_captures[capture];
        for (uint32_t flow = 0; flow < own.count; ++flow)
        {
            if (own.flows[flow].joinToken >= 0)
            {
                Join(capture, flow);
            }
        }
    }
    m_byToken.clear();
    Sort();
    // Of each connection its entries, in the order of first subflows.
    std::vector<std::pair<size_t, size_t>> runs;
    for (size_t from = 0, to; from < m_entries.size(); from = to)
    {
        for (to = from; to < m_entries.size() && m_entries[to].group == m_entries[from].group;)
        {
            ++to;
        }
        runs.emplace_back(from, to);
    }
    std::stable_sort(runs.begin(), runs.end(), [this](const auto& one, const auto& other) {
        const auto& first = m_entries[one.first];
        const auto& second = m_entries[other.first];
        return std::pair(first.capture, FlowOf(first).startNs) <
               std::pair(second.capture, FlowOf(second).startNs);
    });
    ShareNames(runs);
    m_found.counts.resize(m_captures.size());
    m_found.connections.reserve(runs.size());
    m_found.members.reserve(m_entries.size());
    for (const auto& [from, to] : runs)
    {
        Complete(m_entries.data() + from, m_entries.data() + to);
    }
    m_entries = {};
    m_addresses.clear();
    if (m_captures.size() > 1)
    {
        OrderByCapture();
    }
    return std::move(m_found);
}

/// Put connections in the order of their captures; members and links follow them.
void
Grouping::OrderByCapture()
{
    const auto before = std::exchange(m_found.connections, {});
    const auto members = std::exchange(m_found.members, {});
    std::vector<size_t> order(before.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&before](size_t one, size_t other) {
        return before[one].capture < before[other].capture;
    });
    std::vector<int64_t> numberOf(order.size());
    for (const auto place : order)
    {
        numberOf[place] = static_cast<int64_t>(m_found.connections.size());
        auto& one = m_found.connections.emplace_back(before[place]);
        const auto first = members.begin() + one.firstMember;
        one.firstMember = static_cast<int64_t>(m_found.members.size());
        m_found.members.insert(m_found.members.end(), first, first + one.members);
    }
    for (auto& link : m_found.links)
    {
        link.connection = numberOf[static_cast<size_t>(link.connection)];
    }
    std::stable_sort(m_found.links.begin(),
                     m_found.links.end(),
                     [](const GroupedLink& one, const GroupedLink& other) {
                         return one.connection < other.connection;
                     });
}

/// Put the entries of each connection together: what opened it first, then by time.
void
Grouping::Sort()
{
    const auto isBefore = [this](const Entry& one, const Entry& other) {
        if (one.group != other.group)
        {
            return one.group < other.group;
        }
        const auto& first = FlowOf(one);
        const auto& second = FlowOf(other);
        return std::pair(first.joinToken >= 0, first.startNs) <
               std::pair(second.joinToken >= 0, second.startNs);
    };
    std::stable_sort(m_entries.begin(), m_entries.end(), isBefore);
}

/// Let captures that have a connection in common have names of addresses in common.
void
Grouping::ShareNames(const std::vector<std::pair<size_t, size_t>>& runs)
{
    m_names.resize(m_captures.size());
    std::iota(m_names.begin(), m_names.end(), 0);
    m_named.assign(m_captures.size(), 0);
    for (const auto& [from, to] : runs)
    {
        std::vector<uint32_t> own;
        for (auto i = from; i < to; ++i)
        {
            own.push_back(m_names[m_entries[i].capture]);
        }
        std::sort(own.begin(), own.end());
        if (own.front() == own.back())
        {
            continue;
        }
        for (auto& names : m_names)
        {
            names = std::binary_search(own.begin(), own.end(), names) ? own.front() : names;
        }
    }
}

/// @return The number that stands for the address of a flow's end, in order of appearance.
int32_t
Grouping::NameOf(uint32_t names, const FlowSummary& flow, int end)
{
    const auto [found, isNew] =
        m_addresses.try_emplace({names, flow.family, flow.address[end]}, m_named[names]);
    m_named[names] += isNew;
    return found->second;
}

/// @return Which end of a connection sent more; the one that opened it, where both sent as much.
int
Grouping::SenderOf(const Entry* first, const Entry* last) const
{
    __int128 sent[2]{};
    for (; first != last; ++first)
    {
        for (int end = 0; end < 2; ++end)
        {
            sent[end] += FlowOf(*first).senders[first->isTurned ? 1 - end : end].payloadBytes;
        }
    }
    return sent[1] > sent[0];
}

/// @return Where a flow was captured, with one of its connection's ends as the sender.
Vantage
Grouping::VantageOf(const Entry& entry, int sender) const
{
    const auto& ends = FlowOf(entry).senders;
    return packets::VantageOf(ends[entry.isTurned ? 1 - sender : sender].shortestNs,
                              ends[entry.isTurned ? sender : 1 - sender].shortestNs);
}

/**
 * Of each subflow of a connection, the record that counts: one at the sender, or else the fuller,
 * as one may be a fragment. The others are counted.
 */
Grouping::Entries
Grouping::Nearest(const Entry* first, const Entry* last)
{
    const auto sender = SenderOf(first, last);
    const auto place = static_cast<int64_t>(m_found.connections.size());
    // Records of the same subflow, together.
    std::vector<const Entry*> alike;
    for (const auto* entry = first; entry != last; ++entry)
    {
        alike.push_back(entry);
    }
    const auto mark = [this](const Entry& entry) {
        const auto& flow = FlowOf(entry);
        // Two connections of one file are two, even between the same ports.
        const bool isUnique = flow.firstSyn < 0;
        return std::tuple_cat(EndsOf(flow),
                              std::tuple(isUnique ? int64_t{entry.capture} : -1,
                                         isUnique ? flow.startNs : -1));
    };
    std::stable_sort(alike.begin(), alike.end(), [&](const Entry* one, const Entry* other) {
        return mark(*one) < mark(*other);
    });
    // Subflows in order of their first records.
    std::vector<std::pair<size_t, size_t>> subflows;
    for (size_t from = 0, to; from < alike.size(); from = to)
    {
        for (to = from + 1; to < alike.size() && mark(*alike[to]) == mark(*alike[from]);)
        {
            ++to;
        }
        subflows.emplace_back(from, to);
    }
    std::sort(subflows.begin(), subflows.end(), [&](const auto& one, const auto& other) {
        return alike[one.first] < alike[other.first];
    });
    Entries kept;
    for (size_t number = 0; number < subflows.size(); ++number)
    {
        const auto from = alike.begin() + static_cast<ptrdiff_t>(subflows[number].first);
        const auto to = alike.begin() + static_cast<ptrdiff_t>(subflows[number].second);
        const auto best = *std::min_element(from, to, [&](const Entry* one, const Entry* other) {
            return std::pair(VantageOf(*one, sender) != Vantage::Sender, -FlowOf(*one).segments) <
                   std::pair(VantageOf(*other, sender) != Vantage::Sender,
                             -FlowOf(*other).segments);
        });
        for (auto entry = from; entry != to; ++entry)
        {
            const auto capture = (*entry)->capture;
            m_found.flows.push_back(
                {place, static_cast<int32_t>(number), static_cast<int32_t>(capture)});
            if (*entry != best)
            {
                m_found.counts[capture].elsewhere += FlowOf(**entry).segments;
            }
        }
        if (kept.size() < m_mostSubflows)
        {
            kept.push_back(*best);
        }
        else
        {
            m_found.counts[best->capture].beyond += FlowOf(*best).segments;
        }
    }
    return kept;
}

/// Complete a connection whose flows are known.
void
Grouping::Complete(const Entry* first, const Entry* last)
{
    const auto kept = Nearest(first, last);
    const auto& group = m_groups[first->group];
    const auto sender = SenderOf(kept.data(), kept.data() + kept.size());
    const auto capture = kept.front().capture;
    const auto number = static_cast<int64_t>(m_found.connections.size());
    m_found.connections.push_back(
        {.place = number,
         .firstMember = static_cast<int64_t>(m_found.members.size()),
         .members = static_cast<int64_t>(kept.size()),
         .capture = capture,
         .sender = sender,
         .version = group.version,
         .token = {group.token[0], group.token[1]},
         .hasFirstData = {group.hasFirstData[0], group.hasFirstData[1]},
         .firstData = {group.firstData[0], group.firstData[1]}});
    for (const auto& entry : kept)
    {
        const auto& flow = FlowOf(entry);
        const int end = entry.isTurned ? 1 - sender : sender;
        const auto names = m_names[capture];
        // In order of appearance, the sender's first.
        const auto local = NameOf(names, flow, end);
        const auto remote = NameOf(names, flow, 1 - end);
        m_found.members.push_back({.capture = static_cast<int32_t>(entry.capture),
                                   .flow = static_cast<int32_t>(entry.flow),
                                   .end = end,
                                   .vantage = static_cast<int32_t>(VantageOf(entry, sender)),
                                   .address = {local, remote}});
        auto& counts = m_found.counts[entry.capture];
        counts.segments += flow.segments;
        for (const auto& one : flow.senders)
        {
            counts.implausible += one.implausible;
            counts.forgotten += one.forgotten;
        }
        for (size_t signal = 0; signal < SIGNALS; ++signal)
        {
            counts.signals[signal] += flow.signals[signal];
        }
    }
    Link(number, kept, sender);
}

/// List the captures that a connection is in.
void
Grouping::Link(int64_t connection, const Entries& kept, int sender)
{
    // By capture, and what is not known last.
    std::vector<std::pair<uint32_t, Vantage>> said;
    for (const auto& entry : kept)
    {
        said.emplace_back(entry.capture, VantageOf(entry, sender));
    }
    std::sort(said.begin(), said.end());
    for (size_t from = 0, to; from < said.size(); from = to)
    {
        bool isSender = false;
        bool isReceiver = false;
        for (to = from; to < said.size() && said[to].first == said[from].first; ++to)
        {
            isSender |= said[to].second == Vantage::Sender;
            isReceiver |= said[to].second == Vantage::Receiver;
        }
        auto vantage = Vantage::Unknown;
        if (isSender != isReceiver)
        {
            vantage = isSender ? Vantage::Sender : Vantage::Receiver;
        }
        m_found.links.push_back({connection,
                                 static_cast<int32_t>(said[from].first),
                                 static_cast<int32_t>(vantage)});
    }
}

} // namespace packets
