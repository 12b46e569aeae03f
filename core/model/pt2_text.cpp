#include "core/model/pt2_text.h"

#include <charconv>
#include <string_view>

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

SourceLine sourceLine(const std::string& trace)
{
    SourceLine source;
    std::size_t file = trace.rfind("File \"");
    while (file != std::string::npos && file > 0 && trace.compare(file + 6, 1, "<") == 0)  // code that PyTorch wrote
        file = trace.rfind("File \"", file - 1);
    const std::size_t quote = file == std::string::npos ? file : trace.find('"', file + 6);
    const std::size_t line = quote == std::string::npos ? quote : trace.find("line ", quote);
    if (line == std::string::npos)
        return source;
    source.file = trace.substr(file + 6, quote - file - 6);
    std::from_chars(trace.data() + line + 5, trace.data() + trace.size(), source.line);
    const std::size_t end = trace.find('\n', line);
    if (end != std::string::npos) {
        const std::size_t start = trace.find_first_not_of(" \n", end);
        if (start != std::string::npos)
            source.code = trace.substr(start, trace.find('\n', start) - start);
    }
    return source;
}

}  // namespace cleave
