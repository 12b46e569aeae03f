#include "views/settings_dialog.h"

#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>

#include "views/language.h"

namespace cleave::views {

namespace {

QVariant number(auto value) { return QVariant::fromValue(static_cast<int>(value)); }

// From the desktop's own size it steps to the next one, and not to the least.
class TextSizeBox : public QDoubleSpinBox {
public:
    using QDoubleSpinBox::QDoubleSpinBox;

    void stepBy(int steps) override
    {
        if (value() == minimum()) {
            const QSignalBlocker blocker(this);
            setValue(QApplication::font().pointSizeF());
        }
        QDoubleSpinBox::stepBy(steps);
    }
};

}  // namespace

SettingsDialog::SettingsDialog(QWidget* parent)
    : QDialog(parent),
      m_theme(new QComboBox(this)),
      m_language(new QComboBox(this)),
      m_units(new QComboBox(this)),
      m_fontSize(new TextSizeBox(this)),
      m_session(new QCheckBox(tr("Open the last model and graph at &start"), this)),
      m_note(new QLabel(this))
{
    setWindowTitle(tr("Settings"));
    for (const auto& [theme, text] : {std::pair(Theme::System, tr("As the desktop")), std::pair(Theme::Light, tr("Light")),
                                      std::pair(Theme::Dark, tr("Dark")), std::pair(Theme::HighContrast, tr("High contrast"))})
        m_theme->addItem(text, number(theme));
    m_language->addItem(tr("As the desktop (%1)").arg(languageName(desktopLanguage())), QString());
    for (const QString& language : languages())
        m_language->addItem(languageName(language), language);
    m_units->addItem(tr("kB, MB, GB: powers of 1000"), number(ByteUnits::Decimal));
    m_units->addItem(tr("KiB, MiB, GiB: powers of 1024"), number(ByteUnits::Binary));
    m_fontSize->setDecimals(1);
    m_fontSize->setRange(smallestFont - 0.5, largestFont);
    m_fontSize->setSingleStep(0.5);
    m_fontSize->setSpecialValueText(tr("As the desktop"));
    m_fontSize->setSuffix(tr(" pt"));
    m_fontSize->setKeyboardTracking(false);
    m_note->setText(tr("The language changes at the next start."));
    m_note->setWordWrap(true);
    m_note->setForegroundRole(QPalette::PlaceholderText);

    auto* form = new QFormLayout(this);
    form->addRow(tr("&Theme"), m_theme);
    form->addRow(tr("&Language"), m_language);
    form->addRow({}, m_note);
    form->addRow(tr("Text si&ze"), m_fontSize);
    form->addRow(tr("&Bytes"), m_units);
    form->addRow({}, m_session);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::RestoreDefaults | QDialogButtonBox::Close, this);
    buttons->button(QDialogButtonBox::RestoreDefaults)->setAutoDefault(false);
    form->addRow(buttons);
    showSettings();

    for (QComboBox* box : {m_theme, m_language, m_units})
        connect(box, &QComboBox::activated, this, &SettingsDialog::take);
    connect(m_fontSize, &QDoubleSpinBox::valueChanged, this, &SettingsDialog::take);
    connect(m_session, &QCheckBox::toggled, this, &SettingsDialog::take);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::close);
    connect(buttons->button(QDialogButtonBox::RestoreDefaults), &QPushButton::clicked, this, [this] {
        writeSettings(Settings());
        showSettings();
        take();
    });
}

void SettingsDialog::take()
{
    const Settings chosen{static_cast<Theme>(m_theme->currentData().toInt()), m_language->currentData().toString(),
                          m_fontSize->value() < smallestFont ? 0 : m_fontSize->value(), static_cast<ByteUnits>(m_units->currentData().toInt()),
                          m_session->isChecked()};
    writeSettings(chosen);
    applySettings(*qobject_cast<QApplication*>(QApplication::instance()), chosen);
    Q_EMIT changed();
}

void SettingsDialog::showSettings()
{
    const Settings settings = readSettings();
    m_theme->setCurrentIndex(m_theme->findData(number(settings.theme)));
    m_language->setCurrentIndex(m_language->findData(settings.language));
    m_units->setCurrentIndex(m_units->findData(number(settings.units)));
    const QSignalBlocker quiet(m_fontSize), still(m_session);
    m_fontSize->setValue(settings.fontSize);
    m_session->setChecked(settings.opensLastSession);
}

}  // namespace cleave::views
