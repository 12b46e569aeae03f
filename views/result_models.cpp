#include "views/result_models.h"

#include <QCoreApplication>
#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

#include "core/base/format.h"
#include "views/core_text.h"
#include "views/table_order.h"
#include "views/text.h"

namespace cleave::views {

namespace {

struct ResultModelsTexts {
    Q_DECLARE_TR_FUNCTIONS(cleave::views::ResultModels)
};

// What a run or a split of the nodes is called in results.
QString wordText(const std::string& word)
{
    const std::map<std::string, QString> known{{"layer-wise", ResultModelsTexts::tr("layer-wise")},
                                               {"full graph", ResultModelsTexts::tr("full graph")},
                                               {"neighbourhoods", ResultModelsTexts::tr("neighbourhoods")},
                                               {"op by op", ResultModelsTexts::tr("op by op")},
                                               {"expected", ResultModelsTexts::tr("expected")},
                                               {"all", ResultModelsTexts::tr("all")},
                                               {"train", ResultModelsTexts::tr("train")},
                                               {"validation", ResultModelsTexts::tr("validation")},
                                               {"test", ResultModelsTexts::tr("test")}};
    const auto found = known.find(word);
    return found == known.end() ? toText(word) : found->second;
}

struct Predicted {
    std::optional<double> seconds, bytes;
};

std::vector<QString> functionRow(const QString& name, const FunctionRun& run, const Predicted& predicted)
{
    return {name,
            countText(run.batches),
            countText(run.rows),
            countText(run.blockNodes),
            countText(run.edges),
            secondsText(run.prepareSeconds),
            secondsText(run.computeSeconds),
            secondsText(run.writeSeconds),
            secondsText(run.seconds()),
            predicted.seconds ? secondsText(*predicted.seconds) : QStringLiteral("–"),
            bytesText(run.savedBytes),
            bytesText(run.peakBytes),
            predicted.bytes ? bytesText(*predicted.bytes) : QStringLiteral("–")};
}

FunctionRun sum(const std::vector<FunctionRun>& functions)
{
    FunctionRun all;
    for (const FunctionRun& run : functions) {
        all.batches += run.batches;
        all.rows += run.rows;
        all.blockNodes += run.blockNodes;
        all.edges += run.edges;
        all.prepareSeconds += run.prepareSeconds;
        all.computeSeconds += run.computeSeconds;
        all.writeSeconds += run.writeSeconds;
        all.savedBytes += run.savedBytes;
        all.peakBytes = std::max(all.peakBytes, run.peakBytes);
        all.bytesToDevice += run.bytesToDevice;
        all.bytesFromDevice += run.bytesFromDevice;
    }
    return all;
}

// The nodes that differ most, as the graph calls them where rows are its nodes.
QStringList worstRows(const Comparison& c, const DataGraph* graph)
{
    QStringList rows;
    const NodeNames* names = graph != nullptr && graph->names && graph->names->size() == c.outputRows ? graph->names.get() : nullptr;
    for (const std::int64_t row : c.worstRows)
        rows.append(names != nullptr ? toText((*names)[row]) : QString::number(row));
    return rows;
}

}  // namespace

void TextTableModel::setTable(std::vector<Column> columns, std::vector<std::vector<QString>> rows)
{
    beginResetModel();
    m_columns = std::move(columns);
    m_rows = std::move(rows);
    m_toolTips.clear();
    endResetModel();
}

void TextTableModel::setToolTip(int row, int column, const QString& text)
{
    m_toolTips[{row, column}] = text;
}

int TextTableModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int TextTableModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_columns.size());
}

