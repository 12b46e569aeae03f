#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
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

    // In the order of the program, or from its last op on. Several finds in one round must not have looked at the same values: the first counts, the
    // others are found in the next round.
    template <class Visit>
    void forEachOp(Visit visit)
    {
        for (std::size_t i = 0; i < m_p.ops.size(); ++i)
            tryAt(OpId{static_cast<int>(i)}, visit);
    }

    template <class Visit>
    void forEachOpFromLast(Visit visit)
    {
        for (std::size_t i = m_p.ops.size(); i-- > 0;)
            tryAt(OpId{static_cast<int>(i)}, visit);
    }

    bool isConstant(ValueId id) const { return id.valid() && m_reach[id] == Reach::Constant; }
    bool isFeature(ValueId id) const { return id.valid() && m_reach[id] == Reach::Feature; }
    bool isStructure(ValueId id) const { return id.valid() && m_reach[id] == Reach::Structure; }
    bool isReadOnce(ValueId id) const
    {
        m_lookedAt.push_back(id);
        return m_readers[id].size() == 1;
    }
    const Op* maker(ValueId id) const
    {
        if (!id.valid() || !m_p[id].producer.valid())
            return nullptr;
        m_lookedAt.push_back(id);
        return &m_p[m_p[id].producer];
    }

    bool countsNodes(const Dim& dim) const;  // of a type that has features

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
    template <class Visit>
    void tryAt(OpId id, Visit visit)
    {
        m_lookedAt = m_p[id].outputs;
        const int before = m_found;
        visit(id);
        if (m_found > before && !claim()) {
            m_found = before;
            m_emit.erase(id);
        }
    }

    bool claim();  ///< what was last looked at; false: some of it belongs to an earlier find
    void rebuild();

    mutable std::vector<ValueId> m_lookedAt;
    std::set<ValueId> m_claimed;
};

/// One round each: how much was found. 0: nothing is left to do.
int rowsAtFront(Program& program);
int transformFirst(Program& program);
int aggregateFirst(Program& program);
int sumLinears(Program& program);
int mergeEqualRows(Program& program);  ///< what is computed twice of the same rows of nodes
int mergeLinears(Program& program);
int foldBatchNorm(Program& program);
int oneGather(Program& program);

}  // namespace cleave
