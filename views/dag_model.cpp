#include "views/dag_model.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "core/analysis/shape_text.h"

namespace cleave::views {

namespace {

constexpr int prologueBand = 0;

bool isFeature(const Analysis& analysis, ValueId value)
{
    return analysis.values[value].reach == Reach::Feature;
}

RowsClass rowsOf(const Analysis& analysis, ValueId value)
{
    if (!isFeature(analysis, value))
        return RowsClass::Structure;
    switch (analysis.values[value].rows) {
    case Rows::Edges: return RowsClass::Edges;
    case Rows::Graph: return RowsClass::Graph;
    case Rows::Nodes: return countsEdges(analysis, analysis.values[value].nodeType) ? RowsClass::Edges : RowsClass::Nodes;
    default: return RowsClass::Nodes;
    }
}

RowsClass merged(RowsClass a, RowsClass b)
{
    if (a == RowsClass::Structure || a == b)
        return b;
    return b == RowsClass::Structure ? a : RowsClass::Mixed;
}

template <class T>
void addOnce(std::vector<T>& items, const T& item)
{
    if (std::ranges::find(items, item) == items.end())
        items.push_back(item);
}

/// Modules around an op from the outermost below the model to the innermost.
std::vector<ModuleId> modulesAround(const Program& program, OpId op)
{
    std::vector<ModuleId> path;
    for (ModuleId module = program[op].module; module.valid() && program[module].parent.valid(); module = program[module].parent)
        path.push_back(module);
    std::ranges::reverse(path);
    return path;
}

// Of several node types: "author__writes__paper" names three things, and is more than "paper". 0 if no type is among them.
int partsNaming(const std::set<std::string>& types, const std::string& name)
{
    constexpr char between = '_';
    int parts = 0;
    bool isNamed = false;
    for (std::size_t at = name.find_first_not_of(between); at != std::string::npos;) {
        const std::size_t end = std::min(name.find("__", at), name.find_last_not_of(between) + 1);
        isNamed |= types.contains(name.substr(at, end - at));
        ++parts;
        at = end == std::string::npos ? end : name.find_first_not_of(between, end);
    }
    return isNamed ? parts : 0;
}

class Builder {
public:
    Builder(const Analysis& analysis, const CutProgram& cut, const Expansion& expansion, const DagOptions& options)
        : m_analysis(analysis), m_cut(cut), m_expansion(expansion), m_options(options), m_bandOps(opsOfBands(analysis, cut))
    {
    }

    DagModel build()
    {
        if (m_analysis.types() > 1)
            for (const NodeType& type : m_analysis.nodeTypes)
                m_typeNames.insert(type.name);
        addBands();
        std::ranges::for_each(m_options.folded, [this](const Repeat& repeat) { fold(repeat); });
        for (const std::vector<OpId>& ops : m_bandOps)
            m_bandSets.emplace_back(ops.begin(), ops.end());
        for (int band = 0; band < static_cast<int>(m_bandOps.size()); ++band) {
            if (m_dag.bands[static_cast<std::size_t>(band)].isHidden) {
                noteWriters(band);
                continue;
            }
            m_boxOf.clear();
            m_open.clear();
            m_frameOf.clear();
            addOps(band);
            addTensors(band);
            addArrows();
            if (m_options.structure)
                addStructureArrows(band);
        }
        std::ranges::for_each(m_dag.boxes, [this](DagBox& box) { describe(box); });
        return std::move(m_dag);
    }

private:
    const Program& program() const { return m_analysis.program; }
    const CutFunction& function(int band) const { return m_cut.functions[static_cast<std::size_t>(band - 1)]; }
    DagBox& box(int i) { return m_dag.boxes[static_cast<std::size_t>(i)]; }
    bool isIn(int band, OpId op) const { return m_bandSets[static_cast<std::size_t>(band)].contains(op); }
    bool isExpanded(int band, ModuleId module) const { return m_expansion.contains({band, module}); }

    void addBands()
    {
        for (std::size_t i = 0; i < m_bandOps.size(); ++i) {
            DagBand band;
            band.ops = static_cast<int>(m_bandOps[i].size());
            if (i > 0) {
                band.function = band.firstFunction = static_cast<int>(i) - 1;
                band.name = functionName(function(static_cast<int>(i)));
                band.level = m_analysis.degreeOf(function(static_cast<int>(i)).level);
                if (m_analysis.types() > 1 && function(static_cast<int>(i)).isOfLevel())
                    band.nodeType = m_analysis.nodeTypes[static_cast<std::size_t>(function(static_cast<int>(i)).nodeType)].name;
                if (function(static_cast<int>(i)).isOfLevel())
                    band.place = function(static_cast<int>(i)).level;
                band.isGlobal = function(static_cast<int>(i)).isGlobal;
                band.rowsOf = function(static_cast<int>(i)).rowsOf;
                band.strip = strip(static_cast<int>(i));
            }
            m_dag.bands.push_back(std::move(band));
        }
    }

