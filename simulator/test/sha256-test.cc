// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 *
 * Compares smartsbd::Sha256() with the examples of FIPS 180-4 and smartsbd::HmacSha256() with the
 * test cases 1 to 3 of RFC 4231.
 * Exit status: 0 if all agree, else 1 with a line on standard error for each that differs.
 */

#include "output/sha256.h"

#include <cstdio>
#include <string>

namespace
{

using smartsbd::Bytes;
using smartsbd::Digest;

/// Exit status so far.
int g_status = 0;

/**
 * @param text A text.
 * @return Its bytes.
 */
Bytes
ToBytes(const std::string& text)
{
    return Bytes(text.begin(), text.end());
}

/**
 * @param name What is tested.
 * @param digest A hash.
 * @param expected What it must be, in hexadecimal digits.
 */
void
Expect(const char* name, const Digest& digest, const std::string& expected)
{
    std::string text;
    for (const auto byte : digest)
    {
        char digits[3];
        std::snprintf(digits, sizeof(digits), "%02x", byte);
        text += digits;
    }
    if (text != expected)
    {
        std::fprintf(stderr, "%s: %s\n", name, text.c_str());
        g_status = 1;
    }
}

} // namespace

int
main()
{
    using smartsbd::HmacSha256;
    using smartsbd::Sha256;
    Expect("empty", Sha256({}), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    Expect("abc",
           Sha256(ToBytes("abc")),
           "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    Expect("two blocks",
           Sha256(ToBytes("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
           "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    Expect("a million letters",
           Sha256(Bytes(1000000, 'a')),
           "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    Expect("RFC 4231, case 1",
           HmacSha256(Bytes(20, 0x0b), ToBytes("Hi There")),
           "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
    Expect("RFC 4231, case 2",
           HmacSha256(ToBytes("Jefe"), ToBytes("what do ya want for nothing?")),
           "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    Expect("RFC 4231, case 3",
           HmacSha256(Bytes(20, 0xaa), Bytes(50, 0xdd)),
           "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe");
    return g_status;
}
