#pragma once

#include <QString>
#include <cstdint>
#include <vector>

#include "core/graph/data_graph.h"
#include "core/graph/receptive_field.h"

namespace cleave::views {

enum class StoryKind : std::uint8_t { Tell, Compare, Predict };

/// One picture of the story and what is said about it.
struct StoryStep {
    StoryKind kind = StoryKind::Tell;
    QString title, text;
    std::vector<std::int64_t> computed;           ///< nodes whose rows are being computed
    std::vector<std::int64_t> read;               ///< whose rows are read for them
    std::vector<std::vector<std::int64_t>> hops;  ///< rings around the computed ones, in place of read
    int layer = 0;                                ///< whose rows the computed ones are
    int function = 0;                             ///< that runs; 0: none
    std::vector<std::vector<char>> stores;        ///< of each cut, which nodes' rows it holds
};

/// Why layer-wise inference works, told on Zachary's karate club with as many layers as the model has.
class Story {
public:
    explicit Story(int layers);                  ///< 1 to 6, each the function of its number
    explicit Story(std::vector<int> functions);  ///< that compute the layers, one after the other; the first six are told

    const std::vector<StoryStep>& steps() const { return m_steps; }
    const DataGraph& graph() const { return m_graph; }
    EdgeList edges() const;
    int layers() const { return m_layers; }
    const std::vector<int>& functions() const { return m_functions; }
    static constexpr std::int64_t batchSize = 12;

    struct Count {
        int layers = 0;
        RowWork nodeWise, layerWise;
    };
    std::vector<Count> counts() const;  ///< rows of both ways, for 1 to 6 layers

private:
    void tellGraph();
    void tellNodeWise();
    void tellLayerWise();

    DataGraph m_graph;
    std::vector<int> m_functions;
    int m_layers;
    std::vector<StoryStep> m_steps;
};

}  // namespace cleave::views
