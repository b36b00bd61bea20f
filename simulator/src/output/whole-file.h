// SPDX-License-Identifier: GPL-2.0-only

#ifndef SMARTSBD_WHOLE_FILE_H
#define SMARTSBD_WHOLE_FILE_H

#include <string>

namespace smartsbd
{

/**
 * A file that is there whole or not at all: it is written beside its place, and put there when
 * nothing is missing.
 *
 * Where no regular file can be put in place of what is there (a device, a pipe), that itself is
 * written to. What a symbolic link points to is written. contracts/whole_file.py does the same.
 */
class WholeFile
{
  public:
    /**
     * @param path The file, in a folder that is there.
     * @throws std::system_error if its links lead nowhere.
     */
    explicit WholeFile(const std::string& path);
    ~WholeFile();

    WholeFile(const WholeFile&) = delete;
    WholeFile& operator=(const WholeFile&) = delete;

    /// @return Where to write it.
    const std::string& GetPart() const;

    /**
     * Put what was written in the file's place.
     *
     * @throws std::system_error if that fails.
     */
    void Publish();

  private:
    std::string m_place;        //!< Where it is in the end
    std::string m_part;         //!< Where it is until then
    bool m_isPublished{false};  //!< Whether it is there
};

} // namespace smartsbd

#endif /* SMARTSBD_WHOLE_FILE_H */
