// SPDX-License-Identifier: GPL-2.0-only

#include "controllers/advertised-rate.h"

namespace smartsbd
{

double
SumAdvertised(const ConnectionSignals& signals,
              const std::vector<AdvertisedRate>& rates,
              std::size_t index)
{
    double sum = 0;
    for (std::size_t i = 0; i < signals.size(); ++i)
    {
        if (i != index && signals[i].group == signals[index].group)
        {
            sum += rates[i].rate;
        }
    }
    return sum;
}

} // namespace smartsbd
