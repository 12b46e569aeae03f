#include "core/plan/execution.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/analysis/dims.h"
#include "core/analysis/row_rules.h"
#include "core/base/format.h"

namespace cleave {

namespace {

using Json = nlohmann::ordered_json;

class Description {
public:
    Description(const Analysis& analysis, const CutProgram& cut) : m_a(analysis), m_p(analysis.program), m_cut(cut), m_live(m_p.values.size()) {}

    Json run()
    {
        Json functions = Json::array();
        for (const CutFunction& function : m_cut.functions)
            functions.push_back(describe(function));
        for (const ValueId value : m_cut.prologue)
            use(value);
        Json inputs = Json::array(), outputs = Json::array(), ops = Json::array(), weights = Json::object();
        for (const ValueId output : m_p.outputs) {
            outputs.push_back(m_p[output].name);
            if (m_a.values[output].reach != Reach::Feature)
                use(output);
        }
        // What runs once: everything that structure and weights decide.
        std::vector<std::size_t> once;
        for (std::size_t i = m_p.ops.size(); i-- > 0;)
            if (std::ranges::any_of(m_p.ops[i].outputs, [&](ValueId v) { return m_live[v] && m_a.values[v].reach != Reach::Feature; })) {
                once.push_back(i);
                forEachOperand(m_p.ops[i], [&](ValueId v) { use(v); });
            }
        for (auto i = once.rbegin(); i != once.rend(); ++i)
            ops.push_back(describeOnce(m_p.ops[*i]));
        for (const Input& input : m_p.inputs)
            inputs.push_back({{"name", m_p[input.value].name},
                              {"role", roleName(input.role)},
                              {"kind", kindName(m_p[input.value].kind)},
                              {"dtype", dtypeName(m_p[input.value].dtype)}});
        for (std::size_t i = 0; i < m_p.inputs.size(); ++i)
            if (!m_p.inputs[i].matrix.empty())
                inputs[i]["matrix"] = m_p.inputs[i].matrix;
        for (std::size_t i = 0; i < m_p.inputs.size(); ++i)
            if (m_p.inputs[i].rowDim > 0)
                inputs[i]["row_dim"] = m_p.inputs[i].rowDim;
        for (const FreeSize& free : m_a.freeSizes)
            for (Json& input : inputs)
                if (input["name"] == free.input)
                    input["sizes"].push_back({{"dim", free.dim}, {"size", free.size}});
        for (const Input& input : m_p.inputs)
            if (input.parameter.valid())
                addWeight(weights, m_p[input.value], input.parameter);
        for (std::size_t v = 0; v < m_p.values.size(); ++v)
            if (const Value& value = m_p.values[v]; value.weight.valid() && m_live[ValueId{static_cast<int>(v)}])
                addWeight(weights, value, value.weight);
        Json json{{"inputs", inputs}, {"weights", weights}, {"once", ops}, {"functions", functions}, {"outputs", outputs}};
        if (m_a.types() > 1 || std::ranges::any_of(m_p.inputs, &Input::countsNodes))
            json["node_types"] = describeTypes();
        return json;
    }

private:
    static std::string kindName(ValueKind kind)
    {
        return kind == ValueKind::Tensor ? "tensor" : kind == ValueKind::None ? "none" : "number";
    }

    void addWeight(Json& weights, const Value& value, WeightId weight) const
    {
        // More would be a file for people no longer; PyTorch then says what is missing.
        constexpr std::size_t mostInlineBytes = std::size_t{16} << 20;
        const Weight& from = m_p[weight];
        Json& json = weights[value.name] = {{"parameter", from.name}, {"dtype", dtypeName(value.dtype)}};
        if (!from.rowsOf.empty())
            json["rows_of"] = from.rowsOf;
        if (from.rowDim > 0)
            json["row_dim"] = from.rowDim;
        if (from.isPart)
            json["rows"] = {{"first", from.firstRow}, {"count", from.sizes[0]}};
        if (from.isInline && from.storage->size() <= mostInlineBytes)
            json["constant"] = {{"shape", from.sizes}, {"dtype", dtypeName(from.dtype)}, {"bytes", toHex(*from.storage)}};
    }

