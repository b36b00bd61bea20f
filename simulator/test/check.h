// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 *
 * What the unit tests compare with, and the exit status that tells whether everything agreed.
 */

#ifndef SMARTSBD_CHECK_H
#define SMARTSBD_CHECK_H

#include <cstdio>

namespace smartsbd
{

/// Exit status of the test so far: 0, or 1 once something has differed.
inline int g_status = 0;

/**
 * @param name What is compared, for standard error if it differs.
 * @param holds Whether it is as it should be.
 */
inline void
Check(const char* name, bool holds)
{
    if (!holds)
    {
        std::fprintf(stderr, "%s\n", name);
        g_status = 1;
    }
}

} // namespace smartsbd

#endif // SMARTSBD_CHECK_H
