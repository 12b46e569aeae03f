#pragma once

#include <ATen/core/ivalue.h>

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "core/base/progress.h"
#include "core/run/device.h"

namespace cleave {

/// Rows of a tensor of the host, copied to the device without the others.
struct RowsAt {
    at::Tensor whole, index;  ///< [rows, …] and int64 [n]
};

/// A batch as the host prepares it.
struct DeviceBatch {
    std::vector<c10::IValue> inputs;
    std::map<std::size_t, RowsAt> rows;  ///< inputs that are rows of something: what stands for them in `inputs` is not read
    /// inputs that are made of what lies on the device, in the lane Compute: `inputs` holds None
    std::map<std::size_t, std::function<at::Tensor()>> there;
    /// in the lane Compute: takes what stays on the device and leaves None where nothing is to leave; may be empty
    std::function<void(std::vector<c10::IValue>& results)> keep;
    std::function<void(const std::vector<at::Tensor>& rows)> save;  ///< takes the results, on the host; undefined what did not leave
};

struct DeviceWork {
    std::function<DeviceBatch(std::int64_t first, std::int64_t last)> prepare;
    std::function<std::vector<c10::IValue>(std::vector<c10::IValue> inputs)> compute;  ///< on the device
    enum class Input : std::uint8_t {
        OfBatch,
        Fixed,   ///< the same for each batch: copied to the device once
        OnHost,  ///< read by what hands work to the device
    };
    std::vector<Input> inputs;
    bool gathersThere = false;  ///< rows of tensors that the device can read where they lie are gathered by it, and not by the host
};

struct DeviceRun {
    std::int64_t batches = 0, batchSize = 0;  ///< batchSize: of the last ones, less than was asked for where memory ran short
    double bytesIn = 0, bytesOut = 0;
    std::vector<at::Tensor> fixed;  ///< by input: the copies on the device of those that were the same for each batch
    double prepareSeconds = 0, waitSeconds = 0, saveSeconds = 0;  ///< of the host
};

/// Targets first … last - 1, batch after batch: while one is computed, the next is prepared and copied, and the results of the last one leave.
/// Results are saved in order. batchSize 0: the first batch is a small one, and the memory that it takes tells how many targets the others have, of
/// which there are some, so that lanes go side by side. Where the device runs out of memory, batches are halved and what was not saved is done again;
/// Error if one target is too many.
DeviceRun runBatchesOn(Device& device, std::int64_t first, std::int64_t last, std::int64_t batchSize, const DeviceWork& work,
                       const Progress& progress);

}  // namespace cleave