    void use(ValueId value) { m_live[value] = true; }

    const std::string& nameOf(int nodeType) const { return m_a.nodeTypes[static_cast<std::size_t>(nodeType)].name; }

    // How many nodes there are: as many as rows of these inputs, or entries along another dimension of theirs, and so many more.
    Json describeTypes() const
    {
        Json types = Json::array();
        for (const NodeType& type : m_a.nodeTypes) {
            types.push_back({{"name", type.name}, {"rows_of", Json::array()}});
            addCounts(type.symbol, 1, types.back()["rows_of"]);
        }
        return types;
    }

    void addCounts(const std::string& size, std::int64_t times, Json& counts) const
    {
        const auto [name, parts] = sizeParts(size);
        if (Json counted = countedBy(size); !counted.is_null()) {
            if (times != 1 && counted.is_string())
                counted = {{"input", counted}, {"dim", 0}};
            if (times != 1)
                counted["times"] = times;
            counts.push_back(std::move(counted));
        } else if (const auto more = sizeNumber(size)) {
            counts.push_back(times * *more);
        } else if (const auto fraction = sizeFraction(size)) {
            Json whole = Json::array();
            addCounts(fraction->first, 1, whole);
            counts.push_back({{"rows_of", whole}, {"divided_by", fraction->second}, {"times", times}});
        } else if (name == "Add") {
            for (const std::string& part : parts)
                addCounts(part, times, counts);
        } else if (name == "Mul" && parts.size() == 2) {
            for (const std::size_t factor : {0, 1})
                if (const auto number = sizeNumber(parts[factor]))
                    addCounts(parts[1 - factor], times * *number, counts);
        } else {
            throw Error("The plan cannot say how many rows of size " + size + " there are.");
        }
    }

    // An input that has such a size; null if none has.
    Json countedBy(const std::string& symbol) const
    {
        const auto features = std::ranges::find_if(m_p.inputs, [&](const Input& input) {
            return input.role == Role::NodeFeatures && m_p[input.value].sizes.front().symbol == symbol;
        });
        if (features != m_p.inputs.end())
            return m_p[features->value].name;
        for (const Input& input : m_p.inputs)
            for (std::size_t d = 0; d < m_p[input.value].sizes.size(); ++d)
                if (m_p[input.value].sizes[d].symbol == symbol)
                    return {{"input", m_p[input.value].name}, {"dim", d}};
        return nullptr;
    }

    static Json literal(const Argument& argument)
    {
        if (const std::int64_t* n = argument.asInt())
            return *n;
        if (const bool* b = argument.asBool())
            return *b;
        if (const std::string* s = argument.asString())
            return *s;
        if (const double* x = std::get_if<double>(&argument.value))
            return std::isfinite(*x) ? Json(*x) : Json{{"float", std::isnan(*x) ? "nan" : *x > 0 ? "inf" : "-inf"}};
        if (const DType* dtype = std::get_if<DType>(&argument.value))
            return {{"dtype", dtypeName(*dtype)}};
        return nullptr;
    }

    template <class Operand>
    Json describe(const Argument& argument, Operand&& operand) const
    {
        if (const ValueId* value = argument.asValue())
            return operand(*value);
        if (const auto* list = argument.asList()) {
            Json items = Json::array();
            for (const Argument& item : *list)
                items.push_back(describe(item, operand));
            return items;
        }
        return literal(argument);
    }

    static bool isView(const Op& op) { return (op.target == "aten::view" || op.target == "aten::_unsafe_view") && op.find("size"); }

    // What lies together in memory is nobody's business here: a view is a reshape.
    static Json describeTarget(const Op& op)
    {
        return isView(op) ? Json{{"target", "aten::reshape"}} : Json{{"target", op.target}, {"overload", op.overload}};
    }

    static std::string argumentName(const Op& op, const std::string& name) { return isView(op) && name == "size" ? "shape" : name; }

    Json describeOnce(const Op& op) const
    {
        Json json{{"op", op.name}};
        json.update(describeTarget(op));
        json["args"] = Json::object();
        for (const NamedArgument& argument : op.args)
            json["args"][argumentName(op, argument.name)] = describe(argument.value, [&](ValueId v) { return Json{{"value", m_p[v].name}}; });
        json["outputs"] = Json::array();
        for (const ValueId output : op.outputs)
            json["outputs"].push_back(m_p[output].name);
        return json;
    }

