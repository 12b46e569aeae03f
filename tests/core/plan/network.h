#pragma once

#include <cstdint>
#include <vector>

#include "core/analysis/analysis.h"
#include "tests/core/analysis/program_builder.h"

namespace cleave::test {


struct NoEvaluator : Evaluator {
    std::optional<std::vector<int>> probeRowWise(const Program&, OpId, const std::vector<int>&) const override { return {}; }
    bool mayShareMemory(const Op&) const override { return false; }
    std::optional<Array> evaluate(const Program&, ValueId) const override { return {}; }
};

inline Analysis analysed(Program program)
{
    return analyse(std::move(program), {}, NoEvaluator());
}

// Graph neural networks of relu, add and propagate, written op by op.
class Network {
public:
    Network()
    {
        m_x = m_b.input("x", {sym("n"), num(4)});
        const ValueId edges = m_b.input("edge_index", {num(2), sym("e")}, DType::Int64);
        for (std::int64_t end = 0; end < 2; ++end)
            m_ends[end] = m_b.op("select.int", {{"self", {edges}}, {"dim", {std::int64_t{0}}}, {"index", {end}}}, {sym("e")}, DType::Int64);
        m_count = m_b.op("sym_size.int", {{"self", {m_x}}, {"dim", {std::int64_t{0}}}}, {});
        m_b.program[m_count].kind = ValueKind::Int;
        m_b.program[m_count].number = sym("n");
    }

    ValueId x() const { return m_x; }
    ValueId relu(ValueId h) { return m_b.op("relu", {{"self", {h}}}, rows("n", width(h))); }
    ValueId linear(ValueId h, std::int64_t out)
    {
        const ValueId weight = m_b.weight("w", {out, width(h)});
        return m_b.op("linear", {{"input", {h}}, {"weight", {weight}}}, rows("n", out));
    }
    /// The sum; of tensors of different widths both beside each other.
    ValueId add(ValueId h, ValueId g)
    {
        if (width(h) == width(g))
            return m_b.op("add.Tensor", {{"self", {h}}, {"other", {g}}}, rows("n", width(h)));
        return m_b.op("cat", {{"tensors", {std::vector<Argument>{{h}, {g}}}}, {"dim", {std::int64_t{1}}}}, rows("n", width(h) + width(g)));
    }
    std::int64_t width(ValueId value) const { return m_b.program[value].sizes[1].value; }

    ValueId propagate(ValueId h)
    {
        const ValueId message = m_b.op("index_select", {{"self", {h}}, {"dim", {std::int64_t{0}}}, {"index", {m_ends[0]}}}, rows("e", width(h)));
        const ValueId zeros = m_b.op("zeros", {{"size", {std::vector<Argument>{{m_count}, {width(h)}}}}}, rows("n", width(h)));
        return m_b.op("index_add", {{"self", {zeros}}, {"dim", {std::int64_t{0}}}, {"index", {m_ends[1]}}, {"source", {message}}},
                      rows("n", width(h)));
    }

    // Attention reads the targets' own rows at the edges.
    ValueId compare(ValueId h, ValueId g)
    {
        g = width(g) == width(h) ? g : linear(g, width(h));
        const ValueId own = m_b.op("index_select", {{"self", {g}}, {"dim", {std::int64_t{0}}}, {"index", {m_ends[1]}}}, rows("e", width(h)));
        const ValueId other = m_b.op("index_select", {{"self", {h}}, {"dim", {std::int64_t{0}}}, {"index", {m_ends[0]}}}, rows("e", width(h)));
        const ValueId both = m_b.op("add.Tensor", {{"self", {own}}, {"other", {other}}}, rows("e", width(h)));
        const ValueId zeros = m_b.op("zeros", {{"size", {std::vector<Argument>{{m_count}, {width(h)}}}}}, rows("n", width(h)));
        return m_b.op("index_add", {{"self", {zeros}}, {"dim", {std::int64_t{0}}}, {"index", {m_ends[1]}}, {"source", {both}}}, rows("n", width(h)));
    }

    Analysis finish(std::vector<ValueId> outputs)
    {
        m_b.program.outputs = std::move(outputs);
        return analysed(std::move(m_b.program));
    }

private:
    static ProgramBuilder::Sizes rows(const char* symbol, std::int64_t width) { return {sym(symbol), num(width)}; }

    ProgramBuilder m_b;
    ValueId m_x, m_count;
    ValueId m_ends[2];
};

}  // namespace cleave::test
