// SPDX-License-Identifier: GPL-2.0-only

#include "verdicts/constant-verdict.h"

#include <nlohmann/json.hpp>

#include <utility>

namespace smartsbd
{

ConstantVerdict::ConstantVerdict(Partition partition)
    : m_partition(std::move(partition))
{
}

bool
ConstantVerdict::Decide(ns3::Time)
{
    return std::exchange(m_begins, false);
}

Partition
ConstantVerdict::GetPartition() const
{
    return m_partition;
}

nlohmann::ordered_json
ConstantVerdict::Print() const
{
    return {{"verdicts", nlohmann::json::array({PrintPartition(ns3::Time(), m_partition)})}};
}

} // namespace smartsbd
