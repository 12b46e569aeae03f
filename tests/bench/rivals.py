#!/usr/bin/env python3
"""What people run today, on the same graph and with the same widths as the benchmark models (make_models.py).

    python3 rivals.py GRAPH.npz [--models sage2,gcn2,…] [--ways loop,full,sparse,nodewise,pyg-loop,pyg-full,pyg-sparse] [--threads N] [--device cuda]

loop      layer by layer in batches of nodes with all their neighbours: subgraph by relabelling, gather, scatter_add (PyG's inference examples)
full      the whole graph at once, gather and scatter_add (PyG's path without a sparse tensor)
sparse    the whole graph at once, product with a CSR matrix (PyG's path with a sparse tensor); not for attention
nodewise  each batch of targets by itself with all its K hops, for some batches, extrapolated to all nodes
pyg-…     the first three with PyTorch Geometric's own layers, which take the place of the lines here; normalisation is part of them where they do it
loop-there  the loop with all rows, edges and batches on the device, where they fit (the loop keeps rows in the host's memory, cuts blocks there and
          sends each batch's rows, as PyG's examples do)

With --device the graph begins in the host's memory and the answer ends there; copies count, and loop-there, full and sparse do all there, the order of
edges by target too.

Plain PyTorch, 1.13 or newer; PyTorch Geometric for the last. Ways that need what is not there are left out. Prints a line of JSON for each; seconds are those of the run without building the CSR, which is told apart.
"""
import argparse
import json
import time

import numpy
import torch
from torch import Tensor


ENOUGH_SECONDS = 10  # after which a way is not run once more


def scatter_sum(rows: Tensor, index: Tensor, size: int) -> Tensor:
    out = rows.new_zeros((size,) + rows.shape[1:])
    return out.scatter_add_(0, index.view((-1,) + (1,) * (rows.dim() - 1)).expand_as(rows), rows)


def softmax(scores: Tensor, index: Tensor, size: int) -> Tensor:
    wide = index.view(-1, 1).expand_as(scores)
    most = scores.new_zeros(size, scores.shape[1]).scatter_reduce_(0, wide, scores, "amax", include_self=False)
    scores = (scores - most.index_select(0, index)).exp()
    return scores / (scatter_sum(scores, index, size) + 1e-16).index_select(0, index)


class Sage:
    def __init__(self, width: int, out: int):
        self.left, self.right, self.bias = torch.randn(out, width), torch.randn(out, width), torch.randn(out)

    def prepare(self, edges: Tensor, nodes: int):
        return edges, torch.ones(edges.shape[1], device=edges.device), None

    def __call__(self, x: Tensor, targets: int, source: Tensor, target: Tensor, weight: Tensor) -> Tensor:
        total = scatter_sum(x.index_select(0, source), target, targets)
        mean = total / scatter_sum(weight, target, targets).clamp(min=1).view(-1, 1)
        return torch.nn.functional.linear(mean, self.left, self.bias) + torch.nn.functional.linear(x[:targets], self.right)

    def sparse(self, x: Tensor, matrix: Tensor, degree: Tensor) -> Tensor:
        mean = (matrix @ x) / degree.clamp(min=1).view(-1, 1)
        return torch.nn.functional.linear(mean, self.left, self.bias) + torch.nn.functional.linear(x, self.right)


class Gcn:
    def __init__(self, width: int, out: int):
        self.weight, self.bias = torch.randn(out, width), torch.randn(out)

    def prepare(self, edges: Tensor, nodes: int):
        edges = edges[:, edges[0] != edges[1]]
        loops = torch.arange(nodes, device=edges.device)
        edges = torch.cat([edges, torch.stack([loops, loops])], 1)
        scale = scatter_sum(torch.ones(edges.shape[1], device=edges.device), edges[1], nodes).pow(-0.5)
        return edges, scale[edges[0]] * scale[edges[1]], None

    def __call__(self, x: Tensor, targets: int, source: Tensor, target: Tensor, weight: Tensor) -> Tensor:
        x = torch.nn.functional.linear(x, self.weight)
        return scatter_sum(x.index_select(0, source) * weight.view(-1, 1), target, targets) + self.bias

    def sparse(self, x: Tensor, matrix: Tensor, degree: Tensor) -> Tensor:
        return matrix @ torch.nn.functional.linear(x, self.weight) + self.bias


