#!/usr/bin/env python3
"""Times reading a plain list of edges: cleave-cli convert (which also starts LibTorch and writes the .npz) against numpy.loadtxt and, where it is installed, pandas.read_csv.

    python3 tests/bench/graph_files.py build/dev/bin/cleave-cli
"""
import argparse
import pathlib
import resource
import subprocess
import tempfile
import time

import numpy

try:
    import pandas
except ImportError:
    pandas = None


def processor_seconds():
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def seconds(work, rounds):
    """The least wall time and the least processor time of some rounds."""
    walls, processors = [], []
    for _ in range(rounds):
        wall, processor = time.perf_counter(), processor_seconds()
        work()
        walls.append(time.perf_counter() - wall)
        processors.append(processor_seconds() - processor)
    return min(walls), min(processors)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cli")
    parser.add_argument("--scale", type=int, default=18, help="an R-MAT graph of 2^scale nodes, 16 edges each")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        text, archive = folder / "edges.txt", folder / "edges.npz"
        subprocess.run([arguments.cli, "generate", "rmat", "--scale", str(arguments.scale), "--features", "0", text], check=True)
        edges = 16 << arguments.scale

        def report(what, work, rounds):
            wall, processor = seconds(work, rounds)
            print(f"{what:28} {wall:8.2f} s, of processors {processor:8.2f} s: {edges / wall / 1e6:8.2f} million edges a second")
            return processor

        report("cleave-cli --version", lambda: subprocess.run([arguments.cli, "--version"], check=True, stdout=subprocess.DEVNULL), arguments.rounds)
        ours = report("cleave-cli convert to .npz", lambda: subprocess.run([arguments.cli, "convert", text, archive], check=True, stdout=subprocess.DEVNULL), arguments.rounds)
        rivals = {"numpy.loadtxt": lambda: numpy.loadtxt(text, dtype=numpy.int64)}
        if pandas:
            rivals["pandas.read_csv"] = lambda: pandas.read_csv(text, sep="\t", comment="#", header=None)
        for rival, work in rivals.items():
            print(f"{rival} takes {report(rival, work, 1) / ours:.1f} times the processor time")
        assert (numpy.load(archive)["edge_index"].T == numpy.loadtxt(text, dtype=numpy.int64)).all()


if __name__ == "__main__":
    main()
