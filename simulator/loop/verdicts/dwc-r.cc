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
    return CreateBaseline("dwc-r", {}, seat);
}

} // namespace

extern const VerdictKind DWC_R{
    {"dwc_r",
     "DWC-R, after Dynamic Window Coupling (Hassayoun, Iyengar, Ros, ICNP 2011).",
     UnknownParameters()},
    Create,
};

} // namespace smartsbd