class Gat:
    sparse = None

    def __init__(self, width: int, out: int, heads: int):
        self.heads, self.weight, self.bias = heads, torch.randn(out, width), torch.randn(out)
        self.source, self.target = torch.randn(1, heads, out // heads), torch.randn(1, heads, out // heads)

    def prepare(self, edges: Tensor, nodes: int):
        edges = edges[:, edges[0] != edges[1]]
        loops = torch.arange(nodes, device=edges.device)
        edges = torch.cat([edges, torch.stack([loops, loops])], 1)
        return edges, torch.ones(edges.shape[1], device=edges.device), None

    def __call__(self, x: Tensor, targets: int, source: Tensor, target: Tensor, weight: Tensor) -> Tensor:
        x = torch.nn.functional.linear(x, self.weight).view(x.shape[0], self.heads, -1)
        score = (x * self.source).sum(-1).index_select(0, source) + (x[:targets] * self.target).sum(-1).index_select(0, target)
        alpha = softmax(torch.nn.functional.leaky_relu(score, 0.2), target, targets)
        return scatter_sum(x.index_select(0, source) * alpha.unsqueeze(-1), target, targets).flatten(1) + self.bias


def layers(name: str, width: int) -> list:
    widths = [width] + [128] * (int(name[-1]) - 1) + [32]
    if name.startswith("gat"):
        return [Gat(a, b, 1 if i == len(widths) - 2 else 4) for i, (a, b) in enumerate(zip(widths, widths[1:]))]
    return [{"sage": Sage, "gcn": Gcn}[name[:-1]](a, b) for a, b in zip(widths, widths[1:])]


class Csr:
    """Edges by target."""

    def __init__(self, edges: Tensor, weight: Tensor, nodes: int):
        order = edges[1].argsort(stable=True)
        self.source, self.weight = edges[0][order], weight[order]
        self.begin = torch.zeros(nodes + 1, dtype=torch.long, device=edges.device)
        torch.cumsum(torch.bincount(edges[1], minlength=nodes), 0, out=self.begin[1:])

    def block(self, targets: Tensor):
        """Nodes of the block, targets first, and its edges in their numbers."""
        first, last = self.begin[targets], self.begin[targets + 1]
        count = last - first
        place = targets.device
        target = torch.repeat_interleave(torch.arange(len(targets), device=place), count)
        edge = torch.arange(int(count.sum()), device=place) - torch.repeat_interleave(count.cumsum(0) - count, count) + first[target]
        source = self.source[edge]
        both = torch.cat([targets, source])
        nodes, inverse = torch.unique(both, return_inverse=True)
        first_at = torch.full((len(nodes),), len(both), dtype=torch.long, device=place)
        order = first_at.scatter_reduce_(0, inverse, torch.arange(len(both), device=place), "amin").argsort()
        number = torch.empty_like(order).scatter_(0, order, torch.arange(len(order), device=place))
        return nodes[order], number[inverse[len(targets):]], target, self.weight[edge]


def by_layer(model: list, x: Tensor, csr: Csr, batch: int, device: str = "cpu") -> Tensor:
    nodes = x.shape[0]
    for depth, layer in enumerate(model):
        rows = []
        for first in range(0, nodes, batch):
            targets = torch.arange(first, min(nodes, first + batch), device=x.device)
            block, source, target, weight = csr.block(targets)
            out = layer(x[block].to(device), len(targets), source.to(device), target.to(device), weight.to(device))
            rows.append((out if depth == len(model) - 1 else out.relu()).to(x.device))
        x = torch.cat(rows)
    return x


def node_wise(model: list, x: Tensor, csr: Csr, targets: Tensor) -> Tensor:
    blocks, nodes = [], targets
    for _ in model:
        blocks.append((len(nodes), *csr.block(nodes)))
        nodes = blocks[-1][1]
    h = x[nodes]
    for depth, (layer, (count, _, source, target, weight)) in enumerate(zip(model, reversed(blocks))):
        h = layer(h, count, source, target, weight)
        h = h if depth == len(model) - 1 else h.relu()
    return h


def whole(model: list, x: Tensor, edges: Tensor, weight: Tensor) -> Tensor:
    for depth, layer in enumerate(model):
        x = layer(x, x.shape[0], edges[0], edges[1], weight)
        x = x if depth == len(model) - 1 else x.relu()
    return x


def product(model: list, x: Tensor, csr: Csr) -> Tensor:
    nodes = x.shape[0]
    # PyTorch 1.13 checks for edges that are there twice, which do not matter here.
    make = torch.sparse_csr_tensor if int(torch.__version__.split(".")[0]) > 1 else torch._sparse_csr_tensor_unsafe
    matrix = make(csr.begin, csr.source, csr.weight, (nodes, nodes))
    degree = (csr.begin[1:] - csr.begin[:-1]).float()
    for depth, layer in enumerate(model):
        x = layer.sparse(x, matrix, degree)
        x = x if depth == len(model) - 1 else x.relu()
    return x


class PyG:
    """The same model of PyTorch Geometric's layers."""

    def __init__(self, name: str, width: int):
        from torch_geometric import nn
        self.kind = name[:-1]
        widths = [width] + [128] * (int(name[-1]) - 1) + [32]
        self.layers = []
        for i, (a, b) in enumerate(zip(widths, widths[1:])):
            if self.kind == "sage":
                self.layers.append(nn.SAGEConv(a, b))
            elif self.kind == "gcn":
                self.layers.append(nn.GCNConv(a, b))
            else:
                heads = 1 if i == len(widths) - 2 else 4
                self.layers.append(nn.GATConv(a, b // heads, heads=heads))
        for layer in self.layers:
            layer.eval()

    def by_layer(self, x: Tensor, csr: Csr, batch: int) -> Tensor:
        """Loops are among the edges where a layer adds them, and GCN's weights come with the block, which does not know all degrees."""
        for depth, layer in enumerate(self.layers):
            rows = []
            for first in range(0, x.shape[0], batch):
                targets = torch.arange(first, min(x.shape[0], first + batch))
                block, source, target, weight = csr.block(targets)
                edges = torch.stack([source, target])
                if self.kind == "gcn":
                    layer.normalize = False
                    out = layer(x[block], edges, weight)[:len(targets)]
                else:
                    if self.kind == "gat":
                        layer.add_self_loops = False
                    out = layer((x[block], x[targets]), edges)
                rows.append(out if depth == len(self.layers) - 1 else out.relu())
            x = torch.cat(rows)
        return x

    def whole(self, x: Tensor, edges) -> Tensor:
        for depth, layer in enumerate(self.layers):
            x = layer(x, edges)
            x = x if depth == len(self.layers) - 1 else x.relu()
        return x


def run_pyg(way: str, name: str, x: Tensor, given: Tensor, csr: Csr, batch: int) -> bool:
    """False where the way is not there."""
    try:
        model = PyG(name, x.shape[1])
    except ImportError:
        return False
    if way == "pyg-loop":
        model.by_layer(x, csr, batch)
    elif way == "pyg-full":
        model.whole(x, given)
    elif model.kind == "gat":
        return False
    else:
        from torch_geometric.utils import to_torch_csr_tensor
        model.whole(x, to_torch_csr_tensor(given.flip(0), size=(x.shape[0], x.shape[0])))
    return True


def run_on_device(way: str, model: list, x: Tensor, given: Tensor, csr, batch_size: int, device: str) -> bool:
    """From the host's memory and back to it; but for the loop, normalisation and the order of edges by target are the device's work too."""
    if way == "loop":
        by_layer(model, x, csr, batch_size, device)
        return True
    x = x.to(device)
    edges, weight, _ = model[0].prepare(given.to(device), x.shape[0])
    if way == "loop-there":
        by_layer(model, x, Csr(edges, weight, x.shape[0]), batch_size, device).cpu()
    elif way == "full":
        whole(model, x, edges, weight).cpu()
    elif way == "sparse":
        product(model, x, Csr(edges, weight, x.shape[0])).cpu()
    else:
        return False
    return True


def move(model: list, device: str):
    for layer in model:
        for name, value in vars(layer).items():
            if torch.is_tensor(value):
                setattr(layer, name, value.to(device))


def fastest(rounds: int, call) -> tuple:
    """Seconds of the fastest of several calls, and what the last one returned."""
    least, began = None, time.perf_counter()
    for _ in range(rounds):
        start = time.perf_counter()
        result = call()
        end = time.perf_counter()
        least = end - start if least is None else min(least, end - start)
        if end - began > ENOUGH_SECONDS:
            break
    return least, result


def run(way: str, name: str, model: list, x: Tensor, given: Tensor, edges: Tensor, weight: Tensor, csr: Csr, batch_size: int, extra: dict,
        device: str) -> bool:
    """Runs one way once; False if this PyTorch cannot. What only a part of the nodes was run for is told in extra."""
    if device != "cpu":
        return run_on_device(way, model, x, given, csr, batch_size, device)
    if way == "loop":
        by_layer(model, x, csr, batch_size)
    elif way == "full":
        whole(model, x, edges, weight)
    elif way == "sparse":
        product(model, x, csr)
    elif way.startswith("pyg"):
        return run_pyg(way, name, x, given, csr, batch_size)
    else:
        nodes, sample, batches = x.shape[0], 1000, 2
        for k in range(batches):
            node_wise(model, x, csr, torch.arange(min(nodes, k * sample), min(nodes, (k + 1) * sample)))
        extra["extrapolated_from"] = min(nodes, sample * batches)
    return True


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("graph")
    parser.add_argument("--models", default="sage2,gcn2,gat2")
    parser.add_argument("--ways", default="loop,full,sparse,nodewise")
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    parser.add_argument("--batch-size", type=int, default=4096)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--rounds", type=int, default=3, help="runs of each way, of which the fastest counts; no more once it has taken a while")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    data = numpy.load(arguments.graph)
    x, given = torch.from_numpy(data["x"]), torch.from_numpy(data["edge_index"])
    nodes = x.shape[0]
    with torch.inference_mode():
        for name in arguments.models.split(","):
            torch.manual_seed(0)
            model = layers(name, x.shape[1])
            normalising = grouping = 0
            edges = weight = csr = None
            if arguments.device == "cpu" or "loop" in arguments.ways.split(","):
                normalising, (edges, weight, _) = fastest(arguments.rounds, lambda: model[0].prepare(given, nodes))
                grouping, csr = fastest(arguments.rounds, lambda: Csr(edges, weight, nodes))
            if arguments.device != "cpu":
                move(model, arguments.device)
            for way in arguments.ways.split(","):
                if way == "sparse" and model[0].sparse is None:
                    continue
                extra = {}
                try:
                    seconds, there = fastest(arguments.rounds, lambda: run(way, name, model, x, given, edges, weight, csr, arguments.batch_size, extra,
                                                              arguments.device))
                    if not there:
                        continue
                    if extra:
                        seconds *= nodes / extra["extrapolated_from"]
                except (RuntimeError, MemoryError) as error:
                    seconds, extra = None, {"error": str(error).splitlines()[0][:120]}
                print(json.dumps({"graph": arguments.graph.split("/")[-1], "model": name, "way": way, "seconds": seconds,
                                  "normalise_seconds": normalising, "csr_seconds": grouping, "torch": torch.__version__,
                                  "threads": arguments.threads, "batch_size": arguments.batch_size, "device": arguments.device, **extra}),
                      flush=True)


if __name__ == "__main__":
    main()
