#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace cleave {

/// A file that is written from the first byte to the last, packed by gzip if that is asked for.
class TextSink {
public:
    /// name: what messages call the file, where path is not what the user knows. Error if the file cannot be written, here and below.
    TextSink(const std::filesystem::path& path, bool isPacked, const std::filesystem::path& name = {});

    void write(std::string_view text);
    void close();  ///< without it the file is not whole

private:
    struct Close {
        void operator()(void* file) const;
    };
    [[noreturn]] void fail() const;

    std::string m_name;
    std::unique_ptr<void, Close> m_file;
};

}  // namespace cleave
