// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_LINE_FIT_H
#define SMARTSBD_LINE_FIT_H

#include <cstdint>

namespace smartsbd
{

/// The line of least squares through points, of which sums are kept.
class LineFit
{
  public:
    /**
     * Take a point.
     *
     * @param x Where it is.
     * @param y Its value.
     */
    void Add(double x, double y);

    /// @return The slope of the line; 0 with fewer than three points, or if all are at one place.
    double GetSlope() const;

  private:
    uint64_t m_count{0}; //!< Number of points
    double m_firstX{0};  //!< Where the first one is: sums are of what is beyond, which is small
    double m_firstY{0};  //!< Its value
    double m_sumX{0};    //!< Sum of x
    double m_sumY{0};    //!< Sum of y
    double m_sumXX{0};   //!< Sum of the square of x
    double m_sumXY{0};   //!< Sum of the product
};

} // namespace smartsbd

#endif /* SMARTSBD_LINE_FIT_H */
