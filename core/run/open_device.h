#pragma once

#include <memory>
#include <string>

namespace cleave {

class Device;

/// A device by its name ("cuda", "cuda:1"), or the reason why there is none: a sentence.
struct DeviceOrReason {
    std::shared_ptr<Device> device;
    std::string reason;
};
DeviceOrReason openDevice(const std::string& name);

bool hasCudaCode();  ///< whether this build knows GPUs, be there one or not
bool hasDevice(const std::string& name);  ///< whether openDevice finds it; opens nothing
std::string deviceName(const Device& device);  ///< "cuda:0 (NVIDIA H100)", as reports say it

/// Names a device for openDevice, or forgets the name where there is none: for tests.
void nameDevice(const std::string& name, std::shared_ptr<Device> device);

}  // namespace cleave
