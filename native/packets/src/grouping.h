// SPDX-License-Identifier: MIT

#ifndef PACKETS_GROUPING_H
#define PACKETS_GROUPING_H

#include "answers.h"
#include "flow.h"

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace packets
{

/// What follows from the keys of a flow, of both ends; a token is -1 where it is not known.
struct FlowTokens
{
    int64_t token[2];
    uint64_t firstData[2]; //!< Data sequence number of the first byte; counts if the token is known
};

/// A connection. What is of an end comes twice: of the one that opened it, and of the other.
struct GroupedConnection
{
    int64_t place;       //!< Among all, in order of the first subflow
    int64_t firstMember; //!< Its subflows are so many members from there on
    int64_t members;
    int64_t capture; //!< The one it counts in: that of its first subflow
    int64_t sender;  //!< Which end sent more, the first where both sent as much
    int64_t version; //!< -1 where it is not known
    int64_t token[2];
    int64_t hasFirstData[2];
    uint64_t firstData[2];
};

/// A subflow of a connection.
struct GroupedMember
{
    int32_t capture;
    int32_t flow;       //!< Its place in the capture's summaries
    int32_t end;        //!< Which end of the flow the connection's sender is
    int32_t vantage;    //!< Where it was captured, as Vantage has it
    int32_t address[2]; //!< Numbers that stand for the sender's address and the receiver's
};

/// A capture that a connection is in.
struct GroupedLink
{
    int64_t connection; //!< In the order of connections
    int32_t capture;
    int32_t vantage; //!< What its subflows there agree on, as Vantage has it
};

/// A flow of a connection, whether it counts or another record of the same subflow does.
struct GroupedFlow
{
    int64_t place;   //!< Of its connection
    int32_t subflow; //!< Its number there
    int32_t capture;
};

/// What of a capture became part of connections.
struct GroupedCounts
{
    int64_t segments;  //!< Of the subflows that are members
    int64_t elsewhere; //!< Of what another record of the same subflow counts for
    int64_t beyond;    //!< Of subflows after as many as a connection may have
    int64_t implausible;
    int64_t forgotten;
    std::array<int64_t, SIGNALS> signals;
};

/// The connections of some captures.
struct Grouped
{
    /// Those of the first capture, then those of the next, each in order of begin.
    std::vector<GroupedConnection> connections;
    std::vector<GroupedMember> members;
    std::vector<GroupedLink> links;
    std::vector<GroupedFlow> flows;    //!< In order of connections' places
    std::vector<GroupedCounts> counts; //!< Of each capture
};

/**
 * Puts the flows of some captures into connections.
 *
 * A connection is known by the tokens of its keys, which are in the MP_CAPABLE of its first
 * subflow, and by the token in the MP_JOIN of the others. A flow without its handshake is a
 * connection of its own.
 */
class Grouping
{
  public:
    /// @param mostSubflows How many a connection may have.
    explicit Grouping(size_t mostSubflows);

    /**
     * Take the flows of the next capture.
     *
     * @param flows In order of their first segments; they are needed until Finish() has returned.
     * @param tokens Of each.
     * @param count How many.
     */
    void Add(const FlowSummary* flows, const FlowTokens* tokens, size_t count);

    /// @return All connections; nothing more will come.
    Grouped Finish();

  private:
    /// A connection while flows are put into it.
    struct Group
    {
        std::array<int64_t, 2> token{-1, -1};
        uint64_t firstData[2]{};
        bool hasFirstData[2]{};
        int64_t version{-1};
    };

    /// A flow in its connection.
    struct Entry
    {
        uint32_t group;
        uint32_t capture;
        uint32_t flow;
        bool isTurned; //!< Its end 0 is the connection's end 1
    };

    /// An end of a connection, by a token.
    struct TokenEnd
    {
        uint32_t group;
        int end;
    };

    /// What tells the first subflow of a connection from others: its ends and its SYN.
    struct Opening
    {
        const FlowSummary* flow;

        bool operator<(const Opening& other) const;
    };

    using Tokens = std::array<int64_t, 2>;

    /// Connections that one opening may be of, in the order in which they were found to be.
    class Alike
    {
      public:
        /// @return The first whose tokens are not others than these, as far as they are known.
        std::optional<uint32_t> Find(const Tokens& tokens, const std::vector<Group>& groups);

        /// Take one more, which may be known; it has its tokens by now.
        void Add(uint32_t group, const std::vector<Group>& groups);

      private:
        /// The places of many, by what is known of their tokens. They learn more, but forget none.
        struct Index
        {
            std::set<uint32_t> groups;
            std::vector<Tokens> tokens; //!< By which each place is found
            std::set<std::pair<Tokens, size_t>> places;
        };

        void Put(size_t place, const Tokens& tokens);
        void Remove(size_t place);

        std::vector<uint32_t> m_groups;
        std::unique_ptr<Index> m_index; //!< None while there are few
    };

    /// An address, in a group of captures that have names in common.
    struct Address
    {
        uint32_t names;
        int64_t family;
        std::array<uint8_t, 16> bytes;

        auto operator<=>(const Address&) const = default;
    };

    using Entries = std::vector<Entry>;

    const FlowSummary& FlowOf(const Entry& entry) const
    {
        return m_captures[entry.capture].flows[entry.flow];
    }

    void Open(uint32_t capture, uint32_t flow);
    void Join(uint32_t capture, uint32_t flow);
    void Learn(Group& group, const FlowSummary& flow, const FlowTokens& tokens) const;
    int SenderOf(const Entry* first, const Entry* last) const;
    Vantage VantageOf(const Entry& entry, int sender) const;
    void Sort();
    void OrderByCapture();
    void ShareNames(const std::vector<std::pair<size_t, size_t>>& runs);
    int32_t NameOf(uint32_t names, const FlowSummary& flow, int end);
    void Complete(const Entry* first, const Entry* last);
    Entries Nearest(const Entry* first, const Entry* last);
    void Link(int64_t connection, const Entries& kept, int sender);

    struct Capture
    {
        const FlowSummary* flows;
        const FlowTokens* tokens;
        size_t count;
    };

    size_t m_mostSubflows;
    std::vector<Capture> m_captures;
    std::vector<Group> m_groups;
    Entries m_entries;
    // Ordered, not hashed: who made a capture may have chosen all of these.
    std::map<uint32_t, TokenEnd> m_byToken;
    std::map<Opening, Alike> m_byOpening;
    std::vector<uint32_t> m_names; //!< Of captures: which have names of addresses in common
    std::vector<int32_t> m_named;  //!< How many names there are
    std::map<Address, int32_t> m_addresses;

    Grouped m_found;
};

} // namespace packets

#endif // PACKETS_GROUPING_H
