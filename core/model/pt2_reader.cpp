#include "core/model/pt2_reader.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <utility>

#include "core/base/error.h"
#include "core/base/format.h"
#include "core/base/sha256.h"
#include "core/model/json_view.h"
#include "core/model/pt2_archive.h"
#include "core/model/pt2_autocast.h"
#include "core/model/pt2_checks.h"
#include "core/model/pt2_text.h"
#include "core/model/symbols.h"

namespace cleave {

namespace {

class ProgramReader {
public:
    ProgramReader(Pt2Archive archive, Program& program) : m_archive(std::move(archive)), m_p(program) {}

    void run(const Progress& progress)
    {
        const JsonView root(m_archive.program, "the exported program");
        const JsonView module = root.at("graph_module");
        const JsonView graph = module.at("graph");
        if (const auto version = root.find("torch_version"))
            m_p.producer = "PyTorch " + printable(version->text());
        m_p.modules.push_back({});
        describeValues(graph);
        for (const auto* table : {&m_scope.tensors, &m_scope.numbers})
            for (const auto& [name, meta] : *table)
                m_taken.insert(name);
        for (const JsonView& spec : module.at("signature").at("input_specs").items())
            addInput(spec);
        const auto nodes = graph.at("nodes").items();
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            if (i % 256 == 0)
                progress.update(static_cast<double>(i) / static_cast<double>(nodes.size()), "Reading the model");
            addNode(nodes[i]);
        }
        for (const JsonView& spec : module.at("signature").at("output_specs").items())
            addOutput(spec);
        if (m_p.outputs.empty())
            throw Error("The model has no output tensor.");
        addNotes();
    }

private:
    // The names of a graph, and what they stand for.
    struct Scope {
        std::string prefix;  // of names that others have as well; empty: of the program itself
        std::map<std::string, std::string> called;  // names of what the graph makes, in the program
        std::map<std::string, JsonView> tensors, numbers;
        std::map<std::string, ValueId> ids;
        std::map<std::string, Argument> literals;
    };

    void describeValues(const JsonView& graph)
    {
        for (const auto& [name, meta] : graph.at("tensor_values").members())
            m_scope.tensors.emplace(name, meta);
        for (const std::string table : {"sym_int_values", "sym_float_values", "sym_bool_values"})
            if (const auto values = graph.find(table))
                for (const auto& [name, value] : values->members())
                    m_scope.numbers.emplace(name, value);
    }

    // What the program calls what the graph calls so.
    std::string called(const std::string& name)
    {
        if (m_scope.prefix.empty())
            return name;
        const auto [known, isNew] = m_scope.called.try_emplace(name);
        if (isNew)
            known->second = m_taken.insert(name).second ? name : m_scope.prefix + name;
        return known->second;
    }

    ValueId add(const std::string& name, ValueKind kind, const JsonView& where)
    {
        Value value;
        value.name = called(name);
        value.kind = kind;
        if (kind == ValueKind::Tensor) {
            const auto meta = m_scope.tensors.find(name);
            if (meta == m_scope.tensors.end())
                where.fail("a tensor that tensor_values describes, not '" + printable(name) + "'");
            readMeta(value, meta->second);
        } else if (const auto number = m_scope.numbers.find(name); kind == ValueKind::Int && number != m_scope.numbers.end()) {
            value.number = size(number->second, name);
        }
        if (kind == ValueKind::Int && value.number.isConstant() && value.number.value == 0 && !m_scope.numbers.contains(name))
            value.number.symbol = value.name;
        const ValueId id{static_cast<int>(m_p.values.size())};
        if (!m_scope.ids.emplace(name, id).second)
            throw Error("The model file is damaged: the name '" + printable(name) + "' is given twice.");
        m_p.values.push_back(std::move(value));
        return id;
    }

