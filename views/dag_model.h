#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/plan/cut.h"
#include "views/repeats.h"

namespace cleave::views {

enum class BoxKind : std::uint8_t { Op, Module, Prologue, Tensor, Repeat };

/// What a box stands for; the same for every state of expansion.
struct DagKey {
    BoxKind kind = BoxKind::Op;
    int band = 0;
    OpId op;          ///< of ops; the first op of modules, since a module can be called several times, and of repeats
    ModuleId module;  ///< of modules
    ValueId value;    ///< of tensors

    auto operator<=>(const DagKey&) const = default;
};

/// What a box's rows count; Mixed for a module that works on nodes and edges.
enum class RowsClass : std::uint8_t { Structure, Nodes, Edges, Graph, Mixed };

struct DagBox {
    DagKey key;
    std::vector<OpId> ops;               ///< that it stands for, in execution order
    std::string title;                   ///< "linear_1", "convs.0"; of modules from the frame around them on
    std::string type;                    ///< "linear", "GCNConv"
    std::string shape;                   ///< "[V, 16]" of what it gives; empty if it gives several
    std::vector<std::string> structure;  ///< structure values that it reads from elsewhere, as badges
    std::string belongs;  ///< where there are several node types: whose rows a tensor has, or an op's relation by its module or weights
    int level = -1;                      ///< message degree, -1 for structure
    RowsClass rows = RowsClass::Structure;
    bool isOutput = false;               ///< tensors: the caller gets it
    int writtenBy = -1;                  ///< tensors: function that saves it, -1 for inputs
    bool isReminder = false;             ///< tensors: written further above and shown again where it is read
    double rowBytes = 0;                 ///< tensors: bytes of one row, 0 if not known
    int frame = -1;                      ///< innermost expanded module around it
    Repeat repeat;                       ///< repeats: which
    std::string repeated;                ///< "function 1": what these are repetitions of

    bool isExpandable() const { return key.kind == BoxKind::Module || key.kind == BoxKind::Prologue || key.kind == BoxKind::Repeat; }
};

/// An expanded module in one band.
struct DagFrame {
    int band = 0;
    ModuleId module;  ///< invalid: the prologue itself
    int parent = -1;
};

struct DagArrow {
    int from = 0, to = 0;
    std::vector<ValueId> values;  ///< that go this way
};

/// The cut below a band: what is computed above it and read below it.
struct DagStrip {
    std::vector<ValueId> crossing;  ///< save points; inputs are not among them
    double nodeRowBytes = 0;        ///< of those with one row per node together, for one row; 0 where nodes have several types
    std::map<std::string, double> typedRowBytes;  ///< the same by what counts the rows ("V paper"), where nodes have several types
    int unsized = 0;                ///< how many of them have other rows or sizes that are not known
    bool isJoined = false;          ///< the functions above and below run together
};

/// Band 0 is the prologue, band i + 1 function i. The strip below band 0 holds the inputs.
struct DagBand {
    int function = -1;  ///< -1 for the prologue
    std::string name;   ///< "function 2", "global ops before function 2"; of all that a folded repeat shows
    int level = -1;         ///< message degree
    int place = -1;         ///< of PlanSpace's functions, the one whose ops these are in the plan that is drawn; -1 for others
    ValueId rowsOf;         ///< valid: a function over the rows of this output
    std::string nodeType;   ///< over whose nodes it runs; empty where there is one type
    bool isGlobal = false;  ///< its ops run over all nodes at once
    int ops = 0;
    int firstFunction = -1;  ///< less than function in the last band of a folded repeat, which shows all that are folded
    bool isHidden = false;   ///< in such a repeat, and not its last
    DagStrip strip;
};

/// What the graph view draws: boxes and arrows of the visible ops, modules and save points, without positions.
struct DagModel {
    std::vector<DagBand> bands;
    std::vector<DagFrame> frames;  ///< a parent comes before its children
    std::vector<DagBox> boxes;
    std::vector<DagArrow> arrows;
    std::vector<DagArrow> structureArrows;  ///< from what works out structure to what reads it, in any later band: not to be laid out

    int find(const DagKey& key) const;      ///< index of the box, -1 if there is none
    int findOp(OpId op, int band = -1) const;  ///< the box that shows op, in this band if there is one; -1 if there is none
};

/// Which modules of which band show their inside. An invalid module of band 0 is the prologue.
using Expansion = std::set<std::pair<int, ModuleId>>;

/// Everything collapsed, but so that no band shows a single module only.
Expansion initialExpansion(const Analysis& analysis, const CutProgram& cut);
Expansion fullExpansion(const Analysis& analysis, const CutProgram& cut);
Expansion openedAround(const Analysis& analysis, Expansion expansion, int band, OpId op);  ///< with every module open that the op lies in

struct DagOptions {
    std::vector<Repeat> folded;  ///< after their first repetition
    bool structure = false;      ///< whether structure arrows are shown, with boxes for the inputs that they begin at
};

/// Linear in ops and arrows but for modules that are entered more than once in a band.
DagModel buildDag(const Analysis& analysis, const CutProgram& cut, const Expansion& expansion, const DagOptions& options = {});

DagStrip stripWith(const Analysis& analysis, const std::vector<ValueId>& crossing);

std::string lastPart(const std::string& path, char separator);  ///< "GCNConv" of "torch_geometric.nn.GCNConv"

}  // namespace cleave::views
