// SPDX-License-Identifier: GPL-2.0-only

#include "baseline-verdicts.h"

namespace smartsbd
{

namespace
{

/**
 * @param seat What the source is made for.
 * @param values The parameters.
 * @return A source.
 */
std::unique_ptr<VerdictSource>
Create(const VerdictSeat& seat, const ParameterValues& values)
{
    const auto signal = values.Is("signal", "ecn") ? "ecn" : "loss";
    return CreateBaseline("ton20-r", {{"signal", signal}}, seat);
}

/// @return The parameters.
std::vector<Parameter>
GetParameters()
{
    auto parameters = UnknownParameters();
    parameters.push_back(OneOf("signal",
                               "What marks a subflow. loss: a loss event; ecn: an ACK that echoes "
                               "congestion.",
                               {"loss", "ecn"}));
    return parameters;
}

} // namespace

extern const VerdictKind TON20_R{
    {"ton20_r",
     "TON20-R, after SB-CC (Wei et al., ToN 28(2) 2020): subflows marked at the same time share.",
     GetParameters()},
    Create,
};

} // namespace smartsbd
