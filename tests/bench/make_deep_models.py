#!/usr/bin/env python3
"""Makes large models for the benchmark of the graph view: "deep" has many message-passing layers whose outputs JumpingKnowledge concatenates, "wide" has
three layers with many parallel heads of linear layers between them. All layers share one edge_index.

    python3 make_deep_models.py FOLDER [OPS ...]       needs PyTorch 2.8 or newer and PyTorch Geometric; minutes for 20000 ops
"deep" ones of more than 6,000 operators one behind another after clean-up are refused by Cleave.
"""
import pathlib
import sys

import torch
from torch_geometric.nn import JumpingKnowledge, SAGEConv

WIDTH = 8


class Deep(torch.nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.convs = torch.nn.ModuleList(SAGEConv(WIDTH, WIDTH) for _ in range(layers))
        self.norms = torch.nn.ModuleList(torch.nn.LayerNorm(WIDTH) for _ in range(layers))
        self.jump = JumpingKnowledge("cat")
        self.last = torch.nn.Linear(WIDTH * ((layers + 7) // 8), 4)

    def forward(self, x, edge_index):
        seen = []
        for i, (conv, norm) in enumerate(zip(self.convs, self.norms)):
            x = x + norm(conv(x, edge_index)).relu()
            if i % 8 == 0:
                seen.append(x)
        return self.last(self.jump(seen))


class Head(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(WIDTH, WIDTH)
        self.norm = torch.nn.LayerNorm(WIDTH)
        self.second = torch.nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        return x + self.second(self.norm(self.first(x)).relu()).sigmoid()


class Wide(torch.nn.Module):
    def __init__(self, heads):
        super().__init__()
        self.convs = torch.nn.ModuleList(SAGEConv(WIDTH, WIDTH) for _ in range(3))
        self.heads = torch.nn.ModuleList(torch.nn.ModuleList(Head() for _ in range(heads)) for _ in range(3))

    def forward(self, x, edge_index):
        for conv, heads in zip(self.convs, self.heads):
            x = conv(x, edge_index).relu()
            x = torch.stack([head(x) for head in heads]).mean(0)
        return x


def export(model, path):
    nodes, edges = torch.export.Dim("nodes", min=2), torch.export.Dim("edges", min=2)
    x, edge_index = torch.randn(50, WIDTH), torch.randint(50, (2, 301))
    program = torch.export.export(model.eval(), (x, edge_index), dynamic_shapes={"x": {0: nodes}, "edge_index": {1: edges}})
    torch.export.save(program, path)
    print(path, sum(node.op == "call_function" for node in program.graph.nodes), "ops", flush=True)


def main():
    sys.setrecursionlimit(100_000)
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(exist_ok=True)
    for ops in [int(text) for text in sys.argv[2:]] or [30, 1000, 5000, 20000]:
        torch.manual_seed(0)
        export(Deep(max(1, ops // 20)), folder / f"deep_{ops}.pt2")
        export(Wide(max(1, (ops - 40) // 18)), folder / f"wide_{ops}.pt2")


if __name__ == "__main__":
    main()