    void readMeta(Value& value, const JsonView& meta)
    {
        const std::int64_t dtype = meta.at("dtype").integer();
        m_half = m_half || dtype == static_cast<int>(DType::Float16);
        value.dtype = readDType(dtype, "Tensor '" + value.name + "'");
        for (const JsonView& dim : meta.at("sizes").items())
            value.sizes.push_back(size(dim, value.name));
        if (value.sizes.size() > 16)
            meta.fail("a tensor of at most 16 dimensions");
        std::int64_t entries = 1;
        for (const Dim& dim : value.sizes)
            if (dim.isConstant() && (dim.value < 0 || __builtin_mul_overflow(entries, std::max<std::int64_t>(dim.value, 1), &entries)))
                meta.fail("a tensor of possible sizes");
        if (const auto device = meta.find("device"))
            noteDevice(*device);
    }

    static Dim size(const JsonView& json, const std::string& name)
    {
        const auto [kind, value] = json.choice();
        if (kind == "as_int") {
            if (value.integer() < -(std::int64_t{1} << 62))
                value.fail("a size");
            return {value.integer(), {}};
        }
        if (kind == "as_expr")
            return parseSize(value.at("expr_str").text(), "'" + name + "'");
        json.fail("a size");
    }

    void noteDevice(const JsonView& device)
    {
        const std::string type = device.at("type").text();
        if (type != "cpu" && type != "meta" && m_device.empty())
            m_device = printable(type, 20);
    }

    void addInput(const JsonView& spec)
    {
        const auto [kind, body] = spec.choice();
        if (kind == "user_input")
            addUserInput(body.at("arg"));
        else if (kind == "parameter")
            addWeight(body, body.at("parameter_name").text());
        else if (kind == "buffer")
            addWeight(body, body.at("buffer_name").text());
        else if (kind == "tensor_constant")
            addWeight(body, body.at("tensor_constant_name").text());
        else if (kind == "constant_input")
            addConstantInput(body);
        else
            throw Error("The model has an input of kind '" + printable(kind) + "' (a custom object or an effect token), which Cleave cannot run.");
    }

    void addUserInput(const JsonView& argument)
    {
        const auto [kind, body] = argument.choice();
        if (kind == "as_tensor")
            m_p.inputs.push_back({add(body.at("name").text(), ValueKind::Tensor, body)});
        else if (kind == "as_sym_int")
            m_p.inputs.push_back({add(body.at("as_name").text(), ValueKind::Int, body)});
        else if (kind == "as_sym_float")
            m_p.inputs.push_back({add(body.at("as_name").text(), ValueKind::Float, body)});
        else if (kind != "as_none" && kind != "as_int" && kind != "as_float" && kind != "as_bool" && kind != "as_string")
            argument.fail("a tensor or a number");
    }

    void addWeight(const JsonView& body, const std::string& name)
    {
        auto found = m_archive.weights.find(name);
        if (found == m_archive.weights.end()) {
            found = m_archive.constants.find(name);
            if (found == m_archive.constants.end())
                throw Error("The model file is damaged: it has no data for the weight '" + printable(name) + "'.");
        }
        const ValueId id = add(body.at("arg").at("name").text(), ValueKind::Tensor, body);
        // The data says what the weight is; the program's description of it must agree.
        Value& value = m_p[id];
        bool same = value.dtype == found->second.dtype && value.sizes.size() == found->second.sizes.size();
        for (std::size_t d = 0; same && d < value.sizes.size(); ++d)
            same = value.sizes[d] == Dim{found->second.sizes[d], {}};
        if (!same)
            throw Error("The model file is damaged: the data of weight '" + printable(name) + "' has another type or shape than the program says.");
        value.weight = {static_cast<int>(m_p.weights.size())};
        m_p.weights.push_back(found->second);
        m_p.weights.back().name = name;
    }

    void addConstantInput(const JsonView& body)
    {
        const auto [kind, value] = body.at("value").choice();
        const std::string name = body.at("name").text();
        if (kind == "as_int")
            m_scope.literals[name] = {value.integer()};
        else if (kind == "as_float")
            m_scope.literals[name] = {value.number()};
        else if (kind == "as_bool")
            m_scope.literals[name] = {value.boolean()};
        else if (kind == "as_string")
            m_scope.literals[name] = {value.text()};
        else
            m_scope.literals[name] = {};
    }

