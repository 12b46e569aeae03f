// Operators of LibTorch that trust their indices: what would leave their tensors is refused, what does not is not.
#include "core/run/index_guard.h"

#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <gtest/gtest.h>

#include <map>

namespace cleave {
namespace {

using Given = std::map<std::string, c10::IValue>;

// Why the arguments are refused; empty if they are not. Those that are not given have their defaults.
std::string refusal(const char* name, const char* overload, const Given& given)
{
    const c10::FunctionSchema& schema = c10::Dispatcher::singleton().findSchemaOrThrow(name, overload).schema();
    std::vector<c10::IValue> arguments;
    std::size_t taken = 0;
    for (const c10::Argument& argument : schema.arguments()) {
        const auto found = given.find(argument.name());
        taken += found != given.end();
        arguments.push_back(found != given.end() ? found->second : argument.default_value().value_or(c10::IValue()));
    }
    EXPECT_EQ(taken, given.size()) << name;
    try {
        guardIndices(schema, arguments);
        return {};
    } catch (const std::out_of_range& error) {
        return error.what();
    }
}

at::Tensor numbers(const std::vector<std::int64_t>& values) { return at::tensor(values, at::kLong); }

TEST(IndexGuard, KnowsTheOperatorsThatTrustTheirIndices)
{
    struct Case {
        const char *name, *overload;
        Given good;
        std::vector<Given> bad;  // instead of some of the good ones
    };
    const at::Tensor table = at::ones({4, 3}), channels = at::ones({3});
    const std::vector<Case> cases{
        {"aten::_convert_indices_from_coo_to_csr",
         "",
         {{"self", numbers({0, 2, 3})}, {"size", 4}},
         {{{"self", numbers({0, 4})}}, {{"self", numbers({-1, 2})}}, {{"size", 3}}}},
        {"aten::_convert_indices_from_csr_to_coo",
         "",
         {{"crow_indices", numbers({0, 1, 1, 3})}, {"col_indices", numbers({0, 1, 2})}},
         {{{"crow_indices", numbers({0, 2, 1, 3})}},
          {{"crow_indices", numbers({0, 1, 4})}},
          {{"crow_indices", numbers({-1, 1, 3})}},
          {{"col_indices", numbers({0, 1})}}}},
        {"aten::embedding_bag",
         "",
         {{"weight", table}, {"indices", numbers({3, 0, 1})}, {"offsets", numbers({0, 1})}},
         {{{"indices", numbers({4, 0, 1})}},
          {{"indices", numbers({0, -1, 1})}},
          {{"offsets", numbers({0, 4})}},
          {{"offsets", numbers({2, 1})}},
          {{"weight", at::ones({3, 3})}}}},
        {"aten::_embedding_bag_forward_only",
         "",
         {{"weight", table}, {"indices", numbers({3})}, {"offsets", numbers({0})}},
         {{{"indices", numbers({4})}}, {{"offsets", numbers({2})}}}},
        {"aten::searchsorted",
         "Tensor",
         {{"sorted_sequence", at::ones({3})}, {"self", at::ones({2})}, {"sorter", numbers({2, 0, 1})}},
         {{{"sorter", numbers({3, 0, 1})}}, {{"sorter", numbers({-1, 0, 1})}}}},
        {"aten::native_batch_norm",
         "",
         {{"input", table}, {"weight", channels}, {"running_mean", channels}, {"running_var", channels}},
         {{{"weight", at::ones({2})}}, {{"running_var", at::ones({4})}}, {{"input", at::ones({3})}}, {{"input", at::ones({0, 3})}}}},
        {"aten::clone", "", {{"self", table}, {"memory_format", 0}}, {{{"memory_format", 1000}}, {{"memory_format", -1}}}},
        {"aten::zeros_like", "", {{"self", table}}, {{{"memory_format", 77}}}},
    };
    for (const Case& c : cases) {
        EXPECT_EQ(refusal(c.name, c.overload, c.good), "") << c.name;
        for (const Given& bad : c.bad) {
            Given given = c.good;
            for (const auto& [name, value] : bad)
                given[name] = value;
            EXPECT_NE(refusal(c.name, c.overload, given), "") << c.name << ", " << bad.begin()->first;
        }
    }
}

// Where it is tensors that are looked at, it is each time that the operator runs, in lowered functions, too.
TEST(IndexGuard, LooksAtTensorsEachTime)
{
    const auto needs = [](const char* name, const char* overload) {
        return needsGuard(c10::Dispatcher::singleton().findSchemaOrThrow(name, overload).schema());
    };
    EXPECT_TRUE(needs("aten::searchsorted", "Tensor"));
    EXPECT_TRUE(needs("aten::native_batch_norm", ""));
    EXPECT_FALSE(needs("aten::clone", "")) << "its format stands in the file";
    EXPECT_FALSE(needs("aten::mul", "Tensor"));
}

TEST(IndexGuard, LeavesOthersAlone)
{
    EXPECT_EQ(refusal("aten::index_select", "", {{"self", at::ones({2, 2})}, {"dim", 0}, {"index", numbers({7})}}), "") << "LibTorch looks itself";
    EXPECT_EQ(refusal("aten::searchsorted", "Tensor", {{"sorted_sequence", at::ones({3})}, {"self", at::ones({2})}}), "");
    EXPECT_EQ(refusal("aten::embedding_bag", "", {{"weight", at::ones({4, 3})}, {"indices", numbers({})}, {"offsets", numbers({0, 0})}}), "");
    EXPECT_NE(refusal("aten::threshold_backward", "", {{"grad_output", at::ones({2})}, {"self", at::ones({2})}, {"threshold", 0}}), "");
}

}  // namespace
}  // namespace cleave
