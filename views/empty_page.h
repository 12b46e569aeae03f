#pragma once

#include <QLabel>

namespace cleave::views {

/// Of the examples that are installed with the program, or lie in the sources that it was built from; empty if it is in neither.
QString exampleFile(const QString& name);

/// What the window shows while no model is open: how one is opened, or which one is being read.
class EmptyPage : public QLabel {
    Q_OBJECT

public:
    explicit EmptyPage(QWidget* parent = nullptr);

    void setReading(const QString& what);  ///< "Reading sage.pt2"; empty: nothing

Q_SIGNALS:
    void exampleWanted();
};

}  // namespace cleave::views
