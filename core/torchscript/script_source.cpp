#include "core/torchscript/script_source.h"

#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "core/base/error.h"
#include "core/base/format.h"
#include "core/base/stopping.h"
#include "core/model/allowed_ops.h"

namespace cleave {

namespace {

// "/path/gcn_conv.py(231): forward", the first line of a call stack.
SourceLine ofCallStack(std::string_view text)
{
    const std::string_view line = text.substr(0, text.find('\n'));
    const std::size_t open = line.rfind(".py(");
    int number = 0;
    if (open == std::string_view::npos || std::from_chars(line.data() + open + 4, line.data() + line.size(), number).ec != std::errc())
        return {};
    return {std::string(line.substr(0, open + 3)), number, {}};
}

}  // namespace

SourceLine sourceOf(const torch::jit::Node& node)
{
    torch::jit::SourceRange range = node.sourceRange();
    if (const auto original = range.findSourceRangeThatGenerated())
        range = *original;
    if (!range.source())
        return {};
    const std::string text = std::string(range.text().str());
    if (SourceLine traced = ofCallStack(text); traced.line > 0)
        return traced;
    if (const auto place = range.file_line_col()) {
        const auto& [file, line, column] = *place;
        return {file, static_cast<int>(line) + 1, text.substr(0, text.find('\n'))};
    }
    return {};
}

std::string placeText(const SourceLine& source)
{
    if (source.line <= 0)
        return {};
    return " (" + printable(source.file.substr(source.file.find_last_of('/') + 1)) + ":" + std::to_string(source.line) + ")";
}

std::string pythonName(const std::string& qualified)
{
    std::string name;
    for (std::size_t start = 0; start <= qualified.size();) {
        const std::size_t end = std::min(qualified.find('.', start), qualified.size());
        const std::string part = qualified.substr(start, end - start);
        start = end + 1;
        if (part != "__torch__" && !part.starts_with("___torch_mangle_"))
            name += (name.empty() ? "" : ".") + part;
    }
    return name;
}

void refuseUnsafe(const torch::jit::Node& node)
{
    const std::string_view name = node.kind().toQualString();
    if (!isAllowedOp(name) && !name.starts_with("prim::"))
        throw Error("The model uses the operator " + printable(std::string(name)) + placeText(sourceOf(node)) + ", which Cleave does not run.");
}

void FailureGuard::run(const std::function<void()>& work) const
{
    const auto failure = [&](std::string message) {
        message = message.substr(0, message.find('\n'));
        return ScriptFailure{std::move(message), node.kind().toQualString(), sourceOf(node), operands, after};
    };
    try {
        const c10::InferenceMode inference;
        work();
    } catch (const Cancelled&) {
        throw;
    } catch (const Error&) {
        throw;
    } catch (const c10::Error& error) {
        throw failure(error.what_without_backtrace());
    } catch (const std::exception& error) {
        throw failure(error.what());
    }
}

}  // namespace cleave
