#include "core/torchscript/torchscript_reader.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <caffe2/serialize/inline_container.h>
#include <torch/csrc/jit/serialization/import.h>
#include <torch/csrc/jit/serialization/import_read.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "core/base/error.h"
#include "core/base/format.h"
#include "core/base/sha256.h"
#include "core/base/stopping.h"
#include "core/base/trial.h"
#include "core/model/size_term.h"
#include "core/model/symbols.h"
#include "core/run/model.h"
#include "core/run/tensors.h"
#include "core/torchscript/script_archive.h"
#include "core/torchscript/script_inputs.h"
#include "core/torchscript/script_operators.h"
#include "core/torchscript/script_source.h"

namespace cleave {

namespace {

// Numbers of nodes, edges and self-loops that no two sums of few of them share; of other density, so that as many nodes have a degree on all of them
// by chance only.
constexpr std::array<ProbeGraph, 3> graphs{{{61, 334, 3, 4, 1}, {67, 386, 5, 4, 2}, {73, 908, 9, 4, 3}}};
using Sizes = std::array<std::int64_t, graphs.size()>;

std::string symbolText(std::int64_t factor, const std::string& symbol)
{
    return factor == 1 ? "Symbol('" + symbol + "')" : "Mul(Integer(" + std::to_string(factor) + "), Symbol('" + symbol + "'))";
}

// Sizes by what they are on each graph.
class SizeNames {
public:
    void know(const Sizes& sizes, const Dim& dim)
    {
        if (m_known.emplace(sizes, dim).second) {
            m_inputs.emplace_back(sizes, dim);
            m_bases.emplace_back(sizes, dim);
        }
    }

    Dim dim(const Sizes& sizes)
    {
        // Nothing at all: rows that another graph would have.
        if (sizes[0] != 0 && std::ranges::all_of(sizes, [&](std::int64_t size) { return size == sizes[0]; }))
            return {sizes[0], {}};
        if (const auto known = m_known.find(sizes); known != m_known.end())
            return known->second;
        if (auto named = multiple(sizes); named || (named = sum(sizes)))
            return m_known[sizes] = *named;
        m_bases.emplace_back(sizes, unnamed());
        return m_known[sizes] = m_bases.back().second;
    }

    // Of a number that nothing else has, though it may look so.
    Dim unnamed() { return {0, "u" + std::to_string(m_unnamed++)}; }

private:
    // Rows that are looked at as several each.
    std::optional<Dim> multiple(const Sizes& sizes) const
    {
        for (const auto& [base, dim] : m_bases) {
            const std::int64_t times = base[0] > 0 ? sizes[0] / base[0] : 0;
            bool fits = times > 1;
            for (std::size_t r = 0; r < sizes.size(); ++r)
                fits = fits && sizes[r] == times * base[r];
            if (fits)
                return parseSize(symbolText(times, dim.symbol), "a size");
        }
        return {};
    }

    // Few times what the inputs have, and a small number.
    std::optional<Dim> sum(const Sizes& sizes) const
    {
        const std::size_t count = std::min<std::size_t>(m_inputs.size(), 4);
        std::vector<std::int64_t> times(count, 0);
        for (;;) {
            std::size_t digit = 0;
            while (digit < count && times[digit] == 4)
                times[digit++] = 0;
            if (digit == count)
                return {};
            ++times[digit];
            Sizes rest = sizes;
            for (std::size_t i = 0; i < count; ++i)
                for (std::size_t r = 0; r < rest.size(); ++r)
                    rest[r] -= times[i] * m_inputs[i].first[r];
            if (std::ranges::all_of(rest, [&](std::int64_t left) { return left == rest[0]; }) && std::abs(rest[0]) <= 2)
                return written(times, rest[0]);
        }
    }

    Dim written(const std::vector<std::int64_t>& times, std::int64_t rest) const
    {
        std::vector<std::string> terms;
        for (std::size_t i = 0; i < times.size(); ++i)
            if (times[i] > 0)
                terms.push_back(symbolText(times[i], m_inputs[i].second.symbol));
        if (rest != 0)
            terms.push_back("Integer(" + std::to_string(rest) + ")");
        return parseSize(terms.size() == 1 ? terms.front() : "Add(" + join(terms, ", ") + ")", "a size");
    }

