#pragma once

#include <QDialog>

#include "views/settings.h"

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QLabel;

namespace cleave::views {

/// Changes take effect at once and are kept; the windows behind it stay usable.
class SettingsDialog : public QDialog {
    Q_OBJECT

public:
    explicit SettingsDialog(QWidget* parent = nullptr);

    void showSettings();  ///< as they are now

Q_SIGNALS:
    void changed();  ///< and applied

private:
    void take();

    QComboBox *m_theme, *m_language, *m_units;
    QDoubleSpinBox* m_fontSize;
    QCheckBox* m_session;
    QLabel* m_note;
};

}  // namespace cleave::views
