#pragma once

#include <ATen/core/Tensor.h>

#include <map>

#include "core/base/ids.h"
#include "core/run/device.h"

namespace cleave {

/// Tensors of the store that lie on a device, because what was made or copied there is read there again. Whoever reads them does so in the lane
/// Compute.
class DeviceStore {
public:
    explicit DeviceStore(Device& device) : m_device(device) {}

    const at::Tensor* find(ValueId value) const;  ///< null: it is not there

    /// Room for a tensor, where that leaves enough of the memory to others; false: it does not, or there is none.
    bool make(ValueId value, c10::IntArrayRef sizes, c10::ScalarType type);
    void keep(ValueId value, at::Tensor tensor) { m_tensors[value] = std::move(tensor); }  ///< that is there already

    /// Copies a tensor of the host, which may be read in the lane Compute from now on; false: there is no room for it. Goes through pieces of memory that
    /// the device copies from at its own speed, while the host fills the next, unless the tensor lies in such memory.
    bool bring(ValueId value, const at::Tensor& tensor);
    at::Tensor copyToHost(ValueId value) const;  ///< of one that is there, in memory of the host

    /// The same for structure, which is known by where it lies on the host: the copy, made at its first call; null: there is no room.
    const at::Tensor* structure(const at::Tensor& tensor);
    bool hasStructure(const at::Tensor& tensor) const { return m_structure.contains(tensor.data_ptr()); }
    double structureBytes() const;
    void dropStructure() { m_structure.clear(); }
    void dropIf(const auto& isOver) { std::erase_if(m_tensors, isOver); }
    void drop(ValueId value) { m_tensors.erase(value); }

private:
    static constexpr double partForStores = 0.5;  // of the memory that is free when one is made

    at::Tensor room(c10::IntArrayRef sizes, c10::ScalarType type);  // undefined: there is none
    at::Tensor copied(const at::Tensor& tensor);                    // likewise
    void send(const at::Tensor& tensor, const at::Tensor& made);

    Device& m_device;
    std::map<ValueId, at::Tensor> m_tensors;
    std::map<const void*, at::Tensor> m_structure;
};

}  // namespace cleave
