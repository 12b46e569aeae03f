#include "core/plan/code.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <span>

#include "cleave_plan_py.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/format.h"
#include "core/plan/execution.h"

namespace cleave {

namespace {

using Json = nlohmann::ordered_json;

// As cleave_plan.py's _identifier: what no identifier has is written as _Q2e_, so that no two texts give the same.
std::string identifier(const std::string& text)
{
    std::string name;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const bool isDigit = c >= '0' && c <= '9', isLetter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        const bool isPlain = isLetter || (isDigit && i > 0) || (c == '_' && text.compare(i, 2, "_Q") != 0);
        name += isPlain ? std::string(1, c) : "_Q" + toHex(std::as_bytes(std::span(&c, 1))) + "_";
    }
    return name.empty() ? "_Q_" : name;
}

std::string quoted(const std::string& text)
{
    return Json(text).dump(-1, ' ', true);
}

// As cleave_plan.py's input_name.
std::string inputName(const Json& operand)
{
    const auto name = [](const std::string& kind, const std::string& value, const Json& frame) {
        std::string text = kind;
        if (!value.empty())
            text += "_" + value;
        if (frame.is_number())
            text += "_" + std::to_string(frame.get<int>());
        return identifier(text);
    };
    for (const char* kind : {"value", "slice", "local", "stored"})
        if (operand.contains(kind))
            return name(kind, operand[kind].get<std::string>(), operand.contains("frame") ? operand["frame"] : Json());
    if (operand.contains("numbers"))
        return name("numbers", {}, operand["numbers"]);
    if (operand.contains("rows"))
        return name("rows", {}, operand["rows"]);
    std::vector<std::string> parts;
    for (const Json& part : operand["parts"])
        parts.push_back(std::to_string(part.get<int>()));
    return name("parts", join(parts, ","), {});
}

// Python text of one function's steps.
class Writer {
public:
    explicit Writer(std::string begin) : m_text(std::move(begin)), m_lines(static_cast<int>(std::ranges::count(m_text, '\n'))) {}

    std::string take() { return std::move(m_text); }
    int lines() const { return m_lines; }

    void line(const std::string& text)
    {
        m_text += "    " + text + "\n";
        m_lines += static_cast<int>(std::ranges::count(text, '\n')) + 1;
    }

    std::string fresh(const std::string& name)
    {
        std::string free = identifier(name);
        // Python's own, and what the files written here name.
        static const std::set<std::string> words{"False", "None",     "True",     "and",     "as",      "assert", "async",  "await",    "break",
                                                 "class", "continue", "def",      "del",     "elif",    "else",   "except", "finally",  "for",
                                                 "from",  "global",   "if",       "import",  "in",      "is",     "lambda", "nonlocal", "not",
                                                 "or",    "pass",     "raise",    "return",  "try",     "while",  "with",   "yield",    "aten",
                                                 "float", "leading",  "numbered", "ordered", "resolve", "run",    "torch",  "v"};
        if (words.contains(free))
            free += "_";
        for (int i = 2; !m_used.insert(free).second; ++i)
            free = identifier(name) + "_" + std::to_string(i);
        return free;
    }

    template <class Operand>
    std::string argument(const Json& value, Operand&& operand)
    {
        if (value.is_array()) {
            std::vector<std::string> items;
            for (const Json& item : value)
                items.push_back(argument(item, operand));
            return "[" + join(items, ", ") + "]";
        }
        if (value.is_object() && value.contains("dtype"))
            return "torch." + value["dtype"].get<std::string>();
        if (value.is_object() && value.contains("float"))
            return "float(" + quoted(value["float"].get<std::string>()) + ")";
        if (value.is_object())
            return operand(value);
        return value.is_null()      ? "None"
               : value.is_boolean() ? (value.get<bool>() ? "True" : "False")
               : value.is_string()  ? quoted(value.get<std::string>())
                                    : value.dump();
    }

    template <class Operand>
    std::string call(const Json& step, Operand&& operand)
    {
        const std::string target = step["target"];
        const bool named = target.starts_with("aten::") && target != "aten::sym_size" && target != "aten::sym_numel" && target != "aten::item";
        // PyTorch 1 takes no argument "self" by name.
        bool byName = named && !step["args"].contains("self");
        std::vector<std::string> arguments;
        for (const auto& [name, value] : step["args"].items()) {
            arguments.push_back((byName ? name + "=" : "") + argument(value, operand));
            byName = byName || (named && name == "self");
        }
        return (named ? "aten." + target.substr(6) : "resolve(" + quoted(target) + ")[0]") + "(" + join(arguments, ", ") + ")";
    }

