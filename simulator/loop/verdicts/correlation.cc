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
    return CreateBaseline("correlation", {}, seat);
}

} // namespace

extern const VerdictKind CORRELATION{
    {"correlation",
     "Plain correlation of the RTTs over 50 round trips, with a threshold.",
     UnknownParameters()},
    Create,
};

} // namespace smartsbd
