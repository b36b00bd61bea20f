// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 *
 * smartsbd-radio: smartsbd-sim with 802.11n links. They need libraries of ns-3 that take as long to
 * load as the others together, which a program without them does not wait for.
 */

#include "program.h"
#include "radio-link.h"

namespace smartsbd
{

const Program&
GetProgram()
{
    static const Program program{"smartsbd-radio",
                                 " radio=" SMARTSBD_RADIO,
                                 GetPlainVerdicts(),
                                 &MakeRadio};
    return program;
}

} // namespace smartsbd