    // The results of a step under names of their own.
    void assign(const Json& step, const std::string& value, std::map<std::string, std::string>& names, const std::string& comment)
    {
        std::vector<std::string> left;
        for (const Json& output : step["outputs"])
            left.push_back(names[output.get<std::string>()] = fresh(output.get<std::string>()));
        line(join(left, ", ") + " = " + value + (comment.empty() ? "" : "  # " + comment));
    }

private:
    std::string m_text;
    int m_lines;
    std::set<std::string> m_used;
};

class CodeWriter {
public:
    explicit CodeWriter(const Program& program) : m_p(program)
    {
        for (std::size_t i = 0; i < program.ops.size(); ++i)
            m_ops[program.ops[i].name] = OpId{static_cast<int>(i)};
    }

    PlanCode take() { return std::move(m_code); }
    std::string& file(const std::string& name) { return m_code.files[name]; }

    void function(const std::string& file, const std::string& begin, const Json& function)
    {
        Writer out(begin);
        std::map<std::string, std::string> names;
        const auto operand = [&](const auto& self, const Json& o) -> std::string {
            if (o.contains("step"))
                return names.at(o["step"].get<std::string>());
            if (o.contains("leading")) {
                const Json& source = o["leading"];
                return "leading(" + self(self, source) + ", " + source["row_dim"].dump() + ", v[" + quoted(inputName({{"rows", o["frame"]}})) +
                       "], " + std::to_string(source.value("outer", 1)) + ", " + std::to_string(source.value("inner", 1)) + ")";
            }
            if (o.contains("numbered"))
                return "numbered(" + self(self, o["numbered"]) + ", " + o["row_dim"].dump() + ", v[" + quoted(inputName({{"numbers", o["frame"]}})) +
                       "])";
            const std::string input = "v[" + quoted(inputName(o)) + "]";
            return o.contains("rows") && o.value("times", 1) != 1 ? input + " * " + std::to_string(o["times"].get<std::int64_t>()) : input;
        };
        const auto read = [&](const Json& o) { return operand(operand, o); };
        for (const Json& step : function["steps"]) {
            std::string value;
            if (step.contains("forward"))
                value = read(step["forward"]);
            else if (step.contains("concat"))
                value = "ordered(" + out.argument(step["concat"], read) + ", " + step["row_dim"].dump() + ", v[" +
                        quoted(inputName({{"parts", step["parts"]}})) + "])";
            else
                value = out.call(step, read);
            assign(out, file, step, step["op"], value, names);
        }
        std::vector<std::string> saved;
        for (const Json& save : function["saves"])
            saved.push_back(quoted(save["value"]) + ": " + read(save["from"]));
        out.line("return {" + join(saved, ", ") + "}");
        m_code.files[file] = out.take();
    }

    void once(const std::string& file, const std::string& begin, const Json& execution)
    {
        Writer out(begin);
        std::map<std::string, std::string> names;
        for (const Json& input : execution["inputs"])
            names[input["name"]] = "v[" + quoted(identifier(input["name"])) + "]";
        for (const auto& [value, weight] : execution["weights"].items())
            names.try_emplace(value, "v[" + quoted("w_" + identifier(value)) + "]");
        const auto read = [&](const Json& o) { return names.at(o["value"].get<std::string>()); };
        std::vector<std::string> made;
        for (const Json& op : execution["once"]) {
            assign(out, file, op, op["op"], out.call(op, read), names);
            for (const Json& output : op["outputs"])
                made.push_back(quoted(output) + ": " + names[output.get<std::string>()]);
        }
        out.line("return {" + join(made, ",\n            ") + "}");
        m_code.files[file] = out.take();
    }

private:
    void assign(Writer& out, const std::string& file, const Json& step, const std::string& op, const std::string& value,
                std::map<std::string, std::string>& names)
    {
        const auto known = m_ops.find(op);
        if (known != m_ops.end())
            m_code.lines[known->second].push_back({file, out.lines() + 1});
        out.assign(step, value, names, known == m_ops.end() ? std::string() : source(m_p[known->second]));
    }

