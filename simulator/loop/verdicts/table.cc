// SPDX-License-Identifier: GPL-2.0-only

#include "table.h"

#include "baseline-verdicts.h"
#include "exported-verdicts.h"

extern "C" const exported_model exported_sbd_forest_invariant;
extern "C" const exported_model exported_sbd_tree_invariant;
extern "C" const exported_model exported_sbd_tree_paper;

namespace smartsbd
{

namespace
{

/// Names of detectors of detectors/in_c/.
constexpr char CORRELATION[] = "correlation";
constexpr char DWC_R[] = "dwc-r";
constexpr char EMPTCP_R[] = "emptcp-r";
constexpr char MPTCP_SBD[] = "mptcp-sbd";
constexpr char RFC8382[] = "rfc8382";

/**
 * @tparam name Name of the detector.
 * @param seat What the source is made for.
 * @return A source.
 */
template <const char* name>
std::unique_ptr<VerdictSource>
CreateDetector(const VerdictSeat& seat, const ParameterValues&)
{
    return CreateBaseline(name, {}, seat);
}

/**
 * @tparam model The exported model.
 * @param seat What the source is made for.
 * @param values The parameters.
 * @return A source.
 */
template <const exported_model& model>
std::unique_ptr<VerdictSource>
CreateModel(const VerdictSeat& seat, const ParameterValues& values)
{
    return CreateExported(model, {}, seat, values);
}

} // namespace

const std::vector<VerdictKind>&
GetVerdictTable()
{
    static const std::vector<VerdictKind> table{
        {{"correlation",
          "Plain correlation of the RTTs over 50 round trips, with a threshold.",
          UnknownParameters()},
         CreateDetector<CORRELATION>},
        {{"dwc_r",
          "DWC-R, after Dynamic Window Coupling (Hassayoun, Iyengar, Ros, ICNP 2011).",
          UnknownParameters()},
         CreateDetector<DWC_R>},
        {{"emptcp_r",
          "EMPTCP-R, after EMPTCP (Ye et al., ICCCN 2019): subflows marked at the same time share.",
          UnknownParameters()},
         CreateDetector<EMPTCP_R>},
        {{"mptcp_sbd",
          "MPTCP-SBD (Ferlin et al., INFOCOM 2016); its controller is olia.",
          UnknownParameters()},
         CreateDetector<MPTCP_SBD>},
        {{"rfc8382", "RFC 8382's statistics of delays and losses.", UnknownParameters()},
         CreateDetector<RFC8382>},
        {{"forest_invariant",
          "The exported random forest on features without a scale (sbd_forest_invariant.h).",
          WindowParameters()},
         CreateModel<exported_sbd_forest_invariant>},
        {{"tree_invariant",
          "The exported decision tree on features without a scale (sbd_tree_invariant.h).",
          WindowParameters()},
         CreateModel<exported_sbd_tree_invariant>},
        {{"tree_paper",
          "The exported decision tree on the paper's features (sbd_tree_paper.h).",
          WindowParameters()},
         CreateModel<exported_sbd_tree_paper>},
    };
    return table;
}

} // namespace smartsbd