    void addNode(const JsonView& node)
    {
        Op op;
        std::tie(op.target, op.overload) = splitTarget(node.at("target").text());
        if (const auto metadata = node.find("metadata"))
            readMetadata(op, *metadata);
        const auto outputs = node.at("outputs").items();
        const auto name = node.find("name");
        const std::string here = name ? name->text() : outputs.empty() ? op.target : firstName(outputs.front());
        if (const std::optional<std::size_t> graph = wrappedGraph(op.target)) {
            addWrapped(node, op.target, *graph);
            return;
        }
        op.name = called(here);
        if (op.target == "operator::getitem" || op.target == "operator::getitem_") {
            if (resolveItem(node, op, here))
                return;
        }
        refuseForeign(m_p, op);
        for (const JsonView& input : node.at("inputs").items())
            if (auto argument =
                    takesComplexNumber(op, input.at("arg")) ? complexNumber(input.at("arg").choice().second) : readArgument(input.at("arg")))
                op.args.push_back({input.at("name").text(), std::move(*argument)});
        std::erase_if(op.args, [](const NamedArgument& a) { return a.name == "pin_memory"; });
        for (const JsonView& output : outputs)
            addResults(op, output);
        if (m_casts)
            m_autocast.write(m_p, op, m_taken);
        const OpId id{static_cast<int>(m_p.ops.size())};
        for (std::size_t i = 0; i < op.outputs.size(); ++i) {
            m_p[op.outputs[i]].producer = id;
            m_p[op.outputs[i]].outputIndex = static_cast<int>(i);
        }
        m_p.ops.push_back(std::move(op));
        refuseTraining(m_p, id);
    }

    void bind(const std::string& name, Argument argument, const JsonView& where)
    {
        const ValueId* id = argument.asValue();
        if (m_scope.ids.contains(name) || m_scope.literals.contains(name))
            throw Error("The model file is damaged: the name '" + printable(name) + "' is given twice.");
        if (id)
            m_scope.ids[name] = *id;
        else if (argument.asList())
            where.fail("a tensor or a number");
        else
            m_scope.literals[name] = std::move(argument);
    }

    static std::string nameOf(const JsonView& argument)
    {
        const auto [kind, body] = argument.choice();
        if (kind != "as_tensor" && !kind.starts_with("as_sym_"))
            argument.fail("a tensor or a number with a name");
        return body.at(kind == "as_tensor" ? "name" : "as_name").text();
    }

    static constexpr std::string_view withAutocast = "higher_order::wrap_with_autocast";

    // Where the inputs of an op name a graph that is run in its place: under torch.no_grad(), since here nothing has a gradient, and under
    // torch.autocast. Nothing for other ops.
    static std::optional<std::size_t> wrappedGraph(const std::string& target)
    {
        if (target == "higher_order::wrap_with_set_grad_enabled")
            return 1;
        return target == withAutocast ? std::optional<std::size_t>(4) : std::nullopt;
    }

    // A region says anew whether it casts; one that is about gradients says nothing.
    bool casts(const std::string& target, const std::vector<JsonView>& operands) const
    {
        constexpr std::size_t isEnabled = 2;
        if (target != withAutocast)
            return m_casts;
        const auto [kind, enabled] = operands[isEnabled].at("arg").choice();
        return kind == "as_bool" && enabled.boolean();
    }

