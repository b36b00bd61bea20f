// SPDX-License-Identifier: GPL-2.0-only

#include "exported-verdicts.h"

extern "C" const exported_model exported_sbd_tree_invariant;

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
    return CreateExported(exported_sbd_tree_invariant, {}, seat, values);
}

} // namespace

extern const VerdictKind TREE_INVARIANT{
    {"tree_invariant",
     "The exported decision tree on features without a scale (sbd_tree_invariant.h).",
     WindowParameters()},
    Create,
};

} // namespace smartsbd
