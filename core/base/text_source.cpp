#include "core/base/text_source.h"

#include <zlib.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/format.h"

namespace cleave {

namespace {

gzFile handle(void* file)
{
    return static_cast<gzFile>(file);
}

}  // namespace

void TextSource::Close::operator()(void* file) const
{
    gzclose(handle(file));
}

TextSource::TextSource(const std::filesystem::path& path) : m_name(printable(path.filename().string()))
{
    std::error_code problem;
    requireFile(path);
    m_size = std::max(1.0, static_cast<double>(std::filesystem::file_size(path, problem)));
    m_file.reset(gzopen(path.c_str(), "rb"));
    if (!m_file)
        throw Error(printable(path.string(), 300) + " cannot be read.");
    gzbuffer(handle(m_file.get()), 1U << 18);
}

std::size_t TextSource::read(char* to, std::size_t most)
{
    constexpr std::size_t atOnce = std::size_t{1} << 30;
    std::size_t count = 0;
    while (count < most) {
        const int got = gzread(handle(m_file.get()), to + count, static_cast<unsigned>(std::min(most - count, atOnce)));
        // What is cut off ends like any other file, but for what gzerror says; newer versions say it once, when the end is met and not yet read.
        int code = Z_OK;
        gzerror(handle(m_file.get()), &code);
        if (code == Z_BUF_ERROR)
            throw Error(m_name + " is damaged: it ends within what gzip packed. Fetch it again.");
        if (code != Z_OK && code != Z_STREAM_END)
            throw Error(m_name + (code == Z_ERRNO ? " cannot be read." : " is damaged: gzip cannot unpack it. Fetch it again."));
        if (got <= 0)
            break;
        count += static_cast<std::size_t>(got);
    }
    return count;
}

double TextSource::fraction() const
{
    return std::clamp(static_cast<double>(gzoffset(handle(m_file.get()))) / m_size, 0.0, 1.0);
}

}  // namespace cleave
