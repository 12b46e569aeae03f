#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/analysis/analysis.h"
#include "core/analysis/message_passing.h"
#include "core/analysis/row_rules.h"

/// Finds out what each value's rows are and what each op does with them: private to core/analysis.
namespace cleave {

// How rows are taken that are not those of node features, by the sizes that count them.
struct OtherRows {
    std::vector<std::string> stored;  // as nodes are: computed in blocks, stored, and read by other rows
    std::set<std::string> inAll;      // of these: also rows that are reduced where they are computed
    std::set<std::string> atOnce;     // as one value of the graph: what only running the model tells the number of

    bool isEmpty() const { return stored.empty() && inAll.empty() && atOnce.empty(); }
};

class Analyser {
public:
    Analyser(Analysis& analysis, const OtherRows& others, const Evaluator& evaluator)
        : m_a(analysis), m_p(analysis.program), m_evaluator(evaluator), m_others(others)
    {
    }

    // What `others` lacks, without which the program cannot be cut: edges into which edges are reduced, or over which a global op runs. Nothing if it
    // lacks nothing, and the program is analysed.
    OtherRows run(const Progress& progress);

    /// After run() returned nothing: the size that counts edges whose rows are better stored than computed again by each function that needs them;
    /// empty if there are none.
    std::string edgesToStore() const;

private:
    const ValueFacts& facts(ValueId id) const { return m_a.values[id]; }
    bool isFeature(ValueId id) const { return facts(id).reach == Reach::Feature; }

    void findRead();
    void findMessages();
    [[noreturn]] void refuse(OpId op, const std::string& why) const;
    void startRows();
    std::string gatheredParameter() const;
    void findEdgeSymbols();
    std::string nameOfRows(const std::string& symbol) const;
    bool isOfInputs(const std::string& size) const;
    bool countAsNodes(const Dim& rows);
    bool takeAtOnce(const Dim& rows);
    bool takeEdgesOtherwise(OpId id);

    bool isNodes(const Dim& dim) const { return m_a.typeCountedBy(dim.symbol) >= 0; }

    void classify(OpId id);

    template <class Holds>
    bool allOperands(OpId id, Holds&& holds) const
    {
        bool all = true;
        forEachOperand(m_p[id], [&](ValueId operand) { all = all && holds(operand); });
        return all;
    }

    std::string whyNotRowWise(OpId id) const;
    void setOutput(ValueId id, Rows rows, int nodeType, int rowDim, int level, std::int64_t outer = 1, std::int64_t inner = 1);

    // One entry of the row dimension for each row.
    bool isPlain(ValueId id) const { return facts(id).outer == 1 && facts(id).inner == 1; }

    void checkOutputs(OpId id);
    bool needsAll(OpId id) const;
    bool choosesOfAll(OpId id) const;
    bool writesIntoAll(OpId id) const;
    bool classifyGather(OpId id);
    bool classifyScatter(OpId id);
    int sourceRowDim(const ScatterForm& form) const;
    void feed(ValueId edgeValue, int level, int type);
    int levelIn(ValueId value, ValueId segment, bool inOrder);
    // As in ValueFacts.
    struct Entries {
        int rowDim = -1;
        std::int64_t outer = 1, inner = 1;

        bool operator==(const Entries&) const = default;
    };

    static std::optional<Entries> viewed(const std::vector<Dim>& from, const Entries& rows, const std::vector<Dim>& to);
    std::optional<Entries> entriesOf(ValueId structure, const Dim& size, std::int64_t entries, std::map<ValueId, Entries>& found,
                                     int depth = 16) const;
    std::optional<Entries> entriesFrom(OpId id, ValueId self, const Entries& from) const;
    void noteEntries(ValueId structure, const Entries& entries, const std::map<ValueId, Entries>& found, const Dim& size, std::int64_t ofFeatures);
    bool classifyView(OpId id);
    bool classifyRowWise(OpId id);
    bool accept(OpId id, const RowMapping& mapping);
    bool classifyConcat(OpId id);
    bool areNodesOfSeveralTypes(const std::vector<ValueId>& parts) const;
    bool classifyByProbe(OpId id);
    bool classifyRowsOfGraph(OpId id);
    bool classifyGlobal(OpId id);
    void addUnion(OpId id);
    bool mentionsNodes(const std::string& size) const;
    void finishOutputs();
    void findLevels();

    Analysis& m_a;
    const Program& m_p;
    const Evaluator& m_evaluator;
    const OtherRows& m_others;
    OtherRows m_lacks;  // what run() returns
    std::map<std::tuple<ValueId, ValueId, bool>, int> m_visited;
    std::map<ValueId, std::pair<int, int>> m_fed;  // edge values: message degree and node type of the first reduction that they feed
    // In how many ways edge values are computed: for each message degree, node type, segment and order of edges.
    std::map<ValueId, std::set<std::tuple<int, int, ValueId, bool>>> m_computedFor;
    std::set<ValueId> m_reduced;                   // edge values that are reduced into nodes
    int m_segmentType = -1;                        // of the nodes that the edges in question lead to
    std::set<std::string> m_edgeSymbols;
    std::set<ValueId> m_messages;  // that are nothing but reduced, though other rows of their number are counted as nodes
    std::vector<bool> m_read;  // an exporter may describe an output that nobody reads by a shape that it does not have
};

}  // namespace cleave
