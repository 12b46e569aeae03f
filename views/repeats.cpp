#include "views/repeats.h"

#include <algorithm>
#include <map>
#include <set>
#include <variant>

namespace cleave::views {

namespace {

constexpr int longestPeriod = 4;

class BandComparison {
public:
    BandComparison(const Analysis& analysis, const CutProgram& cut) : m_analysis(analysis), m_cut(cut), m_bands(opsOfBands(analysis, cut))
    {
        m_places.resize(analysis.program.ops.size());
        for (std::size_t band = 0; band < m_bands.size(); ++band)
            for (std::size_t i = 0; i < m_bands[band].size(); ++i)
                m_places[static_cast<std::size_t>(m_bands[band][i].index)] = {static_cast<int>(band), static_cast<int>(i)};
    }

    int bands() const { return static_cast<int>(m_bands.size()); }

    bool areAlike(int a, int b) const
    {
        const std::vector<OpId>& first = ops(a);
        const std::vector<OpId>& second = ops(b);
        if (first.size() != second.size() || !areAlike(function(a), function(b)))
            return false;
        for (std::size_t i = 0; i < first.size(); ++i)
            if (!areAlike(program()[first[i]], program()[second[i]], b - a))
                return false;
        return true;
    }

private:
    struct Place {
        int band = 0, index = 0;
    };

    const Program& program() const { return m_analysis.program; }
    const std::vector<OpId>& ops(int band) const { return m_bands[static_cast<std::size_t>(band)]; }
    const CutFunction& function(int band) const { return m_cut.functions[static_cast<std::size_t>(band) - 1]; }
    Place placeOf(OpId op) const { return m_places[static_cast<std::size_t>(op.index)]; }

    bool areAlike(const CutFunction& a, const CutFunction& b) const
    {
        const auto indexOf = [this](ValueId value) { return placeOf(program()[value].producer).index; };
        return a.isGlobal == b.isGlobal && a.nodeType == b.nodeType && a.rowsOf.valid() == b.rowsOf.valid() &&
               std::ranges::equal(a.saves, b.saves, {}, indexOf, indexOf);
    }

    bool areAlike(const Op& a, const Op& b, int apart) const
    {
        if (a.target != b.target || a.overload != b.overload || a.args.size() != b.args.size() || a.outputs.size() != b.outputs.size() ||
            !areInModulesAlike(a.module, b.module))
            return false;
        for (std::size_t i = 0; i < a.args.size(); ++i)
            if (a.args[i].name != b.args[i].name || !areAlike(a.args[i].value, b.args[i].value, apart))
                return false;
        return std::ranges::equal(a.outputs, b.outputs, [this](ValueId x, ValueId y) { return haveOneShape(x, y); });
    }

    bool areInModulesAlike(ModuleId a, ModuleId b) const
    {
        for (; a.valid() && b.valid(); a = program()[a].parent, b = program()[b].parent)
            if (program()[a].type != program()[b].type)
                return false;
        return a.valid() == b.valid();
    }

    bool areAlike(const Argument& a, const Argument& b, int apart) const
    {
        if (const auto *x = std::get_if<ValueId>(&a.value), *y = std::get_if<ValueId>(&b.value); x != nullptr && y != nullptr)
            return areAlike(*x, *y, apart);
        const auto *x = std::get_if<std::vector<Argument>>(&a.value), *y = std::get_if<std::vector<Argument>>(&b.value);
        if (x != nullptr && y != nullptr)
            return std::ranges::equal(*x, *y, [&](const Argument& one, const Argument& other) { return areAlike(one, other, apart); });
        const bool areNumbers = std::holds_alternative<double>(a.value) && std::holds_alternative<double>(b.value);  // as weights are
        return areNumbers || a == b;
    }

    bool areAlike(ValueId a, ValueId b, int apart) const
    {
        if (a == b)
            return true;
        const bool isFeature = m_analysis.values[a].reach == Reach::Feature;
        if (!haveOneShape(a, b) || isFeature != (m_analysis.values[b].reach == Reach::Feature))
            return false;
        if (!isFeature)  // weights, and structure that was worked out for each layer
            return program()[a].kind == program()[b].kind && program()[a].weight.valid() == program()[b].weight.valid();
        const OpId from = program()[a].producer, to = program()[b].producer;
        if (!from.valid() || !to.valid())
            return false;
        if (placeOf(to).band == placeOf(from).band)  // made further above for each layer, one like the other
            return program()[from].target == program()[to].target;
        return placeOf(to).band - placeOf(from).band == apart && placeOf(from).index == placeOf(to).index;
    }

    bool haveOneShape(ValueId a, ValueId b) const
    {
        const Value &x = program()[a], &y = program()[b];
        const ValueFacts &f = m_analysis.values[a], &g = m_analysis.values[b];
        const auto areAlikeSizes = [](const Dim& one, const Dim& other) { return one == other || (!one.isConstant() && !other.isConstant()); };
        return x.dtype == y.dtype && std::ranges::equal(x.sizes, y.sizes, areAlikeSizes) && f.rows == g.rows && f.rowDim == g.rowDim &&
               f.nodeType == g.nodeType;
    }

    const Analysis& m_analysis;
    const CutProgram& m_cut;
    std::vector<std::vector<OpId>> m_bands;
    std::vector<Place> m_places;
};

Repeat longestFrom(const BandComparison& comparison, int first)
{
    Repeat longest{first, 1, 1};
    for (int period = 1; period <= longestPeriod; ++period) {
        int alike = 0;  // bands that equal the one a period before
        while (first + period + alike < comparison.bands() && comparison.areAlike(first + alike, first + period + alike))
            ++alike;
        if (const Repeat found{first, period, 1 + alike / period}; found.end() - found.shown() > longest.end() - longest.shown())
            longest = found;
    }
    return longest;
}

}  // namespace

std::vector<std::vector<OpId>> opsOfBands(const Analysis& analysis, const CutProgram& cut)
{
    std::vector<std::vector<OpId>> bands(cut.functions.size() + 1);
    std::vector<bool> placed(analysis.program.ops.size(), false);
    for (std::size_t f = 0; f < cut.functions.size(); ++f) {
        std::set<OpId> seen;
        for (const Step& step : cut.functions[f].steps) {
            // Indices and sizes that a block prepares for itself are structure: they are no boxes of their own.
            if (analysis.values[analysis.program[step.op].outputs.front()].reach != Reach::Feature)
                continue;
            if (seen.insert(step.op).second)
                bands[f + 1].push_back(step.op);
            placed[static_cast<std::size_t>(step.op.index)] = true;
        }
    }
    for (std::size_t i = 0; i < placed.size(); ++i)
        if (!placed[i])
            bands.front().push_back({static_cast<int>(i)});
    return bands;
}

std::vector<Repeat> findRepeats(const Analysis& analysis, const CutProgram& cut, int least)
{
    const BandComparison comparison(analysis, cut);
    std::vector<Repeat> repeats;
    for (int band = 1; band < comparison.bands();) {
        const Repeat found = longestFrom(comparison, band);
        if (found.count >= least)
            repeats.push_back(found);
        band = found.count >= least ? found.end() : band + 1;
    }
    return repeats;
}

}  // namespace cleave::views
