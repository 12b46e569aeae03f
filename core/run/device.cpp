#include "core/run/device.h"

#include <charconv>
#include <map>
#include <mutex>

#include "core/base/error.h"
#include "core/base/format.h"
#include "core/run/open_device.h"

namespace cleave {

#if defined(CLEAVE_TORCH_CUDA)
DeviceOrReason openCuda(int number);
bool hasCuda(int number);
#else
namespace {

DeviceOrReason openCuda(int) { return {nullptr, "this build has no CUDA"}; }
bool hasCuda(int) { return false; }

}  // namespace
#endif

namespace {

// Jobs of the window ask side by side.
std::mutex& openingDevices()
{
    static std::mutex mutex;
    return mutex;
}

std::map<std::string, std::shared_ptr<Device>>& named()
{
    static std::map<std::string, std::shared_ptr<Device>> devices;
    return devices;
}

// Of "cuda" or "cuda:1". Error if it names no device.
int cudaNumber(std::string_view name)
{
    constexpr std::string_view cuda = "cuda";
    int number = 0;
    if (std::string_view rest = name; rest.starts_with(cuda)) {
        rest.remove_prefix(cuda.size());
        const bool isNumbered = rest.starts_with(':');
        if (isNumbered)
            rest.remove_prefix(1);
        const auto [end, problem] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
        if (rest.empty() ? !isNumbered : isNumbered && problem == std::errc() && end == rest.data() + rest.size() && number >= 0)
            return number;
    }
    throw Error("There is no device " + printable(name, 100) + ": cpu, cuda, or cuda:1 for the second GPU.");
}

}  // namespace

bool hasCudaCode()
{
#if defined(CLEAVE_TORCH_CUDA)
    return true;
#else
    return false;
#endif
}

std::string deviceName(const Device& device) { return device.name(); }

void nameDevice(const std::string& name, std::shared_ptr<Device> device)
{
    const std::lock_guard lock(openingDevices());
    if (device)
        named()[name] = std::move(device);
    else
        named().erase(name);
}

bool hasDevice(const std::string& name)
{
    const std::lock_guard lock(openingDevices());
    return named().contains(name) || hasCuda(cudaNumber(name));
}

DeviceOrReason openDevice(const std::string& name)
{
    const std::lock_guard lock(openingDevices());
    if (const auto known = named().find(name); known != named().end())
        return {known->second, {}};
    return openCuda(cudaNumber(name));
}

}  // namespace cleave
