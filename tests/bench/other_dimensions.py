#!/usr/bin/env python3
"""Models whose nodes lie behind other dimensions (graphs side by side, time steps): Cleave against one forward of the whole graph in PyTorch.

    python3 other_dimensions.py rivals FOLDER    # makes models and graphs in FOLDER and times PyTorch and PyTorch Geometric there
    python3 other_dimensions.py table FOLDER --cli build/dev/bin/cleave-cli   # runs Cleave on the same files, compares the answers, prints Markdown

GCN and SAGE on eight static graphs of one structure; STGCN on four series of twelve steps; Graph WaveNet, which multiplies by a dense adjacency matrix
[V, V], on a tenth of the nodes. 16 random edges for each node.
"""
import argparse
import json
import pathlib
import subprocess
import time

WIDTH = 32


def models():
    import torch
    import torch_geometric.nn as pyg
    from torch import nn

    class Static(nn.Module):
        def __init__(self, make):
            super().__init__()
            self.first, self.last = make(16, WIDTH), make(WIDTH, WIDTH)

        def forward(self, x, edge_index):
            return self.last(self.first(x, edge_index).relu(), edge_index)

    class TimeSteps(nn.Module):
        def __init__(self):
            super().__init__()
            self.before, self.behind = nn.Conv2d(2, 2 * WIDTH, (1, 3)), nn.Conv2d(WIDTH, 2 * WIDTH, (1, 3))
            self.conv, self.last = pyg.ChebConv(WIDTH, WIDTH, 2, node_dim=-2), nn.Linear(WIDTH, 1)

        def along_time(self, conv, x):
            return nn.functional.glu(conv(x.permute(0, 3, 2, 1)), 1).permute(0, 3, 2, 1)

        def forward(self, x, edge_index):
            return self.last(self.along_time(self.behind, self.conv(self.along_time(self.before, x), edge_index).relu())[:, -1])

    class WaveNet(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.last = nn.Conv2d(2, WIDTH, 1), nn.Conv2d(WIDTH, 1, 1)
            self.gates = nn.ModuleList(nn.Conv2d(WIDTH, 2 * WIDTH, (1, 2), dilation=(1, d)) for d in (1, 2, 1, 2))
            self.mixes = nn.ModuleList(nn.Conv2d(3 * WIDTH, WIDTH, 1) for _ in range(4))

        def forward(self, x, adj):
            x = self.first(x)
            for gate, mix in zip(self.gates, self.mixes):
                value, sigmoid = gate(x).chunk(2, 1)
                hops = [value.tanh() * sigmoid.sigmoid()]
                for _ in range(2):
                    hops.append(torch.einsum("ncvl,vw->ncwl", hops[-1], adj))
                x = mix(torch.cat(hops, 1)) + x[:, :, :, -hops[0].size(3):]
            return self.last(x.relu())

    return {"static_gcn": (lambda: Static(pyg.GCNConv), (8, "V", 16)), "static_sage": (lambda: Static(pyg.SAGEConv), (8, "V", 16)),
            "time_steps": (TimeSteps, (4, 12, "V", 2)), "wave_net": (WaveNet, (4, 2, "V", 12))}


def graph(name, shape, nodes):
    import torch

    generator = torch.Generator().manual_seed(1)
    edge_index = torch.unique(torch.randint(0, nodes, (2, 16 * nodes), generator=generator), dim=1)
    made = {"x": torch.randn([nodes if size == "V" else size for size in shape], generator=generator), "edge_index": edge_index}
    if name == "wave_net":
        made["edge_weight"] = torch.rand(edge_index.shape[1], generator=generator) / 16
        made["adj"] = torch.zeros(nodes, nodes).index_put((edge_index[1], edge_index[0]), made["edge_weight"])
    return made


def rivals(arguments):
    import numpy
    import torch
    from torch.export import Dim

    torch.set_num_threads(arguments.threads)
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for name, (make, shape) in models().items():
        torch.manual_seed(0)
        model, nodes = make().eval(), arguments.nodes // 10 if name == "wave_net" else arguments.nodes
        small, whole = graph(name, shape, 50), graph(name, shape, nodes)
        second = "adj" if name == "wave_net" else "edge_index"
        count = Dim("nodes", min=2)
        dynamic = {"x": {0: Dim.AUTO, shape.index("V"): count}, second: {0: count, 1: count} if name == "wave_net" else {1: Dim.AUTO}}
        torch.export.save(torch.export.export(model, (), {n: small[n] for n in dynamic}, dynamic_shapes=dynamic), arguments.folder / f"{name}.pt2")
        seconds = []
        with torch.inference_mode():
            for _ in range(3):
                start = time.perf_counter()
                expected = model(**{n: whole[n] for n in dynamic})
                seconds.append(time.perf_counter() - start)
        numpy.savez(arguments.folder / f"{name}.npz", num_nodes=nodes, expected=expected.numpy(), **{n: t.numpy() for n, t in whole.items() if n != "adj"})
        (arguments.folder / f"{name}.json").write_text(json.dumps({"seconds": min(seconds), "torch": torch.__version__}))
        print(f"{name}: {min(seconds):.3g} s", flush=True)


def table(arguments):
    print("| model | Cleave | rows where they were | PyTorch, whole graph | ratio | largest difference |\n|---|---|---|---|---|---|")
    for model in sorted(arguments.folder.glob("*.pt2")):
        of_graph, rival = model.with_suffix(".npz"), json.loads(model.with_suffix(".json").read_text())
        run = lambda *words: json.loads(subprocess.run([arguments.cli, *words, "--threads", str(arguments.threads), "--json"], capture_output=True, text=True, check=True).stdout)
        proof = run("verify", str(model), str(of_graph), "--expected", str(of_graph))
        bench = lambda *words: next(r for r in run("bench", "--rounds", str(arguments.rounds), "--model", str(model), str(of_graph), *words)["runs"] if r["run"] == "Cleave")["seconds"]
        ours, traced = bench(), bench("--rewrite", "none")
        difference = max(c["max_absolute"] for c in proof["comparisons"])
        print(f"| {model.stem} | {ours:.3g} s | {traced:.3g} s | {rival['seconds']:.3g} s | {rival['seconds'] / ours:.3g} × | "
              f"{difference:.2g}{'' if proof['equal'] else ', DIFFERENT'} |", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["rivals", "table"])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--cli")
    parser.add_argument("--nodes", type=int, default=100_000)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    (rivals if arguments.what == "rivals" else table)(arguments)


if __name__ == "__main__":
    main()
