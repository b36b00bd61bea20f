// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_BASELINE_VERDICTS_H
#define SMARTSBD_BASELINE_VERDICTS_H

#include "verdicts/verdict-kind.h"

#include "baselines.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace smartsbd
{

/// Opinions of the baselines' kind, over time.
class Opinions
{
  public:
    /**
     * @param subflows How many subflows there are.
     */
    explicit Opinions(std::size_t subflows);
    ~Opinions();

    Opinions(const Opinions&) = delete;
    Opinions& operator=(const Opinions&) = delete;

    /**
     * @return What the C code fills.
     */
    sbd_opinions* Get();

    /// @return The last opinion.
    Partition GetLast() const;

    /// @return All opinions.
    nlohmann::ordered_json Print() const;

    /**
     * Check that nothing is missing.
     *
     * @throws std::runtime_error if something is.
     */
    void Check() const;

  private:
    /**
     * @param row Number of an opinion.
     * @return It.
     */
    Partition GetRow(std::size_t row) const;

    sbd_opinions m_said; //!< What has been said
};

/**
 * @param name Name of a detector of detectors/in_c/.
 * @param settings Names and values of parameters that are not the detector's defaults.
 * @param seat What the source is made for.
 * @return Verdicts of the detector.
 */
std::unique_ptr<VerdictSource> CreateBaseline(
    const std::string& name,
    const std::vector<std::pair<std::string, std::string>>& settings,
    const VerdictSeat& seat);

} // namespace smartsbd

#endif /* SMARTSBD_BASELINE_VERDICTS_H */
