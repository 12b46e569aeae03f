#include "core/run/precision.h"

#include "core/run/verify.h"

namespace cleave {

namespace {

DType narrower(DType a, DType b)
{
    return stepOf(a) >= stepOf(b) ? a : b;
}

}  // namespace

double stepOf(DType dtype)
{
    switch (dtype) {
        case DType::BFloat16:
            return 0x1p-7;
        case DType::Float16:
            return 0x1p-10;
        case DType::Float32:
            return 0x1p-23;
        default:
            return 0x1p-52;
    }
}

IdMap<ValueId, DType> narrowestTypes(const Program& program)
{
    IdMap<ValueId, DType> narrowest(program.values.size(), DType::Float64);
    for (std::size_t v = 0; v < program.values.size(); ++v)
        if (const DType own = program.values[v].dtype; isFloating(own)) {
            // What is only read is exact, however few digits it has: computed with as it is, or as float32.
            const bool isComputed = program.values[v].producer.valid();
            narrowest[ValueId{static_cast<int>(v)}] = isComputed || stepOf(own) < stepOf(DType::Float32) ? own : DType::Float32;
        }
    for (const Op& op : program.ops)
        forEachOperand(op, [&](ValueId operand) {
            for (const ValueId output : op.outputs)
                narrowest[output] = narrower(narrowest[output], narrowest[operand]);
        });
    return narrowest;
}

DType narrowestType(const Program& program)
{
    const IdMap<ValueId, DType> all = narrowestTypes(program);
    DType narrowest = program.wasHalf ? DType::Float16 : DType::Float64;
    for (const ValueId output : program.outputs)
        narrowest = narrower(narrowest, all[output]);
    return narrowest;
}

Tolerance usualTolerance(const Model& model)
{
    switch (narrowestType(model.program())) {
        case DType::BFloat16:
            return {0.02, 0.05};
        case DType::Float16:
            return {0.005, 0.01};
        default:
            return {};
    }
}

}  // namespace cleave
