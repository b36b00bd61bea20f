// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 *
 * Lets two controllers ask for what they share, and compares what they get. Exit status: 0 if all
 * agree, else 1 with a line on standard error for each that differs.
 */

#include "controllers/shared-states.h"

#include "check.h"
#include "controllers/advertised-rate.h"

#include <cstddef>
#include <memory>

namespace
{

using namespace smartsbd;

/// What a family of controllers shares.
struct Turn
{
    int number{7}; //!< A default that is not zero
};

namespace stranger
{

/// What another one shares, under the same name.
struct Turn
{
    int number{0}; //!< Its default
};

} // namespace stranger

/// Who asks for a type gets what all have that ask for it.
void
TestShared()
{
    SharedStates states(3);
    const auto first = states.Get<Turn>();
    Check("one of each subflow", first->size() == 3);
    Check("the type's defaults", (*first)[2].number == 7);
    (*first)[1].number = 4;
    const auto second = states.Get<Turn>();
    Check("the same for the next", second == first && (*second)[1].number == 4);
    const auto other = states.Get<stranger::Turn>();
    Check("another type is apart", other->size() == 3 && (*other)[1].number == 0);
    (*other)[1].number = 9;
    Check("and stays so", (*first)[1].number == 4);
    SharedStates further(1);
    Check("another connection is apart", further.Get<Turn>()->at(0).number == 7);
}

/// What is shared lives as long as one that asked for it.
void
TestLifetime()
{
    auto states = std::make_unique<SharedStates>(1);
    const auto kept = states->Get<Turn>();
    const std::weak_ptr gone(states->Get<stranger::Turn>());
    states.reset();
    Check("it is kept", (*kept)[0].number == 7);
    Check("nothing else is", gone.expired());
}

/// Rates of the others of the group, whatever the own one is.
void
TestAdvertised()
{
    ConnectionSignals signals(4);
    const std::vector<AdvertisedRate> rates{{1}, {20}, {300}, {4000}};
    Check("all others", SumAdvertised(signals, rates, 1) == 4301);
    signals[2].group = 1;
    Check("of its group", SumAdvertised(signals, rates, 1) == 4001);
    Check("alone", SumAdvertised(signals, rates, 2) == 0);
}

} // namespace

int
main()
{
    TestShared();
    TestLifetime();
    TestAdvertised();
    return g_status;
}
