// SPDX-License-Identifier: GPL-2.0-only

#include "controllers/controller-kind.h"

namespace smartsbd
{

// Each is defined in the file of its name.
extern const ControllerKind CUBIC;
extern const ControllerKind LIA;
extern const ControllerKind RENO;

const std::vector<const ControllerKind*>&
GetControllers()
{
    static const std::vector<const ControllerKind*> controllers{
        &CUBIC,
        &LIA,
        &RENO,
    };
    return controllers;
}

} // namespace smartsbd
