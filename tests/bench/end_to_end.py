#!/usr/bin/env python3
"""Cleave and its rivals on the same graphs, one after the other on the same machine; prints a table in Markdown.

    python3 end_to_end.py --cli build/dev/bin/cleave-cli --graphs GRAPH.npz … [--models sage2 gcn2 gat2] [--python 'python3' …] [--device cuda]

The rivals (rivals.py) run under each Python that is named, which needs PyTorch and NumPy, and PyTorch Geometric for its own layers. A graph without
features, or with others than the models' 128 columns, gets random ones: a copy of it with them is written into --scratch.
"""
import argparse
import itertools
import json
import pathlib
import shlex
import subprocess

HERE = pathlib.Path(__file__).parent
WIDTH = 128  # columns of the features that the models (make_models.py) take
WAYS = [("loop", "loop by layer"), ("loop-there", "loop by layer, all on the device"), ("full", "whole graph, scatter"), ("sparse", "whole graph, sparse product"), ("nodewise", "node-wise (extrapolated)"),
        ("pyg-loop", "PyG's layers by layer"), ("pyg-full", "PyG, whole graph, scatter"), ("pyg-sparse", "PyG, whole graph, sparse product")]


def with_features(graph: str, scratch: pathlib.Path) -> str:
    """The graph's file, or that of a copy with random features of the models' width."""
    import numpy  # here only: graphs that have features need none

    data = numpy.load(graph)
    if "x" in data and data["x"].shape[1] == WIDTH:
        return graph
    edges = data["edge_index"]
    nodes = int(data["num_nodes"]) if "num_nodes" in data else int(edges.max()) + 1
    scratch.mkdir(parents=True, exist_ok=True)
    copy = scratch / pathlib.Path(graph).name
    numpy.savez(copy, edge_index=edges, x=numpy.random.default_rng(0).standard_normal((nodes, WIDTH), dtype=numpy.float32))
    return str(copy)


def cleave(arguments, graph: str) -> dict:
    command = [arguments.cli, "bench", "--json", "--no-rivals", "--device", arguments.device, "--rounds", str(arguments.rounds), "--threads", str(arguments.threads), "--features", "random"]
    if arguments.batch_size:
        command += ["--batch-size", str(arguments.batch_size)]
    for model in arguments.models:
        command += ["--model", str(HERE / "models" / f"{model}.pt2")]
    runs = json.loads(subprocess.run(command + [graph], check=True, capture_output=True, text=True).stdout)["runs"]
    return {run["model"]: run for run in runs if run["run"] == "Cleave"}


def rivals(arguments, python: str, graph: str) -> list:
    command = shlex.split(python) + [str(HERE / "rivals.py"), graph, "--models", ",".join(arguments.models), "--ways", arguments.ways,
                                               "--threads", str(arguments.threads), "--device", arguments.device]
    if arguments.rival_batch_size:
        command += ["--batch-size", str(arguments.rival_batch_size)]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return [json.loads(line) for line in output.splitlines() if line.startswith("{")]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cli", required=True)
    parser.add_argument("--graphs", nargs="+", required=True)
    parser.add_argument("--models", nargs="+", default=["sage2", "gcn2", "gat2", "sage3", "gcn3", "gat3"])
    parser.add_argument("--python", nargs="+", default=["python3"])
    parser.add_argument("--ways", default="loop,full,sparse,nodewise")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--batch-size", type=int, default=0)
    parser.add_argument("--rival-batch-size", type=int, default=0, help="of the loops: a GPU wants large ones (65536)")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--scratch", type=pathlib.Path, default=pathlib.Path("build/e2e"))
    arguments = parser.parse_args()
    ways = [(way, title) for way, title in WAYS if way in arguments.ways.split(",")]
    print("| graph | model | Cleave | of it prologue | " + " | ".join(title for _, title in ways) + " | PyTorch |")
    print("|---|---|---|---|" + "---|" * (len(ways) + 1))
    for graph in arguments.graphs:
        graph = with_features(graph, arguments.scratch)
        ours, all_theirs = cleave(arguments, graph), [rivals(arguments, python, graph) for python in arguments.python]
        for model, theirs in itertools.product(arguments.models, all_theirs):
            run = ours[model]
            cells = []
            for way, _ in ways:
                rival = next((r for r in theirs if r["model"] == model and r["way"] == way), None)
                if rival is None:
                    cells.append("–")
                elif rival["seconds"] is None:
                    cells.append(rival.get("error", "failed"))
                else:
                    # What Cleave's prologue does counts for the rivals too: normalisation, and edges by target where the way needs them.
                    # On a device all ways but the loop do it themselves.
                    is_apart = arguments.device == "cpu" or way == "loop"
                    apart = rival["normalise_seconds"] if is_apart and way not in ("pyg-full", "pyg-sparse") else 0
                    seconds = rival["seconds"] + apart
                    seconds += rival["csr_seconds"] if is_apart and way in ("loop", "sparse", "nodewise", "pyg-loop") else 0
                    cells.append(f"{seconds:.3g} s = {seconds / run['seconds']:.3g} ×")
            version = next((r["torch"] for r in theirs), "?")
            print(f"| {pathlib.Path(graph).stem} | {model} | {run['seconds']:.3g} s | {run['prologue_seconds']:.2g} s | " + " | ".join(cells) +
                  f" | {version} |", flush=True)


if __name__ == "__main__":
    main()
