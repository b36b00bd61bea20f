// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_SHA256_H
#define SMARTSBD_SHA256_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace smartsbd
{

/// Bytes of any kind.
using Bytes = std::vector<uint8_t>;

/// A SHA-256 hash.
using Digest = std::array<uint8_t, 32>;

/**
 * Hash a message (FIPS 180-4).
 *
 * @param message The message.
 * @return Its SHA-256 hash.
 */
Digest Sha256(const Bytes& message);

/**
 * Authenticate a message (RFC 2104, with SHA-256).
 *
 * @param key The key, of at most 64 bytes.
 * @param message The message.
 * @return The HMAC.
 */
Digest HmacSha256(const Bytes& key, const Bytes& message);

} // namespace smartsbd

#endif /* SMARTSBD_SHA256_H */