    // It has names of its own. at: among the op's inputs; what it is given comes behind.
    void addWrapped(const JsonView& node, const std::string& target, std::size_t at)
    {
        constexpr int deepest = 32;
        const auto operands = node.at("inputs").items();
        if (operands.size() <= at || m_depth >= deepest)
            node.fail("a graph that is run with or without gradients");
        const JsonView wrapped = operands[at].at("arg").at("as_graph"), graph = wrapped.at("graph");
        const auto inputs = graph.at("inputs").items(), outputs = graph.at("outputs").items(), results = node.at("outputs").items();
        if (inputs.size() != operands.size() - at - 1)
            graph.at("inputs").fail("as many inputs as the graph is given");
        Scope inner{m_scope.prefix + wrapped.at("name").text() + ".", {}, {}, {}, {}, {}};
        std::vector<Argument> given;
        for (std::size_t i = at + 1; i < operands.size(); ++i)
            given.push_back(readArgument(operands[i].at("arg")).value_or(Argument{}));
        std::swap(m_scope, inner);
        const bool castsOutside = std::exchange(m_casts, casts(target, operands));
        ++m_depth;
        describeValues(graph);
        for (std::size_t i = 0; i < inputs.size(); ++i)
            if (const auto [kind, body] = inputs[i].choice(); kind == "as_tensor" || (kind.starts_with("as_sym_") && body.find("as_name")))
                bind(nameOf(inputs[i]), std::move(given[i]), inputs[i]);
        for (const JsonView& inside : graph.at("nodes").items())
            addNode(inside);
        std::vector<Argument> made;
        for (const JsonView& output : outputs)
            made.push_back(readArgument(output).value_or(Argument{}));
        --m_depth;
        m_casts = castsOutside;
        std::swap(m_scope, inner);
        std::vector<JsonView> names;
        for (const JsonView& result : results) {
            const auto [kind, body] = result.choice();
            if (kind == "as_tensors")
                for (const JsonView& tensor : body.items())
                    names.push_back(tensor.at("name"));
            else if (kind == "as_tensor")
                names.push_back(body.at("name"));
            else
                names.push_back(body.at("as_name"));
        }
        if (names.size() != made.size())
            node.at("outputs").fail("as many outputs as the graph has");
        for (std::size_t i = 0; i < names.size(); ++i)
            bind(names[i].text(), std::move(made[i]), names[i]);
    }

    static std::string firstName(const JsonView& output)
    {
        const auto [kind, body] = output.choice();
        if (kind == "as_tensor")
            return body.at("name").text();
        if (kind == "as_tensors" && !body.items().empty())
            return body.items().front().at("name").text();
        if (kind.starts_with("as_sym_"))
            if (const auto name = body.find("as_name"))
                return name->text();
        return kind;
    }

    // Item k of an op with several outputs is that output.
    bool resolveItem(const JsonView& node, const Op& op, const std::string& name)
    {
        const auto inputs = node.at("inputs").items();
        if (inputs.size() != 2)
            node.fail("a choice of one item");
        const auto list = readArgument(inputs[0].at("arg"));
        const auto index = readArgument(inputs[1].at("arg"));
        const std::vector<Argument>* items = list ? list->asList() : nullptr;
        if (!items || !index || !index->asInt() || *index->asInt() < 0 || *index->asInt() >= static_cast<std::int64_t>(items->size()))
            throw Error("The model takes an item of something that is no list of tensors: op '" + printable(op.name) + "'.");
        const ValueId* item = (*items)[static_cast<std::size_t>(*index->asInt())].asValue();
        if (!item)
            return false;
        m_scope.ids[name] = *item;
        return true;
    }

    void addResults(Op& op, const JsonView& output, bool isOptional = false)
    {
        const auto [kind, body] = output.choice();
        if (kind == "as_tensor")
            op.outputs.push_back(add(body.at("name").text(), ValueKind::Tensor, body));
        else if (kind == "as_tensors")
            for (const JsonView& tensor : body.items())
                op.outputs.push_back(add(tensor.at("name").text(), ValueKind::Tensor, tensor));
        else if (kind == "as_optional_tensors" && !isOptional)
            for (const JsonView& tensor : body.items())
                addResults(op, tensor, true);
        else if (kind == "as_sym_int")
            op.outputs.push_back(add(body.at("as_name").text(), ValueKind::Int, body));
        else if (kind == "as_sym_float")
            op.outputs.push_back(add(body.at("as_name").text(), ValueKind::Float, body));
        else if (kind == "as_sym_bool")
            op.outputs.push_back(add(body.at("as_name").text(), ValueKind::Bool, body));
        else if (kind == "as_none")
            addUnused(op);
        else
            output.fail("a tensor or a number");
    }

    // An output that nobody reads keeps its place, so that the outputs after it keep theirs.
    void addUnused(Op& op)
    {
        Value value;
        value.name = op.name + "_unused_" + std::to_string(m_p.values.size());
        value.kind = ValueKind::None;
        op.outputs.push_back({static_cast<int>(m_p.values.size())});
        m_p.values.push_back(std::move(value));
    }