    // "convs.0.lin, gcn_conv.py:231"
    std::string source(const Op& op) const
    {
        const std::string& file = op.source.file;
        std::string text = op.module.valid() ? printable(m_p[op.module].path) : std::string();
        if (!file.empty())
            text += (text.empty() ? "" : ", ") + printable(file.substr(file.rfind('/') + 1)) + ":" + std::to_string(op.source.line);
        return text;
    }

    const Program& m_p;
    std::map<std::string, OpId> m_ops;
    PlanCode m_code;
};

constexpr const char* initFile = "__init__.py";
constexpr std::string_view initHeading = "\"\"\"A model cut by Cleave into functions that run for all nodes one after the other.";

bool startsWith(const std::filesystem::path& file, std::string_view text)
{
    std::string begin(text.size(), '\0');
    std::ifstream(file, std::ios::binary).read(begin.data(), static_cast<std::streamsize>(begin.size()));
    return begin == text;
}

// "function_2" of "function 2", with another ending where the name is taken.
std::string moduleName(std::string title, const std::vector<std::string>& taken)
{
    std::ranges::replace(title, ' ', '_');
    std::string name = title;
    for (int i = 2; std::ranges::find(taken, name) != taken.end(); ++i)
        name = title + "_" + std::to_string(i);
    return name;
}

}  // namespace

PlanCode generateCode(const PlanSpace& space, const Plan& plan, const std::set<BlockCopy>& copied, std::int64_t batchSize)
{
    const Program& program = space.analysis().program;
    const CutProgram cut = space.cut(plan, copied);
    const Json execution = describeExecution(space.analysis(), cut);
    CodeWriter writer(program);
    const std::string name = quoted(printable(program.name));
    const std::string imports = "import torch\n\nfrom .cleave_plan import aten, leading, numbered, ordered, resolve\n\n\n";
    std::vector<std::string> modules{"once"}, runs;
    writer.once("once.py",
                "\"\"\"What depends on the graph and the weights alone: run once, before all functions.\"\"\"\n\n" + imports + "def run(v):\n",
                execution);
    for (std::size_t f = 0; f < execution["functions"].size(); ++f) {
        const Json& function = execution["functions"][f];
        const std::string title = functionName(cut.functions[f]), module = moduleName(title, modules);
        modules.push_back(module);
        runs.push_back(module + ".run");
        writer.function(module + ".py",
                        "\"\"\"" + std::string(1, static_cast<char>(std::toupper(title.front()))) + title.substr(1) +
                            ": run for each batch. v holds what the batch reads, by name.\"\"\"\n\n" + imports + "def run(v):\n",
                        function);
    }
    writer.file("execution.json") = execution.dump(1, ' ', true) + "\n";
    writer.file("cleave_plan.py") = cleavePlanModule;
    writer.file(initFile) =
        std::string(initHeading) +
        "\n\n    model = load(torch.export.load(\"model.pt2\"))\n    out = model(x, edge_index, batch_size=4096)\n\"\"\"\n\n"
        "import json\nimport pathlib\n\nfrom . import " +
        join(modules, ", ") +
        "\nfrom .cleave_plan import LayerWise, read_weights, tensors_of\n\n"
        "NAME = " +
        name + "\nBATCH_SIZE = " + std::to_string(batchSize) +
        "\n\n\n"
        "def load(program):\n    \"\"\"program: the torch.export.ExportedProgram or torch.jit.ScriptModule that was cut, for its weights.\"\"\"\n"
        "    execution = json.loads((pathlib.Path(__file__).parent / \"execution.json\").read_text(encoding=\"utf-8\"))\n"
        "    weights = read_weights(execution, tensors_of(program))\n"
        "    return LayerWise(execution, once.run, [" +
        join(runs, ", ") + "], weights, BATCH_SIZE)\n";
    return writer.take();
}

void writeCode(const std::filesystem::path& folder, const std::map<std::string, std::string>& files)
{
    makeFolder(folder);
    std::error_code problem;
    const bool isOurs = std::filesystem::is_regular_file(folder / initFile, problem) && startsWith(folder / initFile, initHeading);
    for (const auto& [name, text] : files)
        if (!isOurs && std::filesystem::exists(folder / name, problem))
            throw Error(printable(folder.string(), 300) + " holds a file " + name +
                        " that belongs to no package which Cleave wrote: name another folder, a new or an empty one.");
    for (const auto& [name, text] : files)
        writeText(folder / name, text);
}

}  // namespace cleave