    std::vector<std::pair<Sizes, Dim>> m_inputs, m_bases;  // of inputs; and all that are no sums of others
    std::map<Sizes, Dim> m_known;
    int m_unnamed = 0;
};

class Reader {
public:
    Reader(torch::jit::Module module, const ScriptOptions& options) : m_module(std::move(module)), m_options(options) {}

    Program run(const std::vector<at::Tensor>& examples, const Progress& progress)
    {
        m_inputs = findInputs(m_module, examples, m_options, progress);
        record(progress);
        if (m_inputs.compared = comparedInputs(); !m_inputs.compared.empty())
            try {
                record(progress);
            } catch (const Error&) {
                progress.check();
                m_inputs.compared.clear();  // other tables have fewer rows
                record(progress);
            }
        refuseDifferent();
        refuseDecisions();
        refuseBaked();
        nameSizes();
        guardSizes();
        dropUnused();
        noteCounts(examples);
        noteDenseBatches();
        for (std::size_t i = 0; i < m_inputs.names.size(); ++i)
            if (!m_inputs.of[i] && m_inputs.given[i].isNone()) {
                program().leftOut.push_back(m_inputs.names[i]);
                program().notes.push_back("The optional input '" + printable(m_inputs.names[i]) + "' is left out: --role " +
                                          printable(m_inputs.names[i]) + "=… takes it in, and so does a graph with an array of its name.");
            }
        if (program().outputs.empty())
            throw Error("The model has no output tensor.");
        return std::move(program());
    }

    bool castsToHalf() const { return m_recordings.front().isHalf; }

private:
    Program& program() { return m_recordings.front().program; }

    // What forward does on each of the graphs.
    void record(const Progress& progress)
    {
        m_recordings.clear();
        ScriptInterpreter interpreter(m_module);
        interpreter.setBaked(m_inputs.baked);
        for (std::size_t i = 0; m_recordings.size() < graphs.size(); i = m_recordings.size()) {
            progress.update(static_cast<double>(i) / graphs.size(), "Reading the model");
            try {
                m_recordings.push_back(interpreter.run(m_inputs.names, m_inputs.on(graphs[i])));
            } catch (const ScriptFailure& failure) {
                // A table with a row for each node fits graphs of as many nodes only.
                if (const std::int64_t rows = parameterRows(m_module, failure); rows > 0 && m_inputs.fixedNodes == 0) {
                    m_inputs.fixedNodes = rows;
                    m_recordings.clear();
                    continue;
                }
                throw Error("The model runs on one random graph, but not on another: " + failure.op + placeText(failure.source) + " says " +
                            printable(failure.message, 160) + parameterAdvice(m_module, failure) + ".");
            }
        }
    }

    // Integers that forward compares with more numbers than were drawn, such as types of edges: how many kinds there are of each.
    std::map<std::string, std::int64_t> comparedInputs()
    {
        std::map<std::string, std::int64_t> kinds;
        for (const Op& op : program().ops) {
            const Argument* self = op.find("self");
            const Argument* other = op.find("other");
            const ValueId* compared = self == nullptr ? nullptr : self->asValue();
            const std::int64_t* number = other == nullptr ? nullptr : other->asInt();
            if (op.target == "aten::eq" && compared != nullptr && number != nullptr && *number >= m_inputs.integers && program().isInput(*compared) &&
                isInteger(program()[*compared].dtype))
                kinds[program()[*compared].name] = std::max(kinds[program()[*compared].name], *number + 1);
        }
        return kinds;
    }

    // The course of forward must not depend on the graph.
    void refuseDifferent()
    {
        const Program& p = program();
        for (std::size_t r = 1; r < m_recordings.size(); ++r) {
            const Program& other = m_recordings[r].program;
            for (std::size_t i = 0; i < std::min(p.ops.size(), other.ops.size()); ++i)
                if (p.ops[i].target != other.ops[i].target || p.ops[i].args != other.ops[i].args ||
                    p.ops[i].outputs.size() != other.ops[i].outputs.size())
                    throw Error("The model does not do the same on every graph: " + describe(p, OpId{static_cast<int>(i)}) +
                                (p.ops[i].target == other.ops[i].target ? " is called with other numbers" : " is not called") +
                                " on another graph; compute with tensors there, or export the model by torch.export.");
            if (p.ops.size() != other.ops.size() || p.values.size() != other.values.size() || p.outputs != other.outputs)
                throw Error("The model does not do the same on every graph: it runs another number of operators; export it by torch.export.");
        }
    }

