#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/run/device.h"
#include "core/run/device_store.h"
#include "core/run/running.h"

/// Private to core/run.
namespace cleave {

/// The functions of a layer-wise run that run on a device, and what of the store lies there.
class DeviceFunctions {
public:
    /// wished: which functions are to run there, empty: all. For those that cannot there is a notice, or Error if strict.
    DeviceFunctions(const RunContext& run, RowStore& store, std::shared_ptr<Device> device, bool strict, const std::vector<bool>& wished);

    const Device& device() const { return *m_device; }
    void gatherThere() { m_gathersThere = true; }  ///< rows of the store that do not fit, by the device where it can read them
    void keepOnHost() { m_keepsOnHost = true; }    ///< all that functions save, too
    const std::vector<std::string>& notices() const { return m_notices; }

    void begin();                                                       ///< a run, before any function of it
    std::optional<FunctionParts> partsOf(const CutFunction& function);  ///< nothing: it runs on the processor; of each function, in order

    /// Whether it still can, where all that it reads is there; if not, its parts are made for the processor.
    bool takes(Running& running);
    void run(Running& running, Numberings& numbers, std::int64_t batchSize, const Progress& progress);

    const at::Tensor* find(ValueId value) const { return m_there.find(value); }  ///< a tensor of the store that lies there; null: it does not
    void bringToHost(ValueId value);                                             ///< what lies on the device alone
    void dropIf(const auto& isOver) { m_there.dropIf(isOver); }

    /// Memory of the host for a save point whose rows can be gathered from there; undefined: it is as well anywhere.
    at::Tensor placeFor(ValueId value, const CutFunction& function, const std::vector<std::int64_t>& sizes, at::ScalarType type) const;

private:
    class OneFunction;

    FunctionParts partsOn(c10::Device place, const CutFunction& function) const;
    std::string whyNot(const CutFunction& function, const LoweredFunction* lowered = nullptr) const;
    void note(const CutFunction& function, const std::string& reason);
    void checkSourcesOf(const LoweredFunction& lowered, const std::vector<c10::IValue>& inputs, const Batch& batch) const;
    std::map<std::size_t, double> bytesAnywhere(const LoweredFunction& lowered) const;
    bool mayLieThere(ValueId value) const;
    bool isReadThere(ValueId value, std::size_t after) const;
    bool isReadOnHost(ValueId value, std::size_t after) const;
    const at::Tensor* onDevice(const FunctionInput& in) const;
    std::vector<bool> makeRoom(const Running& running);
    bool readsMost(const CutFunction& function) const;
    bool bring(Running& running, std::vector<ValueId>& brought);
    std::map<std::size_t, const at::Tensor*> bringStructure(Running& running);

    RunContext m_run;
    const Analysis& m_a;
    const OrderedGraph& m_graph;
    const BatchMaker& m_batches;
    RowStore& m_store;
    std::shared_ptr<Device> m_device;
    bool m_strict = false, m_gathersThere = false, m_keepsOnHost = false;
    std::vector<bool> m_wished, m_isOnDevice;  // by function: is to run there; does, as far as is known
    DeviceStore m_there;
    std::vector<std::string> m_notices;
};

}  // namespace cleave
