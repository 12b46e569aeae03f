#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/array.h"
#include "core/base/ids.h"

namespace cleave {

/// One size of a tensor: a number, or an expression over the export's symbols in canonical form ("s0", "Add(s0, u0)").
struct Dim {
    std::int64_t value = 0;  ///< meaningful if the size is constant
    std::string symbol;      ///< empty if the size is constant

    bool isConstant() const { return symbol.empty(); }
    bool isOne() const { return symbol.empty() && value == 1; }
    bool operator==(const Dim&) const = default;
};

std::string toString(const Dim& dim);
std::string toString(const std::vector<Dim>& sizes);  ///< "[s0, 64]"

enum class ValueKind : std::uint8_t { Tensor, Int, Float, Bool, None };

/// One tensor or number of a program, named as in the trace.
struct Value {
    std::string name;
    ValueKind kind = ValueKind::Tensor;
    DType dtype = DType::Unknown;  ///< tensors only
    std::vector<Dim> sizes;        ///< tensors only
    Dim number;                    ///< ints: what is known of the value
    OpId producer;                 ///< invalid for inputs and weights
    int outputIndex = 0;           ///< which output of the producer
    WeightId weight;               ///< valid for weights
};

bool isEdgeIndex(const Value& value);  ///< integers [2, M]

struct Argument;

/// What an operator is called with; monostate is None.
using ArgumentVariant =
    std::variant<std::monostate, ValueId, std::int64_t, double, bool, std::string, DType, std::vector<Argument>>;

struct Argument {
    ArgumentVariant value;

    bool isNone() const { return std::holds_alternative<std::monostate>(value); }
    const ValueId* asValue() const { return std::get_if<ValueId>(&value); }
    const std::int64_t* asInt() const { return std::get_if<std::int64_t>(&value); }
    const bool* asBool() const { return std::get_if<bool>(&value); }
    const std::string* asString() const { return std::get_if<std::string>(&value); }
    const std::vector<Argument>* asList() const { return std::get_if<std::vector<Argument>>(&value); }
    bool operator==(const Argument& other) const { return value == other.value || (isNaN() && other.isNaN()); }

private:
    bool isNaN() const
    {
        const double* number = std::get_if<double>(&value);
        return number != nullptr && *number != *number;
    }
};

struct NamedArgument {
    std::string name;
    Argument value;

    bool operator==(const NamedArgument&) const = default;
};

struct SourceLine {
    std::string file;
    int line = 0;
    std::string code;  ///< the text of the line, trimmed; empty in a trace, which knows the line's place only
    std::shared_ptr<const std::vector<SourceLine>> callers = {};  ///< where that was called, the nearest first; null: nothing is known of it
};

/// One operator call. target is "aten::linear" for ATen ops and "operator::add" for arithmetic on sizes.
struct Op {
    std::string name;      ///< of the node in the trace: what plans refer to
    std::string target;
    std::string overload;  ///< empty for the default overload
    std::vector<NamedArgument> args;
    std::vector<ValueId> outputs;
    ModuleId module;
    SourceLine source;
    bool makesFeatures = false;  ///< its results count as features of nodes, although they come from the graph and weights alone

    const Argument* find(std::string_view argument) const;  ///< null if it was not given
    bool isTraced() const { return source.line > 0 && source.code.empty(); }
};

/// A module of the traced model; module 0 is the model itself.
struct Module {
    std::string path;  ///< "convs.0.lin", empty for the model
    std::string type;  ///< "torch_geometric.nn.conv.gcn_conv.GCNConv"
    ModuleId parent;
};

/// A parameter, buffer or constant: strided elements in a storage that several weights may share.
struct Weight {
    std::string name;
    DType dtype = DType::Unknown;
    std::vector<std::int64_t> sizes;
    std::vector<std::int64_t> strides;  ///< in elements
    std::int64_t offset = 0;            ///< in elements; readers guarantee that every element lies in the storage
    std::shared_ptr<const std::vector<std::byte>> storage;
    bool isInline = false;  ///< stands in the model's code, under no name; contiguous, alone in its storage
    std::vector<std::string> rowsOf = {};  ///< not empty: it has rows of these weights of the file, one below another
    int rowDim = 0;                        ///< where these have their rows
    bool isPart = false;                   ///< as many as it has, from firstRow on; otherwise all of them
    std::int64_t firstRow = 0;
};

enum class Role : std::uint8_t { NodeFeatures, GraphStructure, EdgeFeatures, Other };

std::string_view roleName(Role role);               ///< "node-features", …: as the command line writes it
bool roleFromName(std::string_view name, Role& role);

struct Input {
    ValueId value;
    Role role = Role::Other;
    WeightId parameter = {};  ///< valid for a parameter that was given the role node features: what it is bound to
    std::string matrix = {};  ///< not empty: the edges, or their weights, of an adjacency matrix of this name, which forward takes
    int rowDim = 0;           ///< where forward has the rows of nodes or edges, which the value has first
    bool countsNodes = false;  ///< has a row for each node, and no input has features: these come of the graph (Op::makesFeatures)