    void refuseDecisions()
    {
        if (m_recordings.front().decisions.empty())
            return;
        const auto& [tensor, source] = m_recordings.front().decisions.front();
        throw Error("The model takes a branch by the entries of tensor '" + program()[tensor].name + "'" + placeText(source) +
                    ": write it without the branch, with torch.where for instance.");
    }

    // Caches of the graph that the trace was made with: its edges, or what was worked out from its features.
    void refuseBaked()
    {
        const Program& p = program();
        const auto isRead = [&](const Input& input) {
            return std::ranges::any_of(p.ops, [&](const Op& op) {
                bool reads = false;
                forEachOperand(op, [&](ValueId id) { reads = reads || id == input.value; });
                return reads;
            });
        };
        for (const Input& input : p.inputs) {
            const Value& value = p[input.value];
            if (isRead(input) || !isRowsOrEdges(value.name))
                continue;
            for (const Weight& weight : p.weights)
                if (const std::int64_t rows = weight.sizes.empty() ? 0 : weight.sizes.back() * (weight.sizes.size() > 1 ? weight.sizes.front() : 1);
                    weight.isInline && rows > 16 && isInteger(weight.dtype) == isInteger(value.dtype))
                    throw Error(
                        "The trace does not read its input '" + value.name + "', but holds a constant of shape " + shapeText(weight.sizes) +
                        " instead: the graph that it was made with was cached (cached=True); trace a fresh model with cached=False, or export it by torch.export.");
        }
        if (!m_inputs.baked.counts.empty())
            program().notes.push_back(
                "The trace holds numbers of nodes or edges of the graph that it was made with; they are counted anew on every graph.");
    }

    // Nodes behind the last one of the largest graph of the trace are left out, where forward did not say how many to leave room for.
    void noteDenseBatches()
    {
        const auto op = std::ranges::find_if(program().ops,
                                             [](const Op& o) { return o.isTraced() && o.source.file.find("to_dense_batch") != std::string::npos; });
        if (op != program().ops.end())
            program().notes.push_back("The trace has room for as many nodes of each graph as there were when it was made" + placeText(op->source) +
                                      ", unless forward says for how many (max_num_nodes): in PyTorch as well it is wrong on larger graphs then.");
    }

    // Python's numbers are the same on every graph, whatever they were: PyTorch computes with them as they are written.
    void noteCounts(const std::vector<at::Tensor>& examples)
    {
        static const std::set<std::string_view> arithmetic{"aten::mul",  "aten::div",          "aten::add", "aten::sub",
                                                           "aten::rsub", "aten::floor_divide", "aten::full"};
        constexpr std::int64_t least = 10;  // smaller numbers are rarely counts
        if (examples.size() != m_inputs.names.size() || !m_inputs.baked.counts.empty())
            return;
        std::map<double, std::string> counts;
        std::set<double> noted;
        for (std::size_t i = 0; i < examples.size(); ++i)
            for (std::size_t d = 0;
                 m_inputs.of[i] && d < std::min(m_inputs.shapes.values[*m_inputs.of[i]].sizes.size(), static_cast<std::size_t>(examples[i].dim()));
                 ++d)
                if (const Dim& dim = m_inputs.shapes.values[*m_inputs.of[i]].sizes[d];
                    !dim.isConstant() && examples[i].size(static_cast<std::int64_t>(d)) >= least)
                    counts[static_cast<double>(examples[i].size(static_cast<std::int64_t>(d)))] = dim.symbol;
        for (const Op& op : program().ops)
            for (const NamedArgument& argument : op.args) {
                const std::int64_t* whole = argument.value.asInt();
                const double* real = std::get_if<double>(&argument.value.value);
                const double number = whole != nullptr ? static_cast<double>(*whole) : real != nullptr ? *real : 0;
                const auto count = std::isfinite(number) ? counts.find(number) : counts.end();
                if (count != counts.end() && arithmetic.contains(op.target) && noted.insert(count->first).second)
                    program().notes.push_back(
                        "The trace computes with the number " + formatNumber(count->first) + placeText(op.source) + ", as many as the " +
                        count->second +
                        " of the graph that it was made with. It is the same on every graph, in PyTorch as well; if a count is meant, keep it a tensor (x.size(0) without int()).");
            }
    }

