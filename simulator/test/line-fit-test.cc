// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 *
 * Compares the slopes of lines of least squares with values computed by hand. Exit status: 0 if all
 * agree, else 1 with a line on standard error for each that differs.
 */

#include "sender/line-fit.h"

#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

namespace
{

int g_status = 0; //!< Exit status

/**
 * @param name What is compared.
 * @param points The points.
 * @param due The slope that their line should have.
 */
void
Expect(const char* name, const std::vector<std::pair<double, double>>& points, double due)
{
    smartsbd::LineFit line;
    for (const auto& [x, y] : points)
    {
        line.Add(x, y);
    }
    if (std::abs(line.GetSlope() - due) > 1e-9)
    {
        std::fprintf(stderr, "%s: %.12g, not %.12g\n", name, line.GetSlope(), due);
        g_status = 1;
    }
}

} // namespace

int
main()
{
    Expect("no points", {}, 0);
    Expect("two are too few", {{0, 0}, {1, 1}}, 0);
    Expect("on a line", {{1, 3}, {2, 5}, {4, 9}}, 2);
    Expect("falling", {{0, 1}, {1, 0.5}, {2, 0}}, -0.5);
    // Means 1.5 and 1; products of deviations: 1.5 + 0 + 0 + 1.5 = 3, squares 5.
    Expect("beside a line", {{0, 0}, {1, 1}, {2, 1}, {3, 2}}, 0.6);
    Expect("at one place", {{7, 1}, {7, 2}, {7, 3}}, 0);
    Expect("far from zero", {{1e5, 0.1}, {1e5 + 0.01, 0.101}, {1e5 + 0.02, 0.102}}, 0.1);
    return g_status;
}
