// SPDX-License-Identifier: GPL-2.0-only

#include "exported-verdicts.h"

extern "C" const exported_model exported_sbd_tree_paper;

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
    return CreateExported(exported_sbd_tree_paper, {}, seat, values);
}

} // namespace

extern const VerdictKind TREE_PAPER{
    {"tree_paper",
     "The exported decision tree on the paper's features (sbd_tree_paper.h).",
     WindowParameters()},
    Create,
};

} // namespace smartsbd