    bool isRowsOrEdges(const std::string& input) const
    {
        return std::ranges::any_of(m_inputs.shapes.inputs, [&](const Input& known) {
            return m_inputs.shapes[known.value].name == input && (known.role == Role::NodeFeatures || known.role == Role::GraphStructure);
        });
    }

    static std::string shapeText(const std::vector<std::int64_t>& sizes)
    {
        std::vector<std::string> parts;
        for (const std::int64_t size : sizes)
            parts.push_back(std::to_string(size));
        return "[" + join(parts, ", ") + "]";
    }

    // Numbers that are read from what is in tensors which depend on inputs, and what is worked out from them: one that came out alike on all graphs
    // that were tried (the node of most edges) is another on others.
    std::set<ValueId> numbersRead() const
    {
        const Program& p = m_recordings.front().program;
        std::set<ValueId> ofInputs, read;
        for (const Input& input : p.inputs)
            ofInputs.insert(input.value);
        for (const Op& op : p.ops) {
            bool depends = false, isOfRead = false;
            forEachOperand(op, [&](ValueId operand) {
                depends = depends || ofInputs.contains(operand);
                isOfRead = isOfRead || read.contains(operand);
            });
            for (const ValueId output : op.outputs) {
                if (depends)
                    ofInputs.insert(output);
                if (p[output].kind == ValueKind::Int && ((depends && op.target == "aten::item") || isOfRead))
                    read.insert(output);
            }
        }
        return read;
    }

    void nameSizes()
    {
        SizeNames names;
        nameInputs(names);
        const std::set<ValueId> read = numbersRead();
        std::map<ValueId, std::int64_t> constants;
        for (std::size_t v = 0; v < program().values.size(); ++v) {
            Value& value = program().values[v];
            const auto& known = m_recordings.front().sizes[v];
            if (value.weight.valid() || (value.kind != ValueKind::Tensor && value.kind != ValueKind::Int))
                continue;
            std::vector<Dim> dims;
            for (std::size_t d = 0; d < known.size(); ++d)
                dims.push_back(names.dim(sizesOf(v, d)));
            if (value.kind == ValueKind::Tensor)
                value.sizes = std::move(dims);
            else if (value.number = dims.front(); value.number.isConstant() && read.contains(ValueId{static_cast<int>(v)}))
                value.number = names.unnamed();
            else if (value.number.isConstant() && !program().isInput(ValueId{static_cast<int>(v)}))
                constants[ValueId{static_cast<int>(v)}] = value.number.value;
        }
        for (Op& op : program().ops)
            for (NamedArgument& argument : op.args)
                writeOut(argument.value, constants);
    }

    // What was worked out from sizes, and came out alike on all graphs that were tried, need not on others.
    void guardSizes()
    {
        static const std::set<std::string_view> exact{"operator::add", "operator::sub", "operator::mul", "operator::neg"};
        std::vector<SizeGuard>& guards = program().guards;
        for (const auto& [origin, found] : m_recordings.front().guards) {
            SizeTerm term = termOf(*origin);
            if (!dependsOnSizes(term))
                continue;
            if (const std::string* unknown = unknownOp(term))
                throw Error("The model works out a number from sizes by " + *unknown + placeText(found.second) +
                            ", which Cleave does not follow: it may be another one on other graphs. Export the model by torch.export.");
            guards.push_back({std::move(term), found.first, found.second});
        }
        for (std::size_t i = 0; i < program().ops.size(); ++i) {
            const Op& op = program().ops[i];
            const bool isNumber = op.target.starts_with("operator::") || op.target.starts_with("math::");
            const Value& value = program()[op.outputs.empty() ? ValueId{} : op.outputs.front()];
            if (!isNumber || exact.contains(op.target) || op.outputs.empty() || value.kind != ValueKind::Int || isUnnamed(value.number))
                continue;
            SizeTerm term = termOf(op);
            SizeTerm size{.size = value.number, .isSize = true};
            if (dependsOnSizes(term))
                guards.push_back({{.op = "eq", .parts = {std::move(term), std::move(size)}}, 1, op.source});
        }
    }

    // A symbol that stands for nothing that inputs have: "u0".
    static bool isUnnamed(const Dim& size)
    {
        return size.symbol.size() > 1 && size.symbol.front() == 'u' && size.symbol.find_first_not_of("0123456789", 1) == std::string::npos;
    }