QVariant TextTableModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const auto column = static_cast<std::size_t>(index.column());
    if (role == Qt::DisplayRole)
        return m_rows[static_cast<std::size_t>(index.row())][column];
    if (role == orderRole) {
        const QString text = m_rows[static_cast<std::size_t>(index.row())][column];
        bool isNumber = false;
        const double number = QLocale().toDouble(text, &isNumber);
        return isNumber ? QVariant(number) : QVariant(text);
    }
    if (role == Qt::ToolTipRole)
        if (const auto text = m_toolTips.find({index.row(), index.column()}); text != m_toolTips.end())
            return text->second;
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue((m_columns[column].isNumber ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    return {};
}

QVariant TextTableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount())
        return {};
    const Column& column = m_columns[static_cast<std::size_t>(section)];
    if (role == Qt::DisplayRole)
        return column.title;
    if (role == Qt::ToolTipRole)
        return column.tooltip;
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue((column.isNumber ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    return {};
}

void showFunctions(TextTableModel& table, const RunResult* run, bool tellsPredicted)
{
    std::vector<TextTableModel::Column> columns{
        {ResultModelsTexts::tr("Function"), {}, false},
        {ResultModelsTexts::tr("Batches"), ResultModelsTexts::tr("Batches that it ran"), true},
        {ResultModelsTexts::tr("Rows made"), ResultModelsTexts::tr("Rows of target nodes that were computed: V in all"), true},
        {ResultModelsTexts::tr("Rows read"), ResultModelsTexts::tr("E: nodes of all blocks, each counted once per block that needs it"), true},
        {ResultModelsTexts::tr("Edges"), ResultModelsTexts::tr("Edges of all blocks"), true},
        {ResultModelsTexts::tr("Prepare"), ResultModelsTexts::tr("Cutting blocks and slicing structure"), true},
        {ResultModelsTexts::tr("Compute"), ResultModelsTexts::tr("Running the operators"), true},
        {ResultModelsTexts::tr("Write"), ResultModelsTexts::tr("Storing save points"), true},
        {ResultModelsTexts::tr("Total"), ResultModelsTexts::tr("Prepare, compute and write together"), true},
        {ResultModelsTexts::tr("Predicted total"),
         run != nullptr && !run->predicted.rates.empty()
             ? ResultModelsTexts::tr("Total by the cost model. Rates: %1").arg(toText(run->predicted.rates))
         : run != nullptr && run->boundBytes > 0
             ? ResultModelsTexts::tr("Total by the cost model, which does not know what files cost: nothing is predicted within a bound of memory")
             : ResultModelsTexts::tr("Total by the cost model"),
         true},
        {ResultModelsTexts::tr("Saved"), ResultModelsTexts::tr("Bytes written to the store"), true},
        {ResultModelsTexts::tr("Peak memory"),
         ResultModelsTexts::tr("Most memory at once while it ran: prologue, edges in their order, save points and batches, beside the graph itself"),
         true},
        {ResultModelsTexts::tr("Predicted peak"), ResultModelsTexts::tr("Peak memory by the cost model"), true},
    };
    const bool hasDevice = run != nullptr && std::ranges::any_of(run->functions, [](const FunctionRun& f) { return !f.device.empty(); });
    if (hasDevice) {
        columns.push_back({ResultModelsTexts::tr("Ran on"), ResultModelsTexts::tr("The processor, or another device"), false});
        columns.push_back({ResultModelsTexts::tr("Over the bus"), ResultModelsTexts::tr("Bytes to the device and from it"), true});
    }
    std::vector<std::vector<QString>> rows;
    if (run != nullptr) {
        const std::vector<double>&seconds = run->predicted.seconds, &bytes = run->predicted.peakBytes;
        const auto predicted = [&](std::size_t i) { return tellsPredicted && i < seconds.size() ? Predicted{seconds[i], bytes[i]} : Predicted{}; };
        const Predicted all = tellsPredicted && seconds.size() == run->functions.size() && !seconds.empty()
                                  ? Predicted{std::accumulate(seconds.begin(), seconds.end(), 0.0), std::ranges::max(bytes)}
                                  : Predicted{};
        for (std::size_t i = 0; i < run->functions.size(); ++i)
            rows.push_back(functionRow(titleFromCore(run->functions[i].name), run->functions[i], predicted(i)));
        if (run->functions.size() > 1)
            rows.push_back(functionRow(ResultModelsTexts::tr("Together"), sum(run->functions), all));
        for (std::size_t i = 0; hasDevice && i < rows.size(); ++i) {
            const FunctionRun f = i < run->functions.size() ? run->functions[i] : sum(run->functions);
            rows[i].push_back(i >= run->functions.size() ? QString() : f.device.empty() ? ResultModelsTexts::tr("CPU") : toText(f.device));
            rows[i].push_back(bytesText(f.bytesToDevice + f.bytesFromDevice));
        }
    }
    table.setTable(std::move(columns), std::move(rows));
}

QString roundingNote(const Comparison& c)
{
    if (c.equal && c.rowsOfEqualScores > 0)
        return ResultModelsTexts::tr("%1 of %2 rows of %3 name others of scores that are equal within tolerance: ties are broken either way.")
            .arg(countText(c.rowsOfEqualScores), countText(c.rows), toText(c.output));
    if (c.equalInFloat64 && c.layerWiseGap > 0)
        return ResultModelsTexts::tr(
                   "In float64 the uncut model is nearer to the layer-wise answers, which are off by %1 at most, than to its own in %2, "
                   "off by %3: rounding alone.")
            .arg(numberText(c.layerWiseGap), toText(std::string(dtypeName(c.narrowest))), numberText(c.uncutGap));
    if (c.equalInFloat64)
        return ResultModelsTexts::tr("In float64 the uncut model gives the layer-wise answers; in %1 its long sums are off by %2 in the worst rows.")
            .arg(toText(std::string(dtypeName(c.narrowest))), numberText(c.uncutGap));
    if (c.worstJitters.empty())
        return {};
    if (c.isRoundingOfOthers())
        return ResultModelsTexts::tr("%1 rows differ, and other last digits of the inputs move %2, by up to %3: rounding alone, cut or not.")
            .arg(countText(c.rowsOver), countText(c.rowsJittered), numberText(c.jitter));
    const QString moved = numberText(*std::ranges::max_element(c.worstJitters));
    return c.isRounding()
               ? ResultModelsTexts::tr(
                     "The worst rows differ by %1, and other last digits of the inputs move them by %2: rounding alone, cut or not.")
                     .arg(numberText(*std::ranges::max_element(c.worstGaps)), moved)
               : ResultModelsTexts::tr("Other last digits of the inputs move the worst rows by %1 at most: that does not explain it.").arg(moved);
}

QString sampleNote(const Sample& sample)
{
    QStringList notes;
    if (sample.freeBytes > 0)
        notes.append(ResultModelsTexts::tr("The whole model does not fit into the %1 of memory that are free.").arg(bytesText(sample.freeBytes)));
    if (sample.targets > 0)
        notes.append(
            ResultModelsTexts::tr("%1 of %2 nodes were compared, by the whole model on their neighbourhoods of %n step(s): %3 nodes, %4 edges.",
                                  nullptr, sample.hops)
                .arg(countText(sample.targets), countText(sample.of), countText(sample.nodes), countText(sample.edges)));
    else if (!sample.whyNotWhole.empty())
        notes.append(fromCore(sample.whyNotWhole));
    if (sample.functions > 0)
        notes.append(ResultModelsTexts::tr("In %1 of %2 functions %3 nodes were compared, by the model's ops from the save points before it.")
                         .arg(sample.functions)
                         .arg(sample.ofFunctions)
                         .arg(countText(sample.functionTargets)));
    for (const auto& [function, why] : sample.functionsNotCompared)
        notes.append(ResultModelsTexts::tr("Not compared alone: %1. %2").arg(titleFromCore(function), fromCore(why)));
    if (!sample.notCompared.empty())
        notes.append(ResultModelsTexts::tr("NOT COMPARED: %1.").arg(toText(join(sample.notCompared, ", "))));
    return notes.join(u' ');
}

void showComparisons(TextTableModel& table, const VerifyResult* result, const DataGraph* graph)
{
    std::vector<TextTableModel::Column> columns{
        {ResultModelsTexts::tr("Output"), {}, false},
        {ResultModelsTexts::tr("Result"), {}, false},
        {ResultModelsTexts::tr("Compared"), {}, false},
        {ResultModelsTexts::tr("Difference"), ResultModelsTexts::tr("Largest absolute difference of an element"), true},
        {ResultModelsTexts::tr("Relative"), ResultModelsTexts::tr("The same relative to the largest element"), true},
        {ResultModelsTexts::tr("Rows over"), ResultModelsTexts::tr("Rows with an element over tolerance"), true},
        {ResultModelsTexts::tr("Worst rows"), ResultModelsTexts::tr("Rows over tolerance, those that differ most first"), false},
    };
    constexpr qsizetype shown = 5;
    constexpr int verdict = 1;
    std::vector<std::vector<QString>> rows;
    std::vector<QStringList> worst;
    if (result != nullptr)
        for (const Comparison& c : result->comparisons) {
            worst.push_back(worstRows(c, graph));
            rows.push_back(
                {toText(c.output),
                 c.equal && c.rowsOfEqualScores > 0 ? ResultModelsTexts::tr("✓ equal, but for ties")
                 : c.equal                          ? ResultModelsTexts::tr("✓ equal")
                 : c.equalInFloat64                 ? ResultModelsTexts::tr("✓ equal in float64")
                 : c.isRounding()                   ? ResultModelsTexts::tr("✗ different, by rounding")
                                                    : ResultModelsTexts::tr("✗ different"),
                 ResultModelsTexts::tr("%1 and %2").arg(wordText(c.a), wordText(c.b)), numberText(c.maxAbsolute), numberText(c.maxRelative),
                 ResultModelsTexts::tr("%1 of %2").arg(countText(c.rowsOver), countText(c.rows)),
                 worst.back().mid(0, shown).join(QStringLiteral(", ")) + (worst.back().size() > shown ? QStringLiteral(", …") : QString())});
        }
    const int last = static_cast<int>(columns.size()) - 1;
    table.setTable(std::move(columns), std::move(rows));
    for (std::size_t i = 0; i < worst.size(); ++i) {
        if (worst[i].size() > shown)
            table.setToolTip(static_cast<int>(i), last, worst[i].join(QStringLiteral(", ")));
        if (const QString note = roundingNote(result->comparisons[i]); !note.isEmpty())
            table.setToolTip(static_cast<int>(i), verdict, note);
    }
}

void showAccuracies(TextTableModel& table, const VerifyResult* result)
{
    std::vector<TextTableModel::Column> columns{{ResultModelsTexts::tr("Accuracy"), {}, false}};
    std::vector<std::vector<QString>> rows;
    if (result != nullptr) {
        std::vector<std::string> splits, runs;
        std::map<std::pair<std::string, std::string>, double> values;
        for (const Accuracy& accuracy : result->accuracies) {
            if (std::ranges::find(splits, accuracy.split) == splits.end())
                splits.push_back(accuracy.split);
            if (std::ranges::find(runs, accuracy.run) == runs.end())
                runs.push_back(accuracy.run);
            values[{accuracy.run, accuracy.split}] = accuracy.value;
        }
        for (const std::string& split : splits)
            columns.push_back({wordText(split), ResultModelsTexts::tr("Share of these nodes whose largest output is their label"), true});
        for (const std::string& run : runs) {
            std::vector<QString> row{wordText(run)};
            for (const std::string& split : splits) {
                const auto found = values.find({run, split});
                row.push_back(found == values.end() ? QString() : ResultModelsTexts::tr("%1 %").arg(found->second * 100, 0, 'f', 1));
            }
            rows.push_back(std::move(row));
        }
    }
    table.setTable(std::move(columns), std::move(rows));
}

}  // namespace cleave::views
