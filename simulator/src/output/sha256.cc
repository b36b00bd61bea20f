// SPDX-License-Identifier: GPL-2.0-only

#include "output/sha256.h"

#include <algorithm>
#include <bit>

namespace smartsbd
{

namespace
{

/// Bytes of a block of the hash function.
constexpr std::size_t BLOCK = 64;

/// The eight words of the hash.
using State = std::array<uint32_t, 8>;

/// First 32 bits of the fractional parts of the square roots of the first 8 primes.
constexpr State INITIAL{
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};

/// First 32 bits of the fractional parts of the cube roots of the first 64 primes.
constexpr std::array<uint32_t, 64> ROUND{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

/**
 * @param block First byte of a block.
 * @return The message schedule.
 */
std::array<uint32_t, 64>
Expand(const uint8_t* block)
{
    std::array<uint32_t, 64> words{};
    for (std::size_t i = 0; i < BLOCK; ++i)
    {
        words[i / 4] = words[i / 4] << 8 | block[i];
    }
    for (std::size_t i = 16; i < words.size(); ++i)
    {
        const auto a = words[i - 15];
        const auto b = words[i - 2];
        words[i] = words[i - 16] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3) + words[i - 7] +
                   (std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10);
    }
    return words;
}

/**
 * @param state The hash so far.
 * @param block First byte of the next block.
 */
void
Compress(State& state, const uint8_t* block)
{
    const auto words = Expand(block);
    auto [a, b, c, d, e, f, g, h] = state;
    for (std::size_t i = 0; i < words.size(); ++i)
    {
        const auto first = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                           ((e & f) ^ (~e & g)) + ROUND[i] + words[i];
        const auto second = (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) +
                            ((a & b) ^ (a & c) ^ (b & c));
        h = g;
        g = f;
        f = e;
        e = d + first;
        d = c;
        c = b;
        b = a;
        a = first + second;
    }
    const State change{a, b, c, d, e, f, g, h};
    for (std::size_t i = 0; i < state.size(); ++i)
    {
        state[i] += change[i];
    }
}

} // namespace

Digest
Sha256(const Bytes& message)
{
    auto padded = message;
    padded.push_back(0x80);
    while (padded.size() % BLOCK != BLOCK - sizeof(uint64_t))
    {
        padded.push_back(0);
    }
    const uint64_t bits = 8 * message.size();
    for (int shift = 56; shift >= 0; shift -= 8)
    {
        padded.push_back(static_cast<uint8_t>(bits >> shift));
    }
    auto state = INITIAL;
    for (std::size_t i = 0; i < padded.size(); i += BLOCK)
    {
        Compress(state, &padded[i]);
    }
    Digest digest;
    for (std::size_t i = 0; i < digest.size(); ++i)
    {
        digest[i] = static_cast<uint8_t>(state[i / 4] >> (24 - 8 * (i % 4)));
    }
    return digest;
}

Digest
HmacSha256(const Bytes& key, const Bytes& message)
{
    Bytes inner(BLOCK, 0x36);
    Bytes outer(BLOCK, 0x5c);
    for (std::size_t i = 0; i < key.size(); ++i)
    {
        inner[i] ^= key[i];
        outer[i] ^= key[i];
    }
    inner.insert(inner.end(), message.begin(), message.end());
    const auto digest = Sha256(inner);
    outer.insert(outer.end(), digest.begin(), digest.end());
    return Sha256(outer);
}

} // namespace smartsbd