    static const std::string* unknownOp(const SizeTerm& term)
    {
        if (!term.op.empty() && !isSizeFunction(term.op))
            return &term.op;
        for (const SizeTerm& part : term.parts)
            if (const std::string* unknown = unknownOp(part))
                return unknown;
        return nullptr;
    }

    SizeTerm termOf(const SizeOrigin& origin) const
    {
        if (origin.id.valid())
            return termOf(Argument{origin.id});
        SizeTerm term{.op = origin.op, .number = origin.number};
        for (const auto& part : origin.parts)
            term.parts.push_back(termOf(*part));
        return term;
    }

    SizeTerm termOf(const Op& op) const
    {
        SizeTerm term{.op = op.target.substr(op.target.rfind(':') + 1)};
        for (const NamedArgument& argument : op.args)
            term.parts.push_back(termOf(argument.value));
        return term;
    }

    SizeTerm termOf(const Argument& argument) const
    {
        const ValueId* id = argument.asValue();
        const double* real = std::get_if<double>(&argument.value);
        if (id == nullptr)
            return {.number = argument.asInt() != nullptr ? static_cast<double>(*argument.asInt()) : real != nullptr ? *real : 0};
        const Program& p = m_recordings.front().program;
        const OpId maker = p[*id].producer;
        const bool isNumber = maker.valid() && !p[maker].target.starts_with("aten::");
        if (isNumber && (p[*id].kind == ValueKind::Float || isUnnamed(p[*id].number)))
            return termOf(p[maker]);
        return {.size = p[*id].kind == ValueKind::Int ? p[*id].number : Dim{0, "u0"}, .isSize = true};
    }

    // Their sizes have names already.
    void nameInputs(SizeNames& names)
    {
        std::size_t next = 0;
        for (std::size_t i = 0; i < m_inputs.names.size(); ++i) {
            if (!m_inputs.of[i])
                continue;
            const Value& known = m_inputs.shapes[m_inputs.shapes.inputs[*m_inputs.of[i]].value];
            const auto v = static_cast<std::size_t>(program().inputs[next++].value.index);
            for (std::size_t d = 0; d < known.sizes.size(); ++d)
                if (!known.sizes[d].isConstant())
                    names.know(sizesOf(v, d), known.sizes[d]);
        }
    }

    Sizes sizesOf(std::size_t value, std::size_t dim) const
    {
        Sizes sizes;
        for (std::size_t r = 0; r < graphs.size(); ++r) {
            if (m_recordings[r].sizes[value].size() != m_recordings.front().sizes[value].size())
                throw Error("The model does not do the same on every graph: '" + m_recordings.front().program.values[value].name +
                            "' has another number of dimensions.");
            sizes[r] = m_recordings[r].sizes[value][dim];
        }
        return sizes;
    }

    // An input that no operator reads is none; its name may mean nothing to a graph.
    void dropUnused()
    {
        Program& p = program();
        std::vector<bool> isRead(p.values.size());
        for (const Op& op : p.ops)
            forEachOperand(op, [&](ValueId id) { isRead[static_cast<std::size_t>(id.index)] = true; });
        for (const ValueId id : p.outputs)
            isRead[static_cast<std::size_t>(id.index)] = true;
        for (const Input& input : p.inputs)
            if (!isRead[static_cast<std::size_t>(input.value.index)] && p[input.value].kind == ValueKind::Tensor)
                p.notes.push_back("The forward does not read its input '" + printable(p[input.value].name) + "': it is left out.");
        std::erase_if(p.inputs, [&](const Input& input) { return !isRead[static_cast<std::size_t>(input.value.index)]; });
    }

    static void writeOut(Argument& argument, const std::map<ValueId, std::int64_t>& constants)
    {
        if (const ValueId* id = argument.asValue()) {
            if (const auto known = constants.find(*id); known != constants.end())
                argument.value = known->second;
        } else if (auto* list = std::get_if<std::vector<Argument>>(&argument.value)) {
            for (Argument& item : *list)
                writeOut(item, constants);
        }
    }

