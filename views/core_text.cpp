#include "views/core_text.h"

#include <QCache>
#include <QCoreApplication>
#include <QRegularExpression>
#include <array>
#include <utility>
#include <vector>

#include "views/core_sentences.h"

namespace cleave::views {

namespace {

constexpr const char* context = "cleave::Core";

// In this order: the first that fits is taken, so that special ones come before general ones.
constexpr std::array coreTexts{
    // Moves of plans.
    QT_TRANSLATE_NOOP("cleave::Core", "No op of the function above the cut can move below it: %1"),
    QT_TRANSLATE_NOOP("cleave::Core", "No op stands before the message passing below the cut that can move above it: %1"),
    QT_TRANSLATE_NOOP("cleave::Core", "%1 must be saved at cut %2: %3; %4"),
    QT_TRANSLATE_NOOP("cleave::Core", "%1 must be saved at cut %2: %3"),
    QT_TRANSLATE_NOOP("cleave::Core", "%1 cannot stand %2: %3."),
    QT_TRANSLATE_NOOP("cleave::Core", "%1 is part of message passing %2 and stays in its function"),
    QT_TRANSLATE_NOOP("cleave::Core", "%1 is pinned to function %2"),
    QT_TRANSLATE_NOOP("cleave::Core", "%1 must stand %2 or earlier, since %3 reads it there"),
    QT_TRANSLATE_NOOP("cleave::Core", "%1 works on %2, and function %3 on %4"),
    QT_TRANSLATE_NOOP("cleave::Core", "functions over nodes of several types that run together keep their ops"),
    QT_TRANSLATE_NOOP("cleave::Core", "%1 cannot stand %2, since functions over nodes of several types that run together keep their ops."),
    QT_TRANSLATE_NOOP("cleave::Core", "%1 must stand %2 or later, since it reads what %3 finds out from all nodes"),
    QT_TRANSLATE_NOOP("cleave::Core", "this program has no function %1"),
    QT_TRANSLATE_NOOP("cleave::Core", "no function on %1 is there"),
    QT_TRANSLATE_NOOP("cleave::Core", "There is no %1 in this program."),
    QT_TRANSLATE_NOOP("cleave::Core", "Functions %1 and %2 run together in this plan, so nothing is saved between them."),
    QT_TRANSLATE_NOOP("cleave::Core", "Functions %1 and %2 run together: there is no cut between them."),
    QT_TRANSLATE_NOOP("cleave::Core", "Functions %1 and %2 cannot be joined, since a global op waits for all nodes between them."),
    QT_TRANSLATE_NOOP("cleave::Core", "%1 is no tensor of node rows that something reads, so it cannot be a save point."),
    QT_TRANSLATE_NOOP("cleave::Core", "%1 cannot be saved at cut %2, since nothing that reads it can run after the cut: %3"),
    QT_TRANSLATE_NOOP("cleave::Core", "%1 cannot be saved at cut %2, since nothing that reads it can run after the cut."),
    QT_TRANSLATE_NOOP("cleave::Core", "message passing or an output after the cut reads it"),
    QT_TRANSLATE_NOOP("cleave::Core", "No op of the function above the cut can move below it."),
    QT_TRANSLATE_NOOP("cleave::Core", "No op stands before the message passing below the cut that can move above it."),
    QT_TRANSLATE_NOOP("cleave::Core", "This does not work on node rows: a plan does not place it."),
    QT_TRANSLATE_NOOP("cleave::Core", "%1 does not work on node rows: a plan does not place it."),
    QT_TRANSLATE_NOOP("cleave::Core", "nodes of type %1"),
    QT_TRANSLATE_NOOP("cleave::Core", "before message passing %1"),
    QT_TRANSLATE_NOOP("cleave::Core", "after message passing %1"),
    QT_TRANSLATE_NOOP("cleave::Core", "in function %1"),
    QT_TRANSLATE_NOOP("cleave::Core", "cut %1"),
    QT_TRANSLATE_NOOP("cleave::Core", "function %1"),
    QT_TRANSLATE_NOOP("cleave::Core", "functions %1 to %2"),
    QT_TRANSLATE_NOOP("cleave::Core", "global ops before function %1"),
    QT_TRANSLATE_NOOP("cleave::Core", "rows of an output"),
    QT_TRANSLATE_NOOP("cleave::Core", "op %1 in module %2"),
    QT_TRANSLATE_NOOP("cleave::Core", "op %1"),

    // What went wrong in a run; the reason is often LibTorch's.
    QT_TRANSLATE_NOOP("cleave::Core", "Running the whole model on this graph failed: %1"),
    QT_TRANSLATE_NOOP("cleave::Core", "Running layer by layer on this graph failed: %1"),
    QT_TRANSLATE_NOOP("cleave::Core", "Running %1 failed: %2"),
    QT_TRANSLATE_NOOP("cleave::Core", "Measuring %1 failed: %2"),

    // What is being done.
    QT_TRANSLATE_NOOP("cleave::Core", "Analysing"),
    QT_TRANSLATE_NOOP("cleave::Core", "Checking edges"),
    QT_TRANSLATE_NOOP("cleave::Core", "Checking the cut on random graphs"),
    QT_TRANSLATE_NOOP("cleave::Core", "Checking the rewrites on random graphs"),
    QT_TRANSLATE_NOOP("cleave::Core", "Comparing"),
    QT_TRANSLATE_NOOP("cleave::Core", "Counting rows"),
    QT_TRANSLATE_NOOP("cleave::Core", "Measuring memory bandwidth"),
    QT_TRANSLATE_NOOP("cleave::Core", "Measuring %1"),
    QT_TRANSLATE_NOOP("cleave::Core", "Ordering nodes"),
    QT_TRANSLATE_NOOP("cleave::Core", "Planning greedily"),
    QT_TRANSLATE_NOOP("cleave::Core", "Prologue"),
    QT_TRANSLATE_NOOP("cleave::Core", "Reading features"),
    QT_TRANSLATE_NOOP("cleave::Core", "Reading the graph"),
    QT_TRANSLATE_NOOP("cleave::Core", "Reading the model"),
    QT_TRANSLATE_NOOP("cleave::Core", "Running the whole model"),
    QT_TRANSLATE_NOOP("cleave::Core", "Running %1"),
    QT_TRANSLATE_NOOP("cleave::Core", "Searching the optimal plan"),

    // Passes over a program.
    QT_TRANSLATE_NOOP("cleave::Core", "in-place ops"),
    QT_TRANSLATE_NOOP("cleave::Core", "dropout in eval"),
    QT_TRANSLATE_NOOP("cleave::Core", "no-ops"),
    QT_TRANSLATE_NOOP("cleave::Core", "checks"),
    QT_TRANSLATE_NOOP("cleave::Core", "sizes of features"),
    QT_TRANSLATE_NOOP("cleave::Core", "constants folded"),
    QT_TRANSLATE_NOOP("cleave::Core", "equal structure ops"),
    QT_TRANSLATE_NOOP("cleave::Core", "dead ops"),

    // What is wrong with files, graphs and plans.
    QT_TRANSLATE_NOOP("cleave::Core", "There is no file %1."),
    QT_TRANSLATE_NOOP("cleave::Core", "%1 is a pipe or a device: write what it gives into a file first."),
    QT_TRANSLATE_NOOP("cleave::Core", "%1 cannot be read."),
    QT_TRANSLATE_NOOP("cleave::Core", "%1 is not a complete zip archive: it is of another kind, or was cut short."),
    QT_TRANSLATE_NOOP("cleave::Core", "%1 is not a complete zip archive."),
    QT_TRANSLATE_NOOP(
        "cleave::Core",
        "The graph %1 has no array %2 for the model's input of that name; it has %3. Choose one with --input %4, or let random numbers take its place (--features random)."),
    QT_TRANSLATE_NOOP("cleave::Core", "The graph %1 has no array %2 for the model's input of that name; it has %3. Choose one with --input %4."),
    QT_TRANSLATE_NOOP(
        "cleave::Core",
        "The graph %1 has no array %2 for the model's input of that name; it has %3. Random numbers can take its place (--features random)."),
    QT_TRANSLATE_NOOP("cleave::Core", "The graph %1 has no array %2 for the model's input of that name; it has %3."),
    QT_TRANSLATE_NOOP("cleave::Core", "The graph %1 has no array %2; it has %3."),
    QT_TRANSLATE_NOOP("cleave::Core", "Input %1 of the model is %2, but the array of graph %3 is %4: dimension %5 must be %6."),
    QT_TRANSLATE_NOOP("cleave::Core", "Input %1 of the model is %2, but the array of graph %3 is %4: %5."),
    QT_TRANSLATE_NOOP("cleave::Core", "Input %1 names node %2, but the graph has nodes %3 to %4."),
    QT_TRANSLATE_NOOP("cleave::Core", "Input %1 is a number that a graph does not have."),
    QT_TRANSLATE_NOOP("cleave::Core", "The model has no input %1."),
    QT_TRANSLATE_NOOP(
        "cleave::Core",
        "The model has no node-feature input (a tensor whose first dimension counts nodes), so there is nothing to cut: name one with %1."),
    QT_TRANSLATE_NOOP("cleave::Core", "The model has no node-feature input (a tensor whose first dimension counts nodes), so there is nothing to cut: %1"),
    QT_TRANSLATE_NOOP(
        "cleave::Core",
        "The model was exported for one graph only (%1): export it again with %2; or, if parameter %3 has a row for each node, open it with %4."),
    QT_TRANSLATE_NOOP("cleave::Core", "The model was exported for one graph only (%1): export it again with %2."),
    QT_TRANSLATE_NOOP("cleave::Core", "The model was exported in training mode: %1; call model.eval() before torch.export.export."),
    QT_TRANSLATE_NOOP("cleave::Core", "the number of nodes is fixed"),
    QT_TRANSLATE_NOOP("cleave::Core", "the number of edges is fixed"),
    QT_TRANSLATE_NOOP("cleave::Core", "the numbers of nodes and edges are fixed"),
    QT_TRANSLATE_NOOP("cleave::Core", "the number of dimensions differs"),
    QT_TRANSLATE_NOOP("cleave::Core", "the type does not fit"),
    QT_TRANSLATE_NOOP("cleave::Core", "its numbers are too large for that type"),
    QT_TRANSLATE_NOOP("cleave::Core", "The cut model does not give the whole model's answers on a small random graph: %1"),
    QT_TRANSLATE_NOOP("cleave::Core", "The cut model does not run on a small random graph, though the whole model does, so Cleave cannot cut it: %1"),
    QT_TRANSLATE_NOOP("cleave::Core", "The model does not run on a small random graph, so its cut cannot be checked. %1"),
    QT_TRANSLATE_NOOP("cleave::Core", "The plan %1 does not fit into %2 in batches of %3: it needs %4."),
    QT_TRANSLATE_NOOP("cleave::Core", "The plan %1 does not fit into %2 with any batch size: it needs %3."),
    QT_TRANSLATE_NOOP("cleave::Core", "%1: not enough memory; with a bound on it (--memory 8G) rows lie in files."),
    QT_TRANSLATE_NOOP("cleave::Core", "%1: not enough memory."),
    QT_TRANSLATE_NOOP("cleave::Core", "Now open the model that the plan is for (%1): a plan file holds the plan alone."),
    QT_TRANSLATE_NOOP("cleave::Core", "Open the plan's model first: a plan file holds the plan alone."),
    QT_TRANSLATE_NOOP("cleave::Core", "Open the plans' model first: a plan file holds the plan alone."),
    QT_TRANSLATE_NOOP("cleave::Core", "The picture is too large to be made of pixels: write it as SVG or PDF."),
    QT_TRANSLATE_NOOP("cleave::Core", "There are no outputs yet: run the model on a graph first."),
    QT_TRANSLATE_NOOP("cleave::Core", "There is no picture to export: open a model first."),
    QT_TRANSLATE_NOOP("cleave::Core", "There is no picture to print: open a model first."),
    QT_TRANSLATE_NOOP("cleave::Core", "There is nothing to export: open a model first."),
    QT_TRANSLATE_NOOP("cleave::Core", "What is only looked at has no plan to report on: it can be written as a picture or in DOT."),
    QT_TRANSLATE_NOOP("cleave::Core", "The times of ops are measured when nothing else runs: try again then."),
    QT_TRANSLATE_NOOP("cleave::Core", "The times of ops are those on a graph: open one first."),
    QT_TRANSLATE_NOOP("cleave::Core", "%1 must end in .svg, .pdf, .png, .dot, .html, .csv, .npz, .npy or .txt, which says what is written."),
    QT_TRANSLATE_NOOP("cleave::Core", "The unsaved plan cannot be kept in %1."),
};

struct Pattern {
    const char* text;
    QRegularExpression match;
};

// What is filled in is as short as it can be.
QRegularExpression matcher(const char* text)
{
    QString pattern = QRegularExpression::escape(QString::fromUtf8(text));
    static const QRegularExpression place(QStringLiteral("\\\\%(\\d)"));
    pattern.replace(place, QStringLiteral("(?<p\\1>.+?)"));
    return QRegularExpression(QRegularExpression::anchoredPattern(pattern), QRegularExpression::DotMatchesEverythingOption);
}

const std::vector<Pattern>& patterns()
{
    static const std::vector<Pattern> all = [] {
        std::vector<Pattern> made;
        for (const char* text : coreTexts)
            made.push_back({text, matcher(text)});
        for (const char* text : coreSentences)
            made.push_back({text, matcher(text)});
        return made;
    }();
    return all;
}

// Each place once: what is filled in may have a percent sign itself.
QString filled(const QString& text, const QRegularExpressionMatch& found)
{
    static const QRegularExpression place(QStringLiteral("%(\\d)"));
    QString all;
    qsizetype at = 0;
    for (auto places = place.globalMatch(text); places.hasNext();) {
        const QRegularExpressionMatch next = places.next();
        all += text.mid(at, next.capturedStart() - at) + fromCore(found.captured(u'p' + next.captured(1)));
        at = next.capturedEnd();
    }
    return all + text.mid(at);
}

QString translatedFromCore(const QString& sentence)
{
    for (const Pattern& pattern : patterns()) {
        const QRegularExpressionMatch found = pattern.match.match(sentence);
        if (!found.hasMatch())
            continue;
        const QString translated = QCoreApplication::translate(context, pattern.text);
        if (translated == QString::fromUtf8(pattern.text))
            return sentence;
        return filled(translated, found);
    }
    return sentence;
}

}  // namespace

// Names of ops and functions come again and again.
QString fromCore(const QString& sentence)
{
    constexpr int most = 10'000;
    constexpr const char* probe = "Analysing";
    thread_local QCache<QString, QString> known(most);
    thread_local QString language;
    if (const QString now = QCoreApplication::translate(context, probe); std::exchange(language, now) != now)
        known.clear();
    if (language == QLatin1String(probe))
        return sentence;
    if (const QString* text = known.object(sentence))
        return *text;
    const QString text = translatedFromCore(sentence);
    known.insert(sentence, new QString(text));
    return text;
}

QString fromCore(const std::string& sentence) { return fromCore(QString::fromStdString(sentence)); }

QString titleFromCore(const std::string& name)
{
    const QString text = fromCore(name);
    return text.left(1).toUpper() + text.mid(1);
}

}  // namespace cleave::views