    std::string nameOf(int firstBand, int lastBand) const { return functionName(function(firstBand).level, function(lastBand).level, false, {}); }

    // All repetitions but the first are one box in the last band.
    void fold(const Repeat& repeat)
    {
        const auto last = static_cast<std::size_t>(repeat.end()) - 1;
        std::vector<OpId> all;
        for (auto band = static_cast<std::size_t>(repeat.shown()); band <= last; ++band) {
            all.insert(all.end(), m_bandOps[band].begin(), m_bandOps[band].end());
            m_bandOps[band].clear();
            m_dag.bands[band].isHidden = band < last;
        }
        m_dag.bands[last].ops = static_cast<int>(all.size());
        m_dag.bands[last].firstFunction = repeat.shown() - 1;
        m_dag.bands[last].name = nameOf(repeat.shown(), repeat.end() - 1);
        m_bandOps[last] = std::move(all);
        m_repeatOf[static_cast<int>(last)] = repeat;
    }

    DagStrip strip(int band) const
    {
        std::set<ValueId> readBelow;
        for (std::size_t f = static_cast<std::size_t>(band); f < m_cut.functions.size(); ++f)
            readBelow.insert(m_cut.functions[f].reads.begin(), m_cut.functions[f].reads.end());
        std::vector<ValueId> crossing;
        for (int above = 1; above <= band; ++above)
            std::ranges::copy_if(function(above).saves, std::back_inserter(crossing), [&](ValueId value) { return readBelow.contains(value); });
        return stripWith(m_analysis, crossing);
    }

    void addOps(int band)
    {
        const std::vector<OpId>& ops = m_bandOps[static_cast<std::size_t>(band)];
        if (band == prologueBand && !isExpanded(band, {})) {
            if (!ops.empty())
                addBox({BoxKind::Prologue, band, ops.front(), {}, {}}, ops, -1);
            return;
        }
        if (const auto repeat = m_repeatOf.find(band); repeat != m_repeatOf.end()) {
            DagBox& box = m_dag.boxes[static_cast<std::size_t>(addBox({BoxKind::Repeat, band, ops.front(), {}, {}}, ops, -1))];
            box.repeat = repeat->second;
            box.repeated = nameOf(repeat->second.first, repeat->second.shown() - 1);
            return;
        }
        const int outer = band == prologueBand && !ops.empty() ? addFrame(band, {}, -1) : -1;
        std::map<ModuleId, int> counts;
        for (const OpId op : ops)
            for (const ModuleId module : modulesAround(program(), op))
                ++counts[module];
        for (const OpId op : ops)
            addOp(band, op, outer, counts);
    }

    // A module of a single op in this band is that op.
    void addOp(int band, OpId op, int outer, const std::map<ModuleId, int>& counts)
    {
        int frame = outer;
        for (const ModuleId module : modulesAround(program(), op)) {
            if (counts.at(module) == 1)
                break;
            if (!isExpanded(band, module)) {
                join(band, op, module, frame);
                return;
            }
            frame = addFrame(band, module, frame);
        }
        addBox({BoxKind::Op, band, op, {}, {}}, {op}, frame);
    }

    int addFrame(int band, ModuleId module, int parent)
    {
        const auto [found, isNew] = m_frameOf.try_emplace(module, static_cast<int>(m_dag.frames.size()));
        if (isNew)
            m_dag.frames.push_back({band, module, parent});
        return found->second;
    }

    // A module that is entered again after others read its results becomes a second box: boxes never form a cycle.
    void join(int band, OpId op, ModuleId module, int frame)
    {
        const auto open = m_open.find(module);
        if (open != m_open.end() && !closesCycle(op, open->second)) {
            box(open->second).ops.push_back(op);
            m_boxOf[op] = open->second;
            return;
        }
        m_open[module] = addBox({BoxKind::Module, band, op, module, {}}, {op}, frame);
    }

    int addBox(const DagKey& key, const std::vector<OpId>& ops, int frame)
    {
        const int index = static_cast<int>(m_dag.boxes.size());
        for (const OpId op : ops)
            m_boxOf[op] = index;
        DagBox& added = m_dag.boxes.emplace_back();
        added.key = key;
        added.ops = ops;
        added.frame = frame;
        return index;
    }

