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
    return CreateBaseline("mptcp-sbd", {}, seat);
}

} // namespace

extern const VerdictKind MPTCP_SBD{
    {"mptcp_sbd",
     "MPTCP-SBD (Ferlin et al., INFOCOM 2016); its controller is olia.",
     UnknownParameters()},
    Create,
};

} // namespace smartsbd
