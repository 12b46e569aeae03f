#pragma once

#include <ATen/core/function_schema.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/torchscript/script_item.h"

namespace cleave {

/// The program of one run of a TorchScript model, op by op, with what every size was in it.
struct Recording {
    Program program;                              ///< sizes are numbers, to be read as symbols later
    std::vector<std::vector<std::int64_t>> sizes;  ///< of each value; of an int the number alone
    std::vector<std::pair<ValueId, SourceLine>> decisions;  ///< tensors whose entries chose a branch, and where
    std::vector<std::pair<std::shared_ptr<const SizeOrigin>, std::pair<double, SourceLine>>> guards;  ///< what sizes decided, and how and where
    bool isHalf = false;                          ///< float16 was asked for, in place of which float32 is taken
};

/// Writes a recording.
class Recorder {
public:
    ValueId addInput(const std::string& name, const c10::IValue& value);
    ModuleId addModule(const std::string& path, const std::string& type, ModuleId parent);

    /// The program's value for a tensor that no op computed: a parameter, buffer or constant.
    ValueId weight(const std::string& name, const at::Tensor& tensor, bool isInline = false);

    /// Records the call of an operator. Outputs are tensors or numbers; of them, each is given the value that stands for it.
    void call(const c10::FunctionSchema& schema, const ItemList& arguments, ItemList& outputs);

    /// Records an operator that the file does not call, for one that it does.
    Item instead(const std::string& target, const std::string& overload, std::vector<NamedArgument> arguments, const c10::IValue& result);

    /// Arithmetic on sizes: a single number results.
    Item number(const std::string& target, std::vector<NamedArgument> arguments, const c10::IValue& result);
    Item size(const Item& tensor, std::int64_t dim);

    Argument argument(const Item& item);  ///< Error for what no operator of the program takes
    Argument typed(const Item& item);  ///< the same, but tensors that hold numbers stay tensors of their type
    void setPlace(ModuleId module, SourceLine source);
    void decide(ValueId tensor) { m_recording.decisions.emplace_back(tensor, m_source); }
    void guard(const Item& item);  ///< the run goes on as it does because this is what it is
    void addOutput(const Item& item);
    void setHalf() { m_recording.isHalf = true; }

    const Program& program() const { return m_recording.program; }
    Recording take() { return std::move(m_recording); }

private:
    ValueId add(const std::string& name, const c10::IValue& value);
    std::string freeName(const std::string& wanted);
    std::string opName(const std::string& target);
    ValueId push(const std::string& target, const std::string& overload, std::vector<NamedArgument> arguments, ItemList& outputs);

    Recording m_recording;
    std::set<std::string> m_names;
    std::map<std::string, int> m_used;
    std::map<std::string, ModuleId> m_modules;
    std::set<const SizeOrigin*> m_guarded;
    std::vector<at::Tensor> m_kept;  // weights are told apart by their memory
    std::map<const void*, ValueId> m_constants;
    ModuleId m_module{0};
    SourceLine m_source;
};

}  // namespace cleave