    bool closesCycle(OpId op, int target)
    {
        std::set<int> seen;
        std::vector<int> todo;
        const auto visitOperands = [&](OpId of, int from) {
            forEachOperand(program()[of], [&](ValueId value) {
                const auto producer = m_boxOf.find(program()[value].producer);
                if (producer != m_boxOf.end() && producer->second != from && seen.insert(producer->second).second)
                    todo.push_back(producer->second);
            });
        };
        visitOperands(op, target);
        const OpId first = box(target).ops.front();
        while (!todo.empty()) {
            const int current = todo.back();
            todo.pop_back();
            if (current == target)
                return true;
            if (box(current).ops.back() < first)
                continue;
            for (const OpId inner : box(current).ops)
                visitOperands(inner, current);
        }
        return false;
    }

    // What this band writes goes into the strip below it, and so does what the next one reads from further above. All inputs are in the first strip,
    // all outputs in the last one.
    void addTensors(int band)
    {
        m_tensorsAbove = std::exchange(m_tensors, {});
        if (band == prologueBand)
            for (const Input& input : program().inputs)
                if (isFeature(m_analysis, input.value) && isRead(input.value))
                    addTensor(band, input.value);
        if (band > prologueBand) {
            noteWriters(band);
            for (const ValueId value : function(band).saves)
                addTensor(band, value);
        }
        for (int reader = band + 1; reader < static_cast<int>(m_bandOps.size()); ++reader) {
            for (const ValueId value : function(reader).reads)
                if (isFeature(m_analysis, value) && (reader == band + 1 || isMadeAbove(value)))
                    addTensor(band, value);
            if (!m_dag.bands[static_cast<std::size_t>(reader)].isHidden)
                break;
        }
        if (band > prologueBand && band + 1 == static_cast<int>(m_bandOps.size()))
            for (const ValueId value : program().outputs)
                if (isFeature(m_analysis, value) && m_writer.contains(value))
                    addTensor(band, value);
    }

    bool isRead(ValueId value) const
    {
        return std::ranges::any_of(m_cut.functions, [&](const CutFunction& f) { return std::ranges::find(f.reads, value) != f.reads.end(); });
    }

    bool isMadeAbove(ValueId value) const { return !program()[value].producer.valid() || m_writer.contains(value); }

    void noteWriters(int band)
    {
        for (const ValueId value : band > prologueBand ? function(band).saves : std::vector<ValueId>{})
            m_writer[value] = band;
    }

    // The band whose boxes have what is computed in this one.
    int shownBand(int band) const
    {
        while (m_dag.bands[static_cast<std::size_t>(band)].isHidden)
            ++band;
        return band;
    }

    void addTensor(int band, ValueId value)
    {
        if (m_tensors.contains(value))
            return;
        const auto writer = m_writer.find(value);
        const int home = writer == m_writer.end() ? prologueBand : writer->second;
        m_tensors[value] = addBox({BoxKind::Tensor, band, {}, {}, value}, {}, -1);
        DagBox& tensor = m_dag.boxes.back();
        tensor.writtenBy = home - 1;
        tensor.isReminder = shownBand(home) != band;
        tensor.isOutput = std::ranges::find(program().outputs, value) != program().outputs.end();
        tensor.rowBytes = bytesPerRow(m_analysis, value);
    }

    void addArrows()
    {
        std::map<std::pair<int, int>, std::size_t> known;
        const auto add = [&](int from, int to, ValueId value) {
            const auto [found, isNew] = known.try_emplace({from, to}, m_dag.arrows.size());
            if (isNew)
                m_dag.arrows.push_back({from, to, {}});
            addOnce(m_dag.arrows[found->second].values, value);
        };
        for (const auto& [op, to] : m_boxOf)
            forEachOperand(program()[op], [&, target = to](ValueId value) {
                if (const int from = source(value); from >= 0 && from != target)
                    add(from, target, value);
            });
        for (const auto& [value, to] : m_tensors)
            if (const auto from = m_boxOf.find(program()[value].producer); from != m_boxOf.end() && !box(to).isReminder)
                add(from->second, to, value);
    }

    // Before the first band with functions nothing that reads structure from elsewhere is shown.
    void addStructureArrows(int band)
    {
        if (band == prologueBand) {
            for (const Input& input : program().inputs)
                if (isReadByFunctions(input.value))
                    m_structureOf[input.value] = addBox({BoxKind::Tensor, band, {}, {}, input.value}, {}, -1);
            for (const auto& [op, from] : m_boxOf)
                for (const ValueId value : program()[op].outputs)
                    m_structureOf[value] = from;
            return;
        }
        std::map<std::pair<int, int>, std::vector<ValueId>> arrows;
        for (const auto& [op, to] : m_boxOf)
            forEachOperand(program()[op], [&, target = to](ValueId value) {
                if (const auto from = m_structureOf.find(value); from != m_structureOf.end())
                    addOnce(arrows[{from->second, target}], value);
            });
        for (auto& [ends, values] : arrows)
            m_dag.structureArrows.push_back({ends.first, ends.second, std::move(values)});
    }