    Json describe(const std::vector<RowTotal>& totals) const
    {
        Json json = Json::array();
        for (const RowTotal& total : totals)
            json.push_back(total.value.valid()  ? Json{{"value", m_p[total.value].name}, {"dim", total.dim}}
                           : m_a.types() > 1 ? Json{{"nodes", nameOf(total.nodeType)}}
                                             : Json{{"nodes", true}});
        return json;
    }

    Json describe(const CutFunction& function)
    {
        Json json{{"function", function.level}, {"first", function.firstLevel}};
        if (function.rowsOf.valid())
            json["output_rows"] = m_p[function.rowsOf].name;
        if (function.isGlobal)
            json["global"] = true;
        if (m_a.types() > 1 && function.isOfLevel())
            json["nodes"] = nameOf(function.nodeType);
        m_isGlobal = function.isGlobal;
        m_nodeType = function.nodeType;
        json["rows"] = describe(function.total);
        json["frames"] = Json::array();
        for (const Frame& frame : function.frames) {
            static constexpr const char* kinds[]{"targets", "block", "edges", "renumbered", "part"};
            Json f{{"kind", kinds[static_cast<int>(frame.kind)]}, {"hops", frame.hops}};
            if (const bool isNodes = frame.kind == FrameKind::Block || frame.kind == FrameKind::Targets;
                isNodes && frame.nodeType != function.nodeType)
                f["nodes"] = nameOf(frame.nodeType);
            if (frame.parent >= 0 || frame.kind == FrameKind::Block)
                f["parent"] = std::max(frame.parent, 0);
            if (frame.index.valid())
                f["index"] = m_p[frame.index].name;
            if (frame.kind == FrameKind::Renumbered && !frame.own.empty())
                f["own"] = describe(frame.own);
            if (frame.kind == FrameKind::Part) {
                f["before"] = describe(frame.before);
                f["own"] = describe(frame.own);
            }
            json["frames"].push_back(f);
        }
        json["neighbours"] = Json::array();
        for (const StepOperand& neighbour : function.neighbours) {
            // A batch numbers the nodes of types that it computes.
            if (function.isOfLevel() && !function.numbers(neighbour.ofType))
                continue;
            json["neighbours"].push_back({{"frame", neighbour.frame}});
            addType(json["neighbours"].back(), neighbour.ofType);
            if (neighbour.value.valid()) {
                use(neighbour.value);
                json["neighbours"].back().update(Json{{"value", m_p[neighbour.value].name}, {"row_dim", neighbour.rowDim}});
            }
        }
        m_made.clear();
        json["steps"] = Json::array();
        for (const Step& step : function.steps)
            json["steps"].push_back(describe(function, step));
        json["saves"] = Json::array();
        for (std::size_t i = 0; i < function.saves.size(); ++i) {
            Json saved{{"value", m_p[function.saves[i]].name}, {"from", describe(function.results[i])}};
            addRows(saved, function.saves[i], m_a.values[function.saves[i]].rowDim);
            json["saves"].push_back(saved);
        }
        return json;
    }

    void addRows(Json& json, ValueId value, int rowDim) const
    {
        json["row_dim"] = rowDim;
        if (m_a.values[value].outer != 1)
            json["outer"] = m_a.values[value].outer;
        if (m_a.values[value].inner != 1)
            json["inner"] = m_a.values[value].inner;
    }

    // The type of the nodes that numbers name, if it is not that of the function's targets.
    void addType(Json& json, int nodeType) const
    {
        if (nodeType != m_nodeType)
            json["nodes"] = nameOf(nodeType);
    }

    // Ops that run for several edge sets have a clone for each.
    std::string cloneName(const CutFunction& function, const Step& step, ValueId output) const
    {
        std::string name = m_p[output].name;
        const Frame& frame = function.frames[static_cast<std::size_t>(step.frame)];
        if (step.into == IndexInto::Batch)
            name += "_local";
        if (step.frame != 0)
            name += "@" + std::to_string(function.level) + "." +
                    (frame.kind == FrameKind::Edges && frame.hops == 0 ? m_p[frame.index].name : std::to_string(step.frame));
        return name;
    }

