#include "core/base/text_sink.h"

#include <zlib.h>

#include <cerrno>
#include <cstring>

#include "core/base/error.h"
#include "core/base/format.h"

namespace cleave {

void TextSink::Close::operator()(void* file) const
{
    gzclose(static_cast<gzFile>(file));
}

TextSink::TextSink(const std::filesystem::path& path, bool isPacked, const std::filesystem::path& name)
    : m_name(printable((name.empty() ? path : name).string(), 300)), m_file(gzopen(path.c_str(), isPacked ? "wb6" : "wbT"))
{
    if (!m_file)
        fail();
    gzbuffer(static_cast<gzFile>(m_file.get()), 1U << 18);
}

void TextSink::write(std::string_view text)
{
    errno = 0;
    if (!text.empty() && gzwrite(static_cast<gzFile>(m_file.get()), text.data(), static_cast<unsigned>(text.size())) <= 0)
        fail();
}

void TextSink::close()
{
    errno = 0;
    if (gzclose(static_cast<gzFile>(m_file.release())) != Z_OK)
        fail();
}

void TextSink::fail() const
{
    const int problem = errno;  // zlib leaves the system's
    if (problem == 0)
        throw Error(m_name + " cannot be written.");
    throw Error(m_name + " cannot be written: " + std::strerror(problem) + ".");
}

}  // namespace cleave
