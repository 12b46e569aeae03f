#include "app/cli/terminal.h"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <iostream>

#include "core/base/format.h"

namespace cleave::cli {

namespace {

std::stop_source stopSource;

void onInterrupt(int)
{
    stopSource.request_stop();
    std::signal(SIGINT, SIG_DFL);
}

// Columns on screen: bytes that do not continue a UTF-8 character.
std::size_t width(const std::string& text)
{
    return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

bool isNumber(const std::string& cell)
{
    return cell.empty() || cell == "-" || std::isdigit(static_cast<unsigned char>(cell.front()));
}

}  // namespace

TerminalProgress::TerminalProgress()
{
    std::signal(SIGINT, onInterrupt);
}

TerminalProgress::~TerminalProgress()
{
    if (isatty(STDERR_FILENO))
        std::fputs("\r\033[K", stderr);
}

Progress TerminalProgress::progress() const
{
    Progress progress{stopSource.get_token(), {}};
    if (isatty(STDERR_FILENO))
        progress.report = [](double fraction, std::string_view what) {
            std::fprintf(stderr, "\r\033[K%3.0f %%  %.*s", fraction * 100, static_cast<int>(what.size()), what.data());
        };
    return progress;
}

std::string table(const std::vector<std::vector<std::string>>& rows)
{
    std::vector<std::size_t> widths;
    std::vector<bool> numeric;
    for (std::size_t r = 0; r < rows.size(); ++r) {
        widths.resize(std::max(widths.size(), rows[r].size()));
        numeric.resize(widths.size(), true);
        for (std::size_t c = 0; c < rows[r].size(); ++c) {
            widths[c] = std::max(widths[c], width(rows[r][c]));
            numeric[c] = numeric[c] && (r == 0 || isNumber(rows[r][c]));
        }
    }
    std::string text;
    for (const auto& row : rows) {
        std::string line = " ";
        for (std::size_t c = 0; c < row.size(); ++c) {
            const std::string pad(widths[c] - width(row[c]), ' ');
            line += " " + (numeric[c] ? pad + row[c] : row[c] + pad) + " ";
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
    return text;
}

void ModelArguments::add(CLI::App& command)
{
    command.add_option("MODEL", path, "Model file written by torch.export.save (.pt2)")->type_name("FILE")->required();
    command.add_option("--role", roles, "What an input of forward or a parameter is (node-features, graph-structure, edge-features, other), "
                                        "instead of the guess from its name, type and shape; may be repeated")
        ->type_name("NAME=ROLE")->allow_extra_args(false);
}

Model ModelArguments::open(const Progress& progress) const
{
    OpenOptions options;
    for (const std::string& text : roles) {
        const auto [name, value] = nameAndValue(text, "--role");
        if (!roleFromName(value, options.roles[name]))
            throw Error("--role " + printable(text) + ": there is no role '" + printable(value) +
                        "'; roles are node-features, graph-structure, edge-features and other.");
    }
    return openModel(path, options, progress);
}

std::pair<std::string, std::string> nameAndValue(const std::string& text, const std::string& option)
{
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
        throw Error(option + " " + printable(text) + ": write it as NAME=VALUE.");
    return {text.substr(0, equals), text.substr(equals + 1)};
}

void print(const std::string& text)
{
    std::cout << text << std::flush;
    if (!std::cout)
        throw Error("Standard output cannot be written.");
}

}  // namespace cleave::cli
