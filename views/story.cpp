#include "views/story.h"

#include <QCoreApplication>
#include <algorithm>
#include <numeric>

#include "core/graph/generate.h"

namespace cleave::views {

namespace {

struct Texts {
    Q_DECLARE_TR_FUNCTIONS(cleave::views::Story)
};

constexpr std::int64_t asked = 11;  // a member with one friend, who knows nearly everybody

}  // namespace

Story::Story(int layers) : m_graph(karateClub()), m_layers(std::clamp(layers, 1, 6))
{
    tellGraph();
    tellNodeWise();
    tellLayerWise();
    StoryStep compare;
    compare.kind = StoryKind::Compare;
    compare.title = Texts::tr("How the work grows with the layers");
    compare.text = Texts::tr("Batch by batch, every further layer makes the needed neighbourhood larger, until each batch computes nearly the whole club again. Layer by "
                             "layer, every further layer adds the same: each member once. The answers are the same rows, computed from the same rows.");
    m_steps.push_back(std::move(compare));
    StoryStep predict;
    predict.kind = StoryKind::Predict;
    predict.title = Texts::tr("Your turn: where would you cut?");
    predict.text = Texts::tr("Between two message passings there are other operations: linear layers, activations, normalisation. A cut may lie before or after "
                             "them. What is saved is written once and read back; what runs after the cut, before the message passing, is computed for every row of "
                             "a block, often more than once. Drag the lines of the cuts in the model, or the operations themselves, to where you think the whole "
                             "takes least time. Costs are hidden until you ask.");
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
    club.title = Texts::tr("A club and its friendships");
    club.text = Texts::tr("These are the %1 members of a karate club; a line joins two friends. A graph neural network knows a row of numbers about each member, and shall "
                          "give an answer for each: say, whom they follow when the club splits.").arg(m_graph.numNodes);
    m_steps.push_back(std::move(club));

    StoryStep layer;
    layer.title = Texts::tr("One layer: ask your friends");
    layer.computed = {asked};
    layer.read = receptiveField(edges(), layer.computed, 1).back();
    layer.text = Texts::tr("A layer computes a new row for a member from the rows of the member's friends: it passes messages along the lines, and adds them up. For "
                           "member %1 it reads %2 rows: the friend's and the member's own.").arg(asked + 1).arg(layer.read.size());
    m_steps.push_back(std::move(layer));

    const auto field = receptiveField(edges(), std::vector<std::int64_t>{asked}, std::max(2, m_layers));
    for (std::size_t hop = 2; hop < field.size(); ++hop) {
        StoryStep more;
        more.title = Texts::tr("%1 layers: friends of friends").arg(hop);
        more.computed = {asked};
        more.hops.assign(field.begin() + 1, field.begin() + static_cast<std::ptrdiff_t>(hop) + 1);
        more.text = Texts::tr("With %1 layers, the friends' rows must have been computed from their friends' rows first. For this one member, the rows of %2 of all %3 "
                              "members are needed.").arg(hop).arg(field[hop].size()).arg(m_graph.numNodes);
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
    batch.hops.assign(field.begin() + 1, field.end());
    const RowWork work = nodeWiseWork(edges(), layers, batchSize);
    batch.title = Texts::tr("Node by node: the same rows again and again");
    batch.text = Texts::tr("The usual way takes some members at a time, here %1, and computes all that their answers need, through all %2 layers: for this batch the rows of %3 "
                           "members in the layer before the last. The next batch needs most of them once more, and nothing of them was kept. For the whole club that is "
                           "%4 rows to compute, for %5 that differ.")
                     .arg(batchSize).arg(layers).arg(field[1].size()).arg(work.computed).arg(layers * m_graph.numNodes);
    m_steps.push_back(std::move(batch));
}

void Story::tellLayerWise()
{
    StoryStep idea;
    idea.title = Texts::tr("The idea: cut between the layers");
    idea.text = Texts::tr("Compute the first layer for everybody, and save the rows. Then the second layer for everybody, from what was saved. No row is computed twice, and a "
                          "batch never needs more than its direct friends. The lines between the functions of the model are these cuts; what lies on them is saved.");
    idea.stores.assign(static_cast<std::size_t>(m_layers), std::vector<char>(static_cast<std::size_t>(m_graph.numNodes)));
    std::vector<std::vector<char>> stores = idea.stores;
    m_steps.push_back(std::move(idea));

    const std::int64_t batches = (m_graph.numNodes + batchSize - 1) / batchSize;
    for (int layer = 1; layer <= m_layers; ++layer)
        for (std::int64_t b = 0; b < batches; ++b) {
            StoryStep step;
            step.function = layer;
            step.computed.resize(static_cast<std::size_t>(std::min(batchSize, m_graph.numNodes - b * batchSize)));
            std::iota(step.computed.begin(), step.computed.end(), b * batchSize);
            step.read = receptiveField(edges(), step.computed, 1).back();
            for (const std::int64_t node : step.computed)
                stores[static_cast<std::size_t>(layer) - 1][static_cast<std::size_t>(node)] = 1;
            step.stores = stores;
            step.title = Texts::tr("Function %1, batch %2 of %3").arg(layer).arg(b + 1).arg(batches);
            step.text = layer == 1 ? Texts::tr("Reads the features of %1 members, computes the first layer's rows of %2, and saves them.").arg(step.read.size()).arg(step.computed.size())
                                   : Texts::tr("Reads the saved rows of %1 members from the store of function %2, computes %3 rows of layer %4, and saves them.")
                                         .arg(step.read.size()).arg(layer - 1).arg(step.computed.size()).arg(layer);
            if (b + 1 == batches)
                step.text += u' ' + (layer < m_layers ? Texts::tr("Now the store of function %1 is full, and the one before it is not needed any more.").arg(layer)
                                                      : Texts::tr("These are the answers of the whole network, for everybody."));
            m_steps.push_back(std::move(step));
        }
}

}  // namespace cleave::views
