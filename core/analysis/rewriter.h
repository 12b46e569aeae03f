#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/model/program.h"

namespace cleave {

/// Rebuilds a program's list of ops: values keep their ids, replaced ones are read under their replacement, new ops may be put in between.
class Rewriter {
public:
    /// Takes the ops out of the program; the program's values stay readable while ops are handed back one by one.
    explicit Rewriter(Program& program);

    std::vector<Op> takeOps() { return std::move(m_old); }

    /// Appends op to the new list and makes it the producer of its outputs. Error for an operand that does not exist.
    OpId emit(Op op);

    /// Appends a new op with one tensor output like `like`, under a fresh name: that of the operator and _c0, _c1, …
    ValueId emitNew(const Op& origin, std::string target, std::string overload, std::vector<NamedArgument> args, const Value& like);

    /// A new value like `like`, under a fresh name, for an op that is yet to be emitted.
    ValueId newValue(const Op& origin, const Value& like);

    /// From now on value is read as by. Error if there is no such value.
    void replace(ValueId value, ValueId by);
    ValueId resolved(ValueId value) const;
    void resolveOperands(Op& op) const;

    /// Resolves the outputs; the rewriter must not be used after it.
    void finish();

    /// An argument list item that holds the number `dim` at run time: a literal, or an int value that the program computes. Emits
    /// a size op if none exists. Empty if no value known so far has this size.
    Argument sizeArgument(const Dim& dim, const Op& origin);
    void noteSize(ValueId tensor);  ///< tensor may be asked for its sizes from now on; rather than one that depends on node features, if it does not

private:
    Argument computedSize(const Dim& dim, const Op& origin);
    std::string freshName(std::string stem);
    ValueId addValue(std::string name, const Value& like);

    Program& m_program;
    std::vector<Op> m_old;
    std::map<ValueId, ValueId> m_replacement;
    std::map<std::string, Argument> m_sizes;                       // symbol -> int value
    std::map<std::string, std::pair<ValueId, int>> m_sizeSources;  // symbol -> tensor and dimension
    std::set<ValueId> m_ofNodes;                                   // that depend on node features
    std::map<std::string, int> m_names;
};

inline Argument whole(std::int64_t number)
{
    return {number};
}

/// What any op of a program reads, and its outputs.
std::set<ValueId> valuesRead(const Program& program);

/// Calls change(ValueId&) for every value an argument mentions.
template <class Change>
void changeValues(Argument& argument, Change&& change)
{
    if (auto* value = std::get_if<ValueId>(&argument.value))
        change(*value);
    else if (auto* list = std::get_if<std::vector<Argument>>(&argument.value))
        for (Argument& item : *list)
            changeValues(item, change);
}

}  // namespace cleave