    Argument named(const std::string& name, const JsonView& where) const
    {
        if (const auto literal = m_scope.literals.find(name); literal != m_scope.literals.end())
            return literal->second;
        const auto known = m_scope.ids.find(name);
        if (known == m_scope.ids.end())
            throw Error("The model file is damaged: " + printable(where.where(), 160) + " reads '" + printable(name) +
                        "' before anything computes it.");
        return {known->second};
    }

    Argument symbolic(const JsonView& body) const
    {
        const auto [kind, value] = body.choice();
        if (kind == "as_name")
            return named(value.text(), value);
        if (kind == "as_int")
            return {value.boundedInteger()};
        if (kind == "as_float")
            return {value.number()};
        if (kind == "as_bool")
            return {value.boolean()};
        body.fail("a number or a name");
    }

    Argument optionalTensor(const JsonView& body) const
    {
        const auto [kind, value] = body.choice();
        return kind == "as_tensor" ? named(value.at("name").text(), value) : Argument{};
    }

    template <class Read>
    static Argument list(const JsonView& body, Read&& read)
    {
        std::vector<Argument> items;
        for (const JsonView& item : body.items())
            items.push_back(read(item));
        return {std::move(items)};
    }

    // 1j in the model's code.
    static bool takesComplexNumber(const Op& op, const JsonView& argument)
    {
        static const std::set<std::string_view> arithmetic{"aten::add", "aten::sub", "aten::mul", "aten::div"};
        return argument.choice().first == "as_complex" && op.overload == "Tensor" && arithmetic.contains(op.target);
    }

    // A tensor of no dimensions, which arithmetic takes for a number.
    std::optional<Argument> complexNumber(const JsonView& number)
    {
        const std::array<double, 2> parts{number.at("real").number(), number.at("imag").number()};
        const auto bytes = std::as_bytes(std::span(parts));
        Value value;
        do
            value.name = "complex_number_" + std::to_string(m_complexNumbers++);
        while (m_scope.ids.contains(value.name));
        value.dtype = DType::Complex128;
        value.weight = WeightId{static_cast<int>(m_p.weights.size())};
        m_p.weights.push_back(
            {value.name, value.dtype, {}, {}, 0, std::make_shared<const std::vector<std::byte>>(bytes.begin(), bytes.end()), true});
        m_p.values.push_back(std::move(value));
        return Argument{ValueId{static_cast<int>(m_p.values.size()) - 1}};
    }

    // Nothing for arguments that say where tensors lie: everything is strided and on the CPU.
    std::optional<Argument> readArgument(const JsonView& argument)
    {
        const auto [kind, body] = argument.choice();
        const auto integer = [](const JsonView& v) { return Argument{v.boundedInteger()}; };
        const auto number = [](const JsonView& v) { return Argument{v.number()}; };
        const auto tensor = [this](const JsonView& v) { return named(v.at("name").text(), v); };
        if (kind == "as_none")
            return Argument{};
        if (kind == "as_tensor")
            return tensor(body);
        if (kind == "as_tensors")
            return list(body, tensor);
        if (kind == "as_int")
            return integer(body);
        if (kind == "as_ints")
            return list(body, integer);
        if (kind == "as_float")
            return number(body);
        if (kind == "as_floats")
            return list(body, number);
        if (kind == "as_bool")
            return Argument{body.boolean()};
        if (kind == "as_bools")
            return list(body, [](const JsonView& v) { return Argument{v.boolean()}; });
        if (kind == "as_string")
            return Argument{body.text()};
        if (kind == "as_sym_int" || kind == "as_sym_float" || kind == "as_sym_bool")
            return symbolic(body);
        if (kind == "as_sym_ints" || kind == "as_sym_floats" || kind == "as_sym_bools")
            return list(body, [this](const JsonView& v) { return symbolic(v); });
        if (kind == "as_optional_tensor")
            return optionalTensor(body);
        if (kind == "as_optional_tensors")
            return list(body, [this](const JsonView& v) { return optionalTensor(v); });
        if (kind == "as_scalar_type") {
            m_half = m_half || body.integer() == static_cast<int>(DType::Float16);
            return Argument{readDType(body.integer(), argument.where())};
        }
        if (kind == "as_device") {
            noteDevice(body);
            return {};
        }
        if (kind == "as_layout" || kind == "as_memory_format")
            return {};
        throw Error("The model has an argument of kind '" + printable(kind) + "' at " + printable(argument.where(), 160) +
                    ", which Cleave cannot run.");
    }

