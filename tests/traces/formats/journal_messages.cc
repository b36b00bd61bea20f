// SPDX-License-Identifier: MIT
//
// Prints the message of each line of the input, as JournalMessage finds it, or "none".

#include "messages.h"

#include <iostream>
#include <string>

int
main()
{
    for (std::string line; std::getline(std::cin, line);)
    {
        const auto message = logs::JournalMessage(line);
        std::cout << (message ? "<" + std::string(*message) + ">" : "none") << '\n';
    }
}
