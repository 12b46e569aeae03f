"""Runs every zoo model on a GPU and compares: device_test.py --cli CLEAVE_CLI [--device cuda] [--jobs N] [--only A,B] [--quick].

Each model is verified against the uncut run on the processor, with its own switches (kernels, batch size, order of nodes, type of save points, rewrites,
drawn by its name), and run twice, after which the files must have the same bytes. A run must not be wholly on the processor, unless all that the model has
are global ops. Exit code 77 where there is no such device.
"""
import argparse
import collections
import concurrent.futures
import json
import pathlib
import random
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
ZOO = ROOT / "tests/models/zoo"


def call(*words):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=600)


def check(arguments, entry, folder):
    """What is wrong, and how many functions ran where."""
    name = entry["name"]
    draw = random.Random(name)
    model = [ZOO / (name + ".pt2"), ZOO / (name + ".npz")]
    model += [word for tensor, role in entry.get("roles", {}).items() for word in ("--role", f"{tensor}={role}")]
    switches = ["--device", arguments.device, "--threads", 2, "--kernels", draw.choice(["all", "all", "reduce", "none"]), "--batch-size", draw.choice([7, 100, "auto"]),
                "--rewrite", draw.choice(["all", "none"])]
    if draw.random() < 0.25 and name != "recommender":  # which computes its edge index from that among its inputs
        switches += ["--order", "degree"]
    problems, where = [], collections.Counter()
    verified = call(arguments.cli, "verify", *model, *switches)
    if verified.returncode != 0:
        problems.append("verify: " + (verified.stderr.strip() or verified.stdout.strip().splitlines()[-1]))
    outputs = []
    for i in range(0 if arguments.quick else 2):
        out = folder / f"{name}_{i}.npz"
        made = call(arguments.cli, "run", *model, *switches, "--json", "--out", out)
        if made.returncode != 0:
            problems.append("run: " + made.stderr.strip())
            continue
        report = json.loads(made.stdout)
        if i == 0:
            where.update("on the CPU" if function["device"] == "cpu" else "on the GPU" for function in report.get("functions", []))
            where.update(notice.split(": ", 1)[-1] for notice in report.get("notices", []))
        outputs.append(out.read_bytes())
        out.unlink()
    if len(outputs) == 2 and outputs[0] != outputs[1]:
        problems.append("two runs differ")
    return [f"{name} ({' '.join(map(str, switches[4:]))}): {problem}" for problem in problems], where


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cli", required=True)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--jobs", type=int, default=4)
    parser.add_argument("--only", default="")
    parser.add_argument("--quick", action="store_true", help="verify alone")
    arguments = parser.parse_args()
    only = [name for name in arguments.only.split(",") if name]
    entries = [e for e in json.loads((ZOO / "index.json").read_text()) if e["expect"] == "equal" and (not only or e["name"] in only)]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        tried = call(arguments.cli, "run", ZOO / "gcn.pt2", ZOO / "gcn.npz", "--device", arguments.device, "--strict-device", "--out", folder / "gcn.npz")
        if tried.returncode != 0:
            print("Skipped: " + tried.stderr.strip())
            sys.exit(77)
        problems, where = [], collections.Counter()
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            for entry, (found, there) in zip(entries, pool.map(lambda entry: check(arguments, entry, folder), entries)):
                print("\n".join(found) or entry["name"], flush=True)
                problems += found
                where.update(there)
    print("\n".join([f"{count} × {what}" for what, count in where.most_common()] + [f"{len(entries)} models, {len(problems)} problems"]))
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
