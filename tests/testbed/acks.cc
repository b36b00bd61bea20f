// SPDX-License-Identifier: MIT
//
// acks N: of packets on standard input, a line in hexadecimal for each, what becomes of it where of
// pure ACKs each N-th goes on.

#include "ack-thinning.h"

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

int
main(int, char** words)
{
    relay::AckThinning thinning(static_cast<uint32_t>(std::atoi(words[1])));
    for (std::string line; std::getline(std::cin, line);)
    {
        // Of the packet's size, so that a sanitiser sees what is read behind it.
        std::vector<uint8_t> packet;
        for (std::size_t at = 0; at + 1 < line.size(); at += 2)
        {
            packet.push_back(static_cast<uint8_t>(std::stoul(line.substr(at, 2), nullptr, 16)));
        }
        packet.shrink_to_fit();
        const bool dropped = thinning.Drops(packet.data(), static_cast<uint32_t>(packet.size()));
        std::puts(dropped ? "dropped" : "kept");
    }
    std::printf("%lu\n", static_cast<unsigned long>(thinning.GetDropped()));
    return 0;
}
