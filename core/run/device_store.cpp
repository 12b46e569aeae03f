#include "core/run/device_store.h"

#include <ATen/ATen.h>

namespace cleave {

const at::Tensor* DeviceStore::find(ValueId value) const
{
    const auto known = m_tensors.find(value);
    return known == m_tensors.end() ? nullptr : &known->second;
}

bool DeviceStore::make(ValueId value, c10::IntArrayRef sizes, c10::ScalarType type)
{
    double bytes = static_cast<double>(c10::elementSize(type));
    for (const std::int64_t size : sizes)
        bytes *= static_cast<double>(size);
    if (bytes > partForStores * static_cast<double>(m_device.freeBytes()))
        return false;
    at::Tensor made;
    try {
        m_device.run(Device::Lane::Compute, [&] { made = at::empty(sizes, at::TensorOptions(type).device(m_device.place())); });
        m_device.finish(m_device.record(Device::Lane::Compute));
    } catch (const std::exception& problem) {
        if (!m_device.isOutOfMemory(problem))
            throw;
        m_device.giveBack();
        return false;
    }
    m_tensors[value] = std::move(made);
    return true;
}

at::Tensor DeviceStore::copyToHost(ValueId value) const
{
    const at::Tensor& there = m_tensors.at(value);
    at::Tensor copy = m_device.hostMemory(there.sizes(), there.scalar_type());
    m_device.run(Device::Lane::Compute, [&] { copy.copy_(there, true); });
    m_device.finish(m_device.record(Device::Lane::Compute));
    return copy;
}

}  // namespace cleave
