#include "views/story.h"

#include <QCoreApplication>
#include <algorithm>
#include <numeric>

#include "core/graph/generate.h"

namespace cleave::views {

namespace {

struct StoryTexts {
    Q_DECLARE_TR_FUNCTIONS(cleave::views::Story)
};

constexpr std::int64_t asked = 11;  // a member with one friend, who knows nearly everybody

std::vector<int> numbers(int count)
{
    std::vector<int> all(static_cast<std::size_t>(std::max(count, 1)));
    std::iota(all.begin(), all.end(), 1);
    return all;
}

}  // namespace

Story::Story(int layers) : Story(numbers(layers)) {}

Story::Story(std::vector<int> functions)
    : m_graph(karateClub()),
      m_functions(functions.empty() ? numbers(1) : std::move(functions)),
      m_layers(std::min(static_cast<int>(m_functions.size()), 6))
{
    tellGraph();
    tellNodeWise();
    tellLayerWise();
    StoryStep compare;
    compare.kind = StoryKind::Compare;
    compare.title = StoryTexts::tr("How the work grows with the layers");
    compare.text = StoryTexts::tr("Node by node, every further layer makes the needed neighbourhood larger, until each batch computes the whole club again. Layer by layer, every "
                             "further layer adds the same: each member once. Either way each row is computed from the same rows, so the answers are equal. The price is the "
                             "store: one saved row for each member. For the answers of a few members only, node by node can be cheaper.");
    m_steps.push_back(std::move(compare));
    StoryStep predict;
    predict.kind = StoryKind::Predict;
    predict.title = StoryTexts::tr("Your turn: where would you cut?");
    predict.text = StoryTexts::tr(
        "Between two layers' messages there are other operations: linear layers, activations, normalisation. The cut may lie above or below each of "
        "them. An operation above the cut runs once for each node. Below it, it runs for every row that a batch reads, so once more for each batch "
        "that reads the same node; but what lies on the cut, and must be written and read back, may be narrower. Drag the lines of the cuts in the "
        "model, or its boxes from one band into the next, to where you think the whole takes least time. Times are hidden until you ask. "
        "\"Set an exercise\" moves the cuts to where they cost more than they need, and takes small batches.");
    m_steps.push_back(std::move(predict));
}

EdgeList Story::edges() const
{
    const Array& index = m_graph.arrays.at("edge_index");
    const std::span<const std::int64_t> all(index.as<std::int64_t>(), static_cast<std::size_t>(index.count()));
    return {m_graph.numNodes, all.subspan(0, all.size() / 2), all.subspan(all.size() / 2)};
}

std::vector<Story::Count> Story::counts() const
{
    std::vector<Count> all;
    for (int layers = 1; layers <= 6; ++layers)
        all.push_back({layers, nodeWiseWork(edges(), layers, batchSize), layerWiseWork(edges(), layers, batchSize)});
    return all;
}

void Story::tellGraph()
{
    StoryStep club;
    club.title = StoryTexts::tr("A club and its friendships");
    club.text = StoryTexts::tr("These are the %1 members of a karate club; a line joins two friends. The club is about to split, and a graph neural network shall say for each "
                          "member which half they will join. What it is given is a row of numbers for each member, such as age and years in the club: the features. The "
                          "club is small enough to draw; the model beside does the same on a graph of its own, which may be a million times larger.").arg(m_graph.numNodes);
    m_steps.push_back(std::move(club));

    StoryStep layer;
    layer.title = StoryTexts::tr("One layer: ask your friends");
    layer.computed = {asked};
    layer.layer = 1;
    layer.read = receptiveField(edges(), layer.computed, 1).back();
    layer.text = StoryTexts::tr("A layer computes a new row for a member from the rows of the member's friends and the member's own. Each friend sends a row along the line: a "
                           "message. The messages are added up, or their mean is taken. For member %1 two rows are read: that of the one friend and the member's own.").arg(asked + 1);
    m_steps.push_back(std::move(layer));

    const auto field = receptiveField(edges(), std::vector<std::int64_t>{asked}, std::max(2, m_layers));
    for (std::size_t hop = 2; hop < field.size(); ++hop) {
        StoryStep more;
        more.title = hop == 2 ? StoryTexts::tr("2 layers: friends of friends") : StoryTexts::tr("%1 layers: members up to %1 friendships away").arg(hop);
        more.computed = {asked};
        more.layer = static_cast<int>(hop);
        more.hops.assign(field.begin() + 1, field.begin() + static_cast<std::ptrdiff_t>(hop) + 1);
        more.text = StoryTexts::tr("With %1 layers, the friends' rows must first be computed from their friends' rows. For this one answer %2 rows are computed, out of "
                              "the features of %3 of all %4 members.")
                        .arg(hop).arg(std::accumulate(field.begin(), field.begin() + static_cast<std::ptrdiff_t>(hop), std::size_t{0}, [](std::size_t sum, const auto& ring) { return sum + ring.size(); }))
                        .arg(field[hop].size()).arg(m_graph.numNodes);
        m_steps.push_back(std::move(more));
    }
}

void Story::tellNodeWise()
{
    const int layers = std::max(2, m_layers);
    StoryStep batch;
    batch.computed.resize(static_cast<std::size_t>(batchSize));
    std::iota(batch.computed.begin(), batch.computed.end(), 0);
    const auto field = receptiveField(edges(), batch.computed, layers);
    batch.layer = layers;
    batch.hops.assign(field.begin() + 1, field.end());
    const RowWork work = nodeWiseWork(edges(), layers, batchSize);
    batch.title = StoryTexts::tr("Node by node: the same rows again and again");
    batch.text =
        StoryTexts::tr(
            "The usual way takes some members at a time, a batch of %1 here, and computes all that their answers need, through %2 layers: for these members the "
            "rows of %3 in the layer before. The next batch needs most of those once more, but they were not kept. For the whole club %4 rows are computed, "
            "though no more than %2 × %5 = %6 are different ones.")
            .arg(batchSize)
            .arg(layers)
            .arg(field[1].size())
            .arg(work.computed)
            .arg(m_graph.numNodes)
            .arg(layers * m_graph.numNodes);
    m_steps.push_back(std::move(batch));
}

void Story::tellLayerWise()
{
    StoryStep idea;
    idea.title = StoryTexts::tr("The idea: cut between the layers");
    const bool inOrder = m_functions == numbers(static_cast<int>(m_functions.size()));
    idea.text =
        inOrder
            ? StoryTexts::tr(
                  "Compute the first layer for everybody, and save the rows. Then the second layer for everybody, from what was saved. No saved row is computed twice, and a "
                  "batch never needs more than its direct friends. So the model is cut into functions, the bands beside: function 1 computes layer 1, and so on; function 0 "
                  "prepares each member's features. The lines between them are the cuts, and what lies on a line is saved there: the save points.")
            : StoryTexts::tr(
                  "Compute the first layer for everybody, and save the rows. Then the second layer for everybody, from what was saved. No saved row is computed twice, and a "
                  "batch never needs more than its direct friends. So the model is cut into functions, the bands beside, of which some compute a layer each; others prepare "
                  "rows, or look at those of everybody at once. The lines between them are the cuts, and what lies on a line is saved there: the save points.");
    idea.stores.assign(static_cast<std::size_t>(m_layers), std::vector<char>(static_cast<std::size_t>(m_graph.numNodes)));
    std::vector<std::vector<char>> stores = idea.stores;
    m_steps.push_back(std::move(idea));

    const std::int64_t batches = (m_graph.numNodes + batchSize - 1) / batchSize;
    for (int layer = 1; layer <= m_layers; ++layer)
        for (std::int64_t b = 0; b < batches; ++b) {
            StoryStep step;
            step.layer = layer;
            step.function = m_functions[static_cast<std::size_t>(layer) - 1];
            step.computed.resize(static_cast<std::size_t>(std::min(batchSize, m_graph.numNodes - b * batchSize)));
            std::iota(step.computed.begin(), step.computed.end(), b * batchSize);
            step.read = receptiveField(edges(), step.computed, 1).back();
            for (const std::int64_t node : step.computed)
                stores[static_cast<std::size_t>(layer) - 1][static_cast<std::size_t>(node)] = 1;
            step.stores = stores;
            step.title = StoryTexts::tr("Function %1, batch %2 of %3").arg(step.function).arg(b + 1).arg(batches);
            const auto friends = static_cast<std::int64_t>(step.read.size() - step.computed.size());
            step.text = layer == 1 ? StoryTexts::tr("Reads what was prepared for %1 members, these %2 and %3 friends of theirs, computes %2 rows of layer 1, and saves them.")
                                         .arg(step.read.size()).arg(step.computed.size()).arg(friends)
                                   : StoryTexts::tr("Reads the saved rows of %1 members from store %2, of these %3 and of %4 friends, computes %3 rows of layer %5, and saves them.")
                                         .arg(step.read.size()).arg(layer - 1).arg(step.computed.size()).arg(friends).arg(layer);
            if (b + 1 == batches && layer == m_layers)
                step.text += u' ' + StoryTexts::tr("These are the answers of the whole network, for everybody. %1 rows were computed in all; node by node it would have been %2.")
                                        .arg(m_layers * m_graph.numNodes).arg(nodeWiseWork(edges(), m_layers, batchSize).computed);
            else if (b + 1 == batches)
                step.text += u' ' + (layer == 1 ? StoryTexts::tr("Store 1 is full: all rows of layer 1, each computed once.")
                                                : StoryTexts::tr("Store %1 is full, and store %2 is not needed any more.").arg(layer).arg(layer - 1));
            m_steps.push_back(std::move(step));
        }
}

}  // namespace cleave::views
