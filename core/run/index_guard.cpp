#include "core/run/index_guard.h"

#include <ATen/ATen.h>

#include <map>
#include <stdexcept>
#include <string>

namespace cleave {

namespace {

class Arguments {
public:
    Arguments(const c10::FunctionSchema& schema, const std::vector<c10::IValue>& values) : m_schema(schema), m_values(values) {}

    // Undefined if it is not given.
    at::Tensor tensor(const std::string& name) const
    {
        const c10::IValue* value = find(name);
        return value != nullptr && value->isTensor() ? value->toTensor() : at::Tensor();
    }

    std::int64_t number(const std::string& name) const
    {
        const c10::IValue* value = find(name);
        return value != nullptr && value->isInt() ? value->toInt() : 0;
    }

    void requireWithin(const at::Tensor& index, std::int64_t end) const
    {
        if (!index.defined() || index.numel() == 0 || !at::isIntegralType(index.scalar_type(), false))
            return;
        const std::int64_t least = index.min().item<std::int64_t>(), most = index.max().item<std::int64_t>();
        if (least < 0 || most >= end)
            throw std::out_of_range("index " + std::to_string(least < 0 ? least : most) + " is out of bounds for " + m_schema.name() + " with size " +
                                    std::to_string(end));
    }

    // Where parts of something begin.
    void requireAscending(const at::Tensor& begins, std::int64_t end) const
    {
        if (!begins.defined() || begins.numel() == 0 || begins.dim() != 1)
            return;
        requireWithin(begins, end + 1);
        if (begins.numel() > 1 && begins.diff().min().item<std::int64_t>() < 0)
            throw std::out_of_range(m_schema.name() + " is given parts that do not follow each other");
    }

private:
    const c10::IValue* find(const std::string& name) const
    {
        const auto index = m_schema.argumentIndexWithName(name);
        return index && static_cast<std::size_t>(*index) < m_values.size() ? &m_values[static_cast<std::size_t>(*index)] : nullptr;
    }

    const c10::FunctionSchema& m_schema;
    const std::vector<c10::IValue>& m_values;
};

void guardToCompressed(const Arguments& given) { given.requireWithin(given.tensor("self"), given.number("size")); }

void guardFromCompressed(const Arguments& given)
{
    const at::Tensor columns = given.tensor("col_indices");
    given.requireAscending(given.tensor("crow_indices"), columns.defined() ? columns.numel() : 0);
}

void guardBags(const Arguments& given)
{
    const at::Tensor weight = given.tensor("weight"), indices = given.tensor("indices");
    if (!weight.defined() || weight.dim() == 0 || !indices.defined())
        return;
    given.requireWithin(indices, weight.size(0));
    given.requireAscending(given.tensor("offsets"), indices.numel());
}

// Values of an enumeration that it does not have.
void guardFormat(const Arguments& given)
{
    if (const std::int64_t format = given.number("memory_format"); format < 0 || format >= static_cast<std::int64_t>(at::MemoryFormat::NumOptions))
        throw std::out_of_range("memory format " + std::to_string(format) + " does not exist");
}

void guardSorter(const Arguments& given)
{
    const at::Tensor sorted = given.tensor("sorted_sequence");
    given.requireWithin(given.tensor("sorter"), sorted.defined() && sorted.dim() > 0 ? sorted.size(-1) : 0);
}

void guardNorm(const Arguments& given)
{
    const at::Tensor input = given.tensor("input");
    for (const char* name : {"weight", "bias", "running_mean", "running_var"})
        if (const at::Tensor part = given.tensor(name); part.defined() && (!input.defined() || input.dim() < 2 || part.numel() != input.size(1)))
            throw std::out_of_range(std::string(name) + " has not one number for each channel");
    if (input.defined() && input.numel() == 0)
        throw std::out_of_range("there are no rows to normalise");
}

using Guard = void (*)(const Arguments&);

// By what is in tensors.
const std::map<std::string, Guard, std::less<>>& guardsOfTensors()
{
    static const std::map<std::string, Guard, std::less<>> guards{
        {"aten::_convert_indices_from_coo_to_csr", guardToCompressed}, {"aten::_convert_indices_from_csr_to_coo", guardFromCompressed},
        {"aten::embedding_bag", guardBags},                            {"aten::_embedding_bag", guardBags},
        {"aten::_embedding_bag_forward_only", guardBags},              {"aten::searchsorted", guardSorter},
        {"aten::native_batch_norm", guardNorm},
    };
    return guards;
}

}  // namespace

bool needsGuard(const c10::FunctionSchema& schema)
{
    return guardsOfTensors().contains(schema.name());
}

void guardIndices(const c10::FunctionSchema& schema, const std::vector<c10::IValue>& arguments)
{
    static const std::map<std::string, Guard, std::less<>> others{
        {"aten::clone", guardFormat},      {"aten::to", guardFormat},         {"aten::_to_copy", guardFormat},  {"aten::contiguous", guardFormat},
        {"aten::empty_like", guardFormat}, {"aten::zeros_like", guardFormat}, {"aten::ones_like", guardFormat}, {"aten::full_like", guardFormat},
    };
    if (schema.name().ends_with("_backward"))
        throw std::out_of_range(schema.name() + " is no operator of a forward pass");
    for (const auto* guards : {&guardsOfTensors(), &others})
        if (const auto guard = guards->find(schema.name()); guard != guards->end())
            guard->second({schema, arguments});
}

}  // namespace cleave
