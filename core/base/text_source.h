#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>

namespace cleave {

/// The bytes of a file from the first to the last. What gzip packed is unpacked on the way, whatever the file is called; little of it is in memory at
/// a time.
class TextSource {
public:
    explicit TextSource(const std::filesystem::path& path);  ///< Error if it is not there, not a file, or cannot be read

    /// how many bytes there were, fewer than most at the end only. Error if the file is damaged or cut off
    std::size_t read(char* to, std::size_t most);
    double fraction() const;                       ///< 0..1: of the file's bytes, as packed, those that were read
    const std::string& name() const { return m_name; }  ///< for messages: the file's name without its folder

private:
    struct Close {
        void operator()(void* file) const;
    };
    std::string m_name;
    std::unique_ptr<void, Close> m_file;
    double m_size = 1;  // bytes of the file
};

}  // namespace cleave
