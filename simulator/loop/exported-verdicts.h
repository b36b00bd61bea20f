// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_EXPORTED_VERDICTS_H
#define SMARTSBD_EXPORTED_VERDICTS_H

#include "exported-model.h"
#include "verdicts/verdict-kind.h"

#include <memory>
#include <string>
#include <vector>

namespace smartsbd
{

/**
 * @param model An exported model.
 * @param bytes Its model file; empty for a model that is its header's own.
 * @param seat What the source is made for.
 * @param values The parameters.
 * @return Verdicts of the exported C, which is fed as a sender would feed it.
 * @throws ModelError if the file is no model.
 */
std::unique_ptr<VerdictSource> CreateExported(const exported_model& model,
                                              const std::string& bytes,
                                              const VerdictSeat& seat,
                                              const ParameterValues& values);

/// @return The parameters of sources that judge window by window.
std::vector<Parameter> WindowParameters();

} // namespace smartsbd

#endif /* SMARTSBD_EXPORTED_VERDICTS_H */
