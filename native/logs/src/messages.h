// SPDX-License-Identifier: MIT

#ifndef LOGS_MESSAGES_H
#define LOGS_MESSAGES_H

#include <cstdint>
#include <optional>
#include <string_view>

namespace logs
{

/**
 * Find the message in an entry that `journalctl -o json` printed.
 *
 * @param line The entry, without the line's end.
 * @return The message; none if the line is not one object of printable ASCII, all of whose values
 * are text without escapes, with one message.
 */
std::optional<std::string_view> JournalMessage(std::string_view line);

/// A record of /dev/kmsg.
struct KmsgRecord
{
    int64_t sequence;      //!< Its number
    std::string_view text; //!< Its message
};

/**
 * Take a record of /dev/kmsg apart.
 *
 * @param line Where it begins.
 * @param end Its line end.
 * @return None if the line is none.
 */
std::optional<KmsgRecord> KmsgMessage(const char* line, const char* end);

} // namespace logs

#endif // LOGS_MESSAGES_H
