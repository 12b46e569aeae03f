#include "core/model/pt2_checks.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/format.h"
#include "core/model/allowed_ops.h"

namespace cleave {

namespace {

std::string place(const Program& program, const Op& op)
{
    Program one;
    one.modules = program.modules;
    one.ops = {op};
    return describe(one, OpId{0});
}

bool isTrue(const Op& op, std::string_view argument)
{
    const Argument* found = op.find(argument);
    return found && found->asBool() && *found->asBool();
}

bool dropsNothing(const Op& op)
{
    const Argument* p = op.find("p");
    const double* probability = p ? std::get_if<double>(&p->value) : nullptr;
    return (probability && *probability == 0) || (p && p->asInt() && *p->asInt() == 0);
}

}  // namespace

void refuseForeign(const Program& program, const Op& op)
{
    for (const std::string_view known : {"operator::", "math::", "sym::"})
        if (op.target.starts_with(known))
            return;
    if (isAllowedOp(op.target))
        return;
    if (op.target.starts_with("aten::"))
        throw Error("The model uses the operator " + printable(op.target) + " (" + place(program, op) + "), which Cleave does not run.");
    if (op.target.find("_functorch") != std::string::npos)
        throw Error("The model uses torch.vmap or another transform of functions (" + place(program, op) +
                    "), which the file does not write out: save what exported.run_decompositions({}) returns.");
    if (op.target.starts_with("higher_order::"))
        throw Error("The model uses the higher-order op " + printable(op.target) + " (" + place(program, op) +
                    "), which Cleave cannot cut: write the branch or loop out in forward.");
    throw Error("The model uses the custom op " + printable(op.target) + " (" + place(program, op) +
                "), which Cleave cannot run: write it with PyTorch's own operators.");
}

void refuseTraining(const Program& program, OpId id)
{
    const Op& op = program[id];
    const bool dropout = op.target.find("dropout") != std::string::npos && isTrue(op, "train") && !dropsNothing(op);
    const bool statistics = op.target.find("batch_norm") != std::string::npos && (isTrue(op, "training") || isTrue(op, "train")) &&
                            op.find("running_mean") && !op.find("running_mean")->isNone();
    if (dropout || statistics)
        throw Error("The model was exported in training mode: " + describe(program, id) + "; call model.eval() before torch.export.export.");
}

}  // namespace cleave
