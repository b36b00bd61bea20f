// SPDX-License-Identifier: GPL-2.0-only

#include "exported-verdicts.h"

extern "C" const exported_model exported_sbd_forest_invariant;

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
    return CreateExported(exported_sbd_forest_invariant, {}, seat, values);
}

} // namespace

extern const VerdictKind FOREST_INVARIANT{
    {"forest_invariant",
     "The exported random forest on features without a scale (sbd_forest_invariant.h).",
     WindowParameters()},
    Create,
};

} // namespace smartsbd