    bool isReadByFunctions(ValueId structure) const
    {
        if (isFeature(m_analysis, structure))
            return false;
        return std::any_of(m_bandOps.begin() + 1, m_bandOps.end(), [&](const std::vector<OpId>& ops) {
            return std::ranges::any_of(ops, [&](OpId op) {
                bool reads = false;
                forEachOperand(program()[op], [&](ValueId value) { reads |= value == structure; });
                return reads;
            });
        });
    }

    // Structure values come by arrow only from within the band, never from the prologue.
    int source(ValueId value) const
    {
        if (const auto producer = m_boxOf.find(program()[value].producer); producer != m_boxOf.end())
            return producer->second;
        const auto tensor = m_tensorsAbove.find(value);
        return tensor != m_tensorsAbove.end() ? tensor->second : -1;
    }

    int degreeOf(ValueId value) const
    {
        const int level = m_analysis.values[value].level;
        return level < 0 ? -1 : m_analysis.degreeOf(level);
    }

    void describe(DagBox& described) const
    {
        if (described.key.kind == BoxKind::Tensor) {
            described.title = program()[described.key.value].name;
            described.shape = shapeText(m_analysis, described.key.value);
            described.level = degreeOf(described.key.value);
            described.rows = rowsOf(m_analysis, described.key.value);
            if (const ValueFacts& facts = m_analysis.values[described.key.value]; !m_typeNames.empty() && described.rows == RowsClass::Nodes)
                described.belongs = m_analysis.nodeTypes[static_cast<std::size_t>(facts.nodeType)].name;
            return;
        }
        for (const OpId op : described.ops)
            for (const ValueId value : program()[op].outputs) {
                described.level = std::max(described.level, degreeOf(value));
                described.rows = merged(described.rows, rowsOf(m_analysis, value));
            }
        addStructure(described);
        const Op& last = program()[described.ops.back()];
        if (last.outputs.size() == 1 && described.key.kind != BoxKind::Prologue && described.key.kind != BoxKind::Repeat)
            described.shape = shapeText(m_analysis, last.outputs.front());
        if (described.key.kind == BoxKind::Op) {
            described.title = last.name;
            described.type = lastPart(last.target, ':');
            described.belongs = relationOf(described);
        } else if (described.key.kind == BoxKind::Module) {
            described.title = pathWithin(described.frame, program()[described.key.module].path);
            described.type = lastPart(program()[described.key.module].type, '.');
        }
    }

    // What the frame's title says is left out.
    std::string pathWithin(int frame, const std::string& path) const
    {
        const ModuleId around = frame < 0 ? ModuleId{} : m_dag.frames[static_cast<std::size_t>(frame)].module;
        const std::string before = around.valid() ? program()[around].path + '.' : std::string();
        return path.starts_with(before) && path.size() > before.size() ? path.substr(before.size()) : path;
    }

    // As the modules around an op, or the weights that it reads, are named; what its band or frame says is not repeated.
    std::string relationOf(const DagBox& box) const
    {
        if (m_typeNames.empty())
            return {};
        const Op& op = program()[box.ops.back()];
        std::vector<std::string> paths;
        if (op.module.valid())
            paths.push_back(program()[op.module].path);
        forEachOperand(op, [&](ValueId value) {
            if (const WeightId weight = program()[value].weight; weight.valid())
                paths.push_back(program()[weight].name);
        });
        std::string best;
        int most = 0;
        for (const std::string& path : paths)
            for (std::size_t at = 0; at < path.size();) {
                const std::size_t end = std::min(path.find('.', at), path.size());
                std::string part = path.substr(at, end - at);
                if (part.starts_with('<') && part.ends_with('>'))  // PyTorch Geometric's keys that are tuples
                    part = part.substr(1, part.size() - 2);
                if (const int parts = partsNaming(m_typeNames, part); parts > most) {
                    most = parts;
                    best = part;
                }
                at = end + 1;
            }
        const DagBand& band = m_dag.bands[static_cast<std::size_t>(box.key.band)];
        const ModuleId around = box.frame < 0 ? ModuleId{} : m_dag.frames[static_cast<std::size_t>(box.frame)].module;
        const bool isSaid = best == band.nodeType || (around.valid() && program()[around].path.find(best) != std::string::npos);
        return isSaid ? std::string() : best;
    }

