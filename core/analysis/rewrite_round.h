#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/passes.h"
#include "core/analysis/rewriter.h"

/// What the rewrites have in common: private to core/analysis.
namespace cleave {

/// One round of one rewrite: what it finds in the program as it is, and what takes the place of each op that it found.
class RewriteRound {
public:
    explicit RewriteRound(Program& program);

    int finish();  ///< rebuilds the program if anything was found, and says how much

protected:
    using Emit = std::function<void(Rewriter&, const Op&)>;

    // What one place changes another must not read: one after the other.
    template <class Visit>
    void forEachOp(Visit visit)
    {
        for (std::size_t i = 0; i < m_p.ops.size() && m_found == 0; ++i)
            visit(OpId{static_cast<int>(i)});
    }

    bool isConstant(ValueId id) const { return id.valid() && m_reach[id] == Reach::Constant; }
    bool isFeature(ValueId id) const { return id.valid() && m_reach[id] == Reach::Feature; }
    bool isStructure(ValueId id) const { return id.valid() && m_reach[id] == Reach::Structure; }
    bool isReadOnce(ValueId id) const { return m_readers[id].size() == 1; }
    const Op* maker(ValueId id) const { return id.valid() && m_p[id].producer.valid() ? &m_p[m_p[id].producer] : nullptr; }

    // A linear layer on [rows, in] with weights alone.
    struct Linear {
        ValueId input, weight, bias;  // bias may be invalid
        std::int64_t in = 0, out = 0;
    };

    std::optional<Linear> linearOf(const Op* op) const;

    Value like(ValueId id, std::int64_t width) const
    {
        Value value = m_p[id];
        value.sizes.back() = Dim{width, {}};
        return value;
    }

    static Value constant(const Value& of, std::vector<Dim> sizes)
    {
        Value value = of;
        value.sizes = std::move(sizes);
        return value;
    }

    // The last op of a replacement gives the old op's result.
    static void emitLast(Rewriter& rewriter, const Op& old, std::string target, std::string overload, std::vector<NamedArgument> args);

    // An addition or product of the operands as they are, without alpha or rounding.
    static bool isPlain(const Op& op, std::string_view target);

    Program& m_p;
    IdMap<ValueId, Reach> m_reach;
    IdMap<ValueId, std::vector<OpId>> m_readers;  // an invalid one for the caller
    std::map<OpId, Emit> m_emit;
    int m_found = 0;

private:
    void rebuild();
};

/// One round each: how much was found. 0: nothing is left to do.
int rowsAtFront(Program& program);
int transformFirst(Program& program);
int aggregateFirst(Program& program);
int sumLinears(Program& program);
int mergeLinears(Program& program);
int foldBatchNorm(Program& program);
int oneGather(Program& program);

}  // namespace cleave
