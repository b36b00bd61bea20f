// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_OUTPUT_FILE_H
#define SMARTSBD_OUTPUT_FILE_H

#include "output/whole-file.h"

#include <cstdio>
#include <string>
#include <string_view>

namespace smartsbd
{

/**
 * A file of text that is there whole or not at all.
 */
class OutputFile
{
  public:
    /**
     * @param path The file.
     * @throws std::system_error if it cannot be created.
     */
    explicit OutputFile(const std::string& path);
    ~OutputFile();

    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    /**
     * Append text; a failure shows at Close().
     *
     * @param text The text.
     */
    void Write(std::string_view text);

    /**
     * Write out everything.
     *
     * @throws std::system_error if any of the text could not be written.
     */
    void Close();

    /**
     * Put the closed file in its place.
     *
     * @throws std::system_error if that fails.
     */
    void Publish();

  private:
    WholeFile m_whole;  //!< Its place
    std::FILE* m_file;  //!< Open file, or null after Close()
};

} // namespace smartsbd

#endif /* SMARTSBD_OUTPUT_FILE_H */
