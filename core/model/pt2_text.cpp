#include "core/model/pt2_text.h"

#include <charconv>
#include <iterator>
#include <string_view>
#include <vector>

namespace cleave {

std::pair<std::string, std::string> splitTarget(const std::string& text)
{
    constexpr std::string_view ops = "torch.ops.";
    if (text.starts_with(ops)) {
        const std::string rest = text.substr(ops.size());
        const std::size_t space = rest.find('.');
        const std::size_t overload = space == std::string::npos ? space : rest.find('.', space + 1);
        if (space == std::string::npos)
            return {text, {}};
        const std::string name =
            rest.substr(0, space) + "::" + rest.substr(space + 1, overload == std::string::npos ? overload : overload - space - 1);
        const std::string variant = overload == std::string::npos ? "" : rest.substr(overload + 1);
        return {name, variant == "default" ? "" : variant};
    }
    if (text.starts_with("_operator."))
        return {"operator::" + text.substr(10), {}};
    if (text.starts_with("math."))
        return {"math::" + text.substr(5), {}};
    if (text.starts_with("torch.sym_"))
        return {"sym::" + text.substr(10), {}};
    if (text.starts_with("torch._sym_"))
        return {"sym::" + text.substr(11), {}};
    return {text, {}};
}

namespace {

// `File "model.py", line 12, in forward` and the line itself below it.
SourceLine lineOfFrame(std::string_view frame)
{
    SourceLine source;
    const std::size_t quote = frame.find('"', 1), line = quote == std::string_view::npos ? quote : frame.find("line ", quote);
    if (line == std::string_view::npos)
        return source;
    source.file = frame.substr(1, quote - 1);
    std::from_chars(frame.data() + line + 5, frame.data() + frame.size(), source.line);
    const std::size_t end = frame.find('\n', line), start = end == std::string_view::npos ? end : frame.find_first_not_of(" \n", end);
    if (start != std::string_view::npos)
        source.code = frame.substr(start, frame.find('\n', start) - start);
    return source;
}

}  // namespace

SourceLine sourceLine(const std::string& trace)
{
    constexpr std::string_view begin = "File \"";
    constexpr std::size_t most = 16;
    std::vector<SourceLine> frames;  // the innermost first
    for (std::size_t end = trace.size(); frames.size() < most && end > 0;) {
        const std::size_t file = trace.rfind(begin, end - 1);
        if (file == std::string::npos)
            break;
        const std::string_view frame = std::string_view(trace).substr(file + begin.size() - 1, end - file - begin.size() + 1);
        const bool isGenerated = frame.substr(1).starts_with('<');  // by PyTorch
        if (SourceLine line = lineOfFrame(frame); !isGenerated && !line.file.empty())
            frames.push_back(std::move(line));
        end = file;
    }
    if (frames.empty())
        return {};
    SourceLine source = std::move(frames.front());
    if (frames.size() > 1)
        source.callers =
            std::make_shared<const std::vector<SourceLine>>(std::make_move_iterator(frames.begin() + 1), std::make_move_iterator(frames.end()));
    return source;
}

}  // namespace cleave
