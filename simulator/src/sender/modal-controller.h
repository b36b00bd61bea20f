// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_MODAL_CONTROLLER_H
#define SMARTSBD_MODAL_CONTROLLER_H

#include "ns3/nstime.h"

#include <string_view>
#include <vector>

namespace smartsbd
{

/// A controller has another mode from now on.
struct ModeChange
{
    ns3::Time from;        //!< Since when
    std::string_view mode; //!< Its name
};

/**
 * Keeps the modes of a controller for the truth. A controller that has modes derives from it.
 */
class ModalController
{
  public:
    virtual ~ModalController() = default;

    /// @return All modes so far.
    const std::vector<ModeChange>& GetModes() const;

  protected:
    /**
     * The controller has another mode now, or still the same.
     *
     * @param mode Its name, which is a literal.
     */
    void EnterMode(std::string_view mode);

  private:
    std::vector<ModeChange> m_modes; //!< All modes so far
};

} // namespace smartsbd

#endif /* SMARTSBD_MODAL_CONTROLLER_H */
