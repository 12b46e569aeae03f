#include <QApplication>
#include <QCommandLineParser>
#include <QFileInfo>
#include <QIcon>
#include <QTimer>
#include <algorithm>
#include <csignal>
#include <cstdio>

#include "core/base/mapping.h"
#include "core/base/parallel.h"
#include "core/layout/layout.h"
#include "core/run/model.h"
#include "views/language.h"
#include "views/main_window.h"
#include "views/settings.h"

namespace {

using cleave::views::MainWindow;
using cleave::views::Settings;

struct Texts {
    Q_DECLARE_TR_FUNCTIONS(cleave::Main)
};

void printVersion()
{
    const std::string graphviz = cleave::graphvizVersion();
    std::printf("cleave %s\nLibTorch %s\nQt %s\nGraphviz %s\n", CLEAVE_VERSION, cleave::libtorchVersion().c_str(), qVersion(),
                graphviz.empty() ? "missing" : graphviz.c_str());
}

// "NAME=ROLE" as --role is given it; false if it is not of that form.
bool addRole(const QString& text, std::map<std::string, cleave::Role>& roles)
{
    const qsizetype equals = text.indexOf(QLatin1Char('='));
    return equals > 0 && cleave::roleFromName(text.mid(equals + 1).toStdString(), roles[text.left(equals).toStdString()]);
}

// "NAME=N" likewise.
bool addWidth(const QString& text, std::map<std::string, std::int64_t>& widths)
{
    const qsizetype equals = text.indexOf(QLatin1Char('='));
    const int width = text.mid(equals + 1).toInt();
    if (equals <= 0 || width < 1 || width > cleave::widestInput)
        return false;
    widths[text.left(equals).toStdString()] = width;
    return true;
}

}  // namespace

