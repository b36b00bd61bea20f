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
    return CreateBaseline("rfc8382", {}, seat);
}

} // namespace

extern const VerdictKind RFC8382{
    {"rfc8382",
     "RFC 8382's statistics of delays and losses.",
     UnknownParameters()},
    Create,
};

} // namespace smartsbd