    void addStructure(DagBox& described) const
    {
        const std::set<OpId> own(described.ops.begin(), described.ops.end());
        const bool prologue = described.key.band == prologueBand;
        for (const OpId op : described.ops)
            forEachOperand(program()[op], [&](ValueId value) {
                const Value& v = program()[value];
                const bool shown = v.kind == ValueKind::Tensor && !v.weight.valid() && !own.contains(v.producer) &&
                                   (prologue || !isIn(described.key.band, v.producer)) &&
                                   m_analysis.values[value].reach == Reach::Structure;
                if (shown && (!prologue || program().isInput(value)))
                    addOnce(described.structure, structureText(m_analysis, value));
            });
    }

    const Analysis& m_analysis;
    const CutProgram& m_cut;
    const Expansion& m_expansion;
    const DagOptions& m_options;
    std::vector<std::vector<OpId>> m_bandOps;
    std::vector<std::set<OpId>> m_bandSets;
    std::set<std::string> m_typeNames;  // where there are several
    DagModel m_dag;

    // Of the band that is being built.
    std::map<OpId, int> m_boxOf;
    std::map<ModuleId, int> m_open;
    std::map<ModuleId, int> m_frameOf;
    std::map<ValueId, int> m_tensors, m_tensorsAbove;

    std::map<ValueId, int> m_writer;       // band
    std::map<int, Repeat> m_repeatOf;      // last band
    std::map<ValueId, int> m_structureOf;  // box
};

}  // namespace

int DagModel::find(const DagKey& key) const
{
    const auto found = std::ranges::find(boxes, key, &DagBox::key);
    return found == boxes.end() ? -1 : static_cast<int>(found - boxes.begin());
}

int DagModel::findOp(OpId op, int band) const
{
    int found = -1;
    for (std::size_t i = 0; i < boxes.size(); ++i)
        if ((found < 0 || boxes[i].key.band == band) && std::ranges::find(boxes[i].ops, op) != boxes[i].ops.end()) {
            found = static_cast<int>(i);
            if (band < 0 || boxes[i].key.band == band)
                break;
        }
    return found;
}

Expansion initialExpansion(const Analysis& analysis, const CutProgram& cut)
{
    Expansion expansion;
    for (bool changed = true; changed;) {
        changed = false;
        const DagModel dag = buildDag(analysis, cut, expansion);
        std::map<int, std::vector<const DagBox*>> bands;
        for (const DagBox& box : dag.boxes)
            if (box.key.kind != BoxKind::Tensor)
                bands[box.key.band].push_back(&box);
        for (const auto& [band, boxes] : bands)
            if (boxes.size() == 1 && boxes.front()->key.kind == BoxKind::Module)
                changed |= expansion.insert({band, boxes.front()->key.module}).second;
    }
    return expansion;
}

Expansion fullExpansion(const Analysis& analysis, const CutProgram& cut)
{
    Expansion expansion{{prologueBand, {}}};
    const std::vector<std::vector<OpId>> bands = opsOfBands(analysis, cut);
    for (std::size_t band = 0; band < bands.size(); ++band)
        for (const OpId op : bands[band])
            for (const ModuleId module : modulesAround(analysis.program, op))
                expansion.insert({static_cast<int>(band), module});
    return expansion;
}

Expansion openedAround(const Analysis& analysis, Expansion expansion, int band, OpId op)
{
    if (band == prologueBand)
        expansion.insert({prologueBand, {}});
    for (const ModuleId module : modulesAround(analysis.program, op))
        expansion.insert({band, module});
    return expansion;
}

DagModel buildDag(const Analysis& analysis, const CutProgram& cut, const Expansion& expansion, const DagOptions& options)
{
    return Builder(analysis, cut, expansion, options).build();
}

DagStrip stripWith(const Analysis& analysis, const std::vector<ValueId>& crossing)
{
    DagStrip strip;
    strip.crossing = crossing;
    for (const ValueId value : crossing) {
        const double bytes = bytesPerRow(analysis, value);
        if (const ValueFacts& facts = analysis.values[value]; bytes > 0 && facts.rows == Rows::Nodes && analysis.types() > 1)
            strip.typedRowBytes[nodesText(analysis, facts.nodeType)] += bytes;
        else if (bytes > 0 && facts.rows == Rows::Nodes)
            strip.nodeRowBytes += bytes;
        else
            ++strip.unsized;
    }
    return strip;
}

std::string lastPart(const std::string& path, char separator)
{
    return path.substr(path.rfind(separator) + 1);
}

}  // namespace cleave::views