int main(int argc, char** argv)
{
    cleave::useSignalStack();
    cleave::outliveLostPages();
    std::signal(SIGXFSZ, SIG_IGN);  // what may not grow any more cannot be written, which is said
    QCoreApplication::setOrganizationName(QStringLiteral("Cleave"));
    QCoreApplication::setApplicationName(QStringLiteral("Cleave"));
    QCoreApplication::setApplicationVersion(QStringLiteral(CLEAVE_VERSION));
    QCommandLineParser parser;
    parser.setApplicationDescription(Texts::tr("Visual splitting of graph neural networks"));
    parser.addHelpOption();
    parser.addOption({QStringLiteral("version"), Texts::tr("Print the versions of Cleave, LibTorch, Qt and Graphviz.")});
    parser.addOption({QStringLiteral("theme"), Texts::tr("Colours: system, light, dark or high-contrast."), QStringLiteral("THEME")});
    parser.addOption({QStringLiteral("language"), Texts::tr("Language of the window: %1.").arg(cleave::views::languages().join(QStringLiteral(", "))),
                      QStringLiteral("LANGUAGE")});
    parser.addOption({QStringLiteral("role"),
                      Texts::tr("What an input or parameter of the model is (node-features, graph-structure, edge-features, other), "
                                "instead of the guess; may be repeated."),
                      QStringLiteral("NAME=ROLE")});
    parser.addOption({QStringLiteral("width"),
                      Texts::tr("Entries of each row of an input, where a TorchScript file leaves them open; may be repeated."),
                      QStringLiteral("NAME=N")});
    parser.addOption({QStringLiteral("example"), Texts::tr("Open the bundled example, a GraphSAGE on Cora in batches of 256 nodes.")});
    parser.addPositionalArgument(QStringLiteral("MODEL"), Texts::tr("Model file (.pt2 or .pt)."), QStringLiteral("[MODEL]"));
    parser.addPositionalArgument(QStringLiteral("GRAPH"), Texts::tr("Graph file (.npz, a list of edges, .mtx, .graphml or .dot)."),
                                 QStringLiteral("[GRAPH]"));

    // Help, versions and what is wrong with the options are told on machines without a display as well.
    cleave::views::InputHints hints;
    {
        const QCoreApplication early(argc, argv);
        // Options of Qt's own are taken out when it knows of a display.
        static const QStringList ofQt{QStringLiteral("platform"),        QStringLiteral("platformpluginpath"),
                                      QStringLiteral("platformtheme"),   QStringLiteral("plugin"),
                                      QStringLiteral("qwindowgeometry"), QStringLiteral("qwindowicon"),
                                      QStringLiteral("qwindowtitle"),    QStringLiteral("reverse"),
                                      QStringLiteral("session"),         QStringLiteral("display"),
                                      QStringLiteral("geometry"),        QStringLiteral("fontengine"),
                                      QStringLiteral("style"),           QStringLiteral("stylesheet"),
                                      QStringLiteral("widgetcount"),     QStringLiteral("qmljsdebugger")};
        const auto isOfQt = [](const QString& name) { return ofQt.contains(name) || name.size() == 1; };
        const bool isRight = parser.parse(QCoreApplication::arguments());
        const QStringList unknown = parser.unknownOptionNames();
        if (!isRight && (unknown.isEmpty() || !std::ranges::all_of(unknown, isOfQt))) {
            std::fprintf(stderr, "%s\n", qPrintable(parser.errorText()));
            return 2;
        }
        if (parser.isSet(QStringLiteral("help")))
            parser.showHelp();
        if (parser.isSet(QStringLiteral("version"))) {
            printVersion();
            return 0;
        }
        if (const QString theme = parser.value(QStringLiteral("theme")); !theme.isEmpty() && !cleave::views::themeFromName(theme)) {
            std::fprintf(stderr, "There is no theme '%s'; themes are system, light, dark and high-contrast.\n", qPrintable(theme));
            return 2;
        }
        if (const QString language = parser.value(QStringLiteral("language"));
            !language.isEmpty() && !cleave::views::languages().contains(language)) {
            std::fprintf(stderr, "There is no language '%s'; languages are %s.\n", qPrintable(language),
                         qPrintable(cleave::views::languages().join(QStringLiteral(" and "))));
            return 2;
        }
        for (const QString& text : parser.values(QStringLiteral("role")))
            if (!addRole(text, hints.roles)) {
                std::fprintf(stderr, "--role %s: write NAME=ROLE; roles are node-features, graph-structure, edge-features and other.\n",
                             qPrintable(text));
                return 2;
            }
        for (const QString& text : parser.values(QStringLiteral("width")))
            if (!addWidth(text, hints.widths)) {
                std::fprintf(stderr, "--width %s: write NAME=N, a number from 1 to %d.\n", qPrintable(text), cleave::widestInput);
                return 2;
            }
    }

    QApplication application(argc, argv);
    QGuiApplication::setDesktopFileName(QStringLiteral("io.github.cleave.Cleave"));
    QGuiApplication::setWindowIcon(QIcon(QStringLiteral(":/icons/io.github.cleave.Cleave.svg")));
    parser.process(application);
    Settings settings = cleave::views::readSettings();
    if (const auto theme = cleave::views::themeFromName(parser.value(QStringLiteral("theme"))))
        settings.theme = *theme;
    if (parser.isSet(QStringLiteral("language")))
        settings.language = parser.value(QStringLiteral("language"));
    cleave::views::applyLanguage(application, settings.language);
    applySettings(application, settings);

    MainWindow window;
    window.document().setHints(std::move(hints));
    window.show();
    window.offerLeftPlans();
    for (const QString& file : parser.positionalArguments()) {
        window.document().open(file);
        if (!QFileInfo::exists(file))
            break;  // the sentence on it stays
    }
    if (parser.isSet(QStringLiteral("example")))
        window.openExample();
    else if (parser.positionalArguments().isEmpty())
        window.openLastSession();
    return QApplication::exec();
}
