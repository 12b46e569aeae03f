#!/usr/bin/env python3
"""A run in a part of the memory that it would like, kept to it by a control group where one can be made, with nothing of its files in the page cache.

    python3 out_of_core.py --cli build/dev/bin/cleave-cli --graph FOLDER [--models sage3 gcn3 gat3] [--share 0.25] [--spill DIR] [--disk 500]

The graph is a folder of .npy files (x.npy, edge_index.npy, num_nodes.npy). The budget is a share of features and activations: of what
the features and the rows that the three layers give take, whatever a plan saves. --disk slows the disk down to so many megabytes a second: what is read is compared with what it gives then, so that a fast disk does not hide how well
reading and computing go side by side. Needs the rights to drop the page cache and to make a control group; says so where it has them not. Prints a table in Markdown.
"""
import argparse
import contextlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).parent
WIDTHS = 128, 128, 32  # of the layers' rows in bench/models


def drop_caches() -> bool:
    os.sync()
    try:
        pathlib.Path("/proc/sys/vm/drop_caches").write_text("3")
        return True
    except OSError:
        return False


@contextlib.contextmanager
def groups(limit: int, disk: int, file: pathlib.Path):
    """Where processes put themselves to have this much memory, page cache included, and to read so many bytes a second (0: as many as they can) from the disk
    of a file; empty where no group can be made."""
    second = pathlib.Path("/sys/fs/cgroup/cgroup.controllers").exists()
    device = os.stat(file).st_dev
    whole = f"{os.major(device)}:{os.minor(device)}"
    if second:
        limits = {"": {"memory.max": str(limit)} | ({"io.max": f"{whole} rbps={disk}"} if disk else {})}
    else:
        limits = {"memory": {"memory.limit_in_bytes": str(limit)}} | ({"blkio": {"blkio.throttle.read_bps_device": f"{whole} {disk}"}} if disk else {})
    made = []
    try:
        for controller, values in limits.items():
            path = pathlib.Path("/sys/fs/cgroup") / controller / f"cleave-out-of-core-{os.getpid()}"
            path.mkdir()
            made.append(path)
            for name, value in values.items():
                (path / name).write_text(value)
        yield made
    except OSError:
        yield []
    finally:
        for path in made:
            path.rmdir()


READ = """
import sys, time
start, size = time.perf_counter(), 0
with open(sys.argv[1], "rb", buffering=0) as file:
    while piece := file.read(1 << 24):
        size += len(piece)
print(size / (time.perf_counter() - start))
"""


def run(command: list, into: list):
    def enter():
        for path in into:
            (path / "cgroup.procs").write_text(str(os.getpid()))

    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True, preexec_fn=enter).stdout)


def sequential_rate(path: pathlib.Path, into: list) -> float:
    """Bytes a second of a file that is read from the first to the last."""
    drop_caches()
    return run([sys.executable, "-c", READ, str(path)], into)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cli", required=True)
    parser.add_argument("--graph", required=True)
    parser.add_argument("--models", nargs="+", default=["sage3", "gcn3", "gat3"])
    parser.add_argument("--share", type=float, default=0.25)
    parser.add_argument("--spill", default="/var/tmp")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--disk", type=int, default=0, help="megabytes a second that the disk is slowed down to")
    arguments = parser.parse_args()
    features = pathlib.Path(arguments.graph) / "x.npy"
    print(f"Page cache {'dropped' if drop_caches() else 'NOT dropped'} before each run.\n")
    print("| model | without a bound | budget | of a group | resident | seconds | parts | read | of the least | written | of the least | while gathering |")
    print("|---|---|---|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory(dir=arguments.spill) as folder:
        for model in arguments.models:
            plan, out = f"{folder}/{model}.cleave.json", f"{folder}/out.npy"
            graph = [str(HERE / "models" / f"{model}.pt2"), arguments.graph]
            subprocess.run([arguments.cli, "plan", *graph, "--out", plan], check=True, capture_output=True)
            command = [arguments.cli, "run", *graph, "--plan", plan, "--threads", str(arguments.threads), "--json", "--out", out]
            free = min(run(command, [])["seconds"] for _ in range(3))
            free_functions = run(command, [])["functions"]
            # What each layer must read is the rows of the one before, or the features, and four bytes for the source of each edge; what it must write is its rows.
            nodes, inputs = free_functions[0]["rows"], [features.stat().st_size / (4 * free_functions[0]["rows"]), *WIDTHS[:-1]]
            least_read, least_written = 4 * nodes * sum(inputs) + 4 * sum(f["edges"] for f in free_functions), 4 * nodes * sum(WIDTHS)
            budget = int(arguments.share * (features.stat().st_size + least_written))
            program = 100 << 20
            with groups(budget + program, arguments.disk * 10**6, features) as into:
                rate = sequential_rate(features, into)  # of that minute: other machines use the disk as well
                drop_caches()
                bound = run(command + ["--memory", str(budget), "--spill", folder], into)
                functions = bound["functions"]
                read, written = (sum(f[f"file_bytes_{what}"] for f in functions) for what in ("read", "written"))
                # Batches read no rows where those of their targets were added before, and a part of the seconds otherwise.
                gathering = [f for f in functions if f["gathers"] > 0]
                speed = sum(f["file_bytes_read"] for f in gathering) / max(1e-9, sum(f["gather_seconds"] for f in gathering))
                print(f"| {model} | {free:.2f} s | {budget / 1e6:.0f} MB | {'yes' if into else 'no'} | {bound['memory']['resident_bytes'] / 1e6:.0f} MB | {bound['seconds']:.1f} s | "
                      f"{', '.join(str(f['gathers']) for f in functions)} | {read / 1e9:.2f} GB | {read / least_read:.2f} × | {written / 1e9:.2f} GB | "
                      f"{written / least_written:.2f} × | {speed / 1e9:.2f} GB/s = {speed / rate:.2f} × {rate / 1e9:.2f} GB/s |", flush=True)


if __name__ == "__main__":
    main()
