#!/usr/bin/env python3
"""Every model of the zoo on its graph repeated side by side: the cut model beside the uncut one, with answers compared.

    python3 repeated_graphs.py --cli build/dev/bin/cleave-cli [--times 300] [--models gcn gat …] [--kernels none]

A graph of 60 nodes and 301 edges becomes one of 18,000 and 90,300, which fits a processor's cache: here it shows what is lost besides the arithmetic. Models
whose inputs cannot be repeated so simply (several types of nodes, pointers, learned rows of nodes) are left out. Prints a table in Markdown, the models that
gain least first, and ends with 1 if answers differ.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

ZOO = pathlib.Path(__file__).parent.parent / "models/zoo"


def repeated(arrays: dict, times: int) -> dict | None:
    """The graph so many times side by side; None where it is not known how."""
    rows = next((arrays[name].shape[0] for name in ("x", "pos", "z") if name in arrays), None)
    if rows is None:
        return None
    indices = {name for name, a in arrays.items() if a.ndim == 2 and a.shape[0] == 2 and a.dtype.kind == "i" and "edge" in name}
    edges = {arrays[name].shape[1] for name in indices}
    found = {}
    for name, a in arrays.items():
        if name in indices:
            found[name] = np.concatenate([a + rows * i for i in range(times)], 1)
        elif name == "num_nodes":
            found[name] = a * times
        elif name == "batch" and a.shape == (rows,):
            found[name] = np.sort(np.concatenate([a] * times))
        elif a.ndim and (a.shape[0] == rows or a.shape[0] in edges):
            found[name] = np.concatenate([a] * times)
        elif not name.startswith("expected"):
            found[name] = a
    return found


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--cli", required=True)
    parser.add_argument("--times", type=int, default=300)
    parser.add_argument("--models", nargs="+")
    parser.add_argument("--kernels", default="all")
    arguments = parser.parse_args()
    lines, left_out, differ = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        graph = pathlib.Path(folder) / "graph.npz"
        for entry in json.loads((ZOO / "index.json").read_text()):
            name = entry["name"]
            if arguments.models and name not in arguments.models or not (ZOO / f"{name}.npz").exists():
                continue
            arrays = {key: a for key, a in np.load(ZOO / f"{name}.npz").items() if not key.startswith("expected")}
            larger = repeated(arrays, arguments.times)
            if larger is None:
                left_out.append(name)
                continue
            np.savez(graph, **larger)
            roles = [word for key, role in entry.get("roles", {}).items() for word in ("--role", f"{key}={role}")]
            command = [arguments.cli, "verify", ZOO / f"{name}.pt2", graph, "--json", "--kernels", arguments.kernels, *roles]
            try:
                ran = subprocess.run(command, capture_output=True, text=True, timeout=120)
                told = json.loads(ran.stdout)
            except (subprocess.TimeoutExpired, json.JSONDecodeError):
                left_out.append(name)
                continue
            cut, uncut = told["layer_wise"]["seconds"], told["full_graph"]["seconds"]
            lines.append((uncut / cut, f"| {name} | {1e3 * cut:.1f} ms | {1e3 * uncut:.1f} ms | {uncut / cut:.2f} × |"))
            if not told["equal"]:
                differ.append(name)
    print("| model | Cleave | uncut | ratio |", "|---|---|---|---|", *(line for _, line in sorted(lines)), sep="\n")
    ratios = sorted(ratio for ratio, _ in lines)
    if ratios:
        print(f"\n{len(ratios)} models, median {ratios[len(ratios) // 2]:.1f} ×, {sum(r < 1 for r in ratios)} slower than the uncut one. Left out: {', '.join(left_out) or 'none'}.")
    if differ:
        print("Answers differ:", ", ".join(differ))
    return 1 if differ or not lines else 0


if __name__ == "__main__":
    sys.exit(main())
