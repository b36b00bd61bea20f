// SPDX-License-Identifier: GPL-2.0-only

#include "controllers/controller-kind.h"

namespace smartsbd
{

/// All controllers, by name; each is defined in the file of its name.
#define CONTROLLERS(ROW) \
    ROW(BALIA)           \
    ROW(BBR)             \
    ROW(CMPBBR)          \
    ROW(COUPLED_BBR)     \
    ROW(CUBIC)           \
    ROW(DITHER)          \
    ROW(FMBBR)           \
    ROW(LIA)             \
    ROW(MPCC)            \
    ROW(MPLIBRA)         \
    ROW(MPOL)            \
    ROW(OLIA)            \
    ROW(RENO)            \
    ROW(RL_JOINT)        \
    ROW(WVEGAS)

#define DECLARE(NAME) extern const ControllerKind NAME;
CONTROLLERS(DECLARE)
#undef DECLARE

bool
NeedsAgent(const Chosen<ControllerKind>& chosen)
{
    return chosen.values.Is("agent", "learnt");
}

const std::vector<const ControllerKind*>&
GetControllers()
{
#define ADDRESS(NAME) &NAME,
    static const std::vector<const ControllerKind*> controllers{CONTROLLERS(ADDRESS)};
#undef ADDRESS
    return controllers;
}

} // namespace smartsbd