    /// What tells how many nodes of a type there are.
    bool isOfNodes() const { return role == Role::NodeFeatures || countsNodes; }

    /// The dimension of forward's tensor that is dimension dim of the value.
    std::size_t dimOfForward(std::size_t dim) const
    {
        const auto row = static_cast<std::size_t>(rowDim);
        return dim == 0 ? row : dim <= row ? dim - 1 : dim;
    }
};

/// A number or a truth that Python worked out from sizes: by its operators, on sizes of the program ("gt", of a size and 1000).
struct SizeTerm {
    std::string op = {};               ///< as math and operator call it: "add", "floordiv", "lt"; empty of a size, or of a number
    Dim size = {};                     ///< if it is one of these
    double number = 0;                 ///< if it is none
    bool isSize = false;
    std::vector<SizeTerm> parts = {};  ///< what the operator works on
};

/// What a script took for granted when it was read, since it was so on all graphs that were tried.
struct SizeGuard {
    SizeTerm term;
    double value = 0;  ///< that it had
    SourceLine source;
};

/// A traced forward as a straight list of operators in execution order. Ids index the vectors.
struct Program {
    std::string name;         ///< of the model: class or file name
    std::string producer;     ///< "PyTorch 2.14.1"
    bool isTrace = false;     ///< by torch.jit.trace: what was counted in Python is as on the graph that it was made with
    std::string sha256;       ///< of the file it was read from
    std::vector<Value> values;
    std::vector<Op> ops;
    std::vector<Module> modules;
    std::vector<Weight> weights;
    std::vector<Input> inputs;      ///< in forward's order, then parameters that hold node features
    std::vector<ValueId> outputs;   ///< flattened
    bool wasHalf = false;           ///< some values are float16 in the file and float32 here
    std::vector<std::string> leftOut;  ///< optional inputs of a script's forward, which runs without them
    std::vector<SizeGuard> guards;  ///< a graph for which one does not hold needs another program
    std::vector<std::string> notes; ///< what reading changed (devices, half precision), one sentence each

    const Value& operator[](ValueId id) const { return values[static_cast<std::size_t>(id.index)]; }
    Value& operator[](ValueId id) { return values[static_cast<std::size_t>(id.index)]; }
    const Op& operator[](OpId id) const { return ops[static_cast<std::size_t>(id.index)]; }
    Op& operator[](OpId id) { return ops[static_cast<std::size_t>(id.index)]; }
    const Weight& operator[](WeightId id) const { return weights[static_cast<std::size_t>(id.index)]; }
    const Module& operator[](ModuleId id) const { return modules[static_cast<std::size_t>(id.index)]; }

    bool isInput(ValueId id) const;
};

/// Calls visit(ValueId) for every value an argument mentions, lists included.
template <class Visit>
void forEachValue(const Argument& argument, Visit&& visit)
{
    if (const ValueId* value = argument.asValue())
        visit(*value);
    else if (const auto* list = argument.asList())
        for (const Argument& item : *list)
            forEachValue(item, visit);
}

template <class Visit>
void forEachOperand(const Op& op, Visit&& visit)
{
    for (const NamedArgument& argument : op.args)
        forEachValue(argument.value, visit);
}

/// "op 'linear_1' (aten::linear) in module 'convs.0.lin', gcn_conv.py:231": how every message names an op.
std::string describe(const Program& program, OpId op);

}  // namespace cleave