    void readMetadata(Op& op, const JsonView& metadata)
    {
        if (const auto stack = metadata.find("nn_module_stack"))
            op.module = module(stack->text());
        if (const auto trace = metadata.find("stack_trace"))
            op.source = sourceLine(trace->text());
    }

    // "key,path,type;key,path,type" from the model to the innermost module.
    ModuleId module(const std::string& stack)
    {
        ModuleId parent{0};
        for (std::size_t start = 0; start < stack.size();) {
            const std::size_t end = std::min(stack.find(';', start), stack.size());
            const std::string entry = stack.substr(start, end - start);
            start = end + 1;
            const std::size_t first = entry.find(','), last = entry.rfind(',');
            if (first == std::string::npos || first == last || entry.starts_with("_empty_nn_module_stack"))
                continue;
            std::string path = entry.substr(first + 1, last - first - 1);
            // A module that is called again has "@1" behind its path.
            path = path.substr(0, path.find('@'));
            const std::string type = entry.substr(last + 1);
            if (path.empty()) {
                if (m_p.modules.front().type.empty())
                    m_p.modules.front().type = type;
                continue;
            }
            const auto [known, fresh] = m_modules.try_emplace(path, ModuleId{static_cast<int>(m_p.modules.size())});
            if (fresh)
                m_p.modules.push_back({path, type, parent});
            parent = known->second;
        }
        return parent;
    }

    void addOutput(const JsonView& spec)
    {
        const auto [kind, body] = spec.choice();
        if (kind == "user_output") {
            const auto argument = readArgument(body.at("arg"));
            if (argument && argument->asValue())
                m_p.outputs.push_back(*argument->asValue());
        } else if (kind == "buffer_mutation") {
            const std::string name = body.at("buffer_name").text();
            if (name.find("running_") != std::string::npos || name.find("num_batches_tracked") != std::string::npos)
                throw Error("The model was exported in training mode (its forward updates '" + printable(name) +
                            "'): call model.eval() before torch.export.export.");
            throw Error("The model's forward changes its buffer '" + printable(name) +
                        "': a layer-wise run would change it once for each batch; compute a new tensor instead.");
        } else if (kind == "user_input_mutation") {
            m_p.notes.push_back("The forward changes its input '" + printable(body.at("user_input_name").text()) +
                                "': Cleave leaves the caller's tensor as it is.");
        } else {
            throw Error("The model has an output of kind '" + printable(kind) + "', which Cleave cannot run.");
        }
    }

    void addNotes()
    {
        m_p.wasHalf = m_half || m_archive.halfPrecision;
        if (m_p.wasHalf)
            m_p.notes.push_back(
                "The model computes in float16, which LibTorch's CPU kernels lack in part: it runs in float32 here, and casts to float16 round nothing.");
        if (!m_device.empty())
            m_p.notes.push_back("The model was exported on " + m_device + ": it runs on the CPU here.");
    }

    Pt2Archive m_archive;
    Program& m_p;
    Scope m_scope;
    std::set<std::string> m_taken;  // names in the program
    int m_depth = 0;        // of graphs within graphs
    bool m_casts = false;   // under autocast
    Autocast m_autocast;
    std::map<std::string, ModuleId> m_modules;
    std::string m_device;
    bool m_half = false;
    int m_complexNumbers = 0;
};

}  // namespace

Program readPt2(const std::filesystem::path& path, const Progress& progress)
{
    progress.update(0, "Reading the model");
    Program program;
    ProgramReader(readPt2Archive(path, progress), program).run(progress);
    program.sha256 = sha256File(path);
    const std::string& type = program.modules.front().type;
    program.name = type.empty() ? path.stem().string() : printable(type.substr(type.rfind('.') + 1));
    return program;
}

}  // namespace cleave
