// SPDX-License-Identifier: GPL-2.0-only

#include "baseline-verdicts.h"

namespace smartsbd
{

namespace
{

/**
 * @param seat What the source is made for.
 * @return A source.
 */
std::unique_ptr<VerdictSource>
Create(const VerdictSeat& seat, const ParameterValues&)
{
    return CreateBaseline("emptcp-r", {}, seat);
}

} // namespace

extern const VerdictKind EMPTCP_R{
    {"emptcp_r",
     "EMPTCP-R, after EMPTCP (Ye et al., ICCCN 2019): subflows marked at the same time share.",
     UnknownParameters()},
    Create,
};

} // namespace smartsbd
