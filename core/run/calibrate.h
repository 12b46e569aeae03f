#pragma once

#include <filesystem>
#include <optional>

#include "core/base/progress.h"
#include "core/plan/rates.h"
#include "core/run/open_device.h"

namespace cleave {

/// Measures this machine's rates with the operators that inference on blocks uses; takes some seconds. threads: 0 uses every core.
Rates calibrate(int threads = 0, const Progress& progress = {});

/// The same of a device and of the bus to it.
DeviceRates calibrate(Device& device, const Progress& progress = {});

/// Both, for the GPU that is here, if one is.
Rates calibrateAll(int threads = 0, const Progress& progress = {});

/// Where rates are kept: rates.json in cleave's folder of the user's configuration ($XDG_CONFIG_HOME, or ~/.config).
std::filesystem::path ratesPath();

/// Error if they cannot be written; nothing half written is left behind. Those of devices that the file has and these have not stay in it.
void writeRates(const std::filesystem::path& path, const Rates& rates);

/// The rates that were kept, or the assumed ones where there are none. Error for a file that holds something else.
Rates readRates(const std::filesystem::path& path);

}  // namespace cleave
