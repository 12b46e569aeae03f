#include "core/run/device_store.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <array>

namespace cleave {

const at::Tensor* DeviceStore::find(ValueId value) const
{
    const auto known = m_tensors.find(value);
    return known == m_tensors.end() ? nullptr : &known->second;
}

at::Tensor DeviceStore::room(c10::IntArrayRef sizes, c10::ScalarType type)
{
    at::Tensor made;
    try {
        m_device.run(Device::Lane::Compute, [&] { made = at::empty(sizes, at::TensorOptions(type).device(m_device.place())); });
        m_device.finish(m_device.record(Device::Lane::Compute));
    } catch (const std::exception& problem) {
        if (!m_device.isOutOfMemory(problem))
            throw;
        m_device.giveBack();
    }
    return made;
}

bool DeviceStore::make(ValueId value, c10::IntArrayRef sizes, c10::ScalarType type)
{
    double bytes = static_cast<double>(c10::elementSize(type));
    for (const std::int64_t size : sizes)
        bytes *= static_cast<double>(size);
    if (bytes > partForStores * static_cast<double>(m_device.freeBytes()))
        return false;
    at::Tensor made = room(sizes, type);
    if (!made.defined())
        return false;
    m_tensors[value] = std::move(made);
    return true;
}

at::Tensor DeviceStore::copied(const at::Tensor& tensor)
{
    at::Tensor made = room(tensor.sizes(), tensor.scalar_type());
    if (!made.defined())
        return made;
    try {
        send(tensor, made);
    } catch (const std::exception&) {
        m_device.finish(m_device.record(Device::Lane::In));  // what is on its way would come into somebody else's memory
        throw;
    }
    return made;
}

bool DeviceStore::bring(ValueId value, const at::Tensor& tensor)
{
    at::Tensor made = copied(tensor);
    if (!made.defined())
        return false;
    m_tensors[value] = std::move(made);
    return true;
}

const at::Tensor* DeviceStore::structure(const at::Tensor& tensor)
{
    if (const auto known = m_structure.find(tensor.data_ptr()); known != m_structure.end())
        return &known->second;
    at::Tensor made = copied(tensor);
    return made.defined() ? &(m_structure[tensor.data_ptr()] = std::move(made)) : nullptr;
}

double DeviceStore::structureBytes() const
{
    double bytes = 0;
    for (const auto& [place, tensor] : m_structure)
        bytes += static_cast<double>(tensor.nbytes());
    return bytes;
}

void DeviceStore::send(const at::Tensor& tensor, const at::Tensor& made)
{
    using Lane = Device::Lane;
    constexpr std::int64_t pieces = 3, pieceBytes = std::int64_t{32} << 20;
    if (m_device.canGather(tensor)) {
        m_device.run(Lane::In, [&] { made.copy_(tensor, true); });
        m_device.finish(m_device.record(Lane::In));
        return;
    }
    const at::Tensor from = tensor.contiguous().view({-1}), to = made.view({-1});
    const std::int64_t count = from.numel(), most = std::min(count, pieceBytes / static_cast<std::int64_t>(from.element_size()));
    std::array<at::Tensor, pieces> staged;
    std::array<Device::EventPointer, pieces> left;
    for (std::int64_t first = 0, k = 0; first < count; first += most, k = (k + 1) % pieces) {
        const auto piece = static_cast<std::size_t>(k);
        if (left[piece])
            m_device.finish(left[piece]);
        else
            staged[piece] = m_device.hostMemory({most}, tensor.scalar_type());
        const std::int64_t entries = std::min(most, count - first);
        const at::Tensor part = staged[piece].narrow(0, 0, entries);
        part.copy_(from.narrow(0, first, entries));
        m_device.run(Lane::In, [part, there = to.narrow(0, first, entries)] { there.copy_(part, true); });
        left[piece] = m_device.record(Lane::In);
    }
    m_device.finish(m_device.record(Lane::In));
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
