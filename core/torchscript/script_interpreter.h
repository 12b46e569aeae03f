#pragma once

#include <torch/csrc/jit/api/module.h>

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/torchscript/script_recorder.h"

namespace cleave {

/// What stopped a run: an operator that refused its operands, mostly.
struct ScriptFailure {
    std::string message;  ///< LibTorch's, its first line
    std::string op;       ///< "aten::linear"
    SourceLine source;
    std::vector<Item> operands;
    std::size_t after = 0;  ///< operators
};

/// Numbers that a trace holds where it should have counted: how many nodes or edges of the graph it was made with each of them is.
struct BakedCounts {
    struct Times {
        std::int64_t nodes = 0, edges = 0;
    };
    std::map<std::int64_t, Times> counts;
    std::optional<std::pair<std::size_t, int>> nodesOf, edgesOf;  ///< input and dimension that count them
};

/// Runs the forward of a TorchScript module, node by node, and records the tensor operators that it calls: branches as they are taken, loops
/// unrolled, functions inlined, sizes with their origin. Only ATen operators are called. ScriptFailure where one refuses its operands; Error for what
/// Cleave does not run.
class ScriptInterpreter {
public:
    explicit ScriptInterpreter(const torch::jit::Module& module);

    void setBaked(BakedCounts baked) { m_baked = std::move(baked); }

    /// Inputs in forward's order; None for those that are left out.
    Recording run(const std::vector<std::string>& names, const std::vector<c10::IValue>& inputs);

private:
    using Environment = std::unordered_map<const torch::jit::Value*, Item>;

    Item literal(const c10::IValue& value);
    Item counted(const c10::IValue& value, const BakedCounts::Times& times);
    Item call(const torch::jit::Graph& graph, ItemList inputs);
    void runBlock(const torch::jit::Block& block, Environment& environment);
    void runNode(const torch::jit::Node& node, Environment& environment);
    void runIf(const torch::jit::Node& node, Environment& environment);
    void runLoop(const torch::jit::Node& node, Environment& environment);
    bool runCall(const torch::jit::Node& node, const ItemList& inputs, Environment& environment);
    bool runAttribute(const torch::jit::Node& node, const ItemList& inputs, Environment& environment);
    bool runContainer(const torch::jit::Node& node, const ItemList& inputs, ItemList& outputs);
    bool runNumber(const torch::jit::Node& node, const ItemList& inputs, ItemList& outputs);
    bool runSize(const torch::jit::Node& node, const ItemList& inputs, ItemList& outputs);
    bool runConversion(const torch::jit::Node& node, const ItemList& inputs, ItemList& outputs);
    bool runSparse(const torch::jit::Node& node, const ItemList& inputs, ItemList& outputs);
    void runOperator(const torch::jit::Node& node, const ItemList& inputs, ItemList& outputs);
    std::vector<c10::IValue> execute(const torch::jit::Node& node, const ItemList& inputs);
    Item attribute(const c10::intrusive_ptr<c10::ivalue::Object>& object, const std::string& name);
    ModuleId enter(const c10::ivalue::Object& object);
    Argument numberArgument(const Item& item);
    std::shared_ptr<const SizeOrigin> originOf(const torch::jit::Node& node, const ItemList& inputs, const Item& result) const;
    void guardChoice(const std::string& op, const Item& chosen, const ItemList& among);
    Item ofType(const Item& item, const c10::IValue& wanted);
    void findModules(const c10::intrusive_ptr<c10::ivalue::Object>& object, const std::string& path);

    c10::intrusive_ptr<c10::ivalue::Object> m_root;
    const torch::jit::Graph* m_forward;
    std::map<const c10::ivalue::Object*, std::string> m_paths;
    std::map<std::pair<const c10::ivalue::Object*, std::string>, Item> m_set;  // attributes that this run changed
    BakedCounts m_baked;
    ItemList m_inputs;
    Recorder m_recorder;
    std::vector<ModuleId> m_modules;
    std::int64_t m_steps = 0;
};

}  // namespace cleave