    Json describe(const StepOperand& operand)
    {
        const std::string& name = m_p[operand.value].name;
        const auto made = [&](int frame) {
            const auto known = m_made.find({operand.value, frame, operand.into});
            return known != m_made.end() ? Json{{"step", known->second}} : Json{{"stored", name}, {"frame", frame}};
        };
        Json json;
        switch (operand.kind) {
        case OperandKind::Step:
            return made(operand.frame);
        case OperandKind::Leading:
            json = {{"leading", made(operand.from)}, {"frame", operand.frame}};
            addRows(json["leading"], operand.value, operand.rowDim);
            break;
        case OperandKind::Numbered:
            json = {{"numbered", made(operand.from)}, {"frame", operand.frame}};
            addType(json, operand.ofType);
            break;
        case OperandKind::Stored:
            if (m_isGlobal)
                return {{"stored", name}};
            json = {{"stored", name}, {"frame", operand.frame}};
            break;
        case OperandKind::StoredWhole:
        case OperandKind::OfGraph:
            return {{"stored", name}};
        case OperandKind::Slice:
            use(operand.value);
            return {{"slice", name}, {"row_dim", operand.rowDim}, {"frame", operand.frame}};
        case OperandKind::LocalIndex:
            use(operand.value);
            json = {{"local", name}, {"row_dim", operand.rowDim}, {"frame", operand.frame}};
            addType(json, operand.ofType);
            return json;
        default:
            use(operand.value);
            return {{"value", name}};
        }
        addRows(json, operand.value, operand.rowDim);
        return json;
    }

    Json describe(const CutFunction& function, const Step& step)
    {
        const Op& op = m_p[step.op];
        Json json{{"op", op.name}, {"frame", step.frame}};
        if (step.kind == StepKind::Forward) {
            json["forward"] = describe(step.operands.front());
        } else if (step.kind == StepKind::Concat) {
            json["concat"] = Json::array();
            for (const StepOperand& operand : step.operands)
                json["concat"].push_back(describe(operand));
            json["parts"] = step.parts;
            json["row_dim"] = step.rowDims.front();
        } else {
            json.update(describeTarget(op));
            const std::string_view shape =
                !m_isGlobal && !step.rowDims.empty() && step.rowDims.front() >= 0 ? shapeArgument(op.target) : std::string_view{};
            json["args"] = Json::object();
            std::size_t position = 0;
            for (const NamedArgument& argument : op.args) {
                Json value = describe(argument.value, [&](ValueId) { return describe(step.operands.at(position++)); });
                if (!shape.empty() && argument.name == shape && value.is_array())
                    setRows(value, step);
                json["args"][argumentName(op, argument.name)] = value;
            }
        }
        json["outputs"] = Json::array();
        for (const ValueId output : op.outputs) {
            const std::string name = cloneName(function, step, output);
            m_made[{output, step.frame, step.into}] = name;
            json["outputs"].push_back(name);
        }
        return json;
    }

    // A shape has as many rows as the frame; its other entries are known.
    void setRows(Json& shape, const Step& step) const
    {
        const auto& sizes = m_p[m_p[step.op].outputs.front()].sizes;
        for (std::size_t d = 0; d < shape.size() && d < sizes.size(); ++d)
            if (static_cast<int>(d) == step.rowDims.front())
                shape[d] = {{"rows", step.frame}, {"times", step.entries}};
            else if (sizes[d].isConstant())
                shape[d] = sizes[d].value;
    }

    const Analysis& m_a;
    const Program& m_p;
    const CutProgram& m_cut;
    IdMap<ValueId, bool> m_live;
    bool m_isGlobal = false;  // the function that is being described
    int m_nodeType = 0;       // of its targets
    std::map<std::tuple<ValueId, int, IndexInto>, std::string> m_made;
};

}  // namespace

Json describeExecution(const Analysis& analysis, const CutProgram& cut)
{
    return Description(analysis, cut).run();
}

}  // namespace cleave
