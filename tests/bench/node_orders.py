#!/usr/bin/env python3
"""What the order of nodes is worth: a graph with its ids as they are, and shuffled, in each order; and what outputs of a part of the nodes take.

    python3 node_orders.py --cli build/dev/bin/cleave-cli --graph cnr2000.npz [--model sage3] [--batch-size 2048] [--rounds 7] [--share 0.01]

Needs NumPy. Runs take turns, the fastest of each counts. *Gathering*: seconds in which rows are added up, of runs that do that before the rest. Prints tables in Markdown.
"""
import argparse
import json
import pathlib
import subprocess
import tempfile

import numpy

HERE = pathlib.Path(__file__).parent


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cli", required=True)
    parser.add_argument("--graph", required=True)
    parser.add_argument("--model", default="sage3")
    parser.add_argument("--batch-size", type=int, default=2048)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--share", type=float, default=0.01, help="of the nodes whose outputs are wanted, the first ones")
    arguments = parser.parse_args()
    with numpy.load(arguments.graph) as file:
        edges = file["edge_index"]
        nodes = int(file["num_nodes"]) if "num_nodes" in file.files else int(edges.max()) + 1
    with tempfile.TemporaryDirectory() as scratch:
        graphs = {"as they come": edges, "shuffled": numpy.random.default_rng(1).permutation(nodes)[edges]}
        for name, edge_index in graphs.items():
            numpy.savez(f"{scratch}/{name}.npz", edge_index=edge_index, num_nodes=numpy.int64(nodes))

        def run(ids: str, *options: str) -> dict:
            command = [arguments.cli, "run", str(HERE / "models" / f"{arguments.model}.pt2"), f"{scratch}/{ids}.npz", "--features", "random", "--threads", str(arguments.threads), "--json",
                       "--out", f"{scratch}/out.npy", *options]
            return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)

        rows = [("as they come", "natural"), ("shuffled", "natural"), ("shuffled", "bfs"), ("shuffled", "degree"), ("shuffled", "metis")]
        best = {row: {"gathering": 1e9, "functions": 1e9, "order": 1e9} for row in rows}
        for _ in range(arguments.rounds):
            for row in rows:
                options = ["--order", row[1], "--batch-size", str(arguments.batch_size)]
                batches, apart = run(row[0], *options), run(row[0], *options, "--gather-at-once", str(nodes))
                times = {"gathering": sum(f["gather_seconds"] for f in apart["functions"]), "order": batches["order_seconds"],
                         "functions": sum(f["prepare_seconds"] + f["compute_seconds"] + f["write_seconds"] for f in batches["functions"])}
                best[row] = {what: min(best[row][what], seconds) for what, seconds in times.items()}
        near, far = best[rows[0]]["gathering"], best[rows[1]]["gathering"]
        print("| ids | order | gathering | of what locality is worth | functions | finding the order, and edges in it |\n|---|---|---|---|---|---|")
        for row in rows:
            times = best[row]
            print(f"| {row[0]} | {row[1]} | {times['gathering']:.3f} s | {(far - times['gathering']) / (far - near):.0%} | {times['functions']:.3f} s | {times['order']:.2f} s |")
        print(f"\nLocality is worth {far / near:.2f} ×.\n")

        part = ["--targets", f"0-{max(1, round(arguments.share * nodes)) - 1}"]
        runs = [(run("as they come"), run("as they come", *part)) for _ in range(arguments.rounds)]
        print("| outputs | seconds | rows of the functions |\n|---|---|---|")
        for which, name in enumerate(["all", f"{arguments.share:.1%}"]):
            fastest = min((pair[which] for pair in runs), key=lambda r: r["seconds"])
            print(f"| {name} | {fastest['seconds']:.3f} s | {', '.join(format(f['rows'], ',') for f in fastest['functions'])} |")


if __name__ == "__main__":
    main()
