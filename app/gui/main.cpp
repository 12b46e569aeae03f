#include <QApplication>
#include <QCommandLineParser>
#include <QIcon>
#include <QSettings>
#include <QTimer>
#include <cstdio>

#include "core/layout/layout.h"
#include "core/run/model.h"
#include "views/main_window.h"

namespace {

using cleave::views::MainWindow;
using cleave::views::Theme;

QString tr(const char* text)
{
    return QCoreApplication::translate("main", text);
}

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

}  // namespace

int main(int argc, char** argv)
{
    QCoreApplication::setOrganizationName(QStringLiteral("Cleave"));
    QCoreApplication::setApplicationName(QStringLiteral("Cleave"));
    QCoreApplication::setApplicationVersion(QStringLiteral(CLEAVE_VERSION));
    QCommandLineParser parser;
    parser.setApplicationDescription(tr("Visual splitting of graph neural networks"));
    parser.addHelpOption();
    parser.addOption({QStringLiteral("version"), tr("Print the versions of Cleave, LibTorch, Qt and Graphviz.")});
    parser.addOption({QStringLiteral("theme"), tr("Colours: system, light, dark or high-contrast."), QStringLiteral("THEME")});
    parser.addOption({QStringLiteral("role"), tr("What an input or parameter of the model is (node-features, graph-structure, edge-features, other), "
                                                 "instead of the guess; may be repeated."), QStringLiteral("NAME=ROLE")});
    parser.addPositionalArgument(QStringLiteral("MODEL"), tr("Model file (.pt2)."), QStringLiteral("[MODEL]"));
    parser.addPositionalArgument(QStringLiteral("GRAPH"), tr("Graph file (.npz)."), QStringLiteral("[GRAPH]"));

    // Help, versions and what is wrong with the options are told on machines without a display as well.
    std::map<std::string, cleave::Role> roles;
    {
        const QCoreApplication early(argc, argv);
        parser.parse(QCoreApplication::arguments());
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
        for (const QString& text : parser.values(QStringLiteral("role")))
            if (!addRole(text, roles)) {
                std::fprintf(stderr, "--role %s: write NAME=ROLE; roles are node-features, graph-structure, edge-features and other.\n", qPrintable(text));
                return 2;
            }
    }

    QApplication application(argc, argv);
    QGuiApplication::setDesktopFileName(QStringLiteral("io.github.cleave.Cleave"));
    QGuiApplication::setWindowIcon(QIcon(QStringLiteral(":/icons/io.github.cleave.Cleave.svg")));
    parser.process(application);
    const QString wanted = parser.isSet(QStringLiteral("theme")) ? parser.value(QStringLiteral("theme"))
                                                                  : QSettings().value(QStringLiteral("theme"), QStringLiteral("system")).toString();
    const Theme theme = cleave::views::themeFromName(wanted).value_or(Theme::System);
    applyTheme(application, theme);

    MainWindow window(theme);
    window.document().setRoles(std::move(roles));
    window.show();
    window.offerLeftPlans();
    for (const QString& file : parser.positionalArguments())
        window.document().open(file);
    if (parser.positionalArguments().isEmpty())
        window.openLastSession();
    return QApplication::exec();
}
