#!/usr/bin/env python3
"""Models whose edges have rows of their own: Cleave against one forward of the whole graph in PyTorch.

    python3 edge_states.py rivals FOLDER      # makes models and a graph in FOLDER and times PyTorch there
    python3 edge_states.py table FOLDER --cli build/dev/bin/cleave-cli    # runs Cleave on the same files, compares the answers, prints Markdown

Mesh graph networks of three and ten steps, D-MPNN with four, and sums of triplets as in DimeNet; 64 columns. Random edges, each with its opposite.
"""
import argparse
import json
import pathlib
import subprocess
import time

WIDTH = 64
OTHERS = "transform-first,aggregate-first,sum-linears,merge-linears,fold-batch-norm,one-gather"


def models():
    import torch
    from torch import nn

    def mlp(width):
        return nn.Sequential(nn.Linear(width, WIDTH), nn.ReLU(), nn.Linear(WIDTH, WIDTH), nn.LayerNorm(WIDTH))

    def total(rows, at, count):
        return torch.zeros(count, WIDTH).index_add_(0, at, rows)

    class Mesh(nn.Module):
        def __init__(self, steps):
            super().__init__()
            self.node, self.edge, self.last = mlp(12), mlp(4), nn.Linear(WIDTH, 3)
            self.edges, self.nodes = nn.ModuleList(mlp(3 * WIDTH) for _ in range(steps)), nn.ModuleList(mlp(2 * WIDTH) for _ in range(steps))

        def forward(self, x, edge_index, edge_attr):
            x, e, (j, i) = self.node(x), self.edge(edge_attr), edge_index
            for edge, node in zip(self.edges, self.nodes):
                e = e + edge(torch.cat([e, x[j], x[i]], 1))
                x = x + node(torch.cat([x, total(e, i, x.size(0))], 1))
            return self.last(x)

    class DirectedMessages(nn.Module):
        def __init__(self, steps=4):
            super().__init__()
            self.first, self.again, self.last = nn.Linear(16, WIDTH), nn.Linear(WIDTH, WIDTH), nn.Linear(12 + WIDTH, 3)
            self.steps = steps

        def forward(self, x, edge_index, edge_attr, opposite):
            j, i = edge_index
            h = first = self.first(torch.cat([x[j], edge_attr], 1)).relu()
            for _ in range(self.steps):
                h = (first + self.again(total(h, i, x.size(0))[j] - h[opposite])).relu()
            return self.last(torch.cat([x, total(h, i, x.size(0))], 1))

    class Triplets(nn.Module):
        def __init__(self, steps=2):
            super().__init__()
            self.first, self.last = nn.Linear(2 * 12 + 4, WIDTH), nn.Linear(WIDTH, 3)
            self.own, self.before = (nn.ModuleList(nn.Linear(WIDTH, WIDTH) for _ in range(steps)) for _ in range(2))

        def forward(self, x, edge_index, edge_attr, before, after, angle):
            j, i = edge_index
            m = self.first(torch.cat([x[i], x[j], edge_attr], 1)).relu()
            for own, lin in zip(self.own, self.before):
                m = m + (own(m) + total(lin(m)[before] * angle, after, m.size(0))).relu()
            return self.last(total(m, i, x.size(0)))

    return {"mesh3": lambda: Mesh(3), "mesh10": lambda: Mesh(10), "dmpnn4": DirectedMessages, "triplets2": Triplets}


def graph(nodes, edges):
    import torch

    generator = torch.Generator().manual_seed(1)
    pairs = torch.randint(0, nodes, (2, edges // 2), generator=generator)
    half, edge_index = torch.arange(edges // 2), torch.cat([pairs, pairs.flip(0)], 1)
    # Edges k -> j before edges j -> i: for each edge, those that end where it begins, but for its opposite.
    order = torch.argsort(edge_index[1], stable=True)
    begin = torch.zeros(nodes + 1, dtype=torch.long)
    begin[1:] = torch.bincount(edge_index[1], minlength=nodes).cumsum(0)
    count = (begin[1:] - begin[:-1])[edge_index[0]]
    after = torch.arange(2 * half.numel()).repeat_interleave(count)
    before = order[begin[edge_index[0]].repeat_interleave(count) + torch.arange(after.numel()) - (count.cumsum(0) - count).repeat_interleave(count)]
    opposite = torch.cat([half + half.numel(), half])
    kept = before != opposite[after]
    return {"x": torch.randn(nodes, 12, generator=generator), "edge_index": edge_index, "edge_attr": torch.randn(edge_index.shape[1], 4, generator=generator),
            "opposite": opposite, "before": before[kept], "after": after[kept], "angle": torch.randn(int(kept.sum()), 1, generator=generator)}


def rivals(arguments):
    import inspect

    import numpy
    import torch
    from torch.export import Dim

    torch.set_num_threads(arguments.threads)
    arguments.folder.mkdir(parents=True, exist_ok=True)
    small, whole = graph(50, 400), graph(arguments.nodes, arguments.edges)
    for name, make in models().items():
        torch.manual_seed(0)
        model = make().eval()
        names = list(inspect.signature(model.forward).parameters)
        dynamic = {n: {1 if n == "edge_index" else 0: Dim.AUTO} for n in names}
        torch.export.save(torch.export.export(model, (), {n: small[n] for n in names}, dynamic_shapes=dynamic), arguments.folder / f"{name}.pt2")
        seconds = []
        with torch.inference_mode():
            for _ in range(3):
                start = time.perf_counter()
                expected = model(**{n: whole[n] for n in names})
                seconds.append(time.perf_counter() - start)
        numpy.savez(arguments.folder / f"{name}.npz", expected=expected.numpy(), **{n: whole[n].numpy() for n in names})
        (arguments.folder / f"{name}.json").write_text(json.dumps({"seconds": min(seconds), "torch": torch.__version__}))
        print(f"{name}: {min(seconds):.3g} s", flush=True)


def table(arguments):
    print("| model | Cleave | rows of edges computed again | PyTorch, whole graph | ratio | largest difference |\n|---|---|---|---|---|---|")
    for model in sorted(arguments.folder.glob("*.pt2")):
        of_graph, rival = model.with_suffix(".npz"), json.loads(model.with_suffix(".json").read_text())
        run = lambda *words: json.loads(subprocess.run([arguments.cli, *words, "--threads", str(arguments.threads), "--json"], capture_output=True, text=True, check=True).stdout)
        proof = run("verify", str(model), str(of_graph), "--expected", str(of_graph))
        bench = lambda *words: next(r for r in run("bench", "--rounds", str(arguments.rounds), "--model", str(model), str(of_graph), *words)["runs"] if r["run"] == "Cleave")["seconds"]
        ours, again = bench(), bench("--rewrite", OTHERS)
        difference = max(c["max_absolute"] for c in proof["comparisons"])
        print(f"| {model.stem} | {ours:.3g} s | {again:.3g} s | {rival['seconds']:.3g} s | {rival['seconds'] / ours:.3g} × | "
              f"{difference:.2g}{'' if proof['equal'] else ', DIFFERENT'} |", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["rivals", "table"])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--cli")
    parser.add_argument("--nodes", type=int, default=50_000)
    parser.add_argument("--edges", type=int, default=400_000)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    (rivals if arguments.what == "rivals" else table)(arguments)


if __name__ == "__main__":
    main()
