#include "views/model_panel.h"

#include <QDoubleValidator>
#include <QFileInfo>
#include <QComboBox>
#include <QFormLayout>
#include <QFrame>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QToolTip>
#include <QVBoxLayout>
#include <optional>

#include "core/base/format.h"
#include "views/degree_chart.h"
#include "views/description.h"
#include "views/number_boxes.h"
#include "views/property_view.h"
#include "views/viewed_graph.h"
#include "views/text.h"

namespace cleave::views {

namespace {

constexpr int largestBatch = 1'000'000'000;
constexpr std::size_t megabyte = 1'000'000;

QLineEdit* toleranceEdit(QWidget* parent, const QString& name, const QString& tip)
{
    auto* edit = new QLineEdit(parent);
    auto* validator = new QDoubleValidator(0, 1, 12, edit);
    QLocale c = QLocale::c();
    c.setNumberOptions(QLocale::RejectGroupSeparator);  // a comma is none
    validator->setLocale(c);
    edit->setValidator(validator);
    edit->setAccessibleName(name);
    edit->setToolTip(tip);
    constexpr int around = 16;
    edit->setMinimumWidth(edit->fontMetrics().horizontalAdvance(QStringLiteral("0.00001")) + around);
    return edit;
}

}  // namespace

ModelPanel::ModelPanel(Document& document, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_properties(new PropertyView(this)),
      m_degrees(new DegreeChart(this)),
      m_batchSize(new BatchSizeBox(this)),
      m_order(new QComboBox(this)),
      m_memory(new MemoryBox(this)),
      m_absolute(toleranceEdit(this, tr("Absolute tolerance"), tr("Equal: |a − b| ≤ absolute + relative · |b|"))),
      m_relative(toleranceEdit(this, tr("Relative tolerance"), tr("Equal: |a − b| ≤ absolute + relative · |b|"))),
      m_run(new QPushButton(tr("Run layer-wise"), this)),
      m_verify(new QPushButton(tr("Verify"), this))
{
    m_properties->setAccessibleName(tr("Model and graph"));
    m_batchSize->setRange(0, largestBatch);
    m_batchSize->setSpecialValueText(tr("Automatic"));
    m_batchSize->setGroupSeparatorShown(true);
    m_batchSize->setKeyboardTracking(false);  // costs are measured anew for each size
    m_batchSize->setAccessibleName(tr("Batch size"));
    m_batchSize->setToolTip(tr("Target nodes of one batch; 0 lets Cleave choose"));
    m_memory->setRange(0, 100'000'000);
    m_memory->setSingleStep(100);
    m_memory->setSpecialValueText(tr("No bound"));
    m_memory->setSuffix(tr(" MB"));
    m_memory->setGroupSeparatorShown(true);
    m_memory->setKeyboardTracking(false);
    m_memory->setAccessibleName(tr("Memory of a run"));
    m_memory->setToolTip(
        tr("Most resident memory that a run layer by layer may take beyond what there is before it; what does not fit lies in files"));
    m_order->setAccessibleName(tr("Node order"));
    m_order->setToolTip(tr("The order in which batches take the nodes: neighbours near each other make smaller blocks"));
    for (const NodeOrder order : {NodeOrder::Natural, NodeOrder::Degree, NodeOrder::BreadthFirst, NodeOrder::Metis})
        m_order->addItem(orderText(order), QVariant::fromValue(static_cast<int>(order)));
    m_run->setToolTip(tr("Run the cut model function by function over one-hop blocks"));
    m_verify->setToolTip(tr("Run the whole model and the cut one and compare their answers"));

    auto* form = new QFormLayout;
    form->setContentsMargins(10, 10, 10, 10);
    form->setHorizontalSpacing(10);
    form->setVerticalSpacing(8);
    form->addRow(tr("&Batch size"), m_batchSize);
    form->addRow(tr("&Order"), m_order);
    form->addRow(tr("Memor&y"), m_memory);
    auto* tolerance = new QHBoxLayout;
    tolerance->addWidget(m_absolute, 1);
    tolerance->addWidget(new QLabel(QStringLiteral("+"), this));
    tolerance->addWidget(m_relative, 1);
    tolerance->addWidget(new QLabel(QStringLiteral("· |b|"), this));
    form->addRow(tr("Tolerance"), tolerance);
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(m_run);
    buttons->addWidget(m_verify);
    form->addRow(buttons);

    auto* line = new QFrame(this);
    line->setFrameShape(QFrame::HLine);
    line->setForegroundRole(QPalette::Mid);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_properties, 1);
    layout->addWidget(m_degrees);
    layout->addWidget(line);
    layout->addLayout(form);

    connect(m_properties, &PropertyView::chosen, this, [this](const QString& input, int choice, int subject) {
        if (subject == static_cast<int>(Choice::Role))
            m_document.setRole(input, allRoles[static_cast<std::size_t>(choice)]);
        else
            m_document.setArray(input, choice == 0 ? QString() : fittingArray(input, choice - 1));
    });
    for (QWidget* field : {static_cast<QWidget*>(m_batchSize), static_cast<QWidget*>(m_memory), static_cast<QWidget*>(m_order)})
        leaveWheelToScrolling(*field);
    connect(m_batchSize, &QSpinBox::valueChanged, &m_document, &Document::chooseBatchSize);
    connect(m_memory, &QSpinBox::valueChanged, this, [this](int bytes) { m_document.setMemoryBound(static_cast<std::size_t>(bytes) * megabyte); });
    connect(m_order, &QComboBox::activated, this,
            [this](int row) { m_document.chooseNodeOrder(static_cast<NodeOrder>(m_order->itemData(row).toInt())); });
    for (QLineEdit* edit : {m_absolute, m_relative}) {
        connect(edit, &QLineEdit::editingFinished, this, &ModelPanel::applyTolerance);
        connect(edit, &QLineEdit::inputRejected, this, [edit] {
            QToolTip::showText(edit->mapToGlobal(QPoint(0, edit->height())), tr("A number from 0 to 1, such as 0.001 or 1e-5"), edit);
        });
    }
    connect(m_run, &QPushButton::clicked, &m_document, &Document::runLayerWise);
    connect(m_verify, &QPushButton::clicked, &m_document, &Document::verify);
    connect(&m_document, &Document::changed, this, [this](Change change) {
        if (change == Change::Model || change == Change::Graph || change == Change::Options)
            showDocument();
        showOptions();
    });
    showDocument();
    showOptions();
}

void ModelPanel::showDocument()
{
    std::vector<PropertySection> sections;
    if (m_document.model())
        sections = describeModel(*m_document.model(), m_document.modelPath());
    else if (m_document.viewed())
        sections = m_document.viewed()->sections(m_document.modelPath());
    else
        sections.push_back({tr("Model"), {{tr("none loaded"), {}, {}}}});
    if (m_document.graph())
        for (PropertySection& section : describeGraph(*m_document.graph(), m_document.degrees(), m_document.graphPath(), m_document.model().get()))
            sections.push_back(std::move(section));
    else
        sections.push_back({tr("Graph"), {{tr("none loaded"), {}, {}}}});
    if (m_document.model() && m_document.graph())
        for (PropertySection& section : describeArrays(*m_document.model(), *m_document.graph(), m_document.options().run.inputs))
            sections.push_back(std::move(section));
    if (const QString& path = m_document.expectedPath(); !path.isEmpty())
        sections.push_back({tr("Expected outputs"), {{tr("file"), QFileInfo(path).fileName(), path}}});
    m_properties->setSections(std::move(sections));
    m_degrees->setDegrees(m_document.degrees());
}

QString ModelPanel::fittingArray(const QString& input, int choice) const
{
    const Program& program = m_document.model()->program();
    for (const Input& known : program.inputs)
        if (toText(program[known.value].name) == input)
            return fittingArrays(program, known.value, *m_document.graph()).value(choice);
    return {};
}

void ModelPanel::showOptions()
{
    const VerifyOptions& options = m_document.options();
    m_batchSize->setValue(static_cast<int>(std::min<std::int64_t>(options.run.batchSize, largestBatch)));
    m_memory->setValue(static_cast<int>(options.run.memoryBytes / megabyte));
    m_order->setCurrentIndex(m_order->findData(static_cast<int>(options.run.order)));
    m_absolute->setText(toText(formatNumber(m_document.tolerance().absolute)));
    m_relative->setText(toText(formatNumber(m_document.tolerance().relative)));
    m_run->setEnabled(m_document.canRun());
    m_verify->setEnabled(m_document.canRun());
}

void ModelPanel::applyTolerance()
{
    const auto number = [](const QLineEdit& edit) {
        bool isNumber = false;
        const double value = QLocale::c().toDouble(edit.text(), &isNumber);
        return isNumber && value >= 0 && value <= 1 ? std::optional(value) : std::nullopt;
    };
    const std::optional<double> absolute = number(*m_absolute), relative = number(*m_relative);
    if (absolute && relative)
        m_document.setTolerance({*absolute, *relative});
    else
        showOptions();
}

}  // namespace cleave::views
