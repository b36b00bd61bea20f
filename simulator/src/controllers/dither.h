// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_DITHER_H
#define SMARTSBD_DITHER_H

#include "ns3/nstime.h"

#include <cstdint>
#include <vector>

namespace smartsbd
{

/// What the window of a subflow did: above its base in one half, as far below in the other.
struct WindowSymbol
{
    ns3::Time begin;    //!< When its first half began
    ns3::Time middle;   //!< When its second half began
    ns3::Time end;      //!< When it ended
    int32_t segments{0}; //!< By how much the window was above its base in the first half
};

/// What a controller that dithers shares of a subflow with a source of verdicts.
struct DitheredWindow
{
    bool paused{false};                //!< Whether it is not to dither
    bool recorded{false};              //!< Whether somebody takes its symbols
    std::vector<WindowSymbol> symbols; //!< Those that ended since they were taken
};

/**
 * The amplitude of a symbol.
 *
 * @param window The base window in segments.
 * @param share The amplitude over the window.
 * @return Segments: 1 to 16, and at most a quarter of the window.
 */
uint32_t DitherAmplitude(uint32_t window, double share);

/**
 * @param amplitude The amplitude of a symbol in segments.
 * @return Segments that are acknowledged in each of its halves at least.
 */
uint32_t DitherHalfSegments(uint32_t amplitude);

} // namespace smartsbd

#endif /* SMARTSBD_DITHER_H */
