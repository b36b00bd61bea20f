// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_PROGRAM_H
#define SMARTSBD_PROGRAM_H

#include "verdicts/verdict-kind.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace smartsbd
{

class Port;
struct AccessSpec;

/// The ports of an access link.
struct AccessPorts
{
    std::unique_ptr<Port> forward; //!< The data direction
    std::unique_ptr<Port> reverse; //!< The other direction
};

/**
 * Makes an 802.11n link.
 *
 * @param access The link.
 * @param firstStream Number of its first random stream.
 * @return Its ports.
 */
using RadioMaker = AccessPorts (*)(const AccessSpec& access, int64_t firstStream);

/// What smartsbd-sim, smartsbd-loop and smartsbd-radio differ in.
struct Program
{
    std::string name;                         //!< Name of the program
    std::string digests;                      //!< What its version says beside the sources' digest
    std::vector<const VerdictKind*> verdicts; //!< Sources of verdicts, by name
    RadioMaker makeRadio;                     //!< Makes 802.11n links, or null: it has none
};

/// @return This program; each is linked with a definition of its own.
const Program& GetProgram();

} // namespace smartsbd

#endif /* SMARTSBD_PROGRAM_H */
