// SPDX-License-Identifier: GPL-2.0-only

#include "program.h"

namespace smartsbd
{

const Program&
GetProgram()
{
    static const Program program{"smartsbd-sim", "", GetPlainVerdicts(), nullptr};
    return program;
}

} // namespace smartsbd
