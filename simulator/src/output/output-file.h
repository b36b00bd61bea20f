// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_OUTPUT_FILE_H
#define SMARTSBD_OUTPUT_FILE_H

#include <cstdio>
#include <string>
#include <string_view>

namespace smartsbd
{

/**
 * A file that gets its name only when it is complete.
 *
 * The text goes to NAME.part; Publish() renames it to NAME. A file that was never published
 * is removed.
 */
class OutputFile
{
  public:
    /**
     * @param path Final name of the file.
     * @throws std::system_error if NAME.part cannot be created.
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
     * Give the closed file its final name.
     *
     * @throws std::system_error if that fails.
     */
    void Publish();

  private:
    std::string m_path;      //!< Final name
    std::string m_partPath;  //!< Name until Publish()
    std::FILE* m_file;       //!< Open file, or null after Close()
    bool m_published{false}; //!< Whether the file has its final name
};

} // namespace smartsbd

#endif /* SMARTSBD_OUTPUT_FILE_H */
