#!/usr/bin/env python3
"""Models of several relations on real graphs: Cleave against PyTorch Geometric's own layers.

    python3 relational.py rivals FOLDER GRAPH.npz …     # makes models and graphs in FOLDER and times PyTorch Geometric there (needs both)
    python3 relational.py table FOLDER --cli build/dev/bin/cleave-cli    # runs Cleave on the same files, compares the answers, prints Markdown

A GRAPH has edge_index, edge_type and num_nodes; with node_type and meta (JSON: node_types, edge_types or relations) also a model with a tensor for each type.
Rivals are one forward over the whole graph: RGCNConv goes relation by relation, gather, scatter, product; HeteroConv of SAGEConv likewise.
"""
import argparse
import json
import pathlib
import re
import subprocess
import time

WIDTHS = (64, 64, 32)


def timed(forward, rounds=3):
    seconds, result = [], None
    for _ in range(rounds):
        start = time.perf_counter()
        result = forward()
        seconds.append(time.perf_counter() - start)
    return min(seconds), result


def finish(folder, name, model, given, dynamic, arrays):
    import numpy
    import torch
    import torch_geometric

    # PyG may sort the edges by relation and multiply them all in one call, which torch.export cannot trace; the faster way counts.
    with torch.inference_mode():
        torch_geometric.backend.use_segment_matmul = None
        sorted_seconds, _ = timed(lambda: model(*given))
        torch_geometric.backend.use_segment_matmul = False
        seconds, expected = timed(lambda: model(*given))
    torch.export.save(torch.export.export(model, given, dynamic_shapes=dynamic), folder / f"{name}.pt2")
    numpy.savez(folder / f"{name}.npz", expected=expected.numpy(), **{key: value.numpy() for key, value in arrays.items()})
    (folder / f"{name}.json").write_text(json.dumps({"seconds": seconds, "sorted_seconds": sorted_seconds, "torch": torch.__version__}))
    print(f"{name}: {seconds:.3g} s, sorted {sorted_seconds:.3g} s", flush=True)


def rgcn(folder, name, graph):
    import torch
    from torch.export import Dim
    from torch_geometric.nn import RGCNConv

    class RGCN(torch.nn.Module):
        def __init__(self, relations):
            super().__init__()
            self.convs = torch.nn.ModuleList(RGCNConv(a, b, relations, num_bases=16) for a, b in zip(WIDTHS, WIDTHS[1:]))

        def forward(self, x, edge_index, edge_type):
            return self.convs[1](self.convs[0](x, edge_index, edge_type).relu(), edge_index, edge_type)

    torch.manual_seed(0)
    edges, types = torch.from_numpy(graph["edge_index"]), torch.from_numpy(graph["edge_type"]).long()
    nodes, count = Dim("nodes", min=2), Dim("edges", min=2)
    given = (torch.randn(int(graph["num_nodes"]), WIDTHS[0]), edges, types)
    finish(folder, name + "_rgcn", RGCN(int(types.max()) + 1).eval(), given, ({0: nodes}, {1: count}, {0: count}),
           dict(zip(("x", "edge_index", "edge_type"), given)))


def typed_sage(folder, name, graph, meta):
    import torch
    from torch.export import Dim
    from torch_geometric.nn import HeteroConv, SAGEConv

    names, node_type = meta["node_types"], torch.from_numpy(graph["node_type"]).long()
    edges, edge_type = torch.from_numpy(graph["edge_index"]), torch.from_numpy(graph["edge_type"]).long()
    place = torch.zeros_like(node_type)
    for t in range(len(names)):
        place[node_type == t] = torch.arange(int((node_type == t).sum()))
    torch.manual_seed(0)
    x = {n: torch.randn(int((node_type == t).sum()), WIDTHS[0]) for t, n in enumerate(names)}
    relations = {}
    for r, text in enumerate(meta.get("relations", meta.get("edge_types"))):
        own = edges[:, edge_type == r]
        words = re.split(r"[|]", text) if "|" in text else [text.split("-")[0], "to", text.split("-")[1]]
        if own.shape[1] > 1:
            relations[tuple(re.sub(r"\W", "_", word) for word in words)] = place[own]

    class Typed(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.convs = torch.nn.ModuleList(HeteroConv({r: SAGEConv((a, a), b) for r in relations}) for a, b in zip(WIDTHS, WIDTHS[1:]))

        def forward(self, x_dict, edge_index_dict):
            x_dict = {key: value.relu() for key, value in self.convs[0](x_dict, edge_index_dict).items()}
            return self.convs[1](x_dict, edge_index_dict)[names[0]]

    dynamic = ({n: {0: Dim.AUTO} for n in x}, {r: {1: Dim.AUTO} for r in relations})
    arrays = {f"x_{n}": value for n, value in x.items()} | {"edge_index_" + "_".join(r): value.contiguous() for r, value in relations.items()}
    finish(folder, name + "_typed_sage", Typed().eval(), (x, relations), dynamic, arrays)


def rivals(arguments):
    import numpy
    import torch

    torch.set_num_threads(arguments.threads)
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for path in arguments.graphs:
        graph = numpy.load(path)
        rgcn(arguments.folder, path.stem, graph)
        if "node_type" in graph and "meta" in graph:
            typed_sage(arguments.folder, path.stem, graph, json.loads(str(graph["meta"])))


def table(arguments):
    print("| model | Cleave | of it prologue | PyTorch Geometric | edges sorted | ratio | largest difference |\n|---|---|---|---|---|---|---|")
    for model in sorted(arguments.folder.glob("*.pt2")):
        graph, rival = model.with_suffix(".npz"), json.loads(model.with_suffix(".json").read_text())
        run = lambda *words: json.loads(subprocess.run([arguments.cli, *words, "--threads", str(arguments.threads), "--json"], capture_output=True, text=True).stdout)
        proof = run("verify", str(model), str(graph), "--expected", str(graph))
        ours = next(r for r in run("bench", "--rounds", str(arguments.rounds), "--model", str(model), str(graph))["runs"] if r["run"] == "Cleave")
        difference = max(c["max_absolute"] for c in proof["comparisons"])
        print(f"| {model.stem} | {ours['seconds']:.3g} s | {ours['prologue_seconds']:.2g} s | {rival['seconds']:.3g} s | {rival['sorted_seconds']:.3g} s | "
              f"{rival['seconds'] / ours['seconds']:.3g} × / {rival['sorted_seconds'] / ours['seconds']:.3g} × | "
              f"{difference:.2g}{'' if proof['equal'] else ', DIFFERENT'} |")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["rivals", "table"])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("graphs", nargs="*", type=pathlib.Path)
    parser.add_argument("--cli")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    (rivals if arguments.what == "rivals" else table)(arguments)


if __name__ == "__main__":
    main()
