#!/usr/bin/env python3
"""Makes the models that the benchmarks run: PyG's own layers, exported with dynamic numbers of nodes and edges.

    python3 make_models.py [FOLDER]        needs PyTorch 2.8 or newer and PyTorch Geometric
"""
import pathlib
import sys

import torch
from torch_geometric.nn import GATConv, GCNConv, SAGEConv


class Net(torch.nn.Module):
    def __init__(self, convs):
        super().__init__()
        self.convs = torch.nn.ModuleList(convs)

    def forward(self, x, edge_index):
        for conv in self.convs[:-1]:
            x = conv(x, edge_index).relu()
        return self.convs[-1](x, edge_index)


def layers(kind, widths):
    if kind == "gat":
        last = len(widths) - 2
        return [GATConv(widths[i] if i == 0 else widths[i], widths[i + 1] if i == last else widths[i + 1] // 4, heads=1 if i == last else 4)
                for i in range(last + 1)]
    conv = {"gcn": GCNConv, "sage": SAGEConv}[kind]
    return [conv(a, b) for a, b in zip(widths, widths[1:])]


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent / "models")
    folder.mkdir(exist_ok=True)
    nodes, edges = torch.export.Dim("nodes", min=2), torch.export.Dim("edges", min=2)
    for kind in ("gcn", "sage", "gat"):
        for depth in (2, 3):
            torch.manual_seed(0)
            widths = [128] * depth + [32]
            model = Net(layers(kind, widths)).eval()
            x, edge_index = torch.randn(50, 128), torch.randint(50, (2, 301))
            program = torch.export.export(model, (x, edge_index), dynamic_shapes={"x": {0: nodes}, "edge_index": {1: edges}})
            torch.export.save(program, folder / f"{kind}{depth}.pt2")


if __name__ == "__main__":
    main()
