// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_CONSTANT_VERDICT_H
#define SMARTSBD_CONSTANT_VERDICT_H

#include "verdicts/verdict-kind.h"

namespace smartsbd
{

/// Says the same from the beginning to the end.
class ConstantVerdict : public VerdictSource
{
  public:
    /**
     * @param partition What it says.
     */
    explicit ConstantVerdict(Partition partition);

    bool Decide(ns3::Time now) override;
    Partition GetPartition() const override;
    nlohmann::ordered_json Print() const override;

  private:
    const Partition m_partition; //!< What it says
    bool m_begins{true};         //!< Whether it has not been asked yet
};

} // namespace smartsbd

#endif /* SMARTSBD_CONSTANT_VERDICT_H */
