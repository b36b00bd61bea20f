// SPDX-License-Identifier: GPL-2.0-only

#include "controllers/controller-kind.h"

namespace smartsbd
{

// Each is defined in the file of its name.
extern const ControllerKind BALIA;
extern const ControllerKind BBR;
extern const ControllerKind CMPBBR;
extern const ControllerKind COUPLED_BBR;
extern const ControllerKind CUBIC;
extern const ControllerKind FMBBR;
extern const ControllerKind LIA;
extern const ControllerKind MPCC;
extern const ControllerKind MPLIBRA;
extern const ControllerKind MPOL;
extern const ControllerKind OLIA;
extern const ControllerKind RENO;
extern const ControllerKind RL_JOINT;
extern const ControllerKind WVEGAS;

bool
NeedsAgent(const Chosen<ControllerKind>& chosen)
{
    return chosen.values.Is("agent", "learnt");
}

const std::vector<const ControllerKind*>&
GetControllers()
{
    static const std::vector<const ControllerKind*> controllers{
        &BALIA,
        &BBR,
        &CMPBBR,
        &COUPLED_BBR,
        &CUBIC,
        &FMBBR,
        &LIA,
        &MPCC,
        &MPLIBRA,
        &MPOL,
        &OLIA,
        &RENO,
        &RL_JOINT,
        &WVEGAS,
    };
    return controllers;
}

} // namespace smartsbd
