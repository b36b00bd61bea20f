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
extern const ControllerKind MPOL;
extern const ControllerKind OLIA;
extern const ControllerKind RENO;
extern const ControllerKind WVEGAS;

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
        &MPOL,
        &OLIA,
        &RENO,
        &WVEGAS,
    };
    return controllers;
}

} // namespace smartsbd
