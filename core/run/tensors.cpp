#include "core/run/tensors.h"

#include <ATen/ATen.h>
#include <c10/core/Allocator.h>
#include <c10/core/InferenceMode.h>
#include <c10/util/Exception.h>
#include <torch/version.h>

#include <algorithm>
#include <array>

#include "core/base/error.h"
#include "core/base/format.h"
#include "core/base/stopping.h"

namespace cleave {

namespace {

constexpr std::array types{
    std::pair{DType::UInt8, at::kByte},      std::pair{DType::Int8, at::kChar},      std::pair{DType::Int16, at::kShort},
    std::pair{DType::Int32, at::kInt},       std::pair{DType::Int64, at::kLong},     std::pair{DType::Float16, at::kHalf},
    std::pair{DType::Float32, at::kFloat},   std::pair{DType::Float64, at::kDouble}, std::pair{DType::Complex64, at::kComplexFloat},
    std::pair{DType::Complex128, at::kComplexDouble}, std::pair{DType::Bool, at::kBool}, std::pair{DType::BFloat16, at::kBFloat16},
};

#if TORCH_VERSION_MAJOR >= 2
using c10::WarningHandler;
using QuietGuard = c10::WarningUtils::WarningHandlerGuard;
#else
using c10::WarningHandler;
using QuietGuard = c10::Warning::WarningHandlerGuard;
#endif

// LibTorch warns about beta features of operators on stderr, which says nothing to whoever runs a model.
class Quiet : public WarningHandler {
public:
#if TORCH_VERSION_MAJOR >= 2
    void process(const c10::Warning&) override {}
#else
    void process(const c10::SourceLocation&, const std::string&, bool) override {}
#endif
};

// The first sentence of LibTorch's message, without its stack of C++ frames.
std::string firstLine(const std::string& text)
{
    std::string line;
    std::size_t start = 0;
    // Errors inside the interpreter begin with where they were thrown, and end with the reason.
    if (const std::size_t reason = text.rfind("RuntimeError: "); reason != std::string::npos)
        start = reason + 14;
    line = text.substr(start, text.find('\n', start) - start);
    return printable(line, 300);
}

}  // namespace

at::ScalarType scalarType(DType dtype)
{
    const auto row = std::ranges::find(types, dtype, [](const auto& p) { return p.first; });
    if (row == types.end())
        throw Error("LibTorch cannot compute with " + std::string(dtypeName(dtype)) + " tensors.");
    return row->second;
}

DType dtypeOf(at::ScalarType type)
{
    const auto row = std::ranges::find(types, type, [](const auto& p) { return p.second; });
    return row == types.end() ? DType::Unknown : row->first;
}

at::Tensor toTensor(const Array& array)
{
    // LibTorch has no const tensors; nothing here writes into an input, since programs are in functional form.
    auto* data = const_cast<std::byte*>(array.data.get());
    return at::from_blob(data, array.shape, [keep = array.data](void*) {}, at::TensorOptions(scalarType(array.dtype)));
}

at::Tensor toTensor(const Weight& weight)
{
    auto* data = const_cast<std::byte*>(weight.storage->data()) + static_cast<std::size_t>(weight.offset) * itemSize(weight.dtype);
    return at::from_blob(data, weight.sizes, weight.strides, [keep = weight.storage](void*) {}, at::TensorOptions(scalarType(weight.dtype)));
}

Array toArray(const at::Tensor& tensor)
{
    const at::Tensor contiguous = tensor.contiguous();
    const auto* data = static_cast<const std::byte*>(contiguous.data_ptr());
    return {dtypeOf(contiguous.scalar_type()), contiguous.sizes().vec(),
            std::shared_ptr<const std::byte>(data, [keep = contiguous](const std::byte*) {})};
}

namespace {

std::string sentence(std::string text)
{
    while (!text.empty() && (text.back() == ' ' || text.back() == ':' || text.back() == ','))
        text.pop_back();
    return text.ends_with('.') ? text : text + ".";
}

}  // namespace

namespace {

[[noreturn]] void failedWith(const std::string& what, const std::string& reason)
{
    // The interpreter makes texts of what was thrown, and LibTorch of what the system refused.
    if (reason.find("std::bad_alloc") != std::string::npos || reason.find("DefaultCPUAllocator: ") != std::string::npos)
        throw NotEnoughMemory(what + ": not enough memory.");
    throw Error(sentence(what + ": " + firstLine(reason)));
}

}  // namespace

void guarded(const std::string& what, const std::function<void()>& work)
{
    try {
        Quiet quiet;
        const QuietGuard silence(&quiet);
        const c10::InferenceMode inference;
        work();
    } catch (const Error&) {
        throw;
    } catch (const Cancelled&) {
        throw;
    } catch (const c10::Error& e) {
        checkStop();  // LibTorch's interpreter hides what was thrown
        failedWith(what, e.what_without_backtrace());
    } catch (const std::bad_alloc&) {
        throw NotEnoughMemory(what + ": not enough memory.");
    } catch (const std::exception& e) {
        checkStop();
        failedWith(what, e.what());
    }
}

double bytesOfTensor(const at::Tensor& tensor)
{
    if (tensor.layout() == at::kStrided)
        return static_cast<double>(tensor.nbytes());
    if (tensor.layout() == at::kSparse)
        return static_cast<double>(tensor._indices().nbytes() + tensor._values().nbytes());
    return static_cast<double>(tensor.numel()) * static_cast<double>(tensor.element_size());
}

}  // namespace cleave