    torch::jit::Module m_module;
    const ScriptOptions& m_options;
    ScriptInputs m_inputs;
    std::vector<Recording> m_recordings;
};

// The inputs that a trace was made with, which later versions of PyTorch keep: types and sizes, without data.
std::vector<at::Tensor> tracedInputs(const std::filesystem::path& path)
{
    std::vector<at::Tensor> tensors;
    try {
        caffe2::serialize::PyTorchStreamReader archive(path.string());
        if (!archive.hasRecord("traced_inputs.pkl"))
            return {};
        const c10::IValue all = torch::jit::readArchiveAndTensors("traced_inputs", "", "traced_inputs/", {}, {}, c10::Device(c10::kCPU), archive);
        for (const auto& entry : all.toGenericDict())
            if (entry.key().toStringRef() == "forward")
                forEachLeaf(itemFrom(entry.value()), [&](const Item& leaf) {
                    if (leaf.isTensor())
                        tensors.push_back(leaf.value.toTensor());
                });
    } catch (const std::exception&) {  // they only help to guess
        return {};
    }
    return tensors;
}

// The first line that says something.
std::string firstWords(const std::string& message)
{
    for (std::size_t start = 0; start < message.size();) {
        const std::size_t end = std::min(message.find('\n', start), message.size());
        if (message.find_first_not_of(" \t", start) < end)
            return message.substr(start, end - start);
        start = end + 1;
    }
    return message;
}

torch::jit::Module load(const std::filesystem::path& path)
{
    try {
        declareNewerOperators();
        return torch::jit::load(path.string(), c10::Device(c10::kCPU));
    } catch (const std::exception& problem) {
        const std::string message = problem.what();
        if (message.find("Type mismatch: ") != std::string::npos)
            throw Error("The file cannot be loaded by PyTorch itself: PyTorch Geometric 2.5 and later script layers wrongly that reassign edge_index "
                        "(GCN, GAT, APPNP, SGC, RGCN); trace the model by torch.jit.trace instead, or export it by torch.export.");
        if (const std::size_t at = message.find("Unknown builtin op: "); at != std::string::npos) {
            // "aten::rms_norm."
            std::string name = firstWords(message.substr(at + 20));
            while (name.ends_with('.'))
                name.pop_back();
            if (name.starts_with("aten::"))
                throw Error("The model uses the operator " + printable(name, 60) + ", which LibTorch " + libtorchVersion() +
                            " does not have yet: export the model by torch.export.");
            throw Error(
                "The model uses the operator " + printable(name, 60) +
                ", which PyTorch alone does not have: make the file where the extension is not installed, or export the model by torch.export.");
        }
        throw Error("The file cannot be loaded by LibTorch " + libtorchVersion() + ": " + printable(firstWords(message), 160) +
                    "; trace the model by torch.jit.trace, or export it by torch.export.");
    }
}

Program read(const std::filesystem::path& path, const ScriptOptions& options, const Progress& progress)
{
    Program program;
    torch::jit::Module module = load(path);
    bool isHalf = false;
    guarded("The model cannot be read", [&] {
        module.eval();
        for (const at::Tensor& weight : module.parameters())
            isHalf = isHalf || weight.scalar_type() == at::kHalf;
        if (isHalf)
            module.to(at::kFloat);
        Reader reader(std::move(module), options);
        const std::vector<at::Tensor> examples = tracedInputs(path);
        program = reader.run(examples, progress);
        program.isTrace = !examples.empty() || std::ranges::any_of(program.ops, &Op::isTraced);
        isHalf = isHalf || reader.castsToHalf();
    });
    program.wasHalf = isHalf;
    if (isHalf)
        program.notes.push_back(
            "The model computes in float16, which LibTorch's CPU kernels lack in part: it runs in float32 here, and casts to float16 round nothing.");
    program.sha256 = sha256File(path);
    program.producer = "TorchScript";
    const std::string& type = program.modules.front().type;
    program.name = type.empty() ? path.stem().string() : printable(type.substr(type.rfind('.') + 1));
    return program;
}

}  // namespace

// LibTorch's parser and its operators end the process on some damaged files, which no look at the file foretells.
Program readTorchScript(const std::filesystem::path& path, const ScriptOptions& options, const Progress& progress)
{
    progress.update(0, "Reading the model");
    const Stoppable stoppable(&progress.stop);
    screenTorchScript(path);
    const auto onOneThread = [&](const Progress& copied) {
        at::set_num_threads(1);
        read(path, options, copied);
    };
    tryInCopy(onOneThread, "The file is damaged: LibTorch " + libtorchVersion() + " ends, or does not end, while it reads it.", progress);
    return read(path, options, progress);
}

}  // namespace cleave
