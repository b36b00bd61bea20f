// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_PROGRAM_H
#define SMARTSBD_PROGRAM_H

#include "verdicts/verdict-kind.h"

#include <string>
#include <vector>

namespace smartsbd
{

/// What smartsbd-sim and smartsbd-loop differ in.
struct Program
{
    std::string name;                         //!< Name of the program
    std::string digests;                      //!< What its version says beside the sources' digest
    std::vector<const VerdictKind*> verdicts; //!< Sources of verdicts, by name
};

/// @return This program; each is linked with a definition of its own.
const Program& GetProgram();

} // namespace smartsbd

#endif /* SMARTSBD_PROGRAM_H */
