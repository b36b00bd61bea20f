// SPDX-License-Identifier: MIT

#ifndef TESTS_FUZZ_HOLDS_H
#define TESTS_FUZZ_HOLDS_H

/// End the program where a promise does not hold.
#define HOLDS(what)                                                                                \
    do                                                                                             \
    {                                                                                              \
        if (!(what))                                                                               \
        {                                                                                          \
            __builtin_trap();                                                                      \
        }                                                                                          \
    } while (0)

#endif // TESTS_FUZZ_HOLDS_H
